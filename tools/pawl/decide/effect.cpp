// effect.cpp -- means and variances of log values, paired or not.
#include "decide/effect.hpp"

#include <algorithm>

namespace pawl::decide {
namespace {

struct Moments {
  double mean = 0, squares = 0;  // squares: sum of squared deviations
};

Moments moments(const std::vector<double>& values) {
  Moments m;
  for (double v : values) m.mean += v;
  m.mean /= static_cast<double>(values.size());
  for (double v : values) m.squares += (v - m.mean) * (v - m.mean);
  return m;
}

std::vector<double> paired_differences(const std::vector<RunValue>& base, const std::vector<RunValue>& now) {
  std::vector<double> differences;
  for (const RunValue& b : base) {
    if (b.pair < 0) return {};
    const auto partner = std::ranges::find_if(now, [&](const RunValue& n) { return n.pair == b.pair; });
    if (partner == now.end()) return {};
    differences.push_back(partner->log_value - b.log_value);
  }
  if (differences.size() != now.size()) return {};
  return differences;
}

std::vector<double> values_of(const std::vector<RunValue>& runs) {
  std::vector<double> values;
  for (const RunValue& r : runs) values.push_back(r.log_value);
  return values;
}

}  // namespace

Effect measure_effect(const std::vector<RunValue>& base, const std::vector<RunValue>& now) {
  Effect effect;
  const auto differences = paired_differences(base, now);
  if (differences.size() >= 2) {
    const Moments m = moments(differences);
    const auto n = static_cast<double>(differences.size());
    effect.difference = m.mean;
    effect.variance = {m.squares / (n - 1), n - 1};
    effect.per_variance = 1 / n;
    effect.paired = true;
    effect.runs = differences.size();
    return effect;
  }
  const Moments b = moments(values_of(base)), n = moments(values_of(now));
  const double df = static_cast<double>(base.size() + now.size()) - 2;
  effect.difference = n.mean - b.mean;
  effect.variance = {df > 0 ? (b.squares + n.squares) / df : 0, df};
  effect.per_variance = 1 / static_cast<double>(base.size()) + 1 / static_cast<double>(now.size());
  effect.runs = std::min(base.size(), now.size());
  return effect;
}

}  // namespace pawl::decide
