// effect.hpp -- the process runs of one benchmark on both sides -> the difference of their logarithms and its variance.
#pragma once
#include <cstddef>
#include <vector>

#include "decide/moderation.hpp"

namespace pawl::decide {

/// The value of one process run, and the pair that it belongs to (-1: none).
struct RunValue {
  double log_value = 0;
  int pair = -1;
};

struct Effect {
  double difference = 0;    ///< mean log(now) - mean log(base)
  Variance variance;        ///< of one run (of one pair's difference, where paired)
  double per_variance = 0;  ///< the squared standard error is variance * per_variance
  bool paired = false;
  std::size_t runs = 0;  ///< pairs, or runs of the smaller side
};

/// Paired where at least two runs a side share pair indices and none is left over; else two independent samples with
/// one variance. With one run a side the variance has no degree of freedom.
Effect measure_effect(const std::vector<RunValue>& base, const std::vector<RunValue>& now);

}  // namespace pawl::decide
