// group_scales.hpp -- the scale of a group as it is stored -> its value.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include "pawl/quant/half.hpp"

namespace pawl {

/// The value of one f16.
inline float f16_value(f16 x) noexcept {
  const std::uint32_t sign = (x.bits & 0x8000u) << 16, a = x.bits & 0x7fffu;
  if (a < 0x400) return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(a) * 0x1p-24f) | sign);
  const std::uint32_t exponent = a >= 0x7c00 ? 224u << 23 : 112u << 23;
  return std::bit_cast<float>(((a << 13) + exponent) | sign);
}

}  // namespace pawl
