// real_butterfly.kernel.hpp -- R vectors of real numbers <-> results 0 to R / 2 of their transforms, lane by lane.
//
// Each lane by itself: no two share a complex transform, so that neither the size of one nor a NaN in it shows in
// another. What is real is never computed twice: odd primes by the sums that results k and R - k share, powers of two
// from the halves of even and odd elements, products P Q of an odd P from Q real transforms of P points, one real one
// of Q points and (P - 1) / 2 complex ones (Sorensen, Jones, Heideman, Burrus, "Real-valued fast Fourier transform
// algorithms", 1987). The inverse goes the same way back, without the factor 1 / R; the imaginary parts of results 0
// and R / 2 are not read.
#pragma once
#include "kernels/fft/butterfly.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// x times (c - i s). The smaller of both products is rounded by itself, the other one with the sum.
template <class N>
PAWL_INLINE N turned(N x, double c, double s, Direction<N> d) {
  return c * c <= s * s ? minus_i_times(times(x, c), x, s, d) : plus_times(times_minus_i(x, s, d), x, c);
}

/// A vector of real numbers as a complex one.
template <class T>
PAWL_INLINE Cx<T> real_cx(Reg<T> re) {
  return {re, broadcast<T>(T(0))};
}

template <class T, std::size_t R>
struct RealButterfly {  // odd primes
  static constexpr std::size_t H = (R - 1) / 2;
  // cos and sin of 2 pi j k / R.
  static constexpr double cosine(std::size_t j, std::size_t k) { return cosine_of(j * k % R, R); }
  static constexpr double sine(std::size_t j, std::size_t k) { return sine_of(j * k % R, R); }
  PAWL_INLINE static void forward(const Reg<T> (&x)[R], Cx<T> (&y)[H + 1]) {
    Reg<T> sum[H], difference[H], all = x[0];
    unroll<H>([&](auto j) PAWL_INLINE_LAMBDA {
      sum[j] = x[j + 1] + x[R - 1 - j];
      difference[j] = x[R - 1 - j] - x[j + 1];
    });
    unroll<H>([&](auto j) PAWL_INLINE_LAMBDA { all = all + sum[j]; });
    y[0] = real_cx<T>(all);
    unroll<H>([&](auto i) PAWL_INLINE_LAMBDA {
      constexpr std::size_t k = i + 1;
      Reg<T> even = x[0], odd;
      unroll<H>([&](auto j) PAWL_INLINE_LAMBDA {
        constexpr double c = cosine(j + 1, k), s = sine(j + 1, k);
        even = mul_add<T>(sum[j], broadcast<T>(static_cast<T>(c)), even);
        if constexpr (j == 0)
          odd = difference[0] * broadcast<T>(static_cast<T>(s));
        else
          odd = mul_add<T>(difference[j], broadcast<T>(static_cast<T>(s)), odd);
      });
      y[k] = {even, odd};
    });
  }
  PAWL_INLINE static void inverse(const Cx<T> (&y)[H + 1], Reg<T> (&x)[R]) {
    Reg<T> re[H], im[H], all = y[0].re;
    unroll<H>([&](auto k) PAWL_INLINE_LAMBDA {
      re[k] = y[k + 1].re + y[k + 1].re;
      im[k] = y[k + 1].im + y[k + 1].im;
    });
    unroll<H>([&](auto k) PAWL_INLINE_LAMBDA { all = all + re[k]; });
    unroll<H>([&](auto i) PAWL_INLINE_LAMBDA {
      constexpr std::size_t j = i + 1;
      Reg<T> even = y[0].re, odd;
      unroll<H>([&](auto k) PAWL_INLINE_LAMBDA {
        constexpr double c = cosine(j, k + 1), s = sine(j, k + 1);
        even = mul_add<T>(re[k], broadcast<T>(static_cast<T>(c)), even);
        if constexpr (k == 0)
          odd = im[0] * broadcast<T>(static_cast<T>(s));
        else
          odd = mul_add<T>(im[k], broadcast<T>(static_cast<T>(s)), odd);
      });
      if constexpr (R == 3) {  // the product goes into both at once
        const Reg<T> s = broadcast<T>(static_cast<T>(sine(1, 1)));
        x[1] = sub_mul<T>(even, im[0], s);
        x[2] = mul_add<T>(im[0], s, even);
      } else {
        x[j] = even - odd;
        x[R - j] = even + odd;
      }
    });
    x[0] = all;
  }
};

