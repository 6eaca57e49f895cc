// factored_butterfly.kernel.hpp -- R complex vectors, each still to be multiplied with a factor -> their transforms of
// R points over the first one's factor.
//
// The factors are part of the first sums. Without any, 5, 8, 16, 25, 32 and 64 points take 16, 26, 72, 176, 188 and 460
// sums and multiply-adds of vectors of pairs; with products of their own they took 18, 28, 80, 212, 217 and 537.
#pragma once
#include "kernels/fft/factor.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

/// F::at<n> is the factor of x[n].
template <class N, std::size_t R, class F>
struct FactoredButterfly;

template <class N, class F>
struct FactoredButterfly<N, 4, F> {
  PAWL_INLINE static void run(N& x0, N& x1, N& x2, N& x3, Direction<N> d) {
    using F1 = Quotient<F, 1, 0>;
    using F2 = Quotient<F, 2, 0>;
    using F3 = Quotient<F, 3, 1>;
    const N a = sum<F2>(x0, x2, d), b = difference<F2>(x0, x2, d);
    const N c = sum<F3>(x1, x3, d), e = difference<F3>(x1, x3, d);
    x0 = sum<F1>(a, c, d);
    x1 = sum<Turned<F1>>(b, e, d);
    x2 = difference<F1>(a, c, d);
    x3 = difference<Turned<F1>>(b, e, d);
  }
  PAWL_INLINE static void run(N (&x)[4], Direction<N> d) { run(x[0], x[1], x[2], x[3], d); }
};

template <class F>
struct RootHalf {
  static constexpr Factor value = F::value * Factor{long_cosine_of(1, 8), 0};
};
template <class N, class F>
struct FactoredButterfly<N, 8, F> {
  PAWL_INLINE static void run(N (&x)[8], Direction<N> d) {
    N b[4];
    unroll<4>([&](auto n) PAWL_INLINE_LAMBDA {
      using Fn = Quotient<F, n + 4, n>;
      b[n] = difference<Fn>(x[n], x[n + 4], d);
      x[n] = sum<Fn>(x[n], x[n + 4], d);
    });
    FactoredButterfly<N, 4, F>::run(x[0], x[1], x[2], x[3], d);
    // Results 1, 3, 5 and 7: b times exp(-2 pi i n / 8). Those of n = 1 and 3 are sqrt(1/2) (1 - i) and (-1 - i), so
    // that their sum and difference are sqrt(1/2) (p - i q) and (q - i p).
    using F1 = Quotient<F, 1, 0>;
    using F2 = Turned<Quotient<F, 2, 0>>;
    using F3 = Quotient<F, 3, 1>;
    const N p = difference<F3>(b[1], b[3], d), q = sum<F3>(b[1], b[3], d);
    const N c = minus_i(p, q, d), e = minus_i(q, p, d);
    const N g = sum<F2>(b[0], b[2], d), h = difference<F2>(b[0], b[2], d);
    const N even[] = {x[0], x[1], x[2], x[3]};
    x[0] = even[0];
    x[1] = sum<RootHalf<F1>>(g, c, d);
    x[2] = even[1];
    x[3] = sum<Turned<RootHalf<F1>>>(h, e, d);
    x[4] = even[2];
    x[5] = difference<RootHalf<F1>>(g, c, d);
    x[6] = even[3];
    x[7] = difference<Turned<RootHalf<F1>>>(h, e, d);
  }
};

// F times the sine of k / R of the circle, or one that is a bit larger, and times the other constants of 3 and 5
// points.
template <class F, std::size_t k, std::size_t R, bool above = false>
struct Sine {
  static constexpr Factor value = F::value * Factor{above ? kSinThirdAbove : long_sine_of(k, R), 0};
};
template <class F>
struct MinusHalf {
  static constexpr Factor value = F::value * Factor{-0.5L, 0};
};
template <class F>
struct MinusQuarter {
  static constexpr Factor value = F::value * Factor{-0.25L, 0};
};
template <class F>
struct QuarterRootOfFive {
  static constexpr Factor value = F::value * Factor{0.559016994374947424102293417182819059L, 0};
};
template <class A, class B>
struct Over {
  static constexpr Factor value = A::value / B::value;
};

// The product with the sine is part of both results.
template <class N, class F>
struct FactoredButterfly<N, 3, F> {
  template <bool above = false>
  PAWL_INLINE static void run(N (&x)[3], Direction<N> d) {
    using F1 = Quotient<F, 1, 0>;
    using F2 = Quotient<F, 2, 1>;
    using S = Turned<Sine<F1, 1, 3, above>>;
    const N a = sum<F2>(x[1], x[2], d), b = difference<F2>(x[1], x[2], d), even = sum<MinusHalf<F1>>(x[0], a, d);
    x[0] = sum<F1>(x[0], a, d);
    x[1] = sum<S>(even, b, d);
    x[2] = difference<S>(even, b, d);
  }
};

// The mean of both cosines is -1/4, half their difference sqrt(5) / 4: a product less that is rounded than by the sums
// of all odd primes.
template <class N, class F>
struct FactoredButterfly<N, 5, F> {
  PAWL_INLINE static void run(N (&x)[5], Direction<N> d) {
    using F1 = Quotient<F, 1, 0>;
    using F2 = Quotient<F, 2, 1>;
    using F3 = Quotient<F, 3, 2>;
    using F4 = Quotient<F, 4, 1>;
    using S1 = Sine<F1, 1, 5>;
    using S2 = Sine<F1, 2, 5>;
    const N a = sum<F4>(x[1], x[4], d), c = difference<F4>(x[1], x[4], d);
    const N b = sum<F3>(x[2], x[3], d), e = difference<F3>(x[2], x[3], d);
    const N both = sum<F2>(a, b, d), apart = difference<F2>(a, b, d), middle = sum<MinusQuarter<F1>>(x[0], both, d);
    const N even1 = sum<QuarterRootOfFive<F1>>(middle, apart, d);
    const N even2 = difference<QuarterRootOfFive<F1>>(middle, apart, d);
    const N odd1 = sum<Over<Sine<F2, 2, 5>, Sine<One, 1, 5>>>(c, e, d);
    const N odd2 = difference<Over<Sine<F2, 1, 5>, Sine<One, 2, 5>>>(c, e, d);
    x[0] = sum<F1>(x[0], both, d);
    x[1] = sum<Turned<S1>>(even1, odd1, d);
    x[4] = difference<Turned<S1>>(even1, odd1, d);
    x[2] = sum<Turned<S2>>(even2, odd2, d);
    x[3] = difference<Turned<S2>>(even2, odd2, d);
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
      unroll<P>([&](auto k) PAWL_INLINE_LAMBDA { y[k * Q + n] = sheared<n * k, R>(z[k], d); });
    });
    unroll<P>([&](auto k) PAWL_INLINE_LAMBDA {
      N z[Q];
      unroll<Q>([&](auto n) PAWL_INLINE_LAMBDA { z[n] = y[k * Q + n]; });
      if constexpr (R == 9)
        FactoredButterfly<N, Q, TurnedFactors<F, k, R>>::template run<true>(z, d);
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
