// settle.cpp -- see settle.hpp.
#include "decide/settle.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "decide/distributions.hpp"
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

void test(Candidate& c) {
  const double error = std::sqrt(c.deviation_sq);
  c.shown.p_value = error > 0 ? t_two_sided(c.effect.difference / error, c.df) : c.effect.difference == 0 ? 1.0 : 0.0;
}

// The smallest false discovery rate at which each would be called.
void correct(std::vector<Candidate*>& family) {
  std::ranges::sort(family, {}, [](const Candidate* c) { return *c->shown.p_value; });
  double q = 1;
  for (std::size_t i = family.size(); i-- > 0;) {
    q = std::min(q, *family[i]->shown.p_value * static_cast<double>(family.size()) / static_cast<double>(i + 1));
    family[i]->shown.q_value = q;
  }
}

}  // namespace

void settle(std::deque<Candidate>& candidates) {
  pair_by_placement_where_it_helps(candidates);
  std::map<std::pair<std::string, bool>, std::vector<Candidate*>> alike;  // metric, paired: one design each
  std::map<std::string, std::vector<Candidate*>> families;
  for (Candidate& c : candidates) {
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
    for (Candidate* c : members) test(*c);
  }
  for (auto& [metric, family] : families) correct(family);
}

}  // namespace pawl::decide
