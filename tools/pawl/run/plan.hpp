// plan.hpp -- how many runs of which executables -> the order in which processes are started.
//
// Pure: the same seed gives the same order, on every machine, and results record the seed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pawl::run {

/// One process run to be made.
struct Step {
  std::size_t executable = 0;  ///< index into the caller's list
  int side = 0;                ///< 0: base, or the only one; 1: new
  int run_index = 0;           ///< of this executable on this side
  int pair_index = -1;         ///< of this executable; -1 without pairs
  int placement = -1;          ///< of the data (PAWL_PLACEMENT); -1: run_index

  friend bool operator==(const Step&, const Step&) = default;
};

/// Rounds over all executables, each round in an order of its own: whatever warms up or drifts over minutes is spread
/// over all of them instead of always hitting the same one.
std::vector<Step> plan_runs(std::size_t executables, int first_run, int runs, std::uint64_t seed);

/// The same with both sides of an executable next to each other, A B in one round and B A in the next, so that a drift
/// that is linear over two rounds cancels. Run and pair indices count from first_pair.
std::vector<Step> plan_pairs(std::size_t executables, int first_pair, int pairs, std::uint64_t seed);

}  // namespace pawl::run
