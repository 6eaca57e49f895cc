// streaming.hpp -- how much a conversion moves -> whether its stores should bypass the caches.
#pragma once
#include <cstddef>

#include "pawl/isa.hpp"

namespace pawl {

/// True for traffic of more than twice the last-level cache: what is written then will not be found in the caches by
/// the next reader, and a store that goes through them first reads the line it overwrites.
inline bool worth_streaming_bytes(std::size_t bytes) noexcept {
  constexpr std::size_t kNever = std::size_t{8} << 20;
  return bytes >= kNever && bytes > std::size_t{2} * assumed_cache_sizes().l3_bytes;
}

}  // namespace pawl
