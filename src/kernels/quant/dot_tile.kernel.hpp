// dot_tile.kernel.hpp -- the sums of a register tile: M rows times a panel of weights, by dot products of 4 bytes each.
// Written once for every ISA, and for whatever the 4 bytes are.
#pragma once
#include "kernels/quant/int8_dot.hpp"

namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PAWL_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(PAWL_SANITIZED)
inline constexpr std::size_t kTileRows = 3;  // the code is the same, and compiles in a tenth of the time
#elif defined(PAWL_DOT_IS_BF16_AS_F32)
inline constexpr std::size_t kTileRows = 12;  // 24 sums, 4 vectors of weights, 2 broadcasts, a mask: 31 of 32 registers
#elif (defined(PAWL_HAS_DOT) || defined(PAWL_DOT_IS_F32)) && defined(PAWL_ISA_IS_avx512)
inline constexpr std::size_t kTileRows = 14;  // 28 sums, 2 vectors of weights, 2 broadcasts: 32 registers
#elif defined(PAWL_HAS_DOT) || defined(PAWL_DOT_IS_F32)
inline constexpr std::size_t kTileRows = 6;  // 12 sums, 2 vectors of weights and a broadcast of 16 registers
#elif defined(PAWL_ISA_IS_avx512)
inline constexpr std::size_t kTileRows = 8;  // 16 sums, 4 vectors of widened weights, products
#else
inline constexpr std::size_t kTileRows = 4;  // 8 sums and 4 vectors of widened weights of 16 registers
#endif

/// Chains of sums that do not wait for each other: few rows take several steps in depth at once (the dot product has a
/// latency of 4 or 5 cycles and two of them start in each).
template <std::size_t M>
#if (defined(PAWL_HAS_DOT) || defined(PAWL_DOT_IS_F32)) && !defined(PAWL_ISA_IS_avx512)
inline constexpr std::size_t kSteps = M == 1   ? 4
                                      : M == 2 ? 2
                                               : 1;
#elif defined(PAWL_HAS_DOT) || defined(PAWL_DOT_IS_F32) || defined(PAWL_DOT_IS_BF16_AS_F32)
inline constexpr std::size_t kSteps = M == 1   ? 4
                                      : M == 2 ? 4
                                      : M <= 4 ? 2
                                               : 1;
#else
inline constexpr std::size_t kSteps = 1;
#endif

/// Bytes ahead at which weights are asked for: they are one stream. With one or two rows so many loads are under way at
/// once that nothing is gained; with 4, 8 and 14 rows weights from L3 came 1.1, 1.1 and 1.25 times as fast (Zen 5).
inline constexpr std::size_t kWeightsAhead = 8192;

template <std::size_t M, std::size_t V>
PAWL_INLINE void add_group(Sum (&sum)[M][V], const std::uint8_t* b, const char* const* group, std::size_t a_stride,
                           std::size_t step) {
  Weights w[V];
#pragma GCC unroll 2
  for (std::size_t v = 0; v < V; ++v) {
    if constexpr (M > 2) __builtin_prefetch(b + kWeightsAhead + v * kWeightBytes * kLanes);
    w[v] = load_weights(b + v * kWeightBytes * kLanes);
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i) {
    const char* const a = group[i / 4] + i % 4 * a_stride + step * kGroupBytes;
#pragma GCC unroll 2
    for (std::size_t v = 0; v < V; ++v) sum[i][v] = add_products(sum[i][v], w[v], a);
  }
}

template <std::size_t M, std::size_t V>
PAWL_INLINE void clear(Sum (&sum)[M][V]) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < V; ++v) sum[i][v] = Sum{};
}

