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
    c->deviation_sq = v.value * c->effect.per_variance;
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

void test(Candidate& c) {
  const double error = std::sqrt(c.deviation_sq);
  c.shown.p_value = error > 0 ? t_two_sided(c.effect.difference / error, c.df) : c.effect.difference == 0 ? 1.0 : 0.0;
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
  for (std::size_t i = 0; i < family.size(); ++i) family[i]->shown.q_value = rates[i];
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
    if (c.tested) families[c.shown.metric].push_back(&c);
  }
  for (auto& [design, members] : alike) {
    moderate_family(members);
    if (members.front()->timing) add_drift(members);
    for (Candidate* c : members) add_variance(*c, c->common.variance, 0);
    for (Candidate* c : members) test(*c);
  }
  for (auto& [metric, family] : families) correct(family, policy);
}

}  // namespace pawl::decide
