// shared_core.hpp -- a row on both sides -> which of its process runs another hardware thread of the core slowed, and
// the row without them.
//
// The benches say beside each repetition how many independent operations the core did per cycle
// (pawl/machine.hpp). Where another hardware thread uses the core these are fewer, and the time of the
// repetition is a bound and not a measurement: the code takes no longer than that.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "decide/sample.hpp"
#include "model/results.hpp"

namespace pawl::decide {

/// What this machine's core does where it is alone: the most of the operations per cycle that were seen, but not a few
/// up to 5 % above what others agree on to 1 %. 0 where nobody looked.
///
/// A Zen 5 alone does 5.02 to 5.09; in bursts 4 of 1080 probes were 5.24 to 5.27, beside which all others would pass
/// for shared. What sharing takes is more than that: a lone value further up is believed.
double free_core(std::vector<double> operations);
/// The same, of all probes beside repetitions of one thread.
double free_core(const model::ResultSet& set);

/// What the core does alone, for each side of a comparison.
struct FreeCores {
  double base = 0, now = 0;
  /// The most that a side saw itself, where that was a shared core: another hardware thread was there all the time. 0:
  /// it was not, or nobody can know.
  double shared_base = 0, shared_now = 0;
};

/// Of one machine the probes of both sides count for either: they depend on no clock, and a neighbour may stay for a
/// whole session. Where the machines may differ (no key, or other keys, CPU models or build types) each side's own do.
FreeCores free_cores(const model::ResultSet& base, const model::ResultSet& now);

/// "threads:4" as a part of its own in a benchmark's name. Such a one may never have its core alone, because of itself.
bool says_many_threads(std::string_view name);

/// Whether a core that did so many operations per cycle was shared. Probes of a core alone agree within 0.5 %, and
/// beside a busy thread they lose 12 to 50 % (docs/benchmarking.md).
bool is_shared(double operations_per_cycle, double free_core);

/// How many repetitions of one thread were looked at, and beside how many another hardware thread used the core.
struct CoreUse {
  std::size_t repetitions = 0, shared = 0;
};
CoreUse core_use(const model::ResultSet& set);

/// Whether some process runs were shared and fewer than 2, what a verdict needs, were not.
bool lacks_runs_alone(const Sample& sample);

/// Process runs in which no repetition had the core alone.
struct SharedRuns {
  std::size_t base = 0, now = 0;  ///< left in the samples, because too few others are there
  std::size_t set_aside = 0;
  std::size_t pairs = 0,
              unlike = 0;  ///< where runs are paired: the pairs left, and of them those of which one half was
};

/// Takes the shared runs out of both samples where enough others are left: 3 whole pairs where runs are paired, else 2
/// runs of the side.
SharedRuns set_aside_shared(Sample& base, Sample& now);

/// How much of a change of time or rate the runs that are left could owe to the other hardware threads, as the
/// logarithm of a ratio: 0 where none was shared. A factor of 2 where one side had the core alone, 1.25 where neither
/// had; of pairs, whose halves meet the same neighbour, only those count of which one half was shared.
///
/// Of a quick suite on a Zen 5 whose neighbour came and went, runs beside it over runs alone: of 812 rows the median
/// 1.21, 99 % below 1.83; two runs beside it over two others beside it, 37 rows: 95 % below 1.19.
double explained_by_sharing(const SharedRuns& shared);

}  // namespace pawl::decide
