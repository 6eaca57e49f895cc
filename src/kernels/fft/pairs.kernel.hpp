// pairs.kernel.hpp -- a vector of pairs (re, im) as they are in memory -> a vector of complex numbers, and its
// arithmetic.
//
// Half as many numbers as in a Cx, but nothing has to be taken apart when they are loaded and stored: a product with i
// exchanges neighbours, one shuffle. Short transforms are faster this way, long ones that stay in blocks are not.
#pragma once
#include "kernels/fft/complex.kernel.hpp"
#include "kernels/fft/transpose.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if !defined(PAWL_ISA_IS_scalar)
template <class T>
struct Px {
  using Part = T;
  Reg<T> v;
};

/// Complex numbers in a Px.
template <class T>
inline constexpr std::size_t pair_lanes = lanes<T> / 2;

/// (1, -1, 1, -1, ...) for a forward transform, the opposite for an inverse one: what -i b is, once the parts of b have
/// changed places.
template <class T>
struct Direction<Px<T>> {
  Reg<T> sign;
};
template <class T>
PAWL_INLINE Direction<Px<T>> direction(bool inverse) {
  alignas(64) static constexpr T kSigns[17] = {1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1};
  return {load_reg<T>(kSigns + (inverse ? 1 : 0))};
}

template <class T>
PAWL_INLINE Px<T> parts_exchanged(Px<T> x) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return {_mm512_permute_ps(x.v, 0xB1)};
  else
    return {_mm512_permute_pd(x.v, 0x55)};
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return {_mm256_permute_ps(x.v, 0xB1)};
  else
    return {_mm256_permute_pd(x.v, 0x5)};
#elif defined(PAWL_ISA_IS_sse2)
  if constexpr (sizeof(T) == 4)
    return {_mm_shuffle_ps(x.v, x.v, 0xB1)};
  else
    return {_mm_shuffle_pd(x.v, x.v, 1)};
#else
  if constexpr (sizeof(T) == 4)
    return {vrev64q_f32(x.v)};
  else
    return {vextq_f64(x.v, x.v, 1)};
#endif
}

template <class T>
PAWL_INLINE Px<T> operator+(Px<T> a, Px<T> b) {
  return {a.v + b.v};
}
template <class T>
PAWL_INLINE Px<T> operator-(Px<T> a, Px<T> b) {
  return {a.v - b.v};
}
template <class T>
PAWL_INLINE Px<T> minus_i(Px<T> a, Px<T> b, Direction<Px<T>> d) {
  return {mul_add<T>(parts_exchanged(b).v, d.sign, a.v)};
}
template <class T>
PAWL_INLINE Px<T> plus_i(Px<T> a, Px<T> b, Direction<Px<T>> d) {
  return {sub_mul<T>(a.v, parts_exchanged(b).v, d.sign)};
}
template <class T>
PAWL_INLINE Px<T> times(Px<T> x, double c) {
  return {x.v * broadcast<T>(static_cast<T>(c))};
}
template <class T>
PAWL_INLINE Px<T> times_minus_i(Px<T> x, double c, Direction<Px<T>> d) {
  return {parts_exchanged(x).v * (d.sign * broadcast<T>(static_cast<T>(c)))};
}
template <class T>
PAWL_INLINE Px<T> plus_times(Px<T> y, Px<T> x, double c) {
  return {mul_add<T>(x.v, broadcast<T>(static_cast<T>(c)), y.v)};
}
template <class T>
PAWL_INLINE Px<T> minus_times(Px<T> y, Px<T> x, double c) {
  return {sub_mul<T>(y.v, x.v, broadcast<T>(static_cast<T>(c)))};
}
template <class T>
PAWL_INLINE Px<T> minus_i_times(Px<T> y, Px<T> x, double c, Direction<Px<T>> d) {
  return {mul_add<T>(parts_exchanged(x).v, d.sign * broadcast<T>(static_cast<T>(c)), y.v)};
}
template <class T>
PAWL_INLINE Px<T> plus_i_times(Px<T> y, Px<T> x, double c, Direction<Px<T>> d) {
  return {sub_mul<T>(y.v, parts_exchanged(x).v, d.sign * broadcast<T>(static_cast<T>(c)))};
}

/// Each part in both places.
template <class T>
struct Parts {
  Reg<T> re, im;
};
template <class T>
PAWL_INLINE Parts<T> parts_twice(Reg<T> w) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return {_mm512_moveldup_ps(w), _mm512_movehdup_ps(w)};
  else
    return {_mm512_movedup_pd(w), _mm512_permute_pd(w, 0xFF)};
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return {_mm256_moveldup_ps(w), _mm256_movehdup_ps(w)};
  else
    return {_mm256_movedup_pd(w), _mm256_permute_pd(w, 0xF)};
