// factored_butterfly.kernel.hpp -- R complex vectors, each still to be multiplied with a factor -> their transforms of
// R points over the first one's factor.
//
// The factors are part of the first sums. Without any, 5, 8, 16, 25, 32 and 64 points take 16, 26, 72, 176, 188 and 460
// sums and multiply-adds of vectors of pairs; with products of their own they took 18, 28, 80, 212, 217 and 537.
#pragma once
#include "kernels/fft/factor.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

/// F::at(n) is the factor of x[n].
template <class N, std::size_t R, class F>
struct FactoredButterfly;

template <class N, class F>
struct FactoredButterfly<N, 4, F> {
  PAWL_INLINE static void run(N& x0, N& x1, N& x2, N& x3, Direction<N> d) {
    constexpr Factor f1 = F::at(1) / F::at(0), f2 = F::at(2) / F::at(0), f3 = F::at(3) / F::at(1);
    const N a = sum(x0, x2, f2, d), b = difference(x0, x2, f2, d);
    const N c = sum(x1, x3, f3, d), e = difference(x1, x3, f3, d);
    x0 = sum(a, c, f1, d);
    x1 = sum(b, e, f1 * kMinusI, d);
    x2 = difference(a, c, f1, d);
    x3 = difference(b, e, f1 * kMinusI, d);
  }
  PAWL_INLINE static void run(N (&x)[4], Direction<N> d) { run(x[0], x[1], x[2], x[3], d); }
};

template <class N, class F>
struct FactoredButterfly<N, 8, F> {
  PAWL_INLINE static void run(N (&x)[8], Direction<N> d) {
    N a[4], b[4];
    unroll<4>([&](auto n) PAWL_INLINE_LAMBDA {
      constexpr Factor f = F::at(n + 4) / F::at(n);
      a[n] = sum(x[n], x[n + 4], f, d);
      b[n] = difference(x[n], x[n + 4], f, d);
    });
    FactoredButterfly<N, 4, EveryFactor<F, 0, 1>>::run(a, d);
    // Results 1, 3, 5 and 7: b times exp(-2 pi i n / 8). Those of n = 1 and 3 are sqrt(1/2) (1 - i) and (-1 - i), so
    // that their sum and difference are sqrt(1/2) (p - i q) and (q - i p).
    constexpr Factor f1 = F::at(1) / F::at(0), f2 = F::at(2) / F::at(0), f3 = F::at(3) / F::at(1);
    constexpr Factor root_half = {long_cosine_of(1, 8), 0};
    const N p = difference(b[1], b[3], f3, d), q = sum(b[1], b[3], f3, d);
    const N c = minus_i(p, q, d), e = minus_i(q, p, d);
    const N g = sum(b[0], b[2], f2 * kMinusI, d), h = difference(b[0], b[2], f2 * kMinusI, d);
    x[0] = a[0];
    x[1] = sum(g, c, f1 * root_half, d);
    x[2] = a[1];
    x[3] = sum(h, e, f1 * root_half * kMinusI, d);
    x[4] = a[2];
    x[5] = difference(g, c, f1 * root_half, d);
    x[6] = a[3];
    x[7] = difference(h, e, f1 * root_half * kMinusI, d);
  }
};

// The product with the sine is part of both results.
template <class N, class F>
struct FactoredButterfly<N, 3, F> {
  PAWL_INLINE static void run(N (&x)[3], Direction<N> d, double sine = sine_of(1, 3)) {
    constexpr Factor f1 = F::at(1) / F::at(0), f2 = F::at(2) / F::at(1);
    const N a = sum(x[1], x[2], f2, d), b = difference(x[1], x[2], f2, d);
    const N even = sum(x[0], a, f1 * Factor{-0.5L, 0}, d);
    x[0] = sum(x[0], a, f1, d);
    x[1] = sum(even, b, f1 * Factor{sine, 1}, d);
    x[2] = difference(even, b, f1 * Factor{sine, 1}, d);
  }
};

