// sample.cpp -- see sample.hpp.
#include "decide/sample.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

namespace pawl::decide {

double median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

namespace {

// What the centre scatters by at least: s^2 / n, that of the mean, with s by the median absolute deviation. Not by the
// standard deviation: one repetition that is always slow, the first, scatters but moves no centre.
double variance_of_centre(const std::vector<double>& values) {
  constexpr std::size_t kFewest = 3;
  constexpr double kMadToSigma = 1.4826;
  const double centre = median(values);
  if (values.size() < kFewest || !(centre > 0)) return 0;
  std::vector<double> deviations;
  for (const double v : values) deviations.push_back(std::fabs(v - centre) / centre);
  const double sigma = kMadToSigma * median(std::move(deviations));
  return sigma * sigma / static_cast<double>(values.size());
}

}  // namespace

double centre_of(std::vector<double> values, Quantity quantity) {
  if (quantity == Quantity::other) return median(std::move(values));
  const auto end = values.begin() + static_cast<std::ptrdiff_t>((values.size() + 2) / 3);
  if (quantity == Quantity::duration) {
    std::ranges::partial_sort(values, end);
  } else {
    std::ranges::partial_sort(values, end, std::greater());
  }
  return std::accumulate(values.begin(), end, 0.0) / static_cast<double>(end - values.begin());
}

Sample sample_of(const model::Benchmark& benchmark, std::string_view metric, Quantity quantity,
                 const std::vector<int>& pairs) {
  Sample sample;
  for (const model::Reading& reading : benchmark.readings) {
    const model::Series* series = reading.status == model::Status::ok ? reading.find(metric) : nullptr;
    if (series == nullptr || series->values.empty()) continue;
    ++sample.present;
    const auto usable = [quantity](double v) { return std::isfinite(v) && (v > 0 || quantity == Quantity::other); };
    std::vector<double> values;
    std::ranges::copy_if(series->values, std::back_inserter(values), usable);
    if (values.empty()) {
      ++sample.without;
      continue;
    }
    sample.dropped += series->values.size() - values.size();
    const int pair = reading.process < pairs.size() ? pairs[reading.process] : -1;
    const double within = variance_of_centre(values);
    sample.runs.push_back({centre_of(std::move(values), quantity), pair, reading.process, within});
  }
  return sample;
}

}  // namespace pawl::decide