template <class T>
struct RealButterfly<T, 1> {
  PAWL_INLINE static void forward(const Reg<T> (&x)[1], Cx<T> (&y)[1]) { y[0] = real_cx<T>(x[0]); }
  PAWL_INLINE static void inverse(const Cx<T> (&y)[1], Reg<T> (&x)[1]) { x[0] = y[0].re; }
};

template <class T>
struct RealButterfly<T, 2> {
  PAWL_INLINE static void forward(const Reg<T> (&x)[2], Cx<T> (&y)[2]) {
    y[0] = real_cx<T>(x[0] + x[1]);
    y[1] = real_cx<T>(x[0] - x[1]);
  }
  PAWL_INLINE static void inverse(const Cx<T> (&y)[2], Reg<T> (&x)[2]) {
    x[0] = y[0].re + y[1].re;
    x[1] = y[0].re - y[1].re;
  }
};

// The sums of Butterfly<N, 5>, and back.
template <class T>
struct RealButterfly<T, 5> {
  static constexpr double kQuarterRoot = 0.55901699437494742410, s1 = sine_of(1, 5), s2 = sine_of(2, 5);
  PAWL_INLINE static Reg<T> by(double c) { return broadcast<T>(static_cast<T>(c)); }
  PAWL_INLINE static void forward(const Reg<T> (&x)[5], Cx<T> (&y)[3]) {
    const Reg<T> a = x[1] + x[4], b = x[2] + x[3], c = x[4] - x[1], e = x[3] - x[2];
    const Reg<T> sum = a + b, difference = a - b, middle = mul_add<T>(sum, by(-0.25), x[0]);
    y[0] = real_cx<T>(x[0] + sum);
    y[1] = {mul_add<T>(difference, by(kQuarterRoot), middle), mul_add<T>(e, by(s2), c * by(s1))};
    y[2] = {mul_add<T>(difference, by(-kQuarterRoot), middle), mul_add<T>(e, by(-s1), c * by(s2))};
  }
  PAWL_INLINE static void inverse(const Cx<T> (&y)[3], Reg<T> (&x)[5]) {
    const Reg<T> sum = y[1].re + y[2].re, difference = y[1].re - y[2].re, middle = mul_add<T>(sum, by(-0.5), y[0].re);
    const Reg<T> even1 = mul_add<T>(difference, by(2 * kQuarterRoot), middle),
                 even2 = mul_add<T>(difference, by(-2 * kQuarterRoot), middle);
    const Reg<T> odd1 = mul_add<T>(y[2].im, by(2 * s2), y[1].im * by(2 * s1)),
                 odd2 = mul_add<T>(y[2].im, by(-2 * s1), y[1].im * by(2 * s2));
    x[0] = mul_add<T>(sum, by(2), y[0].re);
    x[1] = even1 - odd1;
    x[4] = even1 + odd1;
    x[2] = even2 - odd2;
    x[3] = even2 + odd2;
  }
};