// The mean of both cosines is -1/4, half their difference sqrt(5) / 4: a product less that is rounded than by the sums
// of all odd primes.
template <class N, class F>
struct FactoredButterfly<N, 5, F> {
  PAWL_INLINE static void run(N (&x)[5], Direction<N> d) {
    constexpr Factor f1 = F::at(1) / F::at(0), f4 = F::at(4) / F::at(1), f3 = F::at(3) / F::at(2);
    constexpr Factor f2 = F::at(2) / F::at(1);
    constexpr Factor quarter_root = {0.559016994374947424102293417182819059L, 0};
    constexpr Factor s1 = {long_sine_of(1, 5), 0}, s2 = {long_sine_of(2, 5), 0};
    const N a = sum(x[1], x[4], f4, d), c = difference(x[1], x[4], f4, d);
    const N b = sum(x[2], x[3], f3, d), e = difference(x[2], x[3], f3, d);
    const N both = sum(a, b, f2, d), apart = difference(a, b, f2, d),
            middle = sum(x[0], both, f1 * Factor{-0.25L, 0}, d);
    const N even1 = sum(middle, apart, f1 * quarter_root, d), even2 = difference(middle, apart, f1 * quarter_root, d);
    const N odd1 = sum(c, e, f2 * s2 / s1, d), odd2 = difference(c, e, f2 * s1 / s2, d);
    x[0] = sum(x[0], both, f1, d);
    x[1] = sum(even1, odd1, f1 * s1 * kMinusI, d);
    x[4] = difference(even1, odd1, f1 * s1 * kMinusI, d);
    x[2] = sum(even2, odd2, f1 * s2 * kMinusI, d);
    x[3] = difference(even2, odd2, f1 * s2 * kMinusI, d);
  }
};

// P Q points: Q transforms of P points, what is left of twiddles, and P of Q.
template <class N, std::size_t P, std::size_t Q, class F>
struct SplitFactored {
  static constexpr std::size_t R = P * Q;
  PAWL_INLINE static void run(N (&x)[R], Direction<N> d) {
    N y[R];
    unroll<Q>([&](auto n) PAWL_INLINE_LAMBDA {
      N z[P];
      unroll<P>([&](auto p) PAWL_INLINE_LAMBDA { z[p] = x[p * Q + n]; });
      FactoredButterfly<N, P, EveryFactor<F, n, Q>>::run(z, d);
      unroll<P>([&](auto k) PAWL_INLINE_LAMBDA {
        constexpr Turn turn = turn_of(n * k, R);
        y[k * Q + n] = sheared(z[k], turn.tangent, d);
      });
    });
    unroll<P>([&](auto k) PAWL_INLINE_LAMBDA {
      N z[Q];
      unroll<Q>([&](auto n) PAWL_INLINE_LAMBDA { z[n] = y[k * Q + n]; });
      if constexpr (R == 9)
        FactoredButterfly<N, Q, TurnedFactors<F, k, R>>::run(z, d, kSinThirdAbove);
      else
        FactoredButterfly<N, Q, TurnedFactors<F, k, R>>::run(z, d);
      unroll<Q>([&](auto j) PAWL_INLINE_LAMBDA { x[k + P * j] = z[j]; });
    });
  }
};
template <class N, class F>
struct FactoredButterfly<N, 9, F> : SplitFactored<N, 3, 3, F> {};
template <class N, class F>
struct FactoredButterfly<N, 25, F> : SplitFactored<N, 5, 5, F> {};
template <class N, class F>
struct FactoredButterfly<N, 27, F> : SplitFactored<N, 3, 9, F> {};
template <class N, class F>
struct FactoredButterfly<N, 16, F> : SplitFactored<N, 4, 4, F> {};
template <class N, class F>
struct FactoredButterfly<N, 32, F> : SplitFactored<N, 4, 8, F> {};
template <class N, class F>
struct FactoredButterfly<N, 64, F> : SplitFactored<N, 4, 16, F> {};

}  // namespace pawl::PAWL_ISA_NS
