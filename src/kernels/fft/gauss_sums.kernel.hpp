// gauss_sums.kernel.hpp -- transforms of the roots of unity in the order of Rader, as computed -> the same with the
// absolute values that they have.
//
// The transform of exp(-2 pi i g^-q / p) over q < p - 1 consists of Gauss sums: all but element 0 have the absolute
// value sqrt(p) (Ireland and Rosen, A Classical Introduction to Modern Number Theory, 1990, section 8.2). Setting it
// takes away half of the variance of what rounding left in them.
#pragma once
#include "kernels/fft/chirp.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// x^2 - high, where high is that rounded (Dekker, "A floating-point technique for extending the available precision",
// 1971): no multiply-add, so that all variants make the same numbers.
PAWL_INLINE Reg<double> square_rest(Reg<double> x, Reg<double> high) {
  const Reg<double> c = x * broadcast<double>(134217729.0);  // 2^27 + 1
  const Reg<double> upper = c - (c - x), lower = x - upper;
  return ((upper * upper - high) + (upper + upper) * lower) + lower * lower;
}

// They are off by some 1e-16 of their value, so that one step of Newton's for the square root is exact.
PAWL_INLINE Cx<double> with_absolute(Cx<double> x, double squared) {
  const Reg<double> square = broadcast<double>(squared);
  const Reg<double> re2 = x.re * x.re, im2 = x.im * x.im;
  const Reg<double> left = re2 - square, there = left + square;
  const Reg<double> rest = (re2 - there) - (square - (there - left));  // of re2 - square (Knuth)
  const Reg<double> excess = (left + im2) + (rest + (square_rest(x.re, re2) + square_rest(x.im, im2)));
  const Reg<double> half_excess = excess * broadcast<double>(0.5 / squared);
  return {x.re - x.re * half_excess, x.im - x.im * half_excess};
}

template <class T>
static void set_absolute(double* pairs, std::size_t count, double squared) noexcept {
  constexpr std::size_t W = lanes<double>;
  std::size_t k = 0;
  for (; k + W <= count; k += W)
    store_pairs<double>(pairs + 2 * k, with_absolute(load_pairs<double>(pairs + 2 * k, false), squared), false);
  if (k < count)
    store_pairs_first<double>(pairs + 2 * k,
                              with_absolute(load_pairs_first<double>(pairs + 2 * k, count - k, false), squared),
                              count - k, false);
}

// As g^((p - 1) / 2) is -1, number m - k is (-1)^k times the conjugate of number k; both become their mean, which takes
// away half of the variance once more. Numbers beyond m / 2 that the last vector has are done once more, with their own
// mirror images.
template <class T>
static void round_gauss_sums(double* spectrum, std::size_t m, double squared, T* out, bool block) noexcept {
  constexpr std::size_t W = lanes<double>;
  double signs[W + 1];
  for (std::size_t i = 0; i <= W; ++i) signs[i] = i % 2 == 0 ? 1 : -1;
  const Reg<double> half = broadcast<double>(0.5), zero = broadcast<double>(0);
  for (std::size_t k = 0; k <= m / 2; k += W) {
    double *const low = spectrum + 2 * k, *const high = spectrum + 2 * (m + 1 - k - W);
    const Cx<double> x = load_pairs<double>(low, false), y = reversed_cx<double>(load_pairs<double>(high, false));
    const Reg<double> sign = load_reg<double>(signs + k % 2), half_sign = sign * half;
    const Cx<double> mean = with_absolute({x.re * half + y.re * half_sign, x.im * half - y.im * half_sign}, squared);
    store_pairs<double>(high, reversed_cx<double>({mean.re * sign, zero - mean.im * sign}), false);
    store_pairs<double>(low, mean, false);
  }
  round_spectrum<T>(m, out, block,
                    [&](std::size_t k) PAWL_INLINE_LAMBDA { return load_pairs<double>(spectrum + 2 * k, false); });
}

// Where the numbers come from a real transform: that of the sums of both parts, of which even ones are what is wanted
// and odd ones -i times that (real_rader_line.cpp).
template <class T>
static void round_real_gauss_sums(double* spectrum, std::size_t m, T* out, bool block) noexcept {
  constexpr std::size_t W = lanes<double>;
  for (std::size_t j = 1; j <= W; ++j) {
    spectrum[m + 2 * j] = spectrum[m - 2 * j];
    spectrum[m + 2 * j + 1] = -spectrum[m - 2 * j + 1];
  }
  double evens[W + 1];
  for (std::size_t i = 0; i <= W; ++i) evens[i] = i % 2 == 0 ? 1 : 0;
  round_spectrum<T>(m, out, block, [&](std::size_t k) PAWL_INLINE_LAMBDA {
    const Reg<double> even = load_reg<double>(evens + k % 2), odd = broadcast<double>(1) - even;
    if (k <= m / 2) {
      const Cx<double> x = load_pairs<double>(spectrum + 2 * k, false);
      return Cx<double>{x.re * even - x.im * odd, x.im * even + x.re * odd};
    }
    const Cx<double> x = reversed_cx<double>(load_pairs<double>(spectrum + 2 * (m + 1 - k - W), false));
    return Cx<double>{x.re * even + x.im * odd, x.re * odd - x.im * even};
  });
}

}  // namespace pawl::PAWL_ISA_NS
