// run_command.cpp -- `pawl run`: bench executables -> results in a directory of their own, and a verdict if one is
// asked for.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "baseline/load.hpp"
#include "baseline/results_file.hpp"
#include "baseline/save.hpp"
#include "commands.hpp"
#include "compare_builds.hpp"
#include "decide/shared_core.hpp"
#include "decide/thresholds.hpp"
#include "failure.hpp"
#include "gate.hpp"
#include "measure_options.hpp"
#include "pawl/machine.hpp"
#include "read/read.hpp"
#include "run/confirm.hpp"
#include "run/discover.hpp"
#include "run/git.hpp"
#include "run/report.hpp"
#include "run/results_directory.hpp"
#include "run/run_files.hpp"
#include "run/session.hpp"
#include "run/stop_signal.hpp"
#include "run/unsettled.hpp"
#include "save_run.hpp"
#include "select.hpp"
#include "selected_part.hpp"
#include "show/listing.hpp"
#include "show/quantity.hpp"
#include "show/text.hpp"
#include "verdict_output.hpp"

namespace pawl::commands {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFooter = R"(
Each executable is started several times, one process at a time, in shuffled rounds: what differs between two process runs of one
binary (memory layout, the moment) is most of the noise there is, and a verdict has to cover it. A benchmark that crashes or hangs
is reported as FAILED, and the rest go on. A process run that a neighbour disturbed is run again; with --quick, gated benchmarks
whose process runs disagree by more than 5 %, or shared the core with another hardware thread, get 5 of them, as far as a
quarter of the time allows (--no-repeat: neither).

Any Google Benchmark executable can be run (1.5 to 1.9); those on pawl::bench_main add yardsticks, placement and counts.

Examples
  pawl run --quick                           what lies beside this program, in minutes
  pawl run build/bin --suite 'fft,spm*'      executables in a directory, by name
  pawl run --filter 'matmul/f32' --runs 10
  pawl run --suite tensor --memory           allocations, their peak, and the peak resident memory of each benchmark as well
  pawl run --baseline main                   measure, then compare, and measure what looks slower again; the exit code is
                                             the verdict; of the baseline what --suite, --filter, --quick and executables
                                             that are named select
  pawl run --against ../main/build           two builds, interleaved: as pawl ab ../main/build build

Exit codes
  0  all was measured (and the verdict passed)     3  no such baseline, or nothing in common with it
  1  a benchmark failed, or a regression           128 + signal  stopped; what was complete is kept
  2  wrong usage, or something cannot be read or written)";

struct Options {
  std::vector<std::string> where;
  MeasureOptions measure;
  GateOptions gate;
  OutputOptions output;
  std::string baseline, save_baseline, against, directory;
  bool no_confirm = false;
  baseline::SaveOptions save;
};

double unix_now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

// A run without a verdict has formats of its own.
void check_formats(const Options& options) {
  if (!options.baseline.empty()) {
    outputs_of(options.output);
    return;
  }
  static const std::vector<std::string> kKnown = {"table", "json", "markdown", "csv", "bencher"};
  for (const std::string& format : options.output.formats)
    if (std::find(kKnown.begin(), kKnown.end(), format) == kKnown.end())
      throw Failure(kBadInput, fmt::format("--format {}: a run without --baseline has table, json, markdown, csv and "
                                           "bencher",
                                           format));
  if (!options.output.files.empty())
    throw Failure(kBadInput,
                  "--output is for a comparison (--baseline); the results of a run are in its --out directory");
}

