// compare_builds.cpp -- see compare_builds.hpp.
#include "compare_builds.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "baseline/results_file.hpp"
#include "failure.hpp"
#include "output_file.hpp"
#include "pawl/machine.hpp"
#include "run/ab.hpp"
#include "run/built_side.hpp"
#include "run/git.hpp"
#include "run/report.hpp"
#include "run/results_directory.hpp"
#include "run/run_files.hpp"
#include "run/stop_signal.hpp"
#include "select.hpp"
#include "show/quantity.hpp"

namespace pawl {
namespace {

namespace fs = std::filesystem;

double unix_now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

double steady_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string batch_text(const run::Batch& batch) {
  const char* stage = batch.stage == run::Stage::screening  ? "screening"
                      : batch.stage == run::Stage::deciding ? "deciding"
                                                            : "confirming";
  return fmt::format("{}: {} ({} {})", stage, batch.why, batch.pairs, batch.pairs == 1 ? "pair" : "pairs");
}

// Everything that is found out before anything is measured.
class Comparison {
 public:
  explicit Comparison(const BuildComparison& options)
      : options_(options),
        store_(baseline::open_store(options.store_directory)),
        outputs_(outputs_of(options.output)),
        policy_(policy_of(options.gate, store_)),
        settings_(session_settings(options.measure)),
        progress_(stderr, run::terminal_width(), false) {}

  int run() {
    const double started = unix_now();
    directory_ = options_.measure.out;
    if (directory_.empty()) {
      const auto checkout = run::checkout_of(fs::current_path());
      directory_ = run::new_results_directory(started, checkout ? checkout->commit : "", "_ab");
    }
    for (const char* side : {"base", "new"}) run::make_results_directory(directory_ / side);
    const run::StopSignal stop;
    try {
      probe(outputs_);
      run::SideSource source{options_.build_command, options_.bench_dir, options_.measure.suites, directory_};
      run::BuiltSides sides(options_.base, options_.now, source, progress_);
      if (run::stop_signal() == 0) return measure(sides, started);
    } catch (...) {
      forget_empty_directories();
      throw;
    }
    return stopped_with_nothing();
  }

 private:
  void forget_empty_directories() const {
    for (const char* side : {"base", "new"}) run::remove_without_results(directory_ / side);
    run::remove_without_results(directory_);
  }

  int stopped_with_nothing() {
    forget_empty_directories();
    progress_.log("stopped: nothing was complete, nothing is kept", true);
    return 128 + run::stop_signal();
  }

  run::Rules rules() const {
    run::Rules rules;
    rules.pairs = runs_of(options_.measure);
    rules.until_decided = options_.until_decided;
    rules.max_time_s = options_.max_time_s;
    // Without a limit one noisy benchmark could keep a build waiting for hours.
    constexpr double kDefaultMaxTimeSeconds = 600;
    if (options_.until_decided && !rules.max_time_s) rules.max_time_s = kDefaultMaxTimeSeconds;
    rules.confirm = !options_.no_confirm;
    return rules;
  }

  int measure(const run::BuiltSides& sides, double started) {
    run::Session session({{"base", sides.base().programs, directory_ / "base" / "raw"},
                          {"new", sides.now().programs, directory_ / "new" / "raw"}},
                         settings_, progress_);
    if (!session.list()) return stopped_with_nothing();
    const auto rows = session.rows();
    if (rows.empty())
      throw Failure(kBadInput, fmt::format("no benchmark matches --filter '{}'", options_.measure.filter));
    progress_.log(fmt::format("==> {} against {}: {}, {}, {} of process runs", options_.now, options_.base,
                              show::counted(session.executables().size(), "executable"),
                              show::counted(rows.size(), "benchmark"),
                              show::counted(static_cast<std::size_t>(rules().pairs), "pair")));

    run::AbParts parts;
    parts.executables = session.executables();
    parts.rows = rows;
    parts.seed = settings_.seed;
    EarlyMetricCheck metrics(options_.gate, 2 * parts.executables.size());
    parts.measure_pair = [&](const run::Step& first, const std::vector<std::string>& some) {
      auto pair = session.measure_pair(first, some);
      for (const std::size_t side : {0u, 1u})
        if (pair) metrics.saw(2 * first.executable + side, (*pair)[side]);
      return pair;
    };
    parts.judge = [&](const model::ResultSet& base, const model::ResultSet& now) {
      return decide::judge(base, now, fitted(policy_, options_.gate, base, now));
    };
    parts.now_s = steady_now;
    parts.on_batch = [&](const run::Batch& batch, const std::vector<run::Step>& steps) {
      progress_.log("    " + batch_text(batch));
      session.expect(steps, batch.rows.empty() ? rows : batch.rows);
    };
    run::AbResult result = run::run_ab(parts, rules());
    progress_.clear();
    if (result.base.processes.empty() && result.now.processes.empty()) return stopped_with_nothing();
    return finish(std::move(result), sides, session.record(), started);
  }

  int finish(run::AbResult result, const run::BuiltSides& sides, const run::SessionRecord& record, double started) {
    const MachineInfo machine = describe_machine();
    const auto write = [&](model::ResultSet& set, const run::BuiltSide& side, const char* name) {
      describe(options_.measure, set.methodology);
      set.methodology.settings["order"] = "interleaved pairs";
      if (!side.commit.empty()) set.methodology.commit = side.commit;
      run::complete(set, machine, side.programs.front().path.parent_path(), started, rules().pairs, result.stopped);
      set.label = side.label;
      run::write_run(directory_ / name, set, record, machine);
    };
    write(result.base, sides.base(), "base");
    write(result.now, sides.now(), "new");
    if (result.stopped) {
      progress_.log(
          fmt::format("stopped: {} complete pairs are kept in {}", result.base.processes.size(), directory_.string()),
          true);
      return 128 + run::stop_signal();
    }
    run::end_at_broken_pipe();
    std::vector<std::string> notes = unknown_metrics(policy_, result.base, result.now);
    for (const run::Batch& batch : result.batches) notes.push_back(batch_text(batch));
    if (!record.disturbed.empty())
      notes.push_back(fmt::format("{} process runs or pairs were disturbed, {} process runs were repeated (report.md)",
                                  record.disturbed.size(), record.repeated));
    const Judged judged{result.judgement, result.base, result.now, fail_on_of(options_.gate), false, std::move(notes)};
    const int code = show_verdict(judged, with_own_files(directory_, outputs_), options_.output);
    progress_.log(fmt::format("==> {} process runs, {}; {}", record.process_runs, run::duration_text(record.measured_s),
                              directory_.string()));
    if (!result.judgement.comparable)
      throw Failure(kNothingToCompare, "nothing to compare: the two builds have no benchmark in common");
    return code;
  }

  const BuildComparison& options_;
  baseline::Store store_;
  std::vector<show::Output> outputs_;
  decide::Policy policy_;
  run::SessionSettings settings_;
  run::Progress progress_;
  fs::path directory_;
};

}  // namespace

int compare_builds(const BuildComparison& comparison) { return Comparison(comparison).run(); }

}  // namespace pawl
