// dense.kernel.hpp -- a row of a dense matrix to the entries that are not small.
#pragma once
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
// Lanes of p[0 .. lanes) with |p[i]| > threshold or NaN, among those of `active`.
PAWL_INLINE unsigned lanes_above(__m512d v, double threshold, unsigned active) {
  return _mm512_mask_cmp_pd_mask(static_cast<__mmask8>(active), _mm512_abs_pd(v), _mm512_set1_pd(threshold),
                                 _CMP_NLE_UQ);
}
PAWL_INLINE unsigned lanes_above(__m512 v, float threshold, unsigned active) {
  return _mm512_mask_cmp_ps_mask(static_cast<__mmask16>(active), _mm512_abs_ps(v), _mm512_set1_ps(threshold),
                                 _CMP_NLE_UQ);
}
#endif

template <class T>
static std::size_t count_above(const T* p, std::size_t n, T threshold) noexcept {
  std::size_t count = 0;
#if defined(PAWL_ISA_IS_avx512)
  constexpr std::size_t L = lanes<T>;
  std::size_t i = 0;
  for (; i + L <= n; i += L)
    count += static_cast<std::size_t>(__builtin_popcount(lanes_above(load(p + i), threshold, ~0u)));
  const unsigned rest = (1u << (n - i)) - 1;
  return count + static_cast<std::size_t>(__builtin_popcount(lanes_above(load_first(p + i, n - i), threshold, rest)));
#else
  for (std::size_t i = 0; i < n; ++i) count += !(__builtin_fabs(p[i]) <= threshold);
  return count;
#endif
}

// What is compressed is stored as a whole vector: the instruction that stores the chosen lanes alone takes a hundred
// cycles on Zen 4.
template <class T, class I>
static std::size_t keep_above(const T* p, std::size_t n, T threshold, I* columns, T* values) noexcept {
  std::size_t out = 0;
#if defined(PAWL_ISA_IS_avx512)
  constexpr std::size_t L = lanes<T>;
  const auto add = [&](std::size_t i, Vec<T> v, unsigned mask) PAWL_INLINE_LAMBDA {
    if (mask == 0) return;
    if constexpr (sizeof(T) == 8) {
      const auto m = static_cast<__mmask8>(mask);
      store<T>(values + out, Vec<T>(_mm512_maskz_compress_pd(m, v)));
      const __m256i first =
          _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(i)), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
      if constexpr (sizeof(I) == 4)
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(columns + out), _mm256_maskz_compress_epi32(m, first));
      else
        _mm512_storeu_si512(
            columns + out, _mm512_maskz_compress_epi64(m, _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(i)),
                                                                           _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0))));
    } else {
      const auto m = static_cast<__mmask16>(mask);
      store<T>(values + out, Vec<T>(_mm512_maskz_compress_ps(m, v)));
      if constexpr (sizeof(I) == 4) {
        const __m512i places = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        _mm512_storeu_si512(columns + out, _mm512_maskz_compress_epi32(
                                               m, _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(i)), places)));
      } else {
        const __m512i first =
            _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(i)), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
        const __m512i second = _mm512_add_epi64(first, _mm512_set1_epi64(8));
        _mm512_storeu_si512(columns + out, _mm512_maskz_compress_epi64(static_cast<__mmask8>(mask), first));
        _mm512_storeu_si512(columns + out + __builtin_popcount(mask & 255u),
                            _mm512_maskz_compress_epi64(static_cast<__mmask8>(mask >> 8), second));
      }
    }
    out += static_cast<std::size_t>(__builtin_popcount(mask));
  };
  std::size_t i = 0;
  for (; i + L <= n; i += L) {
    const Vec<T> v = load(p + i);
    add(i, v, lanes_above(v, threshold, ~0u));
  }
  const Vec<T> v = load_first(p + i, n - i);
  add(i, v, lanes_above(v, threshold, (1u << (n - i)) - 1));
#else
  for (std::size_t i = 0; i < n; ++i) {  // without a branch, which would be foreseen badly
    const T value = p[i];
    columns[out] = static_cast<I>(i);
    values[out] = value;
    out += !(__builtin_fabs(value) <= threshold);
  }
#endif
  return out;
}

}  // namespace pawl::PAWL_ISA_NS
