// half_table.hpp -- the entries of products of bf16 and f16, and the operands they take.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "kernels/quant/column_dots_table.hpp"

namespace pawl {

/// c[i, j] = max(sum over p of a[i, p] * b[p, j] + bias[j], 0 if relu), summed in f32.
struct HalfBlock {
  std::size_t rows, cols, steps;  ///< steps in depth
  std::size_t panels_at_once;     ///< of b that all rows meet before the next ones
  const void* a;                  ///< rows of steps * depth_of_step elements of left_bytes
  std::size_t a_stride_bytes;
  const std::uint8_t* b;  ///< panels of tile_cols columns: for each step the depth_of_step values of each column
  const float* bias;      ///< [cols] or null
  bool relu;
  float* c;
  std::size_t ldc;
};

struct HalfProductOps {
  std::size_t tile_rows, tile_cols;
  std::size_t depth_of_step;  ///< 2: dot products of pairs; 1
  std::size_t left_bytes;     ///< of an element of a: 2 (bf16) or 4 (f32)
  void (*multiply)(const HalfBlock& block) noexcept;
  /// b[depth x cols], row-major with stride ldb (transposed: element (p, j) is b[j * ldb + p]) -> panels as HalfBlock
  /// has them, zeros beyond depth and cols; null where there is no such entry.
  void (*pack)(const std::uint16_t* b, std::size_t ldb, bool transposed, std::size_t depth, std::size_t cols,
               std::uint8_t* out) noexcept;
  void (*multiply_columns)(const ColumnDots& x) noexcept;  ///< null where there is no such entry
};

/// Whether dot products of bf16 may be used where the CPU has them: true, but for tests that compare.
std::atomic<bool>& bf16_dots_allowed() noexcept;

}  // namespace pawl
