// measure_options.cpp -- see measure_options.hpp.
#include "measure_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <string_view>
#include <system_error>

#include "failure.hpp"
#include "show/text.hpp"

namespace pawl {
namespace {

// Three repetitions of this many seconds each, interleaved with those of the other rows: a burst of a neighbour, which
// lasts longer than three of them in a row, meets one. More time in one process buys little, for what differs is the
// process (docs/verdicts.md); more processes do.
constexpr double kMinTimeSeconds = 0.05, kQuickMinTimeSeconds = 0.02;
constexpr int kRepetitions = 3, kRuns = 5, kQuickRuns = 3;

std::uint64_t seed_of(const MeasureOptions& options) {
  if (options.seed) return *options.seed;
  const char* const set = std::getenv("PAWL_SEED");
  const std::string_view text = set != nullptr ? set : "";
  if (text.empty()) return 42;
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size())
    throw Failure(kBadInput, fmt::format("PAWL_SEED={} is not a whole number from 0 to {}", show::terminal_text(text),
                                         std::numeric_limits<std::uint64_t>::max()));
  return seed;
}

double min_time_of(const MeasureOptions& options) {
  return options.min_time_s.value_or(options.quick ? kQuickMinTimeSeconds : kMinTimeSeconds);
}

}  // namespace

void add_measure_options(Command& command, MeasureOptions& options) {
  const char* what = "What";
  command
      .option("--suite", options.suites, "Executables whose name matches this glob, with or without _bench; repeated")
      .comma_separated()
      .one_each()
      .group(what);
  command.option("--filter,--benchmark_filter", options.filter, "Benchmarks whose name matches; -REGEX: that don't")
      .group(what);
  command.flag("--quick", options.quick, "Few rows, 3 process runs: a look at every change in minutes").group(what);

  const char* how = "How";
  command
      .option("--runs", options.runs,
              fmt::format("Process runs of each executable ({}; {} with --quick)", kRuns, kQuickRuns))
      .between(1, 10000)
      .group(how);
  command
      .option("--min-time,--measurement-time", options.min_time_s,
              fmt::format("Seconds of each repetition ({}; {} with --quick); rows that set their own keep it",
                          kMinTimeSeconds, kQuickMinTimeSeconds))
      .between(1e-6, 3600.0)
      .group(how);
  command
      .option("--sample-size,--repetitions", options.repetitions,
              fmt::format("Repetitions within each process run ({})", kRepetitions))
      .between(1, 100000)
      .group(how);
  command
      .flag("--memory", options.memory,
            "Also the peak resident memory of each benchmark, in a process of its own after each process run")
      .group(how);
  command.option("--pin", options.pin, "The only CPU that benches may use").between(0, 1023).group(how);
  command.option("--threads", options.threads, "Threads of kernels and peers (PAWL_NUM_THREADS, OMP_NUM_THREADS, ...)")
      .between(1, 4096)
      .group(how);
  command.option("--timeout", options.timeout_s, "Seconds without a new row after which a process counts as hung (120)")
      .between(0.1, 86400.0)
      .group(how);
  command.option("--seed", options.seed, "Of inputs and of the order of process runs (PAWL_SEED, else 42)").group(how);
  command
      .flag("--no-repeat", options.no_repeat,
            "Keep disturbed process runs as they are, and benchmarks whose process runs disagree")
      .group(how);
  command
      .flag("--no-interleave", options.no_interleave,
            "All repetitions of a benchmark in a row, instead of those of all benchmarks in random order")
      .group(how);
  command.option("--bench-arg", options.extra, "Hand this argument on to each executable; repeated")
      .one_each()
      .group(how);
  command.flag("-v,--verbose", options.verbose, "Log every command that is started (as PAWL_LOG=debug)")
      .group("Output");
  command.option("--out", options.out, "New directory for the results (default: results/<time>_<commit>)")
      .group("Output");
}

int runs_of(const MeasureOptions& options) { return options.runs.value_or(options.quick ? kQuickRuns : kRuns); }

int settled_runs(const MeasureOptions& options) { return options.runs.value_or(kRuns); }

run::SessionSettings session_settings(const MeasureOptions& options) {
  run::SessionSettings settings;
  settings.process.filter = options.filter;
  settings.process.quick = options.quick;
  settings.process.min_time_s = min_time_of(options);
  settings.process.repetitions = options.repetitions.value_or(kRepetitions);
  settings.process.interleave = !options.no_interleave && settings.process.repetitions > 1;
  settings.process.cpu = options.pin;
  settings.process.threads = options.threads;
  settings.process.timeout_s = options.timeout_s;
  settings.process.extra_arguments = options.extra;
  settings.process.memory = options.memory;
  settings.seed = seed_of(options);
  settings.repeat_disturbed = !options.no_repeat;
  const char* log = std::getenv("PAWL_LOG");
  settings.verbose = options.verbose || (log != nullptr && std::string_view(log) == "debug");
  return settings;
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::string line = "pawl";
  for (std::size_t begin = text.find('\0'); begin != std::string::npos && begin + 1 < text.size();) {
    const std::size_t end = text.find('\0', begin + 1);
    line += ' ';
    line += run::shell_word(text.substr(begin + 1, end - begin - 1));
    begin = end;
  }
  return line;
}

void describe(const MeasureOptions& options, model::Methodology& methodology) {
  auto& settings = methodology.settings;
  settings["seed"] = std::to_string(seed_of(options));
  settings["order"] = "shuffled rounds";
  settings["min_time_s"] = fmt::format("{}", min_time_of(options));
  settings["repetitions"] = std::to_string(options.repetitions.value_or(kRepetitions));
  settings["interleaved"] = options.no_interleave ? "no" : "yes";
  settings["quick"] = options.quick ? "yes" : "no";
  if (options.memory) settings["memory"] = "yes";
  if (!options.filter.empty()) settings["filter"] = options.filter;
  if (!options.suites.empty()) settings["suite"] = fmt::format("{}", fmt::join(options.suites, ","));
  if (options.pin) settings["pin"] = std::to_string(*options.pin);
  if (options.threads) settings["threads"] = std::to_string(*options.threads);
  if (!options.extra.empty()) settings["bench_arguments"] = fmt::format("{}", fmt::join(options.extra, " "));
  methodology.command = command_line();
}

}  // namespace pawl
