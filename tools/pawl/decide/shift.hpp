// shift.hpp -- the changes of all benchmarks -> the change that they share, and what the yardsticks say about it.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "decide/verdict.hpp"
#include "model/results.hpp"

namespace pawl::decide {

/// How the yardsticks moved from base to new, as a change of time: the median over the yardsticks of both sides, each
/// the median over its process runs. Empty without common yardsticks.
/// `of_base`, `of_now`: only process runs of that executable; empty: all.
std::optional<double> yardstick_change(const model::ResultSet& base, const model::ResultSet& now,
                                       std::string_view of_base = "", std::string_view of_now = "");

/// The median of the logarithms of the changes, where its distribution-free 95 % interval leaves out 0 and it is at
/// least a percent. Empty with fewer than 8 changes.
std::optional<SuiteShift> suite_shift(std::vector<double> log_changes, std::optional<double> yardsticks);

}  // namespace pawl::decide
