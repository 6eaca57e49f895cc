// run_command.cpp -- `pawl run`: bench executables -> a directory of raw files, results.json, system-info.json and
// report.md.
#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "baseline/results_file.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "output_file.hpp"
#include "pawl/machine.hpp"
#include "read/read.hpp"
#include "run/discover.hpp"
#include "run/plan.hpp"
#include "run/progress.hpp"
#include "run/session.hpp"
#include "run/stop_signal.hpp"
#include "show/report.hpp"

namespace pawl::commands {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFooter = R"(
Runs bench executables one process at a time, several process runs each, in shuffled order. A benchmark that crashes or hangs is
FAILED and costs only its own row; a process run that a neighbour disturbed is repeated. Any Google Benchmark program will do.

Examples
  pawl run --quick                          a look at every change
  pawl run --suite 'simd_*' --runs 10       ten process runs of some executables
  pawl run --bench-dir build/bench --filter 'BM_Parse' --pin 1

Exit codes
  0  everything that was asked for was measured
  1  a benchmark failed
  2  wrong usage, or something that cannot be read or written
  130  stopped by Ctrl-C: what was complete is kept)";

struct Options {
  std::string bench_directory, filter, out;
  std::vector<std::string> suites;
  bool quick = false, quiet = false, keep_disturbed = false;
  std::optional<int> runs, repetitions, cpu, threads;
  std::optional<double> min_time_s;
  double timeout_s = 120;
  std::uint64_t seed = 42;
  std::vector<std::string> extra;
};

constexpr int kQuickRuns = 3, kRuns = 5, kStopped = 130;
constexpr int kQuickRepetitions = 3;
constexpr double kQuickMinTime = 0.01;  // seconds for one repetition: enough for 5 digits of the clock at any row

std::string utc(const char* form) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, form, &parts)};
}

std::string known(const std::optional<std::string>& value) { return value.value_or("unknown"); }

nlohmann::ordered_json system_info(const MachineInfo& m) {
  const auto number = [](const auto& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json("unknown");
  };
  return {{"schema_version", 1},
          {"key", machine_key(m)},
          {"cpu_model", m.cpu_model},
          {"vendor", m.vendor},
          {"architecture", m.architecture},
          {"isa", m.isa},
          {"cores", m.cores},
          {"smt", number(m.smt)},
          {"l1d_bytes", m.caches.l1d_bytes},
          {"l2_bytes", m.caches.l2_bytes},
          {"l3_bytes", m.caches.l3_bytes},
          {"governor", known(m.governor)},
          {"turbo", number(m.turbo)},
          {"hypervisor", known(m.hypervisor)},
          {"huge_pages", known(m.huge_pages)},
          {"numa_nodes", number(m.numa_nodes)},
          {"memory_bytes", number(m.memory_bytes)},
          {"available_bytes", number(m.available_bytes)},
          {"load_1min", number(m.load_1min)},
          {"os", m.os},
          {"kernel", m.kernel},
          {"hostname", m.hostname}};
}

run::ProcessSettings process_settings(const Options& o) {
  run::ProcessSettings s;
  s.filter = o.filter;
  s.quick = o.quick;
  s.min_time_s = o.min_time_s ? o.min_time_s : o.quick ? std::optional(kQuickMinTime) : std::nullopt;
  s.repetitions = o.repetitions.value_or(o.quick ? kQuickRepetitions : 1);
  s.cpu = o.cpu;
  s.threads = o.threads;
  s.timeout_s = o.timeout_s;
  s.extra_arguments = o.extra;
  return s;
}

// What the bench itself told of machine and build stays; the rest is what this command knows.
void complete(model::ResultSet& set, const Options& o, const run::SessionRecord& record, const MachineInfo& machine,
              int runs) {
  if (set.machine.key.empty()) set.machine.key = machine_key(machine);
  if (set.machine.cpu_model.empty()) set.machine.cpu_model = machine.cpu_model;
  if (set.machine.os.empty()) set.machine.os = machine.os;
  if (set.machine.cores == 0) set.machine.cores = machine.cores;
  for (const auto& [key, bytes] :
       {std::pair{"pawl_l1d_bytes", machine.caches.l1d_bytes}, std::pair{"pawl_l2_bytes", machine.caches.l2_bytes},
        std::pair{"pawl_l3_bytes", machine.caches.l3_bytes}})
    set.machine.details.emplace(key, std::to_string(bytes));
  set.methodology.tool_version = PAWL_VERSION;
  set.methodology.date = utc("%Y-%m-%dT%H:%M:%S+00:00");
  set.methodology.runs = runs;
  set.methodology.command =
      fmt::format("pawl run{}{}", o.quick ? " --quick" : "", o.filter.empty() ? "" : " --filter '" + o.filter + "'");
  set.methodology.settings["seed"] = std::to_string(o.seed);
  set.methodology.settings["process_runs"] = std::to_string(record.process_runs);
  set.methodology.settings["repeated"] = std::to_string(record.repeated);
}

std::string run_directory(const Options& o, const model::ResultSet& set) {
  if (!o.out.empty()) return o.out;
  const std::string commit = set.methodology.commit.empty() ? "nogit" : set.methodology.commit.substr(0, 9);
  return fmt::format("results/{}_{}", utc("%Y-%m-%dT%H%M%SZ"), commit);
}

