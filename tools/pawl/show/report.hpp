// report.hpp -- a run, and its comparison if there was one -> report.md.
#pragma once
#include <string>

#include "model/results.hpp"

namespace pawl::show {

/// Markdown: the machine, how it was measured, what disturbed it, the yardsticks, failures, and our rows beside their
/// peers. `comparison` is markdown too (empty: none) and comes first.
std::string format_report(const model::ResultSet& set, const std::string& comparison);

}  // namespace pawl::show
