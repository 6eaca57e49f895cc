// pack.kernel.hpp -- parts of A and B -> copies in the order in which the tiles read them.
//
// Packing makes each panel of B contiguous: it then lies in few pages and in all sets of L1, whatever the leading
// dimension is (Goto and van de Geijn, Anatomy of high-performance matrix multiplication, 2008, section 5).
#pragma once
#include "kernels/layout/tile.kernel.hpp"
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

// kSize columns of a transposed B, kSize steps of depth at a time, turned in registers; returns how many steps.
template <class T, std::size_t kSize>
PAWL_INLINE std::size_t turn_columns(const T* b, std::size_t ldb, std::size_t p, std::size_t depth, T* out) {
  for (; p + kSize <= depth; p += kSize)
    transpose_tile<T, kSize / kLane<T>>(
        b + p, static_cast<std::ptrdiff_t>(ldb), out + p * kTileCols<T>, static_cast<std::ptrdiff_t>(kTileCols<T>),
        [](T* to, auto row) PAWL_INLINE_LAMBDA { __builtin_memcpy(to, &row, sizeof row); });
  return p;
}

// One panel out of a transposed B: element (p, j) is b[j * ldb + p]. What fills no tile of whole vectors is turned by
// tiles of 128 bits (4 rows times 85 columns and a depth of 28, f32: one by one they took 0.6 of the time).
template <class T>
PAWL_INLINE void pack_panel_transposed(const T* b, std::size_t ldb, std::size_t depth, std::size_t cols, T* out) {
  constexpr std::size_t W = lanes<T>, L = kLane<T>;
  std::size_t turned_cols = 0, turned_depth = 0;
  if constexpr (W >= L) {
    turned_cols = cols / L * L;
    turned_depth = depth / L * L;
    for (std::size_t j = 0; j < turned_cols;) {
      std::size_t p = 0, width = L;
      if constexpr (W > L)
        if (j + W <= cols) {
          p = turn_columns<T, W>(b + j * ldb, ldb, 0, depth, out + j);
          width = W;
        }
      for (const std::size_t end = j + width; j < end; j += L) turn_columns<T, L>(b + j * ldb, ldb, p, depth, out + j);
    }
  }
  for (std::size_t p = turned_depth; p < depth; ++p)
    for (std::size_t j = 0; j < turned_cols; ++j) out[p * kTileCols<T> + j] = b[j * ldb + p];
  for (std::size_t p = 0; p < depth; ++p)
    for (std::size_t j = turned_cols; j < kTileCols<T>; ++j)
      out[p * kTileCols<T> + j] = j < cols ? b[j * ldb + p] : T(0);
}

template <class T>
static void pack_b(const T* b, std::size_t ldb, bool transposed, std::size_t depth, std::size_t cols, T* out) noexcept {
  for (std::size_t j = 0; j < cols; j += kTileCols<T>, out += depth * kTileCols<T>) {
    const std::size_t width = cols - j < kTileCols<T> ? cols - j : kTileCols<T>;
    if (transposed) {
      pack_panel_transposed<T>(b + j * ldb, ldb, depth, width, out);
    } else {
      pack_panel<T>(b + j, ldb, depth, width, out);
    }
  }
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
