// sort_merge.kernel.hpp -- rows of up to 16 entries in any order to ascending columns, each of them once: sorted by the
// network, then added up where neighbours are equal, all in registers.
//
// Without a branch per entry: where a third of the entries repeat a place, a loop over them foresees none.
#pragma once
#include "kernels/sparse/sort_network.kernel.hpp"

#if defined(PAWL_ISA_IS_avx512)
namespace pawl::PAWL_ISA_NS {

// Each lane becomes the sum, from left to right, of the lanes of its run, for the first lane of each run; `again`:
// lanes whose next lane belongs to the same run.
PAWL_INLINE __m512d add_runs(__m512d v, unsigned again) {
  __m512d next = v;
  unsigned more = again & ~(again << 1);
  for (unsigned i = 1; more != 0; ++i) {
    next = _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(next), _mm512_castpd_si512(next), 1));
    v = _mm512_mask_add_pd(v, static_cast<__mmask8>(more), v, next);
    more &= again >> i;
  }
  return v;
}
PAWL_INLINE __m512 add_runs(__m512 v, unsigned again) {
  __m512 next = v;
  unsigned more = again & ~(again << 1);
  for (unsigned i = 1; more != 0; ++i) {
    next = _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(next), _mm512_castps_si512(next), 1));
    v = _mm512_mask_add_ps(v, static_cast<__mmask16>(more), v, next);
    more &= again >> i;
  }
  return v;
}
// The same for 16 lanes in two vectors.
PAWL_INLINE void add_runs(__m512d& low, __m512d& high, unsigned again) {
  __m512i a = _mm512_castpd_si512(low), b = _mm512_castpd_si512(high);
  unsigned more = again & ~(again << 1);
  for (unsigned i = 1; more != 0; ++i) {
    a = _mm512_alignr_epi64(b, a, 1);
    b = _mm512_alignr_epi64(b, b, 1);
    low = _mm512_mask_add_pd(low, static_cast<__mmask8>(more & 255u), low, _mm512_castsi512_pd(a));
    high = _mm512_mask_add_pd(high, static_cast<__mmask8>(more >> 8), high, _mm512_castsi512_pd(b));
    more &= again >> i;
  }
}

// The lanes of `mask`, one behind the other; kWhole: a whole vector can be written. Returns how many.
template <bool kWhole>
PAWL_INLINE std::size_t store_compressed(std::int32_t* to, __m512i v, unsigned mask) {
  const auto n = static_cast<std::size_t>(__builtin_popcount(mask));
  store_lanes<kWhole>(to, _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), v), n);
  return n;
}
template <bool kWhole>
PAWL_INLINE std::size_t store_compressed(double* to, __m512d v, unsigned mask) {
  const auto n = static_cast<std::size_t>(__builtin_popcount(mask));
  store_lanes<kWhole>(to, _mm512_maskz_compress_pd(static_cast<__mmask8>(mask), v), n);
  return n;
}
template <bool kWhole>
PAWL_INLINE std::size_t store_compressed(float* to, __m512 v, unsigned mask) {
  const auto n = static_cast<std::size_t>(__builtin_popcount(mask));
  store_lanes<kWhole>(to, _mm512_maskz_compress_ps(static_cast<__mmask16>(mask), v), n);
  return n;
}

// One row of n <= 16 entries; inputs and outputs as those of sort_one_row. Returns how many are left.
template <bool kWhole, class T>
PAWL_INLINE std::size_t merge_one_row(const std::int32_t* columns, const T* values, std::size_t n,
                                      std::int32_t* out_columns, T* out_values, __m512i unused) {
  const unsigned used = (1u << n) - 1;
  const __m512i keys = merge_halves(sort_halves(sort_keys(_mm512_loadu_si512(columns), used, unused)));
  const __m512i sorted = _mm512_srli_epi32(keys, 4);
  const unsigned again = repeated(sorted, used >> 1), first = used & ~(again << 1);
  const std::size_t left = store_compressed<kWhole>(out_columns, sorted, first);
  if constexpr (sizeof(T) == 4) {
    store_compressed<kWhole>(out_values, add_runs(_mm512_permutexvar_ps(keys, _mm512_loadu_ps(values)), again), first);
  } else {
    const __m512d a = _mm512_loadu_pd(values), b = _mm512_loadu_pd(values + 8);
    const auto chosen = [&](__m256i places)
                            PAWL_INLINE_LAMBDA { return _mm512_permutex2var_pd(a, _mm512_cvtepu32_epi64(places), b); };
    __m512d low = chosen(_mm512_castsi512_si256(keys)), high = chosen(_mm512_extracti64x4_epi64(keys, 1));
    add_runs(low, high, again);
    out_values += store_compressed<kWhole>(out_values, low, first & 255u);
    store_compressed<kWhole>(out_values, high, first >> 8);
  }
  return left;
}

