// portable.hpp -- results of two machines -> times in units of what each machine could do, which compare.
#pragma once
#include <string>
#include <vector>

#include "model/results.hpp"

namespace pawl {

/// Replaces each time of both sets by its ratio to the time that the machine's yardsticks allow (show/limit.hpp);
/// benchmarks that don't say their work on both sides, by its product with the geometric mean of the yardsticks that
/// both sides have. The metrics get the names of portable_metric(). All other metrics are dropped but counts and sizes,
/// which are the same everywhere. Runs lose their pairing: the sides did not meet the same machine.
///
/// Returns what to note about it. Errors: Failure(kNothingToCompare) if a side has a process run without yardsticks.
std::vector<std::string> make_portable(model::ResultSet& base, model::ResultSet& now);

/// "real_time" -> "real_time_of_limit": a time in units of the limit. What is no time keeps its name.
std::string portable_metric(const std::string& metric);

}  // namespace pawl
