// dot_rows.kernel.hpp -- few rows of A times a transposed B: dot products of rows, which read both where they lie.
//
// C[i, j] = row i of A . row j of B as stored. Turning B over would cost as much as the few products it is for. A tile
// of C is as many sums as there are registers for; each sum is a vector of partial sums along the depth, whose lanes
// are folded together with those of others in the end (reduce/rows.kernel.hpp).
#pragma once
#include "kernels/matmul/tile.kernel.hpp"
#include "kernels/reduce/rows.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// Rows of A at a time. With 32 registers 5 and 6 rows go together: as 3 and the rest 5 x 100, k = 100, f32 took 1.4
// times as long, 6 x 100 1.1 times.
inline constexpr std::size_t kDotRows = kRegisters == 32 ? 6 : 3;

// Rows of B with them: M x N sums, M vectors of A and one of B fit into the registers; more than 8, or 16 for one row,
// gain nothing.
template <std::size_t M>
constexpr std::size_t most_dot_cols() {
  constexpr std::size_t kFit = (kRegisters - 1 - M) / M, kGain = M == 1 ? 16 : 8;
  return kFit < kGain ? kFit : kGain;
}
template <std::size_t M>
inline constexpr std::size_t kDotCols = most_dot_cols<M>();

// The same where the sums are folded soon: those of the most that leave the fewest lanes idle when they are. Time of
// 64 x n, k = 64, f32, for n = 1 to 7: 0.86 to 1.00, at k = 300 0.99 to 1.12 (Zen 4).
template <class T, std::size_t M>
constexpr std::size_t shallow_dot_cols() {
  constexpr std::size_t W = lanes<T>;
  std::size_t best = kDotCols<M>, least_idle = W;
  // Five rows by 3 took 1.3 times as long as by 5, with two loads for three FMAs at best.
  for (std::size_t n = kDotCols<M>; M <= 4 && 2 * n > kDotCols<M>; --n)
    if (const std::size_t idle = (W - n * M % W) % W; idle < least_idle) best = n, least_idle = idle;
  return best;
}
inline constexpr std::size_t kShallowVectors = 8;

// Vectors of the depth a turn: 8 chains of FMAs hide their latency.
inline constexpr std::size_t kDotChains = 8;
constexpr std::size_t dot_steps(std::size_t sums) {
  return sums >= kDotChains ? 1 : sums * 2 >= kDotChains ? 2 : sums * 4 >= kDotChains ? 4 : 8;
}

template <class T, std::size_t M, std::size_t N>
PAWL_INLINE void add_products(Vec<T> (&sum)[M * N], const T* a, std::size_t a_stride, const T* b, std::size_t b_stride,
                              std::size_t count) {
  constexpr std::size_t W = lanes<T>;
  Vec<T> row[M];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i) {
    row[i] = count == W ? load<T>(a + i * a_stride) : load_first<T>(a + i * a_stride, count);
    // 4 x 3, k = 480, f32 and f64 1.7 times as fast so: with two and three columns each use was a load.
    if constexpr (N > 1) row[i] = kept<T>(row[i]);
  }
#pragma GCC unroll 16
  for (std::size_t j = 0; j < N; ++j) {
    Vec<T> y = count == W ? load<T>(b + j * b_stride) : load_first<T>(b + j * b_stride, count);
    if constexpr (M > 1) y = kept<T>(y);  // rows that begin anywhere make of each load two
#pragma GCC unroll 16
    for (std::size_t i = 0; i < M; ++i) sum[i * N + j] = fma<T>(row[i], y, sum[i * N + j]);
  }
}

// out[s] = factor * the sum of the lanes of sum[s].
template <class T, std::size_t kSums>
PAWL_INLINE void fold_sums(const Vec<T> (&sum)[kSums], T factor, T* out) {
  constexpr std::size_t W = lanes<T>, kWhole = kSums / W * W, kLeft = kSums - kWhole;
  // Folding W vectors together takes W - 1 steps of three instructions, one of them alone log2(W) steps of two.
  constexpr bool kTogether = kLeft * 3 > W;
  const auto together = [&](auto first) PAWL_INLINE_LAMBDA {
    Vec<T> group[W];
    unroll<W>([&](auto k) PAWL_INLINE_LAMBDA {
      if constexpr (first + k < kSums)
        group[k] = sum[first + k];
      else
        group[k] = Vec<T>(T(0));
    });
    return fold_lanes<T>(group, [](Vec<T> a, Vec<T> b) PAWL_INLINE_LAMBDA { return a + b; }) * Vec<T>(factor);
  };
  if constexpr (kWhole != 0)
    unroll<kSums / W>([&](auto g) PAWL_INLINE_LAMBDA {
      store<T>(out + g * W, together(std::integral_constant<std::size_t, g * W>{}));
    });
  if constexpr (kLeft != 0 && kTogether)
    store<T>(out + kWhole, together(std::integral_constant<std::size_t, kWhole>{}));
  else if constexpr (kLeft != 0)
    unroll<kLeft>([&](auto k) PAWL_INLINE_LAMBDA { out[kWhole + k] = reduce_add<T>(sum[kWhole + k]) * factor; });
}

