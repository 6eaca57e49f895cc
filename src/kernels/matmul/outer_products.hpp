// outer_products.hpp -- A by columns and B by rows, both much deeper than C is large -> C, which stays in L1 or L2.
#pragma once
#include "kernels/matmul/product.hpp"

namespace pawl {

/// Whether C = alpha A^T B + beta C, as of two data matrices with many rows and few columns (least squares,
/// covariances), is computed by multiply_by_outer_products(): step of depth by step A and B have a few neighbouring
/// elements each, so that nothing need be copied or turned over.
///
/// Time so over time by packed blocks, by few rows or by C transposed as a whole on an Emerald Rapids, one thread, f32
/// and f64: 16 x 16, k = 6000 0.41 and 0.47; 33 x 20, k = 1500 0.90 and 0.80; 64 x 64 0.83 and 0.75, 128 x 128 0.86 and
/// 0.84; random shapes, some of which stay as they were, 0.90 (AVX2 0.92 to 0.96).
template <class T>
bool suits_outer_products(const MatmulOps<T>& kernels, const Product<T>& x) noexcept;
extern template bool suits_outer_products(const MatmulOps<float>&, const Product<float>&) noexcept;
extern template bool suits_outer_products(const MatmulOps<double>&, const Product<double>&) noexcept;

/// Computes such an x, without its bias and activation. alpha is not 0. Errors: std::bad_alloc, before any work.
template <class T>
void multiply_by_outer_products(const MatmulOps<T>& kernels, const Product<T>& x);
extern template void multiply_by_outer_products(const MatmulOps<float>&, const Product<float>&);
extern template void multiply_by_outer_products(const MatmulOps<double>&, const Product<double>&);

}  // namespace pawl
