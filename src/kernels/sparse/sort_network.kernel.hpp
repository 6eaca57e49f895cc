// sort_network.kernel.hpp -- rows of up to 32 entries with 32-bit columns to ascending columns, sorted in registers.
//
// The keys are columns times 16 or 32 plus the place in the row, so that the sort is stable and says where the values
// go.
// Bitonic merge sort (Batcher, "Sorting networks and their applications", AFIPS 1968) whose first step of each merge is
// a reversal, so that all comparators point one way. A row of 11 takes 6 ns on Zen 5, two rows of 5 together 4 ns.
#pragma once
#include "kernels/vec.hpp"

#if defined(PAWL_ISA_IS_avx512)
namespace pawl::PAWL_ISA_NS {

inline constexpr std::size_t kNetworkRow = 32;  // entries of a row that the network takes
inline constexpr unsigned kOddLanes = 0xaaaa, kOddPairs = 0xcccc, kOddQuads = 0xf0f0, kUpperHalf = 0xff00;

// The larger of `keys` and `others` in the lanes of `upper`, the smaller in the rest.
PAWL_INLINE __m512i exchange(__m512i keys, __m512i others, unsigned upper) {
  return _mm512_mask_max_epu32(_mm512_min_epu32(keys, others), static_cast<__mmask16>(upper), keys, others);
}

PAWL_INLINE __m512i neighbours(__m512i keys) { return _mm512_shuffle_epi32(keys, _MM_PERM_CDAB); }

// Each quarter of 4 keys ascending.
PAWL_INLINE __m512i sort_quarters(__m512i keys) {
  keys = exchange(keys, neighbours(keys), kOddLanes);
  keys = exchange(keys, _mm512_shuffle_epi32(keys, _MM_PERM_ABCD), kOddPairs);
  return exchange(keys, neighbours(keys), kOddLanes);
}

// Each half of 8 keys ascending.
PAWL_INLINE __m512i sort_halves(__m512i keys) {
  const __m512i reversed_8 = _mm512_set_epi32(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  keys = sort_quarters(keys);
  keys = exchange(keys, _mm512_permutexvar_epi32(reversed_8, keys), kOddQuads);
  keys = exchange(keys, _mm512_shuffle_epi32(keys, _MM_PERM_BADC), kOddPairs);
  return exchange(keys, neighbours(keys), kOddLanes);
}

PAWL_INLINE __m512i reversed(__m512i keys) {
  return _mm512_permutexvar_epi32(_mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), keys);
}

// All 16 ascending, given that each half is bitonic and no key of the lower half above one of the upper half.
PAWL_INLINE __m512i merge_within_halves(__m512i keys) {
  keys = exchange(keys, _mm512_shuffle_i64x2(keys, keys, 0xb1), kOddQuads);
  keys = exchange(keys, _mm512_shuffle_epi32(keys, _MM_PERM_BADC), kOddPairs);
  return exchange(keys, _mm512_shuffle_epi32(keys, _MM_PERM_CDAB), kOddLanes);
}

// All 16 ascending, given that each half is.
PAWL_INLINE __m512i merge_halves(__m512i keys) {
  return merge_within_halves(exchange(keys, reversed(keys), kUpperHalf));
}

// All 16 ascending, given that they are bitonic.
PAWL_INLINE __m512i merge_bitonic(__m512i keys) {
  return merge_within_halves(exchange(keys, _mm512_shuffle_i64x2(keys, keys, 0x4e), kUpperHalf));
}

// A key that is larger than any. Opaque, and made once: where the compiler knows the value it makes it anew for each
// row by vpternlogd, which waits for its register's last value, and no row begins before the one before is done (3
// times slower).
PAWL_INLINE __m512i unused_key() {
  __m512i ones = _mm512_set1_epi32(-1);
  asm("" : "+v"(ones));
  return ones;
}

// Keys of the columns in the lanes of `used`, and `unused` in the others.
PAWL_INLINE __m512i sort_keys(__m512i columns, unsigned used, __m512i unused) {
  const __m512i places = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  return _mm512_mask_or_epi32(unused, static_cast<__mmask16>(used), _mm512_slli_epi32(columns, 4), places);
}

// Lanes whose column the next lane repeats, among those in `pairs`.
PAWL_INLINE unsigned repeated(__m512i columns, unsigned pairs) {
  return _mm512_mask_cmpeq_epi32_mask(static_cast<__mmask16>(pairs), columns, _mm512_alignr_epi32(columns, columns, 1));
}

template <bool kWhole>
PAWL_INLINE void store_lanes(std::int32_t* to, __m512i v, std::size_t n) {
  kWhole ? _mm512_storeu_si512(to, v) : _mm512_mask_storeu_epi32(to, static_cast<__mmask16>((1u << n) - 1), v);
}
template <bool kWhole>
PAWL_INLINE void store_lanes(float* to, __m512 v, std::size_t n) {
  kWhole ? _mm512_storeu_ps(to, v) : _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << n) - 1), v);
}
template <bool kWhole>
PAWL_INLINE void store_lanes(double* to, __m512d v, std::size_t n) {
  kWhole ? _mm512_storeu_pd(to, v) : _mm512_mask_storeu_pd(to, static_cast<__mmask8>(n >= 8 ? 255 : (1u << n) - 1), v);
}

