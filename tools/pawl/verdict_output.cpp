// verdict_output.cpp -- builds the Outcome and writes it.
#include "verdict_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>

#include "comparison_notes.hpp"
#include "output_file.hpp"
#include "show/formats.hpp"
#include "show/terminal.hpp"

namespace pawl {
namespace {

show::Side side_of(const model::ResultSet& set) {
  return {set.label,
          set.machine.key,
          set.methodology.commit,
          set.methodology.date,
          set.processes.size(),
          set.benchmarks.size()};
}

double now_unix_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

show::Outcome outcome_of(const Judged& judged, bool all) {
  show::Outcome outcome;
  outcome.judgement = &judged.judgement;
  outcome.fail_on = judged.fail_on;
  outcome.exit_code = decide::exit_code(judged.judgement, judged.fail_on);
  outcome.base = side_of(judged.base);
  outcome.now = side_of(judged.now);
  outcome.all = all;
  outcome.families = judged.families;
  outcome.tool = "pawl " PAWL_VERSION;
  outcome.common_warnings = show::warnings_of_all(judged.judgement);
  outcome.shared_names = show::names_of_several(judged.judgement);
  outcome.notes = judged.judgement.notes;
  for (const std::string& warning : outcome.common_warnings) {
    const auto says_it = [&](const std::string& note) { return note.starts_with(warning); };
    if (std::ranges::none_of(outcome.notes, says_it)) outcome.notes.push_back(warning);
  }
  outcome.notes.insert(outcome.notes.end(), judged.notes.begin(), judged.notes.end());
  auto about = comparison_notes(judged.base, judged.now, {all, judged.base_is_baseline, now_unix_s()});
  outcome.notes.insert(outcome.notes.end(), std::make_move_iterator(about.begin()),
                       std::make_move_iterator(about.end()));
  return outcome;
}

}  // namespace

void add_output_options(Command& command, OutputOptions& options) {
  command.option("--format", options.formats, "table, json, markdown, csv, junit, github, html-fragment")
      .one_each()
      .group("Output");
  command.option("--output", options.files, "File of a format; repeated, or FORMAT=FILE").one_each().group("Output");
  command.flag("--all", options.all, "Stable rows and every oddity too").group("Output");
  command.option("--color", options.colour, "auto, always or never")
      .one_of({"auto", "always", "never"})
      .group("Output");
  command.flag("--no-color", options.no_colour, "As NO_COLOR=1 in the environment").group("Output");
}

std::vector<show::Output> outputs_of(const OutputOptions& options) {
  return show::plan_outputs(options.formats, options.files);
}

void probe(const std::vector<show::Output>& outputs) {
  for (const show::Output& output : outputs)
    if (!output.file.empty()) probe_file(output.file);
}

std::vector<show::Output> with_own_files(const std::filesystem::path& directory, std::vector<show::Output> asked) {
  std::vector<show::Output> all = {{show::Format::markdown, (directory / "comparison.md").string()},
                                   {show::Format::json, (directory / "comparison.json").string()}};
  all.insert(all.end(), std::make_move_iterator(asked.begin()), std::make_move_iterator(asked.end()));
  return all;
}

int show_verdict(const Judged& judged, const std::vector<show::Output>& outputs, const OutputOptions& options) {
  const show::Outcome outcome = outcome_of(judged, options.all);
  const auto wish = options.no_colour || options.colour == "never" ? show::Colour::never
                    : options.colour == "always"                   ? show::Colour::always
                                                                   : show::Colour::automatic;
  const show::Terminal terminal = show::describe_terminal(wish);
  bool to_stdout = false;
  for (const show::Output& output : outputs) {
    const bool here = output.file.empty();
    const std::string text = show::format_outcome(output.format, outcome, here ? terminal : show::Terminal{});
    if (here) {
      std::fwrite(text.data(), 1, text.size(), stdout);
      to_stdout = true;
    } else {
      write_file(output.file, text);
    }
  }
  if (!to_stdout) fmt::print(stderr, "{}\n", show::verdict_line(outcome));
  return outcome.exit_code;
}

}  // namespace pawl
