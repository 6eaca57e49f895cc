// exp.kernel.hpp -- x -> exp(x), sigmoid(x), tanh(x), written once for every ISA.
//
// exp: x = n ln 2 + r with |r| <= ln(2) / 2 (Cody and Waite, Software Manual for the Elementary Functions, 1980, ch.
// 6), exp(r) = 1 + r + r^2 P(r), then a multiplication by 2^n.
#pragma once
#include "kernels/math/coefficients.hpp"
#include "kernels/vec_bits.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  // The high part has 9 bits, so that n times it is exact for every n that occurs.
  static constexpr float kLog2E = 0x1.715476p+0f, kLn2High = 0x1.63p-1f, kLn2Low = -0x1.bd0106p-13f;
  static constexpr float kHighest = 89, kLowest = -104;  // beyond: infinity, and 0
  static constexpr float kTanhOne = 10;                  // from here on tanh(x) rounds to 1
};
template <>
struct ExpConstants<double> {
  static constexpr double kLog2E = 0x1.71547652b82fep+0, kLn2High = 0x1.62e42fefa3800p-1,  // 42 bits
      kLn2Low = 0x1.ef35793c76730p-45;
  static constexpr double kHighest = 710, kLowest = -746;
  static constexpr double kTanhOne = 20;
};

/// A number as 2^n (1 + q); `shifted` is n + kRound.
template <class T>
struct Reduced {
  Vec<T> n, shifted, q;
};

/// exp(x) for |x| <= 1200 (f64), 170 (f32).
template <class T>
PAWL_INLINE Reduced<T> reduce_exp(Vec<T> x) {
  using C = ExpConstants<T>;
  const Vec<T> round(Format<T>::kRound);
  const Vec<T> shifted = fma<T>(x, Vec<T>(C::kLog2E), round), n = shifted - round;
  const Vec<T> r = fma<T>(n, Vec<T>(-C::kLn2Low), fma<T>(n, Vec<T>(-C::kLn2High), x));
  return {n, shifted, fma<T>(r * r, polynomial<T>(r, coefficients::kExp<T>), r)};
}

/// exp(x + low), low being of the size of a rounding error of x.
template <class T>
PAWL_INLINE Reduced<T> reduce_exp(Vec<T> x, Vec<T> low) {
  using C = ExpConstants<T>;
  const Vec<T> round(Format<T>::kRound);
  const Vec<T> shifted = fma<T>(x, Vec<T>(C::kLog2E), round), n = shifted - round;
  const Vec<T> r = fma<T>(n, Vec<T>(-C::kLn2High), x) + fma<T>(n, Vec<T>(-C::kLn2Low), low);
  return {n, shifted, fma<T>(r * r, polynomial<T>(r, coefficients::kExp<T>), r)};
}

template <class T>
PAWL_INLINE Vec<T> value(Reduced<T> e) {
  return scale<T>(e.q + Vec<T>(T(1)), e.n, e.shifted);
}

struct Exp {
  template <class T>
  PAWL_INLINE Vec<T> of(Vec<T> x) const {
    using C = ExpConstants<T>;
    // In this order a NaN goes through both.
    return value<T>(reduce_exp<T>(min<T>(Vec<T>(C::kHighest), max<T>(Vec<T>(C::kLowest), x))));
  }
};

// With e = exp(-|x|): e / (1 + e) below 0 and 1 / (1 + e) from there on, so that nothing overflows and small results
// keep all their digits.
struct Sigmoid {
  template <class T>
  PAWL_INLINE Vec<T> of(Vec<T> x) const {
    const Vec<T> one(T(1)), zero(T(0));
    const Vec<T> a = min<T>(Vec<T>(-ExpConstants<T>::kLowest), magnitude<T>(x));
    const Vec<T> e = value<T>(reduce_exp<T>(-a)), sum = one + e, rest = (one - sum) + e;
    return divide<T>(select_less<T>(x, zero, e, one), zero, sum, rest);
  }
};

// -m / (2 + m) with m = exp(-2 |x|) - 1 = 2^n q + (2^n - 1): no digits are lost near 0.
struct Tanh {
  template <class T>
  PAWL_INLINE Vec<T> of(Vec<T> x) const {
    const Vec<T> a = min<T>(Vec<T>(ExpConstants<T>::kTanhOne), magnitude<T>(x)), two(T(2));
    const Reduced<T> e = reduce_exp<T>(a * Vec<T>(T(-2)));
    const Vec<T> power = power_of_two<T>(e.shifted), less_one = power - Vec<T>(T(1)), product = power * e.q;
    const Vec<T> m = less_one + product, m_rest = product - (m - less_one);
    const Vec<T> sum = two + m, sum_rest = ((two - sum) + m) + m_rest;
    return with_sign<T>(magnitude<T>(divide<T>(m, m_rest, sum, sum_rest)), x);
  }
};

}  // namespace pawl::PAWL_ISA_NS
