// vec.hpp -- the vocabulary that kernels are written in: Vec<T>, lanes<T>, loads and stores of whole vectors and tails.
//
// Included only by *.isa.cpp files and what they include. Everything is in the namespace of the ISA being compiled, so
// that no two variants share a function (docs/dispatch.md). A kernel takes its width from lanes<T>, never a literal.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <xsimd/xsimd.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef PAWL_ISA_NS
#error "vec.hpp belongs into files compiled by pawl_add_isa_sources()"
#endif
#define PAWL_INLINE [[gnu::always_inline]] inline
#define PAWL_INLINE_LAMBDA __attribute__((always_inline))

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_scalar)
/// One value that behaves like a vector of one lane: the same kernels then are plain loops.
template <class T>
struct Vec {
  T value;
  static constexpr std::size_t size = 1;
  Vec() = default;
  PAWL_INLINE explicit Vec(T x) : value(x) {}
  PAWL_INLINE friend Vec operator+(Vec a, Vec b) { return Vec(a.value + b.value); }
  PAWL_INLINE friend Vec operator-(Vec a, Vec b) { return Vec(a.value - b.value); }
  PAWL_INLINE friend Vec operator*(Vec a, Vec b) { return Vec(a.value * b.value); }
  PAWL_INLINE friend Vec operator/(Vec a, Vec b) { return Vec(a.value / b.value); }
  PAWL_INLINE friend Vec operator-(Vec a) { return Vec(-a.value); }
};
#elif defined(PAWL_ISA_IS_sse2)
template <class T>
using Vec = xsimd::batch<T, xsimd::sse2>;
#elif defined(PAWL_ISA_IS_avx2)
template <class T>
using Vec = xsimd::batch<T, xsimd::avx2>;
#elif defined(PAWL_ISA_IS_avx512)
template <class T>
using Vec = xsimd::batch<T, xsimd::avx512bw>;
#elif defined(PAWL_ISA_IS_neon)
template <class T>
using Vec = xsimd::batch<T, xsimd::neon64>;
#else
#error "this ISA has no vector type here"
#endif

/// Elements of T in a vector.
template <class T>
inline constexpr std::size_t lanes = Vec<T>::size;

/// p[0 .. lanes), any alignment.
template <class T>
PAWL_INLINE Vec<T> load(const T* p) {
#if defined(PAWL_ISA_IS_scalar)
  return Vec<T>(*p);
#else
  return Vec<T>::load_unaligned(p);
#endif
}

/// Writes p[0 .. lanes), any alignment.
template <class T>
PAWL_INLINE void store(T* p, Vec<T> v) {
#if defined(PAWL_ISA_IS_scalar)
  *p = v.value;
#else
  v.store_unaligned(p);
#endif
}

/// Writes p[0 .. lanes) past the caches; p is a multiple of the vector's size. stream_end() before anyone reads it.
template <class T>
PAWL_INLINE void stream(T* p, Vec<T> v) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    _mm512_stream_ps(p, v);
  else
    _mm512_stream_pd(p, v);
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    _mm256_stream_ps(p, v);
  else
    _mm256_stream_pd(p, v);
#elif defined(PAWL_ISA_IS_sse2)
  if constexpr (sizeof(T) == 4)
    _mm_stream_ps(p, v);
  else
    _mm_stream_pd(p, v);
#else
  store<T>(p, v);
#endif
}
PAWL_INLINE void stream_end() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

#if defined(PAWL_ISA_IS_avx2)
// All bits set in the first `count` lanes.
template <class T>
PAWL_INLINE __m256i first_lanes(std::size_t count) {
  alignas(64) static constexpr std::int32_t kMask[16] = {-1, -1, -1, -1, -1, -1, -1, -1};  // then zeros
  const std::size_t lanes_32bit = count * sizeof(T) / 4;
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kMask + 8 - lanes_32bit));
}
#endif

/// The first `count` lanes hold p[0 .. count), the others 0. 0 <= count <= lanes; nothing beyond p[count - 1] is read.
template <class T>
PAWL_INLINE Vec<T> load_first(const T* p, std::size_t count) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1), p));
  else
    return Vec<T>(_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << count) - 1), p));
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm256_maskload_ps(p, first_lanes<T>(count)));
  else
    return Vec<T>(_mm256_maskload_pd(p, first_lanes<T>(count)));
#else
  alignas(64) T buffer[lanes<T>] = {};
  for (std::size_t i = 0; i < count; ++i) buffer[i] = p[i];
  return load<T>(buffer);
#endif
}

/// Writes the first `count` lanes to p[0 .. count) and nothing beyond.
template <class T>
PAWL_INLINE void store_first(T* p, Vec<T> v, std::size_t count) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << count) - 1), v);
  else
    _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1u << count) - 1), v);
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    _mm256_maskstore_ps(p, first_lanes<T>(count), v);
  else
    _mm256_maskstore_pd(p, first_lanes<T>(count), v);
