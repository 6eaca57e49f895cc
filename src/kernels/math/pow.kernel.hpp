// pow.kernel.hpp -- x -> x^y for one y, written once for every ISA: f32 in the arithmetic of f64, f64 in twice that.
//
// x^y = +-exp(y log|x|). An error of the exponent is one of the result times 104 (f32) or 745 (f64), so that the
// logarithm needs 7 or 10 more bits than the result: f32 has them in f64; f64 computes log|x| as a sum of two numbers.
#pragma once
#include "kernels/math/exp.kernel.hpp"
#include "kernels/math/log.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

PAWL_INLINE Vec<double> load_widened(const float* p) {
#if defined(PAWL_ISA_IS_avx512)
  return Vec<double>(_mm512_cvtps_pd(_mm256_loadu_ps(p)));
#elif defined(PAWL_ISA_IS_avx2)
  return Vec<double>(_mm256_cvtps_pd(_mm_loadu_ps(p)));
#else
  alignas(64) double wide[lanes<double>];
  for (std::size_t i = 0; i < lanes<double>; ++i) wide[i] = static_cast<double>(p[i]);
  return load<double>(wide);
#endif
}

PAWL_INLINE void store_narrowed(float* p, Vec<double> v) {
#if defined(PAWL_ISA_IS_avx512)
  _mm256_storeu_ps(p, _mm512_cvtpd_ps(v));
#elif defined(PAWL_ISA_IS_avx2)
  _mm_storeu_ps(p, _mm256_cvtpd_ps(v));
#else
  alignas(64) double wide[lanes<double>];
  store<double>(wide, v);
  for (std::size_t i = 0; i < lanes<double>; ++i) p[i] = static_cast<float>(wide[i]);
#endif
}

/// A sum of two numbers, |low| at most half an ulp of high.
struct TwoNumbers {
  Vec<double> high, low;
};

/// The entries of tables of 16 that belong to m, 0.75 <= m < 1.5: those of m rounded to sixteenths.
class Sixteenth {
 public:
  PAWL_INLINE explicit Sixteenth(Vec<double> m) : moved_(bits<double>(m + Vec<double>(Format<double>::kRound / 16))) {}
  PAWL_INLINE Vec<double> of(const double (&table)[16]) const {
#if defined(PAWL_ISA_IS_avx512)
    return pawl::PAWL_ISA_NS::look_up((__m512i)moved_, table);
#else
    alignas(64) std::uint64_t place[lanes<double>];
    alignas(64) double found[lanes<double>];
    __builtin_memcpy(place, &moved_, sizeof place);
    for (std::size_t i = 0; i < lanes<double>; ++i) found[i] = table[place[i] % 16];
    return load<double>(found);
#endif
  }

 private:
  Bits<double> moved_;
};

/// log x within 2^-61 of itself, for normal x > 0: x = 2^e m, c = m rounded to sixteenths, m / c = 1 + r + r_low;
/// log x = e ln 2 + log c + (r - r^2/2) + r^3 Q(r), where everything but the last term is carried with what it rounds
/// away.
PAWL_INLINE TwoNumbers log_in_two(Vec<double> x) {
  using C = LogConstants<double>;
  const Split<double> parts = split<double>(x, Vec<double>(0.0));
  const Vec<double> e = parts.exponent, m = parts.mantissa;
  const Sixteenth c(m);
  const Vec<double> inverse = c.of(coefficients::kInverseDouble), quotient = m * inverse;
  const Vec<double> r = quotient - Vec<double>(1.0), r_low = product_error<double>(m, inverse, quotient);
  const Vec<double> half = r * Vec<double>(-0.5), square = r * half,
                    square_low = product_error<double>(r, half, square);
  const Vec<double> bend = r + square, bend_low = (r - bend) + square;
  const Vec<double> cube = (r * r) * (r * polynomial<double>(r, coefficients::kLogSecond));
  // Exact: multiples of 2^-42 below 2^10.
  const Vec<double> large = fma<double>(e, Vec<double>(C::kLn2High), c.of(coefficients::kLogarithmHigh));
  const Vec<double> sum = large + bend, sum_low = (large - sum) + bend;
  const Vec<double> constants = fma<double>(e, Vec<double>(C::kLn2Low), c.of(coefficients::kLogarithmLow));
  // r_low (1 - r + r^2): without the square, 2^-58 of log x is missing at the ends of a sixteenth.
  const Vec<double> bent_low = fma<double>(half * r_low, Vec<double>(2.0) - (r + r), r_low);
  const Vec<double> rest = ((sum_low + bend_low) + square_low) + (cube + (bent_low + constants));
  const Vec<double> high = sum + rest;
  return {high, (sum - high) + rest};
}

