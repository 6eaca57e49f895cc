// standing.hpp -- the readings of a benchmark -> in how many process runs it gave a time, and why not in the others.
#pragma once
#include <cstddef>
#include <string>

#include "model/results.hpp"

namespace pawl::decide {

struct Standing {
  std::size_t measured = 0;  ///< process runs with a usable time: finite and above 0
  std::size_t failed = 0;    ///< process runs without one: it failed, was skipped, or its times are no times
  std::size_t skipped = 0;   ///< of those, where it was skipped
  std::string why;           ///< of the first of those; empty if there is none

  bool only_skipped() const { return measured == 0 && skipped > 0 && skipped == failed; }
  /// "fails: wrong result", "is skipped: no AVX-512", "has no measurement"
  std::string failure() const { return why.empty() ? "has no measurement" : why; }
};

/// A benchmark without the metric real_time (another tool's, --portable) counts as measured where it has any value.
Standing standing_of(const model::Benchmark& benchmark);

}  // namespace pawl::decide
