// affine.hpp -- f32 <-> int8 and uint8 by a scale and a zero point: per tensor, per channel, per group, and dynamic.
//
// x = scale * (q - zero_point). Symmetric schemes have zero_point 0 (uint8: 128). One rule everywhere, so that every
// variant gives the same bits:
//
//     q = clamp(round(x * (1 / scale)) + zero_point, lowest q, highest q)
//
// with 1 / scale rounded to f32 once, the product rounded to f32, and round() to the nearest integer, ties to even.
// Infinities saturate. NaN becomes zero_point, the code of 0. A scale is finite and at least 2^-126 (the smallest
// normal f32), or the function throws. A zero point is a value that q can have, or the function throws.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace pawl {

struct QuantParams {
  float scale = 1;
  std::int32_t zero_point = 0;
  friend bool operator==(const QuantParams&, const QuantParams&) = default;
};

enum class QuantScheme : std::uint8_t {
  symmetric,  ///< the range is [-a, a]; codes -127 .. 127 (uint8: 1 .. 255 around 128)
  affine,     ///< the range is [low, high], widened to hold 0; all 256 codes
};

/// Parameters with which [low, high] is covered by the codes of int8 (`_u8`: uint8).
///
/// Symmetric: scale = max(|low|, |high|) / 127. Affine: scale = (high - low) / 255 after widening to hold 0, and the
/// zero point nearest to lowest q - low / scale, so that 0 is represented exactly. An empty range (0, 0) gives scale 1.
/// A scale below 2^-126 becomes 2^-126.
///
/// Errors     std::invalid_argument unless low <= high and both are finite.
QuantParams choose_params_s8(float low, float high, QuantScheme scheme);
QuantParams choose_params_u8(float low, float high, QuantScheme scheme);

/// q[i] = quantized x[i], one scale and zero point for all.
///
/// Shapes     x [n], q [n], contiguous, no overlap.
/// Accuracy   |x - dequantized q| <= scale * (1/2 + 2^-14) where x lies inside the range of the codes: half a step, and
///            the rounding of the reciprocal, the product and the dequantized value (each 2^-24 of at most 255 steps).
/// Cost       reads 4n, writes n bytes.
/// Errors     std::invalid_argument if lengths differ, or for bad parameters (above).
/// Reference  pawl::reference::quantize
void quantize(std::span<const float> x, QuantParams params, std::span<std::int8_t> q);
void quantize(std::span<const float> x, QuantParams params, std::span<std::uint8_t> q);

/// x[i] = scale * (q[i] - zero_point), rounded once; every variant gives the same bits.
///
/// Cost       reads n, writes 4n bytes.
/// Errors     as quantize.
/// Reference  pawl::reference::dequantize
void dequantize(std::span<const std::int8_t> q, QuantParams params, std::span<float> x);
void dequantize(std::span<const std::uint8_t> q, QuantParams params, std::span<float> x);

/// Sums of products back to codes: q[i] = clamp(round(f32(sums[i]) * multiplier) + zero_point), where multiplier is
/// scale of a * scale of b / scale of q. Sums beyond 2^24 are first rounded to f32.
///
/// Cost       reads 4n, writes n bytes.
/// Errors     std::invalid_argument if lengths differ, if multiplier is not finite, or zero_point is no code.
/// Reference  pawl::reference::requantize
void requantize(std::span<const std::int32_t> sums, float multiplier, std::int32_t zero_point,
                std::span<std::int8_t> q);
void requantize(std::span<const std::int32_t> sums, float multiplier, std::int32_t zero_point,
                std::span<std::uint8_t> q);

/// Codes of the sum: q[i] = clamp(round(x_a + x_b) + zero point of q), x_a = (a[i] - zero point of a) * f32(scale of a
/// / scale of q), likewise x_b; each operation in f32 and rounded, so that every variant gives the same bits.
///
/// Shapes     a, b, q [n]; q may be a or b.
/// Accuracy   |dequantized q - (sum of the dequantized a and b)| <= scale of q * (1/2 + 2^-14) inside the range of the
///            codes, if the scales of a and b are at most that of q times 16 (2^-14 grows with the factor beyond).
/// Errors     std::invalid_argument if lengths differ or for bad parameters.
/// Reference  pawl::reference::add_codes
void quantized_add(std::span<const std::int8_t> a, QuantParams params_a, std::span<const std::int8_t> b,
                   QuantParams params_b, std::span<std::int8_t> q, QuantParams params_q);
