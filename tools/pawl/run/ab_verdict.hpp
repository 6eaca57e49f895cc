// ab_verdict.hpp -- the verdicts of two independent sets of runs -> one judgement, in which only what both sets say
// fails.
//
// Pure.
#pragma once
#include <functional>
#include <vector>

#include "decide/verdict.hpp"

namespace pawl::run {

/// A WARNING or CRITICAL: what a second set has to confirm. Failed and missing benchmarks need no statistics.
bool is_suspicion(const decide::Comparison& comparison);

/// An INCONCLUSIVE time of a gated benchmark that may well be CRITICAL: its estimate is. Worth a second set of runs
/// where nobody asked for a number of runs that decides.
bool is_doubt(const decide::Comparison& comparison);

/// `first` with each row that `asked` picks replaced by what `second`, judged on its own runs alone, says about the
/// same benchmark and metric; its reason tells both. One that `second` lacks stays as it is, with a warning. The
/// summary is counted anew and the order restored.
decide::Judgement merge_confirmation(decide::Judgement first, const decide::Judgement& second,
                                     const std::function<bool(const decide::Comparison&)>& asked = is_suspicion);

}  // namespace pawl::run
