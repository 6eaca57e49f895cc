// vec_bits.hpp -- the bit patterns of vectors, choices between lanes, products with their rounding error, and 2^n.
//
// What the math kernels need beyond vec.hpp. Included only by *.isa.cpp files and what they include.
#pragma once
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

/// How T is laid out, and the constants that tricks with bits need.
template <class T>
struct Format;
template <>
struct Format<float> {
  using Integer = std::uint32_t;
  static constexpr int kMantissaBits = 23, kBias = 127;
  static constexpr Integer kOne = 0x3f800000, kSign = 0x80000000;
  static constexpr Integer kHighHalf = 0xfffff000;  // of 24 bits of mantissa, the upper 12
  static constexpr float kRound = 0x1.8p23f;        // adding it rounds to an integer, which then stands in the low bits
};
template <>
struct Format<double> {
  using Integer = std::uint64_t;
  static constexpr int kMantissaBits = 52, kBias = 1023;
  static constexpr Integer kOne = 0x3ff0000000000000, kSign = 0x8000000000000000;
  static constexpr Integer kHighHalf = 0xfffffffff8000000;
  static constexpr double kRound = 0x1.8p52;
};

/// Unsigned integers of the width of T, one per lane, as a vector type of the compiler: + - & | << >> work lane by
/// lane.
#if defined(PAWL_ISA_IS_scalar)
template <class T>
using Bits = typename Format<T>::Integer;
#else
template <class T>
struct BitsOf {
  typedef typename Format<T>::Integer type __attribute__((vector_size(sizeof(T) * lanes<T>)));
};
template <class T>
using Bits = typename BitsOf<T>::type;
#endif

template <class T>
PAWL_INLINE Bits<T> bits(Vec<T> v) {
#if defined(PAWL_ISA_IS_scalar)
  return __builtin_bit_cast(Bits<T>, v.value);
#else
  return (Bits<T>)(typename Vec<T>::register_type)v;
#endif
}

template <class T>
PAWL_INLINE Vec<T> from_bits(Bits<T> b) {
#if defined(PAWL_ISA_IS_scalar)
  return Vec<T>(__builtin_bit_cast(T, b));
#else
  return Vec<T>((typename Vec<T>::register_type)b);
#endif
}

/// Lane by lane a < b ? x : y; y where either of a and b is NaN.
template <class T>
PAWL_INLINE Vec<T> select_less(Vec<T> a, Vec<T> b, Vec<T> x, Vec<T> y) {
#if defined(PAWL_ISA_IS_scalar)
  return a.value < b.value ? x : y;
#elif defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), y, x));
  else
    return Vec<T>(_mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, b, _CMP_LT_OQ), y, x));
#else
  return xsimd::select(a < b, x, y);
#endif
}

/// Lane by lane: x where v is NaN, else y.
template <class T>
PAWL_INLINE Vec<T> select_nan(Vec<T> v, Vec<T> x, Vec<T> y) {
#if defined(PAWL_ISA_IS_scalar)
  return v.value != v.value ? x : y;
#elif defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm512_mask_blend_ps(_mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), y, x));
  else
    return Vec<T>(_mm512_mask_blend_pd(_mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q), y, x));
#elif defined(PAWL_ISA_IS_avx2)
  // Not by xsimd's !=, which is false for NaN on AVX (8.1).
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm256_blendv_ps(y, x, _mm256_cmp_ps(v, v, _CMP_UNORD_Q)));
  else
    return Vec<T>(_mm256_blendv_pd(y, x, _mm256_cmp_pd(v, v, _CMP_UNORD_Q)));
#else
  return xsimd::select(v != v, x, y);
#endif
}

/// Bit i is set where lane i of a equals that of b; no bit where either is NaN.
template <class T>
PAWL_INLINE std::uint32_t equal_lanes(Vec<T> a, Vec<T> b) {
#if defined(PAWL_ISA_IS_scalar)
  return a.value == b.value;
#elif defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ);
  else
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ)));
  else
    return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ)));
