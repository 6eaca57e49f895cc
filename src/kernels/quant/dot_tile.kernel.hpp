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
#elif defined(PAWL_HAS_DOT) || defined(PAWL_DOT_IS_F32)
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

template <std::size_t M>
PAWL_INLINE void add_group(Sum (&sum)[M][kVectors], const std::uint8_t* b, const char* const* group,
                           std::size_t a_stride, std::size_t step) {
  Weights w[kVectors];
#pragma GCC unroll 2
  for (std::size_t v = 0; v < kVectors; ++v) {
    if constexpr (M > 2) __builtin_prefetch(b + kWeightsAhead + v * kWeightBytes * kLanes);
    w[v] = load_weights(b + v * kWeightBytes * kLanes);
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i) {
    const char* const a = group[i / 4] + i % 4 * a_stride + step * kGroupBytes;
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) sum[i][v] = add_products(sum[i][v], w[v], a);
  }
}

template <std::size_t M>
PAWL_INLINE void clear(Sum (&sum)[M][kVectors]) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) sum[i][v] = Sum{};
}

/// Added to `sum`.
template <std::size_t M>
PAWL_INLINE void sum_products(Sum (&sum)[M][kVectors], std::size_t groups, const char* a, std::size_t a_stride,
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
    Sum others[S - 1][M][kVectors];
#pragma GCC unroll 4
    for (std::size_t s = 0; s + 1 < S; ++s) clear<M>(others[s]);
    for (; p + S <= groups; p += S) {
      add_group<M>(sum, b, group, a_stride, 0);
#pragma GCC unroll 4
      for (std::size_t s = 1; s < S; ++s) add_group<M>(others[s - 1], b + s * kStepBytes, group, a_stride, s);
      advance(S);
    }
#pragma GCC unroll 4
    for (std::size_t s = 0; s + 1 < S; ++s)
#pragma GCC unroll 16
      for (std::size_t i = 0; i < M; ++i)
#pragma GCC unroll 2
        for (std::size_t v = 0; v < kVectors; ++v) sum[i][v] += others[s][i][v];
  }
  for (; p < groups; ++p) {
    add_group<M>(sum, b, group, a_stride, 0);
    advance(1);
  }
}

}  // namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS
