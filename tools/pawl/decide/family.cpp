// family.cpp -- see family.hpp.
#include "decide/family.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace pawl::decide {
namespace {

// p -> sum of min(p, reach): what chance alone brings to the cut p.
class Expected {
 public:
  explicit Expected(const std::vector<Hypothesis>& tests) {
    for (const Hypothesis& test : tests) reaches_.push_back(test.reach);
    std::ranges::sort(reaches_);
    below_.resize(reaches_.size() + 1);
    std::partial_sum(reaches_.begin(), reaches_.end(), below_.begin() + 1);
  }
  double operator()(double p) const {
    const auto at = static_cast<std::size_t>(std::ranges::lower_bound(reaches_, p) - reaches_.begin());
    return below_[at] + p * static_cast<double>(reaches_.size() - at);
  }

 private:
  std::vector<double> reaches_, below_;
};

}  // namespace

double cut_of_one(const std::vector<Hypothesis>& tests, double rate) {
  std::vector<double> reaches;
  for (const Hypothesis& test : tests) reaches.push_back(test.reach);
  std::ranges::sort(reaches);
  // The quietest tests add their reach and no more; the cut is where the others use up what is left of the rate.
  double left = rate;
  for (std::size_t i = 0; i < reaches.size(); ++i) {
    const double share = left / static_cast<double>(reaches.size() - i);
    if (share <= reaches[i]) return std::min(rate, share);
    left -= reaches[i];
  }
  return rate;
}

std::vector<double> false_discovery_rates(const std::vector<Hypothesis>& tests) {
  const Expected expected(tests);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tests.size(); ++i)
    if (tests[i].counts) order.push_back(i);
  std::ranges::sort(order, {}, [&](std::size_t i) { return tests[i].p; });
  std::vector<double> sorted_p(order.size()), q(tests.size(), 1.0);
  double least = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    sorted_p[k] = tests[order[k]].p;
    least = std::min(least, expected(sorted_p[k]) / static_cast<double>(k + 1));
    q[order[k]] = least;
  }
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (tests[i].counts) continue;
    const auto before = std::ranges::upper_bound(sorted_p, tests[i].p) - sorted_p.begin();
    q[i] = std::min(1.0, expected(tests[i].p) / static_cast<double>(before + 1));
  }
  return q;
}

}  // namespace pawl::decide
