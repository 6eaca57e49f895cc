// int8_tile.kernel.hpp -- the register tile of integer products: M rows of codes times a panel of weights, finished to
// i32 or f32 while the sums are in registers. Written once for every ISA.
#pragma once
#include <type_traits>

#include "kernels/quant/dot_tile.kernel.hpp"
#include "kernels/quant/int8_table.hpp"

namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS {

// What all tiles of one panel share: the arrays of its columns, and where its results go.
struct Panel {
  const std::uint8_t* b;
  const std::int32_t *col_weights, *col_offsets;
  const float *col_scales, *bias;  // bias: of the columns, or null
  Columns columns;
};

// What the sums begin with: all that does not depend on the products, so that little is left to do in the end, when
// there is nothing to overlap with.
template <std::size_t M, std::size_t V>
PAWL_INLINE void start_sums(U32 (&sum)[M][V], const Int8Block& x, const Panel& panel, std::size_t row) {
  if (x.symmetric) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < M; ++i) {
      const U32 start = U32{} - 128 * static_cast<std::uint32_t>(x.row_sums[row + i]);
#pragma GCC unroll 2
      for (std::size_t v = 0; v < V; ++v) sum[i][v] = start;
    }
    return;
  }
#pragma GCC unroll 2
  for (std::size_t v = 0; v < V; ++v) {
    const U32 weights = get<U32>(panel.col_weights + v * kLanes), offsets = get<U32>(panel.col_offsets + v * kLanes);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < M; ++i)
      sum[i][v] = U32{} - weights * static_cast<std::uint32_t>(x.row_sums[row + i]) -
                  offsets * static_cast<std::uint32_t>(x.row_zeros[row + i]);
  }
}

// Each choice is made once for the tile and not for each of its vectors: with them inside, a tile of 14 rows took some
// 100 cycles longer.
template <std::size_t M, std::size_t V>
PAWL_INLINE void put_s32(const U32 (&sum)[M][V], Columns columns, std::int32_t* c, std::size_t ldc) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i, c += ldc) {
    asm("" : "+r"(c));  // else g++ 12 computes all addresses first
#pragma GCC unroll 2
    for (std::size_t v = 0; v < V; ++v) put_columns(c, sum[i][v], columns, v);
  }
}
template <std::size_t M, std::size_t V>
PAWL_INLINE void add_s32(const U32 (&sum)[M][V], Columns columns, std::int32_t* c, std::size_t ldc) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i, c += ldc) {
    asm("" : "+r"(c));
#pragma GCC unroll 2
    for (std::size_t v = 0; v < V; ++v) put_columns(c, sum[i][v] + get_columns<U32>(c, columns, v), columns, v);
  }
}
template <std::size_t M, std::size_t V>
PAWL_INLINE void put_f32(const U32 (&sum)[M][V], const Int8Block& x, const Panel& panel, std::size_t row, float* c,
                         std::size_t ldc) {
#pragma GCC unroll 2
  for (std::size_t v = 0; v < V; ++v) {
    const F32 col_scale = get<F32>(panel.col_scales + v * kLanes);
    F32 y[M];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < M; ++i)
      y[i] = convert_lanes<F32>(as<I32>(sum[i][v])) * x.row_scales[row + i] * col_scale;
    if (panel.bias) {
      const F32 bias = get_columns<F32>(panel.bias, panel.columns, v);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < M; ++i) y[i] += bias;
    }
    if (x.relu) {
#pragma GCC unroll 16
      for (std::size_t i = 0; i < M; ++i) y[i] = greatest(F32{}, y[i]);
    }
    float* to = c;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < M; ++i, to += ldc) {
      asm("" : "+r"(to));
      put_columns(to, y[i], panel.columns, v);
    }
  }
}

