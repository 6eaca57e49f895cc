// direct.kernel.hpp -- a short transform as the sums that define it, results side by side in lanes.
//
// With s = x[j] + x[n - j] and d = x[j] - x[n - j], results k and n - k share the sums of s cos and of d sin. All
// cosines and sines come from a table, so any n does; for primes from 17 to some 100 this takes fewer instructions than
// a convolution of more than twice their length.
#pragma once
#include "kernels/fft/fft_table.hpp"
#include "kernels/fft/real.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// Terms of a chain of multiply-adds before it is added to the sum so far: what rounding adds to a sum grows with its
// length, and so less than half as much.
constexpr std::size_t kChain = 8;

// The sums of s cos (a) and of d sin (b) for V vectors of results, whose tables are `table_step` apart. Several at
// once, since each is a chain of multiply-adds; two of each where there are 32 registers.
template <class T, std::size_t V>
PAWL_INLINE void direct_sums(const T* folded, std::size_t half, Cx<T> first, Cx<T> middle, const T* table,
                             std::size_t table_step, Cx<T> (&a)[V], Cx<T> (&b)[V]) {
  constexpr std::size_t kVector = cx_size<T>;
#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_neon)
  constexpr std::size_t kChains = 2;
#else
  constexpr std::size_t kChains = 1;
#endif
  const Cx<T> zero{broadcast<T>(T(0)), broadcast<T>(T(0))};
  unroll<V>([&](auto v) PAWL_INLINE_LAMBDA {
    const Reg<T> sign = load_reg<T>(table + v * table_step + half * kVector);  // (-1)^k
    a[v] = {mul_add<T>(middle.re, sign, first.re), mul_add<T>(middle.im, sign, first.im)};
    b[v] = zero;
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
  for (std::size_t j = 0; j < half;) {
    const std::size_t end = half - j < kChains * kChain ? half : j + kChains * kChain;
    Cx<T> even[kChains][V], odd[kChains][V];
    unroll<kChains>([&](auto chain) PAWL_INLINE_LAMBDA {
      unroll<V>([&](auto v) PAWL_INLINE_LAMBDA { even[chain][v] = odd[chain][v] = zero; });
    });
    for (; j + kChains <= end; j += kChains)
      unroll<kChains>([&](auto chain) PAWL_INLINE_LAMBDA { add(j + chain, even[chain], odd[chain]); });
    if (kChains > 1 && j < end) add(j++, even[0], odd[0]);
    unroll<kChains>([&](auto chain) PAWL_INLINE_LAMBDA {
      unroll<V>([&](auto v) PAWL_INLINE_LAMBDA {
        a[v] = a[v] + even[chain][v];
        b[v] = b[v] + odd[chain][v];
      });
    });
  }
}

// Results k and on, and n - k and back; k > 0. The inverse of the same numbers has them the other way around.
template <class T>
PAWL_INLINE void direct_store(T* out, std::size_t n, std::size_t k, Cx<T> a, Cx<T> b, bool inverse, Reg<T> s) {
  constexpr std::size_t W = lanes<T>;
  const Reg<T> sign = broadcast<T>(inverse ? T(-1) : T(1));
  const Cx<T> low{mul_add<T>(b.im, sign, a.re) * s, sub_mul<T>(a.im, b.re, sign) * s};
  const Cx<T> high{sub_mul<T>(a.re, b.im, sign) * s, mul_add<T>(b.re, sign, a.im) * s};
  if (n < 16 || n <= W) {  // a vector of results goes around the circle
    alignas(64) T l[cx_size<T>], h[cx_size<T>];
    store_pairs<T>(l, low, false);
    store_pairs<T>(h, high, false);
    for (std::size_t i = 0; i < W && k + i <= n / 2; ++i)
      for (std::size_t part = 0; part < 2; ++part) {
        out[2 * (k + i) + part] = l[2 * i + part];
        out[2 * (n - k - i) + part] = h[2 * i + part];
      }
    return;
  }
  // Lane l is result n - k - l. Those of the last vector beyond n / 2 are written twice.
  store_pairs_first<T>(out + 2 * k, low, n - k < W ? n - k : W, false);
  store_pairs<T>(out + 2 * (n - k - W + 1), reversed_cx<T>(high), false);
}

template <class T>
static void direct(const T* in, std::size_t n, const T* table, T* out, bool inverse, T scale) noexcept {
  constexpr std::size_t W = lanes<T>;
  using Pair [[gnu::vector_size(2 * sizeof(T))]] = T;
  const auto load = [](const T* p) {
    Pair v;
    __builtin_memcpy(&v, p, sizeof(v));
    return v;
  };
  const auto store = [](T* p, Pair v) { __builtin_memcpy(p, &v, sizeof(v)); };
  const std::size_t half = (n - 1) / 2, table_step = (half + 1) * cx_size<T>;
  T folded[2 * kLargestDirect];  // s and d of each j
  const Pair zero{}, at_0 = load(in), at_half = n % 2 == 0 ? load(in + n) : zero;
  Pair all = at_0 + at_half, more = zero;
  const auto fold = [&](std::size_t j) PAWL_INLINE_LAMBDA {
    const Pair x = load(in + 2 * (j + 1)), y = load(in + 2 * (n - 1 - j)), sum = x + y;
    store(folded + 4 * j, sum);
    store(folded + 4 * j + 2, x - y);
    return sum;
  };
  std::size_t j = 0;
  for (; j + 2 <= half; j += 2) {
    all = all + fold(j);
    more = more + fold(j + 1);
  }
  if (j < half) all = all + fold(j);
  const Cx<T> first{broadcast<T>(at_0[0]), broadcast<T>(at_0[1])};
  const Cx<T> middle{broadcast<T>(at_half[0]), broadcast<T>(at_half[1])};
  const Reg<T> s = broadcast<T>(scale);
  store(out, (all + more) * scale);
  std::size_t k = 1;
  for (; k + W <= n / 2; k += 2 * W, table += 2 * table_step) {
    Cx<T> a[2], b[2];
    direct_sums<T, 2>(folded, half, first, middle, table, table_step, a, b);
    direct_store<T>(out, n, k, a[0], b[0], inverse, s);
    direct_store<T>(out, n, k + W, a[1], b[1], inverse, s);
  }
  for (; k <= n / 2; k += W, table += table_step) {
    Cx<T> a[1], b[1];
    direct_sums<T, 1>(folded, half, first, middle, table, table_step, a, b);
    direct_store<T>(out, n, k, a[0], b[0], inverse, s);
  }
}

}  // namespace pawl::PAWL_ISA_NS
