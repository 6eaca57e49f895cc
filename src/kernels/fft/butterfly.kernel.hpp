// butterfly.kernel.hpp -- R complex vectors -> their transforms of R points, lane by lane, results in natural order.
//
// N is what holds a vector of complex numbers: Cx, parts in registers of their own, or Pairs, parts side by side. The
// direction `d` is what N wants to know about the sign of i; with Cx all are forward transforms. Powers of two are
// split in halves or 4 x 4; odd primes use the symmetry of the cosine and the sine: with s = x[j] + x[R - j] and d =
// x[j] - x[R - j], results k and R - k share their sums (Singleton, "An algorithm for computing the mixed radix fast
// Fourier transform", 1969).
#pragma once
#include "kernels/fft/complex.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// cos and sin of 2 pi j / R for j = 1 .. (R - 1) / 2.
template <std::size_t R>
struct Circle;
template <>
struct Circle<3> {
  static constexpr double kCos[] = {-0.5}, kSin[] = {0.86602540378443864676};
};
template <>
struct Circle<5> {
  static constexpr double kCos[] = {0.30901699437494742410, -0.80901699437494742410};
  static constexpr double kSin[] = {0.95105651629515357212, 0.58778525229247312917};
};
template <>
struct Circle<7> {
  static constexpr double kCos[] = {0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624};
  static constexpr double kSin[] = {0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048};
};
template <>
struct Circle<11> {
  static constexpr double kCos[] = {0.84125353283118116886, 0.41541501300188642553, -0.14231483827328514044,
                                    -0.65486073394528506406, -0.95949297361449738989};
  static constexpr double kSin[] = {0.54064081745559758211, 0.90963199535451837141, 0.98982144188093273238,
                                    0.75574957435425828377, 0.28173255684142969771};
};
template <>
struct Circle<13> {
  static constexpr double kCos[] = {0.88545602565320989590,  0.56806474673115580251,  0.12053668025532305335,
                                    -0.35460488704253562597, -0.74851074817110109863, -0.97094181742605202716};
  static constexpr double kSin[] = {0.46472317204376854566, 0.82298386589365639458, 0.99270887409805399280,
                                    0.93501624268541482344, 0.66312265824079520238, 0.23931566428755776715};
};

// x times (c - i s). The smaller of both products is rounded by itself, the other one with the sum.
template <class N>
PAWL_INLINE N turned(N x, double c, double s, Direction<N> d) {
  return c * c <= s * s ? minus_i_times(times(x, c), x, s, d) : plus_times(times_minus_i(x, s, d), x, c);
}

// The angles 1 .. (R - 1) / 2 of Circle<R>, those with the smallest cosine and with the smallest sine first.
template <std::size_t R>
struct SmallestFirst {
  std::size_t by_cos[(R - 1) / 2]{}, by_sin[(R - 1) / 2]{};
  constexpr SmallestFirst() {
    for (std::size_t a = 0; a < (R - 1) / 2; ++a) {
      std::size_t cosines = 0, sines = 0;  // that are smaller
      for (std::size_t b = 0; b < (R - 1) / 2; ++b) {
        cosines += Circle<R>::kCos[b] * Circle<R>::kCos[b] < Circle<R>::kCos[a] * Circle<R>::kCos[a];
        sines += Circle<R>::kSin[b] < Circle<R>::kSin[a];
      }
      by_cos[cosines] = by_sin[sines] = a + 1;
    }
  }
};

// The j from 1 to (R - 1) / 2 for which j k is `angle` or -angle mod R.
template <std::size_t R>
constexpr std::size_t column_of(std::size_t k, std::size_t angle) {
  std::size_t j = 1;
  while (j * k % R != angle && j * k % R != R - angle) ++j;
  return j;
}