std::size_t count_failed(const model::ResultSet& set) {
  std::size_t failed = 0;
  for (const model::Benchmark& b : set.benchmarks)
    for (const model::Reading& r : b.readings)
      if (r.status == model::Status::failed) {
        ++failed;
        break;
      }
  return failed;
}

int run_benches(const Options& o) {
  const fs::path directory = o.bench_directory.empty() ? run::own_directory() : fs::path(o.bench_directory);
  const auto programs = run::discover(directory, o.suites, !o.bench_directory.empty());
  const int runs = o.runs.value_or(o.quick ? kQuickRuns : kRuns);

  // Raw files go to a hidden directory beside the results and get their place when the run is named: its name has the
  // commit, which only the benches know.
  const fs::path out =
      o.out.empty() ? fs::path(fmt::format("results/{}", utc(".running-%Y%m%dT%H%M%SZ"))) : fs::path(o.out);
  make_directory(out / "raw");

  const run::StopSignal stop;
  run::Progress progress(stderr, run::terminal_width(), o.quiet);
  run::SessionSettings settings{process_settings(o), o.seed, !o.keep_disturbed};
  run::Session session({{"", programs, out / "raw"}}, settings, progress);
  std::vector<model::ResultSet> sets;
  bool stopped = !session.list();
  const auto rows = session.rows();
  if (!stopped && rows.empty())
    throw Failure(kNothingToCompare,
                  fmt::format("no benchmark matches{}", o.filter.empty() ? "" : " --filter '" + o.filter + "'"));
  const auto steps = run::plan_runs(session.executables().size(), 0, runs, o.seed);
  session.expect(steps, rows);
  progress.log(fmt::format("==> suite: {}{} executables x {} process runs, {} benchmarks", o.quick ? "quick, " : "",
                           programs.size(), runs, rows.size()));
  for (const run::Step& step : steps) {
    if (stopped) break;
    auto set = session.measure(step);
    if (!set) {
      stopped = true;
      break;
    }
    sets.push_back(std::move(*set));
  }
  progress.clear();
  if (sets.empty()) {
    std::error_code ignored;
    if (o.out.empty()) fs::remove_all(out, ignored);
    if (stopped) throw Failure(kStopped, "stopped before the first process run was complete; nothing is kept");
    throw Failure(kBadInput, "nothing was measured");
  }

  const MachineInfo machine = describe_machine();
  model::ResultSet all = read::join(std::move(sets));
  complete(all, o, session.record(), machine, runs);
  fs::path final_directory = run_directory(o, all);
  if (o.out.empty()) {
    std::error_code error;
    fs::rename(out, final_directory, error);
    if (error) final_directory = out;
  }
  baseline::write_results(final_directory / "results.json", all);
  write_file(final_directory / "system-info.json",
             system_info(machine).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  write_file(final_directory / "report.md", show::format_report(all, ""));

  const std::size_t failed = count_failed(all);
  fmt::print("==> {} benchmarks in {} process runs, {}: {}\n", all.benchmarks.size(), session.record().process_runs,
             run::duration_text(session.record().measured_s), (final_directory / "results.json").string());
  for (const std::string& line : session.record().disturbed) fmt::print("    disturbed: {}\n", line);
  if (failed > 0) fmt::print("    {} failed; report.md says why\n", failed);
  if (stopped)
    throw Failure(kStopped, fmt::format("stopped; the complete process runs are in {}", final_directory.string()));
  return failed > 0 ? kRegression : kPassed;
}

}  // namespace

void add_run(CLI::App& app, Chosen& chosen) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Run bench executables, several processes each, and keep the results");
  command->add_flag("--quick", o->quick, "Few rows, short: a look at every change");
  command->add_option("--suite", o->suites,
                      "Only executables that this glob names (*_bench by default); repeat for more");
  command->add_option("--filter", o->filter, "Only benchmarks that this regular expression matches");
  command
      ->add_option("--runs", o->runs,
                   fmt::format("Process runs of each executable (default {}, quick {})", kRuns, kQuickRuns))
      ->check(CLI::Range(1, 1000));
  command->add_option("--min-time", o->min_time_s, "Seconds of each repetition")->check(CLI::PositiveNumber);
  command->add_option("--sample-size", o->repetitions, "Repetitions within a process run")->check(CLI::Range(1, 10000));
  command->add_option("--pin", o->cpu, "Run on this CPU only")->check(CLI::NonNegativeNumber);
  command->add_option("--threads", o->threads, "Threads of the kernels (PAWL_NUM_THREADS)")->check(CLI::PositiveNumber);
  command->add_option("--out", o->out, "Directory of the results (default: results/<time>_<commit>)");
  command->add_option("--bench-dir", o->bench_directory, "Where the executables are (default: beside pawl)");
  command->add_option("--timeout", o->timeout_s, "Seconds without a new row after which a process hangs (default 120)")
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", o->seed, "Of inputs and of the order of process runs (default 42)");
  command->add_flag("--keep-disturbed", o->keep_disturbed, "Do not repeat process runs that a neighbour disturbed");
  command->add_flag("--quiet", o->quiet, "Only warnings and the summary");
  command->add_option("ARGUMENTS", o->extra, "After --: arguments for every bench");
  command->footer(kFooter);
  command->callback([o, &chosen] { chosen = [o] { return run_benches(*o); }; });
}

}  // namespace pawl::commands
