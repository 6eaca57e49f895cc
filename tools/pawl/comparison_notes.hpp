// comparison_notes.hpp -- two sets of results -> what a reader of their comparison has to know about them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/results.hpp"

namespace pawl {

struct NoteOptions {
  bool all = false;                  ///< every oddity of the files, and not only the first ones
  bool base_is_baseline = false;     ///< so that its age matters
  std::optional<double> now_unix_s;  ///< today; absent: ages are not told
};

/// One line each: an old baseline, a Debug build, compilers, flags, machines or ways of measuring that differ,
/// disturbed or broken process runs, oddities of the files. Pure.
std::vector<std::string> comparison_notes(const model::ResultSet& base, const model::ResultSet& now,
                                          const NoteOptions& options);

/// When the results were made: the method's date, else the last start of a process.
std::optional<double> made_unix_s(const model::ResultSet& set);

/// What kind of build makes its numbers worthless ("Debug build", "build without a build type"); empty if they are not.
std::string worthless_build(const model::ResultSet& set);

/// Baselines older than this are pointed out: compilers, kernels and machines change within a month.
inline constexpr double kStaleDays = 31;

}  // namespace pawl