// Odd primes. Small products first, since every partial sum is rounded: 1232 and 2002 points of f32 have 0.97 and 0.95
// of the error of sums in the order of j.
template <class N, std::size_t R>
struct Butterfly {
  PAWL_INLINE static void run(N (&x)[R], Direction<N> d) {
    constexpr std::size_t H = (R - 1) / 2;
    N sum[H], difference[H];
    const N first = x[0];
    unroll<H>([&](auto j) PAWL_INLINE_LAMBDA {
      sum[j] = x[j + 1] + x[R - 1 - j];
      difference[j] = x[j + 1] - x[R - 1 - j];
    });
    unroll<H>([&](auto j) PAWL_INLINE_LAMBDA { x[0] = x[0] + sum[j]; });
    unroll<H>([&](auto row) PAWL_INLINE_LAMBDA {
      constexpr std::size_t k = row + 1;
      N even = first, odd;
      unroll<H>([&](auto i) PAWL_INLINE_LAMBDA {
        constexpr SmallestFirst<R> order;
        constexpr std::size_t of_cos = order.by_cos[i], of_sin = order.by_sin[i], j = column_of<R>(k, of_sin);
        constexpr double sine = Circle<R>::kSin[of_sin - 1], s = j * k % R == of_sin ? sine : -sine;
        even = plus_times(even, sum[column_of<R>(k, of_cos) - 1], Circle<R>::kCos[of_cos - 1]);
        if constexpr (i == 0)
          odd = times(difference[j - 1], s);
        else
          odd = plus_times(odd, difference[j - 1], s);
      });
      x[k] = minus_i(even, odd, d);
      x[R - k] = plus_i(even, odd, d);
    });
  }
};

template <class N>
struct Butterfly<N, 1> {
  PAWL_INLINE static void run(N (&)[1], Direction<N>) {}
};

template <class N>
struct Butterfly<N, 2> {
  PAWL_INLINE static void run(N (&x)[2], Direction<N>) {
    const N a = x[0], b = x[1];
    x[0] = a + b;
    x[1] = a - b;
  }
};

template <class N>
PAWL_INLINE void butterfly_4(N& x0, N& x1, N& x2, N& x3, Direction<N> direction) {
  const N a = x0 + x2, b = x0 - x2, c = x1 + x3, d = x1 - x3;
  x0 = a + c;
  x1 = minus_i(b, d, direction);
  x2 = a - c;
  x3 = plus_i(b, d, direction);
}

template <class N>
struct Butterfly<N, 4> {
  PAWL_INLINE static void run(N (&x)[4], Direction<N> d) { butterfly_4(x[0], x[1], x[2], x[3], d); }
};

// The product with the sine is part of both results: as many instructions as a product and two sums, less one, and one
// rounding less.
template <class N>
PAWL_INLINE void butterfly_3(N (&x)[3], double s, Direction<N> d) {
  const N sum = x[1] + x[2], difference = x[1] - x[2], even = plus_times(x[0], sum, -0.5);
  x[0] = x[0] + sum;
  x[1] = minus_i_times(even, difference, s, d);
  x[2] = plus_i_times(even, difference, s, d);
}

template <class N>
struct Butterfly<N, 3> {
  PAWL_INLINE static void run(N (&x)[3], Direction<N> d) { butterfly_3(x, Circle<3>::kSin[0], d); }
};

// The mean of both cosines is -1/4, half their difference sqrt(5) / 4: a product less that is rounded than by the sums
// of all odd primes.
template <class N>
struct Butterfly<N, 5> {
  PAWL_INLINE static void run(N (&x)[5], Direction<N> d) {
    constexpr double kQuarterRoot = 0.55901699437494742410;
    constexpr double s1 = Circle<5>::kSin[0], s2 = Circle<5>::kSin[1];
    const N a = x[1] + x[4], b = x[2] + x[3], c = x[1] - x[4], e = x[2] - x[3];
    const N sum = a + b, difference = a - b, middle = plus_times(x[0], sum, -0.25);
    const N even1 = plus_times(middle, difference, kQuarterRoot), even2 = plus_times(middle, difference, -kQuarterRoot);
    const N odd1 = plus_times(times(e, s2), c, s1), odd2 = plus_times(times(c, s2), e, -s1);
    x[0] = x[0] + sum;
    x[1] = minus_i(even1, odd1, d);
    x[4] = plus_i(even1, odd1, d);
    x[2] = minus_i(even2, odd2, d);
    x[3] = plus_i(even2, odd2, d);
  }
};

inline constexpr double kSqrtHalf = 0.70710678118654752440;
inline constexpr double kCos16 = 0.92387953251128675613, kSin16 = 0.38268343236508977173;  // of 2 pi / 16

// Rounded constants make results too small or too large in common: a quarter of the squared error of 729 points of f64
// was the sine of a third of the circle, the nearest of f64 to which is 0.9 of half a unit below it. So where the
// nearest number is about as far as the one on the other side and both are used alike, half of the uses take that one.
// 729 points have 0.89 of the error, 1008 of f32 0.98. (Of sqrt(1/2) in f64 8 to 32 points had 1.03 of the error, 512
// and more 0.98, and some primes 1.1, whose convolutions have 12 points with the other sign.)
inline constexpr double kSinThirdAbove = 0.86602540378443870761;  // f32: the nearest
template <class T>
inline constexpr double kCos16Above = sizeof(T) == 4 ? 0.92387956380844116 : kCos16;
template <class T>
inline constexpr double kSinTwoNinthsAbove = sizeof(T) == 4 ? 0.98480778932571411 : 0.98480775301220805937;

