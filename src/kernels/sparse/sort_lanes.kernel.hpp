// sort_lanes.kernel.hpp -- the keys of 16 rows beside each other, a row per lane, to each row ascending and contiguous.
//
// No key is moved across lanes while it is sorted: a comparator of a network costs two instructions for 16 rows, 0.5
// per entry of rows of ten, where a network within a register takes three. What lies row by row is made by one
// transposition at the end.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/sparse/merge_exchange.kernel.hpp"
#include "kernels/vec.hpp"

#if defined(PAWL_ISA_IS_avx512)
namespace pawl::PAWL_ISA_NS {

PAWL_INLINE void put_in_order(__m512i& low, __m512i& high) {
  const __m512i smaller = _mm512_min_epu32(low, high);
  high = _mm512_max_epu32(low, high);
  low = smaller;
}
// Calls between(p), p < kSortPieces in order, at as many places of the network: other work, whose loads are waited for
// while keys are compared.
inline constexpr std::size_t kSortPieces = 8;
// Keeps the compiler from moving comparators behind that work, all together.
PAWL_INLINE void stay_here(__m512i& a, __m512i& b) { asm volatile("" : "+v"(a), "+v"(b)); }
template <std::size_t N, class Between, std::size_t... K>
PAWL_INLINE void sort_lanes(__m512i (&keys)[N], Between between, std::index_sequence<K...>) {
  constexpr std::size_t kCount = kNetwork<N>.count;
  const auto pieces_up_to = [&]<std::size_t First, std::size_t Last>() PAWL_INLINE_LAMBDA {
    if constexpr (First < Last) {
#pragma GCC unroll 16
      for (std::size_t p = First; p < Last; ++p) between(p);
    }
  };
  ((put_in_order(keys[kNetwork<N>.low[K]], keys[kNetwork<N>.high[K]]),
    stay_here(keys[kNetwork<N>.low[K]], keys[kNetwork<N>.high[K]]),
    pieces_up_to.template operator()<K * kSortPieces / kCount, (K + 1) * kSortPieces / kCount>()),
   ...);
}
// Lane by lane: keys[s] of the lane ascends with s.
template <std::size_t N, class Between>
PAWL_INLINE void sort_lanes(__m512i (&keys)[N], Between between) {
  sort_lanes(keys, between, std::make_index_sequence<kNetwork<N>.count>());
}
template <std::size_t N>
PAWL_INLINE void sort_lanes(__m512i (&keys)[N]) {
  sort_lanes(keys, [](std::size_t) {});
}

// The same in memory, slot s of all lanes at tile + 16 s, of 64 keys of which each half of 32 ascends.
static void merge_lanes(std::uint32_t* tile) {
  merge_halves_of_64([=](std::size_t i, std::size_t j) PAWL_INLINE_LAMBDA {
    __m512i low = _mm512_load_si512(tile + 16 * i), high = _mm512_load_si512(tile + 16 * j);
    put_in_order(low, high);
    _mm512_store_si512(tile + 16 * i, low);
    _mm512_store_si512(tile + 16 * j, high);
  });
}

// Quarter q of rows[i] = lane 4 q + i of keys[0 .. 4): a transposition within quarters.
PAWL_INLINE void transpose_quarters(const __m512i* keys, __m512i* rows) {
  const __m512i a = _mm512_unpacklo_epi32(keys[0], keys[1]), b = _mm512_unpackhi_epi32(keys[0], keys[1]);
  const __m512i c = _mm512_unpacklo_epi32(keys[2], keys[3]), d = _mm512_unpackhi_epi32(keys[2], keys[3]);
  rows[0] = _mm512_unpacklo_epi64(a, c);
  rows[1] = _mm512_unpackhi_epi64(a, c);
  rows[2] = _mm512_unpacklo_epi64(b, d);
  rows[3] = _mm512_unpackhi_epi64(b, d);
}

// The keys of row after row, N of each: key s of row r is lane r of keys[s].
PAWL_INLINE void by_rows(const __m512i (&keys)[4], __m512i (&out)[4]) {
  __m512i rows[4];
  transpose_quarters(keys, rows);
  const __m512i low01 = _mm512_shuffle_i32x4(rows[0], rows[1], 0x44),
                low23 = _mm512_shuffle_i32x4(rows[2], rows[3], 0x44);
  const __m512i high01 = _mm512_shuffle_i32x4(rows[0], rows[1], 0xee),
                high23 = _mm512_shuffle_i32x4(rows[2], rows[3], 0xee);
  out[0] = _mm512_shuffle_i32x4(low01, low23, 0x88);
  out[1] = _mm512_shuffle_i32x4(low01, low23, 0xdd);
  out[2] = _mm512_shuffle_i32x4(high01, high23, 0x88);
  out[3] = _mm512_shuffle_i32x4(high01, high23, 0xdd);
}
PAWL_INLINE void by_rows(const __m512i (&keys)[8], __m512i (&out)[8]) {
  __m512i low[4], high[4];
  transpose_quarters(keys, low);
  transpose_quarters(keys + 4, high);
#pragma GCC unroll 2
  for (std::size_t i = 0; i < 4; i += 2) {
    // Quarters: rows i, 4 + i and 8 + i, 12 + i of `low`, and of `high`; two rows of eight keys make a vector.
    const __m512i index_low = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
    const __m512i index_high = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
    const __m512i first_low = _mm512_permutex2var_epi64(low[i], index_low, high[i]);
    const __m512i first_high = _mm512_permutex2var_epi64(low[i], index_high, high[i]);
    const __m512i next_low = _mm512_permutex2var_epi64(low[i + 1], index_low, high[i + 1]);
    const __m512i next_high = _mm512_permutex2var_epi64(low[i + 1], index_high, high[i + 1]);
    out[i / 2] = _mm512_shuffle_i64x2(first_low, next_low, 0x44);
    out[2 + i / 2] = _mm512_shuffle_i64x2(first_low, next_low, 0xee);
    out[4 + i / 2] = _mm512_shuffle_i64x2(first_high, next_high, 0x44);
    out[6 + i / 2] = _mm512_shuffle_i64x2(first_high, next_high, 0xee);
  }
}
PAWL_INLINE void by_rows(const __m512i (&keys)[16], __m512i (&out)[16]) {
  __m512i rows[16];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < 4; ++i) transpose_quarters(keys + 4 * i, rows + 4 * i);
#pragma GCC unroll 4
  for (std::size_t i = 0; i < 4; ++i) {
    const __m512i a = _mm512_shuffle_i32x4(rows[i], rows[4 + i], 0x88),
                  b = _mm512_shuffle_i32x4(rows[i], rows[4 + i], 0xdd);
    const __m512i c = _mm512_shuffle_i32x4(rows[8 + i], rows[12 + i], 0x88);
    const __m512i d = _mm512_shuffle_i32x4(rows[8 + i], rows[12 + i], 0xdd);
    out[i] = _mm512_shuffle_i32x4(a, c, 0x88);
    out[4 + i] = _mm512_shuffle_i32x4(b, d, 0x88);
    out[8 + i] = _mm512_shuffle_i32x4(a, c, 0xdd);
    out[12 + i] = _mm512_shuffle_i32x4(b, d, 0xdd);
  }
}

// The same in memory: tile[r * N + s] = lane r of keys[s].
template <std::size_t N>
PAWL_INLINE void store_rows(const __m512i (&keys)[N], std::uint32_t* tile) {
  __m512i rows[N];
  by_rows(keys, rows);
#pragma GCC unroll 16
  for (std::size_t i = 0; i < N; ++i) _mm512_store_si512(tile + 16 * i, rows[i]);
}
PAWL_INLINE void store_rows(const __m512i (&keys)[32], std::uint32_t* tile) {
  const auto half = [&](std::size_t first) PAWL_INLINE_LAMBDA {
    __m512i sixteen[16], rows[16];
#pragma GCC unroll 16
    for (std::size_t s = 0; s < 16; ++s) sixteen[s] = keys[first + s];
    by_rows(sixteen, rows);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < 16; ++r) _mm512_store_si512(tile + 32 * r + first, rows[r]);
  };
  half(0);
  half(16);
}

}  // namespace pawl::PAWL_ISA_NS
#endif