#else
  alignas(64) T buffer[lanes<T>];
  store<T>(buffer, v);
  for (std::size_t i = 0; i < count; ++i) p[i] = buffer[i];
#endif
}

/// The first `count` lanes of v, the others 0.
template <class T>
PAWL_INLINE Vec<T> keep_first(Vec<T> v, std::size_t count) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm512_maskz_mov_ps(static_cast<__mmask16>((1u << count) - 1), v));
  else
    return Vec<T>(_mm512_maskz_mov_pd(static_cast<__mmask8>((1u << count) - 1), v));
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm256_and_ps(v, _mm256_castsi256_ps(first_lanes<T>(count))));
  else
    return Vec<T>(_mm256_and_pd(v, _mm256_castsi256_pd(first_lanes<T>(count))));
#else
  alignas(64) T buffer[lanes<T>];
  store<T>(buffer, v);
  for (std::size_t i = count; i < lanes<T>; ++i) buffer[i] = T(0);
  return load<T>(buffer);
#endif
}

/// a * b + c: rounded once where the ISA has FMA, twice in `scalar` and `sse2`.
template <class T>
PAWL_INLINE Vec<T> fma(Vec<T> a, Vec<T> b, Vec<T> c) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm512_fmadd_ps(a, b, c));
  else
    return Vec<T>(_mm512_fmadd_pd(a, b, c));
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm256_fmadd_ps(a, b, c));
  else
    return Vec<T>(_mm256_fmadd_pd(a, b, c));
#elif defined(PAWL_ISA_IS_neon)
  return xsimd::fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// Lane by lane a < b ? a : b, so `b` where either is NaN (x86 minps); likewise max.
template <class T>
PAWL_INLINE Vec<T> min(Vec<T> a, Vec<T> b) {
#if defined(PAWL_ISA_IS_scalar)
  return a.value < b.value ? a : b;
#elif defined(PAWL_ISA_IS_neon)
  return xsimd::select(a < b, a, b);
#else
  return xsimd::min(a, b);
#endif
}
template <class T>
PAWL_INLINE Vec<T> max(Vec<T> a, Vec<T> b) {
#if defined(PAWL_ISA_IS_scalar)
  return a.value > b.value ? a : b;
#elif defined(PAWL_ISA_IS_neon)
  return xsimd::select(a > b, a, b);
#else
  return xsimd::max(a, b);
#endif
}

/// Correctly rounded square root of each lane.
template <class T>
PAWL_INLINE Vec<T> square_root(Vec<T> v) {
#if defined(PAWL_ISA_IS_scalar)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(__builtin_sqrtf(v.value));
  else
    return Vec<T>(__builtin_sqrt(v.value));
#else
  return xsimd::sqrt(v);
#endif
}

/// Sum of all lanes, by halves.
template <class T>
PAWL_INLINE T reduce_add(Vec<T> v) {
#if defined(PAWL_ISA_IS_scalar)
  return v.value;
#elif defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return _mm512_reduce_add_ps(v);
  else
    return _mm512_reduce_add_pd(v);
#else
  return xsimd::hadd(v);
#endif
}

/// Largest of all lanes, none of them NaN.
template <class T>
PAWL_INLINE T reduce_max(Vec<T> v) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return _mm512_reduce_max_ps(v);
  else
    return _mm512_reduce_max_pd(v);
#else
  alignas(64) T buffer[lanes<T>];
  store<T>(buffer, v);
  T result = buffer[0];
  for (std::size_t i = 1; i < lanes<T>; ++i) result = buffer[i] > result ? buffer[i] : result;
  return result;
#endif
}

/// Folds all lanes by `op`, lane 0 first.
template <class T, class Op>
PAWL_INLINE T reduce(Vec<T> v, Op op) {
  alignas(64) T buffer[lanes<T>];
  store<T>(buffer, v);
  T result = buffer[0];
  for (std::size_t i = 1; i < lanes<T>; ++i) result = op(result, buffer[i]);
  return result;
}

template <class Body, std::size_t... I>
PAWL_INLINE void unroll_indices(std::index_sequence<I...>, Body body) {
  (body(std::integral_constant<std::size_t, I>{}), ...);
}

/// body(0), body(1), ..., body(N - 1) with constant indices. A loop over an array of vectors keeps the array in memory
/// unless the compiler happens to unroll it before it looks for scalars to replace; constant indices never depend on
/// that.
template <std::size_t N, class Body>
PAWL_INLINE void unroll(Body body) {
  unroll_indices(std::make_index_sequence<N>{}, body);
}

/// The cache line of *p will be read soon.
template <class T>
PAWL_INLINE void prefetch(const T* p) {
  __builtin_prefetch(p, 0, 3);
}

}  // namespace pawl::PAWL_ISA_NS
