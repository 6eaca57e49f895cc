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

template <class T>
static void round_gauss_sums(const double* spectrum, std::size_t m, double squared, T* out, bool block) noexcept {
  constexpr std::size_t W = lanes<double>;
  double signs[W + 1];
  for (std::size_t i = 0; i <= W; ++i) signs[i] = i % 2 == 0 ? 0.5 : -0.5;
  round_spectrum<T>(m, out, block, [&](std::size_t k) PAWL_INLINE_LAMBDA {
    const Cx<double> x = load_pairs<double>(spectrum + 2 * k, false);
    if constexpr (sizeof(T) == 4) return x;
    // As g^((p - 1) / 2) is -1, number m - k is (-1)^k times the conjugate of number k; both become their mean, which
    // takes away half of the variance once more.
    const Cx<double> mirror = reversed_cx<double>(load_pairs<double>(spectrum + 2 * (m + 1 - k - W), false));
    const Reg<double> half = broadcast<double>(0.5), sign = load_reg<double>(signs + k % 2);
    return with_absolute({x.re * half + mirror.re * sign, x.im * half - mirror.im * sign}, squared);
  });
}

}  // namespace pawl::PAWL_ISA_NS