// One row of n <= 16 entries. 16 elements of the inputs can be read; kWhole: as many of the outputs be written. Returns
// whether a column came twice.
template <bool kWhole, class T>
PAWL_INLINE unsigned sort_one_row(const std::int32_t* columns, const T* values, std::size_t n,
                                  std::int32_t* out_columns, T* out_values, __m512i unused) {
  const unsigned used = (1u << n) - 1;
  const __m512i keys = merge_halves(sort_halves(sort_keys(_mm512_loadu_si512(columns), used, unused)));
  const __m512i sorted = _mm512_srli_epi32(keys, 4);
  store_lanes<kWhole>(out_columns, sorted, n);
  if constexpr (sizeof(T) == 4) {
    store_lanes<kWhole>(out_values, _mm512_permutexvar_ps(keys, _mm512_loadu_ps(values)), n);
  } else {
    const __m512d low = _mm512_loadu_pd(values), high = _mm512_loadu_pd(values + 8);
    const auto chosen = [&](__m256i places) PAWL_INLINE_LAMBDA {
      return _mm512_permutex2var_pd(low, _mm512_cvtepu32_epi64(places), high);
    };
    store_lanes<kWhole>(out_values, chosen(_mm512_castsi512_si256(keys)), n);
    if (kWhole || n > 8) store_lanes<kWhole>(out_values + 8, chosen(_mm512_extracti64x4_epi64(keys, 1)), n - 8);
  }
  return repeated(sorted, used >> 1);
}

