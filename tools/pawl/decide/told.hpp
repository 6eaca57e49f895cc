// told.hpp -- the verdicts of all metrics of a benchmark -> which of them have something of their own to say.
#pragma once
#include <optional>

#include "decide/candidate.hpp"

namespace pawl::decide {

/// Whether a metric that nobody asked for stays out of the table: nothing established, or
/// a time or rate that says what `time`, the verdict on the benchmark's own time, says already.
/// `time`: empty if there is none.
bool is_told_already(const Candidate& candidate, std::optional<Verdict> time);

}  // namespace pawl::decide
