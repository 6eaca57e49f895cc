// calibrate.cpp -- see include/pawl/quant/calibrate.hpp. Done once per tensor: plain loops on histograms.
#include "pawl/quant/calibrate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
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

// Position of the quantile among so many sorted values.
std::size_t rank_of(double q, std::size_t count) {
  // Shares are not exact in binary: (1 - 0.98) / 2 of 1000 is meant to be 10 and not a little more.
  const auto n = static_cast<double>(count);
  return static_cast<std::size_t>(std::clamp(std::ceil(q * n - 1e-6), 1.0, n)) - 1;
}

// Values as whole numbers in the same order; `magnitudes` without their signs.
std::uint32_t key_of(float value, bool magnitudes) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (magnitudes) return bits & 0x7fffffffu;
  return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}
float value_of(std::uint32_t key, bool magnitudes) {
  if (magnitudes) return std::bit_cast<float>(key);
  return std::bit_cast<float>(key ^ (key >> 31 ? 0x80000000u : 0xffffffffu));
}

// How many finite values there are with the same highest bits of their keys: sign, exponent and 3 bits more, so that
// few of them are left to be sorted.
class KeyCounts {
 public:
  KeyCounts(std::span<const float> x, bool magnitudes) : x_(x), magnitudes_(magnitudes), counts_(kBuckets) {
    for (const float value : x) {
      ++counts_[key_of(value, magnitudes) >> kShift];
      if (!std::isfinite(value)) --counts_[key_of(value, magnitudes) >> kShift];
    }
    for (const std::uint32_t count : counts_) total_ += count;
  }
  float quantile(double q) const {
    std::size_t rank = rank_of(q, total_), bucket = 0;
    for (; rank >= counts_[bucket]; ++bucket) rank -= counts_[bucket];
    std::vector<std::uint32_t> keys(counts_[bucket] + 1);
    // Every key is written, and kept if it is one of the bucket: without a branch that would be guessed wrong.
    std::size_t kept = 0;
    for (const float value : x_) {
      const std::uint32_t key = key_of(value, magnitudes_);
      keys[kept] = key;
      kept += static_cast<std::size_t>((key >> kShift == bucket) & std::isfinite(value));
    }
    const auto at = keys.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(keys.begin(), at, keys.end() - 1);
    return value_of(*at, magnitudes_);
  }

 private:
  static constexpr unsigned kShift = 20;
  static constexpr std::size_t kBuckets = std::size_t{1} << (32 - kShift);
  std::span<const float> x_;
  bool magnitudes_;
  std::vector<std::uint32_t> counts_;
  std::size_t total_ = 0;
};

// Fewer values than that are selected from as they are: 0.5 of the time with 500, 1.4 with 10,000 (Zen 4).
constexpr std::size_t kFewKeys = 4096;

FiniteRange by_percentile(std::span<const float> x, QuantScheme scheme, double share) {
  const bool magnitudes = scheme == QuantScheme::symmetric;
  const double low = (1 - share) / 2, high = magnitudes ? share : (1 + share) / 2;
  const auto range = [&](auto quantile) {
    const float most = quantile(high);
    return magnitudes ? FiniteRange{-most, most} : FiniteRange{quantile(low), most};
  };
  if (x.size() >= kFewKeys) {
    const KeyCounts counts(x, magnitudes);
    return range([&](double q) { return counts.quantile(q); });
  }
  std::vector<float> values(x.size());
  std::size_t kept = 0;
  for (const float value : x) {
    values[kept] = magnitudes ? std::fabs(value) : value;
    kept += static_cast<std::size_t>(std::isfinite(value));
  }
  values.resize(kept);
  return range([&](double q) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank_of(q, kept));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  });
}

// The bins that hold something: their middles and counts.
struct FilledBins {
  std::vector<double> centres, counts;
};
FilledBins filled_bins(const Histogram& counts, double low, double width) {
  FilledBins bins;
  for (std::size_t b = 0; b < kBins; ++b)
    if (counts[b] > 0) {
      bins.centres.push_back(low + (static_cast<double>(b) + 0.5) * width);
      bins.counts.push_back(counts[b]);
    }
  return bins;
}

// Mean squared error, times the number of values, of codes with steps of `scale` from the code of 0 on.
double squared_error(const FilledBins& bins, QuantParams p) {
  const auto scale = static_cast<double>(p.scale);
  const double lowest = -128.0 - p.zero_point, highest = 127.0 - p.zero_point;
  constexpr double kMagic = 6755399441055744;  // 1.5 * 2^52: the addition rounds to whole numbers
  const auto at = [&](std::size_t i) {
    const double code = std::min(std::max(bins.centres[i] / scale + kMagic - kMagic, lowest), highest);
    const double off = bins.centres[i] - scale * code;
    return bins.counts[i] * off * off;
  };
  // Four sums, so that additions do not wait for each other.
  double errors[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= bins.counts.size(); i += 4)
    for (std::size_t l = 0; l < 4; ++l) errors[l] += at(i + l);
  for (; i < bins.counts.size(); ++i) errors[0] += at(i);
  return (errors[0] + errors[1]) + (errors[2] + errors[3]);
}

