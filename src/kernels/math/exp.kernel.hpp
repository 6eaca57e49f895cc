// exp.kernel.hpp -- x -> exp(x), sigmoid(x), tanh(x), written once for every ISA.
//
// exp: x = n ln 2 + r with |r| <= ln(2) / 2 (Cody and Waite, Software Manual for the Elementary Functions, 1980, ch.
// 6), exp(r) = 1 + r + r^2 P(r), then a multiplication by 2^n.
#pragma once
#include "kernels/math/coefficients.hpp"
#include "kernels/math/pieces.kernel.hpp"
#include "kernels/vec_bits.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  // The high part has 9 bits, so that n times it is exact for every n that occurs.
  static constexpr float kLog2E = 0x1.715476p+0f, kLn2High = 0x1.63p-1f, kLn2Low = -0x1.bd0106p-13f;
  static constexpr float kLog2ELow = 0x1.4ae0c0p-26f;
  static constexpr float kHighest = 89, kLowest = -111;  // beyond: infinity, and 0 (kVanishingPower)
  static constexpr float kLeastNormal = -87.33654f;      // from here on exp(x) is normal
  static constexpr float kLn2 = 0x1.62e430p-1f;
  static constexpr float kTanhOne = 10;              // from here on tanh(x) rounds to 1
  static constexpr float kTanhEnd = 0x1.154246p+3f;  // see Tanh
};
template <>
struct ExpConstants<double> {
  static constexpr double kLog2E = 0x1.71547652b82fep+0, kLn2High = 0x1.62e42fefa3800p-1,  // 42 bits
      kLn2Low = 0x1.ef35793c76730p-45;
  static constexpr double kHighest = 710, kLowest = -770, kLeastNormal = -708.3964185322641;
  static constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  static constexpr double kTanhOne = 20, kTanhEnd = 0x1.2b708872320e2p+4;
};

/// Whether exp takes 2^(j/16) from a register: then n is a multiple of 1/16, and P needs three terms only.
#if defined(PAWL_ISA_IS_avx512)
template <class T>
inline constexpr bool kTabled = sizeof(T) == sizeof(float);
#else
template <class T>
inline constexpr bool kTabled = false;
#endif

/// exp(x + low) = 2^floor(n) factor (1 + q), for |x| <= 1200 (f64), 170 (f32) and low of the size of a rounding error
/// of x. `shifted` is n + kRound. Without a table n is an integer and factor 1.
template <class T, bool kLow = false>
class Exponential {
 public:
  PAWL_INLINE explicit Exponential(Vec<T> x, [[maybe_unused]] Vec<T> low = Vec<T>(T(0))) {
    using C = ExpConstants<T>;
    if constexpr (kTabled<T>) {
      static_assert(!kLow, "what has a table takes no low part");
#if defined(PAWL_ISA_IS_avx512)
      const Vec<T> round(Format<T>::kRound / 16), log2e(C::kLog2E);
      shifted = fma<T>(x, log2e, round);
      n = shifted - round;
      const Vec<T> f = fma<T>(x, Vec<T>(C::kLog2ELow), fma<T>(x, log2e, negate<T>(n)));
      q = f * polynomial_in_sequence<T>(f, coefficients::kExp2);
      factor = look_up(coefficients::kPower16);
#endif
    } else {
      const Vec<T> round(Format<T>::kRound);
      shifted = fma<T>(x, Vec<T>(C::kLog2E), round);
      n = shifted - round;
      const Vec<T> high = fma<T>(n, Vec<T>(-C::kLn2High), x), rest(-C::kLn2Low);
      const Vec<T> small = kLow ? fma<T>(n, rest, low) : rest;
      const Vec<T> r = kLow ? high + small : fma<T>(n, rest, high);
      const Vec<T> square = r * r, p = polynomial<T>(r, coefficients::kExp<T>);
      q = fma<T>(square, p, r);
      q_rest = fma<T>(square, p, r - q);
      if constexpr (kLow) q_rest = q_rest + ((high - r) + small);
      factor = Vec<T>(T(1));
    }
  }

  /// v times the power of two.
  PAWL_INLINE Vec<T> scaled(Vec<T> v) const { return scale<T>(v, n, shifted); }

  /// x + x_rest times the number, but for the power of two; x_rest is of the size of a rounding error of x, or somewhat
  /// larger. Without the table.
  PAWL_INLINE Vec<T> times_unscaled(Vec<T> x, Vec<T> x_rest) const requires(!kTabled<T>) {
    return x + fma<T>(x, q, fma<T>(x, q_rest, fma<T>(x_rest, q, x_rest)));
  }

