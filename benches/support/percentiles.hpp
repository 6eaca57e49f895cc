// percentiles.hpp -- samples -> the values that given shares of them do not exceed.
#pragma once
#include <optional>
#include <span>
#include <vector>

namespace pawl::bench {

/// The p-quantile (0 <= p <= 1) of the samples, by linear interpolation between order statistics (definition 7 of
/// Hyndman and Fan, "Sample quantiles in statistical packages", 1996). Errors: std::invalid_argument if there is no
/// sample.
double quantile(std::vector<double> samples, double p);

/// Only of as many samples that one of them is expected beyond it: p95 of 20 and more, p99 of 100 and more.
struct Percentiles {
  double p50 = 0;
  std::optional<double> p95, p99;
};
/// Errors: std::invalid_argument if there is no sample.
Percentiles percentiles(std::span<const double> samples);

}  // namespace pawl::bench
