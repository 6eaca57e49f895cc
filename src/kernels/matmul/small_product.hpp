// small_product.hpp -- a product so small that to describe and plan it would take longer, or a matrix times a column ->
// C, at once.
#pragma once
#include <cstddef>

#include "kernels/layout/active.hpp"
#include "kernels/matmul/plan.hpp"
#include "kernels/matmul/way.hpp"
#include "kernels/simd/whole_spans.hpp"

namespace pawl {

/// A row times a column, both with neighbours, as the dot product that it is; else false, and nothing is done.
template <class T>
bool multiply_as_dot(bool transpose_a, bool transpose_b, std::size_t m, std::size_t n, std::size_t k, T alpha,
                     const T* a, std::size_t lda, const T* b, std::size_t ldb, T beta, T* c) {
  if (m != 1 || n != 1 || k == 0 || alpha == T(0)) return false;
  if ((transpose_a && lda != 1 && k > 1) || (!transpose_b && ldb != 1 && k > 1)) return false;
  const T product = alpha * detail::dot_span(a, b, k);
  *c = beta == T(0) ? product : product + beta * *c;
  return true;
}

/// So few multiplications that even to call a kernel would take longer; element (i, p) of op(A) is
/// a[i * a_row + p * a_column], and B alike.
template <class T>
void multiply_one_by_one(std::size_t m, std::size_t n, std::size_t k, T alpha, const T* a, std::size_t a_row,
                         std::size_t a_column, const T* b, std::size_t b_row, std::size_t b_column, T beta, T* c,
                         std::size_t ldc) noexcept {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      T sum = a[i * a_row] * b[j * b_column];
      for (std::size_t p = 1; p < k; ++p) sum += a[i * a_row + p * a_column] * b[p * b_row + j * b_column];
      T& to = c[i * ldc + j];
      to = beta == T(0) ? alpha * sum : alpha * sum + beta * to;
    }
}

/// A small shape in the way that is cheapest. k >= 1, alpha is not 0. Errors: std::bad_alloc, before any work.
template <class T>
void multiply_small(const MatmulOps<T>& kernels, const SmallShape& shape, T alpha, const T* a, std::size_t lda,
                    const T* b, std::size_t ldb, T beta, T* c, std::size_t ldc);
extern template void multiply_small(const MatmulOps<float>&, const SmallShape&, float, const float*, std::size_t,
                                    const float*, std::size_t, float, float*, std::size_t);
extern template void multiply_small(const MatmulOps<double>&, const SmallShape&, double, const double*, std::size_t,
                                    const double*, std::size_t, double, double*, std::size_t);

/// Up to four rows times a B by rows that L1 holds, by tiles or wide tiles, as suits_wide_tiles() says of so few rows;
/// else false, and nothing is done.
template <class T>
bool multiply_few_rows_at_once(const MatmulOps<T>& kernels, std::size_t m, std::size_t n, std::size_t k, T alpha,
                               const T* a, std::size_t lda, const T* b, std::size_t ldb, T beta, T* c,
                               std::size_t ldc) noexcept {
  constexpr std::size_t kFewRows = 4, kLongest = 4096, kSmallB = (std::size_t{16} << 10) / sizeof(T), kLongSums = 16;
  if (m > kFewRows || (n | k) >= kLongest || n * k > kSmallB) return false;
  const MatmulBlock<T> block = block_at(kernels, m, n, k, alpha, a, lda, LeftLayout::rows, b, ldb, beta, c, ldc, 1);
  if (n > kernels.tile_cols || k >= kLongSums)
    kernels.multiply_few_rows(block, whole_plan(kernels, n, k), nullptr);
  else
    kernels.multiply(block);
  return true;
}

/// A row times a matrix by columns without gaps, at most 8 KiB of it, which is turned over first: its columns fill too
/// little of a vector. Apart, so that no other way makes room for the copy.
template <class T>
[[gnu::noinline]] bool multiply_row_turned(const MatmulOps<T>& kernels, std::size_t n, std::size_t k, T alpha,
                                           const T* row, const T* matrix, T beta, T* c) noexcept {
  constexpr std::size_t kMostTurned = (std::size_t{8} << 10) / sizeof(T);
  if (n * k > kMostTurned) return false;
  alignas(64) T turned[kMostTurned];
  detail::turn_over(matrix, k, n, k, turned, n);
  return multiply_few_rows_at_once(kernels, 1, n, k, alpha, row, k, turned, n, beta, c, n);
}

