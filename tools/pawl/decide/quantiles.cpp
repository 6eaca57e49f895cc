// quantiles.cpp -- see quantiles.hpp.
#include "decide/quantiles.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "decide/distributions.hpp"

namespace pawl::decide {

double t_quantile(double p, double df) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kSteps = 500;   // of log(df): 0.2 % each
  constexpr double kNormal = 1e6;  // from here on Student's t is the normal distribution to six digits
  if (!(df > 0)) return kInfinity;
  thread_local std::map<std::pair<double, double>, double> seen;
  const double rounded = df >= kNormal          ? kInfinity
                         : df == std::floor(df) ? df
                                                : std::exp(std::floor(std::log(df) * kSteps) / kSteps);
  const auto [at, is_new] = seen.try_emplace({p, rounded}, 0);
  if (is_new) at->second = t_quantile_two_sided(p, rounded);
  return at->second;
}

}  // namespace pawl::decide
