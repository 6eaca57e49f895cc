// tile.kernel.hpp -- a square tile of a matrix -> its transpose, in registers, one size per ISA.
//
// A register gets its 128-bit lanes from rows that are 4 (f32) or 2 (f64) apart, while loading: that is the part of a
// transposition that shuffles between lanes would do. What is left are the transpositions of 4 x 4 (2 x 2) elements
// within each lane, two (one) shuffles per register instead of four (three).
#pragma once
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

/// Elements of T in a 128-bit lane; the smaller tile that edges fall back to is kLane x kLane.
template <class T>
inline constexpr std::size_t kLane = 16 / sizeof(T);

/// A register of four (two) f32 (f64) elements per lane, and what tiles do with it.
template <class T, std::size_t kLanes>
struct Register {
  typedef T type __attribute__((vector_size(16 * kLanes)));
};

template <class T>
PAWL_INLINE auto load_lane(const T* p) {
  typename Register<T, 1>::type v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}

#if !defined(PAWL_ISA_IS_scalar)
/// Columns kLane q .. of rows k, k + kLane, k + 2 kLane, ...
template <class T, std::size_t kLanes>
PAWL_INLINE typename Register<T, kLanes>::type gather_lanes(const T* x, std::ptrdiff_t stride) {
  using R [[maybe_unused]] = typename Register<T, kLanes>::type;
  constexpr std::ptrdiff_t step = kLane<T>;
  if constexpr (kLanes == 1) return load_lane<T>(x);
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (kLanes == 4) {
    const auto* p = reinterpret_cast<const float*>(x);
    const std::ptrdiff_t far = step * stride * static_cast<std::ptrdiff_t>(sizeof(T) / 4);
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(p));
    v = _mm512_mask_broadcast_f32x4(v, 0x00f0, _mm_loadu_ps(p + far));
    v = _mm512_mask_broadcast_f32x4(v, 0x0f00, _mm_loadu_ps(p + 2 * far));
    v = _mm512_mask_broadcast_f32x4(v, 0xf000, _mm_loadu_ps(p + 3 * far));
    return (R)v;
  }
#endif
#if defined(PAWL_ISA_IS_avx2) || defined(PAWL_ISA_IS_avx512)
  if constexpr (kLanes == 2) {
    const auto* p = reinterpret_cast<const float*>(x);
    const std::ptrdiff_t far = step * stride * static_cast<std::ptrdiff_t>(sizeof(T) / 4);
    return (R)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(p + far), 1);
  }
#endif
  (void)stride;
  (void)step;
}

/// The even (odd) half of the elements of a and b by turns, lane by lane.
template <bool kHigh, class R>
PAWL_INLINE R interleave_lanes(R a, R b) {
#if defined(PAWL_ISA_IS_neon)
  if constexpr (sizeof(a[0]) == 4)
    return kHigh ? __builtin_shufflevector(a, b, 2, 6, 3, 7) : __builtin_shufflevector(a, b, 0, 4, 1, 5);
  else
    return kHigh ? __builtin_shufflevector(a, b, 1, 3) : __builtin_shufflevector(a, b, 0, 2);
#else
  constexpr bool kSingle = sizeof(a[0]) == 4;
  if constexpr (sizeof(R) == 16) {
    if constexpr (kSingle)
      return kHigh ? (R)_mm_unpackhi_ps((__m128)a, (__m128)b) : (R)_mm_unpacklo_ps((__m128)a, (__m128)b);
    else
      return kHigh ? (R)_mm_unpackhi_pd((__m128d)a, (__m128d)b) : (R)_mm_unpacklo_pd((__m128d)a, (__m128d)b);
  }
#if defined(PAWL_ISA_IS_avx2) || defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(R) == 32) {
    if constexpr (kSingle)
      return kHigh ? (R)_mm256_unpackhi_ps((__m256)a, (__m256)b) : (R)_mm256_unpacklo_ps((__m256)a, (__m256)b);
    else
      return kHigh ? (R)_mm256_unpackhi_pd((__m256d)a, (__m256d)b) : (R)_mm256_unpacklo_pd((__m256d)a, (__m256d)b);
  }
#endif
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(R) == 64) {
    if constexpr (kSingle)
      return kHigh ? (R)_mm512_unpackhi_ps((__m512)a, (__m512)b) : (R)_mm512_unpacklo_ps((__m512)a, (__m512)b);
    else
      return kHigh ? (R)_mm512_unpackhi_pd((__m512d)a, (__m512d)b) : (R)_mm512_unpacklo_pd((__m512d)a, (__m512d)b);
  }
#endif
#endif
}

/// interleave_lanes of pairs of f32, that is of f64.
template <bool kHigh, class R>
PAWL_INLINE R interleave_pairs(R a, R b) {
  typedef double D __attribute__((vector_size(sizeof(R))));
  return (R)interleave_lanes<kHigh, D>((D)a, (D)b);
}
#endif

/// The transpose of the tile of kLanes * kLane rows and columns at x to out, each row of it given to
/// write(pointer, register).
template <class T, std::size_t kLanes, class Write>
PAWL_INLINE void transpose_tile(const T* x, std::ptrdiff_t x_stride, T* out, std::ptrdiff_t out_stride, Write write) {
#if defined(PAWL_ISA_IS_scalar)
  (void)x_stride;
  (void)out_stride;
  write(out, *x);
#else
  unroll<kLanes>([&](auto q) PAWL_INLINE_LAMBDA {
    constexpr std::size_t L = kLane<T>;
    const T* corner = x + q * L;
    T* to = out + static_cast<std::ptrdiff_t>(q * L) * out_stride;
    const auto row = [&](std::ptrdiff_t k)
                         PAWL_INLINE_LAMBDA { return gather_lanes<T, kLanes>(corner + k * x_stride, x_stride); };
    if constexpr (L == 2) {
      const auto a = row(0), b = row(1);
      write(to, interleave_lanes<false>(a, b));
      write(to + out_stride, interleave_lanes<true>(a, b));
    } else {
      const auto a = row(0), b = row(1), c = row(2), d = row(3);
      const auto ab = interleave_lanes<false>(a, b), AB = interleave_lanes<true>(a, b);
      const auto cd = interleave_lanes<false>(c, d), CD = interleave_lanes<true>(c, d);
      write(to, interleave_pairs<false>(ab, cd));
      write(to + out_stride, interleave_pairs<true>(ab, cd));
      write(to + 2 * out_stride, interleave_pairs<false>(AB, CD));
      write(to + 3 * out_stride, interleave_pairs<true>(AB, CD));
    }
  });
#endif
}

}  // namespace pawl::PAWL_ISA_NS
