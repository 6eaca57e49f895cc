// spans_by_row.kernel.hpp -- out[r] = x[r] op y[r] for the rows of a matrix, any of which may be the same row or one
// value.
//
// What broadcasting does, in one call: a call for each row costs as much as some hundred elements.
#pragma once
#include "kernels/simd/elementwise.kernel.hpp"
#include "kernels/simd/short_rows.kernel.hpp"
#include "kernels/simd/simd_table.hpp"

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

// Rows of fewer bytes are not worth going past the caches for one by one (they took as long; those of 2080 bytes that
// begin within lines 0.55 to 0.73 of the time; Zen 4).
inline constexpr std::size_t kRowPastCaches = 1024;

// Whether rows without gaps that go past the caches do so as one span: shorter rows took 0.55 to 0.8 of the time that
// they take through the caches, longer ones 0.7 to 0.85 of that one by one, but those of half lines (2400 and 4000
// bytes) 1.06 to 1.09, and those of whole lines as long (Zen 4).
template <class T>
PAWL_INLINE bool past_as_one_span(std::size_t n) {
  return n * sizeof(T) < kRowPastCaches || n * sizeof(T) % 32 != 0;
}

// A whole vector of a result that is written in order, from a line's beginning on.
template <bool kPast, class T>
PAWL_INLINE void put(T* out, Vec<T> v) {
  if constexpr (kPast)
    stream<T>(out, v);
  else
    store<T>(out, v);
}

// Elements up to out's next line, at most n: vectors from there on write within one line each.
template <class T>
PAWL_INLINE std::size_t up_to_line(const T* out, std::size_t n) {
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(out) % 64 / sizeof(T);
  const std::size_t head = beyond == 0 ? 0 : 64 / sizeof(T) - beyond;
  return head < n ? head : n;
}

// Rows without gaps that do not begin with a line are one span: vector by vector, whatever row it is from, so that no
// store but those of the ends is for part of a vector or crosses a line.
template <class T>
PAWL_INLINE bool rows_cross_lines(std::ptrdiff_t step, std::size_t n) {
  return step == static_cast<std::ptrdiff_t>(n) && n * sizeof(T) % 64 != 0;
}

// The longest row that is held for one_row_over_all: 8 KiB of f64, a quarter of the smallest L1.
inline constexpr std::size_t kLongestHeld = 1024;

// y is one row of at most kLongestHeld elements for all rows of x, which have no gaps. kPast: out goes past the caches.
template <class Op, bool kPast, class T>
PAWL_INLINE void one_row_over_all(const T* x, const T* y, T* out, std::size_t rows, std::size_t n) {
  constexpr std::size_t W = lanes<T>, kTurn = 4 * W;
  const std::size_t total = rows * n;
  // The row and what comes after it, so that a turn may begin anywhere in it.
  alignas(64) T row[kLongestHeld + kTurn];
  if (n >= kTurn) {
    std::size_t k = 0;
    for (; k + W <= n; k += W) store<T>(row + k, load<T>(y + k));
    if (k < n) store_first<T>(row + k, load_first<T>(y + k, n - k), n - k);
    unroll<4>([&](auto v) PAWL_INLINE_LAMBDA { store<T>(row + n + v * W, load<T>(y + v * W)); });
  } else {
    for (std::size_t k = 0; k < n; ++k) row[k] = y[k];
    for (std::size_t k = n; k < n + kTurn; ++k) row[k] = row[k - n];
  }
  std::size_t i = 0, at = 0;
  const auto parts_until = [&](std::size_t end) PAWL_INLINE_LAMBDA {
    while (i < end) {
      const std::size_t count = end - i < W ? end - i : W;
      store_first<T>(out + i, Op{}.template operator()<T>(load_first<T>(x + i, count), load<T>(row + at)), count);
      i += count;
      at = (at + count) % n;
    }
  };
  parts_until(up_to_line(out, total));
  const auto turn = [&](auto value) PAWL_INLINE_LAMBDA {
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
      put<kPast, T>(out + i + k * W, Op{}.template operator()<T>(load<T>(x + i + k * W), value(k)));
    });
  };
  const std::size_t step = kTurn % n;
  if (step == 0) {
    Vec<T> values[4];
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { values[k] = load<T>(row + at + k * W); });
    for (; i + kTurn <= total; i += kTurn) turn([&](auto k) PAWL_INLINE_LAMBDA { return values[k]; });
  } else {
    for (; i + kTurn <= total; i += kTurn) {
      turn([&](auto k) PAWL_INLINE_LAMBDA { return load<T>(row + at + k * W); });
      at += step;
      at = at < n ? at : at - n;
    }
  }
  if constexpr (kPast) stream_end();
  parts_until(total);
}

