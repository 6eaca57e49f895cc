// outer_products.cpp -- chunks of the rows of A and B as they lie, each added to all tiles of C before the next.
#include "kernels/matmul/outer_products.hpp"

#include <algorithm>

#include "kernels/layout/active.hpp"
#include "kernels/matmul/plan.hpp"
#include "kernels/matmul/workspace.hpp"

namespace pawl {
namespace {

// Steps of depth at a time: those whose rows of A and B are 32 KiB, which L1 keeps until the last tile of C has met
// them; where that would be few, reading and writing C costs more than L2 does. f64 20 x 20, k = 1000, 128 deep takes
// 0.60 of the time before, 256 deep 0.72; 128 x 128 0.84 and 0.82 (Emerald Rapids).
template <class T>
std::size_t chunk_of(const Product<T>& x) noexcept {
  constexpr std::size_t kBytes = std::size_t{32} << 10, kLeast = 96, kInL2 = 256, kMost = 1024;
  const std::size_t steps = kBytes / sizeof(T) / (x.m + x.n);
  return steps < kLeast ? kInL2 : std::min(steps, kMost);
}

// Half cycles a step of depth takes for C[m, n] by tiles: two FMAs begin in a cycle, and a tile of one vector has a
// load for each, which takes an eighth longer.
template <class T>
std::size_t tile_steps(const MatmulOps<T>& kernels, std::size_t m, std::size_t n) noexcept {
  constexpr std::size_t kChain = 8, kFewSums = 4;  // until the next FMA of a chain can begin; few have two each
  const std::size_t lanes = kernels.tile_cols / 2, panels = n / kernels.tile_cols, rest = n % kernels.tile_cols;
  const std::size_t tiles = (m + kernels.tile_rows - 1) / kernels.tile_rows;
  const auto chains = [&](std::size_t sums) { return sums <= kFewSums ? kChain / 2 : kChain * tiles; };
  const std::size_t whole = std::max(chains(2 * m), 2 * m);
  return panels * whole + (rest > lanes ? whole : rest != 0 ? std::max(chains(m), m + m / 8) : 0);
}

// Chunk by chunk into c, which has beta already if x.beta is 1.
template <class T>
void add_chunks(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  const std::size_t chunk = chunk_of(x);
  for (std::size_t p = 0; p < x.k; p += chunk)
    kernels.multiply(block_at(kernels, x.m, x.n, std::min(chunk, x.k - p), x.alpha, x.a_at(0, p), x.lda,
                              LeftLayout::columns, x.b_at(p, 0), x.ldb, p == 0 ? x.beta : T(1), x.c, x.ldc, 1));
}

}  // namespace

template <class T>
bool suits_outer_products(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kLeastDepth = 256, kWidest = 320, kMostSums = std::size_t{1} << 15;
  // Of variants narrower than AVX-512, whose tiles of few sums wait for them: AVX2 f32 7 x 7 1.59, 16 x 16 0.91; f64 64
  // x 64 0.91, 128 x 128 1.16.
  constexpr std::size_t kFewBytes = 512, kMostBytes = std::size_t{32} << 10;
  if (!x.transpose_a || x.transpose_b || x.packed || x.m == 1 || x.n == 1) return false;
  const std::size_t narrow = std::min(x.m, x.n), wide = std::max(x.m, x.n);
  if (x.k < kLeastDepth + 4 * narrow || wide > kWidest) return false;
  const std::size_t sums = narrow * wide, bytes = sums * sizeof(T);
  if (kernels.tile_cols * sizeof(T) > 64 ? sums > kMostSums : bytes < kFewBytes || bytes > kMostBytes) return false;
  // A few rows of C times a wide operand are better off with tiles of more vectors, which go along its rows. Time so
  // over time before, k = 1000 and 6000: f32 4 x 40 0.72 and, k = 10,000, 0.87, 4 x 64 0.62 and 1.16, 7 x 64 0.84 and
  // 0.79, 7 x 200 1.18 and 1.09, 10 x 100 0.82 and 0.88, 10 x 128 0.88 and 1.16; f64 5 x 21 0.90 and 0.90, 5 x 40 1.34
  // and 1.35, 10 x 40 0.79 and 0.90, 10 x 64 0.74 and 1.11; k = 1500, f32 16 x 200 1.02, 16 x 310 1.19, 24 x 260 0.94,
  // f64 16 x 150 0.77, 24 x 200 0.90 (Emerald Rapids).
  constexpr std::size_t kManyRows = 16;
  if (narrow < kManyRows && wide * sizeof(T) > (narrow <= 4 ? 200 : narrow * 40)) return false;
  if (narrow >= kManyRows && wide > 12 * narrow) return false;
  // Rows a page apart fall on the same sets of the caches.
  return !falls_on_same_sets<T>(x.lda, x.k) && !falls_on_same_sets<T>(x.ldb, x.k);
}

template <class T>
void multiply_by_outer_products(const MatmulOps<T>& kernels, const Product<T>& x) {
  if (tile_steps(kernels, x.m, x.n) <= tile_steps(kernels, x.n, x.m)) return add_chunks(kernels, x);
  T* const turned = static_cast<T*>(thread_workspace(x.m * x.n * sizeof(T)));
  if (x.beta != T(0)) detail::turn_over(x.c, x.ldc, x.m, x.n, turned, x.m);
  add_chunks(kernels, transposed_product(x, turned));
  detail::turn_over(turned, x.m, x.n, x.m, x.c, x.ldc);
}

template bool suits_outer_products(const MatmulOps<float>&, const Product<float>&) noexcept;
template bool suits_outer_products(const MatmulOps<double>&, const Product<double>&) noexcept;
template void multiply_by_outer_products(const MatmulOps<float>&, const Product<float>&);
template void multiply_by_outer_products(const MatmulOps<double>&, const Product<double>&);

}  // namespace pawl
