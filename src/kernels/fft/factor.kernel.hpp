// factor.kernel.hpp -- a number that a vector still has to be multiplied with, known when compiled -> its part in the
// sum that comes next.
//
// exp(-i a) = cos a (1 - i tan a): the product with 1 - i tan a is one multiply-add, and the cosine waits until the
// number is added to another one, where it costs nothing. So the twiddles inside a butterfly take one instruction
// instead of two (Linzer and Feig, "Implementation of efficient FFT algorithms on fused multiply-add architectures",
// IEEE Transactions on Signal Processing 41, 1993; Goedecker, "Fast radix 2, 3, 4, and 5 kernels for fast Fourier
// transformations on computers with overlapping multiply-add instructions", SIAM J. Sci. Comput. 18, 1997).
#pragma once
#include "kernels/fft/circle_points.kernel.hpp"
#include "kernels/fft/complex.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

/// size (-i)^quarters. The size has more digits than any T, so that a quotient of two is rounded once.
struct Factor {
  long double size = 1;
  unsigned quarters = 0;
};
constexpr Factor operator*(Factor a, Factor b) { return {a.size * b.size, (a.quarters + b.quarters) % 4}; }
constexpr Factor operator/(Factor a, Factor b) { return {a.size / b.size, (a.quarters + 4 - b.quarters) % 4}; }
inline constexpr Factor kMinusI = {1, 1};

/// exp(-2 pi i m / R) = (1 - i tangent) rest.
struct Turn {
  long double tangent = 0;
  Factor rest;
};
template <std::size_t m, std::size_t R>
inline constexpr Turn kTurn = [] {
  if (4 * m % R == 0) return Turn{0, {1, static_cast<unsigned>(4 * m / R)}};
  const long double c = long_cosine_of(m, R), s = long_sine_of(m, R);
  if (8 * m % R == 0) return Turn{(c > 0) == (s > 0) ? 1.0L : -1.0L, {c, 0}};
  return Turn{s / c, {c, 0}};
}();

// What follows gets its constants as types (F::value), and not as arguments: those that g++ has to fold after it has
// put functions into each other made it take 2.5 times as long.

/// x - i tangent x.
template <std::size_t m, std::size_t R, class N>
PAWL_INLINE N sheared(N x, Direction<N> d) {
  constexpr long double tangent = kTurn<m, R>.tangent;
  constexpr double size = static_cast<double>(tangent < 0 ? -tangent : tangent);
  if constexpr (size == 0)
    return x;
  else if constexpr (size == 1)
    return tangent < 0 ? plus_i(x, x, d) : minus_i(x, x, d);
  else
    return tangent < 0 ? plus_i_times(x, x, size, d) : minus_i_times(x, x, size, d);
}

/// x + f y and x - f y.
template <class F, class N>
PAWL_INLINE N sum(N x, N y, Direction<N> d) {
  constexpr bool is_below = F::value.size < 0;
  constexpr double size = static_cast<double>(is_below ? -F::value.size : F::value.size);
  constexpr unsigned quarters = (F::value.quarters + (is_below ? 2 : 0)) % 4;
  if constexpr (quarters == 0) {
    if constexpr (size == 1)
      return x + y;
    else
      return plus_times(x, y, size);
  } else if constexpr (quarters == 1) {
    if constexpr (size == 1)
      return minus_i(x, y, d);
    else
      return minus_i_times(x, y, size, d);
  } else if constexpr (quarters == 2) {
    if constexpr (size == 1)
      return x - y;
    else
      return minus_times(x, y, size);
  } else {
    if constexpr (size == 1)
      return plus_i(x, y, d);
    else
      return plus_i_times(x, y, size, d);
  }
}
struct One {
  static constexpr Factor value = {};
};
template <class F>
struct Opposite {
  static constexpr Factor value = F::value * Factor{1, 2};
};
template <class F, class N>
PAWL_INLINE N difference(N x, N y, Direction<N> d) {
  return sum<Opposite<F>>(x, y, d);
}

/// -i f.
template <class F>
struct Turned {
  static constexpr Factor value = F::value * kMinusI;
};

/// What the numbers of a butterfly still have to be multiplied with: nothing; those of every `step`-th from `first` on;
/// those of F and exp(-2 pi i n k / R), but for what sheared() has done.
struct NoFactors {
  template <std::size_t>
  static constexpr Factor at = {};
};
template <class F, std::size_t first, std::size_t step>
struct EveryFactor {
  template <std::size_t n>
  static constexpr Factor at = F::template at<first + step * n>;
};
template <class F, std::size_t k, std::size_t R>
struct TurnedFactors {
  template <std::size_t n>
  static constexpr Factor at = F::template at<n>* kTurn<n * k % R, R>.rest;
};
/// The n-th over the m-th.
template <class F, std::size_t n, std::size_t m>
struct Quotient {
  static constexpr Factor value = F::template at<n> / F::template at<m>;
};

}  // namespace pawl::PAWL_ISA_NS
