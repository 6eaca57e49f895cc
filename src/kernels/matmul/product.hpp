// product.hpp -- a matrix product as it was asked for, after its arguments were checked.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/of_type.hpp"
#include "kernels/tables.hpp"
#include "pawl/matmul.hpp"
#include "pawl/parallel.hpp"

namespace pawl {

// The thread, if one computes rows of C beside these meanwhile, whose lines are to be kept away from: of each two
// neighbours the upper part has the other one below, and what has no partner counts as the lower one (part_of()).
enum class OtherThreads : std::uint8_t { none, above, below };

// a, b (or packed) and c are not null, m, n, k >= 1; columns of a packed B are cut at whole panels.
template <class T>
struct Product {
  bool transpose_a, transpose_b;
  std::size_t m, n, k;
  T alpha;
  const T* a;
  std::size_t lda;
  const T* b;
  std::size_t ldb;
  T beta;
  T* c;
  std::size_t ldc;
  const T* bias = nullptr;  // for each column of C, or null
  Activation activation = Activation::none;

  // If not null, op(B) lies packed here and not at b: for each pack_depth rows of it (fewer in the last block) panels
  // of tile_cols columns, one after another, of which packed_cols / tile_cols stand beside each other.
  const T* packed = nullptr;
  std::size_t packed_cols = 0, pack_depth = 0;
  std::size_t first_col = 0;  // of op(B) that is column 0 here
  OtherThreads others = OtherThreads::none;

  const T* a_at(std::size_t i, std::size_t p) const { return transpose_a ? a + p * lda + i : a + i * lda + p; }
  const T* b_at(std::size_t p, std::size_t j) const { return transpose_b ? b + j * ldb + p : b + p * ldb + j; }

  Product part(Range rows, Range cols) const {
    Product result = *this;
    result.m = rows.end - rows.begin;
    result.n = cols.end - cols.begin;
    result.a = a_at(rows.begin, 0);
    if (packed)
      result.first_col = first_col + cols.begin;
    else
      result.b = b_at(0, cols.begin);
    if (bias) result.bias = bias + cols.begin;
    result.c = c + rows.begin * ldc + cols.begin;
    return result;
  }
};

/// C transposed = op(B) transposed times op(A) transposed, into c without gaps; bias and activation are left out.
template <class T>
Product<T> transposed_product(const Product<T>& x, T* c) noexcept {
  Product<T> y = x;
  y.transpose_a = !x.transpose_b;
  y.transpose_b = !x.transpose_a;
  y.m = x.n;
  y.n = x.m;
  y.a = x.b;
  y.lda = x.ldb;
  y.b = x.a;
  y.ldb = x.lda;
  y.c = c;
  y.ldc = x.m;
  y.bias = nullptr;
  y.activation = Activation::none;
  y.others = OtherThreads::none;
  return y;
}

/// One row or one column that is said to be transposed is the same in memory as without. (A row times a column stays as
/// it is: a product of two rows.) In place, since a copy of x takes as long as a product of 30 elements.
template <class T>
void drop_idle_transposes(Product<T>& x) noexcept {
  if (x.transpose_a && x.m == 1 && x.lda == 1) {
    x.transpose_a = false;
    x.lda = x.k;
  }
  if (x.transpose_b && ((x.k == 1 && x.ldb == 1) || (x.n == 1 && x.m > 1))) {
    x.transpose_b = false;
    x.ldb = x.n == 1 ? 1 : x.n;
  }
}

/// Computes it on as many threads as it is worth, by this variant. Errors: std::bad_alloc, before any work if one
/// thread computes.
template <class T>
void multiply(const MatmulOps<T>& kernels, const Product<T>& x);
extern template void multiply(const MatmulOps<float>&, const Product<float>&);
extern template void multiply(const MatmulOps<double>&, const Product<double>&);

/// The variant `isa` for T.
template <class T>
const MatmulOps<T>& matmul_ops(Isa isa) noexcept {
  return of_type<T>(matmul_table(isa));
}

}  // namespace pawl
