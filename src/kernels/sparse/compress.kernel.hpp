// compress.kernel.hpp -- the chosen lanes of a vector and their columns, beside each other in memory.
#pragma once
#include "kernels/vec.hpp"

#if defined(PAWL_ISA_IS_avx512)
namespace pawl::PAWL_ISA_NS {

// values: the lanes of v in `mask`; columns: first + the place of each. A whole vector of either can be written: the
// instruction that stores the chosen lanes alone takes a hundred cycles on Zen 4. Returns how many.
template <class I>
PAWL_INLINE std::size_t store_chosen(Vec<double> v, unsigned mask, std::size_t first, I* columns, double* values) {
  const auto m = static_cast<__mmask8>(mask);
  store<double>(values, Vec<double>(_mm512_maskz_compress_pd(m, v)));
  if constexpr (sizeof(I) == 4) {
    const __m256i places =
        _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(first)), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(columns), _mm256_maskz_compress_epi32(m, places));
  } else {
    const __m512i places =
        _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(first)), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
    _mm512_storeu_si512(columns, _mm512_maskz_compress_epi64(m, places));
  }
  return static_cast<std::size_t>(__builtin_popcount(mask));
}
template <class I>
PAWL_INLINE std::size_t store_chosen(Vec<float> v, unsigned mask, std::size_t first, I* columns, float* values) {
  const auto m = static_cast<__mmask16>(mask);
  store<float>(values, Vec<float>(_mm512_maskz_compress_ps(m, v)));
  if constexpr (sizeof(I) == 4) {
    const __m512i places = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    _mm512_storeu_si512(
        columns, _mm512_maskz_compress_epi32(m, _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first)), places)));
  } else {
    const __m512i low =
        _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(first)), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
    const __m512i high = _mm512_add_epi64(low, _mm512_set1_epi64(8));
    _mm512_storeu_si512(columns, _mm512_maskz_compress_epi64(static_cast<__mmask8>(mask), low));
    _mm512_storeu_si512(columns + __builtin_popcount(mask & 255u),
                        _mm512_maskz_compress_epi64(static_cast<__mmask8>(mask >> 8), high));
  }
  return static_cast<std::size_t>(__builtin_popcount(mask));
}

}  // namespace pawl::PAWL_ISA_NS
#endif