  /// The same in two parts.
  PAWL_INLINE TwoParts<T> times_unscaled_in_two(Vec<T> x) const requires(!kTabled<T>) {
    const Vec<T> change = fma<T>(x, q, x * q_rest), product = x + change;
    return {product, (x - product) + change};
  }

  PAWL_INLINE Vec<T> value() const { return scaled(unscaled()); }

  /// value() of an x in [kLeastNormal, 0] (or NaN), 0 of one below; outside AVX-512 this was made of that or
  /// kLeastNormal.
  PAWL_INLINE Vec<T> normal_value(Vec<T> x) const {
    const Vec<T> least(ExpConstants<T>::kLeastNormal);
#if defined(PAWL_ISA_IS_avx512)
    if constexpr (sizeof(T) == 4)
      return Vec<T>(_mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(x, least, _CMP_NLT_UQ), unscaled(), n));
    else
      return Vec<T>(_mm512_maskz_scalef_pd(_mm512_cmp_pd_mask(x, least, _CMP_NLT_UQ), unscaled(), n));
#else
    const Vec<T> power = power_of_two<T>(shifted);
    return select_less<T>(x, least, Vec<T>(T(0)), fma<T>(power, q, power));
#endif
  }

  /// value() but for the power of two.
  PAWL_INLINE Vec<T> unscaled() const {
    if constexpr (kTabled<T>) return fma<T>(factor, q, factor);
    return q + Vec<T>(T(1));
  }

#if defined(PAWL_ISA_IS_avx512)
  PAWL_INLINE Vec<T> look_up(const float (&table)[16]) const requires(kTabled<T>) {
    return Vec<T>(_mm512_permutexvar_ps(_mm512_castps_si512(shifted), _mm512_load_ps(table)));
  }
#endif

  Vec<T> n, shifted, q, factor;
  Vec<T> q_rest = Vec<T>(T(0));  ///< what rounding took from q, without the table
};

/// x, or the nearest number of which Exponential::value() is right: infinity or 0 beyond.
template <class T>
PAWL_INLINE Vec<T> within_exp(Vec<T> x) {
  using C = ExpConstants<T>;
#if !defined(PAWL_ISA_IS_avx512)  // where scale() sees to what is too low
  x = max<T>(Vec<T>(C::kLowest), x);
#endif
  return min<T>(Vec<T>(C::kHighest), x);  // in this order a NaN goes through both
}

/// What functions of f32 have on AVX-512 beside of(): a way that costs less for arguments of ordinary size, which is
/// |x| < kOrdinary, or, where that is negative, whatever is above it, with infinity and NaN of positive sign; and one
/// for the others. begin() and end() are the halves of the former where map.kernel.hpp is to do them apart.
struct Exp {
#if defined(PAWL_ISA_IS_avx512)
  static constexpr float kOrdinary = 87;
  static constexpr bool kOthersAreAny = true;  // the same operations, but for how 2^n is multiplied by
  PAWL_INLINE Vec<float> of_ordinary(Vec<float> x) const;
  PAWL_INLINE Vec<float> of_others(Vec<float> x) const {
    const Exponential<float> e(max<float>(Vec<float>(ExpConstants<float>::kLowest), within_exp<float>(x)));
    return scale_to_denormal(e.unscaled(), e.n);
  }
#endif
  template <class T>
  PAWL_INLINE Vec<T> of(Vec<T> x) const {
    return Exponential<T>(within_exp<T>(x)).value();
  }
};

#if defined(PAWL_ISA_IS_avx512)
/// 2^(j/16), or that times a factor, as bits, less j at the place where adding n + kRound / 16, shifted, puts it.
struct PowerTable {
  alignas(64) std::uint32_t power[16];
  constexpr explicit PowerTable(const float (&values)[16]) : power{} {
    for (std::uint32_t j = 0; j < 16; ++j) power[j] = __builtin_bit_cast(std::uint32_t, values[j]) - (j << 19);
  }
};
inline constexpr PowerTable kPowers(coefficients::kPower16), kNormalPowers(coefficients::kNormalPower16);

/// 2^(n + kRaised), for n + kRound / 16 + kRaised of -126 <= n + kRaised < 128: integer additions instead of scalef,
/// which takes two of the multiply-adds' turns.
template <int kRaised>
struct OrdinaryPower {
  static constexpr float kRound = Format<float>::kRound / 16 + kRaised;
  Vec<float> shifted, n;
  PAWL_INLINE explicit OrdinaryPower(Vec<float> shifted_) : shifted(shifted_), n(shifted_ - Vec<float>(kRound)) {}
  PAWL_INLINE Vec<float> value(const PowerTable& table = kPowers) const {
    const __m512i j = _mm512_castps_si512(shifted);
    const __m512i power = _mm512_permutexvar_epi32(j, _mm512_load_si512(table.power));
    return Vec<float>(_mm512_castsi512_ps(_mm512_add_epi32(power, _mm512_slli_epi32(j, 19))));
  }
};

