// spread.cpp -- see spread.hpp.
#include "decide/spread.hpp"

#include <algorithm>
#include <cmath>

#include "decide/distributions.hpp"

namespace pawl::decide {
namespace {

// Variance of the logarithms without the value farthest from their median; 0 if there is none to speak of.
double trimmed_variance(const std::vector<RunValue>& runs) {
  std::vector<double> logs;
  for (const RunValue& run : runs) {
    if (!(run.value > 0)) return 0;
    logs.push_back(std::log(run.value));
  }
  const double centre = median(logs);
  std::erase(logs, *std::ranges::max_element(logs, {}, [centre](double v) { return std::abs(v - centre); }));
  if (logs.size() < 2) return 0;
  double mean = 0, squares = 0;
  for (const double v : logs) mean += v / static_cast<double>(logs.size());
  for (const double v : logs) squares += (v - mean) * (v - mean);
  return squares / static_cast<double>(logs.size() - 1);
}

// The ratio of variances that a one-sided tail of `tail` leaves above, by bisection on the logarithm.
double f_quantile(double tail, double df_above, double df_below) {
  double low = -50, high = 50;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (f_upper(std::exp(middle), df_above, df_below) > tail ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

}  // namespace

std::optional<Spread> measure_spread(const std::vector<RunValue>& base, const std::vector<RunValue>& now,
                                     double confidence) {
  if (base.size() < kFewestForSpread || now.size() < kFewestForSpread) return std::nullopt;
  const double before = trimmed_variance(base), after = trimmed_variance(now);
  if (!(before > 0 && after > 0)) return std::nullopt;
  const double df_base = static_cast<double>(base.size()) - 2, df_now = static_cast<double>(now.size()) - 2;
  const double ratio = after / before;
  Spread spread;
  spread.base = std::sqrt(before);
  spread.now = std::sqrt(after);
  const double above = f_upper(ratio, df_now, df_base);
  spread.p_value = std::min(1.0, 2 * std::min(above, 1 - above));
  const double tail = (1 - confidence) / 2;
  spread.low = std::sqrt(ratio / f_quantile(tail, df_now, df_base)) - 1;
  spread.high = std::sqrt(ratio * f_quantile(tail, df_base, df_now)) - 1;
  return spread;
}

}  // namespace pawl::decide
