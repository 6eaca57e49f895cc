// candidate.hpp -- one metric of one benchmark on its way to a verdict.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>

#include "decide/effect.hpp"
#include "decide/spread.hpp"
#include "decide/thresholds.hpp"
#include "decide/verdict.hpp"

namespace pawl::decide {

struct Candidate {
  Comparison shown;                      ///< what is known of it so far
  Effect effect;                         ///< but for the metric "variance", which has a spread
  std::unique_ptr<Effect> by_placement;  ///< the same, paired by the placement of buffers: sessions.hpp
  std::optional<Spread> spread;
  Applied applied;
  std::size_t benchmark = 0;  ///< which match it belongs to
  bool primary = true;        ///< asked for, or the time; others speak only where they have something to say
  bool timing = true;         ///< a time or a rate: it scatters, and it drifts between sessions
  bool is_count = false;      ///< allocations per iteration
  bool tested = false;        ///< has a scatter, so that a test is possible
  double deviation_sq = 0;    ///< squared standard error of the change
  double df = 0;              ///< degrees of freedom of that
};

}  // namespace pawl::decide