void print_results(const Options& options, const model::ResultSet& set, const fs::path& directory,
                   const run::SessionRecord& record) {
  // More rows than a screen holds are better looked up in the report.
  constexpr std::size_t kScreen = 40;
  std::vector<std::string> formats = options.output.formats;
  if (formats.empty() && set.benchmarks.size() <= kScreen) formats.emplace_back("table");
  for (const std::string& format : formats) {
    std::string text;
    if (format == "table") text = show::format_results_listing(set, (directory / "results.json").string());
    if (format == "json") text = baseline::format_results(set);
    if (format == "markdown") text = run::format_report(set, record);
    if (format == "csv") text = run::format_rows_csv(set);
    if (format == "bencher") text = run::format_bencher(set);
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
}

// What must be known before minutes are spent on measuring.
struct Prepared {
  baseline::Store store;
  std::string machine_key;
  decide::Policy policy;
  std::optional<baseline::Loaded> base;
};

Prepared prepare(const Options& options, const MachineInfo& machine) {
  check_formats(options);
  Prepared prepared{baseline::open_store(options.directory), machine_key(machine), {}, std::nullopt};
  prepared.policy = policy_of(options.gate, prepared.store);
  if (!options.save_baseline.empty())
    if (const std::string problem = baseline::name_problem(options.save_baseline); !problem.empty())
      throw Failure(kBadInput, fmt::format("--save-baseline {}: {}", options.save_baseline, problem));
  if (options.baseline.empty()) return prepared;
  prepared.base = baseline::load(options.baseline, prepared.store, prepared.machine_key);
  const std::string& key = prepared.base->set.machine.key;
  if (!key.empty() && key != prepared.machine_key)
    throw Failure(kNothingToCompare, fmt::format("baseline '{}' is from {}, this is {}: absolute times don't compare",
                                                 options.baseline, key, prepared.machine_key));
  return prepared;
}

// Base and new in turns instead of one build.
int run_against(const Options& options) {
  if (!options.baseline.empty())
    throw Failure(kBadInput, "--against and --baseline are two different comparisons: take one");
  if (!options.save_baseline.empty())
    throw Failure(
        kBadInput,
        "--against saves no baseline; afterwards, with OUT as --out says: pawl baseline save NAME --from OUT/new");
  if (options.where.size() > 1) throw Failure(kBadInput, "--against compares one build with another: name one WHERE");
  BuildComparison comparison;
  comparison.base = options.against;
  comparison.now = options.where.empty() ? run::own_directory().string() : options.where.front();
  comparison.measure = options.measure;
  comparison.gate = options.gate;
  comparison.output = options.output;
  comparison.store_directory = options.directory;
  comparison.no_confirm = options.no_confirm;
  return compare_builds(comparison);
}

class Run {
 public:
  explicit Run(const Options& options)
      : options_(options),
        machine_(describe_machine()),
        prepared_(prepare(options, machine_)),
        programs_(run::discover_all(options.where, options.measure.suites)),
        settings_(session_settings(options.measure)),
        started_(unix_now()),
        progress_(stderr, run::terminal_width(), false) {}

  int run() {
    directory_ = options_.measure.out;
    if (directory_.empty()) {
      const auto checkout = run::checkout_of(fs::current_path());
      directory_ = run::new_results_directory(started_, checkout ? checkout->commit : "");
    }
    run::make_results_directory(directory_);
    const run::StopSignal stop;
    try {
      if (prepared_.base) probe(outputs_of(options_.output));
      return measure();
    } catch (...) {
      run::remove_without_results(directory_);
      throw;
    }
  }

 private:
  int measure() {
    run::Session session({{"", programs_, directory_ / "raw"}}, settings_, progress_);
    const int runs = runs_of(options_.measure);
    std::vector<model::ResultSet> sets;
    bool stopped = !session.list();
    const auto rows = session.rows();
    if (!stopped && rows.empty())
      throw Failure(kBadInput, options_.measure.filter.empty()
                                   ? fmt::format("{} has no benchmarks", programs_.front().path.string())
                                   : fmt::format("no benchmark matches --filter '{}'", options_.measure.filter));
    if (!stopped) {
      model::ResultSet* const base = prepared_.base ? &prepared_.base->set : nullptr;
      if (base != nullptr) {
        Selection selection = selection_of(options_.measure, session, programs_, *base);
        selection.programs_alone = named_alone(options_.where, programs_, *base);
        notes_ = keep_selected(*base, selection);
      }
      progress_.log(fmt::format("==> {}: {} x {}, {}", options_.measure.quick ? "quick" : "full",
                                show::counted(session.executables().size(), "executable"),
                                show::counted(static_cast<std::size_t>(runs), "process run"),
                                show::counted(rows.size(), "benchmark")));
      const auto steps = run::plan_runs(session.executables().size(), 0, runs, settings_.seed);
      session.expect(steps, rows);
      EarlyMetricCheck metrics(options_.gate, session.executables().size(), base);
      for (const run::Step& step : steps) {
        auto set = session.measure(step);
        stopped = !set.has_value();
        if (stopped) break;
        if (base != nullptr) metrics.saw(step.executable, *set);
        sets.push_back(std::move(*set));
      }
      next_run_ = runs;
      stopped = stopped || !measure_unsettled(session, sets);
    }
    Verdict verdict;
    if (prepared_.base && !stopped) stopped = !look(session, sets, verdict);
    progress_.clear();
    return finish(std::move(sets), session.record(), verdict, stopped);
  }

  // Gated rows whose process runs disagree or shared the core get as many as a full run has, within a quarter of what
  // was measured; which adds to `sets`. False if it was stopped.
  bool measure_unsettled(run::Session& session, std::vector<model::ResultSet>& sets) {
    const int more = settled_runs(options_.measure) - next_run_;
    if (more <= 0 || !settings_.repeat_disturbed) return true;
    const model::ResultSet measured = read::join(sets);
    const decide::ThresholdTable table(prepared_.policy);
    const auto gates = [&](const std::string& name) { return table.find(model::kRealTime, name).gate; };
    run::UnsettledLimits limits;
    const auto row_runs = session.rows().size() * static_cast<std::size_t>(next_run_);
    limits.most = 1 + row_runs / static_cast<std::size_t>(4 * more);
    const auto rows = run::unsettled_rows(measured, session.executables(), gates, limits);
    if (rows.empty()) return true;
    progress_.log(
        fmt::format("==> {} whose process runs disagree by more than {:.0f} % or shared the core: measured "
                    "{} more",
                    show::counted(rows.size(), "benchmark"), 100 * limits.disagreement,
                    more == 1 ? "once" : fmt::format("{} times", more)));
    std::map<std::size_t, std::vector<std::string>> names;
    for (const run::Row& row : rows) names[row.executable].push_back(row.name);
    auto steps = run::plan_runs(session.executables().size(), next_run_, more, settings_.seed);
    std::erase_if(steps, [&](const run::Step& step) { return !names.contains(step.executable); });
    session.expect(steps, rows);
    next_run_ += more;
    for (const run::Step& step : steps) {
      auto set = session.measure(step, names.at(step.executable));
      if (!set) return false;
      sets.push_back(std::move(*set));
    }
    return true;
  }

  // A judgement on what was measured, and the policy and sets that it was made with.
  struct Verdict {
    decide::Judgement judgement;
    model::ResultSet before, now;
  };

  // Compares with the baseline and measures what looks slower again, which adds to `sets`. False if it was stopped.
  bool look(run::Session& session, std::vector<model::ResultSet>& sets, Verdict& verdict) {
    verdict.before = prepared_.base->set;
    verdict.now = read::join(sets);
    if (verdict.now.machine.key.empty()) verdict.now.machine.key = prepared_.machine_key;
    const auto judge = [&](model::ResultSet now, const auto& in_question) {
      match_by_name(verdict.before, now);
      decide::Policy policy = fitted(prepared_.policy, options_.gate, verdict.before, now);
      policy.in_question = in_question;
      return decide::judge(verdict.before, now, policy);
    };
    verdict.judgement = judge(verdict.now, nullptr);
    if (options_.no_confirm) return true;
    run::ConfirmParts parts;
    parts.executables = session.executables();
    parts.rows = session.rows();
    parts.runs = runs_of(options_.measure);
    parts.first_run = next_run_;
    parts.seed = settings_.seed;
    parts.free_core = decide::free_cores(verdict.before, verdict.now).now;
    parts.judge = judge;
    parts.measure = [&](const run::Step& step, const std::vector<std::string>& rows) {
      return session.measure(step, rows);
    };
    parts.on_start = [&](const std::vector<run::Row>& rows, const std::vector<run::Step>& steps, bool again) {
      const std::string what = show::counted(rows.size(), "benchmark");
      progress_.log(again ? fmt::format("==> {} shared the core with another hardware thread: measured once more", what)
                          : fmt::format("==> {} {} slower: measured again, independently, to be sure", what,
                                        rows.size() == 1 ? "looks" : "look"));
      session.expect(steps, rows);
    };
    auto confirmation = run::confirm(parts, verdict.now, std::move(verdict.judgement));
    verdict.judgement = std::move(confirmation.judgement);
    for (model::ResultSet& set : confirmation.sets) sets.push_back(std::move(set));
    return !confirmation.stopped;
  }

  int show(const Verdict& verdict) {
    const auto outputs = with_own_files(directory_, outputs_of(options_.output));
    std::vector<std::string> notes = notes_;
    for (std::string& note : unknown_metrics(prepared_.policy, verdict.before, verdict.now))
      notes.push_back(std::move(note));
    const Judged judged{
        verdict.judgement, verdict.before, verdict.now, fail_on_of(options_.gate), prepared_.base->entry.has_value(),
        std::move(notes)};
    return show_verdict(judged, outputs, options_.output);
  }

  int finish(std::vector<model::ResultSet> sets, const run::SessionRecord& record, Verdict& verdict, bool stopped) {
    const int stop_code = 128 + run::stop_signal();
    if (sets.empty()) {
      run::remove_without_results(directory_);
      progress_.log("stopped: nothing was complete, nothing is kept", true);
      return stop_code;
    }
    const std::size_t process_runs = sets.size();
    model::ResultSet set = read::join(std::move(sets));
    set.label = directory_.string();
    describe(options_.measure, set.methodology);
    run::complete(set, machine_, programs_.front().path.parent_path(), started_, runs_of(options_.measure), stopped);
    run::write_run(directory_, set, record, machine_);
    if (stopped) {
      progress_.log(fmt::format("stopped: {} complete, kept in {}", show::counted(process_runs, "process run"),
                                directory_.string()),
                    true);
      return stop_code;
    }
    run::end_at_broken_pipe();
    if (!prepared_.base) print_results(options_, set, directory_, record);
    const std::size_t failed = say(set, record);
    int code = failed > 0 ? kRegression : kPassed;
    if (prepared_.base) {
      verdict.now = set;
      match_by_name(verdict.before, verdict.now);
      code = show(verdict);
    }
    if (!options_.save_baseline.empty()) {
      // What failed the gate must not become what the next gate compares with, nor what has no time hide what had one.
      if (code != kPassed)
        progress_.log(
            fmt::format("not saved: {2} failed, '{0}' is as it was; save it anyway: "
                        "pawl baseline save {0} --from {1}",
                        options_.save_baseline, directory_.string(), prepared_.base ? "the comparison" : "a benchmark"),
            true);
      else
        save_run(prepared_.store,
                 {options_.save_baseline, prepared_.machine_key, directory_, options_.where, programs_, options_.save},
                 std::move(set), progress_);
    }
    return code;
  }

  // The summary on standard error; returns how many benchmarks failed.
  std::size_t say(const model::ResultSet& set, const run::SessionRecord& record) {
    const std::size_t failed = run::count_failed(set);
    for (const std::string& line : run::failures_of(set)) progress_.log("FAILED  " + show::terminal_text(line), true);
    progress_.log(fmt::format("==> {}{} in {}; {}", show::counted(set.benchmarks.size(), "benchmark"),
                              failed > 0 ? fmt::format(", {} FAILED,", failed) : "",
                              run::duration_text(record.measured_s), directory_.string()));
    if (!record.disturbed.empty())
      progress_.log(fmt::format("    {} disturbed, {} repeated: {}",
                                show::counted(record.disturbed.size(), "process run"), record.repeated,
                                (directory_ / "report.md").string()));
    return failed;
  }

  const Options& options_;
  MachineInfo machine_;
  Prepared prepared_;
  std::vector<run::BenchProgram> programs_;
  run::SessionSettings settings_;
  double started_;
  run::Progress progress_;
  fs::path directory_;
  std::vector<std::string> notes_;  // about the comparison
  int next_run_ = 0;                // index of the process run to come
};

}  // namespace

