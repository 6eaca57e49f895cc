// thresholds.cpp -- longest match first among rules, defaults below them.
#include "decide/thresholds.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "decide/pattern.hpp"

namespace pawl::decide {

namespace {

// A scatter is a wobbly thing: from five runs a side it is known to a factor of two, so only a doubling is worth a
// word, and it never fails a build by itself.
constexpr double kNever = 1e9;

std::string name_of(const Rule& rule, std::size_t place) {
  return fmt::format(
      "rule {}{}", place,
      rule.pattern.empty() ? (rule.metric.empty() ? "" : " for " + rule.metric) : " '" + rule.pattern + "'");
}

void check_numbers(const Rule& rule, std::size_t place) {
  for (const auto& [what, value] :
       {std::pair{"warning", rule.warning}, {"critical", rule.critical}, {"improvement", rule.improvement}})
    if (value && !(*value >= 0))
      throw RuleError(
          fmt::format("{}: its {} threshold is {}, not a share of at least 0", name_of(rule, place), what, *value));
}

}  // namespace

struct ThresholdTable::Compiled {
  bool bytes_are_a_rate = true;
  struct Entry {
    Rule rule;
    Pattern pattern;
  };
  std::vector<Entry> entries;
};

ThresholdTable::ThresholdTable(const Policy& policy) : compiled_(std::make_unique<Compiled>()) {
  compiled_->bytes_are_a_rate = policy.bytes_are_a_rate;
  std::vector<Compiled::Entry>& entries = compiled_->entries;
  for (const char* metric : {"memory", "allocations"})
    entries.push_back({{.metric = metric, .warning = 0.10, .critical = 0.20, .improvement = 0.10}, Pattern("")});
  entries.push_back({{.metric = "variance", .warning = 1.0, .critical = kNever, .improvement = 1.0}, Pattern("")});
  std::size_t place = 0;
  for (const Rule& rule : policy.rules) {
    check_numbers(rule, ++place);
    try {
      entries.push_back({rule, Pattern(rule.pattern)});
    } catch (const std::invalid_argument& error) {
      throw RuleError(fmt::format("{}: its pattern cannot be used: {}", name_of(rule, place), error.what()));
    }
  }
}

ThresholdTable::~ThresholdTable() = default;

Applied ThresholdTable::find(std::string_view metric, std::string_view name) const {
  Applied applied;
  const bool is_plain = metric == kBytes && !compiled_->bytes_are_a_rate;
  const std::string_view time = metric.substr(0, metric.size() - (metric.ends_with(kOfLimit) ? kOfLimit.size() : 0));
  applied.direction = is_plain ? Direction::larger_is_worse : natural_direction(time);
  applied.direction_is_guess = is_plain || !direction_is_known(time);
  const std::string_view kind = is_plain ? "other" : metric_class(time);
  std::vector<std::pair<std::size_t, const Rule*>> matches;  // length of the match, rule
  for (const auto& entry : compiled_->entries) {
    const std::string& of = entry.rule.metric;
    if (!of.empty() && of != metric && of != time && of != kind) continue;
    if (const auto length = entry.pattern.match_length(name)) matches.emplace_back(*length, &entry.rule);
  }
  std::ranges::stable_sort(matches, {}, [](const auto& m) { return m.first; });
  Thresholds& thresholds = applied.thresholds;
  const Rule *warns = nullptr, *last = nullptr;  // which said the warning, and which said one of the two last
  for (const auto& [length, rule] : matches) {
    if (rule->warning) thresholds.warning = *rule->warning;
    if (rule->critical) thresholds.critical = *rule->critical;
    if (rule->warning) warns = rule;
    if (rule->warning || rule->critical) last = rule;
    if (rule->improvement) thresholds.improvement = *rule->improvement;
    if (rule->direction) {
      applied.direction = *rule->direction;
      applied.direction_is_guess = false;
    }
    if (rule->gate) applied.gate = *rule->gate;
    if (rule->critical_path) applied.critical_path = *rule->critical_path;
  }
  // A rule of one of the two may turn the order around with the other, a wider rule's, which then moves.
  if (thresholds.warning > thresholds.critical) {
    if (last == warns)
      thresholds.critical = thresholds.warning;
    else
      thresholds.warning = thresholds.critical;
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
