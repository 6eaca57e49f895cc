// target_values.hpp -- results and the metric of a target -> that metric of every benchmark, run by run.
#pragma once
#include <string>
#include <vector>

#include "decide/targets.hpp"
#include "model/results.hpp"

namespace pawl::show {

/// The metric of each benchmark of `set`, in their order; a row without it has no values. Metrics are
///   real_time, cpu_time   nanoseconds per iteration
///   percent_of_limit      the limit's time / the row's time (limit.hpp), by the yardsticks of the same process
///   over/IMPL             the time of the row with this `impl` / the row's own, in the same process: 2 is twice as
///   fast over/best_peer        the same with the fastest `impl` that is neither this row's own nor one of our variants
///   over/KEY:VALUE        the same with the row whose parameter KEY has this value: over/threads:1
///   anything else         the counter of that name
/// A run counts with decide::centre_of() its repetitions; what failed has no value but says why, and times and
/// rates that are not positive are no values. Rows of one comparison that ran in different processes give one ratio, of
/// their geometric means.
std::vector<decide::TargetRow> target_values(const model::ResultSet& set, const std::string& metric);

/// How people read a value of this metric: "94.2 %", "x1.31", "3.2 ns".
std::string target_value_text(const std::string& metric, double value);

}  // namespace pawl::show
