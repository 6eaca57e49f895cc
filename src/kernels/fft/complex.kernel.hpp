// complex.kernel.hpp -- two vectors -> a vector of complex numbers, and its arithmetic.
//
// Real and imaginary parts are in registers of their own, so that a complex product is four instructions without any
// shuffle.
#pragma once
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

/// a * b - c, rounded once where the ISA has FMA.
template <class T>
PAWL_INLINE Vec<T> fms(Vec<T> a, Vec<T> b, Vec<T> c) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm512_fmsub_ps(a, b, c));
  else
    return Vec<T>(_mm512_fmsub_pd(a, b, c));
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm256_fmsub_ps(a, b, c));
  else
    return Vec<T>(_mm256_fmsub_pd(a, b, c));
#elif defined(PAWL_ISA_IS_neon)
  return -xsimd::fnma(a, b, c);
#else
  return a * b - c;
#endif
}

/// c - a * b, rounded once where the ISA has FMA.
template <class T>
PAWL_INLINE Vec<T> fnma(Vec<T> a, Vec<T> b, Vec<T> c) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm512_fnmadd_ps(a, b, c));
  else
    return Vec<T>(_mm512_fnmadd_pd(a, b, c));
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm256_fnmadd_ps(a, b, c));
  else
    return Vec<T>(_mm256_fnmadd_pd(a, b, c));
#elif defined(PAWL_ISA_IS_neon)
  return xsimd::fnma(a, b, c);
#else
  return c - a * b;
#endif
}

/// lanes<T> complex numbers.
template <class T>
struct Cx {
  Vec<T> re, im;
};

/// Elements of T that a complex vector takes in a block.
template <class T>
inline constexpr std::size_t cx_size = 2 * lanes<T>;

template <class T>
PAWL_INLINE Cx<T> load_cx(const T* p) {
  return {load<T>(p), load<T>(p + lanes<T>)};
}
template <class T>
PAWL_INLINE void store_cx(T* p, Cx<T> x) {
  store<T>(p, x.re);
  store<T>(p + lanes<T>, x.im);
}

template <class T>
PAWL_INLINE Cx<T> operator+(Cx<T> a, Cx<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
PAWL_INLINE Cx<T> operator-(Cx<T> a, Cx<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
PAWL_INLINE Cx<T> operator*(Cx<T> a, Cx<T> b) {
  return {fms<T>(a.re, b.re, a.im * b.im), fma<T>(a.re, b.im, a.im * b.re)};
}

/// What the operations of a number type want to know about the direction of the transform; Cx nothing, since its
/// inverse transforms are forward ones of numbers whose parts have changed places (interleave.kernel.hpp).
template <class N>
struct Direction;
template <class T>
struct Direction<Cx<T>> {};

/// a - i b and a + i b; c x, y + c x and y - i c x for a real c.
template <class T>
PAWL_INLINE Cx<T> minus_i(Cx<T> a, Cx<T> b, Direction<Cx<T>>) {
  return {a.re + b.im, a.im - b.re};
}
template <class T>
PAWL_INLINE Cx<T> plus_i(Cx<T> a, Cx<T> b, Direction<Cx<T>>) {
  return {a.re - b.im, a.im + b.re};
}
template <class T>
PAWL_INLINE Cx<T> times(Cx<T> x, double c) {
  const Vec<T> factor(static_cast<T>(c));
  return {x.re * factor, x.im * factor};
}
template <class T>
PAWL_INLINE Cx<T> plus_times(Cx<T> y, Cx<T> x, double c) {
  const Vec<T> factor(static_cast<T>(c));
  return {fma<T>(x.re, factor, y.re), fma<T>(x.im, factor, y.im)};
}
template <class T>
PAWL_INLINE Cx<T> minus_i_times(Cx<T> y, Cx<T> x, double c, Direction<Cx<T>>) {
  const Vec<T> factor(static_cast<T>(c));
  return {fma<T>(x.im, factor, y.re), fnma<T>(x.re, factor, y.im)};
}

}  // namespace pawl::PAWL_ISA_NS
