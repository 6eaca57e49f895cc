// arguments.hpp -- what a caller passed -> nothing, or one clear line about what does not fit.
//
// The checks are inline: out of line the six of a call took longer than a transform of 16 points.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "pawl/detail/byte_ranges.hpp"
#include "pawl/detail/row_major.hpp"
#include "pawl/view.hpp"

namespace pawl::fft {

using detail::are_apart;
using detail::both_row_major;
using detail::ByteRange;
using detail::fits;
using detail::is_row_major;

inline constexpr std::size_t kAlignment = 64;  // bytes: a cache line, the widest vector

/// Throws std::invalid_argument: "fft::<function>: <what>".
[[noreturn, gnu::cold]] void refuse(const char* function, const std::string& what);
[[noreturn, gnu::cold]] void refuse_null(const char* function, const char* name);
[[noreturn, gnu::cold]] void refuse_size(const char* function, const char* name, std::size_t size, std::size_t wanted);
[[noreturn, gnu::cold]] void refuse_shape(const char* function, const char* name, const Shape& shape,
                                          const Shape& wanted);
[[noreturn, gnu::cold]] void refuse_overlap(const char* function, const char* names);
[[noreturn, gnu::cold]] void refuse_workspace(const char* function, std::size_t bytes, std::size_t wanted_bytes);

/// Refuses null data and another size than the plan's.
inline void check_array(const char* function, const char* name, const void* data, std::size_t size,
                        std::size_t wanted) {
  if (size != wanted) [[unlikely]]
    refuse_size(function, name, size, wanted);
  if (data == nullptr) [[unlikely]]
    refuse_null(function, name);
}

/// Refuses arrays that share memory, unless they are the same one and that is allowed.
inline void check_overlap(const char* function, const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes,
                          bool same_allowed, const char* names) {
  if (same_allowed && a == b && a_bytes == b_bytes) return;
  if (!are_apart(a, a_bytes, b, b_bytes)) [[unlikely]]
    refuse_overlap(function, names);
}

inline void check_workspace(const char* function, std::span<const std::byte> workspace, std::size_t wanted_bytes) {
  if (workspace.size() < wanted_bytes) [[unlikely]]
    refuse_workspace(function, workspace.size(), wanted_bytes);
  if (workspace.data() == nullptr) [[unlikely]]
    refuse_null(function, "workspace");
}

/// The same, and a workspace that shares memory with one of the arrays.
template <class In, class Out>
void check_workspace(const char* function, std::span<const In> in, std::span<Out> out, std::span<std::byte> workspace,
                     std::size_t wanted_bytes) {
  check_workspace(function, workspace, wanted_bytes);
  check_overlap(function, in.data(), in.size_bytes(), workspace.data(), workspace.size(), false, "in and workspace");
  check_overlap(function, out.data(), out.size_bytes(), workspace.data(), workspace.size(), false, "out and workspace");
}

/// Refuses null data, another shape than the plan's and, of what is written, strides of 0. No extent may be 0. In one
/// way through the dimensions: what small arrays wait for.
template <class T>
ByteRange checked_range(const char* function, const char* name, const View<T>& view, const Shape& wanted,
                        bool written) {
  const std::size_t rank = wanted.rank();
  if (view.rank() != rank) [[unlikely]]
    refuse_shape(function, name, view.shape(), wanted);
  std::ptrdiff_t low = 0, high = 0;
  bool same = true, apart = true;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t extent = wanted[d];
    const std::ptrdiff_t stride = view.strides()[d], last = stride * static_cast<std::ptrdiff_t>(extent - 1);
    same = same && view.shape()[d] == extent;
    apart = apart && (stride != 0 || extent == 1);
    low += std::min<std::ptrdiff_t>(last, 0);
    high += std::max<std::ptrdiff_t>(last, 0);
  }
  if (!same) [[unlikely]]
    refuse_shape(function, name, view.shape(), wanted);
  if (view.data() == nullptr) [[unlikely]]
    refuse_null(function, name);
  if (written && !apart) [[unlikely]]
    refuse(function, std::string(name) + " has a stride of 0");
  return {view.data() + low, static_cast<std::size_t>(high - low + 1) * sizeof(T)};
}

/// Whether two sets of strides of this rank are the same. One by one: a comparison of whole arrays would wait for those
/// that have just been stored, which took a sixth of the time of 4 x 4 points.
inline bool same_strides(const Strides& a, const Strides& b, std::size_t rank) noexcept {
  for (std::size_t d = 0; d < rank; ++d)
    if (a[d] != b[d]) return false;
  return true;
}

/// Where the workspace reaches kAlignment first.
template <class T>
T* aligned_start(std::span<std::byte> workspace) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(workspace.data());
  return reinterpret_cast<T*>(workspace.data() + (kAlignment - address % kAlignment) % kAlignment);
}

}  // namespace pawl::fft
