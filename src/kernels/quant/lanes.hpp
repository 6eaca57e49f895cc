// lanes.hpp -- the vocabulary of the quantization kernels: vectors of f32 and i32 with the same lanes, and narrow
// loads.
//
// Vector extensions of the compiler, since integers need what xsimd 8.1 has not: arithmetic is written with operators
// and is the same on every ISA; what has no operator (rounding, packing) is here once per ISA. `scalar` and `neon` have
// one lane. Included only by *.isa.cpp files and what they include.
#pragma once
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef PAWL_ISA_NS
#error "lanes.hpp belongs into files compiled by pawl_add_isa_sources()"
#endif
#ifndef PAWL_INLINE
#define PAWL_INLINE [[gnu::always_inline]] inline
#define PAWL_INLINE_LAMBDA __attribute__((always_inline))
#endif

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
inline constexpr std::size_t kLanes = 16;
#elif defined(PAWL_ISA_IS_avx2)
inline constexpr std::size_t kLanes = 8;
#elif defined(PAWL_ISA_IS_sse2)
inline constexpr std::size_t kLanes = 4;
#else
#define PAWL_ONE_LANE 1
inline constexpr std::size_t kLanes = 1;
#endif

#if defined(PAWL_ONE_LANE)
typedef float F32;
typedef std::int32_t I32;
typedef std::uint32_t U32;
typedef std::uint16_t U16;
typedef std::int8_t S8;
typedef std::uint8_t U8;
#else
typedef float F32 __attribute__((vector_size(4 * kLanes)));
typedef std::int32_t I32 __attribute__((vector_size(4 * kLanes)));
typedef std::uint32_t U32 __attribute__((vector_size(4 * kLanes)));
typedef std::uint16_t U16 __attribute__((vector_size(2 * kLanes)));
typedef std::int8_t S8 __attribute__((vector_size(kLanes)));
typedef std::uint8_t U8 __attribute__((vector_size(kLanes)));
#endif

