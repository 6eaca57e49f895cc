// match.hpp -- the benchmarks of both sides -> which is which.
#pragma once
#include <cstddef>
#include <vector>

#include "model/results.hpp"

namespace pawl::decide {

struct Match {
  const model::Benchmark* base = nullptr;  ///< null: ADDED
  const model::Benchmark* now = nullptr;   ///< null: REMOVED
};

struct Matches {
  std::vector<Match> all;      ///< in the order of `now`; what only `base` has comes after it
  std::size_t duplicates = 0;  ///< matches of names that a side has more than once, by their order
};

/// Benchmarks match by name and executable; of several with both the same, the k-th matches the k-th.
/// Cost       linear in the benchmarks (hashing).
Matches match_benchmarks(const model::ResultSet& base, const model::ResultSet& now);

}  // namespace pawl::decide
