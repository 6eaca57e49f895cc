// unsettled.hpp -- measured rows -> those whose process runs disagree too much for a verdict, or had the core to
// themselves too seldom, and deserve more of them.
//
// Pure, and blind to any baseline: what a row is compared with has no say in how often it is measured.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "model/results.hpp"
#include "run/ab_schedule.hpp"

namespace pawl::run {

struct UnsettledLimits {
  double disagreement = 0.05;  ///< slowest over fastest process run, less 1: the usual threshold of a WARNING
  std::size_t most = 0;        ///< rows
};

/// The rows of which the slowest of two or more process runs took longer than the fastest by more than the limit, by
/// what a process run counts as (decide/sample.hpp), and those of which fewer than two runs had the core alone
/// (decide/shared_core.hpp). Only rows that `gates`, for nothing depends on the others; if they are more than the limit
/// first those that lack runs, then those that disagree most. The order of the result is that of executables and names.
std::vector<Row> unsettled_rows(const model::ResultSet& measured, const std::vector<std::string>& executables,
                                const std::function<bool(const std::string& name)>& gates,
                                const UnsettledLimits& limits);

}  // namespace pawl::run
