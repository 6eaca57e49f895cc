// int8_table.hpp -- the entries of integer matrix products, and the operands they take.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/quant/column_dots_table.hpp"
#include "kernels/quant/low_bits_table.hpp"

namespace pawl {

/// C[rows x cols] from prepared rows of codes and packed weights. In whole numbers, modulo 2^32:
///
///     s = sum over p of a[i, p] * (b[p, j] + 128) - row_sum[i] * col_weight[j] - row_zero[i] * col_offset[j]
///
/// where a are the prepared codes (signed), b the weights, row_sum[i] the sum of a[i, .], col_weight = 128 + the
/// column's zero point, row_zero the row's zero point, and col_offset = sum of b[., j] - depth * zero point: that is
/// the sum of (a - zero point of a) * (b - zero point of b). `symmetric`: all zero points are 0, and only
/// 128 * row_sum is taken off.
///
/// Then c_s32 = s, or c_f32 = max(f32(s) * row_scale[i] * col_scale[j] + bias[j], 0 if relu).
struct Int8Block {
  std::size_t rows, cols;
  std::size_t groups;          ///< of 4 in depth
  std::size_t panels_at_once;  ///< of b that all rows meet before the next ones
  const void* a;               ///< as made by prepare()
  std::size_t a_stride_bytes;
  const std::uint8_t* b;                          ///< as made by pack()
  const std::int32_t *row_sums, *row_zeros;       ///< [rows]
  const std::int32_t *col_weights, *col_offsets;  ///< [cols up to a whole panel]
  bool symmetric;
  const float *row_scales, *col_scales;  ///< for c_f32: [rows], [cols up to a whole panel]
  const float* bias;                     ///< [cols] or null
  bool relu;
  bool accumulates;     ///< c_s32 += s
  std::int32_t* c_s32;  ///< one of the two is null
  float* c_f32;
  std::size_t ldc;
};

/// Rows of codes that multiply_streamed() takes at once.
inline constexpr std::size_t kStreamedRows = 24;

/// c[rows x cols] = sum over p of a[i, p] * b[p, j], weights as they lie.
struct Int8Unpacked {
  std::size_t rows, cols, depth;  ///< rows and depth at least 1
  const char* a;                  ///< signed codes, filled up with zeros to whole groups of 4
  std::size_t a_stride_bytes;
  const std::int8_t* b;
  std::size_t ldb;
  const std::int32_t* row_sums;  ///< [rows]: sums of the codes
  std::int32_t* c;
  std::size_t ldc;
  bool asks;  ///< multiply_streamed(): for weights ahead
};

struct Int8Ops {
  std::size_t tile_rows, tile_cols;
  std::size_t bytes_per_code;  ///< of prepared rows
  bool in_place;  ///< rows of signed codes whose number is a multiple of 4 need no preparation but their sums

  /// Rows of codes (signed after xor with `flip`: 0 or 0x80) -> what multiply() reads, filled up with zeros to a whole
  /// group; and their sums. out = null: only the sums.
  void (*prepare)(const std::uint8_t* a, std::size_t lda, std::size_t rows, std::size_t depth, std::uint8_t flip,
                  void* out, std::size_t out_stride_bytes, std::int32_t* sums) noexcept;

  /// b[depth x cols], row-major with stride ldb (transposed: element (p, j) is b[j * ldb + p]) -> panels of tile_cols
  /// columns: for each group of 4 in depth the 4 weights of each column, plus 128; beyond depth and cols 0.
  void (*pack)(const std::int8_t* b, std::size_t ldb, bool transposed, std::size_t depth, std::size_t cols,
               std::uint8_t* out) noexcept;

  void (*multiply)(const Int8Block& block) noexcept;

  /// Without packing, null where there is no such entry: 64 columns after the other; and up to kStreamedRows rows, some
  /// rows of weights after the other.
  void (*multiply_unpacked)(const Int8Unpacked& x) noexcept;
  void (*multiply_streamed)(const Int8Unpacked& x) noexcept;

  /// With a few columns that lie along the depth; null where there is no such entry. gather_columns: those of b[depth x
  /// cols], `stride` bytes apart (a multiple of 64) with zeros beyond the depth, and their sums.
  void (*multiply_columns)(const ColumnDots& x) noexcept;
  void (*gather_columns)(const std::int8_t* b, std::size_t depth, std::size_t cols, std::int8_t* out,
                         std::size_t stride, std::int32_t* sums) noexcept;

  /// The same activations with weights of a few bits.
  LowBitsOps low_bits;
};

}  // namespace pawl
