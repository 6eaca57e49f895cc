// settle.cpp -- see settle.hpp.
#include "decide/settle.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "decide/bounds.hpp"
#include "decide/distributions.hpp"
#include "decide/family.hpp"
#include "decide/moderation.hpp"
#include "decide/sessions.hpp"

namespace pawl::decide {
namespace {

// Clocks and loop counts resolve about 0.01 % of a time: runs that agree better agree by rounding.
constexpr double kLeastDeviation = 1e-4;

bool scatters(const Candidate& c) { return c.effect.variance.value > 0 && c.effect.scale != Scale::absolute; }

void moderate_family(const std::vector<Candidate*>& members) {
  std::vector<Variance> variances;
  double total_df = 0;
  for (const Candidate* c : members)
    if (scatters(*c)) {
      variances.push_back(c->effect.variance);
      total_df += c->effect.variance.df;
    }
  const Prior prior = estimate_prior(variances);
  for (Candidate* c : members) {
    const Variance v = scatters(*c) ? moderate(c->effect.variance, prior, total_df) : c->effect.variance;
    // Runs that happen to agree better than their repetitions let them do so by chance.
    c->deviation_sq = std::max(v.value, c->effect.within) * c->effect.per_variance;
    c->df = v.df;
  }
}

// The effect, after what all benchmarks share was taken out.
void measure(Candidate& c) {
  c.effect = measure_effect(c.base.runs, c.now.runs);
  c.base = c.now = {};
  c.effect.difference -= c.common.taken;
  if (c.common.taken != 0) c.shown.change = std::expm1(c.effect.difference);
  c.shown.warnings.insert(c.shown.warnings.begin(), c.effect.set_aside.begin(), c.effect.set_aside.end());
}

double p_value(double difference, const Candidate& c) {
  const double error = std::sqrt(c.deviation_sq);
  return error > 0 ? t_two_sided(difference / error, c.df) : difference == 0 ? 1 : 0;
}

// Where the whole suite moved and nobody knows why, a row that stands out of it is judged by what it stands out by, or
// by what it changed, whichever is less: that needs no knowledge of the suite's movement. All others are judged by what
// they changed, with the uncertainty of the movement.
void test(Candidate& c, const Policy& policy) {
  constexpr double kTwoTests = 2;
  const double change = c.effect.difference, standing_out = change - c.common.left;
  const double less =
      change * standing_out <= 0 ? 0 : std::copysign(std::min(std::fabs(change), std::fabs(standing_out)), change);
  const double p_less = c.common.left == 0 ? 1 : kTwoTests * p_value(less, c);
  Candidate whole;
  whole.deviation_sq = c.deviation_sq;
  whole.df = c.df;
  add_variance(whole, c.common.variance, 0);
  const double p_whole = p_value(change, whole);
  if (p_less <= policy.alpha && p_less < p_whole) {
    c.effect.difference = less;
    c.shown.change = std::expm1(less);
    c.shown.p_value = p_less;
    return;
  }
  c.deviation_sq = whole.deviation_sq;
  c.df = whole.df;
  c.shown.p_value = p_whole;
}

// The family of one metric.
void correct(const std::vector<Candidate*>& family, const Policy& policy) {
  std::vector<Hypothesis> tests;
  for (const Candidate* c : family) {
    Hypothesis test{*c->shown.p_value, 1, true};
    if (!c->spread && c->deviation_sq > 0) {
      const double least = std::min(least_warning(*c, policy.confidence), bounds_of(*c).better);
      test.reach = t_two_sided(least / std::sqrt(c->deviation_sq), c->df);
      test.counts = std::fabs(c->effect.difference) >= least;
    }
    tests.push_back(test);
  }
  const std::vector<double> rates = false_discovery_rates(tests);
  const double cut = cut_of_one(tests, alpha_of(*family.front(), policy));
  for (std::size_t i = 0; i < family.size(); ++i) {
    family[i]->shown.q_value = rates[i];
    family[i]->cut = cut;
  }
}

}  // namespace

void settle(std::deque<Candidate>& candidates, const Policy& policy) {
  std::map<std::pair<std::string, bool>, std::vector<Candidate*>> alike;  // metric, paired: one design each
  std::map<std::string, std::vector<Candidate*>> families;
  for (Candidate& c : candidates) {
    if (!c.spread) measure(c);
    if (c.spread) {
      c.tested = true;
      c.shown.p_value = c.spread->p_value;
    } else if (c.effect.variance.df >= 1) {
      c.tested = true;
      if (c.timing) c.effect.variance.value = std::max(c.effect.variance.value, kLeastDeviation * kLeastDeviation);
      alike[{c.shown.metric, c.effect.paired}].push_back(&c);
    }
    if (!c.tested) continue;
    if (!policy.in_question || policy.in_question(c.shown.executable, c.shown.name))
      families[c.shown.metric].push_back(&c);
    else
      c.shown.q_value = 1;
  }
  for (auto& [design, members] : alike) {
    moderate_family(members);
    if (members.front()->timing) add_drift(members);
    for (Candidate* c : members) test(*c, policy);
  }
  for (auto& [metric, family] : families) correct(family, policy);
}

}  // namespace pawl::decide
