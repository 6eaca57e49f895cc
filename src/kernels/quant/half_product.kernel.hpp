// half_product.kernel.hpp -- products with weights of bf16 or f16, for the operation that int8_dot.hpp is told to use:
// dot products of pairs of bf16, or products of f32 with weights that are widened as they are loaded.
#pragma once
#include <utility>

#include "kernels/quant/dot_tile.kernel.hpp"
#include "kernels/quant/half_table.hpp"

namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS {

// The sums begin with the bias; each choice is made once for the tile and not for each vector.
template <std::size_t M>
static void tile(const HalfBlock& x, std::size_t row, const std::uint8_t* b, const float* bias, float* c,
                 std::size_t ldc) noexcept {
  Sum sum[M][kVectors];
  if (bias) {
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) {
      const F32 start = get<F32>(bias + v * kLanes);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < M; ++i) sum[i][v] = start;
    }
  } else {
    clear<M>(sum);
  }
  sum_products<M>(sum, x.steps, static_cast<const char*>(x.a) + row * x.a_stride_bytes, x.a_stride_bytes, b);
  if (x.relu) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < M; ++i)
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kVectors; ++v) sum[i][v] = greatest(sum[i][v], F32{});
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i, c += ldc) {
    asm("" : "+r"(c));  // else g++ 12 computes all addresses first
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) put(c + v * kLanes, sum[i][v]);
  }
}

using Tile = void (*)(const HalfBlock&, std::size_t, const std::uint8_t*, const float*, float*, std::size_t) noexcept;

template <std::size_t... I>
PAWL_INLINE void multiply_by(const HalfBlock& x, std::index_sequence<I...>) {
  static constexpr Tile kTiles[] = {tile<I + 1>...};
  // Dealt out evenly: 16 rows are 8 + 8 and not 14 + 2.
  const std::size_t count = (x.rows + kTileRows - 1) / kTileRows;
  const std::size_t height = count ? x.rows / count : 0, higher = count ? x.rows % count : 0;
  for (std::size_t j = 0; j < x.cols; j += kTileCols) {
    const std::size_t cols = x.cols - j < kTileCols ? x.cols - j : kTileCols;
    const bool cut = cols < kTileCols;
    float cut_bias[kTileCols] = {}, whole[kTileRows * kTileCols];
    if (x.bias && cut) __builtin_memcpy(cut_bias, x.bias + j, cols * sizeof(float));
    const float* const bias = !x.bias ? nullptr : cut ? cut_bias : x.bias + j;
    const std::uint8_t* const b = x.b + j * x.steps * kWeightBytes;
    for (std::size_t t = 0, row = 0; t < count; ++t) {
      const std::size_t rows = height + (t < higher ? 1 : 0);
      float* const c = x.c + row * x.ldc + j;
      kTiles[rows - 1](x, row, b, bias, cut ? whole : c, cut ? kTileCols : x.ldc);
      if (cut)
        for (std::size_t i = 0; i < rows; ++i)
          __builtin_memcpy(c + i * x.ldc, whole + i * kTileCols, cols * sizeof(float));
      row += rows;
    }
  }
}

static void multiply(const HalfBlock& x) noexcept { multiply_by(x, std::make_index_sequence<kTileRows>{}); }

}  // namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS
