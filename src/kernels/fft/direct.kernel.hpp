// direct.kernel.hpp -- a short transform as the sums that define it, results side by side in lanes.
//
// With s = x[j] + x[n - j] and d = x[j] - x[n - j], results k and n - k share the sums of s cos and of d sin. All
// cosines and sines come from a table, so any n does; for primes from 17 to some 100 this takes fewer instructions than
// a convolution of more than twice their length.
#pragma once
#include "kernels/fft/fft_table.hpp"
#include "kernels/fft/real.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// The sums of s cos (a) and of d sin (b) for V vectors of results, whose tables are `table_step` apart. Several at
// once, since each is a chain of multiply-adds.
template <class T, std::size_t V>
PAWL_INLINE void direct_sums(const T* folded, std::size_t half, Cx<T> first, Cx<T> middle, const T* table,
                             std::size_t table_step, Cx<T> (&a)[V], Cx<T> (&b)[V]) {
  constexpr std::size_t kVector = cx_size<T>;
  unroll<V>([&](auto v) PAWL_INLINE_LAMBDA {
    const Reg<T> sign = load_reg<T>(table + v * table_step + half * kVector);  // (-1)^k
    a[v] = {mul_add<T>(middle.re, sign, first.re), mul_add<T>(middle.im, sign, first.im)};
    b[v] = {broadcast<T>(T(0)), broadcast<T>(T(0))};
  });
  const auto add = [&](std::size_t j, Cx<T>(&even)[V], Cx<T>(&odd)[V]) PAWL_INLINE_LAMBDA {
    const T* const f = folded + 4 * j;
    const Cx<T> s{broadcast<T>(f[0]), broadcast<T>(f[1])}, d{broadcast<T>(f[2]), broadcast<T>(f[3])};
    unroll<V>([&](auto v) PAWL_INLINE_LAMBDA {
      const Cx<T> w = load_cx<T>(table + v * table_step + j * kVector);
      even[v] = {mul_add<T>(s.re, w.re, even[v].re), mul_add<T>(s.im, w.re, even[v].im)};
      odd[v] = {mul_add<T>(d.re, w.im, odd[v].re), mul_add<T>(d.im, w.im, odd[v].im)};
    });
  };
  std::size_t j = 0;
#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_neon)
  // Sums of halves, where there are 32 registers: partial sums are shorter, and so is what rounding adds.
  Cx<T> more_a[V], more_b[V];
  unroll<V>([&](auto v) PAWL_INLINE_LAMBDA { more_a[v] = more_b[v] = {broadcast<T>(T(0)), broadcast<T>(T(0))}; });
  for (; j + 2 <= half; j += 2) {
    add(j, a, b);
    add(j + 1, more_a, more_b);
  }
  unroll<V>([&](auto v) PAWL_INLINE_LAMBDA {
    a[v] = a[v] + more_a[v];
    b[v] = b[v] + more_b[v];
  });
#endif
  for (; j < half; ++j) add(j, a, b);
}

template <class T>
PAWL_INLINE void direct_store(T* out, std::size_t n, std::size_t k, Cx<T> a, Cx<T> b, bool swapped, Reg<T> s) {
  constexpr std::size_t W = lanes<T>;
  const Cx<T> low{(a.re + b.im) * s, (a.im - b.re) * s}, high{(a.re - b.im) * s, (a.im + b.re) * s};
  if (n < 16 || n < W) {  // a vector of results goes around the circle
    alignas(64) T l[cx_size<T>], h[cx_size<T>];
    store_pairs<T>(l, low, swapped);
    store_pairs<T>(h, high, swapped);
    for (std::size_t i = 0; i < W && k + i <= n / 2; ++i)
      for (std::size_t part = 0; part < 2; ++part) {
        out[2 * (k + i) + part] = l[2 * i + part];
        if (k + i > 0) out[2 * (n - k - i) + part] = h[2 * i + part];
      }
    return;
  }
  store_pairs_first<T>(out + 2 * k, low, n - k < W ? n - k : W, swapped);
  // Lane l is result n - k - l; n itself is none. Those of the last vector beyond n / 2 are written twice.
  store_pairs_first<T>(out + 2 * (n - k - W + 1), reversed_cx<T>(high), k == 0 ? W - 1 : W, swapped);
}

template <class T>
static void direct(const T* in, std::size_t n, const T* table, T* out, bool swapped, T scale) noexcept {
  constexpr std::size_t W = lanes<T>;
  const std::size_t half = (n - 1) / 2, table_step = (half + 1) * cx_size<T>;
  T folded[2 * kLargestDirect];  // s and d of each j
  const std::size_t re = swapped ? 1 : 0, im = 1 - re;
  for (std::size_t j = 1; j <= half; ++j) {
    const T *const x = in + 2 * j, *const y = in + 2 * (n - j);
    T* const f = folded + 4 * (j - 1);
    f[0] = x[re] + y[re];
    f[1] = x[im] + y[im];
    f[2] = x[re] - y[re];
    f[3] = x[im] - y[im];
  }
  const bool even = n % 2 == 0;
  const Cx<T> first{broadcast<T>(in[re]), broadcast<T>(in[im])};
  const Cx<T> middle{broadcast<T>(even ? in[n + re] : T(0)), broadcast<T>(even ? in[n + im] : T(0))};
  const Reg<T> s = broadcast<T>(scale);
  std::size_t k = 0;
  for (; k + W <= n / 2; k += 2 * W, table += 2 * table_step) {
    Cx<T> a[2], b[2];
    direct_sums<T, 2>(folded, half, first, middle, table, table_step, a, b);
    direct_store<T>(out, n, k, a[0], b[0], swapped, s);
    direct_store<T>(out, n, k + W, a[1], b[1], swapped, s);
  }
  for (; k <= n / 2; k += W, table += table_step) {
    Cx<T> a[1], b[1];
    direct_sums<T, 1>(folded, half, first, middle, table, table_step, a, b);
    direct_store<T>(out, n, k, a[0], b[0], swapped, s);
  }
}

}  // namespace pawl::PAWL_ISA_NS
