// half.kernel.hpp -- f32 <-> bf16 and f16, written once for every ISA.
//
// The bf16 instructions (VCVTNEPS2BF16) flush denormals to zero, so that they would give other results than every other
// variant; three integer operations round as well, and both run at the speed of memory.
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

#if !defined(__F16C__)
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

static void bf16_from_f32(const float* x, std::size_t n, std::uint16_t* out, bool streaming) noexcept {
  for_blocks(x, n, out, streaming, [](const float* from, std::uint16_t* to) PAWL_INLINE_LAMBDA {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) put_low_halves(to + v * kLanes, bf16_from(get<F32>(from + v * kLanes)));
  });
}

static void bf16_to_f32(const std::uint16_t* x, std::size_t n, float* out, bool streaming) noexcept {
  for_blocks(x, n, out, streaming, [](const std::uint16_t* from, float* to) PAWL_INLINE_LAMBDA {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) put(to + v * kLanes, convert_lanes<U32>(get<U16>(from + v * kLanes)) << 16);
  });
}

static void f16_from_f32(const float* x, std::size_t n, std::uint16_t* out, bool streaming) noexcept {
  for_blocks(x, n, out, streaming, [](const float* from, std::uint16_t* to) PAWL_INLINE_LAMBDA {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) {
      const F32 value = get<F32>(from + v * kLanes);
#if defined(PAWL_ISA_IS_avx512)
      put(to + v * kLanes, _mm512_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#elif defined(__F16C__)
      put(to + v * kLanes, _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#else
      put_low_halves(to + v * kLanes, f16_from(value));
#endif
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
