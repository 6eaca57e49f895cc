// serial.cpp -- blocks of a product in their order, the copies they need, and the kernels that compute them.
#include "kernels/matmul/serial.hpp"

#include <algorithm>

#include "kernels/layout/active.hpp"
#include "kernels/matmul/turned_panels.hpp"

namespace pawl {
namespace {

template <class T>
void ask_for_next_left(MatmulBlock<T>& block, const Product<T>& x, std::size_t i, std::size_t p, const Blocking& step) {
  const std::size_t rows = std::min(step.mc, x.m - i), depth = std::min(step.kc, x.k - p);
  block.next_a = x.a_at(i, p);
  block.next_stride = x.lda;
  block.next_rows = x.transpose_a ? depth : rows;
  block.next_cols = x.transpose_a ? rows : depth;
}

// A of the block, where it lies, to the copy, by rows.
template <class T>
void copy_left(const MatmulOps<T>& kernels, const Product<T>& x, const MatmulBlock<T>& block, T* copy,
               std::size_t stride) noexcept {
  if (x.transpose_a)
    detail::turn_over(block.a, x.lda, block.depth, block.rows, copy, stride);
  else
    kernels.copy_rows(block.a, x.lda, block.rows, block.depth, copy, stride);
}

}  // namespace

template <class T>
void multiply_serial(const MatmulOps<T>& kernels, const Product<T>& x, const Plan& plan, T* panels, T* copy) noexcept {
  const bool finishes = x.bias || x.activation != Activation::none;
  if (plan.dots) {
    kernels.multiply_dots(block_of(kernels, x));
    if (finishes) kernels.finish(x.m, x.n, x.c, x.ldc, x.bias, x.activation);
    return;
  }
  if (plan.few_rows) {
    const std::size_t rows = plan.rows_at_once != 0 ? plan.rows_at_once : x.m;
    for (std::size_t i = 0; i < x.m; i += rows)
      kernels.multiply_few_rows(block_of(kernels, x.part({i, std::min(x.m, i + rows)}, {0, x.n})), plan.few_rows_plan,
                                copy);
    if (finishes) kernels.finish(x.m, x.n, x.c, x.ldc, x.bias, x.activation);
    return;
  }
  const Blocking& step = plan.blocking;
  const std::size_t stride = copied_stride(step.kc, sizeof(T));
  for (std::size_t j = 0; j < x.n; j += step.nc) {
    const std::size_t cols = std::min(step.nc, x.n - j);
    for (std::size_t p = 0; p < x.k; p += step.kc) {
      const std::size_t depth = std::min(step.kc, x.k - p);
      if (plan.b == RightSide::transposed) pack_turned(kernels, x.b_at(p, j), x.ldb, depth, cols, panels);
      for (std::size_t i = 0; i < x.m; i += step.mc) {
        const std::size_t rows = std::min(step.mc, x.m - i);
        MatmulBlock<T> block = block_of(kernels, x);
        block.rows = rows;
        block.cols = cols;
        block.depth = depth;
        block.a = x.a_at(i, p);
        block.tile_rows = plan.tile_rows;
        block.next_of_c = plan.next_of_c;
        block.operands_are_near = plan.operands_are_near;
        if (plan.copy_a) {
          const bool is_there = j != 0 && rows == x.m && depth == x.k;
          if (!is_there) copy_left(kernels, x, block, copy, stride);
          block.a_layout = LeftLayout::rows;
          block.a = copy;
          block.a_stride = stride;
        }
        block.b = plan.b == RightSide::packed ? nullptr : x.b_at(p, j);
        const bool packs = plan.b == RightSide::packed_on_the_way;
        if (packs && i == 0) {
          block.packed = panels;
          block.packed_panel = step.mc < x.m ? depth * kernels.tile_cols : 0;
        } else if (plan.b == RightSide::packed) {
          block.b = x.packed + p * x.packed_cols + (x.first_col + j) * depth;
          block.b_stride = kernels.tile_cols;
          block.b_panel = depth * kernels.tile_cols;
        } else if (packs || plan.b == RightSide::transposed) {
          block.b = panels;
          block.b_stride = kernels.tile_cols;
          block.b_panel = depth * kernels.tile_cols;
        }
        // The block of A that comes after this one: below it, else to its right at the top, else that of the next
        // columns.
        const std::size_t next_i = i + rows < x.m ? i + rows : 0;
        const std::size_t next_p = next_i != 0 ? p : p + depth < x.k ? p + depth : 0;
        if (next_i != 0 || next_p != 0 || j + cols < x.n) ask_for_next_left(block, x, next_i, next_p, step);
        block.c = x.c + i * x.ldc + j;
        block.beta = p == 0 ? x.beta : T(1);
        kernels.multiply(block);
        if (finishes && p + depth == x.k)
          kernels.finish(rows, cols, block.c, x.ldc, x.bias ? x.bias + j : nullptr, x.activation);
      }
    }
  }
}

template void multiply_serial(const MatmulOps<float>&, const Product<float>&, const Plan&, float*, float*) noexcept;
template void multiply_serial(const MatmulOps<double>&, const Product<double>&, const Plan&, double*, double*) noexcept;

}  // namespace pawl
