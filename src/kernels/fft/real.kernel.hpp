// real.kernel.hpp -- the transform of n / 2 pairs <-> that of the n real numbers in them.
//
// With h = n / 2 and w = exp(-2 pi i / n), results k and h - k of the two transforms need only each other (Sorensen,
// Jones, Heideman, Burrus, "Real-valued fast Fourier transform algorithms", 1987):
//   X[k] = E + O, X[h - k] = conj(E - O), 2 E = Z[k] + conj(Z[h - k]), 2 O = -i w^k (Z[k] - conj(Z[h - k])).
// So vectors are taken from both ends at once, the upper ones in reverse.
#pragma once
#include "kernels/fft/interleave.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

/// Lanes in reverse.
template <class T>
PAWL_INLINE Reg<T> reversed(Reg<T> v) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return _mm512_permutexvar_ps(_mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), v);
  else
    return _mm512_permutexvar_pd(_mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7), v);
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return _mm256_permutevar8x32_ps(v, _mm256_set_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  else
    return _mm256_permute4x64_pd(v, 0x1B);
#elif defined(PAWL_ISA_IS_sse2)
  if constexpr (sizeof(T) == 4)
    return _mm_shuffle_ps(v, v, 0x1B);
  else
    return _mm_shuffle_pd(v, v, 1);
#elif defined(PAWL_ISA_IS_neon)
  if constexpr (sizeof(T) == 4) {
    const float32x4_t pairs = vrev64q_f32(v);
    return vextq_f32(pairs, pairs, 2);
  } else {
    return vextq_f64(v, v, 1);
  }
#else
  return v;
#endif
}
template <class T>
PAWL_INLINE Cx<T> reversed_cx(Cx<T> x) {
  return {reversed<T>(x.re), reversed<T>(x.im)};
}

// out[k] and out[h - k] from x = in[k], y = in[h - k] and w; `forward` as above without the factor 1/2, else its
// inverse.
template <class T>
struct Both {
  Cx<T> low, high;
};
template <class T, bool forward>
PAWL_INLINE Both<T> untangle(Cx<T> x, Cx<T> y, Cx<T> w) {
  const Reg<T> e_re = x.re + y.re, e_im = x.im - y.im, d_re = x.re - y.re, d_im = x.im + y.im;
  Cx<T> o;
  if constexpr (forward)  // O = -i w d
    o = {mul_add<T>(w.re, d_im, w.im * d_re), mul_sub<T>(w.im, d_im, w.re * d_re)};
  else  // O = i conj(w) d
    o = {mul_sub<T>(w.im, d_re, w.re * d_im), mul_add<T>(w.re, d_re, w.im * d_im)};
  return {{e_re + o.re, e_im + o.im}, {e_re - o.re, o.im - e_im}};
}

template <class T, bool forward>
PAWL_INLINE void untangle_all(const T* in, const T* twiddles, T* out, std::size_t h, T scale) {
  constexpr std::size_t W = lanes<T>;
  const Reg<T> s = broadcast<T>(scale);
  const auto scaled = [&](Cx<T> z) PAWL_INLINE_LAMBDA { return Cx<T>{z.re * s, z.im * s}; };
  if (h > W) {
    for (std::size_t step = 1; step <= h / 2; step += W) {
      // The last vectors step back to stay between 1 and h - 1: what they do twice they do from `in` twice.
      const std::size_t k = step + W <= h ? step : h - W, mirror = h - k - W + 1;
      const Both<T> r =
          untangle<T, forward>(load_pairs<T>(in + 2 * k, false), reversed_cx<T>(load_pairs<T>(in + 2 * mirror, false)),
                               load_pairs<T>(twiddles + 2 * k, false));
      store_pairs<T>(out + 2 * k, scaled(r.low), false);
      store_pairs<T>(out + 2 * mirror, reversed_cx<T>(scaled(r.high)), false);
    }
  } else if (W > 1 && h == W) {  // all k at once, each from both ends
    const Both<T> r =
        untangle<T, forward>(load_pairs_first<T>(in + 2, h - 1, false), reversed_cx<T>(load_pairs<T>(in, false)),
                             load_pairs_first<T>(twiddles + 2, h - 1, false));
    store_pairs_first<T>(out + 2, scaled(r.low), h - 1, false);
  } else {
    for (std::size_t k = 1; k <= h / 2; ++k) {
      const auto one = [](const T* p) PAWL_INLINE_LAMBDA { return Cx<T>{broadcast<T>(p[0]), broadcast<T>(p[1])}; };
      const Both<T> r = untangle<T, forward>(one(in + 2 * k), one(in + 2 * (h - k)), one(twiddles + 2 * k));
      store_pairs_first<T>(out + 2 * k, scaled(r.low), 1, false);
      store_pairs_first<T>(out + 2 * (h - k), scaled(r.high), 1, false);
    }
  }
}

template <class T>
static void split_real(const T* in, const T* twiddles, T* out, std::size_t h, T scale) noexcept {
  untangle_all<T, true>(in, twiddles, out, h, scale / 2);
  out[0] = (in[0] + in[1]) * scale;
  out[2 * h] = (in[0] - in[1]) * scale;
  out[1] = out[2 * h + 1] = T(0);
}

template <class T>
static void join_real(const T* in, const T* twiddles, T* out, std::size_t h, T scale) noexcept {
  untangle_all<T, false>(in, twiddles, out, h, scale);
  out[0] = (in[0] + in[2 * h]) * scale;
  out[1] = (in[0] - in[2 * h]) * scale;
}

}  // namespace pawl::PAWL_ISA_NS
