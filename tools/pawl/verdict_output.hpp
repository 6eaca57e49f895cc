// verdict_output.hpp -- a Judgement and what was asked for -> every format in its place, and the exit code.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "decide/judge.hpp"
#include "model/results.hpp"
#include "show/outputs.hpp"

namespace pawl {

struct OutputOptions {
  std::vector<std::string> formats, files;
  std::string colour = "auto";
  bool no_colour = false, all = false;
};

/// --format --output --all --color --no-color. `options` must outlive the parsing.
void add_output_options(Command& command, OutputOptions& options);

/// What a verdict is told about. The sets are those that were judged.
struct Judged {
  const decide::Judgement& judgement;
  const model::ResultSet& base;
  const model::ResultSet& now;
  decide::FailOn fail_on = decide::FailOn::critical;
  bool base_is_baseline = false;   ///< its age is told
  std::vector<std::string> notes;  ///< the command's own, before those about the files
  std::string families{};          ///< a filter for both, where two families were compared under a name of neither
};

/// Writes each output; standard output gets the table unless something else was asked for. Where all went to files, the
/// verdict line still goes to standard error. Returns the exit code of the verdict (decide::exit_code).
/// Errors: Failure(kBadInput) for a file that can't be written.
int show_verdict(const Judged& judged, const std::vector<show::Output>& outputs, const OutputOptions& options);

/// Checks --format and --output before any work. Errors: Failure(kBadInput).
std::vector<show::Output> outputs_of(const OutputOptions& options);

/// Whether each file can be written, for commands that measure first. Errors: Failure(kBadInput).
void probe(const std::vector<show::Output>& outputs);

/// comparison.md and comparison.json of a results' directory, and then what was asked for: a verdict that took an hour
/// is kept there, wherever the rest was to go.
std::vector<show::Output> with_own_files(const std::filesystem::path& directory, std::vector<show::Output> asked);

}  // namespace pawl
