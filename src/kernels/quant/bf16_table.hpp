// bf16_table.hpp -- the entries of products of bf16, and the operands they take.
#pragma once
#include <cstddef>
#include <cstdint>

namespace pawl {

/// c[i, j] = max(sum over p of a[i, p] * b[p, j] + bias[j], 0 if relu), summed in f32 in pairs along the depth.
struct Bf16Block {
  std::size_t rows, cols, pairs;  ///< pairs in depth
  const void* a;                  ///< rows of bf16, an even number
  std::size_t a_stride_bytes;
  const std::uint8_t* b;  ///< panels of tile_cols columns: for each pair in depth the 2 values of each column
  const float* bias;      ///< [cols] or null
  bool relu;
  float* c;
  std::size_t ldc;
};

struct Bf16Ops {
  std::size_t tile_rows, tile_cols;
  void (*multiply)(const Bf16Block& block) noexcept;
};

}  // namespace pawl
