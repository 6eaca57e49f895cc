// ab.hpp -- two builds, and someone who measures -> a judgement on interleaved runs, with suspicions confirmed.
//
// Measuring, judging and the clock are handed in, so that tests run whole comparisons on made-up benches in no time.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "decide/verdict.hpp"
#include "model/results.hpp"
#include "run/ab_schedule.hpp"
#include "run/plan.hpp"

namespace pawl::run {

struct AbParts {
  std::vector<std::string> executables;  ///< by name; both sides have them under the same index
  std::vector<Row> rows;                 ///< that are to be compared
  std::uint64_t seed = 42;

  /// Measures one process run; `rows` empty: all of the executable's. Returns what it measured.
  std::function<model::ResultSet(const Step&, const std::vector<std::string>& rows)> measure;
  std::function<decide::Judgement(const model::ResultSet& base, const model::ResultSet& now)> judge;
  std::function<double()> now_s;                                  ///< seconds that have passed
  std::function<bool()> is_stopped;                               ///< asked before each process run
  std::function<void(const Batch&, std::size_t steps)> on_batch;  ///< for the log; may be empty
};

struct AbResult {
  decide::Judgement judgement;
  model::ResultSet base, now;  ///< every run of both sets, in order
  std::vector<Batch> batches;
  bool stopped = false;
};

AbResult run_ab(const AbParts& parts, const Rules& rules);

}  // namespace pawl::run
