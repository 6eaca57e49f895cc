// half.hpp -- the 16-bit floating-point types bf16 and f16, and their conversion from and to f32.
//
// Storage only: arithmetic happens in f32. One conversion rule everywhere, so that every variant gives the same bits:
// f32 -> 16 bits rounds to nearest, ties to even; too large becomes infinity; denormals are kept, not flushed; a NaN
// stays a NaN of the same sign with the top bits of its payload, made quiet. 16 bits -> f32 is exact (a signalling f16
// NaN becomes quiet, as on the F16C instructions; bf16 is handed through bit by bit).
#pragma once
#include <bit>
#include <cstdint>
#include <span>

namespace pawl {

/// Upper half of an f32: 8 bits of exponent, 7 of fraction. Relative rounding error 2^-8 at most.
struct bf16 {
  std::uint16_t bits;
  friend bool operator==(bf16, bf16) = default;  ///< of the bits: a NaN equals itself, -0 does not equal +0
};

/// IEEE 754 binary16: 5 bits of exponent, 10 of fraction. Largest finite value 65504, smallest normal one 2^-14.
/// Relative rounding error 2^-11 at most for normal values, absolute error 2^-25 at most for denormal ones.
struct f16 {
  std::uint16_t bits;
  friend bool operator==(f16, f16) = default;
};

/// One value. Cost: a few integer operations; for arrays convert() is faster.
constexpr float to_f32(bf16 x) noexcept { return std::bit_cast<float>(std::uint32_t{x.bits} << 16); }
constexpr bf16 to_bf16(float x) noexcept {
  const auto u = std::bit_cast<std::uint32_t>(x);
  if ((u & 0x7fffffffu) > 0x7f800000u) return {static_cast<std::uint16_t>((u >> 16) | 0x40u)};
  return {static_cast<std::uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16)};
}

/// out[i] = x[i] in the other type.
///
/// Shapes     x [n], out [n], contiguous, at any address that is a multiple of the element's size; no overlap.
/// Accuracy   16 bits -> f32 exact; f32 -> 16 bits rounded once, to nearest even: |out - x| <= 2^-8 |x| (bf16), 2^-11
///            |x| or 2^-25 (f16), whichever is larger. Every variant gives the same bits.
/// Cost       reads and writes n elements once.
/// Errors     std::invalid_argument if lengths differ.
/// Reference  pawl::reference::{bf16_bits, f16_bits, bf16_value, f16_value} in src/reference/quant_ref.hpp
void convert(std::span<const float> x, std::span<bf16> out);
void convert(std::span<const float> x, std::span<f16> out);
void convert(std::span<const bf16> x, std::span<float> out);
void convert(std::span<const f16> x, std::span<float> out);

}  // namespace pawl
