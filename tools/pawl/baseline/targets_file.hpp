// targets_file.hpp -- targets.json -> the bars that a project set itself.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "decide/targets.hpp"

namespace pawl::baseline {

/// Reads a targets file (docs/formats.md). A key that it does not know is an error, as in thresholds.json.
/// Errors  Failure(kBadInput): file, line, what is wrong and what was probably meant.
std::vector<decide::Target> read_targets(const std::filesystem::path& path);

/// The same from memory; `file` is for messages.
std::vector<decide::Target> parse_targets(std::string_view text, const std::string& file);

}  // namespace pawl::baseline
