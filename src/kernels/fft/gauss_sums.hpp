// gauss_sums.hpp -- transforms of the roots of unity in the order of Rader, as computed -> the same with the absolute
// values that they have.
#pragma once
#include <cmath>
#include <cstddef>

namespace pawl::fft {

/// The transform of exp(-2 pi i g^-q / p) over q < p - 1 consists of Gauss sums: all but element 0 have the absolute
/// value sqrt(p) (Ireland and Rosen, A Classical Introduction to Modern Number Theory, 1990, section 8.2). Setting it
/// takes away half of the variance of what rounding left in them. One of them, times scale.
inline void set_absolute(double* pair, double p, double scale) noexcept {
  const double square = p * scale * scale;
  // They are off by some 1e-16 of their value, so that one step of Newton's for the square root is exact.
#if defined(__FP_FAST_FMA)
  const double half_excess = std::fma(pair[0], pair[0], std::fma(pair[1], pair[1], -square)) * (0.5 / square);
#else  // a call of 10 ns; the products in long double keep 11 bits more
  const long double re = pair[0], im = pair[1];
  const double half_excess = static_cast<double>(re * re + im * im - static_cast<long double>(square)) * (0.5 / square);
#endif
  pair[0] -= pair[0] * half_excess;
  pair[1] -= pair[1] * half_excess;
}

/// All p - 1 of them. As g^((p - 1) / 2) is -1, number p - 1 - k is (-1)^k times the conjugate of number k; both become
/// their mean, which takes away half of the variance once more.
inline void exact_gauss_sums(double* pairs, std::size_t p, double scale) noexcept {
  for (std::size_t k = 1, m = p - 1; k <= m / 2; ++k) {
    double *const a = pairs + 2 * k, *const b = pairs + 2 * (m - k);
    const double sign = k % 2 == 0 ? 1 : -1;
    a[0] = (a[0] + sign * b[0]) / 2;
    a[1] = (a[1] - sign * b[1]) / 2;
    set_absolute(a, static_cast<double>(p), scale);
    b[0] = sign * a[0];
    b[1] = -sign * a[1];
  }
}

}  // namespace pawl::fft
