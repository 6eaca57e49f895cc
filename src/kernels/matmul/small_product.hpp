// small_product.hpp -- a product of so few elements that to describe and plan it would take longer -> C, at once.
#pragma once
#include <cstddef>

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

}  // namespace pawl
