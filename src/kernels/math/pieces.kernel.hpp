// pieces.kernel.hpp -- a >= 0 -> f(a) by the polynomial of the interval that a lies in, looked up in registers
// (AVX-512).
//
// The coefficients of one power fill one register or two, and a lookup runs beside each multiply-add. A Zen 4 does
// three of vpermps and multiply-adds of 512 bits in two cycles, but not much more than one if the lookups are
// vpermi2ps, which reads three registers too: 16 intervals of degree 7 are faster there than 32 of degree 6. Where both
// take one cycle of one port (Intel), 32 of degree 5 are: gelu of 1000 f32 228 ns instead of 284 on an Emerald Rapids.
// Constant terms are exact but for 2^-8 of their last place (S. Gal's accurate tables), distances are exact, so what
// rounds is the last multiply-add and, by the share that it has, the one before. The tables:
// tools/math_coefficients.py.
#pragma once
#include "kernels/math/coefficients.hpp"
#include "kernels/vec_bits.hpp"

#if defined(PAWL_ISA_IS_avx512)
namespace pawl::PAWL_ISA_NS {

PAWL_INLINE Vec<float> look_up(__m512i place, const float (&row)[16]) {
  return Vec<float>(_mm512_permutexvar_ps(place, _mm512_load_ps(row)));
}
PAWL_INLINE Vec<float> look_up(__m512i place, const float (&row)[32]) {
  return Vec<float>(_mm512_permutex2var_ps(_mm512_load_ps(row), place, _mm512_load_ps(row + 16)));
}

/// Where a number lies: its interval's place in a table, and how far it is from the interval's point.
struct Located {
  __m512i place;
  Vec<float> distance;
};

/// The table's last row are the points.
template <std::size_t R, std::size_t N>
PAWL_INLINE Located locate(Vec<float> a, __m512i place, const float (&table)[R][N]) {
  return {place, a - look_up(place, table[R - 1])};
}

/// Intervals by octaves of s = scale a + 1 < 16, as many to each as make N: the uppermost bits of that float.
template <std::size_t R, std::size_t N>
PAWL_INLINE Located locate_by_octaves(Vec<float> a, Vec<float> s, const float (&table)[R][N]) {
  static_assert(N == 16 || N == 32);
  return locate(a, _mm512_srli_epi32(_mm512_castps_si512(s), N == 16 ? 21 : 20), table);
}

/// Intervals of equal length: `per_one` of them to 1, the first one half as long.
template <std::size_t R, std::size_t N>
PAWL_INLINE Located locate_evenly(Vec<float> a, float per_one, const float (&table)[R][N]) {
  const Vec<float> shifted = fma<float>(a, Vec<float>(per_one), Vec<float>(Format<float>::kRound));
  return locate(a, _mm512_castps_si512(shifted), table);
}

/// Intervals that grow shorter: the nearest integer to square a^2 + linear a.
PAWL_INLINE __m512i curved_place(Vec<float> a, float square, float linear) {
  const Vec<float> slope = fma<float>(a, Vec<float>(square), Vec<float>(linear));
  return _mm512_castps_si512(fma<float>(a, slope, Vec<float>(Format<float>::kRound)));
}
template <std::size_t R, std::size_t N>
PAWL_INLINE Located locate_curved(Vec<float> a, float square, float linear, const float (&table)[R][N]) {
  return locate(a, curved_place(a, square, linear), table);
}

/// The polynomial there, but for the last step.
template <std::size_t R, std::size_t N>
PAWL_INLINE Vec<float> slope_there(const Located& at, const float (&table)[R][N]) {
  Vec<float> p = look_up(at.place, table[R - 2]);
  unroll<R - 3>([&](auto i)
                    PAWL_INLINE_LAMBDA { p = fma<float>(p, at.distance, look_up(at.place, table[R - 3 - i])); });
  return p;
}

template <std::size_t R, std::size_t N>
PAWL_INLINE Vec<float> value_there(const Located& at, const float (&table)[R][N]) {
  return fma<float>(slope_there(at, table), at.distance, look_up(at.place, table[0]));
}

/// The lesser of |x| and `end`, which is above 0; `end` where x is NaN.
PAWL_INLINE Vec<float> magnitude_up_to(Vec<float> x, float end) {
  return Vec<float>(_mm512_range_ps(x, _mm512_set1_ps(end), 0b1010));  // of magnitudes the lesser one, without a sign
}

}  // namespace pawl::PAWL_ISA_NS
#endif
