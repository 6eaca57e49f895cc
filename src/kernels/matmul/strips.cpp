// strips.cpp -- blocks of rows of a shallow product, and the copies that they need.
#include "kernels/matmul/strips.hpp"

#include <algorithm>

#include "isa/store_misses.hpp"
#include "kernels/layout/active.hpp"
#include "kernels/matmul/plan.hpp"
#include "kernels/matmul/workspace.hpp"

namespace pawl {
namespace {

template <class T>
bool has_long_vectors(const MatmulOps<T>& kernels) noexcept {
  return kernels.tile_cols * sizeof(T) > 64;
}

// Rows of C at a time, and whether lines of C are asked for.
struct Steps {
  std::size_t rows;
  bool asks;
};

// Many rows, whose part of A L1 keeps from strip to strip. Rows of C a multiple of half a page apart fall on one or two
// sets of L1, and what is asked for pushes out what is being written: 1024 x 1024, k = 16 and 512 x 512, k = 8, f32,
// took 1.08 and 1.26 times as long. The shallowest go along a few rows instead and ask for what lies to their right:
// f32 350 x 1024, k = 4 0.66 of the time, 2205 x 512, k = 5 0.82, f64 192 x 512, k = 5 0.66, 300 x 1024, k = 7 0.97.
//
// One strip has nothing to keep, and 60 rows of it are over too soon: 1569 x 13, k = 8 f32 1.1 times as long so, 5000 x
// 8, k = 2 f64 1.15.
template <class T>
Steps steps_of(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kMany = 60, kManyNarrow = 480, kFew = 5, kFewNarrow = 10, kShallowest = 8;
  if (x.n <= kernels.strip_cols) return {kManyNarrow, true};
  // Ten rows nearly half a page apart still begin within two lines: 600 x 1025, k = 8 f32 took 1.2 times as long.
  constexpr std::size_t kNear = 12;
  if ((x.ldc * sizeof(T) + kNear) % (kPage / 2) > 2 * kNear) return {kMany, true};
  if (x.k > kShallowest) return {kMany, false};
  return {has_long_vectors(kernels) ? kFew : kFewNarrow, true};
}

// By columns, or rows on the same sets.
template <class T>
bool copies_right(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  return x.transpose_b || share_sets<T>(x.ldb, x.k, kernels.strip_cols * sizeof(T) / 64);
}
template <class T>
bool copies_left(const Product<T>& x) noexcept {
  return x.transpose_a && share_sets<T>(x.lda, x.k, 1);
}

}  // namespace

template <class T>
bool suits_strips(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kLeastRows = 5, kFewestRows = 8, kFewRows = 20, kManyRows = 100, kLine = 64;
  constexpr std::size_t kShallow = 32, kLessShallow = 16, kShallowNarrow = 10, kHalfShallow = 8, kShallowest = 4;
  constexpr std::size_t kMostVectors = 10;
  const std::size_t lanes = kernels.tile_cols / 2;
  if (!detail::stores_wait_for_lines || kernels.strip_cols == 0 || x.packed) return false;
  if (x.m < kLeastRows || x.k >= (has_long_vectors(kernels) ? kShallow : kShallowNarrow)) return false;
  if (x.m * x.n * sizeof(T) <= assumed_cache_sizes().l1d_bytes) return false;
  if (x.k * x.n * sizeof(T) > assumed_cache_sizes().l2_bytes / 4) return false;
  // Few rows have wider tiles (few_rows.kernel.hpp), and are too few to copy B for.
  if (x.m < (x.k < kLessShallow ? kFewestRows : kFewRows) && x.k >= kShallowNarrow) return false;
  if (x.m < kManyRows && !x.transpose_b && copies_right(kernels, x)) return false;
  // Parts of a vector that are read wait for the masked stores of the row before. Beta = 0: 0.8 to 0.95 of the time.
  if (x.n <= lanes) return x.beta == T(0) && 2 * x.n > lanes && x.k <= kHalfShallow;
  // Tiles are as wide. What is beyond a whole vector may be so little that it has a way of its own (narrow.hpp).
  if (x.n <= 2 * lanes)
    return x.k < kLessShallow && (x.beta == T(0) || x.k >= kShallowest) &&
           (x.n - lanes >= lanes / 4 || x.k < kHalfShallow);
  return x.k >= kShallowest || x.n <= kMostVectors * lanes || x.ldc * sizeof(T) % kLine == 0;
}

template <class T>
void multiply_by_strips(const MatmulOps<T>& kernels, const Product<T>& x) {
  const Steps steps = steps_of(kernels, x);
  const std::size_t stride = copied_stride(x.n, sizeof(T));
  const std::size_t right = copies_right(kernels, x) ? x.k * stride : 0, left = copies_left(x) ? steps.rows * x.k : 0;
  T* const memory = right + left == 0 ? nullptr : static_cast<T*>(thread_workspace((right + left) * sizeof(T)));
  if (x.transpose_b)
    detail::turn_over(x.b, x.ldb, x.n, x.k, memory, stride);
  else if (right != 0)
    kernels.copy_rows(x.b, x.ldb, x.k, x.n, memory, stride);
  MatmulBlock<T> block =
      block_at(kernels, x.m, x.n, x.k, x.alpha, x.a, x.lda, x.transpose_a ? LeftLayout::columns : LeftLayout::rows,
               right != 0 ? memory : x.b, right != 0 ? stride : x.ldb, x.beta, x.c, x.ldc, 1);
  if (steps.asks) block.next_of_c = NextOfC::right_into_l1;
  for (std::size_t i = 0; i < x.m; i += steps.rows) {
    block.rows = std::min(steps.rows, x.m - i);
    block.a = x.a_at(i, 0);
    block.c = x.c + i * x.ldc;
    if (left != 0) {
      detail::turn_over(block.a, x.lda, x.k, block.rows, memory + right, x.k);
      block.a = memory + right;
      block.a_stride = x.k;
      block.a_layout = LeftLayout::rows;
    }
    kernels.multiply_strips(block);
    if (x.bias || x.activation != Activation::none)
      kernels.finish(block.rows, x.n, block.c, x.ldc, x.bias, x.activation);
  }
}

template bool suits_strips(const MatmulOps<float>&, const Product<float>&) noexcept;
template bool suits_strips(const MatmulOps<double>&, const Product<double>&) noexcept;
template void multiply_by_strips(const MatmulOps<float>&, const Product<float>&);
template void multiply_by_strips(const MatmulOps<double>&, const Product<double>&);

}  // namespace pawl
