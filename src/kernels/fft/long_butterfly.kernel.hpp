// long_butterfly.kernel.hpp -- R complex vectors, R from 21 to 64 -> their transforms of R points.
//
// More than registers hold, so that half of the numbers wait on the stack; what that costs is less than one more pass
// through memory: with avx2 on a Zen 3 512 points as 16 x 32 took 0.72 of the time of passes over columns.
#pragma once
#include "kernels/fft/butterfly.kernel.hpp"
#include "kernels/fft/circle_points.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// x times exp(-2 pi i k / R).
template <class N, std::size_t k, std::size_t R>
PAWL_INLINE N turned_by(N x, Direction<N> d) {
  if constexpr (k == 0)
    return x;
  else if constexpr (8 * k == R)
    return eighth(x, d);
  else if constexpr (8 * k == 3 * R)
    return three_eighths(x, d);
  else if constexpr (4 * k == R)
    return times_minus_i(x, 1, d);
  else
    return turned(x, cosine_of(k, R), sine_of(k, R), d);
}

// P Q points: Q transforms of P points, twiddles, and P of Q.
template <class N, std::size_t P, std::size_t Q>
struct SplitButterfly {
  static constexpr std::size_t R = P * Q;
  PAWL_INLINE static void run(N (&x)[R], Direction<N> d) {
    N y[R];
    unroll<Q>([&](auto n) PAWL_INLINE_LAMBDA {
      N z[P];
      unroll<P>([&](auto p) PAWL_INLINE_LAMBDA { z[p] = x[p * Q + n]; });
      Butterfly<N, P>::run(z, d);
      unroll<P>([&](auto k) PAWL_INLINE_LAMBDA { y[k * Q + n] = turned_by<N, n * k, R>(z[k], d); });
    });
    unroll<P>([&](auto k) PAWL_INLINE_LAMBDA {
      N z[Q];
      unroll<Q>([&](auto n) PAWL_INLINE_LAMBDA { z[n] = y[k * Q + n]; });
      Butterfly<N, Q>::run(z, d);
      unroll<Q>([&](auto j) PAWL_INLINE_LAMBDA { x[k + P * j] = z[j]; });
    });
  }
};

template <class N>
struct Butterfly<N, 21> : CoprimeButterfly<N, 3, 7> {};
template <class N>
struct Butterfly<N, 22> : CoprimeButterfly<N, 2, 11> {};
template <class N>
struct Butterfly<N, 26> : CoprimeButterfly<N, 2, 13> {};
template <class N>
struct Butterfly<N, 27> : SplitButterfly<N, 3, 9> {};
template <class N>
struct Butterfly<N, 28> : CoprimeButterfly<N, 4, 7> {};
template <class N>
struct Butterfly<N, 30> : CoprimeButterfly<N, 6, 5> {};
template <class N>
struct Butterfly<N, 32> : SplitButterfly<N, 4, 8> {};
template <class N>
struct Butterfly<N, 35> : CoprimeButterfly<N, 5, 7> {};
template <class N>
struct Butterfly<N, 36> : CoprimeButterfly<N, 4, 9> {};
template <class N>
struct Butterfly<N, 40> : CoprimeButterfly<N, 8, 5> {};
template <class N>
struct Butterfly<N, 42> : CoprimeButterfly<N, 6, 7> {};
template <class N>
struct Butterfly<N, 45> : CoprimeButterfly<N, 9, 5> {};
template <class N>
struct Butterfly<N, 48> : CoprimeButterfly<N, 16, 3> {};
template <class N>
struct Butterfly<N, 50> : CoprimeButterfly<N, 2, 25> {};
template <class N>
struct Butterfly<N, 54> : CoprimeButterfly<N, 2, 27> {};
template <class N>
struct Butterfly<N, 56> : CoprimeButterfly<N, 8, 7> {};
template <class N>
struct Butterfly<N, 60> : CoprimeButterfly<N, 4, 15> {};
template <class N>
struct Butterfly<N, 64> : SplitButterfly<N, 4, 16> {};

}  // namespace pawl::PAWL_ISA_NS
