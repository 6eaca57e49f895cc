// gather.hpp -- a vector of x[index[0]], x[index[1]], ...: by the gather instructions where the ISA has them.
#pragma once
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

/// x[index[i]] for all lanes i. Indices are not negative.
template <class T, class I>
PAWL_INLINE Vec<T> gather(const T* x, const I* index) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 8 && sizeof(I) == 8)
    return Vec<T>(_mm512_i64gather_pd(_mm512_loadu_si512(index), x, 8));
  else if constexpr (sizeof(T) == 8 && sizeof(I) == 4)
    return Vec<T>(_mm512_i32gather_pd(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(index)), x, 8));
  else if constexpr (sizeof(T) == 8)
    return Vec<T>(
        _mm512_i32gather_pd(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(index))), x, 8));
  else if constexpr (sizeof(I) == 8)
    return Vec<T>(_mm512_insertf32x8(_mm512_castps256_ps512(_mm512_i64gather_ps(_mm512_loadu_si512(index), x, 4)),
                                     _mm512_i64gather_ps(_mm512_loadu_si512(index + 8), x, 4), 1));
  else if constexpr (sizeof(I) == 4)
    return Vec<T>(_mm512_i32gather_ps(_mm512_loadu_si512(index), x, 4));
  else
    return Vec<T>(
        _mm512_i32gather_ps(_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(index))), x, 4));
#else
  alignas(64) T buffer[lanes<T>];
  for (std::size_t i = 0; i < lanes<T>; ++i) buffer[i] = x[index[i]];
  return load<T>(buffer);
#endif
}

/// x[index[i]] for the first `count` lanes, 0 in the others; neither index[count] nor any x of it is read.
template <class T, class I>
PAWL_INLINE Vec<T> gather_first(const T* x, const I* index, std::size_t count) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 8 && sizeof(I) <= 4) {
    const auto mask = static_cast<__mmask8>((1u << count) - 1);
    const __m256i places = sizeof(I) == 4 ? _mm256_maskz_loadu_epi32(mask, index)
                                          : _mm256_cvtepu16_epi32(_mm_maskz_loadu_epi16(mask, index));
    return Vec<T>(_mm512_mask_i32gather_pd(_mm512_setzero_pd(), mask, places, x, 8));
  } else if constexpr (sizeof(T) == 8) {
    const auto mask = static_cast<__mmask8>((1u << count) - 1);
    return Vec<T>(_mm512_mask_i64gather_pd(_mm512_setzero_pd(), mask, _mm512_maskz_loadu_epi64(mask, index), x, 8));
  } else if constexpr (sizeof(I) <= 4) {
    const auto mask = static_cast<__mmask16>((1u << count) - 1);
    const __m512i places = sizeof(I) == 4 ? _mm512_maskz_loadu_epi32(mask, index)
                                          : _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, index));
    return Vec<T>(_mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, places, x, 4));
  }
#endif
  alignas(64) T buffer[lanes<T>] = {};
  for (std::size_t i = 0; i < count; ++i) buffer[i] = x[index[i]];
  return load<T>(buffer);
}

}  // namespace pawl::PAWL_ISA_NS
