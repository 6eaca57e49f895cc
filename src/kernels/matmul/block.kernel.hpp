// block.kernel.hpp -- a block of the product -> register tiles, and the scaling of C without a product.
#pragma once
#include "kernels/matmul/tile.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// All rows of a block for one panel of B, which stays in L1 while the rows of A pass by.
//
// The rows are dealt out evenly: 16 rows are 8 + 8 and not 14 + 2, since a tile of few rows has too few independent
// FMAs to hide their latency.
template <class T>
static void multiply_panel(const MatmulBlock<T>& block, const TileFunction<T>* by_rows, const T* b, T* c,
                           const TileEnd<T>& end) noexcept {
  const std::size_t tiles = (block.rows + kTileRows - 1) / kTileRows;
  const std::size_t height = block.rows / tiles, higher = block.rows % tiles;
  const std::size_t row_step = block.a_layout == LeftLayout::rows ? block.a_stride : 1;
  const T* a = block.a;
  for (std::size_t t = 0; t < tiles; ++t) {
    const std::size_t rows = height + (t < higher ? 1 : 0);
    by_rows[rows - 1](block.depth, a, block.a_stride, b, block.b_stride, c, block.ldc, end);
    a += rows * row_step;
    c += rows * block.ldc;
  }
}

template <class T>
static void multiply(const MatmulBlock<T>& block) noexcept {
  constexpr std::size_t W = lanes<T>;
  const bool rows = block.a_layout == LeftLayout::rows;
  const TileTable<T>& whole = rows ? kTiles<T, LeftLayout::rows, false> : kTiles<T, LeftLayout::columns, false>;
  for (std::size_t j = 0; j < block.cols; j += kTileCols<T>) {
    const T* b = block.b + j / kTileCols<T> * block.b_panel;
    const std::size_t cols = block.cols - j < kTileCols<T> ? block.cols - j : kTileCols<T>;
    const std::size_t vectors = (cols + W - 1) / W, tail = cols - (vectors - 1) * W;
    const TileEnd<T> end{block.alpha, block.beta, tail};
    if (tail == W) {
      multiply_panel<T>(block, whole.at[vectors - 1], b, block.c + j, end);
    } else {
      const TileTable<T>& cut = rows ? kTiles<T, LeftLayout::rows, true> : kTiles<T, LeftLayout::columns, true>;
      multiply_panel<T>(block, cut.at[vectors - 1], b, block.c + j, end);
    }
  }
}

template <class T>
static void scale(T beta, std::size_t rows, std::size_t cols, T* c, std::size_t ldc) noexcept {
  constexpr std::size_t W = lanes<T>;
  const Vec<T> factor(beta);
  for (std::size_t i = 0; i < rows; ++i, c += ldc) {
    std::size_t j = 0;
    if (beta == T(0)) {
      for (; j + W <= cols; j += W) store<T>(c + j, Vec<T>(T(0)));
      if (j < cols) store_first<T>(c + j, Vec<T>(T(0)), cols - j);
    } else {
      for (; j + W <= cols; j += W) store<T>(c + j, factor * load<T>(c + j));
      if (j < cols) store_first<T>(c + j, factor * load_first<T>(c + j, cols - j), cols - j);
    }
  }
}

}  // namespace pawl::PAWL_ISA_NS