/// e^x of f64 to 32 bits, 0 and infinity beyond the range of f64.
PAWL_INLINE Vec<double> exp_to_32_bits(Vec<double> x) {
  using C = ExpConstants<double>;
  x = within_exp<double>(x);
  const Vec<double> shifted = fma<double>(x, Vec<double>(C::kLog2E), Vec<double>(Format<double>::kRound));
  const Vec<double> n = shifted - Vec<double>(Format<double>::kRound);
  const Vec<double> r = fma<double>(n, Vec<double>(-C::kLn2Low), fma<double>(n, Vec<double>(-C::kLn2High), x));
  const Vec<double> q = fma<double>(r * r, polynomial<double>(r, coefficients::kExpShort), r);
  return scale<double>(q + Vec<double>(1.0), n, shifted);
}

/// x^y for a y that is finite and not 0; T says how many digits are wanted.
template <class T>
struct Power {
  double y;
  bool whole, odd;

  PAWL_INLINE explicit Power(double exponent) : y(exponent) {
    // From 2^53 on every number is even.
    const double size = exponent < 0 ? -exponent : exponent;
    const bool large = size >= 0x1p53;
    const auto n = static_cast<std::int64_t>(large ? 0 : size);
    whole = large || static_cast<double>(n) == size;
    odd = whole && !large && n % 2 == 1;
  }

  PAWL_INLINE Vec<double> of(Vec<double> x) const {
    const Vec<double> zero(0.0), size = magnitude<double>(x);
    const Vec<double> result = of_magnitude(size);
    if (odd) return with_sign<double>(result, x);
    if (whole) return result;
    // A negative number has no such power; -infinity counts as beyond all numbers.
    const Vec<double> infinity(std::numeric_limits<double>::infinity()), nan(std::numeric_limits<double>::quiet_NaN());
    return select_less<double>(x, zero, select_less<double>(size, infinity, nan, result), result);
  }

 private:
  PAWL_INLINE Vec<double> of_magnitude(Vec<double> size) const {
    if constexpr (sizeof(T) == 4) {
      // Zeros and infinities come out of log and exp by themselves.
#if defined(PAWL_ISA_IS_avx512)
      const Vec<double> logarithm = log_by_table<double>(size, coefficients::kInverseDouble,
                                                         coefficients::kLogarithmDouble, coefficients::kLogShort);
#else
      const Vec<double> logarithm = Log{}.of<double>(size);
#endif
      return exp_to_32_bits(Vec<double>(y) * logarithm);
    } else {
      const TwoNumbers l = log_in_two(size);
      const Vec<double> power = Vec<double>(y) * l.high, zero(0.0);
      const Vec<double> low = product_error<double>(Vec<double>(y), l.high, power) + Vec<double>(y) * l.low;
      // Beyond the range low means nothing, and may be NaN.
      return Exponential<double, true>(within_exp<double>(power),
                                       select_less<double>(magnitude<double>(power), Vec<double>(1000.0), low, zero))
          .value();
    }
  }
};

// Whether all lanes are finite, normal and not 0.
PAWL_INLINE bool all_normal(Vec<double> x) {
  const Vec<double> size = magnitude<double>(x), zero(0.0), one(1.0);
  const Vec<double> infinity(std::numeric_limits<double>::infinity()), smallest(std::numeric_limits<double>::min());
  const Vec<double> normal = select_less<double>(size, infinity, select_less<double>(size, smallest, zero, one), zero);
  return reduce_add<double>(normal) == static_cast<double>(lanes<double>);
}

