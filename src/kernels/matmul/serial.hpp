// serial.hpp -- a product and its plan -> the product, by the calling thread.
#pragma once
#include "kernels/matmul/plan.hpp"

namespace pawl {

/// The block that is all of x, every operand where it lies.
template <class T>
MatmulBlock<T> block_of(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  return block_at(kernels, x.m, x.n, x.k, x.alpha, x.a, x.lda, x.transpose_a ? LeftLayout::columns : LeftLayout::rows,
                  x.b, x.ldb, x.beta, x.c, x.ldc, 1);
}

/// panels and copy have plan.panel_elements and plan.other_elements.
template <class T>
void multiply_serial(const MatmulOps<T>& kernels, const Product<T>& x, const Plan& plan, T* panels, T* copy) noexcept;
extern template void multiply_serial(const MatmulOps<float>&, const Product<float>&, const Plan&, float*,
                                     float*) noexcept;
extern template void multiply_serial(const MatmulOps<double>&, const Product<double>&, const Plan&, double*,
                                     double*) noexcept;

/// The same with one workspace of plan.panel_elements + plan.other_elements.
template <class T>
void multiply_serial(const MatmulOps<T>& kernels, const Product<T>& x, const Plan& plan, T* workspace) noexcept {
  multiply_serial(kernels, x, plan, workspace, workspace + plan.panel_elements);
}

}  // namespace pawl