// One row of 16 < n <= 32 entries. 32 elements of the inputs can be read; otherwise as sort_one_row.
template <bool kWhole, class T>
PAWL_INLINE unsigned sort_wide_row(const std::int32_t* columns, const T* values, std::size_t n,
                                   std::int32_t* out_columns, T* out_values, __m512i unused) {
  const std::size_t rest = n - 16;
  const unsigned used = (1u << rest) - 1;
  const __m512i places = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const auto keys_of = [&](const std::int32_t* at, unsigned lanes, __m512i their_places) PAWL_INLINE_LAMBDA {
    return _mm512_mask_or_epi32(unused, static_cast<__mmask16>(lanes), _mm512_slli_epi32(_mm512_loadu_si512(at), 5),
                                their_places);
  };
  const __m512i first = merge_halves(sort_halves(keys_of(columns, 0xffff, places)));
  const __m512i second =
      reversed(merge_halves(sort_halves(keys_of(columns + 16, used, _mm512_or_epi32(places, _mm512_set1_epi32(16))))));
  const __m512i low = merge_bitonic(_mm512_min_epu32(first, second));
  const __m512i high = merge_bitonic(_mm512_max_epu32(first, second));
  const __m512i low_columns = _mm512_srli_epi32(low, 5), high_columns = _mm512_srli_epi32(high, 5);
  store_lanes<kWhole>(out_columns, low_columns, 16);
  store_lanes<kWhole>(out_columns + 16, high_columns, rest);
  if constexpr (sizeof(T) == 4) {
    const __m512 a = _mm512_loadu_ps(values), b = _mm512_loadu_ps(values + 16);
    store_lanes<kWhole>(out_values, _mm512_permutex2var_ps(a, low, b), 16);
    store_lanes<kWhole>(out_values + 16, _mm512_permutex2var_ps(a, high, b), rest);
  } else {
    const __m512d a = _mm512_loadu_pd(values), b = _mm512_loadu_pd(values + 8);
    const __m512d c = _mm512_loadu_pd(values + 16), d = _mm512_loadu_pd(values + 24);
    const auto chosen = [&](__m256i eight) PAWL_INLINE_LAMBDA {
      const __m512i from = _mm512_cvtepu32_epi64(eight);
      const __mmask8 of_second = _mm512_test_epi64_mask(from, _mm512_set1_epi64(16));
      return _mm512_mask_blend_pd(of_second, _mm512_permutex2var_pd(a, from, b), _mm512_permutex2var_pd(c, from, d));
    };
    store_lanes<kWhole>(out_values, chosen(_mm512_castsi512_si256(low)), 8);
    store_lanes<kWhole>(out_values + 8, chosen(_mm512_extracti64x4_epi64(low, 1)), 8);
    store_lanes<kWhole>(out_values + 16, chosen(_mm512_castsi512_si256(high)), rest);
    if (kWhole || rest > 8) store_lanes<kWhole>(out_values + 24, chosen(_mm512_extracti64x4_epi64(high, 1)), rest - 8);
  }
  const __m512i next = _mm512_alignr_epi32(high_columns, low_columns, 1);
  return _mm512_cmpeq_epi32_mask(low_columns, next) | repeated(high_columns, used >> 1);
}

// 8 columns from a row of n on in the lower half, and as many from behind it in the upper.
PAWL_INLINE __m512i load_two_rows(const std::int32_t* columns, std::size_t n) {
  const auto load_8 = [](const std::int32_t* p)
                          PAWL_INLINE_LAMBDA { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); };
  return _mm512_inserti64x4(_mm512_castsi256_si512(load_8(columns)), load_8(columns + n), 1);
}

// Two rows of n, m <= 8 entries, the second behind the first in all arrays; as sort_one_row.
template <bool kWhole, class T>
PAWL_INLINE unsigned sort_two_rows(const std::int32_t* columns, const T* values, std::size_t n, std::size_t m,
                                   std::int32_t* out_columns, T* out_values, __m512i unused) {
  const unsigned used = ((1u << n) - 1) | ((1u << m) - 1) << 8;
  const __m512i keys = sort_halves(sort_keys(load_two_rows(columns, n), used, unused)),
                sorted = _mm512_srli_epi32(keys, 4);
  store_lanes<kWhole>(out_columns, sorted, n);  // what is too much is overwritten by the second row
  store_lanes<kWhole>(out_columns + n, _mm512_shuffle_i64x2(sorted, sorted, 0x0e), m);
  const __m256i first = _mm512_castsi512_si256(keys), second = _mm512_extracti64x4_epi64(keys, 1);
  if constexpr (sizeof(T) == 4) {
    const __m512i to_first = _mm512_castsi256_si512(first);  // the upper half is of no account
    const __m512i to_second = _mm512_and_epi32(_mm512_castsi256_si512(second), _mm512_set1_epi32(7));
    store_lanes<kWhole>(out_values, _mm512_permutexvar_ps(to_first, _mm512_loadu_ps(values)), n);
    store_lanes<kWhole>(out_values + n, _mm512_permutexvar_ps(to_second, _mm512_loadu_ps(values + n)), m);
  } else {
    const auto chosen = [](__m256i places, const double* from) PAWL_INLINE_LAMBDA {
      return _mm512_permutexvar_pd(_mm512_cvtepu32_epi64(places), _mm512_loadu_pd(from));
    };
    store_lanes<kWhole>(out_values, chosen(first, values), n);
    store_lanes<kWhole>(out_values + n, chosen(second, values + n), m);
  }
  return repeated(sorted, (used >> 1) & 0x7f7f);
}

}  // namespace pawl::PAWL_ISA_NS
#endif
