// group_scales.hpp -- scales of groups: kept within f16, rounded to it, and read back.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/quant/quant_table.hpp"
#include "pawl/quant/half.hpp"

namespace pawl {

/// scale, but at most what f16 holds; 0 where there is none (the range of nothing but NaN is negative).
inline float limited_scale(float scale) noexcept { return scale > 0 ? std::min(scale, 65504.0f) : 0.0f; }

/// scales rounded to f16, in place, and their bits.
inline void round_to_f16(const QuantTable& kernels, float* scales, std::size_t n, std::uint16_t* bits) noexcept {
  kernels.f16.from_f32(scales, n, bits, false);
  kernels.f16.to_f32(bits, n, scales, false);
}

/// The value of one f16.
inline float f16_value(f16 x) noexcept {
  const std::uint32_t sign = (x.bits & 0x8000u) << 16, a = x.bits & 0x7fffu;
  if (a < 0x400) return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(a) * 0x1p-24f) | sign);
  const std::uint32_t exponent = a >= 0x7c00 ? 224u << 23 : 112u << 23;
  return std::bit_cast<float>(((a << 13) + exponent) | sign);
}

}  // namespace pawl
