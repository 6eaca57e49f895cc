// common.hpp -- what all benchmarks of an executable share in a process run -> taken out of each of them.
//
// A process run that met a slower clock or a busy neighbour is slower in all its rows. Measured on 33 pairs of runs of
// one binary, that common movement was four fifths of the scatter of the differences (docs/verdicts.md): without it a
// row scatters by 0.7 % instead of 1.2 %.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "decide/candidate.hpp"
#include "model/results.hpp"

namespace pawl::decide {

/// Changes the values of timings that ran in more than one process run, before their effects are measured:
///   1. The movement of each process run against the other runs of its side: the median over at least 8 rows. A row
///      that changed does not count, since each row is compared with its own median: one slow run does not move it.
///   2. Candidate::common, for the shift between the two sides, which is the median of the differences of all rows:
///      between two sessions it is taken out of each change as far as the yardsticks explain it; and what is left, or
///      all of it in interleaved pairs, where it is at most kMostShared: a small movement of the whole suite is said
///      once, not by every row. More than that stays in the changes, with its uncertainty.
/// Returns    what was done, in words, for the notes.
std::vector<std::string> take_out_common(std::deque<Candidate>& candidates, const model::ResultSet& base,
                                         const model::ResultSet& now);

inline constexpr std::size_t kFewestRows = 8;  // a median of fewer moves with each of them
inline constexpr double kMostShared = 0.025;   // half of the usual threshold

}  // namespace pawl::decide
