// sort_lanes.kernel.hpp -- the keys of 16 rows beside each other, a row per lane, to each row ascending and contiguous.
//
// No key is moved across lanes while it is sorted: a comparator of a network costs two instructions for 16 rows, 0.5
// per entry of rows of ten, where a network within a register takes three. What lies row by row is made by one
// transposition at the end.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/vec.hpp"

#if defined(PAWL_ISA_IS_avx512)
namespace pawl::PAWL_ISA_NS {

// Batcher's merge exchange for any number of keys (Knuth, TAOCP 3, 5.2.2, algorithm M).
template <std::size_t N>
struct Network {
  std::size_t count = 0;
  unsigned char low[N * N / 4 + N] = {}, high[N * N / 4 + N] = {};

  constexpr Network() {
    std::size_t top = 1;
    while (2 * top < N) top *= 2;
    for (std::size_t p = top; p > 0; p /= 2)
      for (std::size_t q = top, r = 0, d = p;; q /= 2) {
        for (std::size_t i = 0; i + d < N; ++i)
          if ((i & p) == r) {
            low[count] = static_cast<unsigned char>(i);
            high[count++] = static_cast<unsigned char>(i + d);
          }
        if (q == p) break;
        d = q - p;
        r = p;
      }
  }
};
template <std::size_t N>
inline constexpr Network<N> kNetwork;

PAWL_INLINE void put_in_order(__m512i& low, __m512i& high) {
  const __m512i smaller = _mm512_min_epu32(low, high);
  high = _mm512_max_epu32(low, high);
  low = smaller;
}
template <std::size_t N, std::size_t... K>
PAWL_INLINE void sort_lanes(__m512i (&keys)[N], std::index_sequence<K...>) {
  (put_in_order(keys[kNetwork<N>.low[K]], keys[kNetwork<N>.high[K]]), ...);
}
// Lane by lane: keys[s] of the lane ascends with s.
template <std::size_t N>
PAWL_INLINE void sort_lanes(__m512i (&keys)[N]) {
  sort_lanes(keys, std::make_index_sequence<kNetwork<N>.count>());
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

// tile[r * 4 + s] = lane r of keys[s].
PAWL_INLINE void store_rows(const __m512i (&keys)[4], std::uint32_t* tile) {
  __m512i rows[4];
  transpose_quarters(keys, rows);
  const __m512i low01 = _mm512_shuffle_i32x4(rows[0], rows[1], 0x44),
                low23 = _mm512_shuffle_i32x4(rows[2], rows[3], 0x44);
  const __m512i high01 = _mm512_shuffle_i32x4(rows[0], rows[1], 0xee),
                high23 = _mm512_shuffle_i32x4(rows[2], rows[3], 0xee);
  _mm512_store_si512(tile, _mm512_shuffle_i32x4(low01, low23, 0x88));
  _mm512_store_si512(tile + 16, _mm512_shuffle_i32x4(low01, low23, 0xdd));
  _mm512_store_si512(tile + 32, _mm512_shuffle_i32x4(high01, high23, 0x88));
  _mm512_store_si512(tile + 48, _mm512_shuffle_i32x4(high01, high23, 0xdd));
}

// tile[r * 8 + s] = lane r of keys[s].
PAWL_INLINE void store_rows(const __m512i (&keys)[8], std::uint32_t* tile) {
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
    _mm512_store_si512(tile + 8 * i, _mm512_shuffle_i64x2(first_low, next_low, 0x44));
    _mm512_store_si512(tile + 8 * (4 + i), _mm512_shuffle_i64x2(first_low, next_low, 0xee));
    _mm512_store_si512(tile + 8 * (8 + i), _mm512_shuffle_i64x2(first_high, next_high, 0x44));
    _mm512_store_si512(tile + 8 * (12 + i), _mm512_shuffle_i64x2(first_high, next_high, 0xee));
  }
}

// tile[r * stride + s] = lane r of keys[s], s < 16.
PAWL_INLINE void store_16_rows(const __m512i* keys, std::uint32_t* tile, std::size_t stride) {
  __m512i rows[16];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < 4; ++i) transpose_quarters(keys + 4 * i, rows + 4 * i);
#pragma GCC unroll 4
  for (std::size_t i = 0; i < 4; ++i) {
    const __m512i a = _mm512_shuffle_i32x4(rows[i], rows[4 + i], 0x88),
                  b = _mm512_shuffle_i32x4(rows[i], rows[4 + i], 0xdd);
    const __m512i c = _mm512_shuffle_i32x4(rows[8 + i], rows[12 + i], 0x88);
    const __m512i d = _mm512_shuffle_i32x4(rows[8 + i], rows[12 + i], 0xdd);
    _mm512_store_si512(tile + i * stride, _mm512_shuffle_i32x4(a, c, 0x88));
    _mm512_store_si512(tile + (4 + i) * stride, _mm512_shuffle_i32x4(b, d, 0x88));
    _mm512_store_si512(tile + (8 + i) * stride, _mm512_shuffle_i32x4(a, c, 0xdd));
    _mm512_store_si512(tile + (12 + i) * stride, _mm512_shuffle_i32x4(b, d, 0xdd));
  }
}
PAWL_INLINE void store_rows(const __m512i (&keys)[16], std::uint32_t* tile) { store_16_rows(keys, tile, 16); }
PAWL_INLINE void store_rows(const __m512i (&keys)[32], std::uint32_t* tile) {
  store_16_rows(keys, tile, 32);
  store_16_rows(keys + 16, tile + 16, 32);
}

}  // namespace pawl::PAWL_ISA_NS
#endif
