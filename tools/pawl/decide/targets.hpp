// targets.hpp -- what a project set out to reach, and what was measured -> met, missed, or cannot be told.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace pawl::decide {

/// A bar for one metric of the benchmarks whose names match.
struct Target {
  std::string name;                             ///< what people read: "matmul near the FMA peak"
  std::string pattern;                          ///< searched in the benchmark's name (pattern.hpp)
  std::string metric;                           ///< show/target_values.hpp says which there are
  std::optional<double> at_least{}, at_most{};  ///< exactly one of them, and above 0
  bool geometric_mean = false;                  ///< the bar is for the mean over the benchmarks, not for each of them
};

/// The metric of one benchmark: a finite value per process run; none if it has no such metric.
struct TargetRow {
  std::string name;
  std::vector<double> values;
  std::string failure{};  ///< why some or all values are missing: "fails: wrong result"; empty if it did not fail
};

enum class Reach {
  met,             ///< every row reaches the bar
  unclear,         ///< a row falls short by less than what its runs scatter
  missed,          ///< a row falls short by more, or failed
  not_applicable,  ///< no row matches, or none has the metric
};

struct Reached {
  Reach reach = Reach::not_applicable;
  std::size_t matching = 0;             ///< rows whose names match
  std::size_t measured = 0;             ///< of those, the ones with the metric
  std::size_t short_of = 0;             ///< of those, the ones that surely fall short
  std::string worst;                    ///< the row with the least share of its bar; empty for a geometric mean
  double value = 0, low = 0, high = 0;  ///< of that row, or the mean: geometric mean over runs and its interval;
                                        ///< with a run at 0 or less: mean, least and largest of the runs
  std::size_t runs = 0;                 ///< process runs behind it; of one, low and high are the value
  std::size_t failed = 0;               ///< matching rows that failed
  std::string failed_row, failure;      ///< the first of them, and why
};

/// Judges the rows that the target's pattern matches; `rows` may be all there are.
///
/// A row that failed makes the target missed: what was not measured reaches no bar.
///
/// A row reaches its bar if the geometric mean of its runs does. It surely falls short if that mean's interval at
/// `confidence`, corrected for the number of rows (Bonferroni), lies short of the bar; with one run, if its value does.
/// The interval is Student's on logarithms, with variances that the rows share (moderation.hpp). A geometric mean takes
/// the k-th runs of all rows for one observation: runs of a suite share their moment.
///
/// A value of 0 or less has no logarithm: it is short of any `at_least`, and reaches any `at_most`. A row with such a
/// run goes by its runs one by one: it reaches the bar if all of them do, and surely falls short if none does. In a
/// geometric mean over rows it makes its observation 0.
Reached judge_target(const Target& target, const std::vector<TargetRow>& rows, double confidence);

/// "met", "unclear", "missed", "not applicable".
const char* word(Reach reach);

}  // namespace pawl::decide
