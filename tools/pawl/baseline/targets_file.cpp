// targets_file.cpp -- keys, checks and messages of targets.json.
#include "baseline/targets_file.hpp"

#include "baseline/config_file.hpp"
#include "baseline/whole_file.hpp"

namespace pawl::baseline {
namespace {

using decide::Target;

// A value is compared on a logarithmic scale.
std::optional<double> positive(const JsonNode& target, const char* key) {
  std::optional<double> value;
  target.with(key, [&](const JsonNode& node) {
    value = node.number();
    if (!(*value > 0 && *value < 1e300)) node.fail("expected a number above 0");
  });
  return value;
}

Target read_target(const JsonNode& node) {
  check_keys(node, {"name", "pattern", "metric", "at_least", "at_most", "over", "comment"});
  Target target;
  node.read("name", target.name);
  node.read("metric", target.metric);
  node.with("pattern", [&](const JsonNode& pattern) { target.pattern = checked_pattern(pattern); });
  if (target.metric.empty()) node.fail("has no metric");
  target.at_least = positive(node, "at_least");
  target.at_most = positive(node, "at_most");
  if (target.at_least.has_value() == target.at_most.has_value()) node.fail("needs at_least or at_most, and not both");
  node.with("over", [&](const JsonNode& over) {
    target.geometric_mean = over.text() == "geometric_mean";
    if (!target.geometric_mean && over.text() != "each") over.fail("expected \"each\" or \"geometric_mean\"");
  });
  if (target.name.empty()) target.name = target.metric + " of " + (target.pattern.empty() ? "all" : target.pattern);
  return target;
}

}  // namespace

std::vector<Target> parse_targets(std::string_view text, const std::string& file) {
  std::vector<Target> targets;
  read_config(text, file, [&](const JsonNode& root) {
    check_keys(root, {"schema_version", "targets", "comment"});
    root.with("targets", [&](const JsonNode& list) {
      list.each_element([&](const JsonNode& target) { targets.push_back(read_target(target)); });
    });
    if (targets.empty()) root.fail("has no targets");
  });
  return targets;
}

std::vector<Target> read_targets(const std::filesystem::path& path) {
  return parse_targets(read_whole(path), path.string());
}

}  // namespace pawl::baseline
