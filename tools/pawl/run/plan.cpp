// plan.cpp -- see plan.hpp.
#include "run/plan.hpp"

#include <numeric>
#include <utility>

namespace pawl::run {
namespace {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). The standard library's
// shuffle and distributions may differ from one implementation to the next.
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// The order of round `round`; a function of seed and round alone, so that runs added later don't depend on the first.
std::vector<std::size_t> order_of_round(std::size_t count, int round, std::uint64_t seed) {
  std::uint64_t state = seed + 0x632be59bd9b4e019u * static_cast<std::uint64_t>(round + 1);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[next_random(state) % left]);
  return order;
}

}  // namespace

std::vector<Step> plan_runs(std::size_t executables, int first_run, int runs, std::uint64_t seed) {
  std::vector<Step> steps;
  for (int run = first_run; run < first_run + runs; ++run)
    for (std::size_t executable : order_of_round(executables, run, seed)) steps.push_back({executable, 0, run, -1, -1});
  return steps;
}

std::vector<Step> plan_pairs(std::size_t executables, int first_pair, int pairs, std::uint64_t seed) {
  std::vector<Step> steps;
  for (int pair = first_pair; pair < first_pair + pairs; ++pair) {
    for (std::size_t executable : order_of_round(executables, pair, seed)) {
      const int first_side = pair % 2;
      for (int side : {first_side, 1 - first_side}) steps.push_back({executable, side, pair, pair, -1});
    }
  }
  return steps;
}

}  // namespace pawl::run
