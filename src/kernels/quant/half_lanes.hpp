// half_lanes.hpp -- a vector of f16 as f32, of codes as i32, and bytes times 3, for kernels that read several kinds.
#pragma once
#include "kernels/quant/lanes.hpp"

namespace pawl::PAWL_ISA_NS {

#if !defined(__F16C__)
/// f16 in the low half of each lane -> its value; a signalling NaN becomes quiet.
PAWL_INLINE F32 f16_to(U32 h) {
  const U32 sign = (h & 0x8000u) << 16, a = h & 0x7fffu;
  const U32 normal = (a << 13) + (112u << 23);
  const U32 denormal = as<U32>(convert_lanes<F32>(as<I32>(a)) * 0x1p-24f);
  const I32 magnitude = as<I32>(a);
  const U32 special = normal + (112u << 23);  // infinity and NaN, whose exponent is all ones in both
  const U32 quiet = greater_mask(magnitude, I32{} + 0x7c00) & 0x400000u;
  U32 r = choose(greater_mask(I32{} + 0x400, magnitude), denormal, normal);
  r = choose(greater_mask(magnitude, I32{} + 0x7bff), special | quiet, r);
  return as<F32>(r | sign);
}
#endif

/// 16-bit values as 32-bit ones. g++ 12 makes five instructions of a vector extension's.
PAWL_INLINE U32 wide_halves(const std::uint16_t* x) {
#if defined(PAWL_ISA_IS_avx512)
  return as<U32>(_mm512_cvtepu16_epi32(get<__m256i>(x)));
#elif defined(PAWL_ISA_IS_avx2)
  return as<U32>(_mm256_cvtepu16_epi32(get<__m128i>(x)));
#else
  return convert_lanes<U32>(get<U16>(x));
#endif
}

PAWL_INLINE F32 load_f16(const std::uint16_t* x) {
#if defined(PAWL_ISA_IS_avx512)
  return _mm512_cvtph_ps(get<__m256i>(x));
#elif defined(__F16C__)
  return _mm256_cvtph_ps(get<__m128i>(x));
#else
  return f16_to(wide_halves(x));
#endif
}

#if !defined(__F16C__)
/// In the low half of each lane.
PAWL_INLINE U32 f16_from(F32 x) {
  const U32 u = as<U32>(x), sign = (u >> 16) & 0x8000u, a = u & 0x7fffffffu;
  const U32 normal = (a + 0xfffu + ((a >> 13) & 1u) - (112u << 23)) >> 13;
  // Adding 1/2 puts the unit in the last place of an f32 at 2^-24, that of a denormal f16: the addition rounds.
  const U32 denormal = as<U32>(as<F32>(a) + 0.5f) - 0x3f000000u;
  const U32 infinity = U32{} + 0x7c00u;
  const U32 nan = 0x7e00u | ((a >> 13) & 0x3ffu);
  const I32 magnitude = as<I32>(a);
  U32 r = choose(greater_mask(I32{} + 0x38800000, magnitude), denormal, normal);  // below 2^-14
  r = choose(greater_mask(magnitude, I32{} + 0x477fefff), infinity, r);           // from 65520 on
  r = choose(greater_mask(magnitude, I32{} + 0x7f800000), nan, r);
  return r | sign;
}
#endif

PAWL_INLINE void put_f16(std::uint16_t* to, F32 value) {
#if defined(__F16C__)
#if defined(PAWL_ISA_IS_avx512)
  __m256i halves = _mm512_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  __m128i halves = _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#endif
  // Converted in a register: the instruction that converts into memory takes up to twice as long on a Zen 4.
  __asm__("" : "+x"(halves));
  put(to, halves);
#else
  put_low_halves(to, f16_from(value));
#endif
}

/// Codes as integers. g++ 12 makes 16 scalar conversions of a vector extension's from bytes.
template <class Q>
PAWL_INLINE I32 wide_codes(const Q* q) {
  [[maybe_unused]] constexpr bool kSigned = Q(-1) < Q(0);
#if defined(PAWL_ISA_IS_avx512)
  const __m128i bytes = get<__m128i>(q);
  return as<I32>(kSigned ? _mm512_cvtepi8_epi32(bytes) : _mm512_cvtepu8_epi32(bytes));
#elif defined(PAWL_ISA_IS_avx2)
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(q));
  return as<I32>(kSigned ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes));
#elif defined(PAWL_ISA_IS_sse2)
  const __m128i bytes = _mm_cvtsi32_si128(get<int>(q));
  const __m128i pairs = _mm_unpacklo_epi8(bytes, bytes), fours = _mm_unpacklo_epi16(pairs, pairs);
  return as<I32>(kSigned ? _mm_srai_epi32(fours, 24) : _mm_srli_epi32(fours, 24));
#else
  return static_cast<I32>(*q);
#endif
}

/// Each byte times 3, modulo 256.
PAWL_INLINE U32 tripled_bytes(U32 v) {
#if defined(PAWL_ISA_IS_avx512)
  const __m512i b = as<__m512i>(v);
  return as<U32>(_mm512_add_epi8(b, _mm512_add_epi8(b, b)));
#elif defined(PAWL_ISA_IS_avx2)
  const __m256i b = as<__m256i>(v);
  return as<U32>(_mm256_add_epi8(b, _mm256_add_epi8(b, b)));
#elif defined(PAWL_ISA_IS_sse2)
  const __m128i b = as<__m128i>(v);
  return as<U32>(_mm_add_epi8(b, _mm_add_epi8(b, b)));
#else
  return ((v & 0x00ff00ffu) * 3 & 0x00ff00ffu) | (((v >> 8) & 0x00ff00ffu) * 3 & 0x00ff00ffu) << 8;
#endif
}

}  // namespace pawl::PAWL_ISA_NS
