// narrow.hpp -- products whose columns leave most lanes of a vector without work.
#pragma once
#include "kernels/matmul/product.hpp"

namespace pawl {

/// multiply_narrow() of a product that may be worth it.
template <class T>
bool multiply_narrow_part(const MatmulOps<T>& kernels, const Product<T>& x);
extern template bool multiply_narrow_part(const MatmulOps<float>&, const Product<float>&);
extern template bool multiply_narrow_part(const MatmulOps<double>&, const Product<double>&);

/// Computes x, without its bias and activation, if it has few columns, or few beyond a whole number of vectors, and
/// there is a faster way than vectors of which only some lanes count; else does nothing and returns false. k >= 1,
/// alpha is not 0.
///
/// Errors     std::bad_alloc, before any work.
template <class T>
bool multiply_narrow(const MatmulOps<T>& kernels, const Product<T>& x) {
  // Inline, for the products that are over in 50 ns.
  constexpr std::size_t kLeastRows = 16, kWidest = 5;  // whole vectors and a part
  // Of few columns and deep, which are dot products: 13 x 3, k = 368, f32 4.1 times as fast as by tiles, 8 x 2, k = 300
  // 3.8, 12 x 4, k = 411 2.9, 8 x 7, k = 128 1.2; 10 x 11, k = 300 0.65 and 8 x 7, k = 64 0.9 (Zen 5).
  constexpr std::size_t kLeastDeepRows = 4, kDeep = 96;
  const std::size_t lanes = kernels.tile_cols / 2;
  if (x.m < (x.k < kDeep || x.transpose_a || 2 * x.n > lanes ? kLeastRows : kLeastDeepRows) || x.n >= kWidest * lanes ||
      x.n % lanes == 0 || x.packed)
    return false;
  return multiply_narrow_part(kernels, x);
}

}  // namespace pawl