FiniteRange by_mse(std::span<const float> x, QuantScheme scheme, FiniteRange all) {
  const auto low = static_cast<double>(all.low), high = static_cast<double>(all.high);
  const Histogram counts = histogram(x, low, high, [](double v) { return v; });
  const FilledBins bins = filled_bins(counts, low, (high - low) / static_cast<double>(kBins));
  FiniteRange best = all;
  double least = -1;
  for (int percent = 100; percent >= 1; --percent) {
    const auto factor = static_cast<float>(percent) / 100;
    const FiniteRange range{all.low * factor, all.high * factor};
    const double error = squared_error(bins, choose_params_s8(range.low, range.high, scheme));
    if (least < 0 || error < least) {
      least = error;
      best = range;
    }
  }
  return best;
}

// x log x, which small counts need again and again.
class TimesLog {
 public:
  explicit TimesLog(double most) : known_(static_cast<std::size_t>(std::min(most, kMostKnown)) + 1) {
    for (std::size_t i = 1; i < known_.size(); ++i) {
      const auto x = static_cast<double>(i);
      known_[i] = x * std::log(x);
    }
  }
  double operator()(double count) const {
    const auto i = static_cast<std::size_t>(count);
    return i < known_.size() ? known_[i] : count * std::log(count);
  }

 private:
  static constexpr double kMostKnown = 4096;  // 32 KiB
  std::vector<double> known_;
};

// A histogram and its sums from the first bin on, with which the divergence of a range takes a sum over levels instead
// of one over bins.
class Divergence {
 public:
  explicit Divergence(const Histogram& counts) : counts_(counts) {
    double total = 0;
    for (const double count : counts) total += count;
    times_log_ = TimesLog(total);
    for (std::size_t b = 0; b < kBins; ++b) {
      sums_[b + 1] = sums_[b] + counts[b];
      filled_[b + 1] = filled_[b] + (counts[b] > 0 ? 1 : 0);
      logs_[b + 1] = logs_[b] + times_log_(counts[b]);
    }
    for (std::size_t f = 1; f < kLogs; ++f) log_[f] = std::log(static_cast<double>(f));
  }

  // Of the first `bins` bins, what lies beyond being counted in the last, from kLevels levels of them: the sum of
  // p log(p / q), p = count / T and q = S / f / R with the counts' total T, their sum R in the range, and the sum S and
  // the number f of filled bins of the level. Times T that is
  //     sum of count log count  -  sum over levels of S (log S - log f)  -  T (log T - log R).
  double of(std::size_t bins) const {
    const double total = sums_[kBins], represented = sums_[bins], beyond = total - represented;
    const double last = counts_[bins - 1];
    // What is beyond falls into an empty bin: nothing represents it.
    if (represented == 0 || (beyond > 0 && last == 0)) return HUGE_VAL;
    double result = logs_[bins] - times_log_(last) + times_log_(last + beyond);
    double sum = 0;
    std::uint32_t filled = 0;
    for (std::size_t level = 0; level < kLevels; ++level) {
      const std::size_t begin = level * bins / kLevels, end = (level + 1) * bins / kLevels;
      sum = sums_[end] - sums_[begin];
      filled = filled_[end] - filled_[begin];
      result -= times_log_(sum) - sum * log_[filled];
    }
    if (beyond > 0) result -= beyond * (std::log(sum) - log_[filled]);
    return (result - total * (std::log(total) - std::log(represented))) / total;
  }

 private:
  static constexpr std::size_t kLogs = kBins / kLevels + 2;  // bins of a level, and none
  const Histogram& counts_;
  std::array<double, kBins + 1> sums_{}, logs_{};
  std::array<std::uint32_t, kBins + 1> filled_{};
  std::array<double, kLogs> log_{};
  TimesLog times_log_{0};
};

FiniteRange by_entropy(std::span<const float> x, QuantScheme scheme, FiniteRange all) {
  const double most = std::max(std::fabs(static_cast<double>(all.low)), std::fabs(static_cast<double>(all.high)));
  const Histogram counts = histogram(x, 0, most, [](double v) { return std::fabs(v); });
  const Divergence divergence(counts);
  double least = HUGE_VAL;
  std::size_t best = kBins;
  for (std::size_t bins = kBins; bins >= kLevels; --bins) {
    const double d = divergence.of(bins);
    if (d < least) {
      least = d;
      best = bins;
    }
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
