// strips.cpp -- blocks of rows of a shallow product, and the copies that they need.
#include "kernels/matmul/strips.hpp"

#include <algorithm>

#include "isa/datapath.hpp"
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

// Rows of C a multiple of half a page apart, or nearly so, fall on one or two sets of L1: what is asked for pushes out
// what is being written, and the shallowest go along a few rows instead. Ten rows nearly half a page apart still begin
// within two lines: 600 x 1025, k = 8 f32 took 1.2 times as long.
template <class T>
bool rows_share_sets(const Product<T>& x) noexcept {
  constexpr std::size_t kNear = 12;
  return (x.ldc * sizeof(T) + kNear) % (kPage / 2) <= 2 * kNear;
}

// One strip has nothing to keep in L1, and 60 rows of it are over too soon: 1569 x 13, k = 8 f32 1.1 times as long so,
// 5000 x 8, k = 2 f64 1.15.
constexpr std::size_t kManyNarrow = 480;

// CPUs of Intel. Many rows, whose part of A L1 keeps from strip to strip. Asking where rows of C share sets: 1024 x
// 1024, k = 16 and 512 x 512, k = 8, f32, took 1.08 and 1.26 times as long. A few rows that ask for what lies to their
// right: f32 350 x 1024, k = 4 0.66 of the time, 2205 x 512, k = 5 0.82, f64 192 x 512, k = 5 0.66, 300 x 1024, k = 7
// 0.97.
template <class T>
Steps steps_where_stores_wait(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kMany = 60, kFew = 5, kFewNarrow = 10, kShallowest = 8;
  if (x.n <= kernels.strip_cols) return {kManyNarrow, true};
  if (!rows_share_sets(x)) return {kMany, true};
  if (x.k > kShallowest) return {kMany, false};
  return {has_long_vectors(kernels) ? kFew : kFewNarrow, true};
}

