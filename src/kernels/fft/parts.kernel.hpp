// parts.kernel.hpp -- parts of 128 bits of several lines in memory <-> vectors with a line in each lane.
//
// Only the square blocks inside 128 bits are transposed: an eighth of the shuffles of 16 x 16 numbers for lines of 3 or
// 4.
#pragma once
#include "kernels/fft/transpose.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if !defined(PAWL_ISA_IS_scalar)
/// Numbers in 128 bits.
template <class T>
inline constexpr std::size_t part_lanes = 16 / sizeof(T);

template <class T>
struct PartOf;
#if defined(PAWL_ISA_IS_neon)
template <>
struct PartOf<float> {
  using type = float32x4_t;
};
template <>
struct PartOf<double> {
  using type = float64x2_t;
};
#else
template <>
struct PartOf<float> {
  using type = __m128;
};
template <>
struct PartOf<double> {
  using type = __m128d;
};
#endif
template <class T>
using Part = typename PartOf<T>::type;

/// The first `count` numbers at p, the others 0 or anything.
template <class T, std::size_t count>
PAWL_INLINE Part<T> load_part(const T* p) {
#if defined(PAWL_ISA_IS_neon)
  if constexpr (count == part_lanes<T>)
    return load_reg<T>(p);
  else if constexpr (count == 2)
    return vcombine_f32(vld1_f32(p), vdup_n_f32(0));
  else
    return vcombine_f32(vld1_f32(p), vld1_lane_f32(p + 2, vdup_n_f32(0), 0));
#else
  if constexpr (sizeof(T) == 8) {
    return _mm_loadu_pd(p);
  } else if constexpr (count == 4) {
    return _mm_loadu_ps(p);
  } else {
    const __m128 two = _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
    if constexpr (count == 2)
      return two;
    else
      return _mm_movelh_ps(two, _mm_load_ss(p + 2));
  }
#endif
}
template <class T, std::size_t count>
PAWL_INLINE void store_part(T* p, Part<T> v) {
#if defined(PAWL_ISA_IS_neon)
  if constexpr (count == part_lanes<T>) {
    store_reg<T>(p, v);
  } else {
    vst1_f32(p, vget_low_f32(v));
    if constexpr (count == 3) vst1q_lane_f32(p + 2, v, 2);
  }
#else
  if constexpr (sizeof(T) == 8) {
    _mm_storeu_pd(p, v);
  } else if constexpr (count == 4) {
    _mm_storeu_ps(p, v);
  } else {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_castps_si128(v));
    if constexpr (count == 3) _mm_store_ss(p + 2, _mm_movehl_ps(v, v));
  }
#endif
}

/// A vector of the parts at place(0), place(1), ...
template <class T, std::size_t count, class Place>
PAWL_INLINE Reg<T> load_parts(Place place) {
  // Insertions are macros in clang++: no comma of a template may be in their arguments.
  const auto part = [&](std::size_t i) PAWL_INLINE_LAMBDA { return load_part<T, count>(place(i)); };
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4) {
    __m512 v = _mm512_castps128_ps512(part(0));
    v = _mm512_insertf32x4(v, part(1), 1);
    v = _mm512_insertf32x4(v, part(2), 2);
    return _mm512_insertf32x4(v, part(3), 3);
  } else {
    __m512d v = _mm512_castpd128_pd512(part(0));
    v = _mm512_insertf64x2(v, part(1), 1);
    v = _mm512_insertf64x2(v, part(2), 2);
    return _mm512_insertf64x2(v, part(3), 3);
  }
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4)
    return _mm256_insertf128_ps(_mm256_castps128_ps256(part(0)), part(1), 1);
  else
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(part(0)), part(1), 1);
#else
  return part(0);
#endif
}
template <class T, std::size_t count, class Place>
PAWL_INLINE void store_parts(Reg<T> v, Place place) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4) {
    store_part<T, count>(place(0), _mm512_castps512_ps128(v));
    store_part<T, count>(place(1), _mm512_extractf32x4_ps(v, 1));
    store_part<T, count>(place(2), _mm512_extractf32x4_ps(v, 2));
    store_part<T, count>(place(3), _mm512_extractf32x4_ps(v, 3));
  } else {
    store_part<T, count>(place(0), _mm512_castpd512_pd128(v));
    store_part<T, count>(place(1), _mm512_extractf64x2_pd(v, 1));
    store_part<T, count>(place(2), _mm512_extractf64x2_pd(v, 2));
    store_part<T, count>(place(3), _mm512_extractf64x2_pd(v, 3));
  }
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4) {
    store_part<T, count>(place(0), _mm256_castps256_ps128(v));
    store_part<T, count>(place(1), _mm256_extractf128_ps(v, 1));
  } else {
    store_part<T, count>(place(0), _mm256_castpd256_pd128(v));
    store_part<T, count>(place(1), _mm256_extractf128_pd(v, 1));
  }
#else
  store_part<T, count>(place(0), v);
#endif
}

/// `count` numbers from `e` on of the lines at line(0), ..., line(W - 1): number i in v[i], a line in each lane.
template <class T, std::size_t count, class Line>
PAWL_INLINE void load_turned(Line line, std::size_t e, Reg<T> (&v)[part_lanes<T>]) {
  constexpr std::size_t B = part_lanes<T>;
  unroll<B>([&](auto i) PAWL_INLINE_LAMBDA {
    v[i] = load_parts<T, count>([&](std::size_t part) PAWL_INLINE_LAMBDA { return line(part * B + i) + e; });
  });
  transpose_in_128<T>(v);
}
template <class T, std::size_t count, class Line>
PAWL_INLINE void store_turned(Reg<T> (&v)[part_lanes<T>], Line line, std::size_t e) {
  constexpr std::size_t B = part_lanes<T>;
  transpose_in_128<T>(v);
  unroll<B>([&](auto i) PAWL_INLINE_LAMBDA {
    store_parts<T, count>(v[i], [&](std::size_t part) PAWL_INLINE_LAMBDA { return line(part * B + i) + e; });
  });
}

/// Where part number `part` of n numbers begins.
template <class T>
constexpr std::size_t part_begin(std::size_t part, std::size_t n) {
  constexpr std::size_t B = part_lanes<T>;
  return n < B ? 0 : part * B + B <= n ? part * B : n - B;
}
#endif

}  // namespace pawl::PAWL_ISA_NS