#elif defined(PAWL_ISA_IS_sse2)
  if constexpr (sizeof(T) == 4)
    return {_mm_shuffle_ps(w, w, 0xA0), _mm_shuffle_ps(w, w, 0xF5)};
  else
    return {_mm_unpacklo_pd(w, w), _mm_unpackhi_pd(w, w)};
#else
  if constexpr (sizeof(T) == 4)
    return {vtrn1q_f32(w, w), vtrn2q_f32(w, w)};
  else
    return {vdupq_laneq_f64(w, 0), vdupq_laneq_f64(w, 1)};
#endif
}

/// x w s, signs being (-1, 1, -1, 1, ...).
template <class T>
PAWL_INLINE Px<T> times(Px<T> x, Px<T> w, Reg<T> s, Reg<T> signs) {
  const Parts<T> parts = parts_twice<T>(w.v);
  return {mul_add<T>(parts_exchanged(x).v * s, parts.im * signs, x.v * s * parts.re)};
}

/// x w, w being two vectors at p: (re, re) of each number, and (-im, im).
template <class T>
PAWL_INLINE Px<T> times_table(Px<T> x, const T* p) {
  return {mul_add<T>(parts_exchanged(x).v, load_reg<T>(p + lanes<T>), x.v * load_reg<T>(p))};
}

/// x w, or x conj(w), of w itself at p, half as much to read: with avx most of its shuffles are part of the loads.
template <class T, bool conjugate = false>
PAWL_INLINE Px<T> times_pairs(Px<T> x, const T* p) {
  const Parts<T> w = parts_twice<T>(load_reg<T>(p));
  const Reg<T> product = parts_exchanged(x).v * w.im;
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return {conjugate ? _mm512_fmsubadd_ps(x.v, w.re, product) : _mm512_fmaddsub_ps(x.v, w.re, product)};
  else
    return {conjugate ? _mm512_fmsubadd_pd(x.v, w.re, product) : _mm512_fmaddsub_pd(x.v, w.re, product)};
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return {conjugate ? _mm256_fmsubadd_ps(x.v, w.re, product) : _mm256_fmaddsub_ps(x.v, w.re, product)};
  else
    return {conjugate ? _mm256_fmsubadd_pd(x.v, w.re, product) : _mm256_fmaddsub_pd(x.v, w.re, product)};
#else
  return {mul_add<T>(product, direction<T>(!conjugate).sign, x.v * w.re)};
#endif
}

#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
// `bytes` < 32 of a vector in pieces of 16 and 8.
PAWL_INLINE __m256d load_pieces(const double* p, std::size_t bytes) {
  const auto half = [](const double* q) PAWL_INLINE_LAMBDA {
    return _mm_castsi128_pd(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(q)));
  };
  if (bytes < 16) return _mm256_zextpd128_pd256(half(p));
  const __m256d low = _mm256_zextpd128_pd256(_mm_loadu_pd(p));
  return bytes > 16 ? _mm256_insertf128_pd(low, half(p + 2), 1) : low;
}
PAWL_INLINE void store_pieces(double* p, __m256d v, std::size_t bytes) {
  __m128d left = _mm256_castpd256_pd128(v);
  if (bytes & 16) {
    _mm_storeu_pd(p, left);
    p += 2;
    left = _mm256_extractf128_pd(v, 1);
  }
  // Not _mm_storel_pd(), which wants an aligned double: here there may be two floats anywhere.
  if (bytes & 8) _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_castpd_si128(left));
}
#endif

