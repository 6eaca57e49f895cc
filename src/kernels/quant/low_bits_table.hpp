// low_bits_table.hpp -- the entries of products with weights of a few bits, and the operands they take.
#pragma once
#include <cstddef>
#include <cstdint>

namespace pawl {

/// How weights lie in a panel of `tile_cols` columns, a whole number of lines. Unsigned codes u stand for u - zero.
enum class WeightFormat : std::uint8_t {
  group8,        ///< per group in depth: f16 scales [tile_cols], then codes of 8 bits
  group4,        ///< the same with two codes in a byte
  group4_zeros,  ///< before all groups their zero points [groups, tile_cols] (u8) in whole lines, then the same
  ternary2,      ///< 0, 1, 2 for -1, 0, 1: four codes in a byte
  ternary3,      ///< the same: five codes in a byte, as a fraction in base 3
};

/// The rows of x are groups of 4 codes as Int8Ops::prepare() makes them, and codes of weights come in groups of 4 in
/// depth for each column, as in int8 panels. A byte holds the codes of `slots` such groups, slot t those of group slots
/// * s + t: group4: bits 4 t; ternary2: bits 2 t; ternary3: ceil(256 / 243 * sum of u[t] * 3^(4 - t)).
///
/// group formats: c[i, j] = max(sum over groups g of f32(sum over p in g of x[i, p] * (u[p, j] - zero[g, j]))
///                * w_scale[g, j] * x_scales[i, g] + bias[j], 0 if relu), each operation rounded, in this order.
/// ternary:       c[i, j] = max(f32(sum over p of x[i, p] * (u[p, j] - 1)) * x_scales[i] * col_scales[j] + bias[j],
/// ...).
struct LowBitsBlock {
  std::size_t rows, cols;
  std::size_t groups;          ///< of scales; 1 for ternary
  std::size_t bytes_in_depth;  ///< bytes that a column has in each group
  const void* x;
  std::size_t x_stride_bytes;
  const std::int32_t* x_sums;  ///< [rows, groups]: sums of the codes of x; groups: times minus the zero point, or minus
                               ///< 1 if groups have theirs
  const float* x_scales;       ///< [rows, groups]
  std::size_t x_stride_groups;
  const std::uint8_t* w;
  std::size_t panel_bytes;
  std::size_t panels_apart;  ///< of two that a kernel takes at once; its own
  const float* col_scales;   ///< ternary: [cols up to a whole panel]
  const float* bias;         ///< [cols] or null
  bool relu;
  bool one_row_asks;  ///< for weights of group4 ahead; more rows, and other formats of fewer than 8 bits, always do
  float* c;
  std::size_t ldc;
};

struct LowBitsOps {
  std::size_t tile_cols, bytes_per_code;
  void (*multiply[5])(const LowBitsBlock& block) noexcept;  ///< by WeightFormat
};

}  // namespace pawl
