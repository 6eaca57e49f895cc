// transpose.kernel.hpp -- a matrix -> its transpose, tile by tile, written once for every ISA.
//
// A tile (16 x 16 f32 with AVX-512) reads and writes whole cache lines where the matrices are aligned. Within a band of
// rows the tiles go down first: what they write are neighbours in the rows of the result, so that a line that two tiles
// share is still in L1 when the second one comes, and memory is written in runs of as many elements as the band has
// rows.
#pragma once
#include "isa/row_streams.hpp"
#include "isa/store_misses.hpp"
#include "kernels/layout/narrow.kernel.hpp"
#include "kernels/layout/tile.kernel.hpp"
#include "kernels/simd/elementwise.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// Rows of a band. Two tiles are better where their rows share few sets of L1, and far past the caches: the runs that
// are written then matter less than the number of rows that are read at once.
inline constexpr std::size_t kBand = 128;

// Columns of a block that goes through a buffer of its own: kBand x 64 f32 are 32 KiB (64, 128 and 256 rows, 32, 64 and
// 128 columns were tried).
template <class T>
inline constexpr std::size_t kBlockColumns = 256 / sizeof(T);

#if defined(PAWL_ISA_IS_scalar)
template <class T>
inline constexpr std::size_t kTile = 1;
#else
template <class T>
inline constexpr std::size_t kTile = lanes<T>;
#endif

template <class T, std::size_t kSide>
inline constexpr std::size_t kTileLanes = kSide < kLane<T> ? 1 : kSide / kLane<T>;

// How tiles go to memory: through the caches, or past them; "ahead" asks for columns to come and, but for what goes
// past the caches, for the lines that they are written to. Those count most: a processor asks for what it will write
// only when a store is about to retire. Time of asking for columns alone over time so on an Emerald Rapids, AVX-512 and
// AVX2, f32: 700 x 700 2.0 and 1.6, 1000 x 1000 2.1 and 1.8, 1300 x 1300 1.8 and 1.5, 3000 x 3000 2.3 and 1.7.
//
// The lines are those of the tile to the right or, "down", of the one after the next below, which is soon. Time to the
// right over time down on the same CPU, AVX-512 and AVX2: f32 150 x 150 1.24 and 1.0, 256 x 250 2.0 and 1.3, 600 x 150
// 1.3 and 1.1, 700 x 700 1.3 and 0.98, 1000 x 1000 1.28 and 1.02, 2000 x 1500 1.24 and 0.9 to 1.4, 1000 x 40 1.7 and
// 1.4, 4000 x 20 2.1 and 1.8, 20 x 4000 0.96 and 1.01, 16 x 1000 0.75 and 1.0; f64 200 x 200 1.2 and 1.15, 256 x 250
// 2.0 and 1.4, 600 x 150 1.5 and 1.2, 700 x 700 1.1 and 0.91, 1300 x 1300 1.0 and 1.0, 1000 x 20 1.9 and 1.5.
enum class Writing { kStore, kStoreAhead, kStoreAheadDown, kStreamAhead };

