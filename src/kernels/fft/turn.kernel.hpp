// turn.kernel.hpp -- transformed columns -> rows: the twiddles between the two halves of a transform, and the
// transposition.
//
// A transform of A B points is A-point transforms of B columns, twiddles, B-point transforms of A rows (Gentleman and
// Sande, "Fast Fourier transforms -- for fun and profit", 1966). finish() is the case B = W: the rows' transforms then
// are one butterfly on what the transposition leaves in registers.
#pragma once
#include "kernels/fft/butterfly.kernel.hpp"
#include "kernels/fft/interleave.kernel.hpp"
#include "kernels/fft/pairs.kernel.hpp"
#include "kernels/fft/transpose.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// The transpose of x, real and imaginary parts apart.
template <class T>
PAWL_INLINE void transpose_cx(Cx<T> (&x)[lanes<T>]) {
  constexpr std::size_t W = lanes<T>;
  Reg<T> part[W];
  unroll<W>([&](auto i) PAWL_INLINE_LAMBDA { part[i] = x[i].re; });
  transpose<T>(part);
  unroll<W>([&](auto i) PAWL_INLINE_LAMBDA { x[i].re = part[i]; });
  unroll<W>([&](auto i) PAWL_INLINE_LAMBDA { part[i] = x[i].im; });
  transpose<T>(part);
  unroll<W>([&](auto i) PAWL_INLINE_LAMBDA { x[i].im = part[i]; });
}

// load(k): row k, with its twiddles.
template <class T, class Load>
PAWL_INLINE void turn_with(Load load, std::size_t rows, T* out, std::size_t out_row, bool past_caches) {
  constexpr std::size_t W = lanes<T>;
  for (std::size_t k = 0; k < rows; k += W) {
    Cx<T> x[W];
    unroll<W>([&](auto r) PAWL_INLINE_LAMBDA { x[r] = load(k + r); });
    transpose_cx<T>(x);
    if (past_caches)
      unroll<W>([&](auto r) PAWL_INLINE_LAMBDA {
        stream_reg<T>(out + r * out_row + 2 * k, x[r].re);
        stream_reg<T>(out + r * out_row + 2 * k + W, x[r].im);
      });
    else
      unroll<W>([&](auto r) PAWL_INLINE_LAMBDA { store_cx<T>(out + r * out_row + 2 * k, x[r]); });
  }
  if (past_caches) stream_end();
}

template <class T>
static void turn(const T* in, std::size_t in_row, std::size_t rows, T* out, std::size_t out_row, const T* twiddles,
                 const T* step, bool past_caches) noexcept {
  constexpr std::size_t kVector = cx_size<T>;
  const auto product = [&](std::size_t k) PAWL_INLINE_LAMBDA {
    return load_cx<T>(in + k * in_row) * load_cx<T>(twiddles + k * kVector);
  };
  if (step)
    turn_with<T>(
        [&](std::size_t k) PAWL_INLINE_LAMBDA {
          return product(k) * Cx<T>{broadcast<T>(step[2 * k]), broadcast<T>(step[2 * k + 1])};
        },
        rows, out, out_row, past_caches);
  else
    turn_with<T>(product, rows, out, out_row, past_caches);
}

#if !defined(PAWL_ISA_IS_scalar)
/// Numbers of a and b in turns, from the first and from the second half of each 128 bits.
template <class T>
PAWL_INLINE Pairs<T> zipped(Reg<T> a, Reg<T> b) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return {_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b)};
  else
    return {_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b)};
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return {_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b)};
  else
    return {_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)};
#else
  return interleave<T>(Cx<T>{a, b});
#endif
}

// The parts of a number go side by side before the transposition: numbers of twice the size take a stage of shuffles
// less, and the butterfly W registers, not 2 W. On a Zen 4 this took 0.75 of the time of a transposition of each part.
// store(j, k, x, count) gets numbers k to k + count - 1 of the transforms' results j.
template <class T, class Store>
PAWL_INLINE void finish_with(const T* in, std::size_t rows, const T* twiddles, bool swapped, Store store) {
  constexpr std::size_t W = lanes<T>, P = pair_lanes<T>, kVector = cx_size<T>;
  constexpr std::size_t kBlock = 16 / sizeof(T), kHalf = kBlock / 2;  // numbers in 128 bits
  const Direction<Px<T>> d = direction<T>(swapped);
  for (std::size_t k = 0; k < rows; k += P, in += P * kVector, twiddles += P * kVector) {
    Px<T> low[P], high[P], x[W];
    unroll<P>([&](auto r) PAWL_INLINE_LAMBDA {
      const Cx<T> z = exchanged<T>(load_cx<T>(in + r * kVector) * load_cx<T>(twiddles + r * kVector), swapped);
      const Pairs<T> pairs = zipped<T>(z.re, z.im);
      low[r].v = pairs.low;
      high[r].v = pairs.high;
    });
    transpose_px<T>(low);
    transpose_px<T>(high);
    unroll<P>([&](auto p) PAWL_INLINE_LAMBDA {
      constexpr std::size_t lane = p / kHalf * kBlock + p % kHalf;
      x[lane] = low[p];
      x[lane + kHalf] = high[p];
    });
    Butterfly<Px<T>, W>::run(x, d);
    if (k + P <= rows)
      unroll<W>([&](auto j) PAWL_INLINE_LAMBDA { store(std::size_t{j}, k, x[j], P); });
    else
      unroll<W>([&](auto j) PAWL_INLINE_LAMBDA { store(std::size_t{j}, k, x[j], rows - k); });
  }
}

template <class T>
static void finish(const T* in, std::size_t rows, T* user, const T* twiddles, bool swapped, T scale) noexcept {
  const Reg<T> s = broadcast<T>(scale);
  finish_with<T>(in, rows, twiddles, swapped,
                 [&](std::size_t j, std::size_t k, Px<T> x, std::size_t count)
                     PAWL_INLINE_LAMBDA { store_px<T>(user + 2 * (rows * j + k), Px<T>{x.v * s}, count); });
}

template <class T>
static void finish_products(const T* in, std::size_t rows, T* user, const T* twiddles, const T* factors,
                            std::size_t live, bool swapped, T scale) noexcept {
  const Reg<T> s = broadcast<T>(scale), signs = direction<T>(true).sign;
  finish_with<T>(in, rows, twiddles, true,
                 [&](std::size_t j, std::size_t k, Px<T> x, std::size_t count) PAWL_INLINE_LAMBDA {
                   const std::size_t place = rows * j + k;
                   if (place >= live) return;
                   const std::size_t here = live - place < count ? live - place : count;
                   const Px<T> product = times<T>(x, load_px<T>(factors + 2 * place, here), s, signs);
                   store_px<T>(user + 2 * place, swapped ? parts_exchanged(product) : product, here);
                 });
}
#endif

}  // namespace pawl::PAWL_ISA_NS
