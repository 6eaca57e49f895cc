// packed.kernel.hpp -- blocks of A and B -> packed copies, and the product of packed blocks.
#pragma once
#include "kernels/matmul/tile.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static void pack_a(const T* a, std::size_t row_stride, std::size_t col_stride, std::size_t m, std::size_t kc,
                   T* out) noexcept {
  constexpr std::size_t W = lanes<T>;
  if (col_stride == 1) {
    for (std::size_t i = 0; i < m; ++i) {
      const T* from = a + i * row_stride;
      T* to = out + i * kAStride<T>;
      std::size_t p = 0;
      for (; p + 4 * W <= kc; p += 4 * W)
        unroll<4>([&](auto u) PAWL_INLINE_LAMBDA { store<T>(to + p + u * W, load<T>(from + p + u * W)); });
      for (; p + W <= kc; p += W) store<T>(to + p, load<T>(from + p));
      if (p < kc) store_first<T>(to + p, load_first<T>(from + p, kc - p), kc - p);
    }
    return;
  }
  // Transposed: blocks of a cache line of rows by a line of columns, so that each line that is read or written is used
  // whole.
  constexpr std::size_t kBlock = 64 / sizeof(T);
  for (std::size_t i0 = 0; i0 < m; i0 += kBlock) {
    const std::size_t rows = m - i0 < kBlock ? m - i0 : kBlock;
    for (std::size_t p = 0; p < kc; ++p) {
      const T* from = a + i0 * row_stride + p * col_stride;
      for (std::size_t i = 0; i < rows; ++i) out[(i0 + i) * kAStride<T> + p] = from[i * row_stride];
    }
  }
}

template <class T>
static void pack_b(const T* b, std::size_t row_stride, std::size_t col_stride, std::size_t kc, std::size_t n,
                   T* out) noexcept {
  constexpr std::size_t W = lanes<T>, NR = kNr<T>;
  for (std::size_t j = 0; j < n; j += NR, out += NR * kc) {
    const std::size_t columns = n - j < NR ? n - j : NR;
    if (col_stride == 1 && columns == NR) {
      for (std::size_t p = 0; p < kc; ++p) {
        const T* from = b + p * row_stride + j;
        prefetch(from + 8 * row_stride);  // rows are pages apart, where no hardware prefetcher follows
        prefetch(from + 8 * row_stride + NR - 1);
        unroll<kVectors>([&](auto v) PAWL_INLINE_LAMBDA { store<T>(out + p * NR + v * W, load<T>(from + v * W)); });
      }
    } else if (col_stride == 1) {
      for (std::size_t p = 0; p < kc; ++p)
        unroll<kVectors>([&](auto v) PAWL_INLINE_LAMBDA {
          const std::size_t first = v * W, count = columns <= first ? 0 : columns - first < W ? columns - first : W;
          store<T>(out + p * NR + first, load_first<T>(b + p * row_stride + j + (count == 0 ? 0 : first), count));
        });
    } else {
      for (std::size_t p = 0; p < kc; ++p) {
        for (std::size_t c = 0; c < columns; ++c) out[p * NR + c] = b[p * row_stride + (j + c) * col_stride];
        for (std::size_t c = columns; c < NR; ++c) out[p * NR + c] = T(0);
      }
    }
  }
}

// Not inlined: one copy of each tile height, called through the row count of the last panel.
template <class T, std::size_t R>
[[gnu::noinline]] static void packed_tile(std::size_t kc, const T* a, const T* b, Update<T> update, T* c,
                                          std::size_t ldc, std::size_t n) noexcept {
  if (n > kNr<T> - lanes<T>) {
    tile<T, R, kVectors, false>(kc, a, kAStride<T>, b, kNr<T>, update, c, ldc, n);
  } else {
    // Fewer columns than all but the last vector: one vector at a time.
    for (std::size_t v = 0; v < n; v += lanes<T>)
      tile<T, R, 1, false>(kc, a, kAStride<T>, b + v, kNr<T>, update, c + v, ldc, n - v < lanes<T> ? n - v : lanes<T>);
  }
}

template <class T>
static void product(std::size_t m, std::size_t n, std::size_t kc, const T* a, const T* b, Update<T> update, T* c,
                    std::size_t ldc) noexcept {
  for (std::size_t j = 0; j < n; j += kNr<T>, b += kNr<T> * kc) {
    const std::size_t columns = n - j < kNr<T> ? n - j : kNr<T>;
    std::size_t i = 0;
    for (; i + kRows <= m; i += kRows)
      packed_tile<T, kRows>(kc, a + i * kAStride<T>, b, update, c + i * ldc + j, ldc, columns);
    if (i < m)
      with_constant(std::make_index_sequence<kRows>{}, m - i, [&](auto rows) PAWL_INLINE_LAMBDA {
        packed_tile<T, rows>(kc, a + i * kAStride<T>, b, update, c + i * ldc + j, ldc, columns);
      });
  }
}

}  // namespace pawl::PAWL_ISA_NS
