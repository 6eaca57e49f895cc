// log.kernel.hpp -- x -> log(x), written once for every ISA.
//
// x = 2^e m, 0.75 <= m < 1.5. AVX-512: with c = m rounded to sixteenths, log x = e ln 2 + log c + log(1 + r), r = m / c
// - 1, where 1 / c and log c come from registers (1 / c is one whose logarithm is nearly a number of the type: Gal and
// Bachelis, ACM Trans. Math. Softw. 17 (1991)) and c = 1 around 1, so that nothing cancels. Others: with m = 1 + f, s =
// f / (2 + f), log(1 + f) = f - f^2/2 + s (f^2/2 + z P(z)), z = s^2, where what is rounded is small against f (the
// identity of fdlibm's log, Sun Microsystems 1993).
#pragma once
#include "kernels/math/coefficients.hpp"
#include "kernels/math/pieces.kernel.hpp"
#include "kernels/vec_bits.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
struct LogConstants;
template <>
struct LogConstants<float> {
  static constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;  // 15 bits: times an exponent exact
  static constexpr float kLift = 0x1p25f;                                     // makes every denormal number normal
  static constexpr int kLifted = 25;
};
template <>
struct LogConstants<double> {
  static constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;
  static constexpr double kLift = 0x1p54;
  static constexpr int kLifted = 54;
};

template <class T>
struct Split {
  Vec<T> exponent, mantissa;  // x = 2^exponent mantissa, 0.75 <= mantissa < 1.5
};

/// AVX-512: of every x (0: exponent -inf; inf: inf; NaN and x < 0: a NaN). Others: of normal x > 0 times 2^-lifted.
template <class T>
PAWL_INLINE Split<T> split(Vec<T> x, [[maybe_unused]] Vec<T> lifted) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4) {
    const __m512 m = _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan), e = _mm512_getexp_ps(x);
    const __m512 one = _mm512_set1_ps(1);
    return {Vec<T>(_mm512_mask_add_ps(e, _mm512_cmp_ps_mask(m, one, _CMP_LT_OQ), e, one)), Vec<T>(m)};
  } else {
    const __m512d m = _mm512_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan), e = _mm512_getexp_pd(x);
    const __m512d one = _mm512_set1_pd(1);
    return {Vec<T>(_mm512_mask_add_pd(e, _mm512_cmp_pd_mask(m, one, _CMP_LT_OQ), e, one)), Vec<T>(m)};
  }
#else
  using F = Format<T>;
  using Integer = typename F::Integer;
  // Moving 1.5 to 2 makes the exponent of the moved number the one wanted.
  constexpr Integer kMove = Integer(1) << (F::kMantissaBits - 1);
  constexpr Integer kThreeQuarters = F::kOne - kMove;
  const Bits<T> moved = bits<T>(x) + kMove;
  // As the low bits of a number without fraction bits, an integer converts to floating point on every ISA.
  constexpr T kInteger = F::kRound / T(1.5);
  const Vec<T> biased = from_bits<T>((moved >> F::kMantissaBits) | bits<T>(Vec<T>(kInteger)));
  const Bits<T> fraction = moved & ((Integer(1) << F::kMantissaBits) - 1);
  return {(biased - Vec<T>(kInteger + T(F::kBias))) - lifted, from_bits<T>(fraction + kThreeQuarters)};
#endif
}

#if defined(PAWL_ISA_IS_avx512)
/// m rounded to sixteenths, in the low bits: what the tables of 1 / c and log c are looked up by.
PAWL_INLINE __m512i sixteenths(Vec<float> m) { return _mm512_castps_si512(m + Vec<float>(Format<float>::kRound / 16)); }
PAWL_INLINE __m512i sixteenths(Vec<double> m) {
  return _mm512_castpd_si512(m + Vec<double>(Format<double>::kRound / 16));
}
PAWL_INLINE Vec<double> look_up(__m512i place, const double (&table)[16]) {
  return Vec<double>(_mm512_permutex2var_pd(_mm512_load_pd(table), place, _mm512_load_pd(table + 8)));
}

/// log x for every x: e ln 2 + log c is exact where it cancels (|e| <= 1).
template <class T, std::size_t N>
PAWL_INLINE Vec<T> log_by_table(Vec<T> x, const T (&inverse)[16], const T (&logarithm)[16], const T (&series)[N]) {
  using C = LogConstants<T>;
  const Split<T> parts = split<T>(x + Vec<T>(T(0)), x);  // -0 to 0; getmant would make it a NaN
  const Vec<T> e = parts.exponent, m = parts.mantissa;
  const __m512i place = sixteenths(m);
  const Vec<T> r = fma<T>(m, look_up(place, inverse), Vec<T>(T(-1)));
  const Vec<T> large = fma<T>(e, Vec<T>(C::kLn2High), look_up(place, logarithm));
  return large + fma<T>(r * r, polynomial<T>(r, series), fma<T>(e, Vec<T>(C::kLn2Low), r));
}
#endif

struct Log {
  template <class T>
  PAWL_INLINE Vec<T> of(Vec<T> x) const {
#if defined(PAWL_ISA_IS_avx512)
    if constexpr (sizeof(T) == 4)
      return log_by_table<T>(x, coefficients::kInverseFloat, coefficients::kLogarithmFloat, coefficients::kLogFirst32);
    else
      return log_by_table<T>(x, coefficients::kInverseDouble, coefficients::kLogarithmDouble,
                             coefficients::kLogFirst64);
#else
    using C = LogConstants<T>;
    const Vec<T> zero(T(0));
    const Vec<T> smallest(std::numeric_limits<T>::min());
    const Split<T> parts = split<T>(select_less<T>(x, smallest, x * Vec<T>(C::kLift), x),
                                    select_less<T>(x, smallest, Vec<T>(T(C::kLifted)), zero));
    const Vec<T> e = parts.exponent, f = parts.mantissa - Vec<T>(T(1));
    const Vec<T> s = divide<T>(f, Vec<T>(T(2)) + f), z = s * s, half = Vec<T>(T(0.5)) * f * f;
    const Vec<T> rest = fma<T>(z, polynomial<T>(z, coefficients::kLog<T>), half);
    const Vec<T> low = fma<T>(s, rest, e * Vec<T>(C::kLn2Low));
    const Vec<T> result = fma<T>(e, Vec<T>(C::kLn2High), f - (half - low));
    const Vec<T> infinity(std::numeric_limits<T>::infinity()), nan(std::numeric_limits<T>::quiet_NaN());
    // Below 0: NaN; 0 and -0: -infinity.
    const Vec<T> outside = select_less<T>(x, zero, nan, -infinity);
    // NaN is less than nothing, so it comes out of the last choice as what it is.
    const Vec<T> positive = select_less<T>(x, infinity, result, x);
    return select_less<T>(zero, x, positive, select_less<T>(x, infinity, outside, x));
#endif
  }
};

}  // namespace pawl::PAWL_ISA_NS
