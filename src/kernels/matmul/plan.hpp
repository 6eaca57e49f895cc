// plan.hpp -- how one thread computes a product, or its part of one: which kernel, which blocks, which copies.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/matmul/blocking.hpp"
#include "kernels/matmul/product.hpp"

namespace pawl {

// How blocks of B are read.
enum class RightSide : std::uint8_t {
  in_place,
  packed_on_the_way,  // copied by the first row of tiles that uses it
  transposed,         // packed before it is used
  packed,             // by the caller, once for many products
};

struct Plan {
  bool dots = false, few_rows = false;
  FewRowsPlan few_rows_plan{};  // if few_rows
  Blocking blocking{};          // else
  RightSide b = RightSide::in_place;
  bool copy_a = false;
  std::size_t tile_rows = 0;
  std::size_t panel_elements = 0, other_elements = 0;  // of workspace
};

/// The plan for x, which has at least one row, column and step of depth.
template <class T>
Plan make_plan(const MatmulOps<T>& kernels, const Product<T>& x);
extern template Plan make_plan(const MatmulOps<float>&, const Product<float>&);
extern template Plan make_plan(const MatmulOps<double>&, const Product<double>&);

/// Elements of workspace that the plan for any part of x needs at most.
template <class T>
std::size_t most_workspace(const MatmulOps<T>& kernels, const Product<T>& x);
extern template std::size_t most_workspace(const MatmulOps<float>&, const Product<float>&);
extern template std::size_t most_workspace(const MatmulOps<double>&, const Product<double>&);

/// Whether x has so few rows that tiles wider than the usual ones are worth it: with 1, 2 or 3 rows these have too few
/// chains of FMAs to hide their latency.
template <class T>
bool suits_wide_tiles(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kFewSums = 4, kLongSums = 16;
  if (x.packed || x.transpose_a || x.transpose_b || x.m > kernels.tile_rows) return false;
  return x.n > kernels.tile_cols ? kernels.few_rows_cols(x.m) > kernels.tile_cols : x.m <= kFewSums && x.k >= kLongSums;
}

/// Up to so many rows a transposed B is not turned over, unless the sums are so short that folding their lanes costs as
/// much. B of 200 rows on a Zen 4, time by packing over time by dots at a depth of 8 m, 16 m and 1000 for m = 2, 4, 8,
/// 16 and 32 rows: f32 1.24, 1.96 and 4.38; 1.03, 1.46 and 2.97; 1.01, 1.36 and 2.13; 1.01, 1.23 and 1.54; 1.03, 1.15
/// and 1.24; half as deep 1.33, 0.60, 0.68, 0.74 and 0.90. f64: 1.44, 1.95 and 3.06 at 2 rows, 1.05, 1.1 and 1.15
/// at 32.
template <class T>
bool wants_dots(const Product<T>& x) noexcept {
  constexpr std::size_t kMostRows = 32, kDepthForRow = 8;
  return !x.packed && x.transpose_b && !x.transpose_a && x.m <= kMostRows && x.k >= kDepthForRow * x.m;
}

/// A copy of a block of A has rows that are this many elements apart: an odd number of cache lines, so that the rows of
/// a tile fall into different sets of L1.
std::size_t copied_stride(std::size_t kc, std::size_t element_bytes) noexcept;

/// A B of at most so many bytes is read where it lies: copying would cost more than it saves.
inline constexpr std::size_t kDirectBytes = std::size_t{128} << 10;

/// Rows this far apart, or a multiple of it, fall on the same sets of L1.
inline constexpr std::size_t kPage = 4096;

}  // namespace pawl
