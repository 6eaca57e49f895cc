// compare_command.cpp -- `pawl compare`: two results, a policy, a verdict, and its exit code.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "baseline/load.hpp"
#include "commands.hpp"
#include "decide/judge.hpp"
#include "decide/thresholds.hpp"
#include "failure.hpp"
#include "gate.hpp"
#include "output_file.hpp"
#include "pawl/machine.hpp"
#include "portable.hpp"
#include "select.hpp"
#include "show/compare_py.hpp"
#include "verdict_output.hpp"

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
  pawl compare base.json head.json --format table,github,markdown --output pr.md --output junit=report.xml

In place of google/benchmark's compare.py
  pawl compare benchmarks base.json head.json -d out.json
  pawl compare filters results.json BM_Old BM_New
  pawl compare benchmarksfiltered base.json BM_Read head.json BM_Write

Verdicts
  FAILED CRITICAL REMOVED   fail the build           WARNING       fails it with --fail-on warning
  INCONCLUSIVE              the runs cannot tell     IMPROVEMENT ADDED STABLE   pass)";

struct Options {
  std::vector<std::string> operands;
  GateOptions gate;
  OutputOptions output;
  std::string filter, directory, dump;
  bool portable = false, lenient = false, aggregates_only = false, no_utest = false;
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

// A report over the results that it is about would be all that is left of them.
void check_inputs_are_kept(const Sides& sides, const std::vector<std::string>& files) {
  std::error_code error;
  for (const std::string& file : files)
    for (const std::string& side : {sides.base, sides.now})
      if (std::filesystem::is_regular_file(file, error) && std::filesystem::equivalent(file, side, error))
        throw Failure(kBadInput, fmt::format("{}: a report can't go to the results that are compared", file));
}

void check_machines(const baseline::Loaded& base, const baseline::Loaded& now, const std::string& here) {
  const auto key_of = [&](const baseline::Loaded& side, const baseline::Loaded& other) {
    // A plain file does not say its machine; beside a baseline, which is kept per machine, it counts as made here.
    return side.set.machine.key.empty() && other.entry ? here : side.set.machine.key;
  };
  const std::string a = key_of(base, now), b = key_of(now, base);
  if (a.empty() || b.empty() || a == b) return;
  const std::string other = b == here ? "this is " + b : fmt::format("'{}' is from {}", now.set.label, b);
  throw Failure(
      kNothingToCompare,
      fmt::format("{} '{}' is from {}, {}: absolute times don't compare.\nCompare ratios to the yardsticks with "
                  "--portable, or save a baseline here: pawl baseline save",
                  base.entry ? "baseline" : "base", base.set.label, a, other));
}

bool have_a_name_in_common(const model::ResultSet& base, const model::ResultSet& now) {
  std::set<std::pair<std::string_view, std::string_view>> names;
  for (const model::Benchmark& b : base.benchmarks) names.emplace(b.executable.str(), b.name);
  return std::ranges::any_of(now.benchmarks, [&](const model::Benchmark& b) {
    return names.contains({b.executable.str(), b.name});
  });
}

[[noreturn]] void fail_nothing_in_common(const Options& options, const Judged& judged) {
  if (judged.base.benchmarks.empty() && judged.now.benchmarks.empty() && !options.filter.empty()) {
    throw Failure(kNothingToCompare,
                  fmt::format("nothing to compare: no benchmark matches --filter '{}'", options.filter));
  }
  if (have_a_name_in_common(judged.base, judged.now)) {
    const auto& metrics = options.gate.metrics;
    const bool of_scatter = std::ranges::find(metrics, decide::kVariance) != metrics.end();
    throw Failure(kNothingToCompare,
                  fmt::format("nothing to compare: no benchmark that {} and {} both have can be compared by {}{}",
                              judged.base.label, judged.now.label,
                              metrics.empty() ? "its time" : fmt::format("{}", fmt::join(metrics, ", ")),
                              of_scatter ? "; the scatter of process runs needs 5 of them a side" : ""));
  }
  std::string names;
  if (!judged.base.benchmarks.empty() && !judged.now.benchmarks.empty()) {
    names = fmt::format(" (for example {} and {})", judged.base.benchmarks.front().name,
                        judged.now.benchmarks.front().name);
  }
  throw Failure(kNothingToCompare, fmt::format("nothing to compare: {} and {} have no benchmark in common{}",
                                               judged.base.label, judged.now.label, names));
}

int compare_loaded(const Options& options, const Sides& sides, baseline::Loaded base, baseline::Loaded now,
                   decide::Policy policy) {
  const auto outputs = outputs_of(options.output);
  std::vector<std::string> notes = unknown_metrics(policy, base.set, now.set);
  if (options.portable) {
    for (std::string& note : make_portable(base.set, now.set)) notes.push_back(std::move(note));
    for (std::string& metric : policy.metrics)
      metric = portable_metric(metric == "time" ? model::kRealTime : metric == "cpu" ? model::kCpuTime : metric);
  } else {
    check_machines(base, now, machine_key(describe_machine()));
  }
  if (sides.base_family) {
    const std::string replacement = fmt::format("[{} vs. {}]", *sides.base_family, *sides.now_family);
    keep_family(base.set, *sides.base_family, replacement);
    keep_family(now.set, *sides.now_family, replacement);
  }
  if (!options.filter.empty()) {
    keep_filtered(base.set, options.filter);
    keep_filtered(now.set, options.filter);
  }
  match_by_name(base.set, now.set);
  decide::Judgement judgement;
  try {
    judgement = decide::judge(base.set, now.set, fitted(std::move(policy), options.gate, base.set, now.set));
  } catch (const decide::RuleError& error) {
    throw Failure(kBadInput, fmt::format("thresholds: {}", error.what()));
  }
  std::string families;
  if (sides.base_family) families = fmt::format("{}|{}", *sides.base_family, *sides.now_family);
  const Judged judged{judgement,        base.set, now.set, fail_on_of(options.gate), base.entry.has_value(),
                      std::move(notes), families};
  if (!options.dump.empty()) write_file(options.dump, show::format_compare_py(judgement, base.set, now.set));
  const int code = show_verdict(judged, outputs, options.output);
  if (!judgement.comparable) fail_nothing_in_common(options, judged);
  return code;
}

int compare(const Options& options) {
  // What was typed wrong is said before minutes of reading, not after.
  const Sides sides = sides_of(options);
  std::vector<std::string> files = {options.dump};
  for (const show::Output& output : outputs_of(options.output)) files.push_back(output.file);
  check_inputs_are_kept(sides, files);
  const baseline::Store store = baseline::open_store(options.directory);
  const decide::Policy policy = policy_of(options.gate, store);
  const std::string here = machine_key(describe_machine());
  if (sides.base == "-" && sides.now == "-" && !sides.base_family) {
    throw Failure(kBadInput, "standard input can be only one of BASE and NEW");
  }
  baseline::Loaded base;
  try {
    base = baseline::load(sides.base, store, here);
  } catch (const baseline::NoBaseline& missing) {
    if (!options.lenient) throw;
    baseline::load(sides.now, store, here);  // results that are missing are no missing baseline
    fmt::print(stderr, "pawl: {}\npawl: nothing was compared; --lenient lets this pass\n", missing.line);
    return kPassed;
  }
  baseline::Loaded now = sides.now == sides.base ? base : baseline::load(sides.now, store, here);
  return compare_loaded(options, sides, std::move(base), std::move(now), policy);
}

}  // namespace

