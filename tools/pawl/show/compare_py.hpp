// compare_py.hpp -- a comparison -> the JSON that google/benchmark's compare.py -d writes, for scripts that read it.
#pragma once
#include <string>

#include "decide/verdict.hpp"
#include "model/results.hpp"

namespace pawl::show {

/// A list with an entry per benchmark that both sides have: name, label, time_unit, run_type, aggregate_name, utest,
/// and measurements (one per repetition, in time_unit, relative changes in `time` and `cpu`), then OVERALL_GEOMEAN.
/// Ours adds the key `verdict` to each. `utest` is empty, as compare.py leaves it without enough repetitions: verdicts
/// here do not come from that test.
std::string format_compare_py(const decide::Judgement& judgement, const model::ResultSet& base,
                              const model::ResultSet& now);

}  // namespace pawl::show
