// gate.cpp -- thresholds from the command line, a file, a profile.
#include "gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "baseline/thresholds_file.hpp"
#include "closest.hpp"
#include "decide/thresholds.hpp"
#include "failure.hpp"
#include "select.hpp"
#include "show/outcome.hpp"

namespace pawl {

void add_gate_options(Command& command, GateOptions& options) {
  command.option("--fail-on", options.fail_on, "critical (default), warning, inconclusive or never").group("Gate");
  command.option("--warning", options.warning, "Percent from which a change is a WARNING (default 5)").group("Gate");
  command.option("--critical", options.critical, "Percent from which it is CRITICAL (default 10)").group("Gate");
  command.option("--thresholds", options.thresholds, "Rules by metric and name (default: baselines/thresholds.json)")
      .group("Gate");
  command.option("--profile", options.profile, "default, latency or strict, instead of the thresholds file")
      .group("Gate");
  command.option("--alpha", options.alpha, "False discovery rate over all comparisons (default 0.015)").group("Gate");
  command
      .option("--metric", options.metrics,
              "Only these: real_time, cpu_time, a counter, throughput, memory, variance, all")
      .comma_separated()
      .one_each()
      .group("Gate");
}

decide::FailOn fail_on_of(const GateOptions& options) {
  for (const auto value :
       {decide::FailOn::never, decide::FailOn::critical, decide::FailOn::warning, decide::FailOn::inconclusive}) {
    if (show::fail_on_name(value) == options.fail_on) return value;
  }
  throw Failure(kBadInput,
                fmt::format("--fail-on {}: expected critical, warning, inconclusive or never", options.fail_on));
}

decide::Policy policy_of(const GateOptions& options, const baseline::Store& store) {
  fail_on_of(options);
  decide::Policy policy;
  if (!options.profile.empty()) {
    try {
      policy = decide::profile(options.profile);
    } catch (const std::invalid_argument& error) {
      throw Failure(kBadInput, fmt::format("--profile: {}", error.what()));
    }
  }
  const std::filesystem::path own = store.directory() / "thresholds.json";
  std::error_code error;
  const bool use_own = options.thresholds.empty() && options.profile.empty() && std::filesystem::exists(own, error);
  if (!options.thresholds.empty() || use_own) {
    decide::Policy from_file = baseline::read_thresholds(use_own ? own : std::filesystem::path(options.thresholds));
    from_file.rules.insert(from_file.rules.begin(), policy.rules.begin(), policy.rules.end());
    policy = std::move(from_file);
  }
  if (options.alpha) {
    if (!(*options.alpha > 0 && *options.alpha < 1)) throw Failure(kBadInput, "--alpha: expected between 0 and 1");
    policy.alpha = *options.alpha;
  }
  const double warning = options.warning.value_or(0), critical = options.critical.value_or(warning);
  if (!(warning >= 0 && critical >= 0)) throw Failure(kBadInput, "--warning and --critical are percentages: 5 for 5 %");
  if (warning > critical) {
    throw Failure(kBadInput, fmt::format("--warning {:g} is above --critical {:g}", warning, critical));
  }
  if (!options.metrics.empty()) {
    policy.metrics = options.metrics;
    policy.also.clear();
  }
  return policy;
}

decide::Policy fitted(decide::Policy policy, const GateOptions& options, const model::ResultSet& base,
                      const model::ResultSet& now) {
  policy.metrics = resolve_metrics(policy.metrics, base, now);
  policy.bytes_are_a_rate = bytes_are_a_rate(base, now);
  if (!options.warning && !options.critical) return policy;
  constexpr double kPercent = 100;
  // The times and rates that are judged beside the time go by the same percentages.
  std::vector<std::string> metrics = policy.metrics;
  for (const std::string& other : policy.also)
    if (other == model::kCpuTime || other == "throughput") metrics.push_back(other);
  for (const std::string& metric : metrics) {
    // What was not typed stays with the file or the profile; ThresholdTable keeps the two in order.
    decide::Rule rule;
    rule.metric = metric;
    if (options.warning) rule.warning = rule.improvement = *options.warning / kPercent;
    if (options.critical) rule.critical = *options.critical / kPercent;
    policy.rules.push_back(std::move(rule));
  }
  return policy;
}

std::vector<std::string> unknown_metrics(const decide::Policy& policy, const model::ResultSet& base,
                                         const model::ResultSet& now) {
  std::set<std::string> known = {"time",        "cpu_time", "throughput", "memory",
                                 "allocations", "accuracy", "variance",   "other"};
  std::set<std::string> unknown;
  std::set<std::string> in_results = metrics_of(base);
  in_results.merge(metrics_of(now));
  known.insert(in_results.begin(), in_results.end());
  for (const decide::Rule& rule : policy.rules)
    if (!rule.metric.empty() && !known.contains(rule.metric) && decide::metric_class(rule.metric) == "other")
      unknown.insert(rule.metric);
  std::vector<std::string> notes;
  for (const std::string& metric : unknown)
    notes.push_back(
        fmt::format("thresholds: a rule for '{}' has no effect: that is no class of metrics, and neither "
                    "result has such a metric{}",
                    metric, did_you_mean(metric, {known.begin(), known.end()})));
  return notes;
}

EarlyMetricCheck::EarlyMetricCheck(const GateOptions& options, std::size_t programs, const model::ResultSet* base)
    : metrics_(options.metrics), programs_(programs) {
  if (base != nullptr && !metrics_.empty()) seen_.benchmarks = base->benchmarks;
}

void EarlyMetricCheck::saw(std::size_t program, const model::ResultSet& set) {
  if (metrics_.empty()) return;
  seen_.benchmarks.insert(seen_.benchmarks.end(), set.benchmarks.begin(), set.benchmarks.end());
  ran_.insert(program);
  if (ran_.size() < programs_) return;
  const auto is_whole = [](const model::Benchmark& b) {
    return std::ranges::all_of(b.readings, [](const model::Reading& r) { return r.status == model::Status::ok; });
  };
  if (std::ranges::all_of(seen_.benchmarks, is_whole)) resolve_metrics(metrics_, seen_, {});
  metrics_.clear();
}

}  // namespace pawl
