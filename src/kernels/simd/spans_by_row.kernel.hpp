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

// y is one value for each row.
template <class Op, class T>
static void rows_and_values(const T* x, std::ptrdiff_t x_step, const T* y, std::ptrdiff_t y_step, T* out,
                            std::size_t rows, std::size_t n) noexcept {
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
