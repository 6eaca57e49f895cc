// complex.kernel.hpp -- two vectors -> a vector of complex numbers, and its arithmetic.
//
// Real and imaginary parts are in registers of their own, so that a complex product is four instructions without any
// shuffle.
#pragma once
#include "kernels/fft/register.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

/// lanes<T> complex numbers.
template <class T>
struct Cx {
  using Part = T;
  Reg<T> re, im;
};

/// Elements of T that a complex vector takes in a block.
template <class T>
inline constexpr std::size_t cx_size = 2 * lanes<T>;

/// load_reg for what is used twice. g++ 12 otherwise makes each use a memory operand of its own, and a butterfly of 8
/// points loads 32 vectors of 64 bytes instead of 16, one a cycle on a Zen 4. With 16 registers it is right to do so.
template <class T>
PAWL_INLINE Reg<T> load_once(const T* p) {
  Reg<T> v = load_reg<T>(p);
#if defined(PAWL_ISA_IS_avx512)
  __asm__("" : "+v"(v));
#endif
  return v;
}

template <class T>
PAWL_INLINE Cx<T> load_cx(const T* p) {
  return {load_once<T>(p), load_once<T>(p + lanes<T>)};
}
template <class T>
PAWL_INLINE void store_cx(T* p, Cx<T> x) {
  store_reg<T>(p, x.re);
  store_reg<T>(p + lanes<T>, x.im);
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
  return {mul_sub<T>(a.re, b.re, a.im * b.im), mul_add<T>(a.re, b.im, a.im * b.re)};
}
template <class T>
PAWL_INLINE Cx<T> conjugate(Cx<T> x) {
  return {x.re, broadcast<T>(T(0)) - x.im};
}
template <class T>
PAWL_INLINE Cx<T> scaled_by(Cx<T> x, Reg<T> s) {
  return {x.re * s, x.im * s};
}

/// What the operations of a number type want to know about the direction of the transform; Cx nothing, since its
/// inverse transforms are forward ones of numbers whose parts have changed places (interleave.kernel.hpp).
template <class N>
struct Direction;
template <class T>
struct Direction<Cx<T>> {};

/// a - i b and a + i b; c x, -i c x, y + c x, y - c x, y - i c x and y + i c x for a real c.
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
  const Reg<T> factor = broadcast<T>(static_cast<T>(c));
  return {x.re * factor, x.im * factor};
}
template <class T>
PAWL_INLINE Cx<T> times_minus_i(Cx<T> x, double c, Direction<Cx<T>>) {
  return {x.im * broadcast<T>(static_cast<T>(c)), x.re * broadcast<T>(static_cast<T>(-c))};
}
template <class T>
PAWL_INLINE Cx<T> plus_times(Cx<T> y, Cx<T> x, double c) {
  const Reg<T> factor = broadcast<T>(static_cast<T>(c));
  return {mul_add<T>(x.re, factor, y.re), mul_add<T>(x.im, factor, y.im)};
}
template <class T>
PAWL_INLINE Cx<T> minus_times(Cx<T> y, Cx<T> x, double c) {
  const Reg<T> factor = broadcast<T>(static_cast<T>(c));
  return {sub_mul<T>(y.re, x.re, factor), sub_mul<T>(y.im, x.im, factor)};
}
template <class T>
PAWL_INLINE Cx<T> minus_i_times(Cx<T> y, Cx<T> x, double c, Direction<Cx<T>>) {
  const Reg<T> factor = broadcast<T>(static_cast<T>(c));
  return {mul_add<T>(x.im, factor, y.re), sub_mul<T>(y.im, x.re, factor)};
}
template <class T>
PAWL_INLINE Cx<T> plus_i_times(Cx<T> y, Cx<T> x, double c, Direction<Cx<T>>) {
  const Reg<T> factor = broadcast<T>(static_cast<T>(c));
  return {sub_mul<T>(y.re, x.im, factor), mul_add<T>(x.re, factor, y.im)};
}

}  // namespace pawl::PAWL_ISA_NS
