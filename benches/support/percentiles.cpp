// percentiles.cpp -- see percentiles.hpp for the definition.
#include "percentiles.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pawl::bench {
namespace {

double of_sorted(std::span<const double> sorted, double p) {
  if (sorted.empty()) throw std::invalid_argument("quantile: no sample");
  if (!(p >= 0 && p <= 1)) throw std::invalid_argument("quantile: p is not from 0 to 1");
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - std::floor(position)) * (sorted[above] - sorted[below]);
}

}  // namespace

double quantile(std::vector<double> samples, double p) {
  std::ranges::sort(samples);
  return of_sorted(samples, p);
}

Percentiles percentiles(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  Percentiles result{of_sorted(sorted, 0.50), {}, {}};
  if (sorted.size() >= 20) result.p95 = of_sorted(sorted, 0.95);
  if (sorted.size() >= 100) result.p99 = of_sorted(sorted, 0.99);
  return result;
}

}  // namespace pawl::bench
