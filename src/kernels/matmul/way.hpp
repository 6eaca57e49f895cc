// way.hpp -- the shape of a product that L1 and L2 hold -> the way of computing it that takes least time.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/matmul/matmul_table.hpp"

namespace pawl {

/// Ways of a small product, by a kernel and what is turned over for it: tiles read A either way and B by rows; wide
/// tiles read both by rows; strips read what tiles do and write C in runs of more lines; dot products read A by rows
/// and B by columns. Turned ways compute C transposed, which is op(B) transposed times op(A) transposed, and turn it
/// over.
enum class SmallWay : std::uint8_t {
  tiles,
  wide_tiles,
  strips,
  dots,
  dots_by_columns,
  turned_tiles,
  turned_wide_tiles
};

/// op(A) [m, k] times op(B) [k, n].
struct SmallShape {
  bool transpose_a, transpose_b;
  std::size_t m, n, k;
  bool reads_c = false;  // beta is not 0
};

/// Bytes of the largest operand of a small shape.
inline constexpr std::size_t kMostSmallBytes = std::size_t{128} << 10;

/// Whether ways are chosen by what they cost: at most 2^18 products, and operands that L2 holds beside their copies. A
/// C that L1 does not hold has ways of its own (plan.hpp).
template <class T>
bool is_small_shape(const SmallShape& x) noexcept {
  constexpr std::size_t kMostProducts = std::size_t{1} << 18, kMostC = 48 << 10;
  if ((x.m | x.n | x.k) >= kMostProducts) return false;
  return x.m * x.n * x.k <= kMostProducts && x.m * x.n * sizeof(T) <= kMostC &&
         x.m * x.k * sizeof(T) <= kMostSmallBytes && x.k * x.n * sizeof(T) <= kMostSmallBytes;
}

/// The columns [0, whole) of C one way and the others, if there are any, another.
struct SmallPlan {
  SmallWay way, way_of_rest;
  std::size_t whole;
};

/// How a small shape, none of its extents 0, is computed, by what costs least in a model of each way: FMAs where chains
/// of them do not wait, the latency of an FMA where they do, what it takes to write or fold the sums, and to turn
/// operands over. Columns beyond whole vectors may go a way of their own, which wastes no lanes.
///
/// The costs are those of 4800 shapes at random, every way of each timed on an Emerald Rapids by AVX-512 and AVX2, f32
/// and f64, fitted to half of them. On the other half the way that is chosen takes 1.02 times as long as the
/// fastest one, by geometric mean; rules one by one, for rows, columns, depth and transposes, took 1.14 to 1.37 with
/// what their calls took. With strips, of 1500 other shapes by AVX-512 the choice takes 1.01 times as long as the
/// fastest of tiles, wide tiles and strips, without them 1.07 (1200 by AVX2: 1.02 and 1.11).
template <class T>
SmallPlan plan_small_product(const MatmulOps<T>& kernels, const SmallShape& x) noexcept;
extern template SmallPlan plan_small_product(const MatmulOps<float>&, const SmallShape&) noexcept;
extern template SmallPlan plan_small_product(const MatmulOps<double>&, const SmallShape&) noexcept;

}  // namespace pawl