// x^y of an x that is 0, denormal, infinite or NaN.
static double pow_of_special(double x, const Power<double>& power) noexcept {
  const double size = __builtin_fabs(x), infinity = std::numeric_limits<double>::infinity();
  if (size != 0 && size != infinity) return __builtin_isnan(x) ? x + x : __builtin_pow(x, power.y);
  const double result = (size == 0) == (power.y < 0) ? infinity : 0;
  return power.odd ? __builtin_copysign(result, x) : result;
}

// The first `count` elements, some of which are 0, denormal, infinite or NaN; the others have what they would have in
// any other vector. In a function of its own, since it needs memory.
[[gnu::noinline]] static void pow_not_all_normal(const double* x, const Power<double>& power, double* out,
                                                 std::size_t count) {
  alignas(64) double part[lanes<double>];
  for (std::size_t k = 0; k < lanes<double>; ++k) part[k] = k < count && __builtin_isnormal(x[k]) ? x[k] : 1.0;
  store<double>(part, power.of(load<double>(part)));
  for (std::size_t k = 0; k < count; ++k) out[k] = __builtin_isnormal(x[k]) ? part[k] : pow_of_special(x[k], power);
}

// The first `count` elements.
PAWL_INLINE void pow_vector(const double* x, const Power<double>& power, double* out, std::size_t count) {
#if defined(PAWL_ISA_IS_avx512)
  // The other lanes: 1. Masked, as below: what was put together element by element is waited for (Zen 5).
  const Vec<double> v(_mm512_mask_loadu_pd(_mm512_set1_pd(1.0), static_cast<__mmask8>((1u << count) - 1), x));
#else
  Vec<double> v = load_first<double>(x, count);
  if (count < lanes<double>) {  // the other lanes: 1
    alignas(64) double part[lanes<double>];
    for (std::size_t k = 0; k < lanes<double>; ++k) part[k] = k < count ? x[k] : 1.0;
    v = load<double>(part);
  }
#endif
  if (all_normal(v)) [[likely]]
    return store_first<double>(out, power.of(v), count);
  pow_not_all_normal(x, power, out, count);
}

PAWL_INLINE void pow_vector(const float* x, const Power<float>& power, float* out, std::size_t count) {
  constexpr std::size_t W = lanes<double>;
  if (count == W) return store_narrowed(out, power.of(load_widened(x)));
#if defined(PAWL_ISA_IS_avx512)
  const auto there = static_cast<__mmask8>((1u << count) - 1);
  const Vec<double> v(_mm512_cvtps_pd(_mm256_maskz_loadu_ps(there, x)));
  _mm256_mask_storeu_ps(out, there, _mm512_cvtpd_ps(power.of(v)));
#else
  alignas(64) float part[W] = {};
  for (std::size_t k = 0; k < count; ++k) part[k] = x[k];
  store_narrowed(part, power.of(load_widened(part)));
  for (std::size_t k = 0; k < count; ++k) out[k] = part[k];
#endif
}

template <class T>
static void pow(const T* x, T y, T* out, std::size_t n) noexcept {
  // x^0 is 1 and 1^y is 1, also where the other is NaN; 0 * infinity in the exponent would say otherwise.
  if (!(y - y == T(0) && y != T(0))) {
    for (std::size_t i = 0; i < n; ++i)  // the C library makes NaN of a signalling NaN's power of 0
      out[i] = y == T(0) ? T(1) : static_cast<T>(__builtin_pow(static_cast<double>(x[i]), static_cast<double>(y)));
    return;
  }
  constexpr std::size_t W = lanes<double>;
  const Power<T> power(static_cast<double>(y));
  for (std::size_t i = 0; i < n; i += W) pow_vector(x + i, power, out + i, n - i < W ? n - i : W);
}

}  // namespace pawl::PAWL_ISA_NS
