// compare_command.cpp -- `pawl compare`: two results, a policy, a verdict, and its exit code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "baseline/load.hpp"
#include "baseline/thresholds_file.hpp"
#include "commands.hpp"
#include "comparison_notes.hpp"
#include "decide/judge.hpp"
#include "decide/thresholds.hpp"
#include "failure.hpp"
#include "output_file.hpp"
#include "pawl/machine.hpp"
#include "portable.hpp"
#include "select.hpp"
#include "show/compare_py.hpp"
#include "show/formats.hpp"
#include "show/outputs.hpp"
#include "show/terminal.hpp"

namespace pawl::commands {
namespace {

constexpr const char* kFooter = R"(
BASE and NEW are each a file of Google Benchmark's (.json, .json.gz), a results.json of `pawl run`, a directory of either,
the name of a saved baseline, or - for standard input. Several process runs a side make verdicts sure: repetitions within
one process share its memory layout and its moment.

Examples
  pawl compare base.json head.json
  pawl compare main results/today --filter matmul
  pawl compare base/ head/ --metric real_time,throughput --fail-on warning
  pawl compare base.json head.json --format table,github --output pr.md --output junit=report.xml

In place of google/benchmark's compare.py
  pawl compare benchmarks base.json head.json -d out.json
  pawl compare filters results.json BM_Old BM_New
  pawl compare benchmarksfiltered base.json BM_Read head.json BM_Write

Verdicts
  FAILED CRITICAL REMOVED   fail the build           WARNING       fails it with --fail-on warning
  INCONCLUSIVE              the runs cannot tell     IMPROVEMENT ADDED STABLE   pass)";

struct Options {
  std::vector<std::string> operands;
  std::string thresholds, profile, fail_on = "critical", filter, directory, colour = "auto", dump;
  std::optional<double> warning, critical, alpha;
  std::vector<std::string> metrics, formats, outputs;
  bool all = false, no_colour = false, portable = false, lenient = false, aggregates_only = false, no_utest = false;
};

/// What is compared with what, whichever form it was typed in.
struct Sides {
  std::string base, now;
  std::optional<std::string> base_family, now_family;
};

Sides sides_of(const Options& options) {
  const std::vector<std::string>& words = options.operands;
  const std::string& form = words.front();
  if (words.size() == 3 && form == "benchmarks") return {words[1], words[2], {}, {}};
  if (words.size() == 4 && form == "filters") return {words[1], words[1], words[2], words[3]};
  if (words.size() == 5 && form == "benchmarksfiltered") return {words[1], words[3], words[2], words[4]};
  if (words.size() == 2) return {words[0], words[1], {}, {}};
  throw Failure(kBadInput,
                fmt::format("compare takes BASE NEW, or benchmarks BASE NEW, filters FILE FAMILY FAMILY, "
                            "benchmarksfiltered BASE FAMILY NEW FAMILY; got {} words; see `pawl compare --help`",
                            words.size()));
}

decide::FailOn fail_on_of(const std::string& name) {
  for (const auto value :
       {decide::FailOn::never, decide::FailOn::critical, decide::FailOn::warning, decide::FailOn::inconclusive}) {
    if (show::fail_on_name(value) == name) return value;
  }
  throw Failure(kBadInput, fmt::format("--fail-on {}: expected critical, warning, inconclusive or never", name));
}

// The file that was asked for, else the project's own, else what is built in.
decide::Policy policy_of(const Options& options, const baseline::Store& store) {
  decide::Policy policy;
  if (!options.profile.empty()) {
    try {
      policy = decide::profile(options.profile);
    } catch (const std::invalid_argument& error) {
      throw Failure(kBadInput, fmt::format("--profile: {}", error.what()));
    }
  }
  const std::filesystem::path own = store.directory() / "thresholds.json";
  std::error_code error;
  const bool use_own = options.thresholds.empty() && options.profile.empty() && std::filesystem::exists(own, error);
  if (!options.thresholds.empty() || use_own) {
    decide::Policy from_file = baseline::read_thresholds(use_own ? own : std::filesystem::path(options.thresholds));
    from_file.rules.insert(from_file.rules.begin(), policy.rules.begin(), policy.rules.end());
    policy = std::move(from_file);
  }
  if (options.alpha) {
    if (!(*options.alpha > 0 && *options.alpha < 1)) throw Failure(kBadInput, "--alpha: expected between 0 and 1");
    policy.alpha = *options.alpha;
  }
  if (!options.metrics.empty()) policy.metrics = options.metrics;
  return policy;
}

// --warning and --critical: for every metric compared, below what rules say of single benchmarks.
void add_command_line_rules(const Options& options, decide::Policy& policy) {
  if (!options.warning && !options.critical) return;
  const double warning = options.warning.value_or(0), critical = options.critical.value_or(0);
  if (warning < 0 || critical < 0) throw Failure(kBadInput, "--warning and --critical are percentages: 5 for 5 %");
  if (options.warning && options.critical && warning > critical) {
    throw Failure(kBadInput, fmt::format("--warning {:g} is above --critical {:g}", warning, critical));
  }
  for (const std::string& metric : policy.metrics) {
    decide::Rule rule;
    rule.metric = metric;
    // One of them alone must not turn the order around: a warning beyond the default critical moves that too.
    constexpr double kPercent = 100;
    const decide::Thresholds defaults;
    const double warn = options.warning ? warning / kPercent : std::min(defaults.warning, critical / kPercent);
    rule.warning = warn;
    rule.improvement = warn;
    rule.critical = options.critical ? critical / kPercent : std::max(defaults.critical, warn);
    policy.rules.push_back(rule);
  }
}

show::Side side_of(const model::ResultSet& set) {
  return {set.label,
          set.machine.key,
          set.methodology.commit,
          set.methodology.date,
          set.processes.size(),
          set.benchmarks.size()};
}

void check_machines(const baseline::Loaded& base, const baseline::Loaded& now, const std::string& here) {
  const auto key_of = [&](const baseline::Loaded& side, const baseline::Loaded& other) {
    // A plain file does not say its machine; beside a baseline, which is kept per machine, it counts as made here.
    return side.set.machine.key.empty() && other.entry ? here : side.set.machine.key;
  };
  const std::string a = key_of(base, now), b = key_of(now, base);
  if (a.empty() || b.empty() || a == b) return;
  const bool is_here = b == here;
  throw Failure(
      kNothingToCompare,
      fmt::format("{} '{}' is from {}, {} is {}: absolute times don't compare.\nCompare ratios to the yardsticks "
                  "with --portable, or save a baseline here: pawl baseline save",
                  base.entry ? "baseline" : "base", base.set.label, a, is_here ? "this" : "'" + now.set.label + "'",
                  is_here ? b : "from " + b));
}

double now_unix_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string nothing_in_common(const Options& options, const show::Outcome& outcome) {
  if (outcome.base.benchmarks == 0 && outcome.now.benchmarks == 0 && !options.filter.empty()) {
    return fmt::format("nothing to compare: no benchmark matches --filter '{}'", options.filter);
  }
  std::string first_base, first_now;
  for (const decide::Comparison& c : outcome.judgement->comparisons) {
    if (c.verdict == decide::Verdict::removed && first_base.empty()) first_base = c.name;
    if (c.verdict == decide::Verdict::added && first_now.empty()) first_now = c.name;
  }
  std::string names;
  if (!first_base.empty() && !first_now.empty()) names = fmt::format(" (for example {} and {})", first_base, first_now);
  return fmt::format("nothing to compare: {} and {} have no benchmark in common{}", outcome.base.label,
                     outcome.now.label, names);
}

void write_outputs(const std::vector<show::Output>& outputs, const show::Outcome& outcome, const Options& options) {
  const auto wish = options.no_colour || options.colour == "never" ? show::Colour::never
                    : options.colour == "always"                   ? show::Colour::always
                                                                   : show::Colour::automatic;
  const show::Terminal terminal = show::describe_terminal(wish);
  bool to_stdout = false;
  for (const show::Output& output : outputs) {
    const std::string text =
        show::format_outcome(output.format, outcome, output.file.empty() ? terminal : show::Terminal{});
    if (output.file.empty()) {
      to_stdout = true;
      std::fwrite(text.data(), 1, text.size(), stdout);
    } else {
      write_file(output.file, text);
    }
  }
  // Whoever sends everything to files still sees how it went.
  if (!to_stdout) fmt::print(stderr, "{}\n", show::verdict_line(outcome));
}

int compare_loaded(const Options& options, const Sides& sides, const std::vector<show::Output>& outputs,
                   baseline::Loaded base, baseline::Loaded now, decide::Policy policy) {
  const decide::FailOn fail_on = fail_on_of(options.fail_on);
  std::vector<std::string> notes;
  if (options.portable) {
    notes = make_portable(base.set, now.set);
    for (std::string& metric : policy.metrics) metric = portable_metric(metric == "time" ? model::kRealTime : metric);
  } else {
    check_machines(base, now, machine_key(describe_machine()));
  }
  if (sides.base_family) {
    const std::string replacement = fmt::format("[{} vs. {}]", *sides.base_family, *sides.now_family);
    keep_family(base.set, *sides.base_family, replacement);
    keep_family(now.set, *sides.now_family, replacement);
  }
  if (!options.filter.empty()) {
    keep_matching(base.set, options.filter, "--filter");
    keep_matching(now.set, options.filter, "--filter");
  }
  match_by_name(base.set, now.set);
  policy.metrics = resolve_metrics(policy.metrics, base.set, now.set);
  add_command_line_rules(options, policy);

  decide::Judgement judgement;
  try {
    judgement = decide::judge(base.set, now.set, policy);
  } catch (const decide::RuleError& error) {
    throw Failure(kBadInput, fmt::format("thresholds: {}", error.what()));
  }
  show::Outcome outcome;
  outcome.judgement = &judgement;
  outcome.fail_on = fail_on;
  outcome.exit_code = decide::exit_code(judgement, fail_on);
  outcome.base = side_of(base.set);
  outcome.now = side_of(now.set);
  outcome.all = options.all;
  outcome.tool = "pawl " PAWL_VERSION;
  outcome.common_warnings = show::warnings_of_all(judgement);
  outcome.notes = judgement.notes;
  if (outcome.notes.empty()) outcome.notes = outcome.common_warnings;
  outcome.notes.insert(outcome.notes.end(), notes.begin(), notes.end());
  const auto about = comparison_notes(base.set, now.set, {options.all, base.entry.has_value(), now_unix_s()});
  outcome.notes.insert(outcome.notes.end(), about.begin(), about.end());

  if (!options.dump.empty()) write_file(options.dump, show::format_compare_py(judgement, base.set, now.set));
  write_outputs(outputs, outcome, options);
  if (outcome.exit_code == kNothingToCompare) throw Failure(kNothingToCompare, nothing_in_common(options, outcome));
  return outcome.exit_code;
}

int compare(const Options& options) {
  // What was typed wrong is said before minutes of reading, not after.
  const Sides sides = sides_of(options);
  const auto outputs = show::plan_outputs(options.formats, options.outputs);
  fail_on_of(options.fail_on);
  const baseline::Store store = baseline::open_store(options.directory);
  const decide::Policy policy = policy_of(options, store);
  const std::string here = machine_key(describe_machine());
  if (sides.base == "-" && sides.now == "-" && !sides.base_family) {
    throw Failure(kBadInput, "standard input can be only one of BASE and NEW");
  }
  baseline::Loaded base;
  try {
    base = baseline::load(sides.base, store, here);
  } catch (const baseline::NoBaseline& missing) {
    if (!options.lenient) throw;
    fmt::print(stderr, "pawl: {}\npawl: nothing was compared; --lenient lets this pass\n", missing.line);
    return kPassed;
  }
  baseline::Loaded now = sides.now == sides.base ? base : baseline::load(sides.now, store, here);
  return compare_loaded(options, sides, outputs, std::move(base), std::move(now), policy);
}

}  // namespace

