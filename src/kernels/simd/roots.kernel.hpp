// roots.kernel.hpp -- x -> sqrt(x), correctly rounded: with AVX-512 half of the vectors by multiply-adds.
//
// The divider takes 10 (f32) to 16 (f64) cycles for a vector of 64 bytes on Zen 4, in which the multipliers have
// nothing to do: they find the roots of two vectors while it finds those of two others.
#pragma once
#include "kernels/vec_bits.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
/// sqrt(x) by Newton's iteration for 1 / sqrt(x), from an estimate of 14 bits, and one step with the exact remainder
/// (P. W. Markstein, IBM J. Res. Dev. 34 (1990)). Correctly rounded for 2^-96 <= x < 2^97 (f64: 2^-896 <= x < 2^897),
/// beyond which the remainder, or a step's product, would leave the range of T: f32 for each mantissa, f64 for those
/// whose root is nearest to halfway between two numbers (tests/kernels/simd/roots_test.cpp).
template <class T>
PAWL_INLINE Vec<T> root_by_products(Vec<T> x) {
  Vec<T> estimate;
  if constexpr (sizeof(T) == 4)
    estimate = Vec<T>(_mm512_rsqrt14_ps(x));
  else
    estimate = Vec<T>(_mm512_rsqrt14_pd(x));
  const Vec<T> half(T(0.5));
  Vec<T> root = x * estimate, inverse = estimate * half;  // nearly sqrt(x) and 1 / (2 sqrt(x))
  unroll<sizeof(T) == 4 ? 1 : 2>([&](auto) PAWL_INLINE_LAMBDA {
    const Vec<T> miss = fma<T>(negate<T>(inverse), root, half);
    root = fma<T>(root, miss, root);
    inverse = fma<T>(inverse, miss, inverse);
  });
  return fma<T>(fma<T>(negate<T>(root), root, x), inverse, root);
}

/// Whether root_by_products() is right for every lane of a and b: exponents of that range, and no sign.
template <class T>
PAWL_INLINE bool roots_by_products(Vec<T> a, Vec<T> b) {
  using Integer = typename Format<T>::Integer;
  constexpr Integer kHalf = sizeof(T) == 4 ? 96 : 896;  // largest power of 2
  constexpr Integer kLowest = (Format<T>::kBias - kHalf) << Format<T>::kMantissaBits;
  constexpr Integer kRange = (2 * kHalf + 1) << Format<T>::kMantissaBits;
  const auto x = (__m512i)(bits<T>(a) - kLowest), y = (__m512i)(bits<T>(b) - kLowest);
  if constexpr (sizeof(T) == 4)
    return _mm512_cmplt_epu32_mask(_mm512_max_epu32(x, y), _mm512_set1_epi32(static_cast<int>(kRange))) == 0xffff;
  else
    return _mm512_cmplt_epu64_mask(_mm512_max_epu64(x, y), _mm512_set1_epi64(static_cast<long long>(kRange))) == 0xff;
}
#endif

/// v[k] = sqrt(v[k]).
template <class T>
PAWL_INLINE void four_roots(Vec<T> (&v)[4]) {
#if defined(PAWL_ISA_IS_avx512)
  if (roots_by_products<T>(v[1], v[3])) [[likely]] {
    v[0] = square_root<T>(v[0]);
    v[1] = root_by_products<T>(v[1]);
    v[2] = square_root<T>(v[2]);
    v[3] = root_by_products<T>(v[3]);
    return;
  }
#endif
  unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = square_root<T>(v[k]); });
}

}  // namespace pawl::PAWL_ISA_NS
