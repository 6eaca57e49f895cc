// sessions.cpp -- see sessions.hpp.
#include "decide/sessions.hpp"

#include <algorithm>
#include <cmath>

namespace pawl::decide {
namespace {

constexpr std::size_t kEnough = 8;  // fewer differences say too little about their spread
constexpr double kLeast = 0.005;
constexpr double kMadToSigma = 1.4826;

// What the suite moved by is no drift of a row.
double own(const Candidate& c) { return c.effect.difference - c.common.left; }

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
    deviations.push_back(std::fabs(own(*by_error[i])));
    errors.push_back(by_error[i]->deviation_sq);
  }
  const double sigma = kMadToSigma * median(deviations);
  const double drift = std::max(kLeast * kLeast, sigma * sigma - median(errors));
  for (std::size_t i = half; i < by_error.size(); ++i)
    ratios.push_back(std::fabs(own(*by_error[i])) / std::sqrt(by_error[i]->deviation_sq + drift));
  const double excess = std::max(1.0, kMadToSigma * median(ratios));
  const auto df = static_cast<double>(half - 1);
  for (std::size_t i = 0; i < by_error.size(); ++i) {
    add_variance(*by_error[i], drift, df);
    if (i >= half) by_error[i]->deviation_sq *= excess * excess;
  }
}

}  // namespace pawl::decide
