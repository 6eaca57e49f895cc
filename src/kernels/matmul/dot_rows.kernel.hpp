// dot_rows.kernel.hpp -- few rows of A times a transposed B: dot products of rows, which read both where they lie.
//
// C[i, j] = row i of A . row j of B as stored. Turning B over would cost as much as the few products it is for. A tile
// of C is as many sums as there are registers for; each sum is a vector of partial sums along the depth, which are
// added up in the end.
#pragma once
#include "kernels/matmul/tile.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// Rows of A at a time, and rows of B with them: 3 x 8 sums, 3 vectors of A and one of B in 32 registers, 3 x 4 in 16.
// Fewer loads than FMAs, but for one row, which reads B as fast as it comes.
inline constexpr std::size_t kDotRows = 3, kDotCols = kRegisters == 32 ? 8 : 4;

template <class T, std::size_t M, std::size_t N>
PAWL_INLINE void add_products(Vec<T> (&sum)[M][N], const T* a, std::size_t a_stride, const T* b, std::size_t b_stride,
                              std::size_t count) {
  constexpr std::size_t W = lanes<T>;
  Vec<T> row[M];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i)
    row[i] = count == W ? load<T>(a + i * a_stride) : load_first<T>(a + i * a_stride, count);
#pragma GCC unroll 16
  for (std::size_t j = 0; j < N; ++j) {
    const Vec<T> y = count == W ? load<T>(b + j * b_stride) : load_first<T>(b + j * b_stride, count);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < M; ++i) sum[i][j] = fma<T>(row[i], y, sum[i][j]);
  }
}

// M rows and N columns of C, from row i and column j on.
template <class T, std::size_t M, std::size_t N>
static void dot_tile(const MatmulBlock<T>& x, std::size_t i, std::size_t j) noexcept {
  constexpr std::size_t W = lanes<T>;
  const T *a = x.a + i * x.a_stride, *b = x.b + j * x.b_stride;
  Vec<T> sum[M][N];
  clear_sums<T, M, N>(sum);
  std::size_t p = 0;
  for (; p + W <= x.depth; p += W) add_products<T, M, N>(sum, a + p, x.a_stride, b + p, x.b_stride, W);
  if (p < x.depth) add_products<T, M, N>(sum, a + p, x.a_stride, b + p, x.b_stride, x.depth - p);
#pragma GCC unroll 16
  for (std::size_t r = 0; r < M; ++r) {
#pragma GCC unroll 16
    for (std::size_t s = 0; s < N; ++s) {
      T* const c = x.c + (i + r) * x.ldc + j + s;
      const T product = x.alpha * reduce_add<T>(sum[r][s]);
      *c = x.beta == T(0) ? product : product + x.beta * *c;
    }
  }
}

template <class T, std::size_t M>
static void dot_rows(const MatmulBlock<T>& x, std::size_t i, std::size_t j, std::size_t cols) noexcept {
  if (cols == kDotCols) return dot_tile<T, M, kDotCols>(x, i, j);
  for (; cols >= 2; cols -= 2, j += 2) dot_tile<T, M, 2>(x, i, j);
  if (cols == 1) dot_tile<T, M, 1>(x, i, j);
}

// All rows of A meet some rows of B before the next of these are read.
template <class T>
static void multiply_dots(const MatmulBlock<T>& x) noexcept {
  static_assert(kDotRows == 3);
  constexpr void (*kByRows[])(const MatmulBlock<T>&, std::size_t, std::size_t, std::size_t) noexcept = {
      dot_rows<T, 1>, dot_rows<T, 2>, dot_rows<T, 3>};
  const std::size_t groups = (x.rows + kDotRows - 1) / kDotRows, height = x.rows / groups, higher = x.rows % groups;
  for (std::size_t j = 0; j < x.cols; j += kDotCols) {
    const std::size_t cols = x.cols - j < kDotCols ? x.cols - j : kDotCols;
    for (std::size_t g = 0, i = 0; g < groups; ++g) {
      const std::size_t rows = height + (g < higher ? 1 : 0);
      kByRows[rows - 1](x, i, j, cols);
      i += rows;
    }
  }
}

}  // namespace pawl::PAWL_ISA_NS
