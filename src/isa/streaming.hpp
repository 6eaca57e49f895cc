// streaming.hpp -- how much a pass moves, and how its rows lie -> whether its stores should bypass the caches.
#pragma once
#include <cstddef>
#include <cstdint>

#include "pawl/isa.hpp"

namespace pawl {
namespace detail {

/// True but on CPUs of Intel: memset() of zeros, which g++'s library does by `rep stosb` for large arrays, is faster
/// than any store (Zen 4). An Emerald Rapids takes 0.37 to 0.46 ns for each 4 bytes so, and 0.18 by stores past the
/// caches (64 MiB). False until this library's objects are initialised: both ways write the same. Tests set it.
extern bool memset_beats_stores;

/// How far ahead of what is computed passes beyond the caches ask for their arrays, where between long chains of
/// operations too few loads are under way: 2 KiB on CPUs of Intel, else 8. On an Emerald Rapids exp of 16 M f32 took
/// 1.1 to 1.5 times as long without; on a Zen 5 exp, tanh and sigmoid take 1.1 to 1.15 times as long by 2 KiB, bias
/// with gelu of long rows and conversions to 8 bits 1.3, and 16 KiB are level with 8.
extern std::size_t asked_ahead_bytes;

}  // namespace detail

/// How much of what was written a process finds again in the last-level cache: all of a cache of up to 32 MiB. Larger
/// ones serve the many cores of a server, most of which work for others. On a virtual machine with two cores of an
/// Emerald Rapids, whose L3 has 260 MiB, z = x + y and the sum of z took, past the caches and through them, 0.59 and
/// 0.55 ns an element at 24 MiB of traffic, 0.59 and 0.71 at 48, 0.57 and 0.79 at 96, 0.77 and 1.04 at 192 (f32).
[[gnu::always_inline]] inline std::size_t kept_in_l3() noexcept {
  constexpr std::size_t kMost = std::size_t{32} << 20;
  const std::size_t l3 = assumed_cache_sizes().l3_bytes;
  return l3 < kMost ? l3 : kMost;
}

/// True for traffic of more than twice what the last-level cache keeps: what is written then will not be found in the
/// caches by the next reader, and a store that goes through them first reads the line it overwrites, a quarter of all
/// traffic. Always inlined, as its neighbours: the objects of wide ISAs call them too.
[[gnu::always_inline]] inline bool worth_streaming_bytes(std::size_t bytes) noexcept {
  constexpr std::size_t kNever = std::size_t{8} << 20;
  return bytes >= kNever && bytes > 2 * kept_in_l3();
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
