// sessions.cpp -- see sessions.hpp.
#include "decide/sessions.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "decide/sample.hpp"

namespace pawl::decide {
namespace {

constexpr std::size_t kEnoughForDrift = 8;  // fewer differences say too little about their spread

// How much is estimated from the differences of all benchmarks, most of which did not change: their robust spread
// beyond what their own standard errors explain. Interleaved pairs met the same machine and need none of it.
double between_sessions_variance(const std::vector<Candidate*>& members) {
  constexpr double kLeast = 0.005;  // half a percent: the least drift seen between two sessions of one binary
  constexpr double kMadToSigma = 1.4826;
  std::vector<double> deviations, errors;
  for (const Candidate* c : members) {
    deviations.push_back(std::fabs(c->effect.difference));  // around no change: a common shift is drift as well
    errors.push_back(c->deviation_sq);
  }
  double variance = kLeast * kLeast;
  if (deviations.size() >= kEnoughForDrift) {
    const double sigma = kMadToSigma * median(deviations);
    variance = std::max(variance, sigma * sigma - median(errors));
  }
  return variance;
}

}  // namespace

void pair_by_placement_where_it_helps(std::deque<Candidate>& /*candidates*/) {}

void add_drift(std::vector<Candidate*>& members) {
  if (members.empty() || members.front()->effect.paired) return;
  const double drift = between_sessions_variance(members);
  for (Candidate* c : members) {
    // Satterthwaite (1946). The drift is known from all benchmarks together, so where it is most of the error, the
    // error is known far better than three runs could tell. With too few benchmarks it is a constant, and adds none of
    // its own.
    const double total = c->deviation_sq + drift;
    double uncertainty = c->deviation_sq * c->deviation_sq / c->df;
    if (members.size() >= kEnoughForDrift) uncertainty += drift * drift / static_cast<double>(members.size() - 1);
    if (uncertainty > 0) c->df = total * total / uncertainty;
    c->deviation_sq = total;
  }
}

}  // namespace pawl::decide
