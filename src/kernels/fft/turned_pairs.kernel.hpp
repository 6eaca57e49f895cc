// turned_pairs.kernel.hpp -- a matrix of pairs (re, im) -> its transpose: a few columns as lines and back, and results
// whose axes are in another order than those of the input.
//
// By squares in registers; those at both edges have functions of their own, so that the widths of all loads and stores
// are constants. Two or four dense columns are every second or fourth pair of memory: one shuffle a vector, or two.
#pragma once
#include "kernels/fft/interleave.kernel.hpp"
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

#if !defined(PAWL_ISA_IS_scalar)
// Every second pair of two vectors, from the first and from the second one on; and back.
template <class T>
PAWL_INLINE void unzip(Px<T>& a, Px<T>& b) {
  if constexpr (sizeof(T) == 4) {
    const Cx<double> x = deinterleave<double>((Reg<double>)a.v, (Reg<double>)b.v);
    a.v = (Reg<T>)x.re;
    b.v = (Reg<T>)x.im;
  } else {
#if defined(PAWL_ISA_IS_avx512)
    const __m512d x = a.v, y = b.v;
    a.v = _mm512_shuffle_f64x2(x, y, 0x88);
    b.v = _mm512_shuffle_f64x2(x, y, 0xDD);
#elif defined(PAWL_ISA_IS_avx2)
    exchange_128<T>(a.v, b.v);
#endif
  }
}
template <class T>
PAWL_INLINE void zip(Px<T>& a, Px<T>& b) {
  if constexpr (sizeof(T) == 4) {
    const Pairs<double> x = interleave<double>({(Reg<double>)a.v, (Reg<double>)b.v});
    a.v = (Reg<T>)x.low;
    b.v = (Reg<T>)x.high;
  } else {
#if defined(PAWL_ISA_IS_avx512)
    const __m512i low = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0), high = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
    const __m512d x = a.v, y = b.v;
    a.v = _mm512_permutex2var_pd(x, low, y);
    b.v = _mm512_permutex2var_pd(x, high, y);
#elif defined(PAWL_ISA_IS_avx2)
    exchange_128<T>(a.v, b.v);
#endif
  }
}

// The rows of dense columns that fill vectors, apart and back together; returns how many were done.
template <class T, std::size_t columns>
PAWL_INLINE std::size_t unzip_columns(const T* in, std::size_t rows, T* out, std::ptrdiff_t out_row) {
  constexpr std::size_t P = pair_lanes<T>;
  std::size_t r = 0;
  for (; r + P <= rows; r += P, in += columns * 2 * P, out += 2 * P) {
    Px<T> x[columns];
    unroll<columns>([&](auto c) PAWL_INLINE_LAMBDA { x[c] = {load_reg<T>(in + c * 2 * P)}; });
    unroll<columns / 2>([&](auto c) PAWL_INLINE_LAMBDA { unzip<T>(x[2 * c], x[2 * c + 1]); });
    if constexpr (columns == 4) {
      unzip<T>(x[0], x[2]);
      unzip<T>(x[1], x[3]);
    }
    unroll<columns>([&](auto c)
                        PAWL_INLINE_LAMBDA { store_reg<T>(out + static_cast<std::ptrdiff_t>(c) * out_row, x[c].v); });
  }
  return r;
}
template <class T, std::size_t columns>
PAWL_INLINE std::size_t zip_columns(const T* in, std::ptrdiff_t in_row, std::size_t rows, T* out) {
  constexpr std::size_t P = pair_lanes<T>;
  std::size_t r = 0;
  for (; r + P <= rows; r += P, in += 2 * P, out += columns * 2 * P) {
    Px<T> x[columns];
    unroll<columns>([&](auto c)
                        PAWL_INLINE_LAMBDA { x[c] = {load_reg<T>(in + static_cast<std::ptrdiff_t>(c) * in_row)}; });
    if constexpr (columns == 4) {
      zip<T>(x[0], x[2]);
      zip<T>(x[1], x[3]);
    }
    unroll<columns / 2>([&](auto c) PAWL_INLINE_LAMBDA { zip<T>(x[2 * c], x[2 * c + 1]); });
    unroll<columns>([&](auto c) PAWL_INLINE_LAMBDA { store_reg<T>(out + c * 2 * P, x[c].v); });
  }
  return r;
}
#endif

template <class T>
static void turn_pairs(const T* in, std::ptrdiff_t in_row, std::size_t rows, std::size_t columns, T* out,
                       std::ptrdiff_t out_row) noexcept {
#if !defined(PAWL_ISA_IS_scalar)
  constexpr std::size_t P = pair_lanes<T>;
  std::size_t done = 0;
  if (columns == 2 && in_row == 4)
    done = unzip_columns<T, 2>(in, rows, out, out_row);
  else if (columns == 4 && in_row == 8)
    done = unzip_columns<T, 4>(in, rows, out, out_row);
  in += static_cast<std::ptrdiff_t>(done) * in_row;
  out += 2 * done;
  rows -= done;
  done = 0;
  if (rows == 2 && out_row == 4)
    done = zip_columns<T, 2>(in, in_row, columns, out);
  else if (rows == 4 && out_row == 8)
    done = zip_columns<T, 4>(in, in_row, columns, out);
  in += 2 * done;
  out += static_cast<std::ptrdiff_t>(done) * out_row;
  columns -= done;
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
