// gelu.kernel.hpp -- x -> x Phi(x) (the erf form of gelu) and its tanh form, written once for every ISA.
//
// Phi(-t) = exp(-t^2/2) R(t) with a smooth R (Mills' ratio), so that the tail keeps all its digits; the argument of the
// exponential is carried with its rounding error, which exp would otherwise magnify by x^2. Both forms are
// max(0, x) - g(|x|) with g >= 0, and g is multiplied by its power of 2 at the end, where denormal results appear.
#pragma once
#include "kernels/math/exp.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
struct GeluConstants;
template <>
struct GeluConstants<float> {
  static constexpr float kCentre = 4, kErfEnd = 15;  // tools/math_coefficients.py
  static constexpr float kTanhEnd = 11.5f;           // 2 u below -104
  // 2 sqrt(2 / pi), and 0.044715 times that, each as a number and the rest.
  static constexpr float kLinear = 0x1.988454p+0f, kLinearRest = -0x1.579360p-25f;
  static constexpr float kLinearShort = 0x1.9884600000000p+0f,
                         kLinearLeft = -0x1.9857940000000p-21f;  // the same with 20 bits
  static constexpr float kCubic = 0x1.2444f2p-4f, kCubicRest = 0x1.49b16ap-29f;
};
template <>
struct GeluConstants<double> {
  static constexpr double kCentre = 6, kErfEnd = 40;
  static constexpr double kTanhEnd = 22;
  static constexpr double kLinear = 0x1.9884533d43651p+0, kLinearRest = -0x1.cbc0d30ebfd15p-54;
  static constexpr double kLinearShort = 0x1.9884533d43660p+0, kLinearLeft = -0x1.ee5e069875fe9p-49;  // 48 bits
  static constexpr double kCubic = 0x1.2444f2a4d8b4bp-4, kCubicRest = -0x1.6c843a29d1c70p-61;
};

#if defined(PAWL_ISA_IS_avx512)
/// max(0, x) and where |x| lies, up to an end beyond which g is less than half an ulp of x.
struct GeluBegun {
  Located at;
  Vec<float> positive;  // a NaN is handed through
};
template <std::size_t R, std::size_t N>
PAWL_INLINE GeluBegun begin_gelu(Vec<float> x, float end, float square, float linear, const float (&table)[R][N]) {
  return {locate_curved(magnitude_up_to(x, end), square, linear, table), max<float>(Vec<float>(0.0f), x)};
}
template <std::size_t R, std::size_t N>
PAWL_INLINE Vec<float> end_gelu(const GeluBegun& begun, const float (&table)[R][N]) {
  return begun.positive - value_there(begun.at, table);
}

struct GeluErfFine;
struct GeluTanhFine;
#endif

struct GeluErf {
#if defined(PAWL_ISA_IS_avx512)
  using Fine = GeluErfFine;
  static constexpr float kOrdinary = -6.03f;
  PAWL_INLINE auto begin(Vec<float> x) const {
    using namespace coefficients;
    return begin_gelu(x, -kOrdinary, kGeluPiecesSquare, kGeluPiecesLinear, kGeluPieces);
  }
  PAWL_INLINE Vec<float> end(const GeluBegun& b) const { return end_gelu(b, coefficients::kGeluPieces); }
  PAWL_INLINE Vec<float> of_ordinary(Vec<float> x) const { return end(begin(x)); }
  // For x <= -5.4: t R(t) = (1 + P(1 / t^2) / t^2) / sqrt(2 pi). Times 2^64 until denormal results may appear.
  PAWL_INLINE Vec<float> of_others(Vec<float> x) const {
    using namespace coefficients;
    const Vec<float> t = magnitude_up_to(x, GeluConstants<float>::kErfEnd), half = t * Vec<float>(-0.5f);
    const Vec<float> exponent = t * half, inverse = Vec<float>(1.0f) / (t * t);
    const Vec<float> e =
        close_exp<64>(exponent, product_error<float>(t, half, exponent), kNormalPowers, kNormalPower16Rest);
    const Vec<float> share = inverse * polynomial_in_sequence<float>(inverse, kMillsTail);
    return max<float>(Vec<float>(0.0f), x) - lowered_by_64(fma<float>(e, share, e));
  }
#endif
  template <class T>
  PAWL_INLINE Vec<T> of(Vec<T> x) const {
    using C = GeluConstants<T>;
    const Vec<T> one(T(1)), zero(T(0)), centre(C::kCentre), minus_half(T(-0.5));
#if defined(PAWL_ISA_IS_avx512)
    const Vec<T> t = magnitude<T>(x);  // scale() sees to what is too large
#else
    const Vec<T> t = min<T>(Vec<T>(C::kErfEnd), magnitude<T>(x));
#endif
    const Vec<T> square = t * t;
    const Exponential<T, true> e(square * minus_half, product_error<T>(t, t, square) * minus_half);
    // t R(t) = t P(q) / (1 + t), each step with what it rounds away.
    const Vec<T> below = t + centre, sum = one + t;
    const Reciprocals<T> by(sum, below);
    // q = (t - centre) / (t + centre), where the polynomial is steep (t near 0) without the error of a quotient near
    // -1.
    const Vec<T> share = by.second_of(t), q = (share + share) - one;
    const auto [p, p_rest] = polynomial_in_two<T>(q, coefficients::kMills<T>, coefficients::kMillsRest<T>);
    const Vec<T> sum_rest = (max<T>(one, t) - sum) + min<T>(one, t);
    const Vec<T> product = t * p, product_rest = fma<T>(t, p_rest, product_error<T>(t, p, product));
    const auto [g, g_rest] = by.first_of(product, product_rest, sum_rest);
    return max<T>(zero, x) - e.scaled(e.times_unscaled(g, g_rest));
  }
};

