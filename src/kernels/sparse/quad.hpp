// quad.hpp -- four elements as one value: the unit in which sparse rows are processed, whatever the ISA's width.
#pragma once
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx2) || defined(PAWL_ISA_IS_avx512)
template <class T>
struct QuadType {
  using type = __m128;
};
template <>
struct QuadType<double> {
  using type = __m256d;
};
template <class T>
using Quad = typename QuadType<T>::type;

template <class T>
PAWL_INLINE Quad<T> quad_zero() {
  if constexpr (sizeof(T) == 4)
    return _mm_setzero_ps();
  else
    return _mm256_setzero_pd();
}
PAWL_INLINE __m128 quad_set(float x) { return _mm_set1_ps(x); }
PAWL_INLINE __m256d quad_set(double x) { return _mm256_set1_pd(x); }
PAWL_INLINE __m128 quad_load(const float* p) { return _mm_loadu_ps(p); }
PAWL_INLINE __m256d quad_load(const double* p) { return _mm256_loadu_pd(p); }
template <class T>
PAWL_INLINE void quad_store(T* p, Quad<T> q) {
  if constexpr (sizeof(T) == 4)
    _mm_storeu_ps(p, q);
  else
    _mm256_storeu_pd(p, q);
}
template <class T>
PAWL_INLINE Quad<T> quad_fma(Quad<T> a, Quad<T> b, Quad<T> c) {
  if constexpr (sizeof(T) == 4)
    return _mm_fmadd_ps(a, b, c);
  else
    return _mm256_fmadd_pd(a, b, c);
}
template <class T>
PAWL_INLINE Quad<T> quad_mul(Quad<T> a, Quad<T> b) {
  if constexpr (sizeof(T) == 4)
    return _mm_mul_ps(a, b);
  else
    return _mm256_mul_pd(a, b);
}
template <class T>
PAWL_INLINE Quad<T> quad_add(Quad<T> a, Quad<T> b) {
  if constexpr (sizeof(T) == 4)
    return _mm_add_ps(a, b);
  else
    return _mm256_add_pd(a, b);
}
template <class T>
PAWL_INLINE T quad_sum(Quad<T> q) {
  if constexpr (sizeof(T) == 4) {
    const __m128 pairs = _mm_add_ps(q, _mm_movehl_ps(q, q));
    return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_movehdup_ps(pairs)));
  } else {
    const __m128d pairs = _mm_add_pd(_mm256_castpd256_pd128(q), _mm256_extractf128_pd(q, 1));
    return _mm_cvtsd_f64(_mm_add_sd(pairs, _mm_unpackhi_pd(pairs, pairs)));
  }
}
/// x[index[0]] .. x[index[3]].
template <class I>
PAWL_INLINE __m128 quad_gather(const float* x, const I* index) {
  const __m128 a = _mm_unpacklo_ps(_mm_load_ss(x + index[0]), _mm_load_ss(x + index[1]));
  const __m128 b = _mm_unpacklo_ps(_mm_load_ss(x + index[2]), _mm_load_ss(x + index[3]));
  return _mm_movelh_ps(a, b);
}
template <class I>
PAWL_INLINE __m256d quad_gather(const double* x, const I* index) {
  const __m128d a = _mm_loadh_pd(_mm_load_sd(x + index[0]), x + index[1]);
  const __m128d b = _mm_loadh_pd(_mm_load_sd(x + index[2]), x + index[3]);
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(a), b, 1);
}

#else

template <class T>
struct Quad {
  T a, b, c, d;
};
template <class T>
PAWL_INLINE Quad<T> quad_zero() {
  return {T(0), T(0), T(0), T(0)};
}
template <class T>
PAWL_INLINE Quad<T> quad_load(const T* p) {
  return {p[0], p[1], p[2], p[3]};
}
template <class T>
PAWL_INLINE Quad<T> quad_fma(Quad<T> x, Quad<T> y, Quad<T> z) {
  return {x.a * y.a + z.a, x.b * y.b + z.b, x.c * y.c + z.c, x.d * y.d + z.d};
}
template <class T>
PAWL_INLINE Quad<T> quad_add(Quad<T> x, Quad<T> y) {
  return {x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d};
}
template <class T>
PAWL_INLINE T quad_sum(Quad<T> q) {
  return (q.a + q.c) + (q.b + q.d);
}
template <class T, class I>
PAWL_INLINE Quad<T> quad_gather(const T* x, const I* index) {
  return {x[index[0]], x[index[1]], x[index[2]], x[index[3]]};
}
#endif

}  // namespace pawl::PAWL_ISA_NS
