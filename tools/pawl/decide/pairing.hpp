// pairing.hpp -- the process runs of two sides -> which of them ran next to each other.
#pragma once
#include <vector>

#include "model/results.hpp"

namespace pawl::decide {

/// For each process of a side the number of its pair, or -1; both halves of a pair have the same number.
struct Pairing {
  std::vector<int> base, now;
  bool two_sessions = false;  ///< runs with the same index did not run next to each other, and are no pairs
};

/// Runs are partners if they carry the same pair index and executable, unless their start times say that another pair's
/// run began between them: then the sides are of two sessions that both had pairs, with others. Where no run of a side
/// has a pair index, they are partners by their start times: in the order of time, each two neighbours must come from
/// the two sides (A B B A, A B A B), so that results that other tools interleaved are paired as well.
Pairing pair_neighbours(const model::ResultSet& base, const model::ResultSet& now);

}  // namespace pawl::decide
