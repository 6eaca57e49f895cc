// sessions.cpp -- see sessions.hpp.
#include "decide/sessions.hpp"

#include <algorithm>
#include <cmath>

namespace pawl::decide {
namespace {

constexpr std::size_t kEnough = 8;  // fewer differences say too little about their spread
constexpr double kLeast = 0.005;
constexpr double kMadToSigma = 1.4826;
constexpr std::size_t kEnoughOfASide = 3;
constexpr double kLopsided = 5;

// What the suite moved by is no drift of a row.
double own(const Candidate& c) { return c.effect.difference - c.common.left; }

// The robust spread around zero. Drift goes both ways and a change of the code one way: where one side reaches far
// further than the other, half of the rows and more changed, and what the other side shows is drift.
double spread_of(const std::vector<double>& values) {
  std::vector<double> all, above, below;
  for (const double value : values) {
    all.push_back(std::fabs(value));
    (value > 0 ? above : below).push_back(std::fabs(value));
  }
  const double both = median(std::move(all));
  double least = both;
  for (std::vector<double>* side : {&above, &below})
    if (side->size() >= kEnoughOfASide) least = std::min(least, median(std::move(*side)));
  return kMadToSigma * (both > kLopsided * least ? least : both);
}

}  // namespace

void add_variance(Candidate& c, double variance, double df) {
  if (!(variance > 0)) return;
  const double total = c.deviation_sq + variance;
  double uncertainty = c.deviation_sq * c.deviation_sq / c.df;
  if (df > 0) uncertainty += variance * variance / df;
  if (uncertainty > 0) c.df = total * total / uncertainty;
  c.deviation_sq = total;
}

void add_drift(std::vector<Candidate*>& members) {
  if (members.empty() || members.front()->effect.paired) return;
  const std::size_t half = members.size() / 2;
  if (half < kEnough) {
    for (Candidate* c : members) add_variance(*c, kLeast * kLeast, 0);
    return;
  }
  // Most rows did not change, so their robust spread around no change, beyond what their own errors explain, is drift.
  // The quieter half shows it best, for its errors hide least; there it is a variance of its own. A noisy row drifts in
  // proportion to its noise, if at all.
  std::vector<Candidate*> by_error = members;
  std::ranges::stable_sort(by_error, {}, &Candidate::deviation_sq);
  std::vector<double> deviations, errors, ratios;
  for (std::size_t i = 0; i < half; ++i) {
    deviations.push_back(own(*by_error[i]));
    errors.push_back(by_error[i]->deviation_sq);
  }
  const double sigma = spread_of(deviations);
  const double drift = std::max(kLeast * kLeast, sigma * sigma - median(errors));
  for (std::size_t i = half; i < by_error.size(); ++i)
    ratios.push_back(own(*by_error[i]) / std::sqrt(by_error[i]->deviation_sq + drift));
  const double excess = std::max(1.0, spread_of(ratios));
  const auto df = static_cast<double>(half - 1);
  for (std::size_t i = 0; i < by_error.size(); ++i) {
    add_variance(*by_error[i], drift, df);
    if (i >= half) by_error[i]->deviation_sq *= excess * excess;
  }
}

}  // namespace pawl::decide