// The sums of M rows and N columns to C, whose rows (kRows) or columns have neighbours, `stride` apart. In the order in
// which they lie there: number by number, a product of 64 x 4, k = 64 took 1.6 times as long.
template <class T, std::size_t M, std::size_t N, bool kRows>
PAWL_INLINE void write_dots(const Vec<T> (&sum)[M * N], T alpha, T beta, T* c, std::size_t stride) {
  constexpr std::size_t W = lanes<T>, kExtents[] = {N, M}, kRuns = kExtents[kRows], kRun = kExtents[!kRows];
  Vec<T> ordered[M * N];
  unroll<M * N>([&](auto s) PAWL_INLINE_LAMBDA { ordered[s] = sum[kRows ? s : s % M * N + s / M]; });
  alignas(64) T out[(M * N + W - 1) / W * W];
  fold_sums<T, M * N>(ordered, alpha, out);
  if (beta == T(0))
    for (std::size_t r = 0; r < kRuns; ++r) __builtin_memcpy(c + r * stride, out + r * kRun, kRun * sizeof(T));
  else
    for (std::size_t r = 0; r < kRuns; ++r)
      for (std::size_t s = 0; s < kRun; ++s) c[r * stride + s] = out[r * kRun + s] + beta * c[r * stride + s];
}

// M rows and N columns of C, from row i and column j on.
template <class T, std::size_t M, std::size_t N>
static void dot_tile(const MatmulBlock<T>& x, std::size_t i, std::size_t j) noexcept {
  constexpr std::size_t W = lanes<T>, kSums = M * N, kSteps = dot_steps(kSums);
  const T *a = x.a + i * x.a_stride, *b = x.b + j * x.b_stride;
  Vec<T> part[kSteps][kSums];
#pragma GCC unroll 16
  for (std::size_t u = 0; u < kSteps; ++u)
#pragma GCC unroll 32
    for (std::size_t s = 0; s < kSums; ++s) part[u][s] = Vec<T>(T(0));
  std::size_t p = 0;
  for (; p + kSteps * W <= x.depth; p += kSteps * W)
#pragma GCC unroll 16
    for (std::size_t u = 0; u < kSteps; ++u)
      add_products<T, M, N>(part[u], a + p + u * W, x.a_stride, b + p + u * W, x.b_stride, W);
  if constexpr (kSteps > 1)
    for (; p + W <= x.depth; p += W) add_products<T, M, N>(part[0], a + p, x.a_stride, b + p, x.b_stride, W);
  if (p < x.depth) add_products<T, M, N>(part[kSteps - 1], a + p, x.a_stride, b + p, x.b_stride, x.depth - p);
#pragma GCC unroll 16
  for (std::size_t distance = kSteps / 2; distance != 0; distance /= 2)
#pragma GCC unroll 16
    for (std::size_t u = 0; u < distance; ++u)
#pragma GCC unroll 32
      for (std::size_t s = 0; s < kSums; ++s) part[u][s] = part[u][s] + part[u + distance][s];
  T* const c = x.c + i * x.ldc + j * x.c_step;
  if (x.c_step == 1)
    write_dots<T, M, N, true>(part[0], x.alpha, x.beta, c, x.ldc);
  else
    write_dots<T, M, N, false>(part[0], x.alpha, x.beta, c, x.c_step);
}

template <class T>
using DotTile = void (*)(const MatmulBlock<T>& x, std::size_t i, std::size_t j) noexcept;

// By rows of A - 1 and rows of B - 1.
template <class T>
struct DotTiles {
  DotTile<T> at[kDotRows][16];
  std::size_t cols[kDotRows], shallow_cols[kDotRows];
};

template <class T, std::size_t M, std::size_t N>
constexpr void fill_dot_tiles(DotTiles<T>& table) {
  table.at[M - 1][N - 1] = dot_tile<T, M, N>;
  if constexpr (N > 1)
    fill_dot_tiles<T, M, N - 1>(table);
  else if constexpr (M > 1)
    fill_dot_tiles<T, M - 1, kDotCols<M - 1>>(table);
  if constexpr (N == kDotCols<M>) table.cols[M - 1] = N, table.shallow_cols[M - 1] = shallow_dot_cols<T, M>();
}

template <class T>
constexpr DotTiles<T> make_dot_tiles() {
  DotTiles<T> table{};
  fill_dot_tiles<T, kDotRows, kDotCols<kDotRows>>(table);
  return table;
}

template <class T>
inline constexpr DotTiles<T> kDotTiles = make_dot_tiles<T>();

// All rows of A meet some rows of B before the next of these are read.
template <class T>
PAWL_INLINE void multiply_dots_by_vectors(const MatmulBlock<T>& x) noexcept {
  const std::size_t groups = (x.rows + kDotRows - 1) / kDotRows, height = x.rows / groups, higher = x.rows % groups;
  const bool shallow = x.depth <= kShallowVectors * lanes<T>;
  const auto& widest = shallow ? kDotTiles<T>.shallow_cols : kDotTiles<T>.cols;
  const std::size_t most = widest[height + (higher != 0) - 1];
  // Dealt out evenly, so that the last ones are not too few to hide the latency of an FMA.
  const std::size_t turns = (x.cols + most - 1) / most, width = x.cols / turns, wider = x.cols % turns;
  for (std::size_t t = 0, j = 0; t < turns; ++t) {
    const std::size_t cols = width + (t < wider ? 1 : 0);
    for (std::size_t g = 0, i = 0; g < groups; ++g) {
      const std::size_t rows = height + (g < higher ? 1 : 0);
      kDotTiles<T>.at[rows - 1][cols - 1](x, i, j);
      i += rows;
    }
    j += cols;
  }
}

}  // namespace pawl::PAWL_ISA_NS