// x times exp(-2 pi i / 8) and exp(-2 pi i 3 / 8).
template <class N>
PAWL_INLINE N eighth(N x, Direction<N> d) {
  return times(minus_i(x, x, d), kSqrtHalf);
}
template <class N>
PAWL_INLINE N three_eighths(N x, Direction<N> d) {
  return times(plus_i(x, x, d), -kSqrtHalf);
}

template <class N>
struct Butterfly<N, 8> {
  PAWL_INLINE static void run(N (&x)[8], Direction<N> d) {
    N a0 = x[0] + x[4], a1 = x[1] + x[5], a2 = x[2] + x[6], a3 = x[3] + x[7];
    N b0 = x[0] - x[4], b1 = eighth(x[1] - x[5], d), b2 = x[2] - x[6], b3 = three_eighths(x[3] - x[7], d);
    butterfly_4(a0, a1, a2, a3, d);
    {  // butterfly_4 of b0, b1, -i b2, b3
      const N a = minus_i(b0, b2, d), b = plus_i(b0, b2, d), c = b1 + b3, e = b1 - b3;
      b0 = a + c;
      b1 = minus_i(b, e, d);
      b2 = a - c;
      b3 = plus_i(b, e, d);
    }
    x[0] = a0;
    x[1] = b0;
    x[2] = a1;
    x[3] = b1;
    x[4] = a2;
    x[5] = b2;
    x[6] = a3;
    x[7] = b3;
  }
};

template <class N>
struct Butterfly<N, 16> {
  PAWL_INLINE static void run(N (&x)[16], Direction<N> d) {
    unroll<4>([&](auto n) PAWL_INLINE_LAMBDA { butterfly_4(x[n], x[n + 4], x[n + 8], x[n + 12], d); });
    // x[n + 4 k] is result k of the n-th transform; times exp(-2 pi i n k / 16).
    x[5] = turned(x[5], kCos16, kSin16, d);
    x[9] = eighth(x[9], d);
    x[13] = turned(x[13], kSin16, kCos16Above<typename N::Part>, d);
    x[6] = eighth(x[6], d);
    x[14] = three_eighths(x[14], d);
    x[7] = turned(x[7], kSin16, kCos16Above<typename N::Part>, d);
    x[11] = three_eighths(x[11], d);
    x[15] = turned(x[15], -kCos16, -kSin16, d);
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
      if constexpr (k == 2) {  // x[10] still wants its factor of -i
        const N a = minus_i(x[8], x[10], d), b = plus_i(x[8], x[10], d), c = x[9] + x[11], e = x[9] - x[11];
        x[8] = a + c;
        x[9] = minus_i(b, e, d);
        x[10] = a - c;
        x[11] = plus_i(b, e, d);
      } else {
        butterfly_4(x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3], d);
      }
    });
    // Result k + 4 j is in x[4 k + j].
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
      unroll<4>([&](auto j) PAWL_INLINE_LAMBDA {
        if constexpr (k < j) {
          const N t = x[4 * k + j];
          x[4 * k + j] = x[4 * j + k];
          x[4 * j + k] = t;
        }
      });
    });
  }
};

// P Q points, P and Q without a common factor: Q transforms of P and P of Q points without any twiddles between them
// (Good, "The interaction algorithm and practical Fourier analysis", 1958). Element Q a + P b goes in, the result that
// is k1 mod P and k2 mod Q comes out.
template <class N, std::size_t P, std::size_t Q>
struct CoprimeButterfly {
  static constexpr std::size_t R = P * Q;
  static constexpr std::size_t result(std::size_t k1, std::size_t k2) {
    std::size_t k = k1;
    while (k % Q != k2) k += P;
    return k;
  }
  PAWL_INLINE static void run(N (&x)[R], Direction<N> d) {
    N y[R];
    unroll<Q>([&](auto b) PAWL_INLINE_LAMBDA {
      N z[P];
      unroll<P>([&](auto a) PAWL_INLINE_LAMBDA { z[a] = x[(Q * a + P * b) % R]; });
      Butterfly<N, P>::run(z, d);
      unroll<P>([&](auto k1) PAWL_INLINE_LAMBDA { y[k1 * Q + b] = z[k1]; });
    });
    unroll<P>([&](auto k1) PAWL_INLINE_LAMBDA {
      N z[Q];
      unroll<Q>([&](auto b) PAWL_INLINE_LAMBDA { z[b] = y[k1 * Q + b]; });
      Butterfly<N, Q>::run(z, d);
      unroll<Q>([&](auto k2) PAWL_INLINE_LAMBDA {
        constexpr std::size_t k = result(k1, k2);
        x[k] = z[k2];
      });
    });
  }
};
template <class N>
struct Butterfly<N, 6> : CoprimeButterfly<N, 2, 3> {};
template <class N>
struct Butterfly<N, 10> : CoprimeButterfly<N, 2, 5> {};
template <class N>
struct Butterfly<N, 12> : CoprimeButterfly<N, 4, 3> {};
template <class N>
struct Butterfly<N, 14> : CoprimeButterfly<N, 2, 7> {};
template <class N>
struct Butterfly<N, 15> : CoprimeButterfly<N, 3, 5> {};
template <class N>
struct Butterfly<N, 20> : CoprimeButterfly<N, 4, 5> {};
template <class N>
struct Butterfly<N, 24> : CoprimeButterfly<N, 8, 3> {};

