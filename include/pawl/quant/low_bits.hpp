// low_bits.hpp -- f32 <-> codes of 8 and 4 bits in groups with a scale each, and ternary codes of 2 and 1.6 bits.
//
// Rounding is to nearest, ties to even. A scale is rounded to f16 before the codes are made, so that codes belong to
// the scale that is stored. NaN becomes the code of 0, infinities saturate; they do not spoil a group's scale but the
// largest one (65504) is used if it holds an infinity. Scales below 2^-24 are 0, and all codes then stand for 0. Every
// variant gives the same bits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "pawl/quant/affine.hpp"
#include "pawl/quant/half.hpp"

namespace pawl {

/// 32 weights in 34 bytes, w = scale * code: the layout widely known as Q8_0.
struct Q8_0 {
  f16 scale;
  std::int8_t codes[32];
};
static_assert(sizeof(Q8_0) == 34);

/// 32 weights in 18 bytes: byte i holds weight i in its low half and weight i + 16 in its high half, each
/// w = scale * (code - 8): the layout widely known as Q4_0. The scale may be negative.
struct Q4_0 {
  f16 scale;
  std::uint8_t codes[16];
};
static_assert(sizeof(Q4_0) == 18);

/// x in blocks of 32.
///
/// Q8_0: scale = max |x| / 127, codes -127 .. 127 (-128 where f16 cannot hold the scale). Q4_0: scale = e / -8 where e
/// is the element of largest magnitude (of equal ones the negative): e has code 0, the other side reaches +7.
///
/// Shapes     x [32 * blocks.size()], no overlap.
/// Accuracy   with s = |scale|: Q8_0: |x - w| <= s * (1/2 + 2^-4), Q4_0: |x - w| <= s * (1 + 2^-7), both + 2^-18 of
///            absolute error where the scale is denormal: half a step (Q4_0: a step at the far end, where +8 would be),
///            and 2^-11 of 127 (8) steps by which rounding moves the scale.
/// Cost       reads 128 bytes a block, writes 34 or 18.
/// Errors     std::invalid_argument if lengths do not fit.
/// Reference  pawl::reference::{quantize_q8_0, quantize_q4_0}
void quantize(std::span<const float> x, std::span<Q8_0> blocks);
void quantize(std::span<const float> x, std::span<Q4_0> blocks);
void dequantize(std::span<const Q8_0> blocks, std::span<float> x);
void dequantize(std::span<const Q4_0> blocks, std::span<float> x);

/// Codes of 4 bits in groups: 0 .. 15 with w = scale * (code - zero), the zero points 8 (symmetric) or their own
/// (affine).
///
/// Of each 32 codes byte i holds code i in its low and code i + 16 in its high half.
/// Symmetric: scale = max |x| / 7. Affine: scale = (max - min) / 15 with the range widened to hold 0, zero point
/// round(-min / scale).
/// Shapes     x [n], codes [n / 2], scales [n / group], zero_points [n / group], or empty for the symmetric scheme.
///            group: 32, 64 or 128, a divisor of n.
/// Accuracy   |x - w| <= scale * (1/2 + 2^-7) (symmetric), scale * (1 + 2^-6) (affine), + 2^-18 as above.
/// Errors     std::invalid_argument if lengths or group do not fit.
void quantize_int4(std::span<const float> x, std::size_t group, std::span<std::uint8_t> codes, std::span<f16> scales,
                   std::span<std::uint8_t> zero_points = {});
void dequantize_int4(std::span<const std::uint8_t> codes, std::size_t group, std::span<const f16> scales,
                     std::span<const std::uint8_t> zero_points, std::span<float> x);

/// Ternary weights: w = scale * (code - 1), codes 0, 1, 2.
enum class TernaryPacking : std::uint8_t {
  two_bits,    ///< of each 64 codes byte i holds codes i, i + 16, i + 32, i + 48 in bits 0-1, 2-3, 4-5, 6-7
  five_in_one  ///< of each 80 codes byte i holds codes i + 16 t: ceil(256 / 243 * (81 c0 + 27 c1 + 9 c2 + 3 c3 + c4))
};

/// Bytes of n codes: 16 per block of 64 or 80, a last block filled up with the code of 0.
constexpr std::size_t ternary_bytes(std::size_t n, TernaryPacking packing) noexcept {
  const std::size_t block = packing == TernaryPacking::two_bits ? 64 : 80;
  return (n + block - 1) / block * 16;
}

/// Scale = mean |x| (NaN counted as 0), code = clamp(round(x / scale), -1, 1) + 1, as BitNet b1.58 has it (Ma et al.
/// 2024, section 2). Returns the scale; 0 (all codes 1) if the mean is below 2^-126, the largest f32 if it is above.
///
/// Accuracy   |x - w| <= max(scale / 2, |x| - scale) * (1 + 2^-20).
/// Cost       reads x twice.
/// Errors     std::invalid_argument if packed.size() is not ternary_bytes(x.size(), packing).
float quantize_ternary(std::span<const float> x, TernaryPacking packing, std::span<std::uint8_t> packed);
void dequantize_ternary(std::span<const std::uint8_t> packed, TernaryPacking packing, float scale, std::span<float> x);

}  // namespace pawl