#elif defined(PAWL_ISA_IS_sse2)
  if constexpr (sizeof(T) == 4)
    return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_cmpeq_ps(a, b)));
  else
    return static_cast<std::uint32_t>(_mm_movemask_pd(_mm_cmpeq_pd(a, b)));
#else
  alignas(64) T x[lanes<T>], y[lanes<T>];
  store<T>(x, a);
  store<T>(y, b);
  std::uint32_t result = 0;
  for (std::size_t i = 0; i < lanes<T>; ++i) result |= static_cast<std::uint32_t>(x[i] == y[i]) << i;
  return result;
#endif
}

/// -v, also of 0 and NaN. Where the compiler can, it becomes part of a multiply-add.
template <class T>
PAWL_INLINE Vec<T> negate(Vec<T> v) {
#if defined(PAWL_ISA_IS_scalar)
  return Vec<T>(-v.value);
#else
  return Vec<T>(-(typename Vec<T>::register_type)v);
#endif
}

/// |v|, also of -0 and NaN.
template <class T>
PAWL_INLINE Vec<T> magnitude(Vec<T> v) {
  return from_bits<T>(bits<T>(v) & ~Format<T>::kSign);
}

/// v >= 0 (or NaN) with the sign of `sign`.
template <class T>
PAWL_INLINE Vec<T> with_sign(Vec<T> v, Vec<T> sign) {
  return from_bits<T>(bits<T>(v) | (bits<T>(sign) & Format<T>::kSign));
}

/// a * b - product, where product is a * b rounded: exact (f64 without FMA: but for the last bit of the error).
/// Without FMA by Dekker, Numer. Math. 18 (1971), with halves cut by a mask.
template <class T>
PAWL_INLINE Vec<T> product_error(Vec<T> a, Vec<T> b, Vec<T> product) {
#if defined(PAWL_ISA_IS_scalar) || defined(PAWL_ISA_IS_sse2)
  const Vec<T> a1 = from_bits<T>(bits<T>(a) & Format<T>::kHighHalf), a2 = a - a1;
  const Vec<T> b1 = from_bits<T>(bits<T>(b) & Format<T>::kHighHalf), b2 = b - b1;
  return (((a1 * b1 - product) + a1 * b2) + a2 * b1) + a2 * b2;
#else
  return fma<T>(a, b, negate<T>(product));
#endif
}

/// Powers of two so low that v * 2^n is 0 for |v| < 32. By AVX-512 such results are masked: on CPUs of Intel scalef
/// that finds them takes 70 ns, as it does for denormal ones, where 2 are usual. A product of normal numbers far below
/// the denormal ones takes no longer than others.
template <class T>
inline constexpr T kVanishingPower = sizeof(T) == 4 ? T(-156) : T(-1080);

/// v * 2^n rounded once (twice where the result is denormal, outside AVX-512), |v| < 32. `shifted` is n + kRound, n an
/// integer.
template <class T>
PAWL_INLINE Vec<T> scale(Vec<T> v, Vec<T> n, [[maybe_unused]] Vec<T> shifted) {
#if defined(PAWL_ISA_IS_avx512)
  const Vec<T> vanishing(kVanishingPower<T>);
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(n, vanishing, _CMP_NLT_UQ), v, n));
  else
    return Vec<T>(_mm512_maskz_scalef_pd(_mm512_cmp_pd_mask(n, vanishing, _CMP_NLT_UQ), v, n));
#else
  // In two steps, since 2^n itself may be out of range. Both exponents are kept biased, so that the shift is logical.
  using F = Format<T>;
  const Bits<T> biased = bits<T>(shifted) - (bits<T>(Vec<T>(F::kRound)) - typename F::Integer(2 * F::kBias));
  const Bits<T> half = biased >> 1;
  (void)n;
  return (v * from_bits<T>(half << F::kMantissaBits)) * from_bits<T>((biased - half) << F::kMantissaBits);
#endif
}

