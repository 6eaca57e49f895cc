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
  const std::size_t lanes = kernels.tile_cols / 2;
  if (x.m < kLeastRows || x.n >= kWidest * lanes || x.n % lanes == 0 || x.packed) return false;
  return multiply_narrow_part(kernels, x);
}

}  // namespace pawl
