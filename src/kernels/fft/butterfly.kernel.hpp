// butterfly.kernel.hpp -- R complex vectors -> their transforms of R points, lane by lane, results in natural order.
//
// All are forward transforms. Powers of two are split in halves or 4 x 4; odd primes use the symmetry of the cosine and
// the sine: with s = x[j] + x[R - j] and d = x[j] - x[R - j], results k and R - k share their sums (Singleton, "An
// algorithm for computing the mixed radix fast Fourier transform", 1969).
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

// x times (c - i s).
template <class T>
PAWL_INLINE Cx<T> turned(Cx<T> x, double c, double s) {
  const Vec<T> vc(static_cast<T>(c)), vs(static_cast<T>(s));
  return {fma<T>(x.im, vs, x.re * vc), fnma<T>(x.re, vs, x.im * vc)};
}

template <class T, std::size_t R>
struct Butterfly {  // odd primes
  PAWL_INLINE static void run(Cx<T> (&x)[R]) {
    constexpr std::size_t H = (R - 1) / 2;
    Cx<T> sum[H], difference[H];
    const Cx<T> first = x[0];
    unroll<H>([&](auto j) PAWL_INLINE_LAMBDA {
      sum[j] = x[j + 1] + x[R - 1 - j];
      difference[j] = x[j + 1] - x[R - 1 - j];
    });
    unroll<H>([&](auto j) PAWL_INLINE_LAMBDA { x[0] = x[0] + sum[j]; });
    unroll<H>([&](auto row) PAWL_INLINE_LAMBDA {
      constexpr std::size_t k = row + 1;
      Cx<T> even = first, odd;
      unroll<H>([&](auto column) PAWL_INLINE_LAMBDA {
        constexpr std::size_t angle = k * (column + 1) % R, folded = angle > H ? R - angle : angle;
        const Vec<T> c(static_cast<T>(Circle<R>::kCos[folded - 1]));
        const Vec<T> s(static_cast<T>(angle > H ? -Circle<R>::kSin[folded - 1] : Circle<R>::kSin[folded - 1]));
        even = {fma<T>(sum[column].re, c, even.re), fma<T>(sum[column].im, c, even.im)};
        if constexpr (column == 0)
          odd = {difference[0].re * s, difference[0].im * s};
        else
          odd = {fma<T>(difference[column].re, s, odd.re), fma<T>(difference[column].im, s, odd.im)};
      });
      x[k] = minus_i<T>(even, odd);
      x[R - k] = plus_i<T>(even, odd);
    });
  }
};

template <class T>
struct Butterfly<T, 1> {
  PAWL_INLINE static void run(Cx<T> (&)[1]) {}
};

template <class T>
struct Butterfly<T, 2> {
  PAWL_INLINE static void run(Cx<T> (&x)[2]) {
    const Cx<T> a = x[0], b = x[1];
    x[0] = a + b;
    x[1] = a - b;
  }
};

template <class T>
PAWL_INLINE void butterfly_4(Cx<T>& x0, Cx<T>& x1, Cx<T>& x2, Cx<T>& x3) {
  const Cx<T> a = x0 + x2, b = x0 - x2, c = x1 + x3, d = x1 - x3;
  x0 = a + c;
  x1 = minus_i<T>(b, d);
  x2 = a - c;
  x3 = plus_i<T>(b, d);
}

template <class T>
struct Butterfly<T, 4> {
  PAWL_INLINE static void run(Cx<T> (&x)[4]) { butterfly_4<T>(x[0], x[1], x[2], x[3]); }
};

inline constexpr double kSqrtHalf = 0.70710678118654752440;
inline constexpr double kCos16 = 0.92387953251128675613, kSin16 = 0.38268343236508977173;  // of 2 pi / 16

