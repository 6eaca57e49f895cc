// real.kernel.hpp -- the transform of n / 2 pairs <-> that of the n real numbers in them.
//
// With h = n / 2 and w = exp(-2 pi i / n), results k and h - k of the two transforms need only each other (Sorensen,
// Jones, Heideman, Burrus, "Real-valued fast Fourier transform algorithms", 1987):
//   X[k] = E + O, X[h - k] = conj(E - O), 2 E = Z[k] + conj(Z[h - k]), 2 O = -i w^k (Z[k] - conj(Z[h - k])).
// So vectors are taken from both ends at once, the upper ones in reverse: of one line in real_in_place.kernel.hpp, of
// rows of arrays in real_rows.kernel.hpp.
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

}  // namespace pawl::PAWL_ISA_NS