// Rows [i0, i1) and all columns, both at least kSide; tiles at the end overlap those before them.
template <class T, std::size_t kSide, Writing kWriting, bool kWhole>
PAWL_INLINE void transpose_band(const T* x, std::ptrdiff_t x_stride, std::size_t i0, std::size_t i1, std::size_t n,
                                T* out, std::ptrdiff_t out_stride) {
  const auto tile = [&](std::size_t i, std::size_t j) PAWL_INLINE_LAMBDA {
    const T* from = x + static_cast<std::ptrdiff_t>(i) * x_stride + static_cast<std::ptrdiff_t>(j);
    // What lies beyond the rows may be asked for, too.
    constexpr std::size_t kAhead = kWriting == Writing::kStreamAhead ? 4 : 1;  // tiles; tried: 1, 2, 4, 8
    if constexpr (kWriting != Writing::kStore)
      unroll<kSide>([&](auto k) PAWL_INLINE_LAMBDA {
        prefetch<T>(from + static_cast<std::ptrdiff_t>(k) * x_stride + kAhead * kSide);
        constexpr bool kRight = kWriting == Writing::kStoreAhead, kDown = kWriting == Writing::kStoreAheadDown;
        if constexpr (kRight || kDown)
          __builtin_prefetch(out + static_cast<std::ptrdiff_t>(j + k + (kRight ? kSide : 0)) * out_stride +
                                 static_cast<std::ptrdiff_t>(i + (kDown ? 2 * kSide : 0)),
                             1, 3);
      });
    transpose_tile<T, kTileLanes<T, kSide>, kWhole>(
        from, x_stride, out + static_cast<std::ptrdiff_t>(j) * out_stride + static_cast<std::ptrdiff_t>(i), out_stride,
        [](T* p, auto v) PAWL_INLINE_LAMBDA {
          if constexpr (kWriting == Writing::kStreamAhead)
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

template <class T, std::size_t kSide, Writing kWriting, bool kWhole>
PAWL_INLINE void transpose_bands(const T* x, std::ptrdiff_t x_stride, std::size_t m, std::size_t n, T* out,
                                 std::ptrdiff_t out_stride, std::size_t rows) {
  for (std::size_t i = 0; i < m;) {
    // No band is left with fewer rows than a tile has.
    const std::size_t end = m - i < rows + kSide ? m : i + rows;
    transpose_band<T, kSide, kWriting, kWhole>(x, x_stride, i, end, n, out, out_stride);
    i = end;
  }
}

// to[i] = row[i] for i < count.
template <class T>
PAWL_INLINE void write_run(const T* row, T* to, std::size_t count) {
  constexpr std::size_t W = lanes<T>;
  std::size_t i = 0;
  // Four at a time, which the compiler does not take for a call of memcpy (0.7 of the speed).
  for (; i + 4 * W <= count; i += 4 * W)
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { store<T>(to + i + k * W, load<T>(row + i + k * W)); });
  for (; i + W <= count; i += W) store<T>(to + i, load<T>(row + i));
  if (i < count) store_first<T>(to + i, load_first<T>(row + i, count - i), count - i);
}

// Block by block through a buffer. Rows of x and of out that are a power of two apart share few sets of the caches: the
// tiles then read along rows, write into the buffer, and its rows are written one at a time (x2 at 1024 x 1024 f32).
// Each asks for the lines of a row to come: time without over time so on an Emerald Rapids, AVX-512 and AVX2, f32: 1024
// squared 1.03 and 1.27, 2048 1.06 and 1.2, 4096 1.8 and 2.6; to ask from the tiles, for what they read too, was
// slower.
template <class T>
PAWL_INLINE void transpose_by_blocks(const T* x, std::ptrdiff_t x_stride, std::size_t m, std::size_t n, T* out,
                                     std::ptrdiff_t out_stride) {
  // No block has fewer rows or columns than a tile.
  constexpr std::size_t kSide = kTile<T>, kColumns = kBlockColumns<T>, kStep = kBand + kSide;
  alignas(64) T buffer[(kColumns + kSide) * kStep];
  for (std::size_t i0 = 0, rows; i0 < m; i0 += rows) {
    rows = m - i0 < kBand + kSide ? m - i0 : kBand;
    for (std::size_t j0 = 0, columns; j0 < n; j0 += columns) {
      columns = n - j0 < kColumns + kSide ? n - j0 : kColumns;
      const T* from = x + static_cast<std::ptrdiff_t>(i0) * x_stride + static_cast<std::ptrdiff_t>(j0);
      for (std::size_t i = 0; i < rows; i += kSide)
        for (std::size_t j = 0; j < columns; j += kSide) {
          const std::size_t r = i + kSide <= rows ? i : rows - kSide, c = j + kSide <= columns ? j : columns - kSide;
          transpose_tile<T, kTileLanes<T, kSide>, true>(
              from + static_cast<std::ptrdiff_t>(r) * x_stride + static_cast<std::ptrdiff_t>(c), x_stride,
              buffer + c * kStep + r, static_cast<std::ptrdiff_t>(kStep),
              [](T* p, auto v) PAWL_INLINE_LAMBDA { __builtin_memcpy(p, &v, sizeof(v)); });
        }
      constexpr std::ptrdiff_t kRunsAhead = 4;
      for (std::size_t j = 0; j < columns; ++j) {
        T* const to = out + static_cast<std::ptrdiff_t>(j0 + j) * out_stride + static_cast<std::ptrdiff_t>(i0);
        const T* const later = to + kRunsAhead * out_stride;
        for (std::size_t i = 0; i < rows; i += 64 / sizeof(T)) __builtin_prefetch(later + i, 1, 3);
        write_run<T>(buffer + j * kStep, to, rows);
      }
    }
  }
}

// Both at least a tile wide.
template <class T>
static void transpose_large(const T* x, std::ptrdiff_t x_stride, std::size_t m, std::size_t n, T* out,
                            std::ptrdiff_t out_stride) noexcept {
  constexpr std::size_t kSide = kTile<T>;
  constexpr auto kSize = static_cast<std::ptrdiff_t>(sizeof(T));
  const std::size_t bytes = 2 * m * n * sizeof(T);
#if !defined(PAWL_ISA_IS_scalar) && !defined(PAWL_ISA_IS_neon)
  const std::size_t l3 = kept_in_l3();
  // Past the caches only in whole lines. From half the last level on, a line of the result that is fetched only to be
  // overwritten costs more than its next reader gains.
  const bool lines = sizeof(T) * kSide == 64 && reinterpret_cast<std::uintptr_t>(out) % 64 == 0 &&
                     out_stride % static_cast<std::ptrdiff_t>(kSide) == 0 && m % kSide == 0;
  if (lines && bytes > l3 / 2) {
    const std::size_t rows = bytes > 2 * l3 - l3 / 4 ? 2 * kSide : kBand;
    transpose_bands<T, kSide, Writing::kStreamAhead, false>(x, x_stride, m, n, out, out_stride, rows);
    return stream_end();
  }
#endif
  // Rows 1 KiB apart share 4 of the 64 sets of L1, rows 2 KiB apart 2: the more of them, the sooner lines are gone
  // again.
  const bool large = bytes > assumed_cache_sizes().l2_bytes;
  // What follows depends on the CPU. Zen 4 (32 KiB of L1), whose shuffles of 512 bits take two turns, is faster by
  // parts of rows (256 x 256 f32: x1.36), Zen 5 (48 KiB) by whole ones; both by their own prefetching as long as L3
  // holds all (Zen 4, 1000 x 1000 f32: x1.15). The bands of AVX2 were measured with 48 KiB.
  const bool small_l1 = assumed_cache_sizes().l1d_bytes <= 32768;
  constexpr bool kHalfLines = sizeof(T) * kSide == 32;
  constexpr std::size_t kFewRows = 32, kNarrow = sizeof(T) == 4 && kSide * sizeof(T) == 64 ? kSide / 2 : kSide;
  if (large && x_stride * kSize % 2048 == 0 && out_stride * kSize % 2048 == 0) {
    // Time of blocks over time so, f32 and f64: 1024 squared 1.2 and 1.17, 2048 squared 1.15 and 1.15.
    if (kHalfLines && !small_l1)
      return transpose_bands<T, kSide, Writing::kStoreAhead, false>(x, x_stride, m, n, out, out_stride, kFewRows);
    return transpose_by_blocks<T>(x, x_stride, m, n, out, out_stride);
  }
  const bool whole_lines = reinterpret_cast<std::uintptr_t>(out) % 64 == 0 && out_stride * kSize % 64 == 0;
  const bool down = detail::stores_wait_for_lines && m >= 4 * kSide;
  // Rows of the result a whole number of pages apart, or nearly so, that begin within lines: the 16 lines of a tile are
  // more than a set of L1 keeps, and what is to its left of them is gone when the next tile comes.
  constexpr bool kWide = sizeof(T) == 4 && !kHalfLines;
  constexpr std::ptrdiff_t kPage = 4096, kNear = 12;
  if (kWide && down && !whole_lines && bytes > assumed_cache_sizes().l1d_bytes &&
      (out_stride * kSize + kNear) % kPage <= 2 * kNear)
    return transpose_by_blocks<T>(x, x_stride, m, n, out, out_stride);
  // Results that begin within a line ask down instead, as below. Time so over that on an Emerald Rapids: f32 256 x 256
  // 1.6, 768 x 768 1.35, f64 128 x 128 1.9, 256 x 128 2.2.
  if (!small_l1 && x_stride * kSize % 2048 == 1024 && out_stride * kSize % 1024 == 0 && (whole_lines || !down)) {
    // Tiles of 16 x 16 over tiles of 8 x 8 so on a Zen 5: 256 x 256 1.13, 768 x 768 1.05.
    if constexpr (kNarrow < kSide)
      if (!detail::follows_rows_into_l2)
        return transpose_bands<T, kNarrow, Writing::kStore, false>(x, x_stride, m, n, out, out_stride, kFewRows);
    return transpose_bands<T, kSide, Writing::kStore, true>(x, x_stride, m, n, out, out_stride, kFewRows);
  }
  if (large && bytes <= assumed_cache_sizes().l3_bytes / 3) {
    if (small_l1)
      return transpose_bands<T, kSide, Writing::kStore, false>(x, x_stride, m, n, out, out_stride, kBand / 2);
    // A Zen 5's own prefetching keeps up as well. Time asked ahead over time so: f32 400 x 400 1.11, 600 1.15,
    // 700 1.11, 1000 1.17 (1.05 by tiles of 16); f64 300 x 300 1.12, 600 1.25, 1000 1.04.
    if (!detail::follows_rows_into_l2)
      return transpose_bands<T, kNarrow, Writing::kStore, false>(x, x_stride, m, n, out, out_stride,
                                                                 sizeof(T) == 4 ? kBand / 2 : kFewRows);
  }
  if (large && down && (kWide || n < 8 * kSide))
    return transpose_bands<T, kSide, Writing::kStoreAheadDown, false>(x, x_stride, m, n, out, out_stride, kBand);
  // 3000 x 3000 f32 in bands of kBand took AVX2 1.15 times as long.
  if (large)
    return transpose_bands<T, kSide, Writing::kStoreAhead, false>(x, x_stride, m, n, out, out_stride,
                                                                  kHalfLines && !small_l1 ? kBand / 2 : kBand);
  if (!small_l1 && bytes > assumed_cache_sizes().l1d_bytes) {
    // 128 x 128 f32 1.3, 384 x 384 1.15 times as fast as in bands of kBand.
    if (kHalfLines && x_stride * kSize % 512 == 0 && x_stride * kSize % 2048 != 0)
      return transpose_bands<T, kSide, Writing::kStore, false>(x, x_stride, m, n, out, out_stride, kFewRows);
    // Lines that two tiles share, or that their stores cross, are asked for in L2 too. Time without over time so on an
    // Emerald Rapids, AVX-512 and AVX2: f32 90 x 90 1.47 and 1.38, 150 x 150 1.2 and 1.5, 250 x 250 1.28 and 1.49; f64
    // 70 x 70 1.6 and 1.6, 150 x 600 1.4 and 1.45. Where rows begin with lines 0.92 to 1.15.
    if (!whole_lines && down)
      return transpose_bands<T, kSide, Writing::kStoreAheadDown, false>(x, x_stride, m, n, out, out_stride, kBand);
    if (!whole_lines)
      return transpose_bands<T, kSide, Writing::kStoreAhead, false>(x, x_stride, m, n, out, out_stride, kBand);
  }
  transpose_bands<T, kSide, Writing::kStore, false>(x, x_stride, m, n, out, out_stride, kBand);
}

template <class T>
static void transpose(const T* x, std::ptrdiff_t x_stride, std::size_t m, std::size_t n, T* out,
                      std::ptrdiff_t out_stride) noexcept {
  if (m >= kTile<T> && n >= kTile<T>) return transpose_large<T>(x, x_stride, m, n, out, out_stride);
#if defined(PAWL_ISA_IS_avx512)
  if (x_stride == static_cast<std::ptrdiff_t>(n) && part_narrow<T>(n, x, m, out, out_stride)) return;
  if (out_stride == static_cast<std::ptrdiff_t>(m) && join_narrow<T>(m, x, x_stride, n, out)) return;
#endif
#if defined(PAWL_ISA_IS_avx2)
  if (x_stride == static_cast<std::ptrdiff_t>(n)) {
    const std::size_t done = part_narrow<T>(n, x, m, out, out_stride);
    x += done * n;
    m -= done;
    out += done;
  }
#endif
  constexpr bool kSmaller = kLane<T> < kTile<T>, kBetween = 2 * kLane<T> < kTile<T>;
  // 59 x 7 f64 in the smallest tiles took 1.4 times as long, 1000 x 15 f32 1.5 times.
  if constexpr (kBetween)
    if (m >= 2 * kLane<T> && n >= 2 * kLane<T>)
      return transpose_bands<T, 2 * kLane<T>, Writing::kStore, false>(x, x_stride, m, n, out, out_stride, kBand);
  if constexpr (kSmaller)
    if (m >= kLane<T> && n >= kLane<T>)
      return transpose_bands<T, kLane<T>, Writing::kStore, false>(x, x_stride, m, n, out, out_stride, kBand);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < m; ++i)
      out[static_cast<std::ptrdiff_t>(j) * out_stride + static_cast<std::ptrdiff_t>(i)] =
          x[static_cast<std::ptrdiff_t>(i) * x_stride + static_cast<std::ptrdiff_t>(j)];
}

}  // namespace pawl::PAWL_ISA_NS
