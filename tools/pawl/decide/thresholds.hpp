// thresholds.hpp -- a policy, a metric and a benchmark's name -> the thresholds that apply.
#pragma once
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "decide/policy.hpp"

namespace pawl::decide {

/// A rule whose pattern is no regular expression. `what()` names the pattern and what is wrong with it.
struct RuleError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

struct Applied {
  Thresholds thresholds;
  Direction direction = Direction::larger_is_worse;
  bool gate = true, critical_path = false;
};

/// "time", "throughput", "memory", "allocations", "accuracy" or "other": the class of a metric by its name.
std::string_view metric_class(std::string_view metric);

/// The direction that a metric has unless a rule says otherwise: rates and accuracies get worse by shrinking.
Direction natural_direction(std::string_view metric);

/// A policy whose patterns are compiled once, for any number of look-ups. Built-in defaults come first: time 5 % and 10
/// %, throughput the same, memory 10 % and 20 %, allocations any growth. Throws RuleError.
class ThresholdTable {
 public:
  explicit ThresholdTable(const Policy& policy);
  ~ThresholdTable();
  ThresholdTable(const ThresholdTable&) = delete;
  ThresholdTable& operator=(const ThresholdTable&) = delete;

  /// Fields of rules that match are taken from the shortest match to the longest, ties in the order of the rules.
  Applied find(std::string_view metric, const std::string& name) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

/// The usual policies: "default" 5 % and 10 %; "latency" 8 % and 15 %, 15 % and 25 % where the name says latency or
/// p99; "strict" 2 % and 5 %. Errors: std::invalid_argument naming those that exist.
Policy profile(std::string_view name);

}  // namespace pawl::decide
