// narrow.hpp -- products whose columns leave most lanes of a vector without work, or meet a large A by columns.
#pragma once
#include "kernels/matmul/plan.hpp"

namespace pawl {

/// multiply_narrow() of a product that may be worth it.
template <class T>
bool multiply_narrow_part(const MatmulOps<T>& kernels, const Product<T>& x);
extern template bool multiply_narrow_part(const MatmulOps<float>&, const Product<float>&);
extern template bool multiply_narrow_part(const MatmulOps<double>&, const Product<double>&);

/// A large A by columns and few columns of C: tiles would read A a few elements at a time, and to turn it over takes as
/// long as the product. C transposed has A as its right operand, which goes by in whole lines. Time before over time so
/// on an Emerald Rapids, one thread, AVX-512 and AVX2: f32 1024 x 16, k = 1024 1.85 and 1.41, 1000 x 24, k = 1000 1.71
/// and 1.70, 2000 x 17, k = 300 1.5 and 1.17, 500 x 32, k = 500 0.96 and 1.12, f64 1785 x 12, k = 1273 1.7 and 1.5.
template <class T>
bool wants_turned_product(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kLeastRows = 32, kWide = 2, kWidest = 8;
  return x.transpose_a && !x.packed && x.m >= kLeastRows && x.n <= (x.n < x.k ? kWidest : kWide) * kernels.tile_cols &&
         is_large_left_by_columns(x);
}

/// Whether of so many columns few are beyond some whole vectors: what multiply_narrow() takes.
template <class T>
bool are_few_columns(const MatmulOps<T>& kernels, std::size_t columns) noexcept {
  constexpr std::size_t kWidest = 5;  // whole vectors and a part
  const std::size_t lanes = kernels.tile_cols / 2;
  return columns < kWidest * lanes && columns % lanes != 0;
}

/// Whether x has few columns and rows enough; inline, for the products that are over in 50 ns.
template <class T>
bool may_be_narrow(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kLeastRows = 16;
  // Of few columns and deep, which are dot products: 13 x 3, k = 368, f32 4.1 times as fast as by tiles, 8 x 2, k = 300
  // 3.8, 12 x 4, k = 411 2.9, 8 x 7, k = 128 1.2; 10 x 11, k = 300 0.65 and 8 x 7, k = 64 0.9 (Zen 5).
  constexpr std::size_t kLeastDeepRows = 4, kDeep = 96;
  const std::size_t lanes = kernels.tile_cols / 2;
  return x.m >= (x.k < kDeep || x.transpose_a || 2 * x.n > lanes ? kLeastRows : kLeastDeepRows) &&
         are_few_columns(kernels, x.n) && !x.packed;
}

/// Whether multiply_narrow() has a faster way for x than vectors of which only some lanes count.
template <class T>
bool suits_narrow(const MatmulOps<T>& kernels, const Product<T>& x) noexcept;
extern template bool suits_narrow(const MatmulOps<float>&, const Product<float>&) noexcept;
extern template bool suits_narrow(const MatmulOps<double>&, const Product<double>&) noexcept;

/// Computes x, without its bias and activation, if it has few columns, or few beyond a whole number of vectors, and
/// there is a faster way than vectors of which only some lanes count; else does nothing and returns false. k >= 1,
/// alpha is not 0.
///
/// Errors     std::bad_alloc, before any work.
template <class T>
bool multiply_narrow(const MatmulOps<T>& kernels, const Product<T>& x) {
  return (wants_turned_product(kernels, x) || may_be_narrow(kernels, x)) && multiply_narrow_part(kernels, x);
}

}  // namespace pawl
