// say.hpp -- a settled change and its thresholds -> the verdict, its interval and its reason.
#pragma once
#include "decide/candidate.hpp"
#include "decide/policy.hpp"

namespace pawl::decide {

/// With w the change for the worse, [best, worst] its interval at Policy::confidence, and "established" a false
/// discovery rate of at most Policy::alpha over the benchmarks of the metric (a tenth of it for metrics that nobody
/// asked for):
///   CRITICAL      w >= critical, established at a fifteenth of that rate
///   WARNING       established, worst >= warning and w >= warning / 2
///   IMPROVEMENT   established, -w >= improvement
///   STABLE        a change of the threshold would have been seen
///   INCONCLUSIVE  anything else
/// Reasons and evidence: docs/verdicts.md.
/// Where another hardware thread used the core in the runs that a verdict rests on (a CRITICAL or WARNING in the new
/// ones, an IMPROVEMENT or STABLE in those of the baseline), what that can explain is taken off the change
/// (shared_core.hpp), and a verdict that what is left does not carry is INCONCLUSIVE.
/// Where a side has one run, the thresholds alone decide, with the warning kByThresholdAlone; values that never scatter
/// (sizes, counts, accuracies) are STABLE if equal. Counts of allocations: half of one more in each iteration is
/// CRITICAL in a loop that had none; fractions of it are a WARNING. The scatter of the runs only ever warns.
void say_verdict(Candidate& candidate, const Policy& policy);

}  // namespace pawl::decide
