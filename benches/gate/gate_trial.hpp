// gate_trial.hpp -- drawn process runs of one binary -> what each rule says of every row.
#pragma once
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "decide/policy.hpp"
#include "decide/verdict.hpp"
#include "gate_runs.hpp"

namespace pawl::gate {

/// What the rules say of one row: ours, and three that know only pooled repetitions.
struct Said {
  decide::Verdict pawl = decide::Verdict::stable;
  bool ranks = false;              ///< Mann-Whitney at 5 %, two-sided, and slower: compare.py's test
  bool five = false, ten = false;  ///< the median is more than 5 % (10 %) above
  bool alarm() const { return pawl == decide::Verdict::warning || pawl == decide::Verdict::critical; }
};

/// One gate: `pairs` pairs of neighbouring runs drawn without replacement, every other one turned around (A B B A).
/// Base and new side are the same rows, but for those of slower:0, which on the new side are those of slower:`percent`.
/// `paired` false: the sides are two sessions, each of neighbouring runs, `pairs` runs long.
/// Returns   for each row of `runs` what was said; where percent > 0 the rows of slower:0 are the slower ones.
std::vector<Said> draw_gate(const Runs& runs, int percent, std::size_t pairs, bool paired, std::mt19937_64& random);

}  // namespace pawl::gate