template <std::size_t M, std::size_t V>
static void tile(const Int8Block& x, const Panel& panel, std::size_t row, std::int32_t* c_s32, float* c_f32,
                 std::size_t ldc) noexcept {
  U32 sum[M][V];
  start_sums(sum, x, panel, row);
  sum_products(sum, x.groups, static_cast<const char*>(x.a) + row * x.a_stride_bytes, x.a_stride_bytes, panel.b);
  if (c_f32 != nullptr) {
    put_f32(sum, x, panel, row, c_f32, ldc);
  } else if (x.accumulates) {
    add_s32(sum, panel.columns, c_s32, ldc);
  } else {
    put_s32(sum, panel.columns, c_s32, ldc);
  }
}

using TileFunction = void (*)(const Int8Block&, const Panel&, std::size_t, std::int32_t*, float*, std::size_t) noexcept;
struct TileTable {
  TileFunction by_vectors_rows[kVectors][kTileRows];
};
template <std::size_t M = kTileRows>
constexpr void fill_tiles(TileTable& table) {
  table.by_vectors_rows[0][M - 1] = tile<M, 1>;
  table.by_vectors_rows[1][M - 1] = tile<M, 2>;
  if constexpr (M > 1) fill_tiles<M - 1>(table);
}
constexpr TileTable make_tiles() {
  TileTable table{};
  fill_tiles(table);
  return table;
}

// The last panel where tiles know no columns that do not exist: those are computed beside the others, as far as they
// share a vector with them, and not copied.
template <class T>
PAWL_INLINE void cut_tile(TileFunction tile, const Int8Block& x, const Panel& panel, std::size_t row, std::size_t rows,
                          std::size_t cols, T* c) {
  alignas(64) T whole[kTileRows * kTileCols];
  if constexpr (std::is_same_v<T, float>) {
    tile(x, panel, row, nullptr, whole, kTileCols);
  } else {
    if (x.accumulates)
      for (std::size_t i = 0; i < rows; ++i) {
        T* const to = whole + i * kTileCols;
        __builtin_memset(to, 0, kTileCols * sizeof(T));
        __builtin_memcpy(to, c + i * x.ldc, cols * sizeof(T));
      }
    tile(x, panel, row, whole, nullptr, kTileCols);
  }
  for (std::size_t i = 0; i < rows; ++i) __builtin_memcpy(c + i * x.ldc, whole + i * kTileCols, cols * sizeof(T));
}

static void multiply_s8(const Int8Block& x) noexcept {
  static constexpr TileTable kTiles = make_tiles();
  const Deal rows_of(x.rows);
  for_tiles(x.cols, x.panels_at_once, rows_of,
            [&](std::size_t j, std::size_t row, std::size_t rows) PAWL_INLINE_LAMBDA {
              const std::size_t cols = x.cols - j < kTileCols ? x.cols - j : kTileCols;
              const bool cut = cols < kTileCols && !kMasksColumns;
              float bias[kTileCols];
              if (x.bias && cut) {
                __builtin_memset(bias, 0, sizeof bias);
                __builtin_memcpy(bias, x.bias + j, cols * sizeof(float));
              }
              const Panel panel{x.b + j * x.groups * 4,
                                x.col_weights + j,
                                x.col_offsets + j,
                                x.col_scales ? x.col_scales + j : nullptr,
                                !x.bias ? nullptr
                                : cut   ? bias
                                        : x.bias + j,
                                first_columns(cols)};
              const TileFunction tile = kTiles.by_vectors_rows[cols <= kLanes ? 0 : 1][rows - 1];
              std::int32_t* const c_s32 = x.c_s32 ? x.c_s32 + row * x.ldc + j : nullptr;
              float* const c_f32 = x.c_f32 ? x.c_f32 + row * x.ldc + j : nullptr;
              if (!cut) {
                tile(x, panel, row, c_s32, c_f32, x.ldc);
              } else if (c_s32) {
                cut_tile(tile, x, panel, row, rows, cols, c_s32);
              } else {
                cut_tile(tile, x, panel, row, rows, cols, c_f32);
              }
            });
}

}  // namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS
