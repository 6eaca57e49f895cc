// ab.hpp -- two builds, and someone who measures -> a judgement on interleaved runs, with suspicions confirmed.
//
// Measuring, judging and the clock are handed in, so that tests run whole comparisons on made-up benches in no time.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
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

  /// Measures a pair of process runs, `first.side` first; `rows` empty: all of the executable's. Returns what base and
  /// new measured, or nothing if it was stopped.
  std::function<std::optional<std::array<model::ResultSet, 2>>(const Step& first, const std::vector<std::string>& rows)>
      measure_pair;
  std::function<decide::Judgement(const model::ResultSet& base, const model::ResultSet& now)> judge;
  std::function<double()> now_s;                                               ///< seconds that have passed
  std::function<bool()> is_stopped;                                            ///< asked before each process run
  std::function<void(const Batch&, const std::vector<Step>& steps)> on_batch;  ///< for the log; may be empty
};

struct AbResult {
  decide::Judgement judgement;
  model::ResultSet base, now;  ///< every run of both sets, in order
  std::vector<Batch> batches;
  bool stopped = false;
};

AbResult run_ab(const AbParts& parts, const Rules& rules);

}  // namespace pawl::run
