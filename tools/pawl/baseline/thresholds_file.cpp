// thresholds_file.cpp -- keys, checks and messages of thresholds.json.
#include "baseline/thresholds_file.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "baseline/config_file.hpp"
#include "baseline/whole_file.hpp"
#include "decide/thresholds.hpp"

namespace pawl::baseline {
namespace {

using decide::Policy;
using decide::Rule;

// Percentages are written as people say them: 5 is 5 %. A share of 0.05 by mistake would be a threshold of 0.05 %.
std::optional<double> percentage(const JsonNode& rule, const char* key) {
  std::optional<double> share;
  rule.with(key, [&](const JsonNode& node) {
    const double percent = node.number();
    if (!(percent >= 0 && percent <= 1e6)) node.fail("expected a percentage, 5 for 5 %");
    share = percent / 100;
  });
  return share;
}

Rule read_rule(const JsonNode& node) {
  check_keys(node, {"metric", "pattern", "warning_percent", "critical_percent", "improvement_percent", "direction",
                    "gate", "critical_path", "comment"});
  Rule rule;
  node.read("metric", rule.metric);
  node.with("pattern", [&](const JsonNode& pattern) { rule.pattern = checked_pattern(pattern); });
  rule.warning = percentage(node, "warning_percent");
  rule.critical = percentage(node, "critical_percent");
  rule.improvement = percentage(node, "improvement_percent");
  if (rule.warning && rule.critical && *rule.warning > *rule.critical) {
    node.fail(
        fmt::format("has a warning of {:g} % above its critical of {:g} %", 100 * *rule.warning, 100 * *rule.critical));
  }
  node.with("direction", [&](const JsonNode& direction) {
    if (direction.text() == "larger_is_worse") {
      rule.direction = decide::Direction::larger_is_worse;
    } else if (direction.text() == "smaller_is_worse") {
      rule.direction = decide::Direction::smaller_is_worse;
    } else {
      direction.fail("expected \"larger_is_worse\" or \"smaller_is_worse\"");
    }
  });
  node.with("gate", [&](const JsonNode& gate) { rule.gate = gate.boolean(); });
  node.with("critical_path", [&](const JsonNode& path) { rule.critical_path = path.boolean(); });
  return rule;
}

Policy read_policy(const JsonNode& root) {
  check_keys(root,
             {"schema_version", "profile", "alpha", "confidence", "metrics", "rules", "critical_path", "comment"});
  Policy policy;
  root.with("profile", [&](const JsonNode& name) {
    try {
      policy = decide::profile(name.text());
    } catch (const std::invalid_argument& error) {
      name.fail(fmt::format("is not known: {}", error.what()));
    }
  });
  const auto probability = [&](const char* key, double& to) {
    root.with(key, [&](const JsonNode& node) {
      to = node.number();
      if (!(to > 0 && to < 1)) node.fail("expected a probability between 0 and 1");
    });
  };
  probability("alpha", policy.alpha);
  probability("confidence", policy.confidence);
  root.with("metrics", [&](const JsonNode& metrics) {
    policy.metrics.clear();
    policy.also.clear();
    metrics.each_element([&](const JsonNode& metric) { policy.metrics.push_back(metric.text()); });
    if (policy.metrics.empty()) metrics.fail("is empty: nothing would be compared");
  });
  root.with("rules", [&](const JsonNode& rules) {
    rules.each_element([&](const JsonNode& rule) { policy.rules.push_back(read_rule(rule)); });
  });
  root.with("critical_path", [&](const JsonNode& patterns) {
    patterns.each_element([&](const JsonNode& pattern) {
      policy.rules.push_back({.metric = "", .pattern = checked_pattern(pattern), .critical_path = true});
    });
  });
  return policy;
}

}  // namespace

Policy parse_thresholds(std::string_view text, const std::string& file) {
  Policy policy;
  read_config(text, file, [&](const JsonNode& root) { policy = read_policy(root); });
  return policy;
}

Policy read_thresholds(const std::filesystem::path& path) { return parse_thresholds(read_whole(path), path.string()); }

}  // namespace pawl::baseline
