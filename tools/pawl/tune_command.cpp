// tune_command.cpp -- `pawl tune-thresholds`: a history of results -> thresholds.json that its noise allows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "baseline/load.hpp"
#include "commands.hpp"
#include "comparison_notes.hpp"
#include "decide/tune.hpp"
#include "failure.hpp"
#include "output_file.hpp"
#include "pawl/machine.hpp"
#include "runs_seen.hpp"
#include "show/text.hpp"

namespace pawl::commands {
namespace {

constexpr std::size_t kShown = 20;

struct Options {
  std::vector<std::string> inputs;
  std::string output, directory;
  double warning = 5, critical = 10;
};

std::string thresholds_json(const std::vector<decide::Rule>& rules, const Options& options, std::size_t results) {
  nlohmann::ordered_json json;
  json["schema_version"] = 1;
  json["comment"] = fmt::format(
      "Written by pawl tune-thresholds from {} results: benchmarks whose own noise is above the usual threshold.",
      results);
  json["rules"] = nlohmann::ordered_json::array();
  const auto add = [&](const decide::Rule& of) {
    nlohmann::ordered_json rule;
    rule["metric"] = of.metric;
    if (!of.pattern.empty()) rule["pattern"] = of.pattern;
    // Ratios are a percent of a percent off a whole number; nobody wants to read that.
    for (const auto& [key, share] : {std::pair{"warning_percent", of.warning},
                                     {"critical_percent", of.critical},
                                     {"improvement_percent", of.improvement}})
      if (share) rule[key] = std::round(*share * 1e4) / 100;
    if (of.gate) rule["gate"] = *of.gate;
    json["rules"].push_back(std::move(rule));
  };
  const double warning = options.warning / 100, critical = options.critical / 100;
  for (const char* metric : {"time", "throughput"})
    add({.metric = metric, .warning = warning, .critical = critical, .improvement = warning});
  for (const decide::Rule& rule : rules) add(rule);
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int tune(const Options& options) {
  if (!(options.warning > 0 && options.critical >= options.warning))
    throw Failure(kBadInput, "--warning and --critical are percentages above 0: 5 for 5 %; critical is the larger one");
  const baseline::Arguments inputs = baseline::choose_arguments(options.inputs);
  for (const std::string& input : inputs.left_out)
    fmt::print(stderr, "note: {}: no results in it; left out\n", show::terminal_text(input));
  if (inputs.taken.size() < decide::kFewestResults)
    throw Failure(kBadInput, fmt::format("tune-thresholds needs at least {} results of different moments; got {}",
                                         decide::kFewestResults, inputs.taken.size()));
  const baseline::Store store = baseline::open_store(options.directory);
  const std::string here = machine_key(describe_machine());
  std::vector<model::ResultSet> history;
  RunsSeen seen;
  for (const std::string& input : inputs.taken) {
    model::ResultSet set = baseline::load(input, store, here).set;
    const SeenRuns again = seen.add(set, input);
    if (again.count == 0)
      history.push_back(std::move(set));
    else
      fmt::print(stderr, "{} has process runs of {}: the same moment, so it is counted once\n",
                 show::terminal_text(input), show::terminal_text(again.first_in));
  }
  if (history.size() < decide::kFewestResults)
    throw Failure(kBadInput, fmt::format("tune-thresholds needs at least {} results of different moments; got {}",
                                         decide::kFewestResults, history.size()));
  // By time, which tells a step in it from noise; a shell's order has run-10 before run-2.
  const auto has_time = [](const model::ResultSet& set) { return made_unix_s(set).has_value(); };
  if (std::ranges::all_of(history, has_time)) std::ranges::stable_sort(history, {}, made_unix_s);
  const decide::Thresholds usual{options.warning / 100, options.critical / 100, options.warning / 100};
  std::vector<decide::Tuned> tuned = decide::tune_thresholds(history, usual);
  if (tuned.empty())
    throw Failure(kNothingToCompare,
                  fmt::format("no benchmark is in at least {} of the results", decide::kFewestResults));
  const auto rules = decide::rules_of(tuned, usual);
  const std::string text = thresholds_json(rules, options, history.size());
  if (options.output.empty() || options.output == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    write_file(options.output, text);
  }
  std::ranges::stable_sort(tuned, std::ranges::greater{}, &decide::Tuned::warning);
  std::size_t above = 0;
  for (const decide::Tuned& t : tuned) {
    if (!t.above_usual || ++above > kShown) continue;
    if (t.beyond_gating)
      fmt::print(stderr,
                 "   none    {}  (scatters by {:.0f} % over {} results: no threshold would tell a regression; "
                 "\"gate\": false)\n",
                 show::terminal_text(t.name), 100 * t.deviation, t.results);
    else
      fmt::print(stderr, "{:>6.1f} %  {}  (scatters by {:.1f} % over {} results)\n", 100 * t.warning,
                 show::terminal_text(t.name), 100 * t.deviation, t.results);
  }
  if (above > kShown) fmt::print(stderr, "{} more\n", above - kShown);
  fmt::print(stderr, "{} of {} benchmarks are noisier than {:g} %{}\n", above, tuned.size(), options.warning,
             options.output.empty() || options.output == "-" ? "" : "; rules for them: " + options.output);
  return kPassed;
}

}  // namespace

void add_tune(Command app, Chosen& chosen) {
  auto options = std::make_shared<Options>();
  Command command = app.subcommand("tune-thresholds", "Thresholds that the noise of a history of results allows");
  command
      .option("RESULTS", options->inputs,
              "Results of the same suite at different moments: files, directories, baselines")
      .required();
  command.option("-o,--output", options->output, "The thresholds.json to write (default: standard output)");
  command.option("--warning", options->warning, "Percent that is kept where the noise allows it (default 5)");
  command.option("--critical", options->critical, "Percent that is kept where the noise allows it (default 10)");
  command.option("--dir", options->directory, "Where baselines are (default: the nearest baselines/ upward)");
  command.footer(
      "\nA higher threshold hides smaller regressions: more process runs (pawl run --runs 10) or interleaved ones "
      "(pawl ab)\n"
      "are better where they can be had.\n\n"
      "Example\n  pawl tune-thresholds results/2026-* -o baselines/thresholds.json");
  command.when_chosen(chosen, [options] { return tune(*options); });
}

}  // namespace pawl::commands
