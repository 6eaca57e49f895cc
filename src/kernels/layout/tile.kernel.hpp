// tile.kernel.hpp -- a square tile of a matrix -> its transpose, in registers, one size per ISA.
//
// A register gets its 128-bit lanes from rows that are 4 (f32) or 2 (f64) apart, while loading: that is the part of a
// transposition that shuffles between lanes would do. What is left are the transpositions of 4 x 4 (2 x 2) elements
// within each lane, two (one) shuffles per register instead of four (three). The parts of a row are loaded one after
// the other: rows a power of two apart share one set of L1, which keeps fewer lines (8 or 12) than a tile has rows.
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
/// v with 128 bits from p as lane `at`; of lane 0 the others are left open.
template <std::size_t kAt, class R, class T>
PAWL_INLINE R with_lane([[maybe_unused]] R v, const T* p) {
  [[maybe_unused]] const auto* from = reinterpret_cast<const float*>(p);
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(R) == 64) {
    if constexpr (kAt == 0) return (R)_mm512_castps128_ps512(_mm_loadu_ps(from));
    return (R)_mm512_mask_broadcast_f32x4((__m512)v, static_cast<__mmask16>(0xf << (4 * kAt)), _mm_loadu_ps(from));
  }
#endif
#if defined(PAWL_ISA_IS_avx2) || defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(R) == 32) {
    if constexpr (kAt == 0) return (R)_mm256_castps128_ps256(_mm_loadu_ps(from));
    return (R)_mm256_insertf128_ps((__m256)v, _mm_loadu_ps(from), 1);
  }
#endif
  if constexpr (sizeof(R) == 16) return load_lane<T>(p);
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

#if defined(PAWL_ISA_IS_avx512)
/// r[q][k] of transpose_tile() from whole rows: two shuffles a register more, and a quarter of the loads.
template <class T, std::size_t L>
PAWL_INLINE void load_whole_rows(const T* x, std::ptrdiff_t x_stride, typename Register<T, 4>::type (&r)[4][L]) {
  using R = typename Register<T, 4>::type;
  unroll<L>([&](auto k) PAWL_INLINE_LAMBDA {
    const auto row = [&](std::size_t lane) PAWL_INLINE_LAMBDA {
      const T* p = x + static_cast<std::ptrdiff_t>(lane * L + k) * x_stride;
      return _mm512_loadu_pd(reinterpret_cast<const double*>(p));
    };
    const __m512d a = row(0), b = row(1), c = row(2), d = row(3);
    const __m512d ab = _mm512_shuffle_f64x2(a, b, 0x44), AB = _mm512_shuffle_f64x2(a, b, 0xee);
    const __m512d cd = _mm512_shuffle_f64x2(c, d, 0x44), CD = _mm512_shuffle_f64x2(c, d, 0xee);
    r[0][k] = (R)_mm512_shuffle_f64x2(ab, cd, 0x88);
    r[1][k] = (R)_mm512_shuffle_f64x2(ab, cd, 0xdd);
    r[2][k] = (R)_mm512_shuffle_f64x2(AB, CD, 0x88);
    r[3][k] = (R)_mm512_shuffle_f64x2(AB, CD, 0xdd);
  });
}
#endif

/// The transpose of the tile of kLanes * kLane rows and kAcross * kLane columns at x to out, each row of it given to
/// write(pointer, register), from the first to the last. kWhole loads whole rows where the ISA has a way to.
template <class T, std::size_t kLanes, bool kWhole = false, std::size_t kAcross = kLanes, class Write>
PAWL_INLINE void transpose_tile(const T* x, std::ptrdiff_t x_stride, T* out, std::ptrdiff_t out_stride, Write write) {
#if defined(PAWL_ISA_IS_scalar)
  (void)x_stride;
  (void)out_stride;
  write(out, *x);
#else
  constexpr std::size_t L = kLane<T>;
  using R = typename Register<T, kLanes>::type;
  R r[kAcross][L];  // [q][k]: columns L q .. of the rows k, k + L, k + 2 L, ...
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (kWhole && kLanes == 4 && kAcross == 4)
    load_whole_rows<T>(x, x_stride, r);
  else
#endif
    unroll<kLanes>([&](auto lane) PAWL_INLINE_LAMBDA {
      unroll<L>([&](auto k) PAWL_INLINE_LAMBDA {
        const T* row = x + static_cast<std::ptrdiff_t>(lane * L + k) * x_stride;
        unroll<kAcross>([&](auto q) PAWL_INLINE_LAMBDA { r[q][k] = with_lane<lane>(r[q][k], row + q * L); });
      });
    });
  unroll<kAcross>([&](auto q) PAWL_INLINE_LAMBDA {
    T* to = out + static_cast<std::ptrdiff_t>(q * L) * out_stride;
    if constexpr (L == 2) {
      write(to, interleave_lanes<false>(r[q][0], r[q][1]));
      write(to + out_stride, interleave_lanes<true>(r[q][0], r[q][1]));
    } else {
      const auto ab = interleave_lanes<false>(r[q][0], r[q][1]), AB = interleave_lanes<true>(r[q][0], r[q][1]);
      const auto cd = interleave_lanes<false>(r[q][2], r[q][3]), CD = interleave_lanes<true>(r[q][2], r[q][3]);
      write(to, interleave_pairs<false>(ab, cd));
      write(to + out_stride, interleave_pairs<true>(ab, cd));
      write(to + 2 * out_stride, interleave_pairs<false>(AB, CD));
      write(to + 3 * out_stride, interleave_pairs<true>(AB, CD));
    }
  });
#endif
}

}  // namespace pawl::PAWL_ISA_NS
