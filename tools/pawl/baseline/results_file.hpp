// results_file.hpp -- a ResultSet <-> results.json, the one schema of results and baselines (docs/formats.md).
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "model/results.hpp"

namespace pawl::baseline {

/// Writes all of the set, samples included, as schema_version 1; whole or not at all (OutputFile).
/// Cost: linear; about 1 MiB of memory besides the set. Errors: Failure(kBadInput), the old file is unchanged.
void write_results(const std::filesystem::path& path, const model::ResultSet& set);

/// Reads what write_results wrote. Keys it does not know are passed over: later versions of schema 1 may add some.
/// Errors: Failure(kBadInput), one line with file, line and what was expected there.
model::ResultSet read_results(const std::filesystem::path& path);

/// The same from memory; `file` is for messages.
model::ResultSet parse_results(std::string_view text, const std::string& file);
std::string format_results(const model::ResultSet& set);

/// Whether this is a file of ours and not one of Google Benchmark's, whatever the order of its keys.
bool is_results_text(std::string_view text);

}  // namespace pawl::baseline