// Elements of a matrix from which one_row_over_all pays for writing its row out.
inline constexpr std::size_t kWorthHolding = 256;

// `rows` rows; steps are in elements, from a row to the next, and 0 is the same row again. past: out goes past the
// caches.
template <class Op, class T>
PAWL_INLINE void matrix_and_matrix(const T* x, std::ptrdiff_t x_step, const T* y, std::ptrdiff_t y_step, T* out,
                                   std::size_t rows, std::size_t n, bool past) {
  // Short rows, or some that begin within a line or go past the caches; of few elements none, since the row is read
  // again as soon as it was written out (2 x 20 f64 took 55 ns; Zen 5).
  constexpr std::size_t kShort = 64, kSome = 4;
  const auto hold = [=](std::ptrdiff_t held, std::ptrdiff_t other) PAWL_INLINE_LAMBDA {
    return held == 0 && other == static_cast<std::ptrdiff_t>(n) && rows * n >= kWorthHolding &&
           (n <= kShort ||
            (rows >= kSome && n <= kLongestHeld && (past ? past_as_one_span<T>(n) : rows_cross_lines<T>(other, n))));
  };
  if (hold(y_step, x_step))
    return past ? one_row_over_all<Op, true, T>(x, y, out, rows, n)
                : one_row_over_all<Op, false, T>(x, y, out, rows, n);
  if (hold(x_step, y_step))
    return past ? one_row_over_all<Exchanged<Op>, true, T>(y, x, out, rows, n)
                : one_row_over_all<Exchanged<Op>, false, T>(y, x, out, rows, n);
  const bool streaming = past && n * sizeof(T) >= kRowPastCaches;
  for (std::size_t r = 0; r < rows; ++r, x += x_step, y += y_step, out += n)
    fill<T, false>(
        out, n, streaming,
        [=](std::size_t i) PAWL_INLINE_LAMBDA { return Op{}.template operator()<T>(load<T>(x + i), load<T>(y + i)); },
        [=](std::size_t i, std::size_t count) PAWL_INLINE_LAMBDA {
          return Op{}.template operator()<T>(load_first<T>(x + i, count), load_first<T>(y + i, count));
        });
  if (streaming) stream_end();
}

template <class T>
using Steps = typename SimdOps<T>::Steps;

template <class Op, class T>
static void rows_and_rows(const T* x, Steps<T> x_steps, const T* y, Steps<T> y_steps, T* out, std::size_t outer,
                          std::size_t rows, std::size_t n) noexcept {
  const std::size_t arrays = 1 + (x_steps.row != 0 || x_steps.outer != 0) + (y_steps.row != 0 || y_steps.outer != 0);
  const bool past = worth_streaming(arrays * outer * rows * n * sizeof(T)) && x != out && y != out;
  const bool holds = n < lanes<T> && rows * n >= kWorthHolding && (x_steps.row == 0 || y_steps.row == 0);
  if (!past && n <= kShortRow<T> && !holds) return short_rows<false, Op>(x, x_steps, y, y_steps, out, outer, rows, n);
  for (std::size_t o = 0; o < outer; ++o, x += x_steps.outer, y += y_steps.outer, out += rows * n)
    matrix_and_matrix<Op, T>(x, x_steps.row, y, y_steps.row, out, rows, n, past);
}

