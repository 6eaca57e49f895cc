// slot_values.kernel.hpp -- what the keys of column and place say, to memory: columns by whole vectors, values two by
// two.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/vec.hpp"

#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
namespace pawl::PAWL_ISA_NS {

template <class T>
PAWL_INLINE T value_at(const unsigned char* at) {
  T value;
  __builtin_memcpy(&value, at, sizeof(T));
  return value;
}

PAWL_INLINE void store_two(double* to, const unsigned char* first, const unsigned char* second) {
  const __m128d low = _mm_set_sd(value_at<double>(first));
  _mm_storeu_pd(to, _mm_loadh_pd(low, reinterpret_cast<const double*>(second)));
}
PAWL_INLINE void store_two(float* to, const unsigned char* first, const unsigned char* second) {
  const __m128i low = _mm_cvtsi32_si128(value_at<int>(first));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_insert_epi32(low, value_at<int>(second), 1));
}

// out[i] = the value at places[i], i < n. Two by two, since stores are what there is fewest of.
template <std::size_t Stride, class T>
PAWL_INLINE void fetch_values(const unsigned char* values, const std::uint32_t* places, std::size_t n, T* out) {
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2) store_two(out + i, values + Stride * places[i], values + Stride * places[i + 1]);
  if (i < n) out[i] = value_at<T>(values + Stride * places[i]);
}

PAWL_INLINE void store_columns(std::int32_t* to, __m128i columns) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), columns);
}
PAWL_INLINE void store_columns(std::int32_t* to, __m256i columns) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), columns);
}
PAWL_INLINE void store_columns(std::int64_t* to, __m128i columns) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_cvtepu32_epi64(columns));
}
#if defined(PAWL_ISA_IS_avx512)
PAWL_INLINE void store_columns(std::int32_t* to, __m512i columns) { _mm512_storeu_si512(to, columns); }
PAWL_INLINE void store_columns(std::int64_t* to, __m256i columns) {
  _mm512_storeu_si512(to, _mm512_cvtepu32_epi64(columns));
}
PAWL_INLINE void store_columns(std::int64_t* to, __m512i columns) {
  store_columns(to, _mm512_castsi512_si256(columns));
  store_columns(to + 8, _mm512_extracti64x4_epi64(columns, 1));
}
#else
PAWL_INLINE void store_columns(std::int64_t* to, __m256i columns) {
  store_columns(to, _mm256_castsi256_si128(columns));
  store_columns(to + 4, _mm256_extracti128_si256(columns, 1));
}
#endif

}  // namespace pawl::PAWL_ISA_NS
#endif
