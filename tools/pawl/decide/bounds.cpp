// bounds.cpp -- see bounds.hpp.
#include "decide/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "decide/quantiles.hpp"

namespace pawl::decide {

Bounds bounds_of(const Candidate& c) {
  const Thresholds& t = c.applied.thresholds;
  switch (c.effect.scale) {
    case Scale::log:
      // A rate that falls by x takes 1 / (1 - x) times as long, so logarithms keep symmetry.
      return {std::log1p(t.warning), std::log1p(t.critical), std::log1p(t.improvement)};
    case Scale::relative:
      return {t.warning, t.critical, t.improvement};
    case Scale::absolute:
      break;
  }
  constexpr double kAny = std::numeric_limits<double>::min();  // there is no ratio to 0: any difference is beyond it
  return {kAny, kAny, kAny};
}

double interval_reach(const Candidate& c, double confidence) {
  return c.deviation_sq > 0 ? t_quantile(1 - confidence, c.df) * std::sqrt(c.deviation_sq) : 0;
}

double alpha_of(const Candidate& c, const Policy& policy) {
  constexpr double kSecondaryShare = 0.1, kSessionsShare = 2 / 3.0;
  return policy.alpha * (c.primary ? 1 : kSecondaryShare) * (c.effect.paired ? 1 : kSessionsShare);
}

double sure_reach(const Candidate& c, double confidence) {
  // Between sessions the drift does not shrink with more runs; there the interval itself has to do.
  const double error = c.df < kAloneDf ? kStableErrorAlone : kStableError;
  return interval_reach(c, c.effect.paired ? 1 - error : confidence);
}

double least_warning(const Candidate& c, double confidence) {
  const double warning = bounds_of(c).warning;
  constexpr double kMissed = 0.01;  // of changes of just the threshold: 0.5 % in the direction that matters
  return std::max(warning / 2, warning - interval_reach(c, c.effect.paired ? 1 - kMissed : confidence));
}

}  // namespace pawl::decide