// Others (Zen 5), whose L2 brings A as fast as it is used: more rows at a time, 0.985 of the time of 60. Lines of C are
// asked for where they come from L3. Time so over time without, by size of C, 500 random products: 1 to 2 MiB 1.01 to
// 1.02, 3 to 5 MiB 1.0, beyond 0.89. 200 random ones whose rows share sets, k = 1 to 7, time of ten rows over time of
// 480: C of up to 1 MB 0.75, to 4 MB 0.64, beyond 0.69; k = 8 to 15 1.0, 0.95 and 0.92; deeper 1.0 to 1.02.
//
// A C that L3 does not hold beside what else is there is read and written by memory in longer runs: 20 rows against
// 480, 0.99 from half of L3 on and 0.89 beyond it, 480 of k = 1 to 3 1.05 to 1.2 times the time of tiles.
//
// Beside other threads (OtherThreads): down a strip the CPU reads ahead by several groups of rows, and so takes lines
// from the thread that writes the rows below. Upwards it doesn't, but few rows of many columns, where the strips are
// short and rows lie far apart, are best written along the rows. Time of two threads over time of tiles, 700 random
// products in classes, C of 0.1 to 8 MB: k = 1 to 3, 4 to 9 and 10 to 24 by five rows, up to 60 rows of C 0.64 to 0.72,
// 0.75 to 0.85, 0.81 to 1.02, to 150 rows 0.44 to 0.73, 0.64 to 0.76, 0.75 to 0.87, to 400 rows and from 1 KB on 0.43
// to 0.52, 0.63, 0.84; by many upwards, more or narrower ones 0.59 to 0.75, 0.72 to 0.82, 0.80 to 0.91, but few of many
// columns 1.0 to 1.4 in each class; by many downwards k = 1 to 7 0.97 to 1.15. From k = 25 on it is the same.
template <class T>
Steps steps_where_stores_go_on(const Product<T>& x) noexcept {
  constexpr std::size_t kFew = 10, kFewFar = 20, kShallow = 16;
  constexpr std::size_t kFewest = 5, kBesideOthers = 24, kWide = 1024, kManyRows = 75, kManyRowsWide = 200;
  const std::size_t c_bytes = x.m * x.n * sizeof(T);
  const bool far = c_bytes > assumed_cache_sizes().l2_bytes * 4;
  if (x.others != OtherThreads::none && x.k < kBesideOthers) {
    const bool wide = x.n * sizeof(T) >= kWide;
    if (x.m < (wide ? kManyRowsWide : kManyRows)) return {kFewest, far};
  }
  if (rows_share_sets(x) && x.k < kShallow) return {kFew, far};
  return {c_bytes > assumed_cache_sizes().l3_bytes / 2 ? kFewFar : kManyNarrow, far};
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

// CPUs of Intel.
template <class T>
bool suits_where_stores_wait(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kLeastRows = 5, kFewestRows = 8, kFewRows = 20, kLine = 64;
  constexpr std::size_t kShallow = 32, kLessShallow = 16, kShallowNarrow = 10, kHalfShallow = 8, kShallowest = 4;
  constexpr std::size_t kMostVectors = 10;
  const std::size_t lanes = kernels.tile_cols / 2;
  if (x.m < kLeastRows || x.k >= (has_long_vectors(kernels) ? kShallow : kShallowNarrow)) return false;
  // Few rows have wider tiles (few_rows.kernel.hpp), and are too few to copy B for.
  if (x.m < (x.k < kLessShallow ? kFewestRows : kFewRows) && x.k >= kShallowNarrow) return false;
  // Parts of a vector that are read wait for the masked stores of the row before. Beta = 0: 0.8 to 0.95 of the time.
  if (x.n <= lanes) return x.beta == T(0) && 2 * x.n > lanes && x.k <= kHalfShallow;
  // Tiles are as wide. What is beyond a whole vector may be so little that it has a way of its own (narrow.hpp).
  if (x.n <= 2 * lanes)
    return x.k < kLessShallow && (x.beta == T(0) || x.k >= kShallowest) &&
           (x.n - lanes >= lanes / 4 || x.k < kHalfShallow);
  return x.k >= kShallowest || x.n <= kMostVectors * lanes || x.ldc * sizeof(T) % kLine == 0;
}

// Others (Zen 5; a Zen 4 was not measured), time so over time by tiles of random products. By AVX-512, from ten rows
// and 17 columns on: k = 1 0.79, 2 and 3 0.72, 4 to 7 0.74, 8 to 15 0.83, 16 to 31 0.88, 32 to 63 0.90, 64 to 100 0.93,
// 100 to 160 0.96, 160 to 500 1.0; less than ten rows 0.98 to 1.01, a tenth of them 1.05 to 1.4. Up to one vector 1.1
// to 2.7; two: 0.86 to 0.97, but 1.05 to 1.2 where a shallow C is read, 1.1 to 1.25 where a deep one is little more
// than a vector, as up to five then. By AVX2: k = 1 0.76, 2 and 3 0.8, 4 to 7 0.88, 8 to 15 1.04, 16 and deeper 1.1 to
// 1.2; one strip whose C is read 1.4.
template <class T>
bool suits_where_stores_go_on(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kLeastRows = 10, kLeastRowsOfPart = 15, kDeep = 128, kDeepNarrow = 8, kHalfDeep = 32,
                        kShallow = 16, kFewVectors = 5;
  const std::size_t lanes = kernels.tile_cols / 2;
  const std::size_t least_rows = x.others == OtherThreads::none ? kLeastRows : kLeastRowsOfPart;
  if (detail::splits_512_bits || x.m < least_rows || x.n <= lanes) return false;
  const bool is_long = has_long_vectors(kernels);
  if (x.k >= (is_long ? kDeep : kDeepNarrow)) return false;
  if (!is_long && x.beta != T(0) && x.n <= kernels.strip_cols) return false;
  const std::size_t rest = x.n % lanes;
  if (x.n <= 2 * lanes)
    return x.k < kHalfDeep && (x.beta == T(0) || x.k >= kShallow) && (x.n - lanes >= lanes / 4 || x.k < kShallow);
  // Little beyond whole vectors has a way of its own (narrow.hpp).
  return x.n > kFewVectors * lanes || x.k < kHalfDeep || rest == 0 || 2 * rest > lanes;
}

}  // namespace

template <class T>
bool suits_strips(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kManyRows = 100;
  if (kernels.strip_cols == 0 || x.packed) return false;
  // Beside other threads a Zen 5 gains by strips, which keep what it reads ahead apart from theirs, from less on: time
  // of two threads so over time without, 400 random products, C of 48 to 98 KB 0.77, of 16 to 48 KB 0.98.
  const bool beside_others = x.others != OtherThreads::none && !detail::stores_wait_for_lines;
  if (x.m * x.n * sizeof(T) <= assumed_cache_sizes().l1d_bytes / (beside_others ? 4 : 1)) return false;
  if (x.k * x.n * sizeof(T) > assumed_cache_sizes().l2_bytes / 4) return false;
  if (x.m < kManyRows && !x.transpose_b && copies_right(kernels, x)) return false;
  return detail::stores_wait_for_lines ? suits_where_stores_wait(kernels, x) : suits_where_stores_go_on(kernels, x);
}

template <class T>
void multiply_by_strips(const MatmulOps<T>& kernels, const Product<T>& x) {
  const Steps steps = detail::stores_wait_for_lines ? steps_where_stores_wait(kernels, x) : steps_where_stores_go_on(x);
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
  // Not measured on CPUs of Intel.
  block.upwards = x.others == OtherThreads::below && !detail::stores_wait_for_lines;
  const std::size_t blocks = (x.m + steps.rows - 1) / steps.rows;
  for (std::size_t done = 0; done < blocks; ++done) {
    const std::size_t i = (block.upwards ? blocks - 1 - done : done) * steps.rows;
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
