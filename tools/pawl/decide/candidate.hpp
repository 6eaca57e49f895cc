// candidate.hpp -- one metric of one benchmark on its way to a verdict.
#pragma once
#include <cstddef>
#include <optional>

#include "decide/effect.hpp"
#include "decide/sample.hpp"
#include "decide/shared_core.hpp"
#include "decide/spread.hpp"
#include "decide/thresholds.hpp"
#include "decide/verdict.hpp"

namespace pawl::decide {

/// What a change shares with all benchmarks of its executable (common.hpp), as logarithms.
struct Common {
  double taken = 0;     ///< out of the change: the machine rather than the code
  double doubtful = 0;  ///< part of that which only its smallness speaks for; no STABLE may rest on it
  double left = 0;      ///< in the change: nobody knows whether it was the machine or the code
  double variance = 0;  ///< of that
};

struct Candidate {
  Comparison shown;  ///< what is known of it so far
  Sample base, now;  ///< until its effect is measured
  SharedRuns shared;
  Common common;
  Effect effect;  ///< but for the metric "variance", which has a spread
  std::optional<Spread> spread;
  Applied applied;
  std::size_t benchmark = 0;  ///< which match it belongs to
  bool primary = true;        ///< asked for, or the time; others speak only where they have something to say
  bool timing = true;         ///< a time or a rate: it scatters, and it drifts between sessions
  bool is_count = false;      ///< allocations per iteration
  bool tested = false;        ///< has a scatter, so that a test is possible
  double deviation_sq = 0;    ///< squared standard error of the change
  double df = 0;              ///< degrees of freedom of that
  double cut = 0;             ///< p-value that would establish it, were it the only change of its family
};

}  // namespace pawl::decide
