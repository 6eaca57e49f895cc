// sessions.hpp -- the changes of a suite between two sessions -> how much more they scatter than their runs tell.
#pragma once
#include <vector>

#include "decide/candidate.hpp"

namespace pawl::decide {

/// Adds to the squared standard error of each member that is not paired what the changes of all scatter by beyond their
/// own errors: each row's own drift between two sessions. At least half a percent, the least that was seen; none is
/// added to interleaved pairs, which met the same machine. All are of one metric; deviation_sq and df are set.
void add_drift(std::vector<Candidate*>& members);

/// Adds a variance to the squared standard error, with the degrees of freedom of the sum: Satterthwaite (1946). `df`:
/// of the variance; 0: it is a constant, and adds no uncertainty of its own.
void add_variance(Candidate& candidate, double variance, double df);

}  // namespace pawl::decide
