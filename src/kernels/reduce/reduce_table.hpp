// reduce_table.hpp -- the entries of the category `reduce`: many elements -> few, over spans and over columns.
#pragma once
#include <cstddef>

namespace pawl {

/// Matrices that a function of columns takes in one call: block b starts at x + b * step, its results at
/// out + b * columns. count >= 1.
struct Blocks {
  std::size_t count;
  std::ptrdiff_t step;
};

/// Entries for one element type. n >= 1, rows >= 1; pointers may be misaligned. Row r starts at x + r * stride, which
/// may be negative. Contracts are in include/pawl/reduce.hpp.
template <class T>
struct ReduceOps {
  /// Mean, and sum of (x - mean)^2.
  void (*moments)(const T* x, std::size_t n, double* mean, double* squares) noexcept;
  std::size_t (*argmin)(const T* x, std::size_t n) noexcept;
  std::size_t (*argmax)(const T* x, std::size_t n) noexcept;
  /// Sum of x^2, and of (x scale)^2.
  T (*squares)(const T* x, std::size_t n) noexcept;
  T (*scaled_squares)(const T* x, T scale, std::size_t n) noexcept;
  /// Sums of x y, x^2 and y^2, of x scale_x and y scale_y.
  void (*cosine_sums)(const T* x, const T* y, T scale_x, T scale_y, std::size_t n, double* sums) noexcept;

  /// One result for each row of `length` elements.
  void (*sum_rows)(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t length, T* out) noexcept;
  void (*mean_rows)(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t length, T* out) noexcept;
  void (*min_rows)(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t length, T* out) noexcept;
  void (*max_rows)(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t length, T* out) noexcept;
  /// Roots of the sums of x^2.
  void (*norm_rows)(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t length, T* out) noexcept;
  /// Sums of (x - mean of the row)^2 over divisor, or the roots of these.
  void (*spread_rows)(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t length, T divisor, bool root,
                      T* out) noexcept;
  void (*argmin_rows)(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t length,
                      std::size_t* out) noexcept;
  void (*argmax_rows)(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t length,
                      std::size_t* out) noexcept;

  /// One result for each column of each block.
  void (*sum_columns)(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows, std::size_t columns,
                      T* out) noexcept;
  void (*mean_columns)(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows, std::size_t columns,
                       T* out) noexcept;
  void (*norm_columns)(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows, std::size_t columns,
                       T* out) noexcept;
  void (*spread_columns)(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows, std::size_t columns,
                         T divisor, bool root, T* out) noexcept;
  void (*min_columns)(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows, std::size_t columns,
                      T* out) noexcept;
  void (*max_columns)(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows, std::size_t columns,
                      T* out) noexcept;
  void (*argmin_columns)(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows, std::size_t columns,
                         std::size_t* out) noexcept;
  void (*argmax_columns)(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows, std::size_t columns,
                         std::size_t* out) noexcept;
};

struct ReduceTable {
  ReduceOps<float> f32;
  ReduceOps<double> f64;
};

}  // namespace pawl
