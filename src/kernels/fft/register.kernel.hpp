// register.kernel.hpp -- Reg<T>: the vector of Vec<T> as the type that the compiler has for it.
//
// Transforms are unrolled butterflies of hundreds of operations. As Vec<T> each of them is five functions deep, all of
// which the compiler inlines and cleans up first: g++ 12 took 17 s over the short transforms of one ISA, now 6 s.
#pragma once
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
struct RegisterOf;
#if defined(PAWL_ISA_IS_avx512)
template <>
struct RegisterOf<float> {
  using type = __m512;
};
template <>
struct RegisterOf<double> {
  using type = __m512d;
};
#elif defined(PAWL_ISA_IS_avx2)
template <>
struct RegisterOf<float> {
  using type = __m256;
};
template <>
struct RegisterOf<double> {
  using type = __m256d;
};
#elif defined(PAWL_ISA_IS_sse2)
template <>
struct RegisterOf<float> {
  using type = __m128;
};
template <>
struct RegisterOf<double> {
  using type = __m128d;
};
#elif defined(PAWL_ISA_IS_neon)
template <>
struct RegisterOf<float> {
  using type = float32x4_t;
};
template <>
struct RegisterOf<double> {
  using type = float64x2_t;
};
#else
template <class T>
struct RegisterOf {
  using type = T;
};
#endif

/// lanes<T> numbers. The operators + - * are the compiler's.
template <class T>
using Reg = typename RegisterOf<T>::type;

/// x in every lane.
template <class T>
PAWL_INLINE Reg<T> broadcast(T x) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return _mm512_set1_ps(x);
  else
    return _mm512_set1_pd(x);
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return _mm256_set1_ps(x);
  else
    return _mm256_set1_pd(x);
#elif defined(PAWL_ISA_IS_sse2)
  if constexpr (sizeof(T) == 4)
    return _mm_set1_ps(x);
  else
    return _mm_set1_pd(x);
#elif defined(PAWL_ISA_IS_neon)
  if constexpr (sizeof(T) == 4)
    return vdupq_n_f32(x);
  else
    return vdupq_n_f64(x);
#else
  return x;
#endif
}

/// p[0 .. lanes), any alignment.
template <class T>
PAWL_INLINE Reg<T> load_reg(const T* p) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return _mm512_loadu_ps(p);
  else
    return _mm512_loadu_pd(p);
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return _mm256_loadu_ps(p);
  else
    return _mm256_loadu_pd(p);
#elif defined(PAWL_ISA_IS_sse2)
  if constexpr (sizeof(T) == 4)
    return _mm_loadu_ps(p);
  else
    return _mm_loadu_pd(p);
#elif defined(PAWL_ISA_IS_neon)
  if constexpr (sizeof(T) == 4)
    return vld1q_f32(p);
  else
    return vld1q_f64(p);
#else
  return *p;
#endif
}
template <class T>
PAWL_INLINE void store_reg(T* p, Reg<T> v) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    _mm512_storeu_ps(p, v);
  else
    _mm512_storeu_pd(p, v);
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    _mm256_storeu_ps(p, v);
  else
    _mm256_storeu_pd(p, v);
#elif defined(PAWL_ISA_IS_sse2)
  if constexpr (sizeof(T) == 4)
    _mm_storeu_ps(p, v);
  else
    _mm_storeu_pd(p, v);
#elif defined(PAWL_ISA_IS_neon)
  if constexpr (sizeof(T) == 4)
    vst1q_f32(p, v);
  else
    vst1q_f64(p, v);
#else
  *p = v;
#endif
}

/// `stream` of vec.hpp.
template <class T>
PAWL_INLINE void stream_reg(T* p, Reg<T> v) {
  stream<T>(p, Vec<T>(v));
}

/// load_first and store_first of vec.hpp.
template <class T>
PAWL_INLINE Reg<T> load_reg_first(const T* p, std::size_t count) {
#if defined(PAWL_ISA_IS_scalar)
  return count > 0 ? *p : T(0);
#else
  return Reg<T>(load_first<T>(p, count));
#endif
}
template <class T>
PAWL_INLINE void store_reg_first(T* p, Reg<T> v, std::size_t count) {
  store_first<T>(p, Vec<T>(v), count);
}

/// a * b + c, a * b - c and c - a * b, rounded once where the ISA has FMA.
template <class T>
PAWL_INLINE Reg<T> mul_add(Reg<T> a, Reg<T> b, Reg<T> c) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return _mm512_fmadd_ps(a, b, c);
  else
    return _mm512_fmadd_pd(a, b, c);
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return _mm256_fmadd_ps(a, b, c);
  else
    return _mm256_fmadd_pd(a, b, c);
#elif defined(PAWL_ISA_IS_neon)
  if constexpr (sizeof(T) == 4)
    return vfmaq_f32(c, a, b);
  else
    return vfmaq_f64(c, a, b);
#else
  return a * b + c;
#endif
}
template <class T>
PAWL_INLINE Reg<T> mul_sub(Reg<T> a, Reg<T> b, Reg<T> c) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return _mm512_fmsub_ps(a, b, c);
  else
    return _mm512_fmsub_pd(a, b, c);
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return _mm256_fmsub_ps(a, b, c);
  else
    return _mm256_fmsub_pd(a, b, c);
#elif defined(PAWL_ISA_IS_neon)
  return mul_add<T>(a, b, -c);
#else
  return a * b - c;
#endif
}
template <class T>
PAWL_INLINE Reg<T> sub_mul(Reg<T> c, Reg<T> a, Reg<T> b) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return _mm512_fnmadd_ps(a, b, c);
  else
    return _mm512_fnmadd_pd(a, b, c);
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return _mm256_fnmadd_ps(a, b, c);
  else
    return _mm256_fnmadd_pd(a, b, c);
#elif defined(PAWL_ISA_IS_neon)
  if constexpr (sizeof(T) == 4)
    return vfmsq_f32(c, a, b);
  else
    return vfmsq_f64(c, a, b);
#else
  return c - a * b;
#endif
}

}  // namespace pawl::PAWL_ISA_NS
