// serial.hpp -- a product and its plan -> the product, by the calling thread.
#pragma once
#include "kernels/matmul/plan.hpp"

namespace pawl {

/// The block that is all of x, every operand where it lies.
template <class T>
MatmulBlock<T> block_of(const Product<T>& x) noexcept {
  // Every member is set by hand: zeroed first, g++ 12 clears the whole by `rep stos`, a tenth of a product of 16 cubed.
  MatmulBlock<T> block;
  block.rows = x.m;
  block.cols = x.n;
  block.depth = x.k;
  block.a = x.a;
  block.a_stride = x.lda;
  block.a_layout = x.transpose_a ? LeftLayout::columns : LeftLayout::rows;
  block.tile_rows = 0;
  block.b = x.b;
  block.b_stride = x.ldb;
  block.b_panel = 0;
  block.packed = nullptr;
  block.packed_panel = 0;
  block.c = x.c;
  block.ldc = x.ldc;
  block.c_step = 1;
  block.alpha = x.alpha;
  block.beta = x.beta;
  return block;
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