void add_compare(Command app, Chosen& chosen) {
  auto options = std::make_shared<Options>();
  Command command = app.subcommand("compare", "Compare two sets of results; the exit code is the verdict");
  command.footer(kFooter);
  command.option("RESULTS", options->operands, "BASE NEW, or a form of compare.py (see below)").required();
  add_gate_options(command, options->gate);
  command.flag("--lenient", options->lenient, "A missing baseline is noted and passes").group("Gate");
  command.option("--filter,--benchmark_filter", options->filter, "Only names that match; -REGEX: that don't")
      .group("What");
  command.flag("--portable", options->portable, "Compare ratios to the machines' yardsticks, not times").group("What");
  command.option("--dir", options->directory, "Where baselines are (default: the nearest baselines/ upward)")
      .group("What");
  add_output_options(command, options->output);
  command.option("-d,--dump_to_json", options->dump, "Also write compare.py's JSON").group("As compare.py");
  command.flag("-a,--display_aggregates_only", options->aggregates_only, "Taken, and always so: one row each")
      .group("As compare.py");
  command.flag("--no-utest", options->no_utest, "Taken, without effect: no verdict comes from that test")
      .group("As compare.py");
  command.when_chosen(chosen, [options] { return compare(*options); });
}

}  // namespace pawl::commands
