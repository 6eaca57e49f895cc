// sort_keys.kernel.hpp -- keys of 32 bits, no two of which are equal, in any order to ascending ones.
//
// Up to 256 keys are sorted in registers: each vector by a network, or 16 of them with a row per lane, then merged two
// by two (Batcher's bitonic merge), of which only the last four steps are within vectors. More keys are divided by
// their highest bits first.
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

// n keys, 16 (N - 1) < n or not, at most 16 N; `to` may be `from`.
template <std::size_t N>
[[gnu::noinline]] static void sort_in_registers(const std::uint32_t* from, std::size_t n, std::uint32_t* to) {
  const __m512i none = _mm512_set1_epi32(-1);
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

static void sort_few_keys(const std::uint32_t* from, std::size_t n, std::uint32_t* to) {
  if (n <= 16)
    sort_in_registers<1>(from, n, to);
  else if (n <= 32)
    sort_in_registers<2>(from, n, to);
  else if (n <= 64)
    sort_in_registers<4>(from, n, to);
  else if (n <= 128)
    sort_in_registers<8>(from, n, to);
  else
    sort_in_registers<16>(from, n, to);
}

// n keys below 2^bits, in place; `other` has room for as many.
static void sort_keys(std::uint32_t* keys, std::uint32_t* other, std::size_t n, unsigned bits) {
  if (n <= kKeysInRegisters) return sort_few_keys(keys, n, keys);
  // Some 64 keys for each value of the highest bits, if they are spread evenly.
  constexpr unsigned kMostDigit = 8;
  unsigned digit = static_cast<unsigned>(63 - __builtin_clzll(n / 64)) + 1;
  if (digit > kMostDigit) digit = kMostDigit;
  if (digit > bits) digit = bits;
  const unsigned shift = bits - digit;
  std::uint32_t places[1u << kMostDigit] = {};
  const std::uint32_t mask = (1u << digit) - 1;
  for (std::size_t k = 0; k < n; ++k) ++places[keys[k] >> shift & mask];
  std::uint32_t sum = 0;
  for (std::uint32_t d = 0; d <= mask; ++d) {
    const std::uint32_t count = places[d];
    places[d] = sum;
    sum += count;
  }
  for (std::size_t k = 0; k < n; ++k) other[places[keys[k] >> shift & mask]++] = keys[k];
  std::size_t begin = 0;
  for (std::uint32_t d = 0; d <= mask; ++d) {
    const std::size_t end = places[d], count = end - begin;
    if (count <= kKeysInRegisters) {
      if (count > 0) sort_few_keys(other + begin, count, keys + begin);
    } else {
      sort_keys(other + begin, keys + begin, count, shift);
      for (std::size_t k = begin; k < end; ++k) keys[k] = other[k];
    }
    begin = end;
  }
}

}  // namespace pawl::PAWL_ISA_NS
#endif
