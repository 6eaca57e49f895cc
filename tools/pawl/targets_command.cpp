// targets_command.cpp -- `pawl targets`: results -> which of the bars in targets.json they reach.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "arguments.hpp"
#include "baseline/load.hpp"
#include "baseline/targets_file.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "output_file.hpp"
#include "pawl/machine.hpp"
#include "show/target_values.hpp"
#include "show/targets_format.hpp"

namespace pawl::commands {
namespace {

constexpr const char* kFooter = R"(
A target is a bar for one metric of all benchmarks whose names match a regular expression:

  {"schema_version": 1, "targets": [
    {"name": "large products near the peak", "pattern": "^matmul/f32/pawl/m:(512|1024)/",
     "metric": "percent_of_limit", "at_least": 90},
    {"name": "no peer is faster", "pattern": "/pawl/", "metric": "over/best_peer", "at_least": 0.99}]}

Metrics: real_time and cpu_time (nanoseconds), percent_of_limit, over/IMPL, over/best_peer, over/KEY:VALUE (their time / ours),
or the name of a counter. "over": "geometric_mean" sets the bar for the mean over the benchmarks instead of each.

  met             every benchmark reaches the bar
  unclear         one falls short, but by no more than its runs scatter
  missed          one falls short by more than that, or failed
  not applicable  no benchmark matches, or none has the metric

Exit code: 1 if a target is missed, 3 if none applies.

Examples
  pawl targets results/2026-11-20T221500Z_1a2b3c4
  pawl targets main --targets bars.json --format markdown --output targets.md)";

struct Options {
  std::string results, targets, format = "table", output, directory;
  double confidence = 0.95;
};

std::vector<show::JudgedTarget> judge(const std::vector<decide::Target>& targets, const model::ResultSet& set,
                                      double confidence) {
  std::map<std::string, std::vector<decide::TargetRow>> by_metric;
  std::vector<show::JudgedTarget> judged;
  for (const decide::Target& target : targets) {
    const auto [at, is_new] = by_metric.try_emplace(target.metric);
    if (is_new) at->second = show::target_values(set, target.metric);
    judged.push_back({target, decide::judge_target(target, at->second, confidence)});
  }
  return judged;
}

int exit_code_of(const std::vector<show::JudgedTarget>& judged) {
  const auto any = [&](decide::Reach reach) {
    return std::ranges::any_of(judged, [reach](const show::JudgedTarget& t) { return t.reached.reach == reach; });
  };
  if (any(decide::Reach::missed)) return kRegression;
  return any(decide::Reach::met) || any(decide::Reach::unclear) ? kPassed : kNothingToCompare;
}

int targets(const Options& options) {
  const baseline::Store store = baseline::open_store(options.directory);
  const auto bars = baseline::read_targets(options.targets.empty() ? store.directory() / "targets.json"
                                                                   : std::filesystem::path(options.targets));
  const std::string key = machine_key(describe_machine());
  const model::ResultSet set = baseline::load(options.results, store, key).set;
  const auto judged = judge(bars, set, options.confidence);
  const int code = exit_code_of(judged);
  const std::string text = options.format == "json"       ? show::format_targets_json(judged, code)
                           : options.format == "markdown" ? show::format_targets_markdown(judged)
                                                          : show::format_targets_text(judged);
  if (options.output.empty()) {
    fmt::print("{}", text);
  } else {
    write_file(options.output, text);
  }
  return code;
}

}  // namespace

void add_targets(Command app, Chosen& chosen) {
  auto options = std::make_shared<Options>();
  Command command = app.subcommand("targets", "Which of the bars that a project set itself the results reach");
  command.option("RESULTS", options->results, "File, directory or saved baseline").required();
  command.option("--targets", options->targets, "The bars (default: targets.json beside the baselines)");
  command.option("--dir", options->directory, "Where baselines are (default: the nearest baselines/)");
  command.option("--confidence", options->confidence, "Of the intervals").between(0.5, 0.9999);
  command.option("--format", options->format, "table, markdown or json").one_of({"table", "markdown", "json"});
  command.option("--output", options->output, "Write to this file instead of standard output");
  command.footer(kFooter);
  command.when_chosen(chosen, [options] { return targets(*options); });
}

}  // namespace pawl::commands
