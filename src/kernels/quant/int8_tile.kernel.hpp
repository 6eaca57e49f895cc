// int8_tile.kernel.hpp -- the register tile of integer products: M rows of codes times a panel of weights, finished to
// i32 or f32 while the sums are in registers. Written once for every ISA.
#pragma once
#include "kernels/quant/dot_tile.kernel.hpp"
#include "kernels/quant/int8_table.hpp"

namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS {

// What all tiles of one panel share: the arrays of its columns, and where its results go.
struct Panel {
  const std::uint8_t* b;
  const std::int32_t *col_weights, *col_offsets;
  const float *col_scales, *bias;  // bias: of the whole panel, or null
};

// What the sums begin with: all that does not depend on the products, so that little is left to do in the end, when
// there is nothing to overlap with.
template <std::size_t M>
PAWL_INLINE void start_sums(U32 (&sum)[M][kVectors], const Int8Block& x, const Panel& panel, std::size_t row) {
  if (x.symmetric) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < M; ++i) {
      const U32 start = U32{} - 128 * static_cast<std::uint32_t>(x.row_sums[row + i]);
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kVectors; ++v) sum[i][v] = start;
    }
    return;
  }
#pragma GCC unroll 2
  for (std::size_t v = 0; v < kVectors; ++v) {
    const U32 weights = get<U32>(panel.col_weights + v * kLanes), offsets = get<U32>(panel.col_offsets + v * kLanes);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < M; ++i)
      sum[i][v] = U32{} - weights * static_cast<std::uint32_t>(x.row_sums[row + i]) -
                  offsets * static_cast<std::uint32_t>(x.row_zeros[row + i]);
  }
}

// Each choice is made once for the tile and not for each of its vectors: with them inside, a tile of 14 rows took some
// 100 cycles longer.
template <std::size_t M>
PAWL_INLINE void put_s32(const U32 (&sum)[M][kVectors], std::int32_t* c, std::size_t ldc) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i, c += ldc) {
    asm("" : "+r"(c));  // else g++ 12 computes all addresses first
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) put(c + v * kLanes, sum[i][v]);
  }
}
template <std::size_t M>
PAWL_INLINE void add_s32(const U32 (&sum)[M][kVectors], std::int32_t* c, std::size_t ldc) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i, c += ldc) {
    asm("" : "+r"(c));
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) put(c + v * kLanes, sum[i][v] + get<U32>(c + v * kLanes));
  }
}
template <std::size_t M>
PAWL_INLINE void put_f32(const U32 (&sum)[M][kVectors], const Int8Block& x, const Panel& panel, std::size_t row,
                         float* c, std::size_t ldc) {
#pragma GCC unroll 2
  for (std::size_t v = 0; v < kVectors; ++v) {
    const F32 col_scale = get<F32>(panel.col_scales + v * kLanes);
    F32 y[M];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < M; ++i)
      y[i] = convert_lanes<F32>(as<I32>(sum[i][v])) * x.row_scales[row + i] * col_scale;
    if (panel.bias) {
      const F32 bias = get<F32>(panel.bias + v * kLanes);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < M; ++i) y[i] += bias;
    }
    if (x.relu) {
#pragma GCC unroll 16
      for (std::size_t i = 0; i < M; ++i) y[i] = greatest(y[i], F32{});
    }
    float* to = c + v * kLanes;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < M; ++i, to += ldc) {
      asm("" : "+r"(to));
      put(to, y[i]);
    }
  }
}

template <std::size_t M>
static void tile(const Int8Block& x, const Panel& panel, std::size_t row, std::int32_t* c_s32, float* c_f32,
                 std::size_t ldc) noexcept {
  U32 sum[M][kVectors];
  start_sums<M>(sum, x, panel, row);
  sum_products<M>(sum, x.groups, static_cast<const char*>(x.a) + row * x.a_stride_bytes, x.a_stride_bytes, panel.b);
  if (c_f32 != nullptr) {
    put_f32<M>(sum, x, panel, row, c_f32, ldc);
  } else if (x.accumulates) {
    add_s32<M>(sum, c_s32, ldc);
  } else {
    put_s32<M>(sum, c_s32, ldc);
  }
}

using TileFunction = void (*)(const Int8Block&, const Panel&, std::size_t, std::int32_t*, float*, std::size_t) noexcept;
struct TileTable {
  TileFunction by_rows[kTileRows];
};
template <std::size_t M = kTileRows>
constexpr void fill_tiles(TileTable& table) {
  table.by_rows[M - 1] = tile<M>;
  if constexpr (M > 1) fill_tiles<M - 1>(table);
}
constexpr TileTable make_tiles() {
  TileTable table{};
  fill_tiles(table);
  return table;
}

// The columns of the last panel that do not exist are computed beside the others and not copied.
template <class T>
PAWL_INLINE void copy_columns(const T* from, std::size_t rows, std::size_t cols, T* to, std::size_t ldc) {
  for (std::size_t i = 0; i < rows; ++i) __builtin_memcpy(to + i * ldc, from + i * kTileCols, cols * sizeof(T));
}

static void multiply_s8(const Int8Block& x) noexcept {
  static constexpr TileTable kTiles = make_tiles();
  // Dealt out evenly: 16 rows are 8 + 8 and not 14 + 2.
  const std::size_t count = (x.rows + kTileRows - 1) / kTileRows;
  const std::size_t height = count ? x.rows / count : 0, higher = count ? x.rows % count : 0;
  for (std::size_t j = 0; j < x.cols; j += kTileCols) {
    const std::size_t cols = x.cols - j < kTileCols ? x.cols - j : kTileCols;
    const bool cut = cols < kTileCols;
    float bias[kTileCols] = {};
    if (x.bias && cut) __builtin_memcpy(bias, x.bias + j, cols * sizeof(float));
    const Panel panel{x.b + j * x.groups * 4, x.col_weights + j, x.col_offsets + j,
                      x.col_scales ? x.col_scales + j : nullptr,
                      !x.bias ? nullptr
                      : cut   ? bias
                              : x.bias + j};
    for (std::size_t t = 0, row = 0; t < count; ++t) {
      const std::size_t rows = height + (t < higher ? 1 : 0);
      std::int32_t* const c_s32 = x.c_s32 ? x.c_s32 + row * x.ldc + j : nullptr;
      float* const c_f32 = x.c_f32 ? x.c_f32 + row * x.ldc + j : nullptr;
      if (!cut) {
        kTiles.by_rows[rows - 1](x, panel, row, c_s32, c_f32, x.ldc);
      } else if (c_s32) {
        std::int32_t whole[kTileRows * kTileCols] = {};
        if (x.accumulates)
          for (std::size_t i = 0; i < rows; ++i)
            __builtin_memcpy(whole + i * kTileCols, c_s32 + i * x.ldc, cols * sizeof(std::int32_t));
        kTiles.by_rows[rows - 1](x, panel, row, whole, nullptr, kTileCols);
        copy_columns(whole, rows, cols, c_s32, x.ldc);
      } else {
        float whole[kTileRows * kTileCols];
        kTiles.by_rows[rows - 1](x, panel, row, nullptr, whole, kTileCols);
        copy_columns(whole, rows, cols, c_f32, x.ldc);
      }
      row += rows;
    }
  }
}

}  // namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS
