// byte_ranges.hpp -- where arrays of a call lie -> whether they share memory.
//
// Compiled into the caller. All of it is always inlined: files compiled for different targets share no function, so
// that the linker never keeps a wide one for a caller whose CPU may not have it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace pawl::detail {

/// Whether two arrays share no memory: each begins, modulo 2^64, at least the other's length behind it. Two comparisons
/// that fail for neither, in place of one of two: no branch is taken.
[[gnu::always_inline]] inline bool are_apart(const void* a, std::size_t a_bytes, const void* b,
                                             std::size_t b_bytes) noexcept {
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(a) - reinterpret_cast<std::uintptr_t>(b);
  return distance >= b_bytes && std::uintptr_t{0} - distance >= a_bytes;
}

/// The addresses from the first byte of a view to behind its last.
struct ByteRange {
  const void* begin;
  std::size_t size;
};

/// Whether nothing is wrong with two arrays, which may be the same if that is allowed, and with a workspace, null for
/// the thread's own. What is wrong the checks of a call say one by one.
[[gnu::always_inline]] inline bool fits(const ByteRange& in, const ByteRange& out, bool same_allowed,
                                        const std::span<std::byte>* workspace, std::size_t wanted_bytes) noexcept {
  const bool arrays = in.begin && out.begin &&
                      ((same_allowed && in.begin == out.begin) || are_apart(in.begin, in.size, out.begin, out.size));
  return arrays && (!workspace || (workspace->size() >= wanted_bytes && workspace->data() &&
                                   are_apart(in.begin, in.size, workspace->data(), workspace->size()) &&
                                   are_apart(out.begin, out.size, workspace->data(), workspace->size())));
}

}  // namespace pawl::detail
