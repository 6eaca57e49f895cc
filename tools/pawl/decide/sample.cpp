// sample.cpp -- see sample.hpp.
#include "decide/sample.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "decide/quantiles.hpp"
#include "decide/shared_core.hpp"

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

// A fastest repetition is that of so many: as many as docs/gate_accuracy.md is measured with.
constexpr std::size_t kDraws = 5;

// Where the i-th of n normal values in ascending order is expected, in standard deviations (Blom 1958).
double expected_rank(std::size_t i, std::size_t n) {
  const double below = (static_cast<double>(i) + 0.625) / (static_cast<double>(n) + 0.25);
  const double tail = std::min(below, 1 - below);
  const double z = tail < 0.5 ? t_quantile(2 * tail, std::numeric_limits<double>::infinity()) : 0;
  return below < 0.5 ? -z : z;
}

// What the least of `ascending` scatters by at least, as a variance of its logarithm, by the distance between the
// fastest and what comes next: how far the slow ones are off says nothing about the fast.
double variance_of_least(const std::vector<double>& ascending) {
  constexpr std::size_t kFewest = 3;
  const std::size_t n = ascending.size(), next = (n + kDraws - 1) / kDraws;
  if (n < kFewest) return 0;
  const double sigma = std::log(ascending[next] / ascending[0]) / (expected_rank(next, n) - expected_rank(0, n));
  // Of normal values the least of 3 has 0.56 times their variance, of 5 0.45; more are drawn from as independently.
  return 0.5 * sigma * sigma * std::min(1.0, static_cast<double>(kDraws) / static_cast<double>(n));
}

// The same of a median: s^2 / n, that of the mean, with s by the median absolute deviation. Not by the standard
// deviation: one repetition that is always off, the first, scatters but moves no centre.
double variance_of_median(const std::vector<double>& values) {
  constexpr std::size_t kFewest = 3;
  constexpr double kMadToSigma = 1.4826;
  const double centre = median(values);
  if (values.size() < kFewest || !(centre > 0)) return 0;
  std::vector<double> deviations;
  for (const double v : values) deviations.push_back(std::fabs(v - centre) / centre);
  const double sigma = kMadToSigma * median(std::move(deviations));
  return sigma * sigma / static_cast<double>(values.size());
}

// The expected least of kDraws of these, drawn without putting back.
double expected_least(const std::vector<double>& ascending) {
  const std::size_t n = ascending.size();
  if (n <= kDraws) return ascending.front();
  double sum = 0, left = 1;  // left: the chance that none before is among the drawn
  for (std::size_t i = 0; i + kDraws <= n; ++i) {
    const double drawn = static_cast<double>(kDraws) / static_cast<double>(n - i);
    sum += left * drawn * ascending[i];
    left *= 1 - drawn;
  }
  return sum;
}

// The faster first, of rates as the times per work that they stand for.
std::vector<double> ascending_times(std::vector<double> values, Quantity quantity) {
  if (quantity == Quantity::rate)
    for (double& v : values) v = 1 / v;
  std::ranges::sort(values);
  return values;
}

// Whether no repetition had the core alone. Not known, and false, of many threads and where a probe is missing.
bool all_shared(const model::Benchmark& benchmark, const model::Reading& reading, const model::Series& series,
                double free_core) {
  const model::Series* seen =
      free_core > 0 && !says_many_threads(benchmark.name) ? reading.find(model::kOperationsPerCycle) : nullptr;
  return seen != nullptr && seen->values.size() == series.values.size() &&
         std::ranges::all_of(seen->values, [&](double operations) { return is_shared(operations, free_core); });
}

}  // namespace

double centre_of(std::vector<double> values, Quantity quantity) {
  if (quantity == Quantity::other) return median(std::move(values));
  const double least = expected_least(ascending_times(std::move(values), quantity));
  return quantity == Quantity::rate ? 1 / least : least;
}

Sample sample_of(const model::Benchmark& benchmark, std::string_view metric, Quantity quantity,
                 const std::vector<int>& pairs, double free_core) {
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
    const double within =
        quantity == Quantity::other ? variance_of_median(values) : variance_of_least(ascending_times(values, quantity));
    sample.runs.push_back({centre_of(std::move(values), quantity), pair, reading.process, within,
                           all_shared(benchmark, reading, *series, free_core)});
  }
  return sample;
}

}  // namespace pawl::decide