// 0.5 x (1 + tanh(u)) = x / (1 + exp(-2 u)) = x - x exp(-2 u) / (1 + exp(-2 u)), where 2 u = x (kLinear + kCubic x^2)
// is computed in twice the precision of T.
struct GeluTanh {
#if defined(PAWL_ISA_IS_avx512)
  using Fine = GeluTanhFine;
  static constexpr float kOrdinary = -5.1f;
  PAWL_INLINE auto begin(Vec<float> x) const {
    using namespace coefficients;
    return begin_gelu(x, -kOrdinary, kGeluTanhPiecesSquare, kGeluTanhPiecesLinear, kGeluTanhPieces);
  }
  PAWL_INLINE Vec<float> end(const GeluBegun& b) const { return end_gelu(b, coefficients::kGeluTanhPieces); }
  PAWL_INLINE Vec<float> of_ordinary(Vec<float> x) const { return end(begin(x)); }
  // For x <= kOrdinary: exp(-2 u) is below 2^-25 there, and 1 + exp(-2 u) is 1.
  PAWL_INLINE Vec<float> of_others(Vec<float> x) const {
    const Vec<float> a = magnitude_up_to(x, GeluConstants<float>::kTanhEnd);
    const auto [v, v_low] = exponent(a);
    return max<float>(Vec<float>(0.0f), x) -
           lowered_by_64(close_exp<64>(negate<float>(v), negate<float>(v_low), kPowers, coefficients::kPower16Rest) *
                         a);
  }
#endif
  template <class T>
  PAWL_INLINE Vec<T> of(Vec<T> x) const {
    const Vec<T> one(T(1)), zero(T(0)), a = min<T>(Vec<T>(GeluConstants<T>::kTanhEnd), magnitude<T>(x));
    const Exponential<T, true> e = power<T>(a);
    const Vec<T> value = e.value(), sum = one + value, rest = (one - sum) + value;
    const auto [product, product_rest] = e.times_unscaled_in_two(a);
    return max<T>(zero, x) - e.scaled(divide<T>(product, product_rest, sum, rest));
  }

 private:
  // exp(-2 u) for x = a >= 0.
  template <class T>
  PAWL_INLINE static Exponential<T, true> power(Vec<T> a) {
    const auto [v, v_low] = exponent(a);
    return Exponential<T, true>(negate<T>(v), negate<T>(v_low));
  }

  // 2 u for x = a >= 0.
  template <class T>
  PAWL_INLINE static TwoParts<T> exponent(Vec<T> a) {
    using C = GeluConstants<T>;
    const Vec<T> cubic(C::kCubic), square = a * a, square_low = product_error<T>(a, a, square);
#if defined(PAWL_ISA_IS_scalar) || defined(PAWL_ISA_IS_sse2)
    const Vec<T> linear(C::kLinear), term = cubic * square, factor = linear + term;
    // Knuth's two-sum: exact whichever is the larger.
    const Vec<T> part = factor - linear, sum_low = (linear - (factor - part)) + (term - part);
    const Vec<T> term_low =
        fma<T>(cubic, square_low, fma<T>(Vec<T>(C::kCubicRest), square, product_error<T>(cubic, square, term)));
    const Vec<T> factor_low = (sum_low + Vec<T>(C::kLinearRest)) + term_low;
#else
    // linear - factor is exact, since linear is short, and so is what the second multiply-add makes of it.
    const Vec<T> linear(C::kLinearShort), factor = fma<T>(cubic, square, linear);
    const Vec<T> factor_low =
        fma<T>(cubic, square_low,
               fma<T>(cubic, square, linear - factor) + fma<T>(Vec<T>(C::kCubicRest), square, Vec<T>(C::kLinearLeft)));
#endif
    const Vec<T> v = a * factor;
    return {v, fma<T>(a, factor_low, product_error<T>(a, factor, v))};
  }
};

#if defined(PAWL_ISA_IS_avx512)
// The same by twice as many intervals of degree 5 (map.kernel.hpp).
struct GeluErfFine : GeluErf {
  static constexpr float kOrdinary = -5.79f;
  PAWL_INLINE auto begin(Vec<float> x) const {
    using namespace coefficients;
    return begin_gelu(x, -kOrdinary, kGeluFinePiecesSquare, kGeluFinePiecesLinear, kGeluFinePieces);
  }
  PAWL_INLINE Vec<float> end(const GeluBegun& b) const { return end_gelu(b, coefficients::kGeluFinePieces); }
  PAWL_INLINE Vec<float> of_ordinary(Vec<float> x) const { return end(begin(x)); }
};

struct GeluTanhFine : GeluTanh {
  PAWL_INLINE auto begin(Vec<float> x) const {
    using namespace coefficients;
    return begin_gelu(x, -kOrdinary, kGeluTanhFinePiecesSquare, kGeluTanhFinePiecesLinear, kGeluTanhFinePieces);
  }
  PAWL_INLINE Vec<float> end(const GeluBegun& b) const { return end_gelu(b, coefficients::kGeluTanhFinePieces); }
  PAWL_INLINE Vec<float> of_ordinary(Vec<float> x) const { return end(begin(x)); }
};
#endif

}  // namespace pawl::PAWL_ISA_NS
