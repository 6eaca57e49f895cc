// metric_class.hpp -- a metric's name -> what kind of quantity it is and which way it gets worse.
#pragma once
#include <string_view>

#include "decide/policy.hpp"

namespace pawl::decide {

/// The metric that judge() makes itself: the scatter of the process runs' times, as a coefficient of variation.
inline constexpr const char* kVariance = "variance";

/// What the benches here call their bytes per second; elsewhere it may be any number of bytes
/// (Policy::bytes_are_a_rate).
inline constexpr const char* kBytes = "bytes";

/// What `pawl compare --portable` adds to the name of a time in units of the machine's limit. Such a metric is of the
/// class "other", for it is no duration, but the rules of the time are meant for it.
inline constexpr std::string_view kOfLimit = "_of_limit";

/// The class of a metric, by the words in its name (case does not matter):
///   time         real_time, cpu_time, p50 to p999, latency
///   throughput   *_per_second, /s, rate, fps, ops, flops, bandwidth, and `bytes`, which the benches here use for
///                bytes per second
///   allocations  alloc, allocs, allocations, mallocs
///   memory       max_bytes_used and its kin, peak, rss, heap, *_bytes
///   accuracy     error, err, ulp, mse, mae, rmse, accuracy, snr, recall, precision
///   variance     what judge() makes of the scatter between process runs
///   other        anything else
std::string_view metric_class(std::string_view metric);

/// What disturbs a metric, and so how its repetitions become one value.
enum class Quantity {
  duration,  ///< positive; disturbances only lengthen it
  rate,      ///< positive; disturbances only lower it
  other      ///< any number: counts, sizes, errors
};

/// Times are durations, throughputs are rates.
Quantity quantity_of(std::string_view metric);

/// The direction that a metric has unless a rule says otherwise: rates and qualities (accuracy, snr, recall, hit rates,
/// speedup) get worse by shrinking.
Direction natural_direction(std::string_view metric);

/// Whether the name says so much; of any other, that larger is worse is a guess.
bool direction_is_known(std::string_view metric);

}  // namespace pawl::decide
