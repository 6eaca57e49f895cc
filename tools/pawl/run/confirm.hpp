// confirm.hpp -- suspicions and doubts of a comparison with a baseline -> what a second, independent set of runs says.
//
// Measuring and judging are handed in, so that tests need neither.
#pragma once
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

struct ConfirmParts {
  std::vector<std::string> executables;  ///< by name; steps and rows refer to them by index
  std::vector<Row> rows;                 ///< what was measured
  int runs = 3;                          ///< process runs of the second set
  int first_run = 3;                     ///< index of its first one
  std::uint64_t seed = 42;
  double free_core = 0;  ///< that the baseline saw (decide::free_cores); 0 if it saw none

  /// One process run of these rows of an executable, or nothing if it was stopped.
  std::function<std::optional<model::ResultSet>(const Step& step, const std::vector<std::string>& rows)> measure;
  /// Against the baseline, with these rows in question (decide::Policy).
  std::function<decide::Judgement(
      const model::ResultSet& now,
      const std::function<bool(const std::string& executable, const std::string& name)>& in_question)>
      judge;
  /// For the log; may be empty. `again`: of rows whose core was shared, not a first look at suspects.
  std::function<void(const std::vector<Row>& rows, const std::vector<Step>& steps, bool again)> on_start;
};

struct Confirmation {
  decide::Judgement judgement;
  std::vector<model::ResultSet> sets;  ///< what was measured, one set for each process run
  bool stopped = false;                ///< the judgement is then the first one
};

/// Measures each suspicion of `first` (ab_verdict.hpp), and the largest doubts, at most 5 or an eighth of the rows,
/// again, as often as before and with the same placements of its data, and judges it by these runs alone, as one of
/// the few that were picked; all other rows stand as they were measured, since the drift between the sessions is
/// estimated from the whole suite.
/// Rows of which too few runs had the core alone (decide/shared_core.hpp) are measured so often once more, and again,
/// before that is their answer: which of them is not seen by their times.
Confirmation confirm(const ConfirmParts& parts, const model::ResultSet& measured, decide::Judgement first);

}  // namespace pawl::run
