// sort_keys.kernel.hpp -- keys of 32 bits, no two of which are equal, in any order to ascending ones.
//
// Up to 256 keys are sorted in registers: each vector by a network, or 16 of them with a row per lane, then merged two
// by two (Batcher's bitonic merge), of which only the last four steps are within vectors. More keys are sorted 256 by
// 256 and merged in memory: no step depends on how they are spread, as those of a sort by bits do.
#pragma once
#include "kernels/sparse/sort_lanes.kernel.hpp"
#include "kernels/sparse/sort_network.kernel.hpp"

#if defined(PAWL_ISA_IS_avx512)
namespace pawl::PAWL_ISA_NS {

inline constexpr std::size_t kKeysInRegisters = 256;

// Vectors [0, N) and [N, 2 N), each ascending, become one ascending run.
template <std::size_t N>
PAWL_INLINE void merge_vectors(__m512i* keys) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i < N / 2 + N % 2; ++i) {
    // From both ends: what is behind the middle comes in reverse, so that smaller and larger half are bitonic.
    const __m512i a = reversed(keys[2 * N - 1 - i]), b = reversed(keys[N + i]);
    const __m512i low = keys[i], mirrored = keys[N - 1 - i];
    keys[i] = _mm512_min_epu32(low, a);
    keys[N + i] = _mm512_max_epu32(low, a);
    if (i != N - 1 - i) {
      keys[N - 1 - i] = _mm512_min_epu32(mirrored, b);
      keys[2 * N - 1 - i] = _mm512_max_epu32(mirrored, b);
    }
  }
#pragma GCC unroll 8
  for (std::size_t step = N / 2; step > 0; step /= 2)
#pragma GCC unroll 32
    for (std::size_t i = 0; i < 2 * N; ++i)
      if ((i & step) == 0) put_in_order(keys[i], keys[i + step]);
#pragma GCC unroll 32
  for (std::size_t i = 0; i < 2 * N; ++i) keys[i] = merge_bitonic(keys[i]);
}

template <std::size_t N>
PAWL_INLINE void merge_all(__m512i* keys) {
  if constexpr (N > 1) {
    merge_all<N / 2>(keys);
    merge_all<N / 2>(keys + N / 2);
    merge_vectors<N / 2>(keys);
  }
}

// n keys, 16 (N - 1) < n or not, at most 16 N; `to` may be `from`. none: unused_key().
template <std::size_t N>
[[gnu::noinline]] static void sort_in_registers(const std::uint32_t* from, std::size_t n, std::uint32_t* to,
                                                __m512i none) {
  const auto lanes = [n](std::size_t i) PAWL_INLINE_LAMBDA {
    return static_cast<__mmask16>(n >= 16 * i + 16 ? 0xffffu : n <= 16 * i ? 0u : (1u << (n - 16 * i)) - 1);
  };
  __m512i keys[N];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < N; ++i) keys[i] = _mm512_mask_loadu_epi32(none, lanes(i), from + 16 * i);
  if constexpr (N == 16) {
    alignas(64) std::uint32_t tile[kKeysInRegisters];
    sort_lanes(keys);
    store_rows(keys, tile);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < N; ++i) keys[i] = _mm512_load_si512(tile + 16 * i);
  } else {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < N; ++i) keys[i] = merge_halves(sort_halves(keys[i]));
  }
  merge_all<N>(keys);
#pragma GCC unroll 16
  for (std::size_t i = 0; i < N; ++i) _mm512_mask_storeu_epi32(to + 16 * i, lanes(i), keys[i]);
}

// The first `count` of N vectors, N a power of two and at least 8, that are bitonic together and whose others are
// larger than any: ascending.
static void clean_vectors(std::uint32_t* keys, std::size_t n, std::size_t count) {
  for (; n > 8; n /= 2) {
    const std::size_t half = n / 2;
    for (std::size_t i = 0; i + half < count; ++i) {
      __m512i low = _mm512_load_si512(keys + 16 * i), high = _mm512_load_si512(keys + 16 * (i + half));
      put_in_order(low, high);
      _mm512_store_si512(keys + 16 * i, low);
      _mm512_store_si512(keys + 16 * (i + half), high);
    }
    if (count > half) {
      clean_vectors(keys + 16 * half, half, count - half);
      count = half;
    }
  }
  __m512i v[8];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < 8; ++i) v[i] = _mm512_load_si512(keys + 16 * i);
#pragma GCC unroll 4
  for (std::size_t step = 4; step > 0; step /= 2)
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 8; ++i)
      if ((i & step) == 0) put_in_order(v[i], v[i + step]);
#pragma GCC unroll 8
  for (std::size_t i = 0; i < 8; ++i) _mm512_store_si512(keys + 16 * i, merge_bitonic(v[i]));
}

// n > kKeysInRegisters keys; `spare` is aligned and has room for n rounded up to a multiple of kKeysInRegisters.
[[gnu::noinline]] static void sort_many_keys(const std::uint32_t* from, std::size_t n, std::uint32_t* spare,
                                             std::uint32_t* to, __m512i none) {
  std::size_t vectors = 0;
  for (std::size_t k = 0; k < n; k += kKeysInRegisters, vectors += 16) {
    const std::size_t left = n - k < kKeysInRegisters ? n - k : kKeysInRegisters;
    sort_in_registers<16>(from + k, left, spare + k, none);
    for (std::size_t i = left; i < kKeysInRegisters; ++i) spare[k + i] = ~0u;
  }
  for (std::size_t run = 16; run < vectors; run *= 2)
    for (std::size_t first = 0; first + run < vectors; first += 2 * run) {
      std::uint32_t *const low = spare + 16 * first, *const high = low + 16 * run;
      const std::size_t more = vectors - first - run < run ? vectors - first - run : run;
      // Vector by vector the end of the first run against the beginning of the second: what is missing there is larger
      // than any.
      for (std::size_t i = 0; i < more; ++i) {
        std::uint32_t* const mirrored = low + 16 * (run - 1 - i);
        const __m512i a = reversed(_mm512_load_si512(mirrored)), b = _mm512_load_si512(high + 16 * i);
        _mm512_store_si512(mirrored, reversed(_mm512_min_epu32(a, b)));
        _mm512_store_si512(high + 16 * i, _mm512_max_epu32(a, b));
      }
      clean_vectors(low, run, run);
      clean_vectors(high, run, more);
    }
  std::size_t k = 0;
  for (; k + 16 <= n; k += 16) _mm512_storeu_si512(to + k, _mm512_load_si512(spare + k));
  if (k < n)
    _mm512_mask_storeu_epi32(to + k, static_cast<__mmask16>((1u << (n - k)) - 1), _mm512_load_si512(spare + k));
}

}  // namespace pawl::PAWL_ISA_NS
#endif
