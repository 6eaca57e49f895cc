// spans_by_row.kernel.hpp -- out[r] = x[r] op y[r] for the rows of a matrix, any of which may be the same row or one
// value.
//
// What broadcasting does, in one call: a call for each row costs as much as some hundred elements.
#pragma once
#include "kernels/simd/elementwise.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

struct Plus {
  template <class T>
  PAWL_INLINE Vec<T> operator()(Vec<T> a, Vec<T> b) const {
    return a + b;
  }
};
struct Minus {
  template <class T>
  PAWL_INLINE Vec<T> operator()(Vec<T> a, Vec<T> b) const {
    return a - b;
  }
};
struct Times {
  template <class T>
  PAWL_INLINE Vec<T> operator()(Vec<T> a, Vec<T> b) const {
    return a * b;
  }
};
struct Over {
  template <class T>
  PAWL_INLINE Vec<T> operator()(Vec<T> a, Vec<T> b) const {
    return a / b;
  }
};
/// op with its operands exchanged.
template <class Op>
struct Exchanged {
  template <class T>
  PAWL_INLINE Vec<T> operator()(Vec<T> a, Vec<T> b) const {
    return Op{}.template operator()<T>(b, a);
  }
};

// Rows of few lines are not worth going past the caches for, line by line.
template <class T>
PAWL_INLINE bool rows_worth_streaming(std::size_t rows, std::size_t n, std::size_t operands) {
  return n * sizeof(T) >= 1024 && worth_streaming(operands * rows * n * sizeof(T));
}

// Steps are in elements, from a row to the next; 0 is the same row again.
template <class Op, class T>
static void rows_and_rows(const T* x, std::ptrdiff_t x_step, const T* y, std::ptrdiff_t y_step, T* out,
                          std::size_t rows, std::size_t n) noexcept {
  const bool streaming = rows_worth_streaming<T>(rows, n, 1 + (x_step != 0) + (y_step != 0)) && x != out && y != out;
  for (std::size_t r = 0; r < rows; ++r, x += x_step, y += y_step, out += n)
    fill<T, false>(
        out, n, streaming,
        [=](std::size_t i) PAWL_INLINE_LAMBDA { return Op{}.template operator()<T>(load<T>(x + i), load<T>(y + i)); },
        [=](std::size_t i, std::size_t count) PAWL_INLINE_LAMBDA {
          return Op{}.template operator()<T>(load_first<T>(x + i, count), load_first<T>(y + i, count));
        });
  if (streaming) stream_end();
}

#if defined(PAWL_ISA_IS_avx512)
// Rows of 2^k elements, at most a vector: each vector has some of them, whose values are spread over their lanes.
template <class Op, class T>
PAWL_INLINE void narrow_rows_and_values(const T* x, const T* y, T* out, std::size_t rows, std::size_t n) {
  constexpr std::size_t W = lanes<T>;
  using Integer = typename Format<T>::Integer;
  alignas(64) Integer row_of_lane[W];
  for (std::size_t k = 0; k < W; ++k) row_of_lane[k] = static_cast<Integer>(k / n);
  const __m512i places = _mm512_load_si512(row_of_lane);
  const auto spread = [=](Vec<T> values) PAWL_INLINE_LAMBDA {
    if constexpr (sizeof(T) == 4)
      return Vec<T>(_mm512_permutexvar_ps(places, values));
    else
      return Vec<T>(_mm512_permutexvar_pd(places, values));
  };
  const std::size_t each = W / n;
  std::size_t r = 0;
  for (; r + each <= rows; r += each, x += W, out += W)
    store<T>(out, Op{}.template operator()<T>(load<T>(x), spread(load_first<T>(y + r, each))));
  if (r == rows) return;
  const std::size_t count = (rows - r) * n;
  const Vec<T> values = spread(load_first<T>(y + r, rows - r));
  store_first<T>(out, Op{}.template operator()<T>(load_first<T>(x, count), values), count);
}
#endif

// y is one value for each row.
template <class Op, class T>
static void rows_and_values(const T* x, std::ptrdiff_t x_step, const T* y, std::ptrdiff_t y_step, T* out,
                            std::size_t rows, std::size_t n) noexcept {
#if defined(PAWL_ISA_IS_avx512)
  if (x_step == static_cast<std::ptrdiff_t>(n) && y_step == 1 && n <= lanes<T> && (n & (n - 1)) == 0)
    return narrow_rows_and_values<Op, T>(x, y, out, rows, n);
#endif
  const bool streaming = rows_worth_streaming<T>(rows, n, 1 + (x_step != 0)) && x != out;
  for (std::size_t r = 0; r < rows; ++r, x += x_step, y += y_step, out += n) {
    const Vec<T> value(*y);
    fill<T, false>(
        out, n, streaming,
        [=](std::size_t i) PAWL_INLINE_LAMBDA { return Op{}.template operator()<T>(load<T>(x + i), value); },
        [=](std::size_t i, std::size_t count)
            PAWL_INLINE_LAMBDA { return Op{}.template operator()<T>(load_first<T>(x + i, count), value); });
  }
  if (streaming) stream_end();
}

}  // namespace pawl::PAWL_ISA_NS
