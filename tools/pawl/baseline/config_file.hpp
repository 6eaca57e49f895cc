// config_file.hpp -- a JSON file that a person wrote -> checked values, each mistake with its line.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "baseline/json_node.hpp"

namespace pawl::baseline {

/// Parses `text` and calls `visit` with its root, an object whose schema_version is 1. Comments are not allowed; a key
/// "comment" is.
/// Errors  Failure(kBadInput), also for whatever `visit` does not like (JsonNode::fail): "file:line: where what".
void read_config(std::string_view text, const std::string& file, const std::function<void(const JsonNode&)>& visit);

/// Fails at a member that is none of `known`, with the one that was probably meant: a misspelt key that is passed over
/// leaves a gate open in silence.
void check_keys(const JsonNode& object, const std::vector<std::string>& known);

/// The text of a node that must be a regular expression (decide/pattern.hpp).
std::string checked_pattern(const JsonNode& node);

}  // namespace pawl::baseline
