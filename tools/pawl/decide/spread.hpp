// spread.hpp -- the process runs of both sides -> how much more the new ones scatter.
#pragma once
#include <optional>
#include <vector>

#include "decide/sample.hpp"

namespace pawl::decide {

/// The scatter of the process runs of both sides: of the one that scatters more without its farthest run, so that one
/// disturbed run is no change of the scatter.
struct Spread {
  double base = 0, now = 0;  ///< standard deviation of the logarithms: a coefficient of variation
  double p_value = 1;        ///< two-sided, of "the same scatter": F test; 1 where there are two groups
  double low = 0, high = 0;  ///< interval of now / base - 1, of at least the confidence asked for
  /// The runs of the side that scatters more are in two places, such as two layouts of memory. How many of a few runs
  /// met which is chance, and the F test, which is one for normal noise, would take it for a change of the scatter.
  bool two_groups = false;
};

/// Empty with fewer than kFewestForSpread runs on a side, a value that is not positive, or a side without scatter.
std::optional<Spread> measure_spread(const std::vector<RunValue>& base, const std::vector<RunValue>& now,
                                     double confidence);
inline constexpr std::size_t kFewestForSpread = 5;  // two or three values say nothing about scatter

}  // namespace pawl::decide
