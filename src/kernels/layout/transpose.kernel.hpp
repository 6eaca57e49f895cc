// transpose.kernel.hpp -- a matrix -> its transpose, tile by tile, written once for every ISA.
//
// A tile (16 x 16 f32 with AVX-512) reads and writes whole cache lines where the matrices are aligned. Within a band of
// kBand rows the tiles go down first: what they write are neighbours in the rows of the result, so that a line that two
// tiles share is still in L1 when the second one comes, and memory is written in runs of kBand elements.
#pragma once
#include "kernels/layout/tile.kernel.hpp"
#include "kernels/simd/elementwise.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// At 1024 columns of f32, 16, 32 and 64 rows took 2.2, 1.6 and 1.0 times as long as 128, and 256 as long. Past the
// caches two tiles are best: the runs that are written then matter less than the number of rows that are read at once.
inline constexpr std::size_t kBand = 128;

#if defined(PAWL_ISA_IS_scalar)
template <class T>
inline constexpr std::size_t kTile = 1;
#else
template <class T>
inline constexpr std::size_t kTile = lanes<T>;
#endif

// Rows [i0, i1) and all columns, both at least kSide; tiles at the end overlap those before them.
template <class T, std::size_t kSide, bool kStream>
PAWL_INLINE void transpose_band(const T* x, std::ptrdiff_t x_stride, std::size_t i0, std::size_t i1, std::size_t n,
                                T* out, std::ptrdiff_t out_stride) {
  constexpr std::size_t kLanes = kSide < kLane<T> ? 1 : kSide / kLane<T>;
  const auto tile = [&](std::size_t i, std::size_t j) PAWL_INLINE_LAMBDA {
    const auto row = static_cast<std::ptrdiff_t>(i), column = static_cast<std::ptrdiff_t>(j);
    transpose_tile<T, kLanes>(x + row * x_stride + column, x_stride, out + column * out_stride + row, out_stride,
                              [](T* p, auto v) PAWL_INLINE_LAMBDA {
                                if constexpr (kStream)
                                  stream<T>(p, Vec<T>((typename Vec<T>::register_type)v));
                                else
                                  __builtin_memcpy(p, &v, sizeof(v));
                              });
  };
  for (std::size_t j = 0; j < n; j += kSide) {
    const std::size_t at = j + kSide <= n ? j : n - kSide;
    std::size_t i = i0;
    for (; i + kSide <= i1; i += kSide) tile(i, at);
    if (i < i1) tile(i1 - kSide, at);
  }
}

template <class T, std::size_t kSide, bool kStream>
PAWL_INLINE void transpose_bands(const T* x, std::ptrdiff_t x_stride, std::size_t m, std::size_t n, T* out,
                                 std::ptrdiff_t out_stride) {
  for (std::size_t i = 0; i < m;) {
    // No band is left with fewer rows than a tile has.
    constexpr std::size_t kRows = kStream ? 2 * kSide : kBand;
    const std::size_t end = m - i < kRows + kSide ? m : i + kRows;
    transpose_band<T, kSide, kStream>(x, x_stride, i, end, n, out, out_stride);
    i = end;
  }
}

template <class T>
static void transpose(const T* x, std::ptrdiff_t x_stride, std::size_t m, std::size_t n, T* out,
                      std::ptrdiff_t out_stride) noexcept {
  if (m >= kTile<T> && n >= kTile<T>) {
#if !defined(PAWL_ISA_IS_scalar) && !defined(PAWL_ISA_IS_neon)
    // Past the caches only in whole lines.
    const bool lines = sizeof(T) * kTile<T> == 64 && reinterpret_cast<std::uintptr_t>(out) % 64 == 0 &&
                       out_stride % static_cast<std::ptrdiff_t>(kTile<T>) == 0 && m % kTile<T> == 0;
    if (lines && worth_streaming(2 * m * n * sizeof(T))) {
      transpose_bands<T, kTile<T>, true>(x, x_stride, m, n, out, out_stride);
      return stream_end();
    }
#endif
    return transpose_bands<T, kTile<T>, false>(x, x_stride, m, n, out, out_stride);
  }
  constexpr bool kSmaller = kLane<T> < kTile<T>;
  if constexpr (kSmaller)
    if (m >= kLane<T> && n >= kLane<T>) return transpose_bands<T, kLane<T>, false>(x, x_stride, m, n, out, out_stride);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < m; ++i)
      out[static_cast<std::ptrdiff_t>(j) * out_stride + static_cast<std::ptrdiff_t>(i)] =
          x[static_cast<std::ptrdiff_t>(i) * x_stride + static_cast<std::ptrdiff_t>(j)];
}

}  // namespace pawl::PAWL_ISA_NS
