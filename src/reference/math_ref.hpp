// math_ref.hpp -- the specification of include/pawl/math.hpp: the C library in a wider type, sharing no code with the
// kernels.
#pragma once
#include <cmath>
#include <limits>
#include <type_traits>

namespace pawl::reference {

/// A type with more digits than T, and at least its range.
template <class T>
struct Wider;
template <>
struct Wider<float> {
  using type = double;
};
template <>
struct Wider<double> {
  using type = long double;
};
template <class T>
using Wide = typename Wider<T>::type;

template <class T>
Wide<T> exp(T x) {
  return std::exp(Wide<T>(x));
}
template <class T>
Wide<T> log(T x) {
  return std::log(Wide<T>(x));
}
template <class T>
Wide<T> tanh(T x) {
  return std::tanh(Wide<T>(x));
}

template <class T>
Wide<T> pow(T x, T y) {
  return std::pow(Wide<T>(x), Wide<T>(y));
}

template <class T>
Wide<T> sigmoid(T x) {
  const Wide<T> e = std::exp(-std::fabs(Wide<T>(x)));
  return (x < 0 ? e : Wide<T>(1)) / (1 + e);
}

/// x Phi(x) = x / 2 erfc(-x / sqrt 2). The quotient x / sqrt 2 is rounded, which erfc magnifies by x^2; its rest is
/// added by the first term of Taylor's series.
template <class T>
Wide<T> gelu(T x) {
  using W = Wide<T>;
  if (std::isinf(x)) return x < 0 ? W(0) : W(x);  // infinity less infinity below
  const W root = std::sqrt(W(2)), y = -W(x) / root;
  // y = -x / sqrt 2 + rest: y^2 = x^2/2 + 2 y rest, and y^2 - x^2/2 is known exactly to first order.
  const W square = y * y, rest = (std::fma(y, y, -square) + (square - W(x) * W(x) / 2)) / (2 * y);
  const W slope = x == 0 ? W(0) : -2 / std::sqrt(std::acos(W(-1))) * std::exp(-square);
  return W(x) / 2 * (std::erfc(y) - (x == 0 ? W(0) : slope * rest));
}

/// A type for what long double rounds too early; a wider one than T for the others.
#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 Quad;
#else
using Quad = long double;
#endif
template <class T>
using Widest = std::conditional_t<sizeof(T) == sizeof(double), Quad, double>;

/// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), the constant being the decimal number.
///
/// The exponent 2 sqrt(2 / pi) (x + 0.044715 x^3) goes up to 745: what long double rounds away from it would be as much
/// as an ulp of an f64 result. It is computed in 113 bits, and its rest added by the first term of Taylor's series.
template <class T>
Wide<T> gelu_tanh(T x) {
  using W = Wide<T>;
  if (x == -std::numeric_limits<T>::infinity()) return W(0);
  using V = Widest<T>;
  // 2 sqrt(2 / pi) and 0.044715 times that.
  const V linear = V(0xcc42299ea1b28468p-63L) + V(0xfcb3c500bab8e2ffp-128L);
  const V cubic = V(0x922279526c5a57a5p-67L) + V(-0x843a29d1c7079669p-133L);
  const V y(std::fabs(Wide<T>(x))), v = y * (linear + cubic * (y * y));
  const W rounded = static_cast<W>(v);
  // Beyond 12000 there is nothing left of e, nor of infinity less infinity.
  const W e = rounded > 12000 ? W(0) : std::exp(-rounded) * (1 - static_cast<W>(v - V(rounded)));
  return W(x) * ((x < 0 ? e : W(1)) / (1 + e));
}

}  // namespace pawl::reference
