// discover.hpp -- a directory, and globs -> the bench executables in it.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "run/bench_program.hpp"

namespace pawl::run {

/// What an executable is called if nobody says otherwise.
inline constexpr const char* kBenchGlob = "*_bench";

/// Whether a glob (* ? [a-z], as in a shell) names this executable, with or without the ending _bench.
bool is_in_suite(const std::string& name, const std::string& glob);

/// Executable programs in `directory`, or the one that it names if it is a file, whose name matches one of the globs
/// (kBenchGlob if there are none), ordered by name; a glob that fits some called *_bench means only those. `deep`: in
/// its subdirectories too, except those that hold a build system's own files. Two of one name get their directory in
/// front of it. Errors: Failure(kBadInput) if there is no such directory, or a glob matches nothing.
std::vector<BenchProgram> discover(const std::filesystem::path& directory, const std::vector<std::string>& globs,
                                   bool deep);

/// All of several places, deep; what lies beside this program if there are none. One file counts once, and two of one
/// name get what tells their directories apart in front of it: x.a_bench and y.a_bench. Errors: those of discover().
std::vector<BenchProgram> discover_all(const std::vector<std::string>& places, const std::vector<std::string>& globs);

/// The directory in which this program lies.
std::filesystem::path own_directory();

}  // namespace pawl::run
