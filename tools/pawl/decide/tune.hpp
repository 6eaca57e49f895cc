// tune.hpp -- a history of results of one suite -> the thresholds that its own noise allows.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "decide/policy.hpp"
#include "model/results.hpp"

namespace pawl::decide {

/// What the history says of one benchmark's time.
struct Tuned {
  std::string name;
  std::size_t results = 0;     ///< that have it
  double deviation = 0;        ///< standard deviation of a result's logarithm
  double warning = 0;          ///< the change that two results of the same code exceed in 1 of 370 cases
  bool above_usual = false;    ///< and that is above the usual threshold, so that the benchmark gets a rule
  bool beyond_gating = false;  ///< and so far that no threshold would tell a regression: it is shown and not gated
};

inline constexpr std::size_t kFewestResults = 5;  // of 4 the threshold would be 9 standard deviations of a difference

/// The largest threshold that is written, 100 times as slow. What scatters beyond that has no usual time.
inline constexpr double kMostThreshold = 100;

/// For each benchmark that at least kFewestResults of `history`, in order of time, have, by name: rules go by names, so
/// of executables with one name the noisiest counts. What all benchmarks
/// of a result share is taken out first (the median over at least 8 of them), as judge() does it. A step is a change of
/// the code and no noise, if kFewestResults or more stand before and after it. warning = exp(t sqrt(2) deviation) - 1:
/// the difference of two results has sqrt(2) times the deviation of one, and Student's t covers how roughly few results
/// tell the deviation: 6.6 of 5, 4.1 of 10, 3.4 of 20.
std::vector<Tuned> tune_thresholds(const std::vector<model::ResultSet>& history, const Thresholds& usual);

/// A rule for each benchmark that is above the usual threshold, for its time and the rates of it: the warning rounded
/// up to a whole percent, the critical threshold as many times that as it usually is. What is beyond gating is not
/// gated.
std::vector<Rule> rules_of(const std::vector<Tuned>& tuned, const Thresholds& usual);

}  // namespace pawl::decide
