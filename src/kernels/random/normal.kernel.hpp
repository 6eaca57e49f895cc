// normal.kernel.hpp -- random words -> normally distributed numbers, two from a pair of uniform ones.
//
// Box and Muller, Ann. Math. Stat. 29 (1958): with u, v uniform in (0, 1) and [0, 1), sqrt(-2 ln u) (cos 2 pi v, sin 2
// pi v). Sums of products are rounded twice everywhere, so that a variant with FMA gives what one without it gives.
#pragma once
#include "kernels/math/log.kernel.hpp"
#include "kernels/random/random_coefficients.hpp"
#include "kernels/random/random_words.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

/// c[0] + c[1] x + ..., each step rounded twice.
template <class T, std::size_t N>
PAWL_INLINE Vec<T> polynomial_without_fma(Vec<T> x, const T (&c)[N]) {
  Vec<T> p(c[N - 1]);
  unroll<N - 1>([&](auto i) PAWL_INLINE_LAMBDA { p = p * x + Vec<T>(c[N - 2 - i]); });
  return p;
}

/// sqrt(-2 ln u), u = (k + 1/2) / 2^N, where k are the upper N bits: all 32 (f32), 53 of 64 (f64).
///
/// u and 1 - u are each other's mirror images, and the smaller one is a number with all its digits.
template <class T>
PAWL_INLINE Vec<T> radius(Bits<T> b) {
  using Integer = typename Format<T>::Integer;
  using C = LogConstants<T>;
  constexpr int kWidth = 8 * sizeof(T), kDropped = sizeof(T) == 4 ? 0 : 11;
  constexpr T kUnit = sizeof(T) == 4 ? T(0x1p-32) : T(0x1p-53);
  const Bits<T> above_half = Integer(0) - (b >> (kWidth - 1));
  const Vec<T> smaller = (to_numbers<T>((b ^ above_half) >> kDropped) + Vec<T>(T(0.5))) * Vec<T>(kUnit);
  const Vec<T> one(T(1)), larger = one - smaller;
  const Vec<T> u = from_bits<T>((bits<T>(larger) & above_half) | (bits<T>(smaller) & ~above_half));
  // As in Log: u = 2^e (1 + f), s = f / (2 + f); where e = 0, f = u - 1 is known better than u is.
  const Split<T> parts = split<T>(u, Vec<T>(T(0)));
  const Vec<T> e = parts.exponent, f = select_less<T>(u, Vec<T>(T(0.75)), parts.mantissa - one, -smaller);
  const Vec<T> s = f / (Vec<T>(T(2)) + f), z = s * s, half = Vec<T>(T(0.5)) * f * f;
  const Vec<T> rest = z * polynomial_without_fma<T>(z, coefficients::kLog<T>) + half;
  const Vec<T> low = s * rest + e * Vec<T>(C::kLn2Low);
  const Vec<T> logarithm = e * Vec<T>(C::kLn2High) + (f - (half - low));
  return square_root<T>(Vec<T>(T(-2)) * logarithm);
}

template <class T>
struct Direction {
  Vec<T> cosine, sine;
};

/// Cosine and sine of b / 2^N turns, of which all 32 bits (f32), the upper 54 (f64) count.
template <class T>
PAWL_INLINE Direction<T> direction(Bits<T> b) {
  using Integer = typename Format<T>::Integer;
  constexpr int kWidth = 8 * sizeof(T);
  constexpr Integer kQuarter = Integer(1) << (kWidth - 2), kTop = Integer(1) << (kWidth - 1);
  // The nearest multiple of a quarter of a turn is in the two upper bits; t is what is left, in quarters.
  const Bits<T> shifted = b + (kQuarter >> 1);
  Vec<T> t;
  if constexpr (sizeof(T) == 4)
    t = to_numbers<T>(b - (shifted & (kQuarter | kTop))) * Vec<T>(T(0x1p-30));
  else
    t = to_numbers<T>((shifted << 2) >> 12) * Vec<T>(T(0x1p-52)) - Vec<T>(T(0.5));
  const Vec<T> z = t * t;
  const Bits<T> sine = bits<T>(t * polynomial_without_fma<T>(z, coefficients::kSineOfQuarter<T>));
  const Bits<T> cosine = bits<T>(z * polynomial_without_fma<T>(z, coefficients::kCosineOfQuarter<T>) + Vec<T>(T(1)));
  const Bits<T> odd = Integer(0) - ((shifted >> (kWidth - 2)) & Integer(1));
  const Bits<T> exchange = (sine ^ cosine) & odd;
  return {from_bits<T>((cosine ^ exchange) ^ ((shifted + kQuarter) & kTop)),
          from_bits<T>((sine ^ exchange) ^ (shifted & kTop))};
}

/// out[i] = element begin + i, begin even.
template <class T>
static void normal(std::uint64_t seed, std::size_t begin, T* out, std::size_t n) noexcept {
  constexpr std::size_t W = lanes<T>;
  RandomWords words(seed, sizeof(T) == 4 ? begin / 2 : begin);
  for (std::size_t i = 0; i < n; i += 2 * W) {
    const PairBits<T> b = pair_bits<T>(words);
    const Vec<T> r = radius<T>(b.first);
    const Direction<T> d = direction<T>(b.second);
    const Vec<T> x = r * d.cosine, y = r * d.sine;
#if defined(PAWL_ISA_IS_scalar)
    const Vec<T> first = x, second = y;
#else
    const Vec<T> first = in_turn<T, 0>(x, y), second = in_turn<T, 1>(x, y);
#endif
    const std::size_t left = n - i;
    if (left >= 2 * W) [[likely]] {
      store<T>(out + i, first);
      store<T>(out + i + W, second);
    } else {
      store_first<T>(out + i, first, left < W ? left : W);
      if (left > W) store_first<T>(out + i + W, second, left - W);
    }
  }
}

}  // namespace pawl::PAWL_ISA_NS