// x times exp(-2 pi i / 8) and exp(-2 pi i 3 / 8).
template <class T>
PAWL_INLINE Cx<T> eighth(Cx<T> x) {
  const Vec<T> h(static_cast<T>(kSqrtHalf));
  return {(x.re + x.im) * h, (x.im - x.re) * h};
}
template <class T>
PAWL_INLINE Cx<T> three_eighths(Cx<T> x) {
  const Vec<T> h(static_cast<T>(kSqrtHalf));
  return {(x.im - x.re) * h, (x.re + x.im) * Vec<T>(static_cast<T>(-kSqrtHalf))};
}

template <class T>
struct Butterfly<T, 8> {
  PAWL_INLINE static void run(Cx<T> (&x)[8]) {
    Cx<T> a0 = x[0] + x[4], a1 = x[1] + x[5], a2 = x[2] + x[6], a3 = x[3] + x[7];
    Cx<T> b0 = x[0] - x[4], b1 = eighth<T>(x[1] - x[5]), t = x[2] - x[6], b3 = three_eighths<T>(x[3] - x[7]);
    Cx<T> b2{t.im, -t.re};
    butterfly_4<T>(a0, a1, a2, a3);
    butterfly_4<T>(b0, b1, b2, b3);
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

template <class T>
struct Butterfly<T, 16> {
  PAWL_INLINE static void run(Cx<T> (&x)[16]) {
    unroll<4>([&](auto n) PAWL_INLINE_LAMBDA { butterfly_4<T>(x[n], x[n + 4], x[n + 8], x[n + 12]); });
    // x[n + 4 k] is result k of the n-th transform; times exp(-2 pi i n k / 16).
    x[5] = turned<T>(x[5], kCos16, kSin16);
    x[9] = eighth<T>(x[9]);
    x[13] = turned<T>(x[13], kSin16, kCos16);
    x[6] = eighth<T>(x[6]);
    x[10] = {x[10].im, -x[10].re};
    x[14] = three_eighths<T>(x[14]);
    x[7] = turned<T>(x[7], kSin16, kCos16);
    x[11] = three_eighths<T>(x[11]);
    x[15] = turned<T>(x[15], -kCos16, -kSin16);
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { butterfly_4<T>(x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3]); });
    // Result k + 4 j is in x[4 k + j].
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
      unroll<4>([&](auto j) PAWL_INLINE_LAMBDA {
        if constexpr (k < j) {
          const Cx<T> t = x[4 * k + j];
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
template <class T, std::size_t P, std::size_t Q>
struct CoprimeButterfly {
  static constexpr std::size_t R = P * Q;
  static constexpr std::size_t result(std::size_t k1, std::size_t k2) {
    std::size_t k = k1;
    while (k % Q != k2) k += P;
    return k;
  }
  PAWL_INLINE static void run(Cx<T> (&x)[R]) {
    Cx<T> y[R];
    unroll<Q>([&](auto b) PAWL_INLINE_LAMBDA {
      Cx<T> z[P];
      unroll<P>([&](auto a) PAWL_INLINE_LAMBDA { z[a] = x[(Q * a + P * b) % R]; });
      Butterfly<T, P>::run(z);
      unroll<P>([&](auto k1) PAWL_INLINE_LAMBDA { y[k1 * Q + b] = z[k1]; });
    });
    unroll<P>([&](auto k1) PAWL_INLINE_LAMBDA {
      Cx<T> z[Q];
      unroll<Q>([&](auto b) PAWL_INLINE_LAMBDA { z[b] = y[k1 * Q + b]; });
      Butterfly<T, Q>::run(z);
      unroll<Q>([&](auto k2) PAWL_INLINE_LAMBDA {
        constexpr std::size_t k = result(k1, k2);
        x[k] = z[k2];
      });
    });
  }
};
template <class T>
struct Butterfly<T, 6> : CoprimeButterfly<T, 2, 3> {};
template <class T>
struct Butterfly<T, 10> : CoprimeButterfly<T, 2, 5> {};
template <class T>
struct Butterfly<T, 12> : CoprimeButterfly<T, 4, 3> {};
template <class T>
struct Butterfly<T, 15> : CoprimeButterfly<T, 3, 5> {};

}  // namespace pawl::PAWL_ISA_NS
