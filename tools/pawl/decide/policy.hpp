// policy.hpp -- what counts as a change that matters: thresholds by metric and by name, and the error rates allowed.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pawl::decide {

/// Which way a metric gets worse.
enum class Direction { larger_is_worse, smaller_is_worse };

/// Relative changes for the worse, 0.05 is 5 %. A change at or above `critical` that is statistically established is
/// CRITICAL, at or above `warning` WARNING; one for the better at or above `improvement` IMPROVEMENT.
struct Thresholds {
  double warning = 0.05;
  double critical = 0.10;
  double improvement = 0.05;
};

/// One rule: metrics and benchmark names it covers, and what then holds. Absent fields leave the wider rule's value.
struct Rule {
  std::string
      metric;  ///< a metric's name, or a class: time, cpu_time, throughput, memory, allocations, accuracy, variance
  std::string pattern{};  ///< ECMAScript regular expression searched in the benchmark's name; empty covers every name
  std::optional<double> warning{}, critical{}, improvement{};
  std::optional<Direction> direction{};
  std::optional<bool> gate{};           ///< false: shown, never fails a build
  std::optional<bool> critical_path{};  ///< true: WARNING counts as CRITICAL
};

/// Everything that a verdict depends on besides the samples.
struct Policy {
  std::vector<Rule> rules;                           ///< the longest match in the name wins; ties go to the later rule
  double alpha = 0.015;                              ///< false discovery rate over the family of comparisons
  double confidence = 0.95;                          ///< of the intervals shown
  std::vector<std::string> metrics = {"real_time"};  ///< compared, and each shown
  /// Metrics and classes that are judged as well where both sides have them, but shown only where they say something
  /// that `metrics` don't (told.hpp). Whoever asks for metrics by name gets those and no others.
  std::vector<std::string> also = {"cpu_time", "throughput", "memory", "allocations", "accuracy", "variance"};
  /// The counter `bytes` is bytes per second, as Pawl's own benches have it. Else it is a number of unknown direction.
  bool bytes_are_a_rate = true;
  /// The benchmarks that are asked about, by executable and name; empty: all. The others help to tell what all have in
  /// common and how much runs scatter, but are no questions of their own, so chance gets no tries with them: where a
  /// second set of runs looks into what a first one picked, the family are those that were picked.
  std::function<bool(const std::string& executable, const std::string& name)> in_question;
};

}  // namespace pawl::decide
