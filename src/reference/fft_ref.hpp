// fft_ref.hpp -- the specification of include/pawl/fft.hpp: the defining sum in long double, and a faster way to it.
#pragma once
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

namespace pawl::reference {

/// X[k] = sum of x[j] exp(sign 2 pi i j k / n), sign = -1 forward, +1 inverse. O(n^2).
template <class T>
std::vector<std::complex<long double>> dft(const std::complex<T>* x, std::size_t n, int sign) {
  std::vector<std::complex<long double>> root(n), result(n);
  for (std::size_t k = 0; k < n; ++k) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    root[k] = {std::cos(angle), sign < 0 ? -std::sin(angle) : std::sin(angle)};
  }
  for (std::size_t k = 0; k < n; ++k) {
    long double re = 0, im = 0;
    for (std::size_t j = 0, turn = 0; j < n; ++j, turn = turn + k < n ? turn + k : turn + k - n) {
      const long double a = x[j].real(), b = x[j].imag(), c = root[turn].real(), s = root[turn].imag();
      re += a * c - b * s;
      im += a * s + b * c;
    }
    result[k] = {re, im};
  }
  return result;
}

/// dft() by the prime factors of n: O(n times their sum). Its own error is some 1e-19 log2(n), far below that of any
/// double; a test holds it against dft().
template <class T>
std::vector<std::complex<long double>> fft(const std::complex<T>* x, std::size_t n, int sign) {
  using Number = std::complex<long double>;
  std::vector<Number> root(n), result(n);
  for (std::size_t k = 0; k < n; ++k) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    root[k] = {std::cos(angle), sign < 0 ? -std::sin(angle) : std::sin(angle)};
  }
  // The transform of m elements of x from `first` on, n / m apart, into result[to, to + m).
  const auto transform = [&](auto&& self, std::size_t first, std::size_t m, std::size_t to) -> void {
    const std::size_t step = n / m;
    if (m == 1) {
      result[to] = {static_cast<long double>(x[first].real()), static_cast<long double>(x[first].imag())};
      return;
    }
    std::size_t p = 2;
    while (m % p != 0) p = p * p < m ? p + 1 : m;
    const std::size_t part = m / p;
    for (std::size_t r = 0; r < p; ++r) self(self, first + r * step, part, to + r * part);
    if (p == 2) {  // the same sums, without the way through `in`
      for (std::size_t k = 0; k < part; ++k) {
        const Number a = result[to + k], b = result[to + part + k], w = root[k * step];
        const Number c{b.real() * w.real() - b.imag() * w.imag(), b.real() * w.imag() + b.imag() * w.real()};
        result[to + k] = a + c;
        result[to + part + k] = a - c;
      }
      return;
    }
    std::vector<Number> in(p);
    for (std::size_t k = 0; k < part; ++k) {
      for (std::size_t r = 0; r < p; ++r) {
        const Number a = result[to + r * part + k], w = root[r * k * step];
        in[r] = {a.real() * w.real() - a.imag() * w.imag(), a.real() * w.imag() + a.imag() * w.real()};
      }
      for (std::size_t q = 0; q < p; ++q) {
        long double re = 0, im = 0;
        for (std::size_t r = 0, turn = 0; r < p; ++r, turn = turn + q < p ? turn + q : turn + q - p) {
          const Number w = root[turn * (n / p)];
          re += in[r].real() * w.real() - in[r].imag() * w.imag();
          im += in[r].real() * w.imag() + in[r].imag() * w.real();
        }
        result[to + q * part + k] = {re, im};
      }
    }
  };
  transform(transform, 0, n, 0);
  return result;
}

/// One result of dft(). O(n), with a sine and a cosine for each term.
template <class T>
std::complex<long double> dft_element(const std::complex<T>* x, std::size_t n, std::size_t k, int sign) {
  long double re = 0, im = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(j * k % n) / static_cast<long double>(n);
    const long double a = x[j].real(), b = x[j].imag(), c = std::cos(angle), s = sign * std::sin(angle);
    re += a * c - b * s;
    im += a * s + b * c;
  }
  return {re, im};
}

/// Linear convolution by its sums, n + m - 1 results.
template <class T>
std::vector<long double> convolution(const T* x, std::size_t n, const T* y, std::size_t m) {
  std::vector<long double> result(n + m - 1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j)
      result[i + j] += static_cast<long double>(x[i]) * static_cast<long double>(y[j]);
  return result;
}

/// ||x - want|| / ||want|| in the 2-norm.
template <class T>
long double relative_error(const std::complex<T>* x, const std::vector<std::complex<long double>>& want) {
  long double difference = 0, norm = 0;
  for (std::size_t k = 0; k < want.size(); ++k) {
    const long double re = x[k].real() - want[k].real(), im = x[k].imag() - want[k].imag();
    difference += re * re + im * im;
    norm += want[k].real() * want[k].real() + want[k].imag() * want[k].imag();
  }
  return std::sqrt(difference / norm);
}

}  // namespace pawl::reference