/// Added to `sum`, of the first V vectors of columns of the panel.
template <std::size_t M, std::size_t V>
PAWL_INLINE void sum_products(Sum (&sum)[M][V], std::size_t groups, const char* a, std::size_t a_stride,
                              const std::uint8_t* b) {
  constexpr std::size_t S = kSteps<M>, kRows4 = (M + 3) / 4, kStepBytes = kWeightBytes * kTileCols;
  // One pointer per 4 rows: row 4 g + r is then one register plus 0, 1, 2 or 3 strides. Hidden from g++ 12, which would
  // fold all into one pointer and keep multiples of the stride in memory.
  const char* group[kRows4];
#pragma GCC unroll 16
  for (std::size_t g = 0; g < kRows4; ++g) {
    group[g] = a + g * 4 * a_stride;
    asm("" : "+r"(group[g]));
  }
  const auto advance = [&](std::size_t steps) PAWL_INLINE_LAMBDA {
#pragma GCC unroll 16
    for (std::size_t g = 0; g < kRows4; ++g) group[g] += steps * kGroupBytes;
    b += steps * kStepBytes;
  };
  std::size_t p = 0;
  if constexpr (S > 1) {
    Sum others[S - 1][M][V];
#pragma GCC unroll 4
    for (std::size_t s = 0; s + 1 < S; ++s) clear(others[s]);
    for (; p + S <= groups; p += S) {
      add_group(sum, b, group, a_stride, 0);
#pragma GCC unroll 4
      for (std::size_t s = 1; s < S; ++s) add_group(others[s - 1], b + s * kStepBytes, group, a_stride, s);
      advance(S);
    }
#pragma GCC unroll 4
    for (std::size_t s = 0; s + 1 < S; ++s)
#pragma GCC unroll 16
      for (std::size_t i = 0; i < M; ++i)
#pragma GCC unroll 2
        for (std::size_t v = 0; v < V; ++v) sum[i][v] += others[s][i][v];
  }
  for (; p < groups; ++p) {
    add_group(sum, b, group, a_stride, 0);
    advance(1);
  }
}

/// Rows as tiles of at most kTileRows, dealt out evenly: 16 rows are 8 + 8 and not 14 + 2.
struct Deal {
  std::size_t count, height, higher;  // tiles; rows of each; tiles with one row more
  explicit Deal(std::size_t rows) noexcept
      : count((rows + kTileRows - 1) / kTileRows), height(count ? rows / count : 0), higher(count ? rows % count : 0) {}
};

/// Calls tile(column, row, rows) for all tiles. Of as many panels as L2 holds, all of one tile's rows before the next:
/// its rows of A stay in L1, and rows of C are written in streams. With a whole panel of rows before the next panel,
/// each tile began with two lines in each of 14 other pages, and 2048 x 2048 x 128 reached 265 GOP/s of 470 (Zen 4).
template <class Tile>
PAWL_INLINE void for_tiles(std::size_t cols, std::size_t panels_at_once, const Deal& deal, Tile tile) {
  const std::size_t step = panels_at_once * kTileCols;
  for (std::size_t first = 0; first < cols; first += step) {
    const std::size_t end = cols - first < step ? cols : first + step;
    for (std::size_t t = 0, row = 0; t < deal.count; ++t) {
      const std::size_t rows = deal.height + (t < deal.higher ? 1 : 0);
      for (std::size_t j = first; j < end; j += kTileCols) tile(j, row, rows);
      row += rows;
    }
  }
}

/// The columns of a panel that exist. With AVX-512 a tile loads and stores no others: masks cost nothing. Elsewhere a
/// panel that is cut is computed whole beside the array, and what exists is copied.
#if defined(PAWL_ISA_IS_avx512)
inline constexpr bool kMasksColumns = true;
using Columns = std::uint32_t;
PAWL_INLINE Columns first_columns(std::size_t count) { return static_cast<Columns>((std::uint64_t{1} << count) - 1); }
PAWL_INLINE __mmask16 lanes_of(Columns columns, std::size_t v) { return static_cast<__mmask16>(columns >> (16 * v)); }
template <class V, class T>
PAWL_INLINE V get_columns(const T* from, Columns columns, std::size_t v) {
  return as<V>(_mm512_maskz_loadu_epi32(lanes_of(columns, v), from + v * kLanes));
}
template <class V, class T>
PAWL_INLINE void put_columns(T* to, V value, Columns columns, std::size_t v) {
  _mm512_mask_storeu_epi32(to + v * kLanes, lanes_of(columns, v), as<__m512i>(value));
}
#else
inline constexpr bool kMasksColumns = false;
struct Columns {};
PAWL_INLINE Columns first_columns(std::size_t) { return {}; }
template <class V, class T>
PAWL_INLINE V get_columns(const T* from, Columns, std::size_t v) {
  return get<V>(from + v * kLanes);
}
template <class V, class T>
PAWL_INLINE void put_columns(T* to, V value, Columns, std::size_t v) {
  put(to + v * kLanes, value);
}
#endif

}  // namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS
