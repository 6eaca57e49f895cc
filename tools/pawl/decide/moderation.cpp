// moderation.cpp -- see moderation.hpp for the source.
#include "decide/moderation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "decide/distributions.hpp"

namespace pawl::decide {

Prior estimate_prior(const std::vector<Variance>& variances) {
  std::vector<double> positive;
  for (const Variance& v : variances)
    if (v.df >= 1 && v.value > 0) positive.push_back(v.value);
  if (positive.size() < kFewest) return {};
  std::ranges::nth_element(positive, positive.begin() + static_cast<std::ptrdiff_t>(positive.size() / 2));
  // A variance of exactly 0 (a counted quantity) has no logarithm: it stands in as far below the middle one.
  const double floor = positive[positive.size() / 2] * 1e-5;
  std::vector<double> logs;
  double mean = 0, excess = 0;
  for (const Variance& v : variances) {
    if (v.df < 1) continue;
    const double half = v.df / 2;
    logs.push_back(std::log(std::max(v.value, floor)) - digamma(half) + std::log(half));
    mean += logs.back();
    excess += trigamma(half);
  }
  const auto n = static_cast<double>(logs.size());
  mean /= n;
  double spread = 0;
  for (double e : logs) spread += (e - mean) * (e - mean);
  const double left = spread / (n - 1) - excess / n;
  if (left <= 0) return {std::numeric_limits<double>::infinity(), std::exp(mean)};
  const double d0 = 2 * trigamma_inverse(left);
  return {d0, std::exp(mean + digamma(d0 / 2) - std::log(d0 / 2))};
}

Variance moderate(const Variance& sample, const Prior& prior, double total_df) {
  if (!(prior.d0 > 0)) return sample;
  if (std::isinf(prior.d0)) return {prior.s0_sq, std::max(total_df, sample.df)};
  const double df = prior.d0 + sample.df;
  return {(prior.d0 * prior.s0_sq + sample.df * sample.value) / df, std::min(df, std::max(total_df, sample.df))};
}

}  // namespace pawl::decide
