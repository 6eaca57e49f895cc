// fold_each.hpp -- as many vectors as a vector has lanes -> one vector of what each of them folds to.
#pragma once
#include "kernels/quant/lanes.hpp"

namespace pawl::PAWL_ISA_NS {

/// Lane g = fold of all lanes of v[g]; `fold` of two vectors is lane by lane.
template <class Fold>
PAWL_INLINE F32 fold_each(F32 (&v)[kLanes], Fold fold) {
#if defined(PAWL_ISA_IS_avx512)
  // A tree over all 16 at once: 3 operations for each two vectors, where each alone would take 8.
  const auto halves = [&](__m512 low, __m512 high) PAWL_INLINE_LAMBDA { return fold(low, high); };
#pragma GCC unroll 8
  for (std::size_t g = 0; g < 16; g += 2)
    v[g] = halves(_mm512_unpacklo_ps(v[g], v[g + 1]), _mm512_unpackhi_ps(v[g], v[g + 1]));
#pragma GCC unroll 4
  for (std::size_t g = 0; g < 16; g += 4) {
    const __m512d a = _mm512_castps_pd(v[g]), b = _mm512_castps_pd(v[g + 2]);
    v[g] = halves(_mm512_castpd_ps(_mm512_unpacklo_pd(a, b)), _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)));
  }
#pragma GCC unroll 2
  for (std::size_t g = 0; g < 16; g += 8)
    v[g] = halves(_mm512_shuffle_f32x4(v[g], v[g + 4], 0x88), _mm512_shuffle_f32x4(v[g], v[g + 4], 0xdd));
  return halves(_mm512_shuffle_f32x4(v[0], v[8], 0x88), _mm512_shuffle_f32x4(v[0], v[8], 0xdd));
#elif defined(PAWL_ONE_LANE)
  (void)fold;
  return v[0];
#else
  F32 result;
  for (std::size_t g = 0; g < kLanes; ++g) {
    float lanes[kLanes];
    put(lanes, v[g]);
    for (std::size_t n = kLanes / 2; n > 0; n /= 2)
      for (std::size_t l = 0; l < n; ++l) lanes[l] = fold(splat(lanes[l]), splat(lanes[l + n]))[0];
    result[g] = lanes[0];
  }
  return result;
#endif
}

}  // namespace pawl::PAWL_ISA_NS
