// chirp.kernel.hpp -- the first half of a chirp -> the tables of its convolution (chirp.hpp), by symmetry.
#pragma once
#include "kernels/fft/interleave.kernel.hpp"
#include "kernels/fft/real.kernel.hpp"
#include "kernels/fft/store_as.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// to[i] = sign * from[-i] over `count` pairs; to lies behind.
static void mirror_pairs(const double* from, double* to, std::size_t count, double sign) noexcept {
  constexpr std::size_t W = lanes<double>;
  const Reg<double> s = broadcast<double>(sign);
  std::size_t i = 0;
  for (; i + W <= count; i += W) {
    const Cx<double> x = load_pairs<double>(from - 2 * (i + W - 1), false);
    store_pairs<double>(to + 2 * i, scaled_by<double>(reversed_cx<double>(x), s), false);
  }
  for (; i < count; ++i)
    for (std::size_t part = 0; part < 2; ++part) to[2 * i + part] = sign * *(from - 2 * i + part);
}

// The first n / 2 + 1 numbers -> all n, and their conjugates as factors.
template <class T>
PAWL_INLINE void complete_chirp(double* chirp, std::size_t n, T* factors) {
  constexpr std::size_t W = lanes<double>;
  const std::size_t half = n / 2;
  // (n - j)^2 is n + j^2 modulo 2 n, and so its factor (-1)^n times that of j.
  if (n > 1) mirror_pairs(chirp + 2 * (n - half - 1), chirp + 2 * (half + 1), n - half - 1, n % 2 == 0 ? 1 : -1);
  std::size_t j = 0;
  for (; j + W <= n; j += W) {
    const Pairs<double> pairs = interleave<double>(conjugate<double>(load_pairs<double>(chirp + 2 * j, false)));
    store_as<T>(factors + 2 * j, pairs.low);
    store_as<T>(factors + 2 * j + W, pairs.high);
  }
  for (; j < n; ++j) {
    factors[2 * j] = static_cast<T>(chirp[2 * j]);
    factors[2 * j + 1] = static_cast<T>(-chirp[2 * j + 1]);
  }
}

template <class T>
static void wrap_chirp(double* wrapped, std::size_t n, std::size_t m, T* factors) noexcept {
  complete_chirp<T>(wrapped, n, factors);
  for (std::size_t i = 2 * n; i < 2 * (m - n + 1); ++i) wrapped[i] = 0;
  mirror_pairs(wrapped + 2 * (n - 1), wrapped + 2 * (m - n + 1), n, 1);
}

/// m >= lanes complex numbers of f64, element(k) a vector of them from k on, -> T as pairs or, a multiple of lanes of
/// them, as a block.
template <class T, class Element>
PAWL_INLINE void round_spectrum(std::size_t m, T* out, bool block, Element&& element) {
  constexpr std::size_t W = lanes<double>, kBlock = 2 * lanes<T>;
  const auto round = [&](std::size_t k) PAWL_INLINE_LAMBDA {
    const Cx<double> x = element(k);
    if (block) {
      T* const to = out + k / lanes<T> * kBlock + k % lanes<T>;
      store_as<T>(to, x.re);
      store_as<T>(to + lanes<T>, x.im);
    } else {
      const Pairs<double> pairs = interleave<double>(x);
      store_as<T>(out + 2 * k, pairs.low);
      store_as<T>(out + 2 * k + W, pairs.high);
    }
  };
  for (std::size_t k = 0; k + W <= m; k += W) round(k);
  if (m % W != 0) round(m - W);
}

template <class T>
static void round_chirp(const double* spectrum, std::size_t m, T* out, bool block) noexcept {
  round_spectrum<T>(m, out, block, [&](std::size_t k) PAWL_INLINE_LAMBDA {
    const Cx<double> x = load_pairs<double>(spectrum + 2 * k, false);
    // Of f64, where errors of the kernel are as large as those of what is transformed later.
    if constexpr (sizeof(T) == 4) return x;
    const std::size_t mirror = m + 1 - k - lanes<double>;
    return scaled_by<double>(x + reversed_cx<double>(load_pairs<double>(spectrum + 2 * mirror, false)),
                             broadcast<double>(0.5));
  });
}

}  // namespace pawl::PAWL_ISA_NS