/// The first `count` numbers at p, the others 0; 1 <= count <= pair_lanes.
///
/// By powers of two where vectors are long: what was stored with a mask cannot be loaded before it is in the cache, and
/// with avx2 such a store is some 20 micro-operations on AMD's CPUs. Three pieces take longer than a mask of avx512.
template <class T>
PAWL_INLINE Px<T> load_px(const T* p, std::size_t count) {
  if (count == pair_lanes<T>) return {load_once<T>(p)};
#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
  const double* const q = reinterpret_cast<const double*>(p);
  const std::size_t bytes = count * 2 * sizeof(T);
#if defined(PAWL_ISA_IS_avx512)
  if (bytes == 56) return {load_reg_first<T>(p, 2 * count)};
  if (bytes < 32) return {(Reg<T>)_mm512_zextpd256_pd512(load_pieces(q, bytes))};
  const __m512d low = _mm512_zextpd256_pd512(_mm256_loadu_pd(q));
  return {(Reg<T>)(bytes == 32 ? low : _mm512_insertf64x4(low, load_pieces(q + 4, bytes - 32), 1))};
#else
  return {(Reg<T>)load_pieces(q, bytes)};
#endif
#else
  return {load_reg_first<T>(p, 2 * count)};
#endif
}
template <class T>
PAWL_INLINE void store_px(T* p, Px<T> x, std::size_t count) {
  if (count == pair_lanes<T>) {
    store_reg<T>(p, x.v);
    return;
  }
#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
  double* q = reinterpret_cast<double*>(p);
  const std::size_t bytes = count * 2 * sizeof(T);
#if defined(PAWL_ISA_IS_avx512)
  if (bytes == 56) return store_reg_first<T>(p, x.v, 2 * count);
  __m256d left = _mm512_castpd512_pd256((__m512d)x.v);
  if (bytes & 32) {
    _mm256_storeu_pd(q, left);
    q += 4;
    left = _mm512_extractf64x4_pd((__m512d)x.v, 1);
  }
  store_pieces(q, left, bytes);
#else
  store_pieces(q, (__m256d)x.v, bytes);
#endif
#else
  store_reg_first<T>(p, x.v, 2 * count);
#endif
}

/// Half a vector from each of two places.
#if defined(PAWL_ISA_IS_avx512)
template <class T>
PAWL_INLINE Px<T> load_halves(const T* low, const T* high) {
  const auto half = [](const T* p) PAWL_INLINE_LAMBDA { return _mm256_loadu_pd(reinterpret_cast<const double*>(p)); };
  return {(Reg<T>)_mm512_insertf64x4(_mm512_castpd256_pd512(half(low)), half(high), 1)};
}
#elif defined(PAWL_ISA_IS_avx2)
template <class T>
PAWL_INLINE Px<T> load_halves(const T* low, const T* high) {
  const auto half = [](const T* p) PAWL_INLINE_LAMBDA { return _mm_loadu_pd(reinterpret_cast<const double*>(p)); };
  return {(Reg<T>)_mm256_insertf128_pd(_mm256_castpd128_pd256(half(low)), half(high), 1)};
}
#endif

/// One number at p, the others undefined: half a vector of memory less than load_px, and no mask.
template <class T>
PAWL_INLINE Px<T> load_one(const T* p) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    return {_mm512_castps128_ps512(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))))};
  else
    return {_mm512_castpd128_pd512(_mm_loadu_pd(p))};
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return {_mm256_castps128_ps256(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))))};
  else
    return {_mm256_castpd128_pd256(_mm_loadu_pd(p))};
#elif defined(PAWL_ISA_IS_sse2)
  if constexpr (sizeof(T) == 4)
    return {_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))};
  else
    return {load_reg<T>(p)};
#else
  return load_px<T>(p, 1);
#endif
}
template <class T>
PAWL_INLINE void store_one(T* p, Px<T> x) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4)
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_castps_si128(_mm512_castps512_ps128(x.v)));
  else
    _mm_storeu_pd(p, _mm512_castpd512_pd128(x.v));
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_castps_si128(_mm256_castps256_ps128(x.v)));
  else
    _mm_storeu_pd(p, _mm256_castpd256_pd128(x.v));
#elif defined(PAWL_ISA_IS_sse2)
  if constexpr (sizeof(T) == 4)
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_castps_si128(x.v));
  else
    store_reg<T>(p, x.v);
#else
  store_px<T>(p, x, 1);
#endif
}

/// Number j of vector i becomes number i of vector j; pair_lanes vectors.
template <class T>
PAWL_INLINE void transpose_px(Px<T> (&x)[pair_lanes<T>]) {
  if constexpr (sizeof(T) == 4) {  // as numbers of twice the size
    Reg<double> v[lanes<double>];
    unroll<lanes<double>>([&](auto i) PAWL_INLINE_LAMBDA { v[i] = (Reg<double>)x[i].v; });
    transpose<double>(v);
    unroll<lanes<double>>([&](auto i) PAWL_INLINE_LAMBDA { x[i].v = (Reg<T>)v[i]; });
  } else {
#if defined(PAWL_ISA_IS_avx512)
    exchange_128<T>(x[0].v, x[1].v);
    exchange_128<T>(x[2].v, x[3].v);
    exchange_256<T>(x[0].v, x[2].v);
    exchange_256<T>(x[1].v, x[3].v);
#elif defined(PAWL_ISA_IS_avx2)
    exchange_128<T>(x[0].v, x[1].v);
#endif
  }
}
#endif

}  // namespace pawl::PAWL_ISA_NS