void add_run(Command app, Chosen& chosen) {
  auto options = std::make_shared<Options>();
  Command command = app.subcommand("run", "Run bench executables, each in several processes, and keep the results");
  command.footer(kFooter);
  command.option("WHERE", options->where, "Build directories or executables (default: beside this program)");
  add_measure_options(command, options->measure);
  command.option("--baseline", options->baseline, "Then compare with this baseline, file or directory")
      .group("Comparison");
  command.flag("--no-confirm", options->no_confirm, "Judge by the first set of runs alone").group("Comparison");
  command.option("--against", options->against, "Interleave with this build, as `pawl ab` does").group("Comparison");
  command
      .option("--save-baseline", options->save_baseline,
              "Then save as a baseline of this name, unless a benchmark or the verdict failed. A part (--suite, "
              "--filter, --quick, an executable that is named) replaces only itself")
      .group("Comparison");
  command.flag("--allow-dirty", options->save.allow_dirty, "Save though the measured tree had changes")
      .group("Comparison");
  command.flag("--allow-debug", options->save.allow_debug, "Save though the code was not optimized")
      .group("Comparison");
  command.option("--dir", options->directory, "Where baselines are (default: the nearest baselines/ upward)")
      .group("Comparison");
  add_gate_options(command, options->gate);
  add_output_options(command, options->output);
  command.when_chosen(chosen,
                      [options] { return options->against.empty() ? Run(*options).run() : run_against(*options); });
}

}  // namespace pawl::commands
