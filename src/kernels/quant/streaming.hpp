// streaming.hpp -- how much a conversion moves -> whether its stores should bypass the caches.
#pragma once
#include <cstddef>

#include "pawl/isa.hpp"

namespace pawl {

/// True for traffic of more than twice the last-level cache (32 MiB where its size is unknown): what is written then
/// will not be found in the caches by the next reader, and a store that goes through them first reads the line it
/// overwrites.
inline bool worth_streaming_bytes(std::size_t bytes) noexcept {
  constexpr std::size_t kNever = std::size_t{8} << 20, kUnknown = std::size_t{32} << 20;
  if (bytes < kNever) return false;
  const std::size_t last_level = cache_sizes().l3_bytes;
  return bytes > 2 * (last_level > 0 ? last_level : kUnknown);
}

}  // namespace pawl
