// thresholds_file.hpp -- thresholds.json -> a decide::Policy.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "decide/policy.hpp"

namespace pawl::baseline {

/// Reads a thresholds file (docs/formats.md). A key that it does not know is an error, not passed over as in results: a
/// misspelt threshold would leave a gate open in silence.
/// Errors  Failure(kBadInput): file, line, what is wrong and what was probably meant.
decide::Policy read_thresholds(const std::filesystem::path& path);

/// The same from memory; `file` is for messages.
decide::Policy parse_thresholds(std::string_view text, const std::string& file);

}  // namespace pawl::baseline
