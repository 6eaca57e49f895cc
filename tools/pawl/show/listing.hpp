// listing.hpp -- baselines and result sets -> lists for people.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/results.hpp"

namespace pawl::show {

struct ListedBaseline {
  std::string machine_key, name;
  model::ResultSet set;
  std::string problem;  ///< why it can't be read; empty if it can
  std::optional<double> age_days;
};

/// One line each, this machine's first; old and damaged ones are marked.
std::string format_baselines(const std::vector<ListedBaseline>& baselines, std::string_view here);

/// What a set holds: machine, method, process runs, and each benchmark's median and spread between process runs.
std::string format_results_listing(const model::ResultSet& set, const std::string& path);

/// One benchmark, over its process runs.
struct Spread {
  std::size_t runs = 0;
  double median = 0;    ///< of the process runs' medians, in seconds; NaN without any
  double relative = 0;  ///< standard deviation of their logarithms; NaN below two runs
};
Spread spread_of(const model::Benchmark& benchmark, std::string_view metric);

/// Median of the finite ones; NaN if there is none.
double median_of(std::vector<double> values);

}  // namespace pawl::show
