// bounds.hpp -- thresholds as relative changes -> bounds on the scale that a change is measured on.
#pragma once
#include "decide/candidate.hpp"
#include "decide/policy.hpp"

namespace pawl::decide {

/// Thresholds on the scale of the change, all positive: for the worse, and for the better.
struct Bounds {
  double warning = 0, critical = 0, better = 0;
};

Bounds bounds_of(const Candidate& candidate);

/// The false discovery rate that its family may have: Policy::alpha; two thirds of it between two sessions, whose drift
/// is itself an estimate; and a tenth for a metric that nobody asked for, since each metric is one more family in which
/// chance can raise an alarm.
double alpha_of(const Candidate& candidate, const Policy& policy);

/// Half the width of the interval at Policy::confidence.
double interval_reach(const Candidate& candidate, double confidence);

/// How far from the estimate a change is excluded surely enough to be called STABLE: wrong less often than the interval
/// that is shown.
double sure_reach(const Candidate& candidate, double confidence);
/// Chance, both sides together, that a change of just the threshold is called STABLE: 0.1 % in the direction that
/// matters. On resampled runs of one binary with real slow-downs of 5 % it was 0.07 % (docs/gate_accuracy.md).
inline constexpr double kStableError = 0.002;
/// The same with five runs a side and nothing borrowed from other benchmarks: 0.2 % of Student's t with 4 degrees of
/// freedom is 7 standard errors, and three quiet benchmarks could never be STABLE.
inline constexpr double kStableErrorAlone = 0.01, kAloneDf = 5;

/// The smallest change for the worse that can be a WARNING: the threshold is not surely excluded, and it is at least
/// half of it by itself. To ask for an estimate above the threshold would miss half of all changes that are exactly as
/// large.
double least_warning(const Candidate& candidate, double confidence);

}  // namespace pawl::decide
