// thresholds.cpp -- longest match first among rules, defaults below them.
#include "decide/thresholds.hpp"

#include <algorithm>
#include <regex>
#include <vector>

namespace pawl::decide {

std::string_view metric_class(std::string_view metric) {
  const auto has = [&](std::string_view part) { return metric.find(part) != std::string_view::npos; };
  if (metric == "real_time" || metric == "cpu_time" || metric == "p50" || metric == "p95" || metric == "p99")
    return "time";
  if (metric == "allocs_per_iter" || has("allocs")) return "allocations";
  if (metric.ends_with("_per_second") || metric == "flops" || metric == "bytes" || has("throughput"))
    return "throughput";
  if (metric == "max_bytes_used" || metric == "total_allocated_bytes" || metric == "net_heap_growth" || has("rss") ||
      has("_bytes"))
    return "memory";
  if (has("accuracy") || has("snr") || has("error") || has("mse") || has("ulp")) return "accuracy";
  return "other";
}

Direction natural_direction(std::string_view metric) {
  const auto has = [&](std::string_view part) { return metric.find(part) != std::string_view::npos; };
  const bool rate = metric_class(metric) == "throughput", good = has("accuracy") || has("snr") || has("hit_rate");
  return rate || good ? Direction::smaller_is_worse : Direction::larger_is_worse;
}

struct ThresholdTable::Compiled {
  struct Entry {
    Rule rule;
    bool every_name;
    std::regex pattern;
  };
  std::vector<Entry> entries;
};

ThresholdTable::ThresholdTable(const Policy& policy) : compiled_(std::make_unique<Compiled>()) {
  const auto add = [&](const Rule& rule) {
    Compiled::Entry entry{rule, rule.pattern.empty(), {}};
    try {
      if (!entry.every_name) entry.pattern = std::regex(rule.pattern, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error& error) {
      throw RuleError("the pattern '" + rule.pattern + "' is no regular expression: " + error.what());
    }
    compiled_->entries.push_back(std::move(entry));
  };
  add({.metric = "memory", .warning = 0.10, .critical = 0.20, .improvement = 0.10});
  // Counts do not scatter: one more than before is a change of the code, and 10 % of them are a critical one.
  add({.metric = "allocations", .warning = 1e-9, .critical = 0.10, .improvement = 1e-9});
  for (const Rule& rule : policy.rules) add(rule);
}

ThresholdTable::~ThresholdTable() = default;

Applied ThresholdTable::find(std::string_view metric, const std::string& name) const {
  Applied applied;
  applied.direction = natural_direction(metric);
  std::vector<std::pair<std::ptrdiff_t, const Rule*>> matches;  // length of the match, rule
  for (const auto& entry : compiled_->entries) {
    if (!entry.rule.metric.empty() && entry.rule.metric != metric && entry.rule.metric != metric_class(metric))
      continue;
    std::smatch match;
    if (entry.every_name) {
      matches.emplace_back(0, &entry.rule);
    } else if (std::regex_search(name, match, entry.pattern)) {
      matches.emplace_back(match.length(), &entry.rule);
    }
  }
  std::ranges::stable_sort(matches, {}, [](const auto& m) { return m.first; });
  for (const auto& [length, rule] : matches) {
    if (rule->warning) applied.thresholds.warning = *rule->warning;
    if (rule->critical) applied.thresholds.critical = *rule->critical;
    if (rule->improvement) applied.thresholds.improvement = *rule->improvement;
    if (rule->direction) applied.direction = *rule->direction;
    if (rule->gate) applied.gate = *rule->gate;
    if (rule->critical_path) applied.critical_path = *rule->critical_path;
  }
  return applied;
}

Policy profile(std::string_view name) {
  Policy policy;
  const auto time = [&](const char* pattern, double warning, double critical) {
    for (const char* metric : {"time", "throughput"})
      policy.rules.push_back(
          {.metric = metric, .pattern = pattern, .warning = warning, .critical = critical, .improvement = warning});
  };
  if (name == "default") return policy;
  if (name == "latency") {
    time("", 0.08, 0.15);
    time("latency|p9[59]", 0.15, 0.25);
  } else if (name == "strict") {
    time("", 0.02, 0.05);
  } else {
    throw std::invalid_argument("no profile '" + std::string(name) + "'; there are default, latency, strict");
  }
  return policy;
}

}  // namespace pawl::decide