/// The vector V at p, any alignment.
template <class V, class T>
PAWL_INLINE V get(const T* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class V, class T>
PAWL_INLINE void put(T* p, V v) {
  __builtin_memcpy(p, &v, sizeof v);
}

/// Lane by lane conversion of values.
template <class To, class From>
PAWL_INLINE To convert_lanes(From v) {
#if defined(PAWL_ONE_LANE)
  return static_cast<To>(v);
#else
  return __builtin_convertvector(v, To);
#endif
}
/// The same bits as another type.
template <class To, class From>
PAWL_INLINE To as(From v) {
  To r;
  static_assert(sizeof r == sizeof v);
  __builtin_memcpy(&r, &v, sizeof r);
  return r;
}

/// x in every lane (-0 stays -0).
PAWL_INLINE F32 splat(float x) { return x - F32{}; }

/// All bits set in lanes where v is NaN.
PAWL_INLINE U32 nan_mask(F32 v) {
#if defined(PAWL_ONE_LANE)
  return v != v ? ~0u : 0u;
#else
  return as<U32>(v != v);
#endif
}
/// All bits set in lanes where a > b, as signed integers.
PAWL_INLINE U32 greater_mask(I32 a, I32 b) {
#if defined(PAWL_ONE_LANE)
  return a > b ? ~0u : 0u;
#else
  return as<U32>(a > b);
#endif
}
PAWL_INLINE U32 choose(U32 mask, U32 a, U32 b) { return (mask & a) | (~mask & b); }

/// Lane by lane a < b ? a : b, so `b` where either is NaN; likewise greatest.
PAWL_INLINE F32 least(F32 a, F32 b) {
#if defined(PAWL_ISA_IS_avx512)
  return _mm512_min_ps(a, b);
#elif defined(PAWL_ISA_IS_avx2)
  return _mm256_min_ps(a, b);
#elif defined(PAWL_ISA_IS_sse2)
  return _mm_min_ps(a, b);
#else
  return a < b ? a : b;
#endif
}
PAWL_INLINE F32 greatest(F32 a, F32 b) {
#if defined(PAWL_ISA_IS_avx512)
  return _mm512_max_ps(a, b);
#elif defined(PAWL_ISA_IS_avx2)
  return _mm256_max_ps(a, b);
#elif defined(PAWL_ISA_IS_sse2)
  return _mm_max_ps(a, b);
#else
  return a > b ? a : b;
#endif
}

/// The least (greatest) of all lanes; none is NaN.
PAWL_INLINE float least_lane(F32 v) {
#if defined(PAWL_ISA_IS_avx512)
  return _mm512_reduce_min_ps(v);
#elif defined(__x86_64__) && !defined(PAWL_ONE_LANE)
#if defined(PAWL_ISA_IS_avx2)
  __m128 x = _mm_min_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
#else
  __m128 x = v;
#endif
  x = _mm_min_ps(x, _mm_movehl_ps(x, x));
  return _mm_cvtss_f32(_mm_min_ss(x, _mm_shuffle_ps(x, x, 1)));
#else
  return v;
#endif
}
PAWL_INLINE float greatest_lane(F32 v) { return -least_lane(-v); }

/// v * factor, and 0 where v is NaN; factor is finite and not 0.
PAWL_INLINE F32 times_or_zero(F32 v, F32 factor) {
#if defined(PAWL_ISA_IS_avx512)
  return _mm512_maskz_mul_ps(_mm512_cmp_ps_mask(v, v, _CMP_ORD_Q), v, factor);
#else
  const F32 product = v * factor;
  return as<F32>(as<U32>(product) & ~nan_mask(product));
#endif
}

/// Nearest integer, ties to even; what is beyond 2^20 in size becomes some integer beyond 2^20 of the same sign. No
/// NaN.
PAWL_INLINE I32 round_lanes(F32 v) {
  // x86: the instruction gives -2^31 for whatever does not fit, which is right for negative values; positive ones are
  // cut off at 2^30 before (as integers, which order positive floats as well and are compared on more ports).
#if defined(PAWL_ISA_IS_avx512)
  return as<I32>(_mm512_cvtps_epi32(as<F32>(_mm512_min_epi32(as<__m512i>(v), _mm512_set1_epi32(0x4e800000)))));
#elif defined(PAWL_ISA_IS_avx2)
  return as<I32>(_mm256_cvtps_epi32(as<F32>(_mm256_min_epi32(as<__m256i>(v), _mm256_set1_epi32(0x4e800000)))));
#elif defined(PAWL_ISA_IS_sse2)
  return as<I32>(_mm_cvtps_epi32(least(v, splat(0x1p30f))));
#else
  // The sum has no fraction bits left: the addition rounds, and the integer stands in the low bits.
  constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23
  return as<I32>(greatest(least(v, 0x1p21f), -0x1p21f) + kMagic) - as<I32>(kMagic);
#endif
}

#if defined(PAWL_ISA_IS_avx512)
/// As put_codes() below, of codes that are packed to 16 bits: ab = _mm512_packs_epi32(a, b), and cd likewise.
template <class Q>
PAWL_INLINE void put_packed(Q* out, __m512i ab, __m512i cd, std::int32_t offset) {
  constexpr bool kSigned = Q(-1) < Q(0);
  const __m512i add = _mm512_set1_epi16(static_cast<short>(offset));
  ab = _mm512_adds_epi16(ab, add);
  cd = _mm512_adds_epi16(cd, add);
  const __m512i bytes = kSigned ? _mm512_packs_epi16(ab, cd) : _mm512_packus_epi16(ab, cd);
  // Packing works in lanes of 128 bits: dword 4 l + v holds elements 4 l .. 4 l + 3 of vector v.
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  put(out, _mm512_permutexvar_epi32(order, bytes));
}
#endif

/// out[0 .. 4 lanes) = a, b, c, d each plus `offset` (which an int16 holds), clamped to Q (std::int8_t or
/// std::uint8_t).
template <class Q>
PAWL_INLINE void put_codes(Q* out, I32 a, I32 b, I32 c, I32 d, std::int32_t offset) {
  [[maybe_unused]] constexpr bool kSigned = Q(-1) < Q(0);
  // Every step saturates, so that nothing has to be clamped before.
#if defined(PAWL_ISA_IS_avx512)
  put_packed(out, _mm512_packs_epi32(as<__m512i>(a), as<__m512i>(b)),
             _mm512_packs_epi32(as<__m512i>(c), as<__m512i>(d)), offset);
#elif defined(PAWL_ISA_IS_avx2)
  const __m256i add = _mm256_set1_epi16(static_cast<short>(offset));
  const __m256i ab = _mm256_adds_epi16(_mm256_packs_epi32(as<__m256i>(a), as<__m256i>(b)), add);
  const __m256i cd = _mm256_adds_epi16(_mm256_packs_epi32(as<__m256i>(c), as<__m256i>(d)), add);
  const __m256i bytes = kSigned ? _mm256_packs_epi16(ab, cd) : _mm256_packus_epi16(ab, cd);
  put(out, _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
#elif defined(PAWL_ISA_IS_sse2)
  const __m128i add = _mm_set1_epi16(static_cast<short>(offset));
  const __m128i ab = _mm_adds_epi16(_mm_packs_epi32(as<__m128i>(a), as<__m128i>(b)), add);
  const __m128i cd = _mm_adds_epi16(_mm_packs_epi32(as<__m128i>(c), as<__m128i>(d)), add);
  put(out, kSigned ? _mm_packs_epi16(ab, cd) : _mm_packus_epi16(ab, cd));
#else
  constexpr std::int32_t kLow = kSigned ? -128 : 0;
  const I32 values[] = {a, b, c, d};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::int32_t code = values[i] + offset;
    out[i] = static_cast<Q>(code < kLow ? kLow : code > kLow + 255 ? kLow + 255 : code);
  }
#endif
}

/// out[0 .. 4 lanes) = a, b, c, d, each clamped to 0 .. highest.
PAWL_INLINE void put_low_codes(std::uint8_t* out, I32 a, I32 b, I32 c, I32 d, std::uint8_t highest) {
#if defined(PAWL_ISA_IS_avx512)
  const __m512i bytes = _mm512_packus_epi16(_mm512_packs_epi32(as<__m512i>(a), as<__m512i>(b)),
                                            _mm512_packs_epi32(as<__m512i>(c), as<__m512i>(d)));
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  put(out, _mm512_min_epu8(_mm512_permutexvar_epi32(order, bytes), _mm512_set1_epi8(static_cast<char>(highest))));
#else
  put_codes(out, a, b, c, d, 0);
  for (std::size_t i = 0; i < 4 * kLanes; ++i) out[i] = out[i] < highest ? out[i] : highest;
#endif
}

/// Not 0 if any lane of a or b is NaN.
PAWL_INLINE unsigned nan_in(F32 a, F32 b) {
#if defined(PAWL_ISA_IS_avx512)
  return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q);
#elif defined(PAWL_ISA_IS_avx2)
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_UNORD_Q)));
#elif defined(PAWL_ISA_IS_sse2)
  return static_cast<unsigned>(_mm_movemask_ps(_mm_cmpunord_ps(a, b)));