// cos and sin of 2 pi m / (P P) for the products m = a b with a, b < P; 0 at places that are none.
template <std::size_t P>
struct SquareCircle;
template <>
struct SquareCircle<3> {  // m = 1, 2, 4
  static constexpr double kCos[] = {1, 0.7660444431189780352, 0.17364817766693034885, 0, -0.93969262078590838405};
  static constexpr double kSin[] = {0, 0.64278760968653932632, 0.98480775301220805937, 0, 0.34202014332566873304};
};
template <>
struct SquareCircle<5> {  // m = 1, 2, 3, 4, 6, 8, 9, 12, 16
  static constexpr double kCos[] = {1,
                                    0.96858316112863111949,
                                    0.87630668004386358731,
                                    0.72896862742141152315,
                                    0.53582679497899661827,
                                    0,
                                    0.062790519529313376076,
                                    0,
                                    -0.42577929156507264886,
                                    -0.63742398974868971018,
                                    0,
                                    0,
                                    -0.99211470131447783105,
                                    0,
                                    0,
                                    0,
                                    -0.63742398974868971018};
  static constexpr double kSin[] = {0,
                                    0.24868988716485478824,
                                    0.48175367410171527499,
                                    0.68454710592868867373,
                                    0.84432792550201507855,
                                    0,
                                    0.99802672842827156195,
                                    0,
                                    0.90482705246601952771,
                                    0.7705132427757892308,
                                    0,
                                    0,
                                    0.12533323356430424537,
                                    0,
                                    0,
                                    0,
                                    -0.7705132427757892308};
};

// P P points: P transforms of P, twiddles, P transforms of P.
template <class N, std::size_t P>
struct SquareButterfly {
  static constexpr std::size_t R = P * P;
  template <std::size_t b, std::size_t k>
  static constexpr double sine() {
    return P == 3 && b > k ? kSinTwoNinthsAbove<typename N::Part> : SquareCircle<P>::kSin[b * k];
  }
  PAWL_INLINE static void run(N (&x)[R], Direction<N> d) {
    N y[R];
    unroll<P>([&](auto b) PAWL_INLINE_LAMBDA {
      N z[P];
      unroll<P>([&](auto a) PAWL_INLINE_LAMBDA { z[a] = x[P * a + b]; });
      Butterfly<N, P>::run(z, d);
      unroll<P>([&](auto k) PAWL_INLINE_LAMBDA {
        constexpr std::size_t m = b * k;
        if constexpr (m == 0)
          y[k * P + b] = z[k];
        else
          y[k * P + b] = turned(z[k], SquareCircle<P>::kCos[m], sine<b, k>(), d);
      });
    });
    unroll<P>([&](auto k) PAWL_INLINE_LAMBDA {
      N z[P];
      unroll<P>([&](auto b) PAWL_INLINE_LAMBDA { z[b] = y[k * P + b]; });
      if constexpr (P == 3)
        butterfly_3(z, kSinThirdAbove, d);
      else
        Butterfly<N, P>::run(z, d);
      unroll<P>([&](auto j) PAWL_INLINE_LAMBDA { x[k + P * j] = z[j]; });
    });
  }
};
template <class N>
struct Butterfly<N, 9> : SquareButterfly<N, 3> {};
template <class N>
struct Butterfly<N, 18> : CoprimeButterfly<N, 2, 9> {};
template <class N>
struct Butterfly<N, 25> : SquareButterfly<N, 5> {};

}  // namespace pawl::PAWL_ISA_NS
