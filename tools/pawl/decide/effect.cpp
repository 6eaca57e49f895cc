// effect.cpp -- see effect.hpp.
#include "decide/effect.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "decide/quantiles.hpp"

namespace pawl::decide {
namespace {

// With fewer runs a side nobody can say which of them is the wild one.
constexpr std::size_t kLeastForWild = 4;
// Chance brings a run as far out in 1 of 1000 comparisons of 5 runs a side: 0.001 / 10 runs, both tails together.
constexpr double kWildTail = 1e-4;

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

struct Moments {
  double mean = 0, squares = 0;  // squares: sum of squared deviations
};

Moments moments(const std::vector<double>& values, std::size_t without = kNobody) {
  Moments m;
  double count = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i != without) {
      m.mean += values[i];
      ++count;
    }
  m.mean /= count;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i != without) m.squares += (values[i] - m.mean) * (values[i] - m.mean);
  return m;
}

std::size_t farthest(const std::vector<double>& values) {
  const double centre = median(values);
  std::size_t at = 0;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (std::abs(values[i] - centre) > std::abs(values[at] - centre)) at = i;
  return at;
}

struct Wild {
  std::optional<std::size_t> base, now;
};

Wild find_wild(const std::vector<double>& base, const std::vector<double>& now) {
  Wild wild;
  const std::size_t b = base.size() < kLeastForWild ? kNobody : farthest(base);
  const std::size_t n = now.size() < kLeastForWild ? kNobody : farthest(now);
  if (b == kNobody && n == kNobody) return wild;
  const Moments of_base = moments(base, b), of_now = moments(now, n);
  const double df = static_cast<double>(base.size() + now.size()) - 2 - (b == kNobody ? 0 : 1) - (n == kNobody ? 0 : 1);
  const double deviation = std::sqrt((of_base.squares + of_now.squares) / df);
  const double limit = t_quantile(kWildTail, df);
  const auto is_wild = [&](double value, double own, double other, std::size_t count) {
    const double off = std::abs(value - own);
    const double scatter = deviation * std::sqrt(1 + 1 / static_cast<double>(count - 1));
    return off > limit * scatter && std::abs(value - other) >= off / 2;
  };
  if (b != kNobody && is_wild(base[b], of_base.mean, of_now.mean, base.size())) wild.base = b;
  if (n != kNobody && is_wild(now[n], of_now.mean, of_base.mean, now.size())) wild.now = n;
  return wild;
}

// Values on the scale that suits them, and the factor back.
struct Scaled {
  Scale scale = Scale::log;
  std::vector<double> base, now;
  double unit = 1;
};

Scaled on_scale(const std::vector<RunValue>& base, const std::vector<RunValue>& now) {
  Scaled out;
  const auto positive = [](const RunValue& v) { return v.value > 0; };
  const bool is_log = std::ranges::all_of(base, positive) && std::ranges::all_of(now, positive);
  for (const RunValue& v : base) out.base.push_back(is_log ? std::log(v.value) : v.value);
  for (const RunValue& v : now) out.now.push_back(is_log ? std::log(v.value) : v.value);
  if (is_log) return out;
  const double size = std::abs(moments(out.base).mean);
  out.scale = size > 0 ? Scale::relative : Scale::absolute;
  if (!(size > 0)) return out;
  out.unit = size;
  for (double& v : out.base) v /= size;
  for (double& v : out.now) v /= size;
  return out;
}

std::string describe(const char* side, std::size_t index, const std::vector<double>& values, Scale scale) {
  const double off = values[index] - moments(values, index).mean;
  return fmt::format("run {} of {} of the {} is {:+.1f} % off the others: set aside", index + 1, values.size(), side,
                     100 * (scale == Scale::log ? std::expm1(off) : off));
}

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

Pairs pairs_of(const std::vector<RunValue>& base, const std::vector<RunValue>& now) {
  Pairs pairs;
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (base[i].pair < 0) continue;
    const auto partner = std::ranges::find(now, base[i].pair, &RunValue::pair);
    if (partner != now.end()) pairs.emplace_back(i, static_cast<std::size_t>(partner - now.begin()));
  }
  // Pairs that leave out a fifth of the runs throw away more than pairing gives.
  if (pairs.size() < 2 || 5 * pairs.size() < 4 * std::min(base.size(), now.size())) pairs.clear();
  return pairs;
}

}  // namespace

bool is_paired(const std::vector<RunValue>& base, const std::vector<RunValue>& now) {
  return !pairs_of(base, now).empty();
}

Effect measure_effect(const std::vector<RunValue>& base, const std::vector<RunValue>& now) {
  Effect effect;
  const Scaled scaled = on_scale(base, now);
  effect.scale = scaled.scale;
  if (scaled.scale == Scale::log) {
    // The middle one: the repetitions of a disturbed run say nothing about those of the others.
    std::vector<double> within;
    for (const auto* side : {&base, &now})
      for (const RunValue& run : *side) within.push_back(run.within);
    effect.within = median(std::move(within));
  }
  const Wild wild = find_wild(scaled.base, scaled.now);
  if (wild.base) effect.set_aside.push_back(describe("baseline", *wild.base, scaled.base, scaled.scale));
  if (wild.now) effect.set_aside.push_back(describe("new side", *wild.now, scaled.now, scaled.scale));

  std::vector<double> differences, kept_base, kept_now;
  const Pairs pairs = pairs_of(base, now);
  if (!pairs.empty()) {
    for (const auto& [i, j] : pairs) {
      if (wild.base == i || wild.now == j) continue;
      differences.push_back(scaled.now[j] - scaled.base[i]);
      kept_base.push_back(scaled.base[i]);
      kept_now.push_back(scaled.now[j]);
    }
  } else {
    for (std::size_t i = 0; i < base.size(); ++i)
      if (wild.base != i) kept_base.push_back(scaled.base[i]);
    for (std::size_t j = 0; j < now.size(); ++j)
      if (wild.now != j) kept_now.push_back(scaled.now[j]);
  }
  const Moments of_base = moments(kept_base), of_now = moments(kept_now);
  effect.difference = of_now.mean - of_base.mean;
  effect.base = scaled.scale == Scale::log ? std::exp(of_base.mean) : of_base.mean * scaled.unit;
  effect.now = scaled.scale == Scale::log ? std::exp(of_now.mean) : of_now.mean * scaled.unit;
  effect.runs_base = kept_base.size();
  effect.runs_now = kept_now.size();
  if (!differences.empty()) {
    const auto n = static_cast<double>(differences.size());
    effect.paired = true;
    effect.per_variance = 2 / n;
    if (n >= 2) effect.variance = {moments(differences).squares / (n - 1) / 2, n - 1};
    return effect;
  }
  const auto m = static_cast<double>(kept_base.size()), n = static_cast<double>(kept_now.size());
  effect.per_variance = 1 / m + 1 / n;
  if (m + n > 2) effect.variance = {(of_base.squares + of_now.squares) / (m + n - 2), m + n - 2};
  return effect;
}

}  // namespace pawl::decide