#else
  return a != a || b != b ? 1 : 0;
#endif
}

/// Low 16 bits of each lane.
PAWL_INLINE void put_low_halves(std::uint16_t* out, U32 v) {
#if defined(PAWL_ISA_IS_avx512)
  put(out, _mm512_cvtepi32_epi16(as<__m512i>(v)));
#elif defined(PAWL_ISA_IS_avx2)
  const __m256i low =
      _mm256_shuffle_epi8(as<__m256i>(v), _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1, 0,
                                                           1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1));
  put(out, _mm256_castsi256_si128(_mm256_permute4x64_epi64(low, 0x08)));
#elif defined(PAWL_ISA_IS_sse2)
  // Sign extension of the low half lets the signed packing of SSE2 keep its bits.
  const __m128i extended = _mm_srai_epi32(_mm_slli_epi32(as<__m128i>(v), 16), 16);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out), _mm_packs_epi32(extended, extended));
#else
  put(out, static_cast<std::uint16_t>(v));
#endif
}

/// 64 bytes at out, a multiple of 64, past the caches. stream_done() before anyone reads them.
PAWL_INLINE void stream_line(void* out, const void* line) {
#if defined(PAWL_ISA_IS_avx512)
  _mm512_stream_si512(static_cast<__m512i*>(out), get<__m512i>(line));
#elif defined(PAWL_ISA_IS_avx2)
  for (int i = 0; i < 2; ++i)
    _mm256_stream_si256(static_cast<__m256i*>(out) + i, get<__m256i>(static_cast<const char*>(line) + 32 * i));
#elif defined(PAWL_ISA_IS_sse2)
  for (int i = 0; i < 4; ++i)
    _mm_stream_si128(static_cast<__m128i*>(out) + i, get<__m128i>(static_cast<const char*>(line) + 16 * i));
#else
  __builtin_memcpy(out, line, 64);
#endif
}
PAWL_INLINE void stream_done() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace pawl::PAWL_ISA_NS
