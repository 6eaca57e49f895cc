// low_bits_formats.hpp -- the entries that make codes of a few bits. Contracts: include/pawl/quant/low_bits.hpp.
#pragma once
#include <cstddef>
#include <cstdint>

namespace pawl {

struct LowBitsFormats {
  /// Smallest and largest element of each of `groups` groups; `group` is a multiple of 32. NaN is left out.
  void (*ranges)(const float* x, std::size_t groups, std::size_t group, float* low, float* high) noexcept;
  /// clamp(round(x * reciprocal) + zero, 0, highest) as bytes; n is a multiple of 64, and group a power of 2 from 16
  /// on.
  void (*codes)(const float* x, std::size_t n, std::size_t group, const float* reciprocals, const float* zeros,
                float highest, std::uint8_t* out) noexcept;
  /// Blocks of 32, 64 or 80 codes -> 16 bytes each.
  void (*pack4)(const std::uint8_t* codes, std::size_t blocks, std::size_t stride_bytes, std::uint8_t* out) noexcept;
  void (*pack2)(const std::uint8_t* codes, std::size_t blocks, std::uint8_t* out) noexcept;
  void (*pack3)(const std::uint8_t* codes, std::size_t blocks, std::uint8_t* out) noexcept;
  /// parts[l] += |x[l]| + |x[l + 16]| + ... for l < 16; n is a multiple of 16.
  void (*add_magnitudes)(const float* x, std::size_t n, double* parts) noexcept;
};

}  // namespace pawl