#if defined(PAWL_ISA_IS_avx512)
/// v * 2^n rounded once, |v| < 2, n a whole number above -200 plus 0 to 15 sixteenths, which are left out. Denormal
/// results are rounded to whole numbers, their bits: a multiplication that has such results takes 20 times as long on
/// CPUs of Intel.
PAWL_INLINE Vec<float> scale_to_denormal(Vec<float> v, Vec<float> n) {
  const __mmask16 normal = _mm512_cmp_ps_mask(n, _mm512_set1_ps(-126), _CMP_NLT_UQ);
  const __m512 leasts = _mm512_scalef_ps(v, n + Vec<float>(149.0f));  // multiples of 2^-149
  return Vec<float>(_mm512_mask_scalef_ps(_mm512_castsi512_ps(_mm512_cvtps_epi32(leasts)), normal, v, n));
}

/// v * 2^-64 rounded once, v >= 0 and normal; in the same way.
PAWL_INLINE Vec<float> lowered_by_64(Vec<float> v) {
  const __mmask16 normal = _mm512_cmp_ps_mask(v, _mm512_set1_ps(0x1p-62f), _CMP_NLT_UQ);
  const __m512i leasts = _mm512_cvtps_epi32(v * Vec<float>(0x1p85f));
  return Vec<float>(_mm512_mask_mul_ps(_mm512_castsi512_ps(leasts), normal, v, _mm512_set1_ps(0x1p-64f)));
}
#endif

/// 2^n for normal 2^n; arguments as for scale().
template <class T>
PAWL_INLINE Vec<T> power_of_two(Vec<T> shifted) {
  return from_bits<T>((bits<T>(shifted) << Format<T>::kMantissaBits) + Format<T>::kOne);
}

/// a / b within 0.51 ulp, for 2^-100 <= |b| <= 2^100 (or NaN) and quotients of that size, or 0. AVX-512 divides slowly:
/// an estimate of 14 bits, made 28 for f64, and one corrected quotient take a third of the time.
template <class T>
PAWL_INLINE Vec<T> divide(Vec<T> a, Vec<T> b) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4) {
    const __m512 r = _mm512_rcp14_ps(b), y = _mm512_mul_ps(a, r);
    return Vec<T>(_mm512_fmadd_ps(_mm512_fnmadd_ps(y, b, a), r, y));
  } else {
    const __m512d r14 = _mm512_rcp14_pd(b);
    const __m512d r = _mm512_fmadd_pd(_mm512_fnmadd_pd(r14, b, _mm512_set1_pd(1)), r14, r14), y = _mm512_mul_pd(a, r);
    return Vec<T>(_mm512_fmadd_pd(_mm512_fnmadd_pd(y, b, a), r, y));
  }
#else
  return a / b;
#endif
}

/// x - y b, exact but for its own rounding if y is x / b to a few digits.
template <class T>
PAWL_INLINE Vec<T> remainder_of(Vec<T> x, Vec<T> y, Vec<T> b) {
#if defined(PAWL_ISA_IS_scalar) || defined(PAWL_ISA_IS_sse2)
  const Vec<T> product = y * b;
  return (x - product) - product_error<T>(y, b, product);
#else
  return fma<T>(negate<T>(y), b, x);
#endif
}

/// A number and what rounding left of it: together twice the digits of T.
template <class T>
struct TwoParts {
  Vec<T> value, rest;
};

/// 1 / a and 1 / b nearly, by one division: quotients by a and b cost a few multiply-adds then. For a, b and a b within
/// 2^-100 and 2^100 (or NaN).
template <class T>
class Reciprocals {
 public:
  PAWL_INLINE Reciprocals(Vec<T> a, Vec<T> b) : a_(a), b_(b) {
#if defined(PAWL_ISA_IS_avx512)
    by_a_ = estimate(a);
    by_b_ = estimate(b);
#else
    const Vec<T> both = Vec<T>(T(1)) / (a * b);
    by_a_ = b * both;
    by_b_ = a * both;
#endif
  }

  /// x / b within 0.51 ulp.
  PAWL_INLINE Vec<T> second_of(Vec<T> x) const {
    const Vec<T> y = x * by_b_;
    return fma<T>(remainder_of<T>(x, y, b_), by_b_, y);
  }

  /// (x + x_rest) / (a + a_rest).
  PAWL_INLINE TwoParts<T> first_of(Vec<T> x, Vec<T> x_rest, Vec<T> a_rest) const {
    const Vec<T> y = x * by_a_;
    return {y, ((remainder_of<T>(x, y, a_) + x_rest) - y * a_rest) * by_a_};
  }