/// e^x 2^kRaised within 1.1 ulp for |x| <= 87, or where that is a normal number and |x| <= 170.
template <int kRaised = 0>
PAWL_INLINE Vec<float> ordinary_exp(Vec<float> x) {
  using C = ExpConstants<float>;
  const Vec<float> log2e(C::kLog2E);
  const OrdinaryPower<kRaised> power(fma<float>(x, log2e, Vec<float>(OrdinaryPower<kRaised>::kRound)));
  const Vec<float> f = fma<float>(x, Vec<float>(C::kLog2ELow), fma<float>(x, log2e, negate<float>(power.n)));
  const Vec<float> p = polynomial_in_sequence<float>(f, coefficients::kExp2), v = power.value();
  return fma<float>(v, f * p, v);
}

/// e^(x + low) 2^kRaised, times the factor that the table has, within 0.55 ulp: for the same x, and low of the size of
/// a rounding error of x. `rests`: what rounding the table's numbers left, as a share of them.
template <int kRaised>
PAWL_INLINE Vec<float> close_exp(Vec<float> x, Vec<float> low, const PowerTable& table, const float (&rests)[16]) {
  using C = ExpConstants<float>;
  const Vec<float> log2e(C::kLog2E);
  const OrdinaryPower<kRaised> power(fma<float>(x, log2e, Vec<float>(OrdinaryPower<kRaised>::kRound)));
  const Vec<float> f =
      fma<float>(low, log2e, fma<float>(x, Vec<float>(C::kLog2ELow), fma<float>(x, log2e, negate<float>(power.n))));
  const Vec<float> p = polynomial_in_sequence<float>(f, coefficients::kExp2), v = power.value(table);
  const Vec<float> rest = look_up(_mm512_castps_si512(power.shifted), rests);
  return fma<float>(v, fma<float>(f, p, rest), v);
}

PAWL_INLINE Vec<float> Exp::of_ordinary(Vec<float> x) const { return ordinary_exp(x); }

struct SigmoidFine;
#endif

// With e = exp(-|x|): e / (1 + e) below 0 and 1 / (1 + e) from there on, so that nothing overflows and small results
// keep all their digits.
struct Sigmoid {
#if defined(PAWL_ISA_IS_avx512)
  using Fine = SigmoidFine;
  static constexpr float kOrdinary = 9;
  PAWL_INLINE Vec<float> of_ordinary(Vec<float> x) const {
    using namespace coefficients;
    const Located at = locate_evenly(magnitude<float>(x), kSigmoidPiecesPerOne, kSigmoidPieces);
    return of_sign(value_there(at, kSigmoidPieces), x);
  }
  // For |x| >= kOrdinary: e / (1 + e) = e - e^2 there, but for e^3. A power of 2^64 too large until the end, where
  // denormal results appear.
  PAWL_INLINE Vec<float> of_others(Vec<float> x) const {
    constexpr float kZero = 104;  // e rounds to 0, and the root of it is normal
    const Vec<float> a = min<float>(Vec<float>(kZero), magnitude<float>(x));
    const Vec<float> raised = ordinary_exp<64>(negate<float>(a));
    const Vec<float> root = raised * Vec<float>(0x1p-32f);  // of e^2 2^64
    return of_sign(lowered_by_64(fma<float>(negate<float>(root), root, raised)), x);
  }

 protected:
  PAWL_INLINE static Vec<float> of_sign(Vec<float> below, Vec<float> x) {
    return Vec<float>(
        _mm512_mask_sub_ps(below, _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_GE_OQ), _mm512_set1_ps(1), below));
  }

 public:
#endif
  template <class T>
  PAWL_INLINE Vec<T> of(Vec<T> x) const {
    const Vec<T> one(T(1)), zero(T(0));
    const Vec<T> a = min<T>(Vec<T>(-ExpConstants<T>::kLowest), magnitude<T>(x));
    const Exponential<T> exponential(negate<T>(a));
    const Vec<T> e = exponential.value(), numerator = select_less<T>(x, zero, e, one);
    const Vec<T> sum = one + e, rest = (one - sum) + e;
    return divide<T>(numerator, zero, sum, rest);
  }
};

#if defined(PAWL_ISA_IS_avx512)
// The same by twice as many intervals of a degree less (map.kernel.hpp).
struct SigmoidFine : Sigmoid {
  PAWL_INLINE Vec<float> of_ordinary(Vec<float> x) const {
    using namespace coefficients;
    const Located at = locate_evenly(magnitude<float>(x), kSigmoidFinePiecesPerOne, kSigmoidFinePieces);
    return of_sign(value_there(at, kSigmoidFinePieces), x);
  }
};
#endif

