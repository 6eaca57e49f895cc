// int8_dot.hpp -- sums of four products of a byte and a signed byte, per 32-bit lane: the one operation of integer
// tiles.
//
// With VNNI (of AVX-512, or AVX-VNNI beside AVX2) it is one instruction. Elsewhere the bytes of the weights (unsigned)
// are widened to 16 bits by a mask and a shift, which costs nothing per row, and 16-bit pairs are multiplied and added.
// VPMADDUBSW would do four products at once, but saturates: 255 * 127 * 2 does not fit into 16 bits.
#pragma once
#include "kernels/quant/half_lanes.hpp"

namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS {

inline constexpr std::size_t kVectors = 2, kTileCols = kVectors * kLanes;

#if defined(PAWL_ONE_LANE)
inline constexpr std::size_t kCodeBytes = 1;
struct Weights {
  std::uint8_t bytes[4];
};
PAWL_INLINE Weights weights_of(U32 bytes) { return as<Weights>(bytes); }
PAWL_INLINE U32 add_products(U32 sum, Weights b, const char* a) {
  for (std::size_t i = 0; i < 4; ++i)
    sum += static_cast<std::uint32_t>(int{b.bytes[i]} * int{reinterpret_cast<const signed char*>(a)[i]});
  return sum;
}
#elif defined(PAWL_DOT_IS_BF16)
// Two products of bf16, added to an f32.
#define PAWL_HAS_DOT 1
inline constexpr std::size_t kCodeBytes = 1;  // of a quarter of the 4 bytes
using Weights = __m512i;
PAWL_INLINE Weights weights_of(U32 bytes) { return as<__m512i>(bytes); }
PAWL_INLINE F32 add_products(F32 sum, Weights b, const char* a) {
  return _mm512_dpbf16_ps(sum, (__m512bh)_mm512_set1_epi32(get<int>(a)), (__m512bh)b);
}
#elif defined(PAWL_DOT_IS_F16) || defined(PAWL_DOT_IS_WIDE_BF16)
// One product of f32, whose weights are 16 bits in memory and widened as they are loaded: exact for both types.
#define PAWL_DOT_IS_F32 1
inline constexpr std::size_t kCodeBytes = 1;  // of a quarter of an f32
using Weights = F32;
PAWL_INLINE F32 add_products(F32 sum, F32 b, const char* a) {
#if defined(PAWL_ISA_IS_avx512)
  return _mm512_fmadd_ps(b, _mm512_set1_ps(get<float>(a)), sum);
#elif defined(PAWL_ISA_IS_avx2)
  return _mm256_fmadd_ps(b, _mm256_set1_ps(get<float>(a)), sum);
#else
  return sum + b * get<float>(a);
#endif
}
#elif defined(PAWL_DOT_IS_BF16_AS_F32)
// Two products of f32 whose weights are pairs of bf16 in memory: the same two as of a dot product, exact each.
inline constexpr std::size_t kCodeBytes = 2;  // of a quarter of two f32
struct Weights {
  F32 first, second;
};
PAWL_INLINE Weights weights_of(U32 bytes) { return {as<F32>(bytes << 16), as<F32>(bytes & 0xffff0000u)}; }
PAWL_INLINE F32 add_products(F32 sum, const Weights& b, const char* a) {
  sum = _mm512_fmadd_ps(b.first, _mm512_set1_ps(get<float>(a)), sum);
  return _mm512_fmadd_ps(b.second, _mm512_set1_ps(get<float>(a + 4)), sum);
}
#elif defined(__AVX512VNNI__)
#define PAWL_HAS_DOT 1
inline constexpr std::size_t kCodeBytes = 1;
using Weights = __m512i;
PAWL_INLINE Weights weights_of(U32 bytes) { return as<__m512i>(bytes); }
PAWL_INLINE U32 add_products(U32 sum, Weights b, const char* a) {
  return as<U32>(_mm512_dpbusd_epi32(as<__m512i>(sum), b, _mm512_set1_epi32(get<int>(a))));
}
#elif defined(__AVXVNNI__)
#define PAWL_HAS_DOT 1
inline constexpr std::size_t kCodeBytes = 1;
using Weights = __m256i;
PAWL_INLINE Weights weights_of(U32 bytes) { return as<__m256i>(bytes); }
PAWL_INLINE U32 add_products(U32 sum, Weights b, const char* a) {
  return as<U32>(_mm256_dpbusd_avx_epi32(as<__m256i>(sum), b, _mm256_set1_epi32(get<int>(a))));
}
#else
inline constexpr std::size_t kCodeBytes = 2;
struct Weights {
  U32 even, odd;  // weights 0 and 2, 1 and 3 of each column, as 16-bit pairs
};
PAWL_INLINE Weights weights_of(U32 bytes) { return {bytes & 0x00ff00ffu, (bytes >> 8) & 0x00ff00ffu}; }
PAWL_INLINE U32 multiply_pairs(U32 b, const char* a) {
#if defined(PAWL_ISA_IS_avx512)
  return as<U32>(_mm512_madd_epi16(as<__m512i>(b), _mm512_set1_epi32(get<int>(a))));
#elif defined(PAWL_ISA_IS_avx2)
  return as<U32>(_mm256_madd_epi16(as<__m256i>(b), _mm256_set1_epi32(get<int>(a))));
#else
  return as<U32>(_mm_madd_epi16(as<__m128i>(b), _mm_set1_epi32(get<int>(a))));
#endif
}
// `a`: the codes 0, 2, 1, 3 of the group as 16-bit values.
PAWL_INLINE U32 add_products(U32 sum, const Weights& b, const char* a) {
  return sum + multiply_pairs(b.even, a) + multiply_pairs(b.odd, a + 4);
}
#endif

/// Bytes of weights for each lane in a step.
#if defined(PAWL_DOT_IS_F32)
inline constexpr std::size_t kWeightBytes = 2;
PAWL_INLINE Weights load_weights(const std::uint8_t* b) {
#if defined(PAWL_DOT_IS_F16)
  return load_f16(reinterpret_cast<const std::uint16_t*>(b));
#else
  return as<F32>(wide_halves(reinterpret_cast<const std::uint16_t*>(b)) << 16);
#endif
}
#else
inline constexpr std::size_t kWeightBytes = 4;
PAWL_INLINE Weights load_weights(const std::uint8_t* b) { return weights_of(get<U32>(b)); }
#endif

/// What products are added to: 32 bits per lane.
#if defined(PAWL_DOT_IS_BF16) || defined(PAWL_DOT_IS_F32) || defined(PAWL_DOT_IS_BF16_AS_F32)
using Sum = F32;
#else
using Sum = U32;
#endif

/// Bytes of a group of 4 prepared codes.
inline constexpr std::size_t kGroupBytes = 4 * kCodeBytes;

}  // namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS
