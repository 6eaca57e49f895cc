// long_array_isa.hpp -- how many bytes one pass moves -> the variant that is fastest on memory, or on L3.
#pragma once
#include <cstddef>

#include "isa/active.hpp"
#include "isa/datapath.hpp"

namespace pawl::detail {

/// The active variant, but the one of 256 bits in place of 512 on CPUs that work on 512 half by half.
inline Isa unsplit_isa() noexcept {
  const Isa isa = active_isa_inline();
  return isa == Isa::avx512 && splits_512_bits ? Isa::avx2 : isa;  // every CPU that runs avx512 runs it
}

/// The variant for one pass in order over `bytes` of arrays: unsplit_isa() for more than the last-level cache, else the
/// active one. On a Zen 4, from 64 MiB in memory, sums took 0.79 to 0.90 of the time of vectors of 512, extremes 0.72
/// to 0.83, sums and products of two arrays 0.86 to 0.97, in one process with repetitions in random order; from the
/// caches both take the same time, or 512 less, but for dot (whole_spans.hpp).
inline Isa long_array_isa(std::size_t bytes) noexcept {
  constexpr std::size_t kCached = std::size_t{8} << 20;  // no need to ask how large the cache is
  if (bytes < kCached || bytes <= assumed_cache_sizes().l3_bytes) [[likely]]
    return active_isa_inline();
  return unsplit_isa();
}

}  // namespace pawl::detail
