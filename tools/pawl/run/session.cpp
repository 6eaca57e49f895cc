// session.cpp -- see session.hpp.
#include "run/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "failure.hpp"
#include "run/disturbance.hpp"
#include "run/stop_signal.hpp"

namespace pawl::run {
namespace {

namespace fs = std::filesystem;

std::string number_text(int run_index) { return fmt::format("{:02}", run_index); }

// A benchmark of the program's own name stands for all those that it would not list.
model::ResultSet failed_program(const BenchProgram& program, const Step& step, const std::string& problem) {
  model::ResultSet set;
  model::Process& process = set.processes.emplace_back();
  process.executable = program.name;
  process.run_index = step.run_index;
  process.pair_index = step.pair_index;
  model::Reading reading;
  reading.status = model::Status::failed;
  reading.message = problem;
  model::Benchmark& benchmark = set.benchmarks.emplace_back();
  benchmark.name = program.name;
  benchmark.executable = program.name;
  benchmark.readings.push_back(std::move(reading));
  return set;
}

}  // namespace

Session::Session(std::vector<Side> sides, SessionSettings settings, Progress& progress)
    : sides_(std::move(sides)), settings_(std::move(settings)), progress_(progress), programs_(sides_.size()) {
  std::set<std::string> names;
  for (const Side& side : sides_)
    for (const BenchProgram& program : side.programs) names.insert(program.name);
  executables_.assign(names.begin(), names.end());
  for (std::size_t s = 0; s < sides_.size(); ++s)
    for (const BenchProgram& program : sides_[s].programs) {
      const auto index = static_cast<std::size_t>(std::ranges::find(executables_, program.name) - executables_.begin());
      programs_[s].emplace(index, Program{program, {}, {}, {}, 0});
    }
  settings_.process.environment.emplace_back("PAWL_SEED", std::to_string(settings_.seed));
  cpus_ = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

bool Session::list() {
  bool any = false;
  for (auto& side : programs_)
    for (auto& [index, program] : side) {
      progress_.show({0, 0, program.program.name, "lists its benchmarks", {}});
      try {
        program.listing = list_benchmarks(program.program, settings_.process);
      } catch (const ListError& error) {
        program.problem = error.what();
      } catch (const StartError& error) {
        program.problem = error.what();
      }
      if (stop_signal() != 0) return false;
      any = any || program.listing;
      if (program.problem.empty()) continue;
      record_.incidents.push_back(program.problem);
    }
  progress_.clear();
  if (!any) throw Failure(kBadInput, record_.incidents.empty() ? "no bench executable" : record_.incidents.front());
  for (const std::string& problem : record_.incidents) progress_.log(problem, true);
  return true;
}

std::vector<Row> Session::rows() const {
  std::set<Row> rows;
  for (const auto& side : programs_)
    for (const auto& [index, program] : side) {
      if (!program.listing) {
        rows.insert({index, program.program.name});
        continue;
      }
      for (const std::string& name : program.listing->names) rows.insert({index, name});
    }
  return {rows.begin(), rows.end()};
}

void Session::expect(const std::vector<Step>& steps, const std::vector<Row>& rows) {
  expected_.clear();
  std::map<std::size_t, std::vector<std::string>> by_executable;
  for (const Row& row : rows) by_executable[row.executable].push_back(row.name);
  for (const Step& step : steps)
    expected_.emplace_back(executables_[step.executable], count_rows(step, by_executable[step.executable]));
  expected_total_ = expected_.size();
}

std::optional<model::ResultSet> Session::measure(const Step& step, const std::vector<std::string>& rows) {
  auto attempt = measure_quietly({step}, rows);
  if (!attempt) return std::nullopt;
  return std::move(attempt->runs[static_cast<std::size_t>(step.side)].results);
}

std::optional<std::array<model::ResultSet, 2>> Session::measure_pair(const Step& first,
                                                                     const std::vector<std::string>& rows) {
  Step second = first;
  second.side = 1 - first.side;
  auto attempt = measure_quietly({first, second}, rows);
  if (!attempt) return std::nullopt;
  return std::array{std::move(attempt->runs[0].results), std::move(attempt->runs[1].results)};
}

Session::Program* Session::program(const Step& step) {
  auto& side = programs_[static_cast<std::size_t>(step.side)];
  const auto found = side.find(step.executable);
  return found == side.end() ? nullptr : &found->second;
}

std::size_t Session::count_rows(const Step& step, const std::vector<std::string>& rows) const {
  if (!rows.empty()) return rows.size();
  const auto& side = programs_[static_cast<std::size_t>(step.side)];
  const auto found = side.find(step.executable);
  return found == side.end() || !found->second.listing ? 0 : found->second.listing->names.size();
}

std::optional<double> Session::time_left() const {
  double left = 0;
  for (const auto& [name, rows] : expected_) {
    const auto seconds = forecast_.seconds(name, rows);
    if (!seconds && rows > 0) return std::nullopt;
    left += seconds.value_or(0);
  }
  return left;
}

void Session::show(const std::string& executable, const std::string& row) {
  progress_.show({expected_total_ - expected_.size(), expected_total_, executable, row, time_left()});
}

// Where nobody watches a line change: one line for each that is done.
void Session::log_done(const std::vector<Step>& steps, const Attempt& attempt) {
  double seconds = 0;
  for (const ProcessRun& run : attempt.runs) seconds += run.wall_s;
  const std::size_t done = expected_total_ - expected_.size();
  const auto left = time_left();
  progress_.log_step(fmt::format("[{}/{}] {} {} {}: {}{}", done, expected_total_, executables_[steps[0].executable],
                                 steps.size() == 2 ? "pair" : "run", steps[0].run_index, duration_text(seconds),
                                 left && !expected_.empty() ? ", " + duration_text(*left) + " left" : ""));
}

ProcessRun Session::start(const Step& step, const std::vector<std::string>& rows) {
  Program* const of = program(step);
  if (of == nullptr) return {};  // this build does not have it
  if (!of->listing) {
    ProcessRun run;
    run.results = failed_program(of->program, step, of->problem);
    return run;
  }
  ProcessRequest request{of->program, *of->listing, settings_.process, {}, of->bad};
  for (const std::string& row : rows)
    if (std::ranges::find(of->listing->names, row) != of->listing->names.end()) request.rows.push_back(row);
  if (of->listing->names.empty() || (!rows.empty() && request.rows.empty())) return {};
  request.run_index = step.run_index;
  request.pair_index = step.pair_index;
  // Both sides of a pair get the same placement; the verdict covers many by changing it from pair to pair.
  request.placement = static_cast<unsigned>(step.placement < 0 ? step.run_index : step.placement);
  request.json = sides_[static_cast<std::size_t>(step.side)].raw /
                 fmt::format("{}.{}.json", of->program.name, number_text(step.run_index));
  std::string last_row;
  request.on_row = [&](const std::string& row) {
    last_row = row;
    show(of->program.name, row);
  };
  request.on_tick = [&] { show(of->program.name, last_row); };
  show(of->program.name, "");
  if (settings_.verbose)
    request.on_start = [&](const Command& command) { progress_.log("    " + shell_line(command)); };
  ProcessRun run = run_process(request);
  for (const std::string& line : run.log) {
    record_.incidents.push_back(fmt::format("run {}: {}", step.run_index, line));
    progress_.log(record_.incidents.back(), true);
  }
  of->bad.insert(run.bad.begin(), run.bad.end());
  if (run.died_interleaved) of->listing->interleaves = false;
  forecast_.add(of->program.name, request.rows.empty() ? of->listing->names.size() : request.rows.size(), run.wall_s);
  record_.measured_s += run.wall_s;
  ++record_.process_runs;
  return run;
}

std::vector<std::string> Session::judge_quietness(Program& of, ProcessRun& run) const {
  std::vector<std::string> flags;
  const auto ratio = real_over_cpu(run.results);
  for (model::Process& process : run.results.processes) {
    process.disturbance.real_over_cpu = ratio;
    process.disturbance.flags = assess(process, of.usual_real_over_cpu, cpus_);
    flags.insert(flags.end(), process.disturbance.flags.begin(), process.disturbance.flags.end());
  }
  if (ratio && (of.usual_real_over_cpu == 0 || *ratio < of.usual_real_over_cpu)) of.usual_real_over_cpu = *ratio;
  return flags;
}

std::optional<Session::Attempt> Session::attempt(const std::vector<Step>& steps, const std::vector<std::string>& rows) {
  Attempt attempt;
  for (const Step& step : steps) {
    ProcessRun run = start(step, rows);
    if (run.interrupted || stop_signal() != 0) return std::nullopt;
    const std::string& side = sides_[static_cast<std::size_t>(step.side)].name;
    if (Program* of = program(step); of != nullptr)
      for (std::string& flag : judge_quietness(*of, run))
        attempt.flags.push_back(side.empty() ? std::move(flag) : fmt::format("{}: {}", side, flag));
    attempt.runs[static_cast<std::size_t>(step.side)] = std::move(run);
  }
  return attempt;
}

// Repeats are bounded: a quarter of all runs, and none on a machine that is never quiet.
bool Session::may_repeat() const {
  constexpr std::size_t kNeverQuiet = 6;
  return settings_.repeat_disturbed && disturbed_in_a_row_ < kNeverQuiet &&
         4 * record_.repeated < std::max<std::size_t>(expected_total_, 4);
}

std::optional<Session::Attempt> Session::measure_quietly(const std::vector<Step>& steps,
                                                         const std::vector<std::string>& rows) {
  auto best = attempt(steps, rows);
  if (!best) return std::nullopt;
  disturbed_in_a_row_ = best->flags.empty() ? 0 : disturbed_in_a_row_ + 1;
  if (!best->flags.empty()) {
    const std::string what = fmt::format("{} run {}: {}", executables_[steps[0].executable], steps[0].run_index,
                                         fmt::join(best->flags, "; "));
    std::string done = "kept";
    if (may_repeat()) {
      record_.repeated += steps.size();
      progress_.log(fmt::format("disturbed, running it again: {}", what));
      discard(*best, 1);
      auto again = attempt(steps, rows);
      if (!again) return std::nullopt;
      disturbed_in_a_row_ = again->flags.empty() ? 0 : disturbed_in_a_row_ + 1;
      done = again->flags.empty()
                 ? "run again, then quiet"
                 : fmt::format("run again, disturbed again ({}); the second is kept", fmt::join(again->flags, "; "));
      best = std::move(again);
    }
    record_.disturbed.push_back(fmt::format("{}: {}", what, done));
  }
  expected_.erase(expected_.begin(),
                  expected_.begin() + static_cast<std::ptrdiff_t>(std::min(expected_.size(), steps.size())));
  log_done(steps, *best);
  return best;
}

// The raw files of a run that is not used stay for whoever wants to know, where no reader of the directory takes them.
void Session::discard(const Attempt& attempt, std::size_t number) {
  for (std::size_t s = 0; s < sides_.size(); ++s)
    for (const model::Process& process : attempt.runs[s].results.processes) {
      const fs::path from = sides_[s].raw / process.file, folder = sides_[s].raw / "disturbed";
      std::error_code ignored;
      fs::create_directories(folder, ignored);
      if (process.file.empty() || !fs::is_regular_file(from, ignored)) continue;
      fs::rename(from, folder / fmt::format("{}.{}.json", from.stem().string(), number), ignored);
    }
}

}  // namespace pawl::run
