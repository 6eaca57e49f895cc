// settle.hpp -- the measured changes of a suite -> how sure each of them is.
#pragma once
#include <deque>
#include <vector>

#include "decide/candidate.hpp"
#include "decide/policy.hpp"

namespace pawl::decide {

/// Fills in tested, deviation_sq, df and the p- and q-values of all candidates:
///   1. Variances are moderated over the benchmarks of a metric (moderation.hpp). Values that never scatter, as counts
///      do, neither lend nor borrow.
///   2. Timings of unpaired sessions get the drift between sessions on top (sessions.hpp).
///   3. Student's t; the false discovery rate over the benchmarks of each metric (family.hpp).
void settle(std::deque<Candidate>& candidates, const Policy& policy);

}  // namespace pawl::decide
