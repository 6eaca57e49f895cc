// calibrate.cpp -- see include/pawl/quant/calibrate.hpp. Done once per tensor: plain loops on histograms.
#include "pawl/quant/calibrate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace pawl {
namespace {

constexpr std::size_t kBins = 2048, kLevels = 128;
using Histogram = std::array<double, kBins>;

// Counts of finite values in equal bins over [low, high].
template <class Value>
Histogram histogram(std::span<const float> x, double low, double high, Value value) {
  Histogram counts{};
  const double bins_per_unit = static_cast<double>(kBins) / (high - low);
  for (const float element : x) {
    if (!std::isfinite(element)) continue;
    const double bin = (value(static_cast<double>(element)) - low) * bins_per_unit;
    counts[std::min(kBins - 1, static_cast<std::size_t>(std::max(bin, 0.0)))] += 1;
  }
  return counts;
}

float quantile(std::vector<float>& values, double q) {
  const auto n = static_cast<double>(values.size());
  // Shares are not exact in binary: (1 - 0.98) / 2 of 1000 is meant to be 10 and not a little more.
  const auto rank = static_cast<std::ptrdiff_t>(std::clamp(std::ceil(q * n - 1e-6), 1.0, n));
  std::nth_element(values.begin(), values.begin() + rank - 1, values.end());
  return values[static_cast<std::size_t>(rank - 1)];
}

FiniteRange by_percentile(std::span<const float> x, QuantScheme scheme, double share) {
  std::vector<float> values;
  values.reserve(x.size());
  for (const float value : x)
    if (std::isfinite(value)) values.push_back(scheme == QuantScheme::symmetric ? std::fabs(value) : value);
  if (scheme == QuantScheme::symmetric) {
    const float most = quantile(values, share);
    return {-most, most};
  }
  return {quantile(values, (1 - share) / 2), quantile(values, (1 + share) / 2)};
}

// Mean squared error, times the number of values, of codes with steps of `scale` from the code of 0 on.
double squared_error(const Histogram& counts, double low, double width, QuantParams p) {
  const auto scale = static_cast<double>(p.scale);
  double error = 0;
  for (std::size_t b = 0; b < kBins; ++b) {
    if (counts[b] == 0) continue;
    const double centre = low + (static_cast<double>(b) + 0.5) * width;
    const double code = std::clamp(std::nearbyint(centre / scale), -128.0 - p.zero_point, 127.0 - p.zero_point);
    const double off = centre - scale * code;
    error += counts[b] * off * off;
  }
  return error;
}

FiniteRange by_mse(std::span<const float> x, QuantScheme scheme, FiniteRange all) {
  const auto low = static_cast<double>(all.low), high = static_cast<double>(all.high);
  const Histogram counts = histogram(x, low, high, [](double v) { return v; });
  const double width = (high - low) / static_cast<double>(kBins);
  FiniteRange best = all;
  double least = -1;
  for (int percent = 100; percent >= 1; --percent) {
    const auto factor = static_cast<float>(percent) / 100;
    const FiniteRange range{all.low * factor, all.high * factor};
    const double error = squared_error(counts, low, width, choose_params_s8(range.low, range.high, scheme));
    if (least < 0 || error < least) {
      least = error;
      best = range;
    }
  }
  return best;
}

// Divergence of the first `bins` bins, what lies beyond being counted in the last, from kLevels levels of them.
double divergence(const Histogram& counts, std::size_t bins, double beyond) {
  double total = beyond, represented = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    total += counts[b];
    represented += counts[b];
  }
  if (represented == 0) return HUGE_VAL;
  double result = 0;
  for (std::size_t level = 0; level < kLevels; ++level) {
    const std::size_t begin = level * bins / kLevels, end = (level + 1) * bins / kLevels;
    double sum = 0, filled = 0;
    for (std::size_t b = begin; b < end; ++b) {
      sum += counts[b];
      filled += counts[b] > 0 ? 1 : 0;
    }
    if (filled == 0) {
      // What is beyond falls into an empty level: nothing represents it.
      if (beyond > 0 && end == bins) return HUGE_VAL;
      continue;
    }
    for (std::size_t b = begin; b < end; ++b) {
      const double p = (counts[b] + (b + 1 == bins ? beyond : 0)) / total;
      if (p == 0) continue;
      if (counts[b] == 0) return HUGE_VAL;
      const double q = sum / filled / represented;
      result += p * std::log(p / q);
    }
  }
  return result;
}

FiniteRange by_entropy(std::span<const float> x, QuantScheme scheme, FiniteRange all) {
  const double most = std::max(std::fabs(static_cast<double>(all.low)), std::fabs(static_cast<double>(all.high)));
  const Histogram counts = histogram(x, 0, most, [](double v) { return std::fabs(v); });
  double beyond = 0, least = HUGE_VAL;
  std::size_t best = kBins;
  for (std::size_t bins = kBins; bins >= kLevels; --bins) {
    const double d = divergence(counts, bins, beyond);
    if (d < least) {
      least = d;
      best = bins;
    }
    beyond += counts[bins - 1];
  }
  const auto limit = static_cast<float>(most * static_cast<double>(best) / static_cast<double>(kBins));
  if (scheme == QuantScheme::symmetric) return {-limit, limit};
  return {std::max(all.low, -limit), std::min(all.high, limit)};
}

}  // namespace

FiniteRange calibrate(std::span<const float> x, Calibration method, QuantScheme scheme, double share) {
  if (!(share > 0 && share <= 1))
    throw std::invalid_argument("calibrate: share " + std::to_string(share) + " is not in (0, 1]");
  FiniteRange all = finite_range(x);
  if (scheme == QuantScheme::symmetric) {
    const float most = std::max(std::fabs(all.low), std::fabs(all.high));
    all = {-most, most};
  }
  if (!(all.low < all.high)) return all;  // nothing, or one value over and over
  switch (method) {
    case Calibration::percentile:
      return by_percentile(x, scheme, share);
    case Calibration::mse:
      return by_mse(x, scheme, all);
    case Calibration::entropy:
      return by_entropy(x, scheme, all);
    default:
      return all;
  }
}

}  // namespace pawl
