// pack.kernel.hpp -- parts of A and B -> copies in the order in which the tiles read them.
//
// Packing makes each panel of B contiguous: it then lies in few pages and in all sets of L1, whatever the leading
// dimension is (Goto and van de Geijn, Anatomy of high-performance matrix multiplication, 2008, section 5).
#pragma once
#include "kernels/matmul/tile.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// One panel of `cols` <= kTileCols columns out of a row-major B.
template <class T>
PAWL_INLINE void pack_panel(const T* b, std::size_t ldb, std::size_t depth, std::size_t cols, T* out) {
  constexpr std::size_t W = lanes<T>;
  if (cols == kTileCols<T>) {
    for (std::size_t p = 0; p < depth; ++p, b += ldb, out += kTileCols<T>) {
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kTileVectors; ++v) store<T>(out + v * W, load<T>(b + v * W));
    }
    return;
  }
  for (std::size_t p = 0; p < depth; ++p, b += ldb, out += kTileCols<T>)
    for (std::size_t v = 0; v < kTileVectors; ++v) {
      const std::size_t from = v * W;
      store<T>(out + from, from >= cols ? Vec<T>(T(0)) : load_first<T>(b + from, cols - from < W ? cols - from : W));
    }
}

template <class T>
static void pack_b(const T* b, std::size_t ldb, std::size_t depth, std::size_t cols, T* out) noexcept {
  for (std::size_t j = 0; j < cols; j += kTileCols<T>, out += depth * kTileCols<T>)
    pack_panel<T>(b + j, ldb, depth, cols - j < kTileCols<T> ? cols - j : kTileCols<T>, out);
}

template <class T>
static void copy_rows(const T* a, std::size_t lda, std::size_t rows, std::size_t cols, T* out,
                      std::size_t out_stride) noexcept {
  constexpr std::size_t W = lanes<T>;
  for (std::size_t i = 0; i < rows; ++i, a += lda, out += out_stride) {
    std::size_t j = 0;
    for (; j + W <= cols; j += W) store<T>(out + j, load<T>(a + j));
    if (j < cols) store_first<T>(out + j, load_first<T>(a + j, cols - j), cols - j);
  }
}

}  // namespace pawl::PAWL_ISA_NS
