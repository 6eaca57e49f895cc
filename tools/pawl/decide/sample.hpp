// sample.hpp -- the readings of one metric of one benchmark -> one value per process run.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "model/results.hpp"

namespace pawl::decide {

/// One metric of one benchmark in one process run.
struct RunValue {
  double value = 0;         ///< median of its usable repetitions
  int pair = -1;            ///< the pair of runs that it belongs to; -1: none
  std::size_t process = 0;  ///< index into the set's processes
  double within = 0;        ///< variance of log(value) that its repetitions alone explain; 0 where they are too few
};

struct Sample {
  std::vector<RunValue> runs;
  std::size_t present = 0;  ///< process runs that have the metric at all
  std::size_t without = 0;  ///< of those, the ones without any usable repetition
  std::size_t dropped = 0;  ///< repetitions that were left out in the other runs: not finite, or not positive
};

/// `positive`: for times and rates, of which 0 and less are no measurement.
/// `pairs`: for each process of the set its pair, or -1.
Sample sample_of(const model::Benchmark& benchmark, std::string_view metric, bool positive,
                 const std::vector<int>& pairs);

/// The middle value; of an even number the mean of the two in the middle. `values` must not be empty.
double median(std::vector<double> values);

}  // namespace pawl::decide
