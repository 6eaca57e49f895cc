// error_counters.hpp -- values and what quantization made of them -> the counters that stand beside the time.
#pragma once
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pawl::bench {

/// Sets mse (mean squared error), snr_db (power of the values over that of the error, in decibels), max_error (largest
/// absolute error) and bytes_per_weight.
inline void set_error_counters(benchmark::State& state, const float* exact, const float* approximate, std::size_t n,
                               double bytes_per_weight) {
  double signal = 0, noise = 0, most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(exact[i]), error = static_cast<double>(approximate[i]) - x;
    signal += x * x;
    noise += error * error;
    most = std::max(most, std::fabs(error));
  }
  state.counters["mse"] = noise / static_cast<double>(n);
  if (noise > 0) state.counters["snr_db"] = 10 * std::log10(signal / noise);
  state.counters["max_error"] = most;
  state.counters["bytes_per_weight"] = bytes_per_weight;
}

}  // namespace pawl::bench
