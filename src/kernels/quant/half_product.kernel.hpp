// half_product.kernel.hpp -- products with weights of bf16 or f16, for the operation that int8_dot.hpp is told to use:
// dot products of pairs of bf16, or products of f32 with weights that are widened as they are loaded.
#pragma once
#include <utility>

#include "kernels/quant/dot_tile.kernel.hpp"
#include "kernels/quant/half_table.hpp"

namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS {

// The sums begin with the bias; each choice is made once for the tile and not for each vector.
template <std::size_t M, std::size_t V>
static void tile(const HalfBlock& x, std::size_t row, const std::uint8_t* b, Columns columns, const float* bias,
                 float* c, std::size_t ldc) noexcept {
  Sum sum[M][V];
  if (bias) {
#pragma GCC unroll 2
    for (std::size_t v = 0; v < V; ++v) {
      const F32 start = get_columns<F32>(bias, columns, v);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < M; ++i) sum[i][v] = start;
    }
  } else {
    clear(sum);
  }
  sum_products(sum, x.steps, static_cast<const char*>(x.a) + row * x.a_stride_bytes, x.a_stride_bytes, b);
  if (x.relu) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < M; ++i)
#pragma GCC unroll 2
      for (std::size_t v = 0; v < V; ++v) sum[i][v] = greatest(F32{}, sum[i][v]);
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i, c += ldc) {
    asm("" : "+r"(c));  // else g++ 12 computes all addresses first
#pragma GCC unroll 2
    for (std::size_t v = 0; v < V; ++v) put_columns(c, sum[i][v], columns, v);
  }
}

using Tile = void (*)(const HalfBlock&, std::size_t, const std::uint8_t*, Columns, const float*, float*,
                      std::size_t) noexcept;

template <std::size_t... I>
PAWL_INLINE void multiply_by(const HalfBlock& x, std::index_sequence<I...>) {
  static constexpr Tile kTiles[kVectors][kTileRows] = {{tile<I + 1, 1>...}, {tile<I + 1, 2>...}};
  const Deal rows_of(x.rows);
  for_tiles(x.cols, x.panels_at_once, rows_of,
            [&](std::size_t j, std::size_t row, std::size_t rows) PAWL_INLINE_LAMBDA {
              const std::size_t cols = x.cols - j < kTileCols ? x.cols - j : kTileCols;
              float* const c = x.c + row * x.ldc + j;
              const std::uint8_t* const b = x.b + j * x.steps * kWeightBytes;
              const Columns columns = first_columns(cols);
              const Tile tile = kTiles[cols <= kLanes ? 0 : 1][rows - 1];
              if (cols == kTileCols || kMasksColumns)
                return tile(x, row, b, columns, x.bias ? x.bias + j : nullptr, c, x.ldc);
              // Columns that do not exist are computed beside the others, as far as they share a vector with them.
              alignas(64) float bias[kTileCols], whole[kTileRows * kTileCols];
              if (x.bias) {
                __builtin_memset(bias, 0, sizeof bias);
                __builtin_memcpy(bias, x.bias + j, cols * sizeof(float));
              }
              tile(x, row, b, columns, x.bias ? bias : nullptr, whole, kTileCols);
              for (std::size_t i = 0; i < rows; ++i)
                __builtin_memcpy(c + i * x.ldc, whole + i * kTileCols, cols * sizeof(float));
            });
}

static void multiply(const HalfBlock& x) noexcept { multiply_by(x, std::make_index_sequence<kTileRows>{}); }

}  // namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS
