// results_directory.hpp -- a time and a commit -> the directory of one run, and what stands in it.
//
//   results/2026-11-20T221500Z_1a2b3c4/
//     raw/simd_bench.00.json ...   as the processes wrote them; raw/disturbed/ holds runs that were repeated
//     results.json                 all of it in the one schema (docs/formats.md)
//     system-info.json report.md
#pragma once
#include <filesystem>
#include <string>

namespace pawl::run {

/// "2026-11-20T221500Z" of a time since 1970.
std::string timestamp(double unix_s);

/// "2026-11-20T22:15:00+00:00"
std::string iso_time(double unix_s);

/// Creates results/<timestamp>_<short commit><ending>, "nogit" without a commit, and a number behind it for a second
/// run within a second: by being the one that creates it, a run gets a directory of its own. Errors: Failure(kBadInput)
/// with the system's reason.
std::filesystem::path new_results_directory(double unix_s, const std::string& commit, const std::string& ending = "");

/// Creates the directory, raw/ in it, and checks that files can be written there: better now than after an hour.
/// Errors: Failure(kBadInput) if it has something in it already, or cannot be written.
void make_results_directory(const std::filesystem::path& directory);

/// Takes away what make_results_directory made, if no process run is complete there: those that were disturbed and
/// meant to be measured again are no results.
void remove_without_results(const std::filesystem::path& directory);

}  // namespace pawl::run
