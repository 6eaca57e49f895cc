// quotients.kernel.hpp -- a, b -> a / b, correctly rounded: with AVX-512 every second or fourth vector by
// multiply-adds.
//
// While the divider finds a quotient the multipliers have nothing to do. ns for 1024 f64 and 2048 f32 on an Emerald
// Rapids: by the divider alone 713 and 455, so 354 and 292 (a trial with one remainder less: none, one, two, three and
// four vectors of four by products 707, 531, 354, 341 and 414, f32 444, 333, 271, 325 and 390); on a Zen 5,
// whose divider is fast, 124, 93, 130, 186 and 244, f32 78, 73, 107, 153 and 198; on a Zen 4, which works half by half,
// none, one and two 319, 244 and 319, f32 208, 169 and 238.
#pragma once
#include "isa/datapath.hpp"
#include "kernels/simd/exponent_range.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
/// c - a b, rounded once.
template <class T>
PAWL_INLINE Vec<T> minus_product(Vec<T> a, Vec<T> b, Vec<T> c) {
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm512_fnmadd_ps(a, b, c));
  else
    return Vec<T>(_mm512_fnmadd_pd(a, b, c));
}

/// a b + c, rounded up.
template <class T>
PAWL_INLINE Vec<T> fma_up(Vec<T> a, Vec<T> b, Vec<T> c) {
  constexpr int kUp = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm512_fmadd_round_ps(a, b, c, kUp));
  else
    return Vec<T>(_mm512_fmadd_round_pd(a, b, c, kUp));
}

/// a / b, from an estimate of 1 / |b| of 14 bits and Newton's steps. Where the last one finds the nearest number to
/// 1 / |b| and q is next to a / |b|, q + (a - |b| q) / |b| is correctly rounded (P. W. Markstein, IBM J. Res. Dev. 34
/// (1990)); the first such step makes q that. The last of Newton's steps misses only the reciprocal of a mantissa that
/// is all ones, just beyond halfway, and only from below: so the step before it is rounded up. Right where
/// quotients_by_products() says so; quotients nearest to halfway: tests/kernels/simd/quotients_test.cpp.
template <class T>
PAWL_INLINE Vec<T> quotient_by_products(Vec<T> a, Vec<T> b) {
  const Bits<T> sign = bits<T>(b) & Format<T>::kSign;
  const Vec<T> size = from_bits<T>(bits<T>(b) & ~Format<T>::kSign), one(T(1));
  Vec<T> inverse;
  if constexpr (sizeof(T) == 4) {
    inverse = Vec<T>(_mm512_rcp14_ps(size));
  } else {
    inverse = Vec<T>(_mm512_rcp14_pd(size));
    inverse = fma<T>(minus_product<T>(size, inverse, one), inverse, inverse);
  }
  inverse = fma_up<T>(minus_product<T>(size, inverse, one), inverse, inverse);
  inverse = fma<T>(minus_product<T>(size, inverse, one), inverse, inverse);
  Vec<T> quotient = a * inverse;
  unroll<2>([&](auto)
                PAWL_INLINE_LAMBDA { quotient = fma<T>(minus_product<T>(size, quotient, a), inverse, quotient); });
  return from_bits<T>(bits<T>(quotient) ^ sign);
}

/// Largest power of two of operands, and its reciprocal the least: their quotients and remainders are then normal.
template <class T>
inline constexpr int kQuotientHalf = sizeof(T) == 4 ? 60 : 400;

/// Whether quotients of all lanes of these vectors may be found by products.
template <class T, class... Vecs>
PAWL_INLINE bool quotients_by_products(Vecs... x) {
  return bits_within<T, kQuotientHalf<T>>((bits<T>(x) & ~Format<T>::kSign)...);
}

/// Whether products gain for a pass over so many bytes. Where vectors are worked on half by half the divider alone
/// keeps up with L2 in f32: 32768 quotients of a Zen 4 3460 ns, which is L2's time, with products 4180; f64 5030 and
/// 3910.
template <class T>
PAWL_INLINE bool products_gain(std::size_t bytes) {
  constexpr std::size_t kLevel1 = 32768;
  return !detail::splits_512_bits || sizeof(T) == 8 || bytes <= kLevel1;
}

/// left(i) / right(i) for each vector, for fill().
template <class T, class Left, class Right>
struct Quotients {
  Left left;
  Right right;

  PAWL_INLINE Vec<T> operator()(std::size_t i) const {
    const Vec<T> a = left(i), b = right(i);
    // Of fewer than four the divider takes the first one too.
    if (i / lanes<T> % 2 == 1 && !detail::divides_fast && quotients_by_products<T>(a, b))
      return quotient_by_products<T>(a, b);
    return a / b;
  }
  PAWL_INLINE void four(std::size_t i, Vec<T> (&v)[4]) const {
    Vec<T> b[4];
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
      v[k] = left(i + k * lanes<T>);
      b[k] = right(i + k * lanes<T>);
    });
    if (detail::divides_fast) {
      unroll<3>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = v[k] / b[k]; });
      if (quotients_by_products<T>(v[3], b[3])) [[likely]]
        v[3] = quotient_by_products<T>(v[3], b[3]);
      else
        v[3] = v[3] / b[3];
      return;
    }
    if (quotients_by_products<T>(v[1], b[1], v[3], b[3])) [[likely]] {
      v[0] = v[0] / b[0];
      v[1] = quotient_by_products<T>(v[1], b[1]);
      v[2] = v[2] / b[2];
      v[3] = quotient_by_products<T>(v[3], b[3]);
      return;
    }
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = v[k] / b[k]; });
  }
};
template <class T, class Left, class Right>
PAWL_INLINE Quotients<T, Left, Right> quotients(Left left, Right right) {
  return {left, right};
}

/// at(i) / divisor for each vector, for fill(): by products alone, since 1 / divisor is found once, to twice the
/// digits.
template <class T, class At>
struct QuotientsByValue {
  Vec<T> divisor, inverse, rest;  // inverse + rest is nearly 1 / divisor
  At at;
  bool by_products;

  QuotientsByValue(At at_, T value)
      : divisor(value),
        inverse(T(1) / value),
        rest(minus_product<T>(divisor, inverse, Vec<T>(T(1))) / divisor),
        at(at_),
        by_products(quotients_by_products<T>(divisor)) {}

  PAWL_INLINE Vec<T> operator()(std::size_t i) const {
    const Vec<T> a = at(i);
    return by_products && quotients_by_products<T>(a) ? quotient(a) : a / divisor;
  }
  PAWL_INLINE void four(std::size_t i, Vec<T> (&v)[4]) const {
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = at(i + k * lanes<T>); });
    if (by_products && quotients_by_products<T>(v[0], v[1], v[2], v[3])) [[likely]] {
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = quotient(v[k]); });
      return;
    }
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = v[k] / divisor; });
  }

 private:
  // As in quotient_by_products(); with the rest the first quotient is next to the true one already.
  PAWL_INLINE Vec<T> quotient(Vec<T> a) const {
    const Vec<T> q = fma<T>(a, inverse, a * rest);
    return fma<T>(minus_product<T>(divisor, q, a), inverse, q);
  }
};
template <class T, class At>
PAWL_INLINE QuotientsByValue<T, At> quotients_by_value(At at, T divisor) {
  return {at, divisor};
}
#endif

}  // namespace pawl::PAWL_ISA_NS
