// estimator.cpp -- see estimator.hpp.
#include "decide/estimator.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace pawl::decide {
namespace {

// "median" or "mean": what the value of a reading is that a file states itself.
bool states_median(const model::Reading& reading, std::string_view metric) {
  return reading.aggregates.empty() || std::ranges::any_of(reading.aggregates, [&](const model::Aggregate& aggregate) {
           return aggregate.metric == metric && aggregate.name == "median";
         });
}

template <class Visit>
void for_each_series(const model::Benchmark& benchmark, std::string_view metric, Visit visit) {
  for (const model::Reading& reading : benchmark.readings) {
    const model::Series* series = reading.status == model::Status::ok ? reading.find(metric) : nullptr;
    if (series != nullptr && !series->values.empty()) visit(reading, series->values.size());
  }
}

// The repetitions of the middle one of its process runs.
std::size_t usual_repetitions(const model::Benchmark& benchmark, std::string_view metric) {
  std::vector<std::size_t> counts;
  for_each_series(benchmark, metric, [&](const model::Reading&, std::size_t count) { counts.push_back(count); });
  const auto at = counts.begin() + static_cast<std::ptrdiff_t>((counts.size() - 1) / 2);
  std::ranges::nth_element(counts, at);
  return *at;
}

}  // namespace

Estimator common_estimator(const model::Benchmark& base, const model::Benchmark& now, std::string_view metric) {
  Estimator estimator;
  bool repetitions = false, medians = false, means = false, one_sided = false;
  std::size_t fewest = std::numeric_limits<std::size_t>::max(), most = 0;
  for (const model::Benchmark* side : {&base, &now}) {
    bool any = false;
    for_each_series(*side, metric, [&](const model::Reading& reading, std::size_t count) {
      any = true;
      fewest = std::min(fewest, count);
      most = std::max(most, count);
      bool& kind = !reading.aggregates_only ? repetitions : states_median(reading, metric) ? medians : means;
      kind = true;
    });
    one_sided = one_sided || !any;
  }
  if (one_sided || (!medians && !means && (fewest == most || fewest >= estimator.draws))) return estimator;
  if (!medians && !means) {
    const std::size_t a = usual_repetitions(base, metric), b = usual_repetitions(now, metric);
    if (a != b) estimator.draws = std::min({estimator.draws, a, b});
    if (estimator.draws == 1) estimator.kind = Estimator::Kind::first;
  } else if (repetitions) {
    estimator.kind = medians ? Estimator::Kind::median : Estimator::Kind::mean;
  }
  return estimator;
}

}  // namespace pawl::decide
