// gate.hpp -- the options that every command with a verdict has -> the policy that it judges by.
#pragma once
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "baseline/store.hpp"
#include "decide/judge.hpp"
#include "model/results.hpp"

namespace pawl {

struct GateOptions {
  std::string thresholds, profile, fail_on = "critical";
  std::optional<double> warning, critical, alpha;  ///< percent, percent, probability
  std::vector<std::string> metrics;
};

/// --fail-on --warning --critical --thresholds --profile --alpha --metric. `options` must outlive the parsing.
void add_gate_options(Command& command, GateOptions& options);

/// What was typed, checked before any work: the thresholds file that was asked for, else the store's thresholds.json,
/// else what is built in. Its metrics are as typed. Errors: Failure(kBadInput).
decide::Policy policy_of(const GateOptions& options, const baseline::Store& store);
decide::FailOn fail_on_of(const GateOptions& options);

/// The policy for these results: metrics resolved to those that they have (select.hpp), and --warning and --critical as
/// rules for each of them, below what the file says of single benchmarks.
decide::Policy fitted(decide::Policy policy, const GateOptions& options, const model::ResultSet& base,
                      const model::ResultSet& now);

/// A note for each metric of a rule that neither result has and that no word of it tells: most often it is misspelt,
/// and the rule without effect. One that has its class, such as max_bytes_used, may be of other runs.
std::vector<std::string> unknown_metrics(const decide::Policy& policy, const model::ResultSet& base,
                                         const model::ResultSet& now);

/// Refuses a metric that no result has as soon as each program ran once, and not after an hour.
class EarlyMetricCheck {
 public:
  /// `programs`: how many are going to run; `base`: what they are compared with, if that is there already.
  EarlyMetricCheck(const GateOptions& options, std::size_t programs, const model::ResultSet* base = nullptr);

  /// What a process run of a program gave, any number for each. Errors: Failure(kBadInput), as of fitted(). Says
  /// nothing where a benchmark failed, for it may have what is missing.
  void saw(std::size_t program, const model::ResultSet& set);

 private:
  std::vector<std::string> metrics_;  ///< to look for; empty: done
  std::size_t programs_;
  std::set<std::size_t> ran_;
  model::ResultSet seen_;  ///< benchmarks alone
};

}  // namespace pawl
