// strips.hpp -- a product of little depth whose C is beyond L1 -> C, written in strips of many lines.
#pragma once
#include "kernels/matmul/product.hpp"

namespace pawl {

/// Whether x, whose time is mostly that of writing a C that L1 does not hold, is computed by multiply_by_strips(): on
/// CPUs of Intel, whose stores wait for one another's lines (others were not measured), by variants with masks. Smaller
/// ones: way.hpp.
///
/// Time so over time by tiles on an Emerald Rapids, one thread, of 1200 random shapes with C of 40 KiB to 8 MiB, 1 to
/// 40 deep: 0.89, k = 4 to 16 0.85, k from 16 on 0.95 (AVX2, up to 10 deep: 0.91 of all); f32 346 x 45, k = 3 0.52,
/// 1710 x 57, k = 9 0.67, 1144 x 398, k = 17 0.88. Ones of 32 deep are level.
template <class T>
bool suits_strips(const MatmulOps<T>& kernels, const Product<T>& x) noexcept;
extern template bool suits_strips(const MatmulOps<float>&, const Product<float>&) noexcept;
extern template bool suits_strips(const MatmulOps<double>&, const Product<double>&) noexcept;

/// Computes such an x, with its bias and activation. A transposed B is copied by rows; rows of B, and of a transposed
/// A, that fall on the same sets of L1 are copied too. Errors: std::bad_alloc, before any work.
template <class T>
void multiply_by_strips(const MatmulOps<T>& kernels, const Product<T>& x);
extern template void multiply_by_strips(const MatmulOps<float>&, const Product<float>&);
extern template void multiply_by_strips(const MatmulOps<double>&, const Product<double>&);

}  // namespace pawl