void quantized_add(std::span<const std::uint8_t> a, QuantParams params_a, std::span<const std::uint8_t> b,
                   QuantParams params_b, std::span<std::uint8_t> q, QuantParams params_q);

/// q[i] = max(a[i], zero_point): relu of the values, exact. q may be a.
///
/// Errors     std::invalid_argument if lengths differ or zero_point is no code.
void quantized_relu(std::span<const std::int8_t> a, std::int32_t zero_point, std::span<std::int8_t> q);
void quantized_relu(std::span<const std::uint8_t> a, std::int32_t zero_point, std::span<std::uint8_t> q);

/// Row-major [rows, cols] with parameters per row: a channel per row, or groups of cols consecutive elements.
///
/// Shapes     x, q [rows, cols]; scales [rows]; zero_points [rows], or empty for zeros (uint8: 128s).
/// Accuracy, cost, errors: as quantize and dequantize; rows must divide the number of elements.
void quantize_rows(std::span<const float> x, std::span<const float> scales, std::span<const std::int32_t> zero_points,
                   std::span<std::int8_t> q);
void quantize_rows(std::span<const float> x, std::span<const float> scales, std::span<const std::int32_t> zero_points,
                   std::span<std::uint8_t> q);
void dequantize_rows(std::span<const std::int8_t> q, std::span<const float> scales,
                     std::span<const std::int32_t> zero_points, std::span<float> x);
void dequantize_rows(std::span<const std::uint8_t> q, std::span<const float> scales,
                     std::span<const std::int32_t> zero_points, std::span<float> x);

/// The same with parameters per column: scales [cols], zero_points [cols] or empty.
void quantize_columns(std::span<const float> x, std::span<const float> scales,
                      std::span<const std::int32_t> zero_points, std::span<std::int8_t> q);
void quantize_columns(std::span<const float> x, std::span<const float> scales,
                      std::span<const std::int32_t> zero_points, std::span<std::uint8_t> q);
void dequantize_columns(std::span<const std::int8_t> q, std::span<const float> scales,
                        std::span<const std::int32_t> zero_points, std::span<float> x);
void dequantize_columns(std::span<const std::uint8_t> q, std::span<const float> scales,
                        std::span<const std::int32_t> zero_points, std::span<float> x);

/// Smallest and largest finite element; {0, 0} if there is none. NaN and infinities are left out.
struct FiniteRange {
  float low = 0, high = 0;
};
FiniteRange finite_range(std::span<const float> x);

/// quantize() with parameters chosen from finite_range(x), which are returned.
///
/// Accuracy   as quantize, every finite x being inside the range (affine: up to scale / 2 beyond it, since the zero
///            point is rounded: |x - dequantized q| <= scale * (1 + 2^-14)).
/// Cost       reads x twice: from memory once if it fits into the caches. Rows are done one after another, so that
///            each is still in the caches when it is read again.
/// Errors     std::invalid_argument if lengths differ.
QuantParams quantize_dynamic(std::span<const float> x, QuantScheme scheme, std::span<std::int8_t> q);
QuantParams quantize_dynamic(std::span<const float> x, QuantScheme scheme, std::span<std::uint8_t> q);

/// The same for each row of a row-major [rows, cols]: rows = scales.size().
///
/// Shapes     x, q [rows, cols]; scales, zero_points [rows], written.
void quantize_dynamic_rows(std::span<const float> x, QuantScheme scheme, std::span<std::int8_t> q,
                           std::span<float> scales, std::span<std::int32_t> zero_points);
void quantize_dynamic_rows(std::span<const float> x, QuantScheme scheme, std::span<std::uint8_t> q,
                           std::span<float> scales, std::span<std::int32_t> zero_points);

}  // namespace pawl
