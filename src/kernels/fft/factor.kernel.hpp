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
constexpr Turn turn_of(std::size_t m, std::size_t R) {
  m %= R;
  if (4 * m % R == 0) return {0, {1, static_cast<unsigned>(4 * m / R)}};
  const long double c = long_cosine_of(m, R), s = long_sine_of(m, R);
  if (8 * m % R == 0) return {(c > 0) == (s > 0) ? 1.0L : -1.0L, {c, 0}};
  return {s / c, {c, 0}};
}

/// x - i tangent x.
template <class N>
PAWL_INLINE N sheared(N x, long double tangent, Direction<N> d) {
  if (tangent == 0) return x;
  if (tangent == 1) return minus_i(x, x, d);
  if (tangent == -1) return plus_i(x, x, d);
  if (tangent < 0) return plus_i_times(x, x, static_cast<double>(-tangent), d);
  return minus_i_times(x, x, static_cast<double>(tangent), d);
}

/// x + f y and x - f y.
template <class N>
PAWL_INLINE N sum(N x, N y, Factor f, Direction<N> d) {
  if (f.size < 0) f = f * Factor{-1, 2};
  const double size = static_cast<double>(f.size);
  switch (f.quarters) {
    case 0:
      return f.size == 1 ? x + y : plus_times(x, y, size);
    case 1:
      return f.size == 1 ? minus_i(x, y, d) : minus_i_times(x, y, size, d);
    case 2:
      return f.size == 1 ? x - y : minus_times(x, y, size);
    default:
      return f.size == 1 ? plus_i(x, y, d) : plus_i_times(x, y, size, d);
  }
}
template <class N>
PAWL_INLINE N difference(N x, N y, Factor f, Direction<N> d) {
  return sum(x, y, f * Factor{1, 2}, d);
}

/// What the numbers of a butterfly still have to be multiplied with: nothing; those of every `step`-th from `first` on;
/// those of F and exp(-2 pi i n k / R), but for what sheared() has done.
struct NoFactors {
  static constexpr Factor at(std::size_t) { return {}; }
};
template <class F, std::size_t first, std::size_t step>
struct EveryFactor {
  static constexpr Factor at(std::size_t n) { return F::at(first + step * n); }
};
template <class F, std::size_t k, std::size_t R>
struct TurnedFactors {
  static constexpr Factor at(std::size_t n) { return F::at(n) * turn_of(n * k, R).rest; }
};

}  // namespace pawl::PAWL_ISA_NS
