// family.hpp -- the p-values of all comparisons -> which are established although so many were looked at.
#pragma once
#include <vector>

namespace pawl::decide {

/// One hypothesis of a family.
struct Hypothesis {
  double p = 1;         ///< of "nothing changed"
  double reach = 1;     ///< the chance that nothing changed and its effect still reaches the threshold
  bool counts = false;  ///< its effect does reach the threshold
};

/// False discovery rate of each test: the expected number of tests that chance alone would bring at least that far,
/// over the number that are there.
///
/// Benjamini and Hochberg (1995) expect m p false alarms at the cut p. Here a test must also reach its threshold, and a
/// quiet benchmark does not by chance: it adds min(p, reach), so that the quiet ones of a suite do not cost the noisy
/// ones their power. That is the procedure of Heyse (2011) for tests whose p-values cannot take every value; with every
/// reach at 1 it is Benjamini and Hochberg's.
/// Returns    q-values in the order of `tests`; tests that do not count get the q they would have if they did.
/// Cost       n log n.
std::vector<double> false_discovery_rates(const std::vector<Hypothesis>& tests);

/// The largest p-value with which one test of this family, were it the only one that changed, would have a false
/// discovery rate of at most `rate`; not more than `rate` itself.
double cut_of_one(const std::vector<Hypothesis>& tests, double rate);

}  // namespace pawl::decide