void add_compare(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("compare", "Compare two sets of results; the exit code is the verdict");
  command->footer(kFooter);
  command->add_option("RESULTS", options->operands, "BASE NEW, or a form of compare.py (see below)")->required();

  command->add_option("--fail-on", options->fail_on, "critical (default), warning, inconclusive or never")
      ->group("Gate");
  command->add_option("--warning", options->warning, "Percent from which a change is a WARNING (default 5)")
      ->group("Gate");
  command->add_option("--critical", options->critical, "Percent from which it is CRITICAL (default 10)")->group("Gate");
  command
      ->add_option("--thresholds", options->thresholds, "Rules by metric and name (default: baselines/thresholds.json)")
      ->group("Gate");
  command->add_option("--profile", options->profile, "default, latency or strict, instead of the thresholds file")
      ->group("Gate");
  command->add_option("--alpha", options->alpha, "False discovery rate over all comparisons (default 0.01)")
      ->group("Gate");
  command->add_flag("--lenient", options->lenient, "A missing baseline is noted and passes")->group("Gate");

  command->add_option("--filter,--benchmark_filter", options->filter, "Only names that match; -REGEX: that don't")
      ->group("What");
  command->add_option("--metric", options->metrics, "real_time (default), cpu_time, a counter, throughput, memory, all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group("What");
  command->add_flag("--portable", options->portable, "Compare ratios to the machines' yardsticks, not times")
      ->group("What");
  command->add_option("--dir", options->directory, "Where baselines are (default: the nearest baselines/ upward)")
      ->group("What");

  command->add_option("--format", options->formats, "table, json, markdown, csv, junit, github, html-fragment")
      ->allow_extra_args(false)
      ->group("Output");
  command->add_option("--output", options->outputs, "File of a format; repeated, or FORMAT=FILE")
      ->allow_extra_args(false)
      ->group("Output");
  command->add_flag("--all", options->all, "Stable rows and every oddity too")->group("Output");
  command->add_option("--color", options->colour, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->group("Output");
  command->add_flag("--no-color", options->no_colour, "As NO_COLOR=1 in the environment")->group("Output");

  command->add_option("-d,--dump_to_json", options->dump, "Also write compare.py's JSON")->group("As compare.py");
  command->add_flag("-a,--display_aggregates_only", options->aggregates_only, "Taken, and always so: one row each")
      ->group("As compare.py");
  command->add_flag("--no-utest", options->no_utest, "Taken, without effect: no verdict comes from that test")
      ->group("As compare.py");
  command->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

}  // namespace pawl::commands
