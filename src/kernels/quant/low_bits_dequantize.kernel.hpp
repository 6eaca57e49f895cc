// low_bits_dequantize.kernel.hpp -- codes of 8 bits and fewer in blocks -> f32, written once for every ISA.
#pragma once
#include "kernels/quant/half_lanes.hpp"

namespace pawl::PAWL_ISA_NS {

// scale * (code - zero): whole numbers up to then, so that only the product is rounded.
PAWL_INLINE void put_values(float* to, I32 codes, std::int32_t zero, float scale) {
  put(to, convert_lanes<F32>(codes - zero) * scale);
}

static void unpack8(const std::int8_t* codes, std::size_t blocks, std::size_t stride_bytes, const float* scales,
                    float* x) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, codes += stride_bytes, x += 32)
#pragma GCC unroll 2
    for (std::size_t i = 0; i < 32; i += kLanes) put_values(x + i, wide_codes(codes + i), 0, scales[b]);
}

static void unpack4(const std::uint8_t* codes, std::size_t blocks, std::size_t stride_bytes, const float* scales,
                    const std::int32_t* zeros, float* x) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, codes += stride_bytes, x += 32)
#pragma GCC unroll 2
    for (std::size_t i = 0; i < 16; i += kLanes) {
      const I32 bytes = wide_codes(codes + i);
      put_values(x + i, bytes & 15, zeros[b], scales[b]);
      put_values(x + i + 16, bytes >> 4, zeros[b], scales[b]);
    }
}

static void unpack2(const std::uint8_t* packed, std::size_t blocks, float scale, float* x) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, packed += 16, x += 64)
    for (std::size_t i = 0; i < 16; i += kLanes) {
      const I32 bytes = wide_codes(packed + i);
#pragma GCC unroll 4
      for (int t = 0; t < 4; ++t) put_values(x + i + 16 * t, bytes >> (2 * t) & 3, 1, scale);
    }
}

static void unpack3(const std::uint8_t* packed, std::size_t blocks, float scale, float* x) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, packed += 16, x += 80)
    for (std::size_t i = 0; i < 16; i += kLanes) {
      I32 rest = wide_codes(packed + i);
#pragma GCC unroll 5
      for (int t = 0; t < 5; ++t) {
        const I32 tripled = rest * 3;  // what overflows is the next digit
        put_values(x + i + 16 * t, tripled >> 8, 1, scale);
        rest = tripled & 255;
      }
    }
}

}  // namespace pawl::PAWL_ISA_NS
