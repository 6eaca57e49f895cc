// short.kernel.hpp -- a short transform without leaving the registers: R rows of W pairs, R near W.
//
// The same two halves as turn.kernel.hpp. If R is W / 2, the W-point transforms of the rows split once more, into their
// two halves of lanes and W / 2 points, so that the transposition stays that of square tiles: with b = h W / 2 + b',
// a sum and a difference over h, twiddles exp(-2 pi i b' k1 / W), and W / 2-point transforms over b' that leave lane
// (k1, k) where it belongs in the result.
#pragma once
#include "kernels/fft/turn.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
/// Upper and lower half of the lanes exchanged.
template <class T>
PAWL_INLINE Vec<T> halves_exchanged(Vec<T> v) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm512_shuffle_f32x4(v, v, 0x4E));
  else
    return Vec<T>(_mm512_shuffle_f64x2(v, v, 0x4E));
#else
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm256_permute2f128_ps(v, v, 0x01));
  else
    return Vec<T>(_mm256_permute2f128_pd(v, v, 0x01));
#endif
}

// The two W / 2 x W / 2 tiles of W / 2 vectors, each transposed by itself.
template <class T>
PAWL_INLINE void transpose_halves(Vec<T>* v) {
  constexpr std::size_t R = lanes<T> / 2, kBlock = 16 / sizeof(T);
  unroll<R / kBlock>([&](auto block) PAWL_INLINE_LAMBDA { transpose_in_128<T>(v + block * kBlock); });
#if defined(PAWL_ISA_IS_avx512)
  unroll<R>([&](auto i) PAWL_INLINE_LAMBDA {
    if constexpr (i / kBlock % 2 == 0) exchange_128<T>(v[i], v[i + kBlock]);
  });
#endif
}

template <class T>
PAWL_INLINE void rows_of_half(Cx<T> (&x)[lanes<T> / 2], const T* twiddles) {
  constexpr std::size_t R = lanes<T> / 2;
  // (1, ..., -1, ...) and the twiddles of the differences are in two vectors behind those of the rows.
  const Vec<T> sign = load<T>(twiddles);
  const Cx<T> w = load_cx<T>(twiddles + cx_size<T>);
  Vec<T> part[R];
  unroll<R>([&](auto r) PAWL_INLINE_LAMBDA {
    const Cx<T> y{fma<T>(x[r].re, sign, halves_exchanged<T>(x[r].re)),
                  fma<T>(x[r].im, sign, halves_exchanged<T>(x[r].im))};
    x[r] = y * w;
  });
  unroll<R>([&](auto r) PAWL_INLINE_LAMBDA { part[r] = x[r].re; });
  transpose_halves<T>(part);
  unroll<R>([&](auto r) PAWL_INLINE_LAMBDA { x[r].re = part[r]; });
  unroll<R>([&](auto r) PAWL_INLINE_LAMBDA { part[r] = x[r].im; });
  transpose_halves<T>(part);
  unroll<R>([&](auto r) PAWL_INLINE_LAMBDA { x[r].im = part[r]; });
  Butterfly<T, R>::run(x);
}
#endif

template <class T, std::size_t R, bool swapped>
PAWL_INLINE void short_line_of(const T* in, T* out, const T* twiddles, T scale) {
  constexpr std::size_t W = lanes<T>, kVector = cx_size<T>;
  const Vec<T> s(scale);
  Cx<T> x[R];
  unroll<R>([&](auto r) PAWL_INLINE_LAMBDA { x[r] = load_pairs<T>(in + r * kVector, swapped); });
  Butterfly<T, R>::run(x);
  unroll<R - 1>([&](auto r) PAWL_INLINE_LAMBDA { x[r + 1] = x[r + 1] * load_cx<T>(twiddles + (r + 1) * kVector); });
  if constexpr (R >= W) {
    unroll<R / W>([&](auto tile) PAWL_INLINE_LAMBDA {
      Cx<T> y[W];
      unroll<W>([&](auto i) PAWL_INLINE_LAMBDA { y[i] = x[tile * W + i]; });
      transpose_cx<T>(y);
      Butterfly<T, W>::run(y);
      unroll<W>([&](auto j) PAWL_INLINE_LAMBDA {
        store_pairs<T>(out + 2 * (R * j + tile * W), Cx<T>{y[j].re * s, y[j].im * s}, swapped);
      });
    });
  } else {
#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
    rows_of_half<T>(x, twiddles + R * kVector);
    unroll<R>([&](auto j) PAWL_INLINE_LAMBDA {
      store_pairs<T>(out + j * kVector, Cx<T>{x[j].re * s, x[j].im * s}, swapped);
    });
#endif
  }
}

template <class T, std::size_t R>
static void short_line(const T* in, T* out, const T* twiddles, bool swapped, T scale) noexcept {
  if (swapped)
    short_line_of<T, R, true>(in, out, twiddles, scale);
  else
    short_line_of<T, R, false>(in, out, twiddles, scale);
}

}  // namespace pawl::PAWL_ISA_NS
