// merge_command.cpp -- `pawl merge`: results of several runs -> one results.json.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "baseline/load.hpp"
#include "baseline/results_file.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "pawl/machine.hpp"
#include "read/read.hpp"
#include "runs_seen.hpp"
#include "show/quantity.hpp"
#include "show/text.hpp"

namespace pawl::commands {
namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string output, directory;
};

// Run and pair indices count within one session; in the joined set they must stay different. Sides merged in the same
// order keep their pairs.
void shift_indices(model::ResultSet& set, int& next_run, int& next_pair) {
  int last_run = -1, last_pair = -1;
  for (model::Process& process : set.processes) {
    if (process.run_index >= 0) process.run_index += next_run;
    if (process.pair_index >= 0) process.pair_index += next_pair;
    last_run = std::max(last_run, process.run_index);
    last_pair = std::max(last_pair, process.pair_index);
  }
  next_run = std::max(next_run, last_run + 1);
  next_pair = std::max(next_pair, last_pair + 1);
}

int merge(const Options& options) {
  const baseline::Arguments inputs = baseline::choose_arguments(options.inputs);
  for (const std::string& input : inputs.left_out)
    fmt::print(stderr, "note: {}: no results in it; left out\n", show::terminal_text(input));
  const baseline::Store store = baseline::open_store(options.directory);
  const std::string here = machine_key(describe_machine());
  std::vector<model::ResultSet> sets;
  RunsSeen seen;
  int next_run = 0, next_pair = 0;
  for (const std::string& input : inputs.taken) {
    sets.push_back(baseline::load(input, store, here).set);
    if (const SeenRuns again = seen.add(sets.back(), input); again.count > 0)
      throw Failure(kBadInput, fmt::format("{} has {} that {} has too, which would count twice; name each once", input,
                                           show::counted(again.count, "process run"),
                                           again.first_in == input ? "it, named before," : again.first_in));
    shift_indices(sets.back(), next_run, next_pair);
  }
  model::ResultSet joined = read::join(std::move(sets));
  joined.label = options.output;
  if (options.output == "-") {
    const std::string text = baseline::format_results(joined);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return kPassed;
  }
  baseline::write_results(options.output, joined);
  fmt::print("{}: {}, {}\n", options.output, show::counted(joined.benchmarks.size(), "benchmark"),
             show::counted(joined.processes.size(), "process run"));
  for (const model::Oddity& oddity : joined.oddities) {
    if (oddity.severity == model::Oddity::Severity::note) continue;
    fmt::print("note: {}: {}{}{}\n", show::terminal_text(oddity.file), show::terminal_text(oddity.row),
               oddity.row.empty() ? "" : ": ", show::terminal_text(oddity.what));
  }
  return kPassed;
}

}  // namespace

void add_merge(Command app, Chosen& chosen) {
  auto options = std::make_shared<Options>();
  Command command = app.subcommand("merge", "Join results of several runs into one results.json");
  command.option("RESULTS", options->inputs, "Files, directories, saved baselines, or -").required();
  command.option("-o,--output", options->output, "The file to write; - is standard output").required();
  command.option("--dir", options->directory, "Where baselines are (default: the nearest baselines/ upward)");
  command.footer("\nExample\n  pawl merge monday.json tuesday.json results/today -o week.json");
  command.when_chosen(chosen, [options] { return merge(*options); });
}

}  // namespace pawl::commands
