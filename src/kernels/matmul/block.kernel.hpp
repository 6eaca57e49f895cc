// block.kernel.hpp -- a block of the product -> register tiles, and the scaling of C without a product.
#pragma once
#include "kernels/matmul/tile.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// All rows of a block for one panel of B, which the caches hold while the rows of A pass by.
//
// The rows are dealt out evenly: 16 rows are 8 + 8 and not 14 + 2, since a tile of few rows has too few independent
// FMAs to hide their latency. If the panel is to be packed, the first tile does it while it computes, and the others
// read the copy. The first tiles also fetch the next panel, one column of cache lines each.
template <class T>
static void multiply_panel(const MatmulBlock<T>& block, TileCall<T> call, std::size_t vectors, T* c, const T* next,
                           std::size_t next_stride) noexcept {
  constexpr std::size_t kLine = 64 / sizeof(T);
  const bool cut = call.tail != lanes<T>;
  const TileFunction<T>* by_rows = tiles<T>(block.a_layout, cut, call.packed != nullptr).at[vectors - 1];
  const std::size_t count = (block.rows + block.tile_rows - 1) / block.tile_rows;
  const std::size_t height = block.rows / count, higher = block.rows % count;
  const std::size_t row_step = block.a_layout == LeftLayout::rows ? block.a_stride : 1;
  const T* a = block.a;
  for (std::size_t t = 0; t < count; ++t) {
    const std::size_t rows = height + (t < higher ? 1 : 0);
    const bool fetches = t * kLine < kTileCols<T>;
    by_rows[rows - 1](call, a, c, fetches ? next + t * kLine : call.b, fetches ? next_stride : call.b_stride);
    a += rows * row_step;
    c += rows * block.ldc;
    if (call.packed) {
      call.b = call.packed;
      call.b_stride = kTileCols<T>;
      call.packed = nullptr;
      by_rows = tiles<T>(block.a_layout, cut, false).at[vectors - 1];
    }
  }
}

template <class T>
static void multiply(const MatmulBlock<T>& block) noexcept {
  constexpr std::size_t W = lanes<T>;
  TileCall<T> call{};
  call.depth = block.depth;
  call.a_stride = block.a_stride;
  call.b_stride = block.b_stride;
  call.ldc = block.ldc;
  call.alpha = block.alpha;
  call.beta = block.beta;
  call.b = block.b;
  call.packed = block.packed;
  for (std::size_t j = 0; j < block.cols; j += kTileCols<T>) {
    const std::size_t cols = block.cols - j < kTileCols<T> ? block.cols - j : kTileCols<T>;
    const std::size_t vectors = (cols + W - 1) / W;
    call.tail = cols - (vectors - 1) * W;
    // The last panel has no next one: it asks for itself, which is there already.
    const bool last = block.cols - j <= kTileCols<T>;
    multiply_panel<T>(block, call, vectors, block.c + j, last ? call.b : call.b + block.b_panel, block.b_stride);
    call.b += block.b_panel;
    if (call.packed) call.packed += block.packed_panel;
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
