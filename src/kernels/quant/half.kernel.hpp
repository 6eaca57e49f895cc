// half.kernel.hpp -- f32 <-> bf16 and f16, written once for every ISA.
//
// The bf16 instructions (VCVTNEPS2BF16) flush denormals to zero, so that they would give other results than every other
// variant; integer operations round as well.
#pragma once
#include "kernels/quant/blocks.hpp"
#include "kernels/quant/half_lanes.hpp"

namespace pawl::PAWL_ISA_NS {

// Half a unit is added, less the smallest step, plus the last kept bit: only a tie next to an odd number is carried up.
PAWL_INLINE U32 bf16_from(F32 x) {
  const U32 u = as<U32>(x);
  const U32 rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
  return choose(nan_mask(x), (u >> 16) | 0x40u, rounded);
}

#if defined(PAWL_ISA_IS_avx512)
// 32 elements at a time, by the 16-bit halves of two vectors: the upper half is kept, and 1 added where the lower one
// is more than half a unit, or just that and the upper one odd.
PAWL_INLINE void put_bf16(std::uint16_t* to, F32 low, F32 high) {
  if (nan_in(low, high) != 0) [[unlikely]] {
    put_low_halves(to, bf16_from(low));
    put_low_halves(to + kLanes, bf16_from(high));
    return;
  }
  alignas(64) static constexpr std::uint16_t kOdd[32] = {1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21,
                                                         23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43,
                                                         45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
  alignas(64) static constexpr std::uint16_t kEven[32] = {0,  2,  4,  6,  8,  10, 12, 14, 16, 18, 20,
                                                          22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42,
                                                          44, 46, 48, 50, 52, 54, 56, 58, 60, 62};
  const __m512i a = as<__m512i>(low), b = as<__m512i>(high), one = _mm512_set1_epi16(1);
  const __m512i kept = _mm512_permutex2var_epi16(a, get<__m512i>(kOdd), b);
  const __m512i rest = _mm512_permutex2var_epi16(a, get<__m512i>(kEven), b);
  // rest | (kept & 1): more than 0x8000 where 1 is added. 0xf8: A or (B and C).
  const __m512i decides = _mm512_ternarylogic_epi32(rest, kept, one, 0xf8);
  const __mmask32 up = _mm512_cmpgt_epu16_mask(decides, _mm512_set1_epi16(short(0x8000)));
  put(to, _mm512_mask_add_epi16(kept, up, kept, one));
}
#else
PAWL_INLINE void put_bf16(std::uint16_t* to, F32 low, F32 high) {
  put_low_halves(to, bf16_from(low));
  put_low_halves(to + kLanes, bf16_from(high));
}
#endif

static void bf16_from_f32(const float* x, std::size_t n, std::uint16_t* out, bool streaming) noexcept {
  for_blocks(x, n, out, streaming, [](const float* from, std::uint16_t* to) PAWL_INLINE_LAMBDA {
#pragma GCC unroll 2
    for (std::size_t v = 0; v < 4; v += 2)
      put_bf16(to + v * kLanes, get<F32>(from + v * kLanes), get<F32>(from + (v + 1) * kLanes));
  });
}

static void bf16_to_f32(const std::uint16_t* x, std::size_t n, float* out, bool streaming) noexcept {
  for_blocks(x, n, out, streaming, [](const std::uint16_t* from, float* to) PAWL_INLINE_LAMBDA {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) put(to + v * kLanes, wide_halves(from + v * kLanes) << 16);
  });
}

static void f16_from_f32(const float* x, std::size_t n, std::uint16_t* out, bool streaming) noexcept {
  for_blocks(x, n, out, streaming, [](const float* from, std::uint16_t* to) PAWL_INLINE_LAMBDA {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) {
      put_f16(to + v * kLanes, get<F32>(from + v * kLanes));
    }
  });
}

static void f16_to_f32(const std::uint16_t* x, std::size_t n, float* out, bool streaming) noexcept {
  for_blocks(x, n, out, streaming, [](const std::uint16_t* from, float* to) PAWL_INLINE_LAMBDA {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) {
      put(to + v * kLanes, load_f16(from + v * kLanes));
    }
  });
}

}  // namespace pawl::PAWL_ISA_NS
