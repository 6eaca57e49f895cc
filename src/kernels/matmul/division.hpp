// division.hpp -- a product and a number of threads -> the part of it that each computes. Pure.
#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>

#include "kernels/matmul/product.hpp"

namespace pawl {

/// A grid over C whose parts are multiples of so many rows and columns; or, of one part of C, parts of the depth, whose
/// sums are added up afterwards.
struct Division {
  int rows = 1, cols = 1, depth = 1;
  std::size_t row_grain = 1, col_grain = 1;
};

/// The part of x that is number `part`, with the C of all; there is none if m or n is 0.
template <class T>
Product<T> part_of(const Product<T>& x, const Division& by, int part) noexcept {
  if (by.depth > 1) {
    constexpr std::size_t kGrain = 64 / sizeof(T);
    const Range depth = share(x.k, part, by.depth, kGrain);
    Product<T> y = x;
    y.a = x.a_at(0, depth.begin);
    y.b = x.b_at(depth.begin, 0);
    y.k = depth.end - depth.begin;
    return y;
  }
  const Range rows = share(x.m, part / by.cols, by.rows, by.row_grain);
  const Range cols = share(x.n, part % by.cols, by.cols, by.col_grain);
  Product<T> y = x.part(rows, cols);
  const int row = part / by.cols;
  if (by.rows > 1) y.others = row % 2 == 0 && row + 1 < by.rows ? OtherThreads::below : OtherThreads::above;
  return y;
}

/// Whether sums of parts of the depth may be added up: a C that takes little memory and time beside the operands.
template <class T>
bool divides_by_depth(const Product<T>& x, int threads) noexcept {
  constexpr std::size_t kMostBytes = std::size_t{128} << 10, kLeastDepth = 64;
  const auto count = static_cast<std::size_t>(threads);
  return !x.packed && !x.transpose_b && x.n > 1 && x.alpha != T(0) && x.k / count >= kLeastDepth &&
         x.m * x.n <= kMostBytes / sizeof(T) / count;
}

/// Whether there is room for sums of parts of the depth.
enum class ByDepth : unsigned char { no, yes };

/// The division among so many threads whose largest part takes least: FMAs, what each thread reads and packs for
/// itself, rows of C that several threads write, sums that are added up.
///
/// Two threads in a row of C want each other's lines, which is why a shallow or small product is cut between its rows:
/// time cut between columns over time so on an Emerald Rapids, f32 176 x 256, k = 11 1.75, 76 x 192, k = 16 2.5, 454 x
/// 309, k = 30 1.7, 39 x 267, k = 27 1.6.
///
/// Few rows and a deep B by rows: half of each row would be read by each thread, and what it asks for ahead lies in the
/// other half. Time cut between columns over time by depth, same CPU, f32 and f64: 1 x 398, k = 2780 2.1 and 1.26, 1 x
/// 64, k = 4000 1.5 and 1.8, 1 x 1000, k = 1000 1.2 and 1.05, 3 x 271, k = 1946 1.2 and 2.0, 16 x 64, k = 4000 1.1 and
/// 1.7.
template <class T>
Division choose_division(const MatmulOps<T>& kernels, const Product<T>& x, int threads, ByDepth by_depth) noexcept {
  // Multiplications: for each element read, more where rows of B are cut, for each row of C that is shared, for each
  // sum that is added.
  constexpr double kReads = 8, kReadsBeyond = 1, kSharedRow = 4000, kSum = 20;
  constexpr std::size_t kMany = 16;  // tiles beside which one more is small
  const std::size_t row_grain = x.m >= kMany * kernels.tile_rows ? kernels.tile_rows : 1;
  const bool whole_tiles = x.packed || x.n >= kMany * kernels.tile_cols;
  const std::size_t col_grain = whole_tiles ? kernels.tile_cols : kernels.tile_cols / 2;
  const auto largest = [](std::size_t extent, int parts, std::size_t grain) {
    const std::size_t grains = (extent + grain - 1) / grain, count = static_cast<std::size_t>(parts);
    const std::size_t most = (grains + count - 1) / count * grain;
    return static_cast<double>(most);
  };
  const auto cost_of = [=](double m, double n, double k) { return (m * n + kReads * (m + n)) * k; };
  Division best{.cols = threads};
  double best_cost = std::numeric_limits<double>::infinity();
  const auto consider = [&](const Division& division, double cost) {
    if (cost >= best_cost) return;
    best_cost = cost;
    best = division;
  };
  for (int rows = 1; rows <= threads; ++rows) {
    if (threads % rows) continue;
    const int cols = threads / rows;
    const double m = largest(x.m, rows, row_grain), n = largest(x.n, cols, col_grain);
    consider({.rows = rows, .cols = cols, .row_grain = row_grain, .col_grain = col_grain},
             cost_of(m, n, static_cast<double>(x.k)) + (cols > 1 ? kSharedRow * m : 0) +
                 (cols > 1 && !x.packed && !x.transpose_b ? kReadsBeyond * n * static_cast<double>(x.k) : 0));
  }
  if (by_depth == ByDepth::yes && threads > 1 && divides_by_depth(x, threads)) {
    const double m = static_cast<double>(x.m), n = largest(x.n, 1, col_grain);
    consider({.depth = threads}, cost_of(m, n, largest(x.k, threads, 1)) + kSum * m * n * threads);
  }
  return best;
}

}  // namespace pawl
