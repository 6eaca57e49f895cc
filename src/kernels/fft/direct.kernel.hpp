// direct.kernel.hpp -- a short transform as the sums that define it, results side by side in lanes.
//
// With s = x[j] + x[n - j] and d = x[j] - x[n - j], results k and n - k share the sums of s cos and of d sin. All
// cosines and sines come from a table, so any n does; for primes from 17 to some 100 this takes fewer instructions than
// a convolution of more than twice their length.
#pragma once
#include "kernels/fft/fft_table.hpp"
#include "kernels/fft/real.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static void direct(const T* in, std::size_t n, const T* table, T* out, bool swapped, T scale) noexcept {
  constexpr std::size_t W = lanes<T>, kVector = cx_size<T>;
  const std::size_t half = (n - 1) / 2;
  T folded[2 * 2 * kLargestDirect];  // s and d of each j
  const std::size_t re = swapped ? 1 : 0, im = 1 - re;
  for (std::size_t j = 1; j <= half; ++j) {
    const T *const x = in + 2 * j, *const y = in + 2 * (n - j);
    T* const f = folded + 4 * (j - 1);
    f[0] = x[re] + y[re];
    f[1] = x[im] + y[im];
    f[2] = x[re] - y[re];
    f[3] = x[im] - y[im];
  }
  const T first_re = in[re], first_im = in[im];
  const bool even = n % 2 == 0;
  const T middle_re = even ? in[n + re] : T(0), middle_im = even ? in[n + im] : T(0);
  const Vec<T> s(scale);
  for (std::size_t k = 0; k <= n / 2; k += W, table += (half + 1) * kVector) {
    // The table's last row is (-1)^k.
    const Cx<T> signs = load_cx<T>(table + half * kVector);
    Vec<T> a_re = fma<T>(Vec<T>(middle_re), signs.re, Vec<T>(first_re));
    Vec<T> a_im = fma<T>(Vec<T>(middle_im), signs.re, Vec<T>(first_im));
    Vec<T> b_re(T(0)), b_im(T(0));
    for (std::size_t j = 0; j < half; ++j) {
      const Cx<T> w = load_cx<T>(table + j * kVector);
      const T* const f = folded + 4 * j;
      a_re = fma<T>(Vec<T>(f[0]), w.re, a_re);
      a_im = fma<T>(Vec<T>(f[1]), w.re, a_im);
      b_re = fma<T>(Vec<T>(f[2]), w.im, b_re);
      b_im = fma<T>(Vec<T>(f[3]), w.im, b_im);
    }
    const Cx<T> low{(a_re + b_im) * s, (a_im - b_re) * s}, high{(a_re - b_im) * s, (a_im + b_re) * s};
    store_pairs_first<T>(out + 2 * k, low, n - k < W ? n - k : W, swapped);
    // Lane l is result n - k - l; n itself is none. Those of the last vector beyond n / 2 are written twice.
    store_pairs_first<T>(out + 2 * (n - k - W + 1), reversed_cx<T>(high), k == 0 ? W - 1 : W, swapped);
  }
}

}  // namespace pawl::PAWL_ISA_NS