/// A row without gaps times a matrix [k, n] by rows or, transposed, by columns, if that is over before a plan is made;
/// else false, and nothing is done. The elements of C are c_step apart.
template <class T>
bool multiply_row_at_once(const MatmulOps<T>& kernels, bool by_columns, std::size_t n, std::size_t k, T alpha,
                          const T* row, const T* matrix, std::size_t ld, T beta, T* c, std::size_t c_step) noexcept {
  constexpr std::size_t kLimit = std::size_t{1} << 18, kShort = 32 / sizeof(T), kLeastColumns = 8;
  if (k == 1 && ld == 1) by_columns = false, ld = n;  // the same in memory
  if (!by_columns)
    return c_step == 1 && multiply_few_rows_at_once(kernels, 1, n, k, alpha, row, k, matrix, ld, beta, c, n);
  if (n < 2 || (n | k) >= kLimit || n * k >= kLimit) return false;
  if (k < kShort)
    return n >= kLeastColumns && ld == k && c_step == 1 &&
           multiply_row_turned(kernels, n, k, alpha, row, matrix, beta, c);
  kernels.multiply_dots(block_at(kernels, 1, n, k, alpha, row, k, LeftLayout::rows, matrix, ld, beta, c, 1, c_step));
  return true;
}

/// Whichever of these ways suits a checked product without bias and activation; else false, and nothing is done. For
/// single products and for those of a batch, which are the same to the bit. Errors: std::bad_alloc, before any work.
template <class T>
bool multiply_directly(const MatmulOps<T>& kernels, bool transpose_a, bool transpose_b, std::size_t m, std::size_t n,
                       std::size_t k, T alpha, const T* a, std::size_t lda, const T* b, std::size_t ldb, T beta, T* c,
                       std::size_t ldc) {
  constexpr std::size_t kFew = 16, kSmallest = 128, kPanelRows = 16;
  // As drop_idle_transposes() does, but before a Product is made.
  if (transpose_a && m == 1 && lda == 1) transpose_a = false, lda = k;
  if (transpose_b && k == 1 && ldb == 1) transpose_b = false, ldb = n;
  if (multiply_as_dot(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c)) return true;
  if (k == 0 || alpha == T(0)) return false;
  const SmallShape shape{transpose_a, transpose_b, m, n, k, beta != T(0)};
  const bool small = is_small_shape<T>(shape);
  if (small && m * n * k <= kFew) {
    multiply_one_by_one(m, n, k, alpha, a, transpose_a ? 1 : lda, transpose_a ? lda : 1, b, transpose_b ? 1 : ldb,
                        transpose_b ? ldb : 1, beta, c, ldc);
    return true;
  }
  // Where one way is the best for sure, to choose would only take longer.
  if (n == 1 && (transpose_b || ldb == 1) &&
      multiply_row_at_once(kernels, !transpose_a, m, k, alpha, b, a, lda, beta, c, ldc))
    return true;
  if (m == 1 && !transpose_a &&
      multiply_row_at_once(kernels, transpose_b, n, k, alpha, a, b, ldb, beta, c, std::size_t{1}))
    return true;
  if (!small) return false;
  if (!transpose_b) {
    if (falls_on_same_sets<T>(ldb, k)) return false;
    const bool few_lanes_idle = 8 * n >= kernels.tile_cols;
    if (((m - 1) | (k - 1)) < kPanelRows && n <= kernels.tile_cols && (few_lanes_idle || m * n * k <= kSmallest)) {
      const auto layout = transpose_a ? LeftLayout::columns : LeftLayout::rows;
      kernels.multiply(block_at(kernels, m, n, k, alpha, a, lda, layout, b, ldb, beta, c, ldc, 1));
      return true;
    }
    if (!transpose_a && n >= kernels.tile_cols &&
        multiply_few_rows_at_once(kernels, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
      return true;
  }
  multiply_small(kernels, shape, alpha, a, lda, b, ldb, beta, c, ldc);
  return true;
}

}  // namespace pawl
