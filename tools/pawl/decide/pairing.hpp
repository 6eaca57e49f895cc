// pairing.hpp -- the process runs of two sides -> which of them ran next to each other.
#pragma once
#include <vector>

#include "model/results.hpp"

namespace pawl::decide {

/// For each process of a side the number of its pair, or -1; both halves of a pair have the same number.
struct Pairing {
  std::vector<int> base, now;
};

/// Runs are partners if they carry the same pair index and executable. Where no run of a side has a pair index, they
/// are partners by their start times: in the order of time, each two neighbours must come from the two sides (A B B A,
/// A B A B), so that results that other tools interleaved are paired as well.
Pairing pair_neighbours(const model::ResultSet& base, const model::ResultSet& now);

/// Runs of two sessions are partners if they had the same placement of buffers (`pawl_placement` in their context) and
/// no other run of their side and executable had it.
Pairing pair_by_placement(const model::ResultSet& base, const model::ResultSet& now);

}  // namespace pawl::decide
