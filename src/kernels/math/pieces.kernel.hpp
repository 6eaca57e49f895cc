// pieces.kernel.hpp -- a >= 0 -> f(a) by the polynomial of the interval that a lies in, looked up in registers
// (AVX-512).
//
// The coefficients of one power fill one register or two: a lookup (vpermps, vpermi2ps: two a cycle on Zen 5,
// whichever) runs beside each multiply-add, and the chain is a third of that of an exponential and a division. Constant
// terms are exact but for 2^-8 of their last place (S. Gal's accurate tables), distances are exact, so what rounds is
// the last multiply-add and, by the share that it has, the one before. The tables: tools/math_coefficients.py.
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

/// The polynomial of `place` at a, and what the last step rounded away. The table's last row are the points.
template <std::size_t R, std::size_t N>
PAWL_INLINE TwoParts<float> piece(Vec<float> a, __m512i place, const float (&table)[R][N]) {
  const Vec<float> d = a - look_up(place, table[R - 1]);
  Vec<float> p = look_up(place, table[R - 2]);
  unroll<R - 3>([&](auto i) PAWL_INLINE_LAMBDA { p = fma<float>(p, d, look_up(place, table[R - 3 - i])); });
  const Vec<float> first = look_up(place, table[0]), value = fma<float>(p, d, first);
  return {value, fma<float>(p, d, first - value)};
}

/// Intervals by octaves of s = scale a + 1 < 16, as many to each as make N: the uppermost bits of that float.
template <std::size_t R, std::size_t N>
PAWL_INLINE TwoParts<float> piece_by_octaves(Vec<float> a, Vec<float> s, const float (&table)[R][N]) {
  static_assert(N == 16 || N == 32);
  return piece(a, _mm512_srli_epi32(_mm512_castps_si512(s), N == 16 ? 21 : 20), table);
}

/// Intervals of equal length: `per_one` of them to 1, the first one half as long.
template <std::size_t R, std::size_t N>
PAWL_INLINE Vec<float> even_piece(Vec<float> a, float per_one, const float (&table)[R][N]) {
  const Vec<float> shifted = fma<float>(a, Vec<float>(per_one), Vec<float>(Format<float>::kRound));
  return piece(a, _mm512_castps_si512(shifted), table).value;
}

}  // namespace pawl::PAWL_ISA_NS
#endif
