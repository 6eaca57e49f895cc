// streaming.hpp -- how much a pass moves, and how its rows lie -> whether its stores should bypass the caches.
#pragma once
#include <cstddef>
#include <cstdint>

#include "pawl/isa.hpp"

namespace pawl {

/// True for traffic of more than twice the last-level cache: what is written then will not be found in the caches by
/// the next reader, and a store that goes through them first reads the line it overwrites, a quarter of all traffic.
/// Always inlined, as the next one: the objects of wide ISAs call them too.
[[gnu::always_inline]] inline bool worth_streaming_bytes(std::size_t bytes) noexcept {
  constexpr std::size_t kNever = std::size_t{8} << 20;
  return bytes >= kNever && bytes > std::size_t{2} * assumed_cache_sizes().l3_bytes;
}

/// Whether rows of so many bytes, from `out` on, can go past the caches one by one. Where they begin within lines, each
/// boundary is a line that goes through the caches, and what follows waits for it: layernorm, rmsnorm and log_softmax
/// of 64 MB took 1.3 to 2.9 times as long past the caches with rows of 268 to 1332 bytes, 0.8 to 1.1 with 2664, and
/// 0.84 to 0.95 with 4000. Rows of whole lines are level from 256 bytes on (Zen 4).
[[gnu::always_inline]] inline bool rows_suit_streaming(const void* out, std::size_t row_bytes) noexcept {
  const bool whole_lines = (reinterpret_cast<std::uintptr_t>(out) | row_bytes) % 64 == 0;
  return row_bytes >= (whole_lines ? 256 : 3072);
}

}  // namespace pawl
