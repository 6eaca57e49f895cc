// small_product.hpp -- a product so small that to describe and plan it would take longer, or a matrix times a column ->
// C, at once.
#pragma once
#include <cstddef>

#include "kernels/layout/active.hpp"
#include "kernels/matmul/matmul_table.hpp"
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

/// C = alpha A B + beta C, all row-major and checked, if no extent is above 16 and one panel of the kernel is as
/// wide as C, or if there are up to 4 rows and a B of at most 16 KiB; else false, and nothing is done. Half of the time
/// of a product of 4 cubed went into the ways that do not suit it.
template <class T>
bool multiply_at_once(const MatmulOps<T>& kernels, std::size_t m, std::size_t n, std::size_t k, T alpha, const T* a,
                      std::size_t lda, const T* b, std::size_t ldb, T beta, T* c, std::size_t ldc) noexcept {
  // A column of 128 products or more is faster as a row (multiply.cpp), and up to 16 are faster without a kernel.
  constexpr std::size_t kLimit = 16, kColumn = 128, kFewest = 16, kFewRows = 4, kLongest = 4096;
  constexpr std::size_t kSmallB = (std::size_t{16} << 10) / sizeof(T);
  const bool few_rows = m <= kFewRows && n > 1 && (n | k) < kLongest && n * k <= kSmallB;
  const bool one_panel = ((m - 1) | (n - 1) | (k - 1)) < kLimit && n <= kernels.tile_cols;  // of no 0, which wraps
  if (!(few_rows || one_panel) || k == 0 || alpha == T(0)) return false;
  const std::size_t products = m * n * k;
  if (n == 1 && products >= kColumn) return false;
  if (products <= kFewest) {
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        T sum = a[i * lda] * b[j];
        for (std::size_t p = 1; p < k; ++p) sum += a[i * lda + p] * b[p * ldb + j];
        T& to = c[i * ldc + j];
        to = beta == T(0) ? alpha * sum : alpha * sum + beta * to;
      }
    return true;
  }
  MatmulBlock<T> block;  // every member by hand: see block_of()
  block.rows = m;
  block.cols = n;
  block.depth = k;
  block.a = a;
  block.a_stride = lda;
  block.a_layout = LeftLayout::rows;
  block.tile_rows = kernels.tile_rows;
  block.b = b;
  block.b_stride = ldb;
  block.b_panel = kernels.tile_cols;
  block.packed = nullptr;
  block.packed_panel = 0;
  block.c = c;
  block.ldc = ldc;
  block.c_step = 1;
  block.alpha = alpha;
  block.beta = beta;
  // As suits_wide_tiles() says of so few rows.
  if (few_rows && (n > kernels.tile_cols || k >= kLimit)) {
    const std::size_t lanes = kernels.tile_cols / 2;
    FewRowsPlan plan{};
    plan.strip = (n + lanes - 1) / lanes * lanes;
    plan.chunk = k;
    plan.copies_a = false;
    kernels.multiply_few_rows(block, plan, nullptr);
  } else {
    kernels.multiply(block);
  }
  return true;
}

/// C = alpha A B' + beta C, B' being a transposed B: dot products of `rows` rows of a with `cols` rows of b.
template <class T>
void multiply_dots_at_once(const MatmulOps<T>& kernels, std::size_t rows, std::size_t cols, std::size_t k, T alpha,
                           const T* a, std::size_t lda, const T* b, std::size_t ldb, T beta, T* c, std::size_t ldc,
                           std::size_t c_step) noexcept {
  MatmulBlock<T> block;
  block.rows = rows;
  block.cols = cols;
  block.depth = k;
  block.a = a;
  block.a_stride = lda;
  block.a_layout = LeftLayout::rows;
  block.tile_rows = 0;
  block.b = b;
  block.b_stride = ldb;
  block.b_panel = 0;
  block.packed = nullptr;
  block.packed_panel = 0;
  block.c = c;
  block.ldc = ldc;
  block.c_step = c_step;
  block.alpha = alpha;
  block.beta = beta;
  kernels.multiply_dots(block);
}

/// A matrix times a column without gaps, the matrix by rows or transposed, if that is over before a plan is made; else
/// false, and nothing is done. The column of C may have gaps.
template <class T>
bool multiply_column_at_once(const MatmulOps<T>& kernels, bool transpose_a, std::size_t m, std::size_t k, T alpha,
                             const T* a, std::size_t lda, const T* column, T beta, T* c, std::size_t ldc) noexcept {
  constexpr std::size_t kLimit = std::size_t{1} << 18, kLeastTerms = 4, kFewest = 16, kTurned = 32 / sizeof(T),
                        kLeastRows = 8;
  constexpr std::size_t kMostTurned = (std::size_t{8} << 10) / sizeof(T);
  if (m < 2 || k == 0 || (m | k) >= kLimit || m * k >= kLimit || m * k <= kFewest || alpha == T(0)) return false;
  if (k == 1 && lda == 1) transpose_a = true, lda = m;  // the same in memory
  if (transpose_a)
    return ldc == 1 && multiply_at_once(kernels, std::size_t{1}, m, k, alpha, column, k, a, lda, beta, c, m);
  if (k < kTurned && lda == k && m >= kLeastRows) {
    if (m * k > kMostTurned || ldc != 1) return false;
    alignas(64) T turned[kMostTurned];
    detail::layout_ops<T>().transpose(a, static_cast<std::ptrdiff_t>(k), m, k, turned, static_cast<std::ptrdiff_t>(m));
    return multiply_at_once(kernels, std::size_t{1}, m, k, alpha, column, k, turned, m, beta, c, m);
  }
  if (k < kLeastTerms && m >= kLeastRows) return false;
  if (k < kLeastTerms) {
    // Fewer products than a kernel takes to call.
    for (std::size_t i = 0; i < m; ++i) {
      T sum = a[i * lda] * column[0];
      for (std::size_t p = 1; p < k; ++p) sum += a[i * lda + p] * column[p];
      T& to = c[i * ldc];
      to = beta == T(0) ? alpha * sum : alpha * sum + beta * to;
    }
    return true;
  }
  multiply_dots_at_once(kernels, std::size_t{1}, m, k, alpha, column, k, a, lda, beta, c, std::size_t{1}, ldc);
  return true;
}

/// Whichever of these ways suits a checked product without bias and activation; else false, and nothing is done. For
/// single products and for those of a batch, which are the same to the bit.
template <class T>
bool multiply_directly(const MatmulOps<T>& kernels, bool transpose_a, bool transpose_b, std::size_t m, std::size_t n,
                       std::size_t k, T alpha, const T* a, std::size_t lda, const T* b, std::size_t ldb, T beta, T* c,
                       std::size_t ldc) noexcept {
  // As drop_idle_transposes() does, but before a Product is made.
  if (transpose_a && m == 1 && lda == 1) transpose_a = false, lda = k;
  if (transpose_b && k == 1 && ldb == 1) transpose_b = false, ldb = n;
  if (multiply_as_dot(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c)) return true;
  if (n == 1 && (transpose_b || ldb == 1 || k == 1))
    if (multiply_column_at_once(kernels, transpose_a, m, k, alpha, a, lda, b, beta, c, ldc)) return true;
  if (transpose_a) return false;
  if (!transpose_b) return multiply_at_once(kernels, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  return m == 1 && multiply_column_at_once(kernels, false, n, k, alpha, b, ldb, a, beta, c, std::size_t{1});
}

}  // namespace pawl
