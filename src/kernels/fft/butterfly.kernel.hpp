// butterfly.kernel.hpp -- R complex vectors -> their transforms of R points, lane by lane, results in natural order.
//
// N is what holds a vector of complex numbers: Cx, parts in registers of their own, or Pairs, parts side by side. The
// direction `d` is what N wants to know about the sign of i; with Cx all are forward transforms. Powers of two, 3, 5
// and what is made of one of them are in factored_butterfly.kernel.hpp; odd primes use the symmetry of the cosine and
// the sine: with s = x[j] + x[R - j] and d = x[j] - x[R - j], results k and R - k share their sums (Singleton, "An
// algorithm for computing the mixed radix fast Fourier transform", 1969).
#pragma once
#include "kernels/fft/complex.kernel.hpp"
#include "kernels/fft/factored_butterfly.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// The angles 1 .. (R - 1) / 2 of R in a circle, those with the smallest cosine and with the smallest sine first.
template <std::size_t R>
struct SmallestFirst {
  std::size_t by_cos[(R - 1) / 2]{}, by_sin[(R - 1) / 2]{};
  constexpr SmallestFirst() {
    for (std::size_t a = 0; a < (R - 1) / 2; ++a) {
      std::size_t cosines = 0, sines = 0;  // that are smaller
      for (std::size_t b = 0; b < (R - 1) / 2; ++b) {
        const double of_b = cosine_of(b + 1, R), of_a = cosine_of(a + 1, R);
        cosines += of_b * of_b < of_a * of_a;
        sines += sine_of(b + 1, R) < sine_of(a + 1, R);
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
// of the error of sums in the order of j. The smallest sine is a factor of the others' sum until that is added.
template <class N, std::size_t R>
struct Butterfly {
  PAWL_INLINE static void run(N (&x)[R], Direction<N> d) {
    constexpr std::size_t H = (R - 1) / 2;
    N both[H], apart[H];
    const N first = x[0];
    unroll<H>([&](auto j) PAWL_INLINE_LAMBDA {
      both[j] = x[j + 1] + x[R - 1 - j];
      apart[j] = x[j + 1] - x[R - 1 - j];
    });
    unroll<H>([&](auto j) PAWL_INLINE_LAMBDA { x[0] = x[0] + both[j]; });
    unroll<H>([&](auto row) PAWL_INLINE_LAMBDA {
      constexpr std::size_t k = row + 1;
      constexpr SmallestFirst<R> order;
      using Smallest = SineOfColumn<k, order.by_sin[0]>;
      N even = first, odd = apart[column_of<R>(k, order.by_sin[0]) - 1];
      unroll<H>([&](auto i) PAWL_INLINE_LAMBDA {
        constexpr SmallestFirst<R> same;
        constexpr std::size_t of_cos = same.by_cos[i], of_sin = same.by_sin[i];
        constexpr double cosine = cosine_of(of_cos, R);
        even = plus_times(even, both[column_of<R>(k, of_cos) - 1], cosine);
        if constexpr (i > 0)
          odd = sum<Over<SineOfColumn<k, of_sin>, Smallest>>(odd, apart[column_of<R>(k, of_sin) - 1], d);
      });
      x[k] = sum<Turned<Smallest>>(even, odd, d);
      x[R - k] = difference<Turned<Smallest>>(even, odd, d);
    });
  }

 private:
  // Of 2 pi j k / R, j being the column whose angle is `angle` or -angle.
  template <std::size_t k, std::size_t angle>
  struct SineOfColumn {
    static constexpr Factor value = {
        column_of<R>(k, angle) * k % R == angle ? long_sine_of(angle, R) : -long_sine_of(angle, R), 0};
  };
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

template <class N, std::size_t R>
struct PlainButterfly {
  PAWL_INLINE static void run(N (&x)[R], Direction<N> d) { FactoredButterfly<N, R, NoFactors>::run(x, d); }
};
template <class N>
struct Butterfly<N, 3> : PlainButterfly<N, 3> {};
template <class N>
struct Butterfly<N, 4> : PlainButterfly<N, 4> {};
template <class N>
struct Butterfly<N, 5> : PlainButterfly<N, 5> {};
template <class N>
struct Butterfly<N, 8> : PlainButterfly<N, 8> {};
template <class N>
struct Butterfly<N, 16> : PlainButterfly<N, 16> {};

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

template <class N>
struct Butterfly<N, 9> : PlainButterfly<N, 9> {};
template <class N>
struct Butterfly<N, 18> : CoprimeButterfly<N, 2, 9> {};
template <class N>
struct Butterfly<N, 25> : PlainButterfly<N, 25> {};

}  // namespace pawl::PAWL_ISA_NS
