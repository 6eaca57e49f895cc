// turned_pairs.kernel.hpp -- a matrix of pairs (re, im) -> its transpose: a few columns as lines and back, and results
// whose axes are in another order than those of the input.
//
// By squares in registers; those at both edges have functions of their own, so that the widths of all loads and stores
// are constants.
#pragma once
#include "kernels/fft/pairs.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if !defined(PAWL_ISA_IS_scalar)
// rows x columns of a square; those beyond are the last row once more, and nothing.
template <class T, std::size_t rows, std::size_t columns>
PAWL_INLINE void turn_square(const T* in, std::ptrdiff_t in_row, T* out, std::ptrdiff_t out_row) {
  constexpr std::size_t P = pair_lanes<T>;
  Px<T> x[P];
  unroll<P>([&](auto r) PAWL_INLINE_LAMBDA {
    if constexpr (r < rows)
      x[r] = load_px<T>(in + static_cast<std::ptrdiff_t>(r) * in_row, columns);
    else
      x[r] = x[rows - 1];
  });
  transpose_px<T>(x);
  unroll<columns>([&](auto c)
                      PAWL_INLINE_LAMBDA { store_px<T>(out + static_cast<std::ptrdiff_t>(c) * out_row, x[c], rows); });
}

// call(constant) with the constant that is `value`, from 1 to most.
template <std::size_t most, class Call>
PAWL_INLINE void with_constant(std::size_t value, Call call) {
  unroll<most>([&](auto i) PAWL_INLINE_LAMBDA {
    if (value == i + 1) call(std::integral_constant<std::size_t, i + 1>{});
  });
}

// One strip of squares: `columns` of all rows.
template <class T, std::size_t columns>
static void turn_strip(const T* in, std::ptrdiff_t in_row, std::size_t rows, T* out, std::ptrdiff_t out_row) {
  constexpr std::size_t P = pair_lanes<T>;
  for (; rows >= P; rows -= P, in += static_cast<std::ptrdiff_t>(P) * in_row, out += 2 * P)
    turn_square<T, P, columns>(in, in_row, out, out_row);
  if constexpr (P > 1)
    with_constant<P - 1>(
        rows, [&](auto rest) PAWL_INLINE_LAMBDA { turn_square<T, rest, columns>(in, in_row, out, out_row); });
}
#endif

template <class T>
static void turn_pairs(const T* in, std::ptrdiff_t in_row, std::size_t rows, std::size_t columns, T* out,
                       std::ptrdiff_t out_row) noexcept {
#if !defined(PAWL_ISA_IS_scalar)
  constexpr std::size_t P = pair_lanes<T>;
  for (; columns >= P; columns -= P, in += 2 * P, out += static_cast<std::ptrdiff_t>(P) * out_row)
    turn_strip<T, P>(in, in_row, rows, out, out_row);
  if constexpr (P > 1)
    with_constant<P - 1>(columns,
                         [&](auto rest) PAWL_INLINE_LAMBDA { turn_strip<T, rest>(in, in_row, rows, out, out_row); });
#else
  for (std::size_t r = 0; r < rows; ++r, in += in_row, out += 2)
    for (std::size_t c = 0; c < columns; ++c) {
      T* const to = out + static_cast<std::ptrdiff_t>(c) * out_row;
      to[0] = in[2 * c];
      to[1] = in[2 * c + 1];
    }
#endif
}

}  // namespace pawl::PAWL_ISA_NS