// From the transforms e and o of the even and the odd elements: y[k] = e[k] + w^k o[k], y[R / 2 - k] = conj(e[k] - w^k
// o[k]).
template <class T, std::size_t R>
struct RealEvenOdd {
  static constexpr std::size_t H = R / 2, Q = R / 4;
  // x times exp(-2 pi i k / R), or exp(2 pi i k / R) for back.
  template <std::size_t k, bool back>
  PAWL_INLINE static Cx<T> turned_by(Cx<T> x) {
    if constexpr (R == 8 || (R == 16 && k == 2)) {
      const Reg<T> root = broadcast<T>(static_cast<T>(kSqrtHalf));
      if constexpr (back)
        return {(x.re - x.im) * root, (x.re + x.im) * root};
      else
        return {(x.re + x.im) * root, (x.im - x.re) * root};
    } else {
      static_assert(R == 16 && (k == 1 || k == 3));
      constexpr double c = k == 1 ? kCos16 : kSin16, s = k == 1 ? kSin16 : kCos16;
      return turned(x, c, back ? -s : s, Direction<Cx<T>>{});
    }
  }
  PAWL_INLINE static void forward(const Reg<T> (&x)[R], Cx<T> (&y)[H + 1]) {
    Reg<T> even[H], odd[H];
    Cx<T> e[Q + 1], o[Q + 1];
    unroll<H>([&](auto j) PAWL_INLINE_LAMBDA {
      even[j] = x[2 * j];
      odd[j] = x[2 * j + 1];
    });
    RealButterfly<T, H>::forward(even, e);
    RealButterfly<T, H>::forward(odd, o);
    y[0] = real_cx<T>(e[0].re + o[0].re);
    y[H] = real_cx<T>(e[0].re - o[0].re);
    y[Q] = {e[Q].re, broadcast<T>(T(0)) - o[Q].re};
    unroll<Q>([&](auto k) PAWL_INLINE_LAMBDA {
      if constexpr (k > 0) {
        const Cx<T> t = turned_by<k, false>(o[k]);
        y[k] = e[k] + t;
        y[H - k] = {e[k].re - t.re, t.im - e[k].im};
      }
    });
  }
  PAWL_INLINE static void inverse(const Cx<T> (&y)[H + 1], Reg<T> (&x)[R]) {
    Reg<T> even[H], odd[H];
    Cx<T> e[Q + 1], o[Q + 1];
    e[0] = real_cx<T>(y[0].re + y[H].re);
    o[0] = real_cx<T>(y[0].re - y[H].re);
    e[Q] = real_cx<T>(y[Q].re + y[Q].re);
    o[Q] = real_cx<T>(y[Q].im * broadcast<T>(T(-2)));
    unroll<Q>([&](auto k) PAWL_INLINE_LAMBDA {
      if constexpr (k > 0) {
        const Cx<T> a = y[k], b = y[H - k];
        e[k] = {a.re + b.re, a.im - b.im};
        o[k] = turned_by<k, true>(Cx<T>{a.re - b.re, a.im + b.im});
      }
    });
    RealButterfly<T, H>::inverse(e, even);
    RealButterfly<T, H>::inverse(o, odd);
    unroll<H>([&](auto j) PAWL_INLINE_LAMBDA {
      x[2 * j] = even[j];
      x[2 * j + 1] = odd[j];
    });
  }
};
template <class T>
struct RealButterfly<T, 4> : RealEvenOdd<T, 4> {};
template <class T>
struct RealButterfly<T, 8> : RealEvenOdd<T, 8> {};
template <class T>
struct RealButterfly<T, 16> : RealEvenOdd<T, 16> {};

