// affine_checks.hpp -- what the functions of affine.hpp share: argument checks, the entries of a type, and parameters
// for a range.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "isa/active.hpp"
#include "kernels/tables.hpp"
#include "pawl/quant/affine.hpp"

namespace pawl::affine {

[[noreturn, gnu::cold]] inline void refuse(const char* function, const std::string& why) {
  throw std::invalid_argument(std::string(function) + ": " + why);
}

inline void check_equal(const char* function, std::size_t x, std::size_t q) {
  if (x != q) [[unlikely]]
    refuse(function, "lengths differ (" + std::to_string(x) + " and " + std::to_string(q) + ")");
}

template <class Q>
void check_zero_point(const char* function, std::int32_t zero_point) {
  if (zero_point < std::numeric_limits<Q>::min() || zero_point > std::numeric_limits<Q>::max()) [[unlikely]]
    refuse(function, "zero point " + std::to_string(zero_point) + " is not a code");
}

inline void check_scale(const char* function, float scale) {
  if (!(scale >= std::numeric_limits<float>::min()) || std::isinf(scale)) [[unlikely]]
    refuse(function, "scale " + std::to_string(scale) + " is not finite and at least 2^-126");
}

// Of many: one by one only where one of them is bad, or where there are too few to be worth a call.
constexpr std::size_t kFew = 8;
inline void check_scales(const char* function, std::span<const float> scales) {
  if (scales.size() < kFew ||
      !quant_table(detail::active_isa_inline()).parameters.scales_fit(scales.data(), scales.size()))
    for (const float scale : scales) check_scale(function, scale);
}
template <class Q>
void check_zero_points(const char* function, std::span<const std::int32_t> zero_points) {
  if (zero_points.size() < kFew ||
      !quant_table(detail::active_isa_inline())
           .parameters.zeros_fit(zero_points.data(), zero_points.size(), std::numeric_limits<Q>::min()))
    for (const std::int32_t zero_point : zero_points) check_zero_point<Q>(function, zero_point);
}

template <class Q>
constexpr std::int32_t kMiddle = std::numeric_limits<Q>::min() == 0 ? 128 : 0;  // the code of 0 in symmetric schemes

template <class Q>
const QuantizeOps<Q>& ops() noexcept {
  const QuantTable& table = quant_table(detail::active_isa_inline());
  if constexpr (std::numeric_limits<Q>::is_signed) {
    return table.s8;
  } else {
    return table.u8;
  }
}

template <class Q>
QuantParams choose_params(const char* function, double low, double high, QuantScheme scheme) {
  if (!(low <= high) || std::isinf(low) || std::isinf(high)) refuse(function, "no finite range low <= high");
  constexpr double kSmallest = std::numeric_limits<float>::min();
  if (scheme == QuantScheme::symmetric) {
    const double most = std::max(std::fabs(low), std::fabs(high));
    return {most == 0 ? 1.0f : static_cast<float>(std::max(most / 127, kSmallest)), kMiddle<Q>};
  }
  low = std::min(low, 0.0);
  high = std::max(high, 0.0);
  if (low == high) return {1.0f, kMiddle<Q>};
  const auto scale = static_cast<float>(std::max((high - low) / 255, kSmallest));
  constexpr double kLow = std::numeric_limits<Q>::min(), kHigh = std::numeric_limits<Q>::max();
  // Rounded by an addition, as std::nearbyint() rounds: a call of that took longer than all else here.
  constexpr double kMagic = 6755399441055744;  // 1.5 * 2^52
  const double zero = std::clamp((kLow - low / static_cast<double>(scale)) + kMagic - kMagic, kLow, kHigh);
  return {scale, static_cast<std::int32_t>(zero)};
}

inline FiniteRange range_of(const QuantTable& table, std::span<const float> x) noexcept {
  float range[2];
  table.range(x.data(), x.size(), range);
  if (std::isfinite(range[0]) && std::isfinite(range[1])) return {range[0], range[1]};
  // Nothing but NaN, or an infinity: rare enough for a plain loop.
  FiniteRange finite{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  for (const float value : x)
    if (std::isfinite(value)) finite = {std::min(finite.low, value), std::max(finite.high, value)};
  return finite.low <= finite.high ? finite : FiniteRange{};
}

// Parameters for a range that holds 0, or is not finite: then that of the finite elements counts.
template <class Q>
QuantParams params_of_range(const QuantTable& table, const float* range, std::span<const float> x, QuantScheme scheme) {
  FiniteRange finite{range[0], range[1]};
  if (!(std::isfinite(range[0]) && std::isfinite(range[1]))) [[unlikely]]
    finite = range_of(table, x);
  return choose_params<Q>("quantize_dynamic", static_cast<double>(finite.low), static_cast<double>(finite.high),
                          scheme);
}

}  // namespace pawl::affine
