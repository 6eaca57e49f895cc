// layout_table.hpp -- the entries of the category `layout`: the same elements in another order.
#pragma once
#include <cstddef>

namespace pawl {

/// Contracts are in include/pawl/layout.hpp.
template <class T>
struct LayoutOps {
  /// out[j * out_stride + i] = x[i * x_stride + j] for i < m, j < n; x and out do not overlap. Strides may be negative.
  void (*transpose)(const T* x, std::ptrdiff_t x_stride, std::size_t m, std::size_t n, T* out,
                    std::ptrdiff_t out_stride) noexcept;
  /// out[r * out_stride + j] = x[r * x_stride + j] for r < m, j < n, of short rows; x and out do not overlap.
  void (*copy_rows)(const T* x, std::ptrdiff_t x_stride, std::size_t m, std::size_t n, T* out,
                    std::ptrdiff_t out_stride) noexcept;
  /// out[r * out_stride + j] = x[r * x_stride + j * step] for r < m, j < n; x and out do not overlap. Strides and steps
  /// may be negative.
  void (*copy_stepped)(const T* x, std::ptrdiff_t x_stride, std::ptrdiff_t step, std::size_t m, std::size_t n, T* out,
                       std::ptrdiff_t out_stride) noexcept;
};

struct LayoutTable {
  LayoutOps<float> f32;
  LayoutOps<double> f64;
};

}  // namespace pawl
