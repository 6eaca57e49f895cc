// sessions.hpp -- results of two sessions -> what the machine did in between, beyond the scatter of their runs.
#pragma once
#include <deque>
#include <vector>

#include "decide/candidate.hpp"

namespace pawl::decide {

/// Runs of two sessions with the same placement of buffers are compared with each other, if over the whole suite that
/// makes the differences scatter less; one decision for all benchmarks, so that chance cannot choose.
void pair_by_placement_where_it_helps(std::deque<Candidate>& candidates);

/// Adds the drift between sessions to the squared standard error of each candidate that is not paired by neighbours.
/// All are of one metric; deviation_sq and df are set.
void add_drift(std::vector<Candidate*>& members);

}  // namespace pawl::decide