// 0, 1, ... for each lane; no std::array, whose functions all variants would share.
template <class T>
struct LaneNumbers {
  alignas(64) T lane[lanes<T>];
  constexpr LaneNumbers() : lane{} {
    for (std::size_t k = 0; k < lanes<T>; ++k) lane[k] = static_cast<T>(k);
  }
};

// y is one value for each row of x, which have no gaps and at least a vector each; a vector across two rows has the
// values of both. kPast: out goes past the caches.
template <class Op, bool kPast, class T>
PAWL_INLINE void values_over_all(const T* x, const T* y, std::ptrdiff_t y_step, T* out, std::size_t rows,
                                 std::size_t n) {
  constexpr std::size_t W = lanes<T>;
  static constexpr LaneNumbers<T> kNumbers;
  const Vec<T> lane = load<T>(kNumbers.lane);
  Vec<T> value(*y);
  std::size_t i = 0, end = n;
  const auto parts_until = [&](std::size_t last) PAWL_INLINE_LAMBDA {
    while (i < last) {
      const std::size_t count = last - i < W ? last - i : W;
      store_first<T>(out + i, Op{}.template operator()<T>(load_first<T>(x + i, count), value), count);
      i += count;
    }
  };
  parts_until(up_to_line(out, n));
  for (std::size_t r = 1;; ++r, end += n) {
    for (; i + 4 * W <= end; i += 4 * W)
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
        put<kPast, T>(out + i + k * W, Op{}.template operator()<T>(load<T>(x + i + k * W), value));
      });
    for (; i + W <= end; i += W) put<kPast, T>(out + i, Op{}.template operator()<T>(load<T>(x + i), value));
    if (r == rows) break;
    y += y_step;
    const Vec<T> next(*y);
    if (i < end) {
      const Vec<T> both = select_less<T>(lane, Vec<T>(static_cast<T>(end - i)), value, next);
      put<kPast, T>(out + i, Op{}.template operator()<T>(load<T>(x + i), both));
      i += W;
    }
    value = next;
  }
  if constexpr (kPast) stream_end();
  parts_until(end);
}

// y is one value for each row; the rest as for matrix_and_matrix.
template <class Op, class T>
PAWL_INLINE void matrix_and_values(const T* x, std::ptrdiff_t x_step, const T* y, std::ptrdiff_t y_step, T* out,
                                   std::size_t rows, std::size_t n, bool past) {
  if (n >= lanes<T> && rows > 1 && x_step == static_cast<std::ptrdiff_t>(n)) {
    if (past && past_as_one_span<T>(n)) return values_over_all<Op, true, T>(x, y, y_step, out, rows, n);
    if (!past && rows_cross_lines<T>(x_step, n)) return values_over_all<Op, false, T>(x, y, y_step, out, rows, n);
  }
  const bool streaming = past && n * sizeof(T) >= kRowPastCaches;
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

template <class Op, class T>
static void rows_and_values(const T* x, Steps<T> x_steps, const T* y, Steps<T> y_steps, T* out, std::size_t outer,
                            std::size_t rows, std::size_t n) noexcept {
  const std::size_t arrays = 1 + (x_steps.row != 0 || x_steps.outer != 0);
  const bool past = worth_streaming(arrays * outer * rows * n * sizeof(T)) && x != out;
#if defined(PAWL_ISA_IS_avx512)
  if (2 * n <= lanes<T> && y_steps.row == 1) {
    if (x_steps.row == static_cast<std::ptrdiff_t>(n))
      return narrow_rows_and_values<Op, false, T>(x, x_steps.outer, y, y_steps.outer, out, outer, rows, n);
    if (x_steps.row == 0)
      return narrow_rows_and_values<Op, true, T>(x, x_steps.outer, y, y_steps.outer, out, outer, rows, n);
  }
#endif
  if (!past && n <= kShortRow<T>) return short_rows<true, Op>(x, x_steps, y, y_steps, out, outer, rows, n);
  for (std::size_t o = 0; o < outer; ++o, x += x_steps.outer, y += y_steps.outer, out += rows * n)
    matrix_and_values<Op, T>(x, x_steps.row, y, y_steps.row, out, rows, n, past);
}

}  // namespace pawl::PAWL_ISA_NS