// P Q points, P odd: element(a, b) of `x` is element a of the b-th transform of P points; of their results k1, turned
// by `Steps`, the Q of one k1 give those at result(k1, k2). Of k1 the first half says all.
template <class T, std::size_t P, std::size_t Q, class Steps>
struct RealProduct {
  static constexpr std::size_t R = P * Q, H = R / 2;
  PAWL_INLINE static void forward(const Reg<T> (&x)[R], Cx<T> (&y)[H + 1]) {
    Cx<T> middle[P / 2 + 1][Q];
    unroll<Q>([&](auto b) PAWL_INLINE_LAMBDA {
      Reg<T> in[P];
      Cx<T> out[P / 2 + 1];
      unroll<P>([&](auto a) PAWL_INLINE_LAMBDA { in[a] = x[Steps::element(a, b)]; });
      RealButterfly<T, P>::forward(in, out);
      unroll<P / 2 + 1>(
          [&](auto k1) PAWL_INLINE_LAMBDA { middle[k1][b] = Steps::template turned_by<T, b * k1, false>(out[k1]); });
    });
    Reg<T> reals[Q];
    Cx<T> first[Q / 2 + 1];
    unroll<Q>([&](auto b) PAWL_INLINE_LAMBDA { reals[b] = middle[0][b].re; });
    RealButterfly<T, Q>::forward(reals, first);
    unroll<Q>([&](auto k2) PAWL_INLINE_LAMBDA {
      constexpr std::size_t k = Steps::result(0, k2);
      if constexpr (k2 <= Q / 2) {
        if constexpr (k <= H)
          y[k] = first[k2];
        else
          y[R - k] = conjugate<T>(first[k2]);
      }
    });
    unroll<P / 2>([&](auto i) PAWL_INLINE_LAMBDA {
      constexpr std::size_t k1 = i + 1;
      Cx<T> z[Q];
      unroll<Q>([&](auto b) PAWL_INLINE_LAMBDA { z[b] = middle[k1][b]; });
      Butterfly<Cx<T>, Q>::run(z, {});
      unroll<Q>([&](auto k2) PAWL_INLINE_LAMBDA {
        constexpr std::size_t k = Steps::result(k1, k2);
        if constexpr (k <= H)
          y[k] = z[k2];
        else
          y[R - k] = conjugate<T>(z[k2]);
      });
    });
  }
  PAWL_INLINE static void inverse(const Cx<T> (&y)[H + 1], Reg<T> (&x)[R]) {
    Cx<T> middle[P / 2 + 1][Q];
    Reg<T> reals[Q];
    Cx<T> first[Q / 2 + 1];
    unroll<Q / 2 + 1>([&](auto k2) PAWL_INLINE_LAMBDA {
      constexpr std::size_t k = Steps::result(0, k2);
      if constexpr (k <= H)
        first[k2] = y[k];
      else
        first[k2] = conjugate<T>(y[R - k]);
    });
    RealButterfly<T, Q>::inverse(first, reals);
    unroll<Q>([&](auto b) PAWL_INLINE_LAMBDA { middle[0][b] = real_cx<T>(reals[b]); });
    unroll<P / 2>([&](auto i) PAWL_INLINE_LAMBDA {
      constexpr std::size_t k1 = i + 1;
      Cx<T> z[Q];  // parts exchanged
      unroll<Q>([&](auto k2) PAWL_INLINE_LAMBDA {
        constexpr std::size_t k = Steps::result(k1, k2);
        if constexpr (k <= H)
          z[k2] = {y[k].im, y[k].re};
        else
          z[k2] = {broadcast<T>(T(0)) - y[R - k].im, y[R - k].re};
      });
      Butterfly<Cx<T>, Q>::run(z, {});
      unroll<Q>([&](auto b) PAWL_INLINE_LAMBDA {
        middle[k1][b] = Steps::template turned_by<T, b * k1, true>(Cx<T>{z[b].im, z[b].re});
      });
    });
    unroll<Q>([&](auto b) PAWL_INLINE_LAMBDA {
      Cx<T> in[P / 2 + 1];
      Reg<T> out[P];
      unroll<P / 2 + 1>([&](auto k1) PAWL_INLINE_LAMBDA { in[k1] = middle[k1][b]; });
      RealButterfly<T, P>::inverse(in, out);
      unroll<P>([&](auto a) PAWL_INLINE_LAMBDA { x[Steps::element(a, b)] = out[a]; });
    });
  }
};

// Without a common factor no turns, as in CoprimeButterfly.
template <std::size_t P, std::size_t Q>
struct CoprimeSteps {
  static constexpr std::size_t element(std::size_t a, std::size_t b) { return (Q * a + P * b) % (P * Q); }
  static constexpr std::size_t result(std::size_t k1, std::size_t k2) {
    std::size_t k = k1;
    while (k % Q != k2) k += P;
    return k;
  }
  template <class T, std::size_t, bool>
  PAWL_INLINE static Cx<T> turned_by(Cx<T> x) {
    return x;
  }
};
template <std::size_t P>
struct SquareSteps {
  static constexpr std::size_t element(std::size_t a, std::size_t b) { return P * a + b; }
  static constexpr std::size_t result(std::size_t k1, std::size_t k2) { return k1 + P * k2; }
  template <class T, std::size_t m, bool back>
  PAWL_INLINE static Cx<T> turned_by(Cx<T> x) {
    if constexpr (m == 0) {
      return x;
    } else {
      constexpr double c = cosine_of(m, P * P), s = sine_of(m, P * P);
      return turned(x, c, back ? -s : s, Direction<Cx<T>>{});
    }
  }
};
template <class T, std::size_t P, std::size_t Q>
using RealCoprime = RealProduct<T, P, Q, CoprimeSteps<P, Q>>;

template <class T>
struct RealButterfly<T, 6> : RealCoprime<T, 3, 2> {};
template <class T>
struct RealButterfly<T, 9> : RealProduct<T, 3, 3, SquareSteps<3>> {};
template <class T>
struct RealButterfly<T, 10> : RealCoprime<T, 5, 2> {};
template <class T>
struct RealButterfly<T, 12> : RealCoprime<T, 3, 4> {};
template <class T>
struct RealButterfly<T, 14> : RealCoprime<T, 7, 2> {};
template <class T>
struct RealButterfly<T, 15> : RealCoprime<T, 3, 5> {};

}  // namespace pawl::PAWL_ISA_NS