 private:
#if defined(PAWL_ISA_IS_avx512)
  PAWL_INLINE static Vec<T> estimate(Vec<T> v) {
    if constexpr (sizeof(T) == 4) {
      return Vec<T>(_mm512_rcp14_ps(v));
    } else {
      const __m512d r = _mm512_rcp14_pd(v);
      return Vec<T>(_mm512_fmadd_pd(_mm512_fnmadd_pd(r, v, _mm512_set1_pd(1)), r, r));
    }
  }
#endif
  Vec<T> a_, b_, by_a_, by_b_;
};

/// (a + a_rest) / (b + b_rest) for 1 <= b <= 2 (or NaN) and rests of the size of a rounding error, as accurate as
/// divide().
template <class T>
PAWL_INLINE Vec<T> divide(Vec<T> a, Vec<T> a_rest, Vec<T> b, Vec<T> b_rest) {
  const Vec<T> y = divide<T>(a, b);
  // 1 / b need only be known to some percent: 1.457 - b / 2 is 0.043 away at most.
  return fma<T>(a_rest - y * b_rest, fma<T>(b, Vec<T>(T(-0.5)), Vec<T>(T(1.457))), y);
}

/// c[0] + c[1] x + ... in Estrin's order: halves that do not wait for each other (Horner's rule would make these long
/// chains of multiply-adds wait for every single one).
template <class T, std::size_t kFirst, std::size_t kCount, std::size_t N, std::size_t P>
PAWL_INLINE Vec<T> polynomial_part(const Vec<T> (&powers)[P], const T (&c)[N]) {
  if constexpr (kCount == 1) {
    return Vec<T>(c[kFirst]);
  } else {
    // x^(2^level) parts the coefficients: the largest power of 2 below kCount.
    constexpr std::size_t level = kCount > 16 ? 4 : kCount > 8 ? 3 : kCount > 4 ? 2 : kCount > 2 ? 1 : 0;
    constexpr std::size_t half = std::size_t{1} << level;
    return fma<T>(polynomial_part<T, kFirst + half, kCount - half>(powers, c), powers[level],
                  polynomial_part<T, kFirst, half>(powers, c));
  }
}

template <class T, std::size_t N>
PAWL_INLINE Vec<T> polynomial(Vec<T> x, const T (&c)[N]) {
  static_assert(2 <= N && N <= 32);
  const Vec<T> x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
  const Vec<T> powers[] = {x, x2, x4, x8, x8 * x8};
  return polynomial_part<T, 0, N>(powers, c);
}

/// The same by Horner's rule: slower, and with smaller errors of rounding where |x| is near 1.
template <class T, std::size_t N>
PAWL_INLINE Vec<T> polynomial_in_sequence(Vec<T> x, const T (&c)[N]) {
  Vec<T> p(c[N - 1]);
  unroll<N - 1>([&](auto i) PAWL_INLINE_LAMBDA { p = fma<T>(p, x, Vec<T>(c[N - 2 - i])); });
  return p;
}

/// The same with what the last step rounds away; c[0] is followed by `rest` beyond its last digit.
template <class T, std::size_t N>
PAWL_INLINE TwoParts<T> polynomial_in_two(Vec<T> x, const T (&c)[N], T rest) {
  Vec<T> h(c[N - 1]);
  unroll<N - 2>([&](auto i) PAWL_INLINE_LAMBDA { h = fma<T>(h, x, Vec<T>(c[N - 2 - i])); });
  const Vec<T> first(c[0]);
#if defined(PAWL_ISA_IS_scalar) || defined(PAWL_ISA_IS_sse2)
  const Vec<T> product = h * x, p = first + product;
  return {p, ((first - p) + product) + (product_error<T>(h, x, product) + Vec<T>(rest))};
#else
  const Vec<T> p = fma<T>(h, x, first);
  return {p, fma<T>(h, x, first - p) + Vec<T>(rest)};
#endif
}

}  // namespace pawl::PAWL_ISA_NS
