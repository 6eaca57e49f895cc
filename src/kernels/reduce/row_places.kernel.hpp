// row_places.kernel.hpp -- rows of a matrix -> the place of each one's smallest or largest element.
#pragma once
#include "kernels/reduce/rows.kernel.hpp"
#include "kernels/reduce/span.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// The first of n elements that equals `value`, which one does; lanes <= n <= 64. All are compared: what leaves at the
// first equal one mispredicts once a row.
template <class T>
PAWL_INLINE std::size_t place_in_short_row(const T* x, std::size_t n, T value) {
  constexpr std::size_t W = lanes<T>;
  const Vec<T> v(value);
  const auto equal = [=](std::size_t i)
                         PAWL_INLINE_LAMBDA { return std::uint64_t{equal_lanes<T>(load<T>(x + i), v)} << i; };
  std::uint64_t bits = equal(n - W);
  for (std::size_t i = 0; i + W < n; i += W) bits |= equal(i);
  return static_cast<std::size_t>(__builtin_ctzll(bits));
}

/// out[r] = place of the first smallest (largest) element of row r, of the first NaN if there is one.
template <class T, bool kSmallest>
static void arg_rows(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t length,
                     std::size_t* out) noexcept {
  constexpr std::size_t W = lanes<T>, kLongest = 64;  // bits of a word
  const auto row = [=](std::size_t r) PAWL_INLINE_LAMBDA { return x + static_cast<std::ptrdiff_t>(r) * stride; };
  std::size_t r = 0;
#if defined(PAWL_ISA_IS_avx512)
  if (length < W) {
    for (; r < rows; ++r) out[r] = place_in_part_of_a_vector<T, kSmallest>(row(r), length);
    return;
  }
#endif
  if (W > 1 && length >= W && length <= kLongest) {
    for (; r + W <= rows; r += W) {
      Vec<T> folded;
      if (!extremes_of_rows<T, kSmallest>([=](std::size_t k) PAWL_INLINE_LAMBDA { return row(r + k); }, W, length,
                                          folded)) {
        for (std::size_t k = 0; k < W; ++k) out[r + k] = arg_extreme<T, kSmallest>(row(r + k), length);
        continue;
      }
      alignas(64) T extremes[W];
      store<T>(extremes, folded);
      for (std::size_t k = 0; k < W; ++k) out[r + k] = place_in_short_row<T>(row(r + k), length, extremes[k]);
    }
  }
  for (; r < rows; ++r) out[r] = arg_extreme<T, kSmallest>(row(r), length);
}

}  // namespace pawl::PAWL_ISA_NS
