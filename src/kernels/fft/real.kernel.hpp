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
PAWL_INLINE Vec<T> reversed(Vec<T> v) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm512_permutexvar_ps(_mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), v));
  else
    return Vec<T>(_mm512_permutexvar_pd(_mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7), v));
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm256_permutevar8x32_ps(v, _mm256_set_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
  else
    return Vec<T>(_mm256_permute4x64_pd(v, 0x1B));
#elif defined(PAWL_ISA_IS_sse2)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm_shuffle_ps(v, v, 0x1B));
  else
    return Vec<T>(_mm_shuffle_pd(v, v, 1));
#elif defined(PAWL_ISA_IS_neon)
  if constexpr (sizeof(T) == 4) {
    const float32x4_t pairs = vrev64q_f32(v);
    return Vec<T>(vextq_f32(pairs, pairs, 2));
  } else {
    return Vec<T>(vextq_f64(v, v, 1));
  }
#else
  return v;
#endif
}
template <class T>
PAWL_INLINE Cx<T> reversed_cx(Cx<T> x) {
  return {reversed<T>(x.re), reversed<T>(x.im)};
}

// out[k] and out[h - k] from x = in[k] and y = in[h - k], for one lane or W of them; `forward` as above without the
// factor 1/2, else its inverse.
template <class V>
struct Both {
  V low_re, low_im, high_re, high_im;
};
template <bool forward, class V>
PAWL_INLINE Both<V> untangle(V x_re, V x_im, V y_re, V y_im, V w_re, V w_im) {
  const V e_re = x_re + y_re, e_im = x_im - y_im, d_re = x_re - y_re, d_im = x_im + y_im;
  if constexpr (forward) {  // O = -i w d
    const V o_re = w_re * d_im + w_im * d_re, o_im = w_im * d_im - w_re * d_re;
    return {e_re + o_re, e_im + o_im, e_re - o_re, o_im - e_im};
  } else {  // O = i conj(w) d
    const V o_re = w_im * d_re - w_re * d_im, o_im = w_re * d_re + w_im * d_im;
    return {e_re + o_re, e_im + o_im, e_re - o_re, o_im - e_im};
  }
}

template <class T, bool forward>
PAWL_INLINE void untangle_all(const T* in, const T* twiddles, T* out, std::size_t h, T scale) {
  constexpr std::size_t W = lanes<T>;
  const Vec<T> s(scale);
  if (h > W) {
    for (std::size_t step = 1; step <= h / 2; step += W) {
      // The last vectors step back to stay between 1 and h - 1: what they do twice they do from `in` twice.
      const std::size_t k = step + W <= h ? step : h - W, mirror = h - k - W + 1;
      const Cx<T> x = load_pairs<T>(in + 2 * k, false), y = reversed_cx<T>(load_pairs<T>(in + 2 * mirror, false));
      const Cx<T> w = load_pairs<T>(twiddles + 2 * k, false);
      const auto r = untangle<forward, Vec<T>>(x.re, x.im, y.re, y.im, w.re, w.im);
      store_pairs<T>(out + 2 * k, {r.low_re * s, r.low_im * s}, false);
      store_pairs<T>(out + 2 * mirror, reversed_cx<T>({r.high_re * s, r.high_im * s}), false);
    }
  } else if (W > 1 && h == W) {  // all k at once, each from both ends
    const Cx<T> x = load_pairs_first<T>(in + 2, h - 1, false), y = reversed_cx<T>(load_pairs<T>(in, false));
    const Cx<T> w = load_pairs_first<T>(twiddles + 2, h - 1, false);
    const auto r = untangle<forward, Vec<T>>(x.re, x.im, y.re, y.im, w.re, w.im);
    store_pairs_first<T>(out + 2, {r.low_re * s, r.low_im * s}, h - 1, false);
  } else {
    for (std::size_t k = 1; k <= h / 2; ++k) {
      const T *x = in + 2 * k, *y = in + 2 * (h - k), *w = twiddles + 2 * k;
      const auto r = untangle<forward, T>(x[0], x[1], y[0], y[1], w[0], w[1]);
      out[2 * k] = r.low_re * scale;
      out[2 * k + 1] = r.low_im * scale;
      out[2 * (h - k)] = r.high_re * scale;
      out[2 * (h - k) + 1] = r.high_im * scale;
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
