// column_dots_table.hpp -- the operands of products with a few columns that lie along the depth.
#pragma once
#include <cstddef>
#include <cstdint>

namespace pawl {

inline constexpr std::size_t kMostColumnDots = 14;

/// Whether so many columns are faster along the depth than in a panel, of which half is computed anyway: where a panel
/// makes 16 dot products for 64 bytes of a row, this makes one for each column, and folds as many vectors in the end.
/// More than 8 columns meet one row at a time and have to stay in L1. (Zen 4, int8 and bf16, random shapes: 1 to 4
/// columns 0.1 to 0.8 of the time, 8 columns 0.5 to 0.9.)
constexpr bool column_dots_pay(std::size_t cols, std::size_t depth_bytes) noexcept {
  if (cols <= 8) return cols > 0 && (cols <= 4 || depth_bytes >= 32);
  return cols <= kMostColumnDots && depth_bytes >= (cols <= 10 ? 200 : 2400 / (16 - cols)) &&
         cols * depth_bytes <= 24576;
}

/// c[rows x cols], cols from 1 to kMostColumnDots, rows of c one after the other.
///
/// int8: s = sum over p of u[i, p] * b[p, j] - (128 + row_zeros[i]) * col_offsets[j] in whole numbers modulo 2^32,
/// where u = a xor flip are the signed codes plus 128 and col_offsets the sums of the columns of b, whose zero points
/// are 0; then as Int8Block. bf16: as HalfBlock.
struct ColumnDots {
  std::size_t rows, cols;
  std::size_t depth_bytes;
  const void* a;  ///< any alignment; nothing beyond depth_bytes of a row is read
  std::size_t a_stride_bytes;
  std::uint8_t flip;    ///< int8: 0x80 if a is signed, else 0
  const char* columns;  ///< zeros beyond the depth, up to a multiple of 64 bytes
  std::size_t column_stride_bytes;
  const std::int32_t* row_zeros;         ///< int8: [rows]
  const std::int32_t* col_offsets;       ///< int8: [cols]
  const float *row_scales, *col_scales;  ///< int8 to c_f32
  const float* bias;                     ///< [cols] or null
  bool relu;
  std::int32_t* c_s32;  ///< or null
  float* c_f32;
};

}  // namespace pawl
