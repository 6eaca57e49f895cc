// low_bits_formats.hpp -- the entries that make codes of a few bits. Contracts: include/pawl/quant/low_bits.hpp.
#pragma once
#include <cstddef>
#include <cstdint>

namespace pawl {

/// How a group's scale and zero point follow from its elements.
enum class GroupRule : std::uint8_t { q8_0, q4_0, int4, uint4 };

struct LowBitsFormats {
  /// By GroupRule: of each of `groups` groups the scale (f16), the reciprocal of the rounded scale (0 for a scale of 0)
  /// and the zero point. `group` is a multiple of 32. Each array has room for `groups` rounded up to a multiple of 16.
  void (*params[4])(const float* x, std::size_t groups, std::size_t group, std::uint16_t* scales, float* reciprocals,
                    std::int32_t* zeros) noexcept;
  /// clamp(round(x * reciprocal) + zero, 0, highest) as bytes; n is a multiple of 64, and group a power of 2 from 32
  /// on. Nothing is asked for ahead: with the next 8 KiB asked for here, arrays in memory took 1.2 to 1.4 times as long
  /// in groups of 32 (Zen 4).
  void (*codes)(const float* x, std::size_t n, std::size_t group, const float* reciprocals, const std::int32_t* zeros,
                std::uint8_t highest, std::uint8_t* out) noexcept;
  /// Blocks of 32 codes with 128 added -> 32 int8 each.
  void (*pack8)(const std::uint8_t* codes, std::size_t blocks, std::size_t stride_bytes, std::int8_t* out) noexcept;
  /// Blocks of 32 codes -> 16 bytes each.
  void (*pack4)(const std::uint8_t* codes, std::size_t blocks, std::size_t stride_bytes, std::uint8_t* out) noexcept;
  /// Blocks of 64 or 80 elements -> 16 bytes each of round(x * reciprocal), limited to -1 .. 1.
  void (*ternary2)(const float* x, std::size_t blocks, float reciprocal, std::uint8_t* out) noexcept;
  void (*ternary3)(const float* x, std::size_t blocks, float reciprocal, std::uint8_t* out) noexcept;
  /// And back: 32, 32, 64 or 80 values of each block, scale * (code - zero); scales and zeros by block.
  void (*unpack8)(const std::int8_t* codes, std::size_t blocks, std::size_t stride_bytes, const float* scales,
                  float* x) noexcept;
  void (*unpack4)(const std::uint8_t* codes, std::size_t blocks, std::size_t stride_bytes, const float* scales,
                  const std::int32_t* zeros, float* x) noexcept;
  void (*unpack2)(const std::uint8_t* packed, std::size_t blocks, float scale, float* x) noexcept;
  void (*unpack3)(const std::uint8_t* packed, std::size_t blocks, float scale, float* x) noexcept;
  /// parts[16 (b % 4) + l] += (|y[l]| + |y[l + 16]|) + (|y[l + 32]| + |y[l + 48]|) in f32, y = x + 64 b; NaN is 0.
  void (*add_magnitudes)(const float* x, std::size_t n, double* parts) noexcept;
};

}  // namespace pawl
