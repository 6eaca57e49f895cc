// config_file.cpp -- parsing, and where a value stands in the text.
#include "baseline/config_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "closest.hpp"
#include "decide/pattern.hpp"
#include "failure.hpp"

namespace pawl::baseline {

void read_config(std::string_view text, const std::string& file, const std::function<void(const JsonNode&)>& visit) {
  using nlohmann::json;
  try {
    const json parsed = json::parse(text.begin(), text.end());
    const JsonNode root(parsed, "");
    root.expect_object();
    int version = 0;
    root.read("schema_version", version);
    if (!parsed.contains("schema_version")) root.fail("has no schema_version; expected 1");
    if (version != 1) root.fail(fmt::format("has schema_version {}; expected 1", version));
    visit(root);
  } catch (const json::exception& error) {
    throw Failure(kBadInput, fmt::format("{}:{}", file, describe_parse_error(error)));
  } catch (const JsonError& error) {
    const std::size_t line = line_of(text, error.path);
    throw Failure(kBadInput, fmt::format("{}{}: {}{}{}", file, line > 0 ? fmt::format(":{}", line) : "", error.path,
                                         error.path.empty() ? "" : " ", error.what));
  }
}

void check_keys(const JsonNode& object, const std::vector<std::string>& known) {
  object.each_member([&](const std::string& key, const JsonNode& member) {
    if (std::ranges::find(known, key) != known.end()) return;
    member.fail(fmt::format("is no key{}; there are {}", did_you_mean(key, known), fmt::join(known, ", ")));
  });
}

std::string checked_pattern(const JsonNode& node) {
  try {
    const decide::Pattern compiled(node.text());
  } catch (const std::invalid_argument& error) {
    node.fail(fmt::format("cannot be used as a regular expression: {}", error.what()));
  }
  return node.text();
}

}  // namespace pawl::baseline
