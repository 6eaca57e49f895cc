// quant_ref.hpp -- the specification of quantization: plain loops in double, sharing no code with the kernels.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace pawl::reference {

/// The value of a 16-bit float with `exponent_bits` bits of exponent, by the definition of IEEE 754.
inline double small_float_value(std::uint16_t bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const double fraction =
      static_cast<double>(bits & ((1 << fraction_bits) - 1)) / static_cast<double>(1 << fraction_bits);
  const double sign = bits >> 15 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias);
  return sign * std::ldexp(1 + fraction, exponent - bias);
}
inline double bf16_value(std::uint16_t bits) { return small_float_value(bits, 8); }
inline double f16_value(std::uint16_t bits) { return small_float_value(bits, 5); }

/// The 16-bit float nearest to x, ties to the even fraction, by bisection over all values; NaN keeps its sign and the
/// top of its payload and becomes quiet.
inline std::uint16_t small_float_bits(float x, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const auto infinity = static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << fraction_bits);
  if (std::isnan(x)) {
    std::uint32_t u;
    std::memcpy(&u, &x, sizeof u);
    const std::uint32_t payload = (u & 0x7fffff) >> (23 - fraction_bits);
    return static_cast<std::uint16_t>(sign | infinity | payload | (1u << (fraction_bits - 1)));
  }
  const double a = std::fabs(static_cast<double>(x));
  std::uint16_t low = 0, high = infinity;  // largest value <= a
  while (high - low > 1) {
    const auto middle = static_cast<std::uint16_t>((low + high) / 2);
    (small_float_value(middle, exponent_bits) <= a ? low : high) = middle;
  }
  const double below = small_float_value(low, exponent_bits);
  // Infinity takes the place of the value that would follow the largest finite one.
  const double above = high == infinity
                           ? 2 * below - small_float_value(static_cast<std::uint16_t>(low - 1), exponent_bits)
                           : small_float_value(high, exponent_bits);
  std::uint16_t nearest = low;
  if (std::isinf(a) || a - below > above - a || (a - below == above - a && low % 2 == 1)) nearest = high;
  return static_cast<std::uint16_t>(sign | nearest);
}
inline std::uint16_t bf16_bits(float x) { return small_float_bits(x, 8); }
inline std::uint16_t f16_bits(float x) { return small_float_bits(x, 5); }

/// Nearest integer of an f32, ties to even, clamped to [low, high]; NaN -> 0.
inline std::int64_t round_within(float x, std::int64_t low, std::int64_t high) {
  if (std::isnan(x)) return 0;
  if (x <= static_cast<float>(low)) return low;
  if (x >= static_cast<float>(high)) return high;
  const double floor = std::floor(static_cast<double>(x)), rest = static_cast<double>(x) - floor;
  auto whole = static_cast<std::int64_t>(floor);
  if (rest > 0.5 || (rest == 0.5 && whole % 2 != 0)) ++whole;
  return whole;
}

/// clamp(round(x * f32(1 / scale)) + zero_point) in the codes of Q.
template <class Q>
Q quantize(float x, float scale, std::int32_t zero_point) {
  constexpr std::int64_t kLow = int{std::numeric_limits<Q>::min()}, kHigh = int{std::numeric_limits<Q>::max()};
  const float reciprocal = 1.0f / scale, product = x * reciprocal;
  return static_cast<Q>(round_within(product, kLow - zero_point, kHigh - zero_point) + zero_point);
}

template <class Q>
float dequantize(Q q, float scale, std::int32_t zero_point) {
  return static_cast<float>(static_cast<double>(scale) * static_cast<double>(q - zero_point));
}

template <class Q>
Q requantize(std::int32_t sum, float multiplier, std::int32_t zero_point) {
  constexpr std::int64_t kLow = int{std::numeric_limits<Q>::min()}, kHigh = int{std::numeric_limits<Q>::max()};
  const float product = static_cast<float>(sum) * multiplier;
  return static_cast<Q>(round_within(product, kLow - zero_point, kHigh - zero_point) + zero_point);
}

/// Codes of the sum of two values, by f32 factors to the scale of the result.
template <class Q>
Q add_codes(Q a, std::int32_t zero_a, float factor_a, Q b, std::int32_t zero_b, float factor_b, std::int32_t zero_out) {
  constexpr std::int64_t kLow = int{std::numeric_limits<Q>::min()}, kHigh = int{std::numeric_limits<Q>::max()};
  volatile float left = static_cast<float>(a - zero_a), right = static_cast<float>(b - zero_b);  // each step is rounded
  left = left * factor_a;
  right = right * factor_b;
  left = left + right;
  return static_cast<Q>(round_within(left, kLow - zero_out, kHigh - zero_out) + zero_out);
}

/// sum over p < k of (a[p] - zero_a) * (b[p * stride] - zero_b), in whole numbers.
template <class Q>
std::int64_t int8_product(const Q* a, std::int32_t zero_a, const std::int8_t* b, std::size_t stride,
                          std::int32_t zero_b, std::size_t k) {
  std::int64_t sum = 0;
  for (std::size_t p = 0; p < k; ++p)
    sum += (static_cast<std::int64_t>(a[p]) - zero_a) * (static_cast<std::int64_t>(b[p * stride]) - zero_b);
  return sum;
}

/// What becomes of such a sum: scaled twice, the bias added, relu; f32 after each step.
inline float int8_finish(std::int64_t sum, float row_scale, float col_scale, const float* bias, bool relu) {
  volatile float y = static_cast<float>(sum);  // volatile: each step is rounded, whatever the compiler's flags
  y = y * row_scale;
  y = y * col_scale;
  if (bias) y = y + *bias;
  return relu && y < 0 ? 0.0f : y;  // NaN stays NaN
}

/// The scale of a group: `wanted` within what f16 holds (0 if it is not positive), rounded to f16. Bits.
inline std::uint16_t group_scale_bits(float wanted) {
  if (!(wanted > 0)) return f16_bits(0.0f);
  return f16_bits(wanted > 65504.0f ? 65504.0f : wanted);
}

/// Smallest and largest element that is not NaN; false if there is none.
inline bool group_range(const float* x, std::size_t n, float& low, float& high) {
  bool any = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(x[i])) continue;
    low = any && low < x[i] ? low : x[i];
    high = any && high > x[i] ? high : x[i];
    any = true;
  }
  return any;
}

/// clamp(round(x / scale) + zero, low, high), where the division is a product with the f32 reciprocal; 0 -> all zero.
inline int group_code(float x, std::uint16_t scale_bits, int zero, int low, int high) {
  const auto scale = static_cast<float>(f16_value(scale_bits));
  if (scale == 0) return zero;
  const float reciprocal = 1.0f / scale, product = x * reciprocal;
  return static_cast<int>(round_within(product, low - zero, high - zero)) + zero;
}

/// The sum of one element of a product with weights in groups: whole numbers in each group, f32 across them.
///
/// x: codes [k] with their scales [k / group]; w: codes [k] less their zero points, with the values of their scales.
inline float group_product(const std::int8_t* x, const float* x_scales, const int* w, const float* w_scales,
                           std::size_t k, std::size_t group) {
  volatile float y = 0;  // volatile: each step is rounded
  for (std::size_t g = 0; g < k / group; ++g) {
    std::int64_t sum = 0;
    for (std::size_t p = g * group; p < (g + 1) * group; ++p) sum += static_cast<std::int64_t>(x[p]) * w[p];
    volatile float part = static_cast<float>(sum);
    part = part * w_scales[g];
    part = part * x_scales[g];
    y = y + part;
  }
  return y;
}

}  // namespace pawl::reference
