// roots.kernel.hpp -- x -> sqrt(x), correctly rounded: with AVX-512 two or three of four vectors by multiply-adds.
//
// The divider takes 10 (f32) to 16 (f64) cycles for a vector of 64 bytes on Zen 4, in which the multipliers have
// nothing to do: they find the roots of two vectors while it finds those of two others. Where they take in 64 bytes at
// once they find those of three vectors of f64: ns for 1024 of them on an Emerald Rapids by its divider
// alone 1061, 531 with two of four, 304 with three, 360 with all (f32, 2048: 531, 266, 250 and 295). On a Zen 5, whose
// divider is fast, 227, 115, 133 and 163 (137, 77, 93 and 109).
#pragma once
#include "isa/datapath.hpp"
#include "kernels/simd/exponent_range.kernel.hpp"

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

/// Whether root_by_products() is right for every lane of these vectors.
template <class T, class... Vecs>
PAWL_INLINE bool roots_by_products(Vecs... x) {
  return bits_within < T, sizeof(T) == 4 ? 96 : 896 > (bits<T>(x)...);
}

/// Whether products have three roots before the divider has one.
template <class T>
PAWL_INLINE bool mostly_products() {
  return sizeof(T) == 8 && !detail::splits_512_bits && !detail::divides_fast;
}

/// v[k] = sqrt(v[k]): those from kFirst on by products, if these are right for them.
template <std::size_t kFirst, class T>
PAWL_INLINE bool roots_both_ways(Vec<T> (&v)[4]) {
  static_assert(kFirst == 1 || kFirst == 2);
  if (!(kFirst == 1 ? roots_by_products<T>(v[3], v[2], v[1]) : roots_by_products<T>(v[3], v[2]))) [[unlikely]]
    return false;
  unroll<kFirst>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = square_root<T>(v[k]); });
  unroll<4 - kFirst>([&](auto k) PAWL_INLINE_LAMBDA { v[kFirst + k] = root_by_products<T>(v[kFirst + k]); });
  return true;
}
#endif

/// v[k] = sqrt(v[k]).
template <class T>
PAWL_INLINE void four_roots(Vec<T> (&v)[4]) {
#if defined(PAWL_ISA_IS_avx512)
  if (mostly_products<T>() ? roots_both_ways<1>(v) : roots_both_ways<2>(v)) [[likely]]
    return;
#endif
  unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = square_root<T>(v[k]); });
}

/// sqrt(x) of the k-th vector of what is no four: the divider takes the first one, but for f64 where its products take
/// less time. On an Emerald Rapids by the divider alone and so, ns: 8, 16 and 24 f64 8.0, 16.0 and 24.9, now 5.3, 7.7
/// and 9.3; 32 f32 8.3, now 4.7.
template <class T>
PAWL_INLINE Vec<T> one_root(Vec<T> x, [[maybe_unused]] std::size_t k) {
#if defined(PAWL_ISA_IS_avx512)
  if ((k % 2 == 1 || mostly_products<T>()) && roots_by_products<T>(x)) return root_by_products<T>(x);
#endif
  return square_root<T>(x);
}

}  // namespace pawl::PAWL_ISA_NS
