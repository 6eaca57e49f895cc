// arguments.hpp -- what a caller passed -> nothing, or one clear line about what does not fit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "pawl/view.hpp"

namespace pawl::fft {

inline constexpr std::size_t kAlignment = 64;  // bytes: a cache line, the widest vector

/// Throws std::invalid_argument: "fft::<function>: <what>".
[[noreturn, gnu::cold]] void refuse(const char* function, const std::string& what);

/// Refuses null data and another size than the plan's.
void check_array(const char* function, const char* name, const void* data, std::size_t size, std::size_t wanted);

/// Refuses arrays that share memory, unless they are the same one and that is allowed.
void check_overlap(const char* function, const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes,
                   bool same_allowed, const char* names);

void check_workspace(const char* function, std::span<const std::byte> workspace, std::size_t wanted_bytes);

/// The addresses from the first byte of a view to behind its last.
struct ByteRange {
  const void* begin;
  std::size_t size;
};
template <class T>
ByteRange byte_range(const View<T>& view) noexcept {
  std::ptrdiff_t low = 0, high = 0;
  for (std::size_t d = 0; d < view.rank(); ++d) {
    const std::ptrdiff_t last = view.strides()[d] * static_cast<std::ptrdiff_t>(view.shape()[d] - 1);
    (last < 0 ? low : high) += last;
  }
  return {view.data() + low, static_cast<std::size_t>(high - low + 1) * sizeof(T)};
}

/// Refuses null data and another shape than the plan's.
void check_view(const char* function, const char* name, const void* data, const Shape& shape, const Shape& wanted);

/// Where the workspace reaches kAlignment first.
template <class T>
T* aligned_start(std::span<std::byte> workspace) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(workspace.data());
  return reinterpret_cast<T*>(workspace.data() + (kAlignment - address % kAlignment) % kAlignment);
}

}  // namespace pawl::fft
