// effect.hpp -- one value per process run on both sides -> the change and how much it scatters.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "decide/moderation.hpp"
#include "decide/sample.hpp"

namespace pawl::decide {

/// The scale that two sides are compared on.
enum class Scale {
  log,       ///< all values are positive: the change is the logarithm of a ratio
  relative,  ///< some value is 0 or negative: the change is the difference over the size of the baseline's mean
  absolute   ///< the baseline's mean is 0: the change is the difference itself
};

/// A change and its scatter: the squared standard error of `difference` is variance.value * per_variance.
struct Effect {
  Scale scale = Scale::log;
  double difference = 0;     ///< now - base on the scale
  double base = 0, now = 0;  ///< centres: geometric means on the log scale, else arithmetic ones
  Variance variance;         ///< of one process run; no degree of freedom: the scatter is unknown
  double within = 0;  ///< what the repetitions of the middle run alone explain: that variance is at least as large
  double per_variance = 0;  ///< 2 / n for n pairs, 1 / n + 1 / m without pairs
  bool paired = false;
  std::size_t runs_base = 0, runs_now = 0;  ///< used
  std::vector<std::string> set_aside;       ///< one line for each process run that was left out as wild
};

/// Paired where at least two pairs are whole and hold at least four fifths of the runs of the smaller side; then runs
/// without a partner are left out. Else two independent samples with one variance.
///
/// One wild run of a side of at least 4 is set aside (docs/verdicts.md, "Wild runs"): far from the others of its side
/// by a t-test on what is left, and not nearer to the other side's, or it could be the other mode of a bimodal
/// benchmark.
///
Effect measure_effect(const std::vector<RunValue>& base, const std::vector<RunValue>& now);

/// Whether measure_effect() pairs them.
bool is_paired(const std::vector<RunValue>& base, const std::vector<RunValue>& now);

}  // namespace pawl::decide
