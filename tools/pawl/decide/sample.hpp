// sample.hpp -- the readings of one metric of one benchmark -> one value per process run.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "decide/metric_class.hpp"
#include "model/results.hpp"

namespace pawl::decide {

/// One metric of one benchmark in one process run.
struct RunValue {
  double value = 0;         ///< centre_of() its usable repetitions
  int pair = -1;            ///< the pair of runs that it belongs to; -1: none
  std::size_t process = 0;  ///< index into the set's processes
  double within = 0;        ///< variance of log(value) that its repetitions alone explain; 0 where they are too few
  bool shared = false;      ///< another hardware thread used the core beside each repetition (shared_core.hpp)
};

/// How the repetitions of a process run become one value. Of durations and rates alone: anything else is a median.
struct Estimator {
  enum class Kind { fastest, first, median, mean } kind = Kind::fastest;
  std::size_t draws = 5;  ///< the fastest of so many, as docs/gate_accuracy.md is measured
  bool operator==(const Estimator&) const = default;
};

struct Sample {
  std::vector<RunValue> runs;
  std::size_t present = 0;  ///< process runs that have the metric at all
  std::size_t without = 0;  ///< of those, the ones without any usable repetition
  std::size_t dropped = 0;  ///< repetitions that were left out in the other runs: not finite, or not positive
};

/// One value for the repetitions of a process run: the shortest duration or the highest rate, and the median of
/// anything else. `values` must not be empty.
///
/// Noise that only adds leaves the fastest repetition nearest to the time of the code, and one of them is still clean
/// where a neighbour is busy half of the time: docs/verdicts.md has figures. Since the fastest of many is faster than
/// that of few, more than five count as the mean over all choices of five: what 5, 10 and 100 repetitions of the same
/// code are expected to give is then the same; 3 give 0.3 of their standard deviation more (estimator.hpp).
/// Cost       O(n log n).
/// Source     J. Chen, J. Revels, "Robust benchmarking in noisy environments", arXiv:1608.04295, 2016, section III.
double centre_of(std::vector<double> values, Quantity quantity, Estimator estimator = {});

/// Durations and rates of 0 and less are no measurements and left out.
/// `pairs`: for each process of the set its pair, or -1. `free_core`: shared_core.hpp; 0 where it is not known.
Sample sample_of(const model::Benchmark& benchmark, std::string_view metric, Quantity quantity,
                 const std::vector<int>& pairs, double free_core = 0, Estimator estimator = {});

/// The middle value; of an even number the mean of the two in the middle. `values` must not be empty.
double median(std::vector<double> values);

}  // namespace pawl::decide
