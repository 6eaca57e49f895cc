// unsettled.cpp -- see unsettled.hpp.
#include "run/unsettled.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "decide/sample.hpp"
#include "decide/shared_core.hpp"

namespace pawl::run {
namespace {

// 0 where there is nothing to disagree; infinite where too few runs had the core alone.
double disagreement(const model::Benchmark& benchmark, double free_core) {
  const auto sample = decide::sample_of(benchmark, model::kRealTime, decide::Quantity::duration, {}, free_core);
  if (decide::lacks_runs_alone(sample)) return std::numeric_limits<double>::infinity();
  if (sample.runs.size() < 2) return 0;
  const auto [fastest, slowest] = std::ranges::minmax(sample.runs, {}, &decide::RunValue::value);
  return slowest.value / fastest.value - 1;
}

}  // namespace

std::vector<Row> unsettled_rows(const model::ResultSet& measured, const std::vector<std::string>& executables,
                                const std::function<bool(const std::string& name)>& gates,
                                const UnsettledLimits& limits) {
  struct Found {
    double disagreement;
    Row row;
  };
  std::vector<Found> found;
  const double free_core = decide::free_core(measured);
  for (const model::Benchmark& benchmark : measured.benchmarks) {
    const auto executable = std::ranges::find(executables, benchmark.executable.str());
    const double by = disagreement(benchmark, free_core);
    if (by > limits.disagreement && executable != executables.end() && gates(benchmark.name))
      found.push_back({by, {static_cast<std::size_t>(executable - executables.begin()), benchmark.name}});
  }
  std::ranges::sort(found, [](const Found& a, const Found& b) {
    return std::tie(b.disagreement, a.row) < std::tie(a.disagreement, b.row);
  });
  std::vector<Row> rows;
  for (Found& one : found)
    if (rows.size() < limits.most) rows.push_back(std::move(one.row));
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace pawl::run
