// bias.kernel.hpp -- rows -> rows with a bias and an activation, in one pass.
#pragma once
#include "kernels/math/gelu.kernel.hpp"
#include "kernels/math/map.kernel.hpp"
#include "kernels/simd/elementwise.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

struct Relu {
  template <class T>
  PAWL_INLINE Vec<T> of(Vec<T> x) const {
    return max<T>(Vec<T>(T(0)), x);  // in this order a NaN goes through
  }
};

// Row by row.
template <class F, class T>
static void bias_map(const T* x, const T* bias, T* out, std::size_t rows, std::size_t columns) noexcept {
  const F f{};
  const bool past = rows_go_past<T>(x, out, rows, columns);
  for (std::size_t r = 0; r < rows; ++r, x += columns, out += columns) {
    const auto first = [=](std::size_t j, std::size_t count)
                           PAWL_INLINE_LAMBDA { return load_first<T>(x + j, count) + load_first<T>(bias + j, count); };
    if (past) {
      prefetch_shared_line<T>(out + columns);
      const T* const ahead = x + detail::asked_ahead_bytes / sizeof(T);
      map_past<F, T, false>(
          out, columns, f,
          [=](std::size_t j) PAWL_INLINE_LAMBDA {
            prefetch<T>(ahead + j);
            return load<T>(x + j) + load<T>(bias + j);
          },
          first);
    } else {
      map_four<F, T>(
          out, columns, f, [=](std::size_t j) PAWL_INLINE_LAMBDA { return load<T>(x + j) + load<T>(bias + j); }, first);
    }
  }
  if (past) stream_end();
}

/// A bias for elements of rows that lie one after the other, wherever in them a vector begins: with its beginning again
/// after its end, for vectors that end in the next row.
template <class T>
class RepeatedBias {
 public:
  /// Longest row: 16 KiB of a bias stay in L1 beside what goes through it.
  static constexpr std::size_t kMost = 16384 / sizeof(T), kSpace = kMost + lanes<T>;

  /// In `space`, which outlives it.
  RepeatedBias(const T* bias, std::size_t columns, T (&space)[kSpace]) noexcept : columns_(columns), values_(space) {
    __builtin_memcpy(space, bias, columns * sizeof(T));
    for (std::size_t i = 0; i < lanes<T>; ++i) space[columns + i] = space[i];  // what was copied, if that is less
  }
  /// Of the vector from element i of the rows on.
  PAWL_INLINE const T* of(std::size_t i) {
    if (i - row_ >= columns_) [[unlikely]]  // or before row_
      row_ = i / columns_ * columns_;
    return values_ + (i - row_);
  }

 private:
  std::size_t columns_, row_ = 0;  // where the row begins that was asked for last
  const T* values_;
};

// Rows one after the other, as one array: nothing is begun or ended between them. Of f32 1.15 to 1.2 times as fast on a
// Zen 5 with 64 and 1000 columns, past the caches 1.29; of f64 0.92.
template <class F, class T>
static void bias_map_joined(const T* x, const T* bias, T* out, std::size_t rows, std::size_t columns) noexcept {
  const F f{};
  alignas(64) T space[RepeatedBias<T>::kSpace];
  RepeatedBias<T> repeated(bias, columns, space);
  const std::size_t n = rows * columns;
  // By reference in the caches (by value took 1.03 to 1.05 times as long on a Zen 5), by value past them (1.08).
  if (!worth_streaming(2 * n * sizeof(T)) || x == out)
    return map_four<F, T>(
        out, n, f, [&](std::size_t i) PAWL_INLINE_LAMBDA { return load<T>(x + i) + load<T>(repeated.of(i)); },
        [&](std::size_t i, std::size_t count)
            PAWL_INLINE_LAMBDA { return load_first<T>(x + i, count) + load_first<T>(repeated.of(i), count); });
  const T* const ahead = x + detail::asked_ahead_bytes / sizeof(T);
  RepeatedBias<T>* const biases = &repeated;
  map_past<F, T>(
      out, n, f,
      [=](std::size_t i) PAWL_INLINE_LAMBDA {
        prefetch<T>(ahead + i);
        return load<T>(x + i) + load<T>(biases->of(i));
      },
      [=](std::size_t i, std::size_t count)
          PAWL_INLINE_LAMBDA { return load_first<T>(x + i, count) + load_first<T>(biases->of(i), count); });
}

// The way that takes less time, for functions that take some.
template <class F, class T>
static void bias_map_either(const T* x, const T* bias, T* out, std::size_t rows, std::size_t columns) noexcept {
  if constexpr (sizeof(T) == 4)
    if (rows > 1 && columns > 0 && columns <= RepeatedBias<T>::kMost)
      return bias_map_joined<F, T>(x, bias, out, rows, columns);
  bias_map<F, T>(x, bias, out, rows, columns);
}

// The last whole lines of a row go past the caches too, of which bias_map takes four vectors a turn.
template <class T>
static void bias_relu(const T* x, const T* bias, T* out, std::size_t rows, std::size_t columns) noexcept {
  if (!rows_go_past<T>(x, out, rows, columns)) return bias_map<Relu, T>(x, bias, out, rows, columns);
  const Relu f{};
  for (std::size_t r = 0; r < rows; ++r, x += columns, out += columns) {
    prefetch_shared_line<T>(out + columns);
    fill<T, false>(
        out, columns, true,
        [=](std::size_t j) PAWL_INLINE_LAMBDA { return f.of<T>(load<T>(x + j) + load<T>(bias + j)); },
        [=](std::size_t j, std::size_t count)
            PAWL_INLINE_LAMBDA { return f.of<T>(load_first<T>(x + j, count) + load_first<T>(bias + j, count)); });
  }
  stream_end();
}

}  // namespace pawl::PAWL_ISA_NS