// How many entries of two rows are left.
struct RowsLeft {
  std::size_t first, second;
};

// Two rows of n, m <= 8 entries, the second behind the first in all arrays, otherwise the same.
template <bool kWhole, class T>
PAWL_INLINE RowsLeft merge_two_rows(const std::int32_t* columns, const T* values, std::size_t n, std::size_t m,
                                    std::int32_t* out_columns, T* out_values, __m512i unused) {
  const unsigned used = ((1u << n) - 1) | ((1u << m) - 1) << 8;
  const __m512i keys = sort_halves(sort_keys(load_two_rows(columns, n), used, unused));
  const __m512i sorted = _mm512_srli_epi32(keys, 4);
  const unsigned again = repeated(sorted, (used >> 1) & 0x7f7f), first = used & ~(again << 1);
  RowsLeft left;
  left.first = store_compressed<kWhole>(out_columns, sorted, first & 255u);
  left.second = store_compressed<kWhole>(out_columns + left.first, sorted, first & 0xff00u);
  const __m256i first_keys = _mm512_castsi512_si256(keys), second_keys = _mm512_extracti64x4_epi64(keys, 1);
  const auto chosen = [](__m256i places, const T* from) PAWL_INLINE_LAMBDA {
    if constexpr (sizeof(T) == 4)
      return _mm512_permutexvar_ps(_mm512_and_epi32(_mm512_castsi256_si512(places), _mm512_set1_epi32(7)),
                                   _mm512_loadu_ps(from));
    else
      return _mm512_permutexvar_pd(_mm512_cvtepu32_epi64(places), _mm512_loadu_pd(from));
  };
  store_compressed<kWhole>(out_values, add_runs(chosen(first_keys, values), again & 255u), first & 255u);
  store_compressed<kWhole>(out_values + left.first, add_runs(chosen(second_keys, values + n), again >> 8), first >> 8);
  return left;
}

// Four rows of lengths[i] <= 4 entries, each behind the one before in all arrays, otherwise the same; start[i]
// becomes `place` + the entries left before row i.
template <bool kWhole, class T>
PAWL_INLINE std::size_t merge_four_rows(const std::int32_t* columns, const T* values, const std::size_t* lengths,
                                        std::int32_t* start, std::int32_t place, std::int32_t* out_columns,
                                        T* out_values, __m512i unused) {
  const std::size_t second = lengths[0], third = second + lengths[1], fourth = third + lengths[2];
  const auto bits = [&](std::size_t i) PAWL_INLINE_LAMBDA { return ((1u << lengths[i]) - 1) << (4 * i); };
  const unsigned used = bits(0) | bits(1) | bits(2) | bits(3);
  const auto load_4 = [&](std::size_t at) PAWL_INLINE_LAMBDA {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(columns + at));
  };
  __m512i keys = _mm512_castsi128_si512(load_4(0));
  keys = _mm512_inserti32x4(keys, load_4(second), 1);
  keys = _mm512_inserti32x4(keys, load_4(third), 2);
  keys = sort_quarters(sort_keys(_mm512_inserti32x4(keys, load_4(fourth), 3), used, unused));
  const __m512i sorted = _mm512_srli_epi32(keys, 4);
  const unsigned again = repeated(sorted, (used >> 1) & 0x7777u), first = used & ~(again << 1);
  const std::size_t left = store_compressed<kWhole>(out_columns, sorted, first);
  if constexpr (sizeof(T) == 4) {
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(values));
    v = _mm512_insertf32x4(v, _mm_loadu_ps(values + second), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps(values + third), 2);
    v = _mm512_insertf32x4(v, _mm_loadu_ps(values + fourth), 3);
    store_compressed<kWhole>(out_values, add_runs(_mm512_permutexvar_ps(keys, v), again), first);
  } else {
    const auto chosen = [&](__m256i places, std::size_t a, std::size_t b) PAWL_INLINE_LAMBDA {
      const __m512d v =
          _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(values + a)), _mm256_loadu_pd(values + b), 1);
      return _mm512_permutexvar_pd(_mm512_cvtepu32_epi64(places), v);  // of a place the lowest 3 bits count
    };
    __m512d low = chosen(_mm512_castsi512_si256(keys), 0, second);
    __m512d high = chosen(_mm512_extracti64x4_epi64(keys, 1), third, fourth);
    add_runs(low, high, again);
    out_values += store_compressed<kWhole>(out_values, low, first & 255u);
    store_compressed<kWhole>(out_values, high, first >> 8);
  }
  for (unsigned i = 0; i < 4; ++i)
    start[i] = place + static_cast<std::int32_t>(__builtin_popcount(first & ((1u << (4 * i)) - 1)));
  return left;
}

}  // namespace pawl::PAWL_ISA_NS
#endif
