// thresholds.hpp -- a policy, a metric and a benchmark's name -> the thresholds that apply.
#pragma once
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "decide/metric_class.hpp"
#include "decide/policy.hpp"

namespace pawl::decide {

/// A rule that cannot be used. `what()` names the rule by its place and pattern, and what is wrong with it.
struct RuleError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

struct Applied {
  Thresholds thresholds;
  Direction direction = Direction::larger_is_worse;
  bool direction_is_guess = false;  ///< neither the metric's name nor a rule says it
  bool gate = true, critical_path = false;
};

/// A policy whose patterns are compiled once, for any number of look-ups. Built-in defaults come first: 5 % and 10 %,
/// but memory and allocations 10 % and 20 %, and a scatter that doubles a WARNING.
class ThresholdTable {
 public:
  /// Throws RuleError for a pattern that is no regular expression or could take exponential time (pattern.hpp), and for
  /// a threshold that is negative or not a number.
  explicit ThresholdTable(const Policy& policy);
  ~ThresholdTable();
  ThresholdTable(const ThresholdTable&) = delete;
  ThresholdTable& operator=(const ThresholdTable&) = delete;

  /// Fields of rules that match are taken from the shortest match to the longest, ties in the order of the rules. A
  /// warning that is then above the critical threshold raises it, or is lowered to it if that was said last.
  Applied find(std::string_view metric, std::string_view name) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

/// The usual policies: "default" 5 % and 10 %; "latency" 8 % and 15 %, and 15 % and 25 % where the name says latency,
/// p95 or p99; "strict" 2 % and 5 %. Errors: std::invalid_argument naming those that exist.
Policy profile(std::string_view name);

}  // namespace pawl::decide
