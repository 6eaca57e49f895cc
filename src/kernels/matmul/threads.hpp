// threads.hpp -- the size of a product -> how many threads it is worth, whether to wake them, and their parts of C.
#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>

#include "kernels/matmul/product.hpp"
#include "pawl/parallel.hpp"

namespace pawl {

/// Multiplications from which a second thread that is awake is worth it: 2 us on one core with AVX-512, where dividing
/// a product takes 0.5 us. Time of one thread over two on an Emerald Rapids, both awake, f32 10 x 144, k = 103 (148
/// thousand) 1.0, 64 cubed (262) 1.35, 39 x 267, k = 27 (281) 1.42, 100 cubed 1.8; f64 64 cubed 1.6.
template <class T>
inline constexpr std::size_t kWorthThreads = sizeof(T) == 8 ? 96 * 1024 : 192 * 1024;

/// Whether a product may be worth several threads; cheap, for those that are over in 20 ns.
template <class T>
[[gnu::always_inline]] inline bool may_want_threads(std::size_t m, std::size_t n, std::size_t k) noexcept {
  constexpr std::size_t kLimit = std::size_t{1} << 20;  // of extents whose product cannot overflow
  return ((m | n | k) >= kLimit || m * n * k >= kWorthThreads<T>)&&num_threads() > 1;
}

/// Floating-point operations.
inline double product_flops(std::size_t m, std::size_t n, std::size_t k) noexcept {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

/// For so many floating-point operations: at most num_threads(), where there are more than two a megaflop for each.
template <class T>
int wanted_threads(double flops) noexcept {
  constexpr double kEach = 1 << 20;
  if (flops < product_flops(1, 1, kWorthThreads<T>)) return 1;
  return static_cast<int>(std::min<double>(num_threads(), std::max(2.0, flops / kEach)));
}

/// What is over before a thread wakes is not worth waking it for, unless more of the kind follows.
inline Wake wake_for(double flops) noexcept {
  constexpr double kWorthWaking = 1 << 21;
  return flops < kWorthWaking ? Wake::in_bursts : Wake::always;
}

/// A grid over C; its parts are multiples of so many rows and columns.
struct PartsOfC {
  int rows, cols;
  std::size_t row_grain, col_grain;
};

/// The grid for so many threads whose largest part takes least: FMAs, what each thread reads and packs for itself, and
/// rows of C that several threads write. Two of them in a row of C want each other's lines, which is why a shallow or
/// small product is cut between its rows: time cut between columns over time so on an Emerald Rapids, f32 176 x 256, k
/// = 11 1.75, 76 x 192, k = 16 2.5, 454 x 309, k = 30 1.7, 39 x 267, k = 27 1.6.
template <class T>
PartsOfC choose_parts(const MatmulOps<T>& kernels, const Product<T>& x, int threads) noexcept {
  constexpr double kReads = 8, kSharedRow = 4000;  // multiplications: for each element read, for each row of C
  constexpr std::size_t kMany = 16;                // tiles beside which one more is small
  const std::size_t row_grain = x.m >= kMany * kernels.tile_rows ? kernels.tile_rows : 1;
  const bool whole_tiles = x.packed || x.n >= kMany * kernels.tile_cols;
  const std::size_t col_grain = whole_tiles ? kernels.tile_cols : kernels.tile_cols / 2;
  const auto largest = [](std::size_t extent, int parts, std::size_t grain) {
    const std::size_t grains = (extent + grain - 1) / grain, count = static_cast<std::size_t>(parts);
    return static_cast<double>((grains + count - 1) / count * grain);
  };
  PartsOfC best{1, threads, row_grain, col_grain};
  double best_cost = std::numeric_limits<double>::infinity();
  for (int rows = 1; rows <= threads; ++rows) {
    if (threads % rows) continue;
    const int cols = threads / rows;
    const double m = largest(x.m, rows, row_grain), n = largest(x.n, cols, col_grain);
    const double cost = (m * n + kReads * (m + n)) * static_cast<double>(x.k) + (cols > 1 ? kSharedRow * m : 0);
    if (cost < best_cost) {
      best_cost = cost;
      best.rows = rows;
      best.cols = cols;
    }
  }
  return best;
}

}  // namespace pawl
