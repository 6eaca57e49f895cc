// spmm.kernel.hpp -- C = A B for rows in CSR and a row-major dense B: a row of C stays in registers.
#pragma once
#include <cstdint>

#include "kernels/sparse/sparse_table.hpp"
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

// How many entries ahead a row of B is fetched: far enough for the latency of L3 at some ns per entry. ms with 6, 12
// and 24 (Zen 4, f64, 10^5 rows, 32 columns): random 15, 12, 14, power law 7.9, 6.1, 6.0, 3D stencil 3.4, 3.3, 3.8.
inline constexpr std::size_t kFetchRows = 12;

// V whole vectors of one row of C; the last holds only the first `count` elements if kTail. kStream:
// c is a multiple of the vector's size, and no tail.
template <std::size_t V, bool kTail, bool kFetch, bool kStream, class T, class I>
PAWL_INLINE void row_block(const I* columns, const T* values, std::size_t n, const T* b, std::size_t ldb, T* c,
                           std::size_t count, std::size_t n_safe) {
  constexpr std::size_t W = lanes<T>;
  Vec<T> sum[V];
  unroll<V>([&](auto v) PAWL_INLINE_LAMBDA { sum[v] = Vec<T>(T(0)); });
  for (std::size_t k = 0; k < n; ++k) {
    const T* row = b + static_cast<std::size_t>(columns[k]) * ldb;
    if constexpr (kFetch) {
      // Beyond this row the next rows' entries follow; the last ones fetch themselves again.
      const T* next = b + static_cast<std::size_t>(columns[k + kFetchRows < n_safe ? k + kFetchRows : k]) * ldb;
      unroll<V>([&](auto v) PAWL_INLINE_LAMBDA {
        if constexpr (v * W * sizeof(T) % 64 == 0) prefetch(next + v * W);
      });
    }
    const Vec<T> factor(values[k]);
    unroll<V>([&](auto v) PAWL_INLINE_LAMBDA {
      if constexpr (kTail && v == V - 1)
        sum[v] = fma<T>(factor, load_first<T>(row + v * W, count), sum[v]);
      else
        sum[v] = fma<T>(factor, load<T>(row + v * W), sum[v]);
    });
  }
  unroll<V>([&](auto v) PAWL_INLINE_LAMBDA {
    if constexpr (kTail && v == V - 1)
      store_first<T>(c + v * W, sum[v], count);
    else if constexpr (kStream)
      stream<T>(c + v * W, sum[v]);
    else
      store<T>(c + v * W, sum[v]);
  });
}

template <bool kFetch, bool kStream, class T, class I>
static void csr_panel_rows(const I* start, const I* columns, const T* values, const T* b, std::size_t ldb, T* c,
                           std::size_t ldc, std::size_t width, std::size_t begin, std::size_t end) noexcept {
  constexpr std::size_t W = lanes<T>;
  const auto all = static_cast<std::size_t>(start[end]);
  for (std::size_t r = begin; r < end; ++r) {
    const auto k = static_cast<std::size_t>(start[r]), n = static_cast<std::size_t>(start[r + 1]) - k;
    T* row = c + (r - begin) * ldc;
    const auto block = [&]<std::size_t V, bool kTail>(std::size_t j, std::size_t count) PAWL_INLINE_LAMBDA {
      row_block<V, kTail, kFetch, kStream>(columns + k, values + k, n, b + j, ldb, row + j, count, all - k);
    };
    std::size_t j = 0;
    for (; j + 8 * W <= width; j += 8 * W) block.template operator()<8, false>(j, 0);
    if (j + 4 * W <= width) {
      block.template operator()<4, false>(j, 0);
      j += 4 * W;
    }
    if (j + 2 * W <= width) {
      block.template operator()<2, false>(j, 0);
      j += 2 * W;
    }
    if constexpr (kStream) {
      if (j < width) block.template operator()<1, false>(j, 0);
    } else if (j + W < width) {
      block.template operator()<2, true>(j, width - j - W);
    } else if (j < width) {
      block.template operator()<1, true>(j, width - j);
    }
  }
  if constexpr (kStream) stream_end();
}

template <class T, class I>
static void csr_panel(const I* start, const I* columns, const T* values, const T* b, std::size_t ldb, T* c,
                      std::size_t ldc, std::size_t width, std::size_t begin, std::size_t end, DenseSize size) noexcept {
  // Stores past the caches need whole vectors at their places, and are worth it for whole lines.
  const bool is_whole =
      width % (64 / sizeof(T)) == 0 && ldc % lanes<T> == 0 && reinterpret_cast<std::uintptr_t>(c) % sizeof(Vec<T>) == 0;
  const auto rows = size == DenseSize::in_l2                       ? csr_panel_rows<false, false, T, I>
                    : size == DenseSize::beyond_caches && is_whole ? csr_panel_rows<true, true, T, I>
                                                                   : csr_panel_rows<true, false, T, I>;
  rows(start, columns, values, b, ldb, c, ldc, width, begin, end);
}

}  // namespace pawl::PAWL_ISA_NS
