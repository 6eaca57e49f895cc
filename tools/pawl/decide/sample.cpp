// sample.cpp -- see sample.hpp.
#include "decide/sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
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

// Where the i-th of n normal values in ascending order is expected, in standard deviations (Blom 1958).
double expected_rank(std::size_t i, std::size_t n) {
  const double below = (static_cast<double>(i) + 0.625) / (static_cast<double>(n) + 0.25);
  const double tail = std::min(below, 1 - below);
  const double z = tail < 0.5 ? t_quantile(2 * tail, std::numeric_limits<double>::infinity()) : 0;
  return below < 0.5 ? -z : z;
}

// What the least of `ascending` scatters by at least, as a variance of its logarithm, by the distance between the
// fastest and what comes next: how far the slow ones are off says nothing about the fast.
double variance_of_least(const std::vector<double>& ascending, std::size_t draws) {
  constexpr std::size_t kFewest = 3;
  const std::size_t n = ascending.size(), next = (n + draws - 1) / draws;
  if (n < kFewest) return 0;
  const double sigma = std::log(ascending[next] / ascending[0]) / (expected_rank(next, n) - expected_rank(0, n));
  // Of normal values the least of 3 has 0.56 times their variance, of 5 0.45; more are drawn from as independently.
  return 0.5 * sigma * sigma * std::min(1.0, static_cast<double>(draws) / static_cast<double>(n));
}

// What one repetition scatters by, by the median absolute deviation. Not by the standard deviation: one repetition that
// is always off, the first, scatters but moves no centre.
double variance_of_one(const std::vector<double>& values) {
  constexpr std::size_t kFewest = 3;
  constexpr double kMadToSigma = 1.4826;
  const double centre = median(values);
  if (values.size() < kFewest || !(centre > 0)) return 0;
  std::vector<double> deviations;
  for (const double v : values) deviations.push_back(std::fabs(v - centre) / centre);
  const double sigma = kMadToSigma * median(std::move(deviations));
  return sigma * sigma;
}

// The expected least of so many of these, drawn without putting back.
double expected_least(const std::vector<double>& ascending, std::size_t draws) {
  const std::size_t n = ascending.size();
  if (n <= draws) return ascending.front();
  double sum = 0, left = 1;  // left: the chance that none before is among the drawn
  for (std::size_t i = 0; i + draws <= n; ++i) {
    const double drawn = static_cast<double>(draws) / static_cast<double>(n - i);
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

// What centre_of() scatters by at least; a median as a mean does.
double variance_of_centre(const std::vector<double>& values, Quantity quantity, Estimator estimator) {
  if (quantity != Quantity::other && estimator.kind == Estimator::Kind::fastest)
    return variance_of_least(ascending_times(values, quantity), estimator.draws);
  const double one = variance_of_one(values);
  const bool is_one = quantity != Quantity::other && estimator.kind == Estimator::Kind::first;
  return is_one ? one : one / static_cast<double>(values.size());
}

// The probe beside each repetition; none, so that nothing is known of sharing, of many threads and where one is
// missing.
const model::Series* probes_of(const model::Benchmark& benchmark, const model::Reading& reading,
                               const model::Series& series, double free_core) {
  const model::Series* seen =
      free_core > 0 && !says_many_threads(benchmark.name) ? reading.find(model::kOperationsPerCycle) : nullptr;
  return seen != nullptr && seen->values.size() == series.values.size() ? seen : nullptr;
}

}  // namespace

double centre_of(std::vector<double> values, Quantity quantity, Estimator estimator) {
  using Kind = Estimator::Kind;
  if (quantity == Quantity::other || estimator.kind == Kind::median) return median(std::move(values));
  if (estimator.kind == Kind::first) return values.front();
  if (estimator.kind == Kind::mean)
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  const double least = expected_least(ascending_times(std::move(values), quantity), estimator.draws);
  return quantity == Quantity::rate ? 1 / least : least;
}

Sample sample_of(const model::Benchmark& benchmark, std::string_view metric, Quantity quantity,
                 const std::vector<int>& pairs, double free_core, Estimator estimator) {
  Sample sample;
  for (const model::Reading& reading : benchmark.readings) {
    const model::Series* series = reading.status == model::Status::ok ? reading.find(metric) : nullptr;
    if (series == nullptr || series->values.empty()) continue;
    ++sample.present;
    const model::Series* probes = probes_of(benchmark, reading, *series, free_core);
    const bool shared = probes != nullptr && std::ranges::all_of(probes->values, [&](double operations) {
                          return is_shared(operations, free_core);
                        });
    std::vector<double> values, alone;
    values.reserve(series->values.size());
    for (std::size_t i = 0; i < series->values.size(); ++i) {
      const double v = series->values[i];
      if (!std::isfinite(v) || !(v > 0 || quantity == Quantity::other)) continue;
      values.push_back(v);
      if (probes != nullptr && !is_shared(probes->values[i], free_core)) alone.push_back(v);
    }
    if (values.empty()) {
      ++sample.without;
      continue;
    }
    sample.dropped += series->values.size() - values.size();
    const int pair = reading.process < pairs.size() ? pairs[reading.process] : -1;
    // The fastest of all is seldom one beside another thread; what is not, may be.
    if (estimator != Estimator{} && quantity != Quantity::other && !alone.empty()) values = std::move(alone);
    const double within = variance_of_centre(values, quantity, estimator);
    sample.runs.push_back({centre_of(std::move(values), quantity, estimator), pair, reading.process, within, shared});
  }
  return sample;
}

}  // namespace pawl::decide
