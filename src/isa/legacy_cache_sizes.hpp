// legacy_cache_sizes.hpp -- registers of AMD's older CPUID leaves -> cache sizes.
#pragma once
#include <algorithm>
#include <cstdint>

#include "pawl/isa.hpp"

namespace pawl::detail {

/// Sizes from ecx of leaf 0x80000005, and ecx and edx of leaf 0x80000006; 0 where those are 0 (AMD64 Architecture
/// Programmer's Manual, volume 3, appendix E). Some hypervisors leave these in place when they hide the lists of
/// caches. L3 is counted there for the whole package, of which a core reaches its own complex: 32 MiB at most in Zen 3
/// to 5 without stacked caches.
constexpr CacheSizes legacy_cache_sizes(std::uint32_t ecx5, std::uint32_t ecx6, std::uint32_t edx6) noexcept {
  constexpr std::uint32_t kKiB = 1024, kMiB = 1024 * kKiB, kLargestComplex = 32;
  const std::uint32_t package_mib = (edx6 >> 18) / 2;  // counted in halves of a MiB
  return {(ecx5 >> 24) * kKiB, (ecx6 >> 16) * kKiB, std::min(package_mib, kLargestComplex) * kMiB};
}

}  // namespace pawl::detail