/// 2^(n - 1) for normal 2^(n - 1); arguments as for scale().
template <class T>
PAWL_INLINE Vec<T> half_power_of_two(Vec<T> shifted) {
  using F = Format<T>;
  constexpr typename F::Integer kHalf = F::kOne - (typename F::Integer(1) << F::kMantissaBits);
  return from_bits<T>((bits<T>(shifted) << F::kMantissaBits) + kHalf);
}

struct Tanh {
  template <class T>
  PAWL_INLINE Vec<T> of(Vec<T> x) const {
#if defined(PAWL_ISA_IS_avx512)
    if constexpr (sizeof(T) == 4) {
      const Vec<T> a = min<T>(Vec<T>(9.14f), magnitude<T>(x));  // a NaN is handed through
      const Located at = locate_by_octaves(a, fma<T>(a, Vec<T>(1.64f), Vec<T>(1.0f)), coefficients::kTanhPieces);
      return with_sign<T>(value_there(at, coefficients::kTanhPieces), x);
    }
#endif
    return with_sign<T>(of_magnitude<T>(magnitude<T>(x)), x);
  }

 private:
#if defined(PAWL_ISA_IS_scalar) || defined(PAWL_ISA_IS_sse2)
  // -m / (2 + m) with m = exp(-2 a) - 1 = 2^n q + (2^n - 1): no digits are lost near 0. Two numbers each, for want of
  // multiply-adds that round once.
  template <class T>
  PAWL_INLINE static Vec<T> of_magnitude(Vec<T> x) {
    const Vec<T> a = min<T>(Vec<T>(ExpConstants<T>::kTanhOne), x), two(T(2));
    const Exponential<T> e(a * Vec<T>(T(-2)));
    const Vec<T> power = power_of_two<T>(e.shifted), less_one = power - Vec<T>(T(1)), product = power * e.q;
    const Vec<T> m = less_one + product, m_rest = fma<T>(power, e.q_rest, product - (m - less_one));
    const Vec<T> sum = two + m, sum_rest = ((two - sum) + m) + m_rest;
    return magnitude<T>(divide<T>(m, m_rest, sum, sum_rest));
  }
#else
  // Horner's rule has one multiplication less, and of five terms a chain that is short enough.
  template <class T>
  PAWL_INLINE static Vec<T> exp_terms(Vec<T> r) {
    if constexpr (sizeof(T) == 4) return polynomial_in_sequence<T>(r, coefficients::kExp<T>);
    return polynomial<T>(r, coefficients::kExp<T>);
  }
  // y = h / (1 + h) with h = (exp(2 a) - 1) / 2 = 2^(n-1) q + (2^(n-1) - 1/2), where 1 / (1 + h) = 1 - y: so what
  // rounding took from 1 + h and from y costs a remainder and two multiply-adds. Above 1 the remainder has a rounding
  // of its own, of one ulp of h and so of y. kTanhEnd is the first number whose h is not below 2^24 (2^53), where 1 + h
  // is no number of the type any more: there y is 1 in f32, and the first one above 1 in f64. ln(2) is one
  // constant: what it lacks is below 0.1 ulp of y in f32, and in f64 no more than r is rounded by. Time before over
  // since: f32 by AVX2 1.6, f64 1.2 to 1.26. Eigen's rational function of f32 takes 0.87 of it, with 4.7 ulp (Emerald
  // Rapids, whose additions and multiply-adds share their ports).
  template <class T>
  PAWL_INLINE static Vec<T> of_magnitude(Vec<T> x) {
    using C = ExpConstants<T>;
    const Vec<T> one(T(1)), half(T(0.5)), round(Format<T>::kRound), a = min<T>(Vec<T>(C::kTanhEnd), x);
    const Vec<T> shifted = fma<T>(a, Vec<T>(2 * C::kLog2E), round), n = shifted - round;
    const Vec<T> r = fma<T>(n, Vec<T>(-C::kLn2), a + a);
    const Vec<T> square = r * r, p = exp_terms<T>(r), q = fma<T>(square, p, r);
    const Vec<T> power = half_power_of_two<T>(shifted), h = fma<T>(power, q, power - half);
    const Vec<T> y = divide<T>(h, one + h), k = one - y;
    Vec<T> rest = fma<T>(negate<T>(h), y, h - y);
    if constexpr (sizeof(T) == 4) return fma<T>(rest, k, y);
    rest = fma<T>(power * fma<T>(square, p, r - q), k, rest);  // what rounding took from q; without it 2.03 ulp
    return min<T>(one, fma<T>(rest, k, y));
  }
#endif
};

}  // namespace pawl::PAWL_ISA_NS
