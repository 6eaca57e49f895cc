// session.hpp -- bench executables of one or two builds -> process runs one at a time, disturbed ones repeated.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/results.hpp"
#include "run/ab_schedule.hpp"
#include "run/bench_program.hpp"
#include "run/plan.hpp"
#include "run/process_run.hpp"
#include "run/progress.hpp"

namespace pawl::run {

/// One build to measure.
struct Side {
  std::string name;  ///< "base" or "new"; empty if there is only one
  std::vector<BenchProgram> programs;
  std::filesystem::path raw;  ///< existing directory for the raw JSON
};

struct SessionSettings {
  ProcessSettings process;
  std::uint64_t seed = 42;  ///< of inputs (PAWL_SEED) and of the order of process runs
  bool repeat_disturbed = true;
  bool verbose = false;  ///< log every command
};

/// What happened besides measuring; all of it goes into the report.
struct SessionRecord {
  std::vector<std::string> incidents;  ///< crashes, hangs, programs that cannot run: one line each
  std::vector<std::string> disturbed;  ///< process runs that were disturbed, and what was done about it
  std::size_t process_runs = 0, repeated = 0;
  double measured_s = 0;
};

class Session {
 public:
  /// `sides`: one, or base and new.
  Session(std::vector<Side> sides, SessionSettings settings, Progress& progress);

  /// Asks every program for its rows. One that cannot tell is an incident, and a FAILED benchmark of its own name in
  /// what it would have measured. False if a stop signal came. Errors: Failure(kBadInput) if none of them can tell.
  bool list();

  /// Names of the programs of all sides; steps and rows refer to them by index.
  const std::vector<std::string>& executables() const { return executables_; }
  /// Every row that some side has.
  std::vector<Row> rows() const;

  /// What is going to be measured, for the time that is left.
  void expect(const std::vector<Step>& steps, const std::vector<Row>& rows);

  /// One process run; `rows` empty: all of the executable. Nothing if a stop signal came.
  std::optional<model::ResultSet> measure(const Step& step, const std::vector<std::string>& rows = {});

  /// Both sides, first.side first; `rows` empty: all. A pair of which one run was disturbed is repeated as a pair.
  std::optional<std::array<model::ResultSet, 2>> measure_pair(const Step& first, const std::vector<std::string>& rows);

  const SessionRecord& record() const { return record_; }

 private:
  struct Program {
    BenchProgram program;
    std::optional<Listing> listing;
    std::string problem;                     ///< why there is no listing
    std::map<std::string, std::string> bad;  ///< rows that crashed or hung, and how
    double usual_real_over_cpu = 0;          ///< the least seen; 0: nothing seen yet
  };
  struct Attempt {
    std::array<ProcessRun, 2> runs;  ///< by side
    std::vector<std::string> flags;
  };

  Program* program(const Step& step);
  std::size_t count_rows(const Step& step, const std::vector<std::string>& rows) const;
  std::optional<Attempt> attempt(const std::vector<Step>& steps, const std::vector<std::string>& rows);
  ProcessRun start(const Step& step, const std::vector<std::string>& rows);
  std::optional<Attempt> measure_quietly(const std::vector<Step>& steps, const std::vector<std::string>& rows);
  std::vector<std::string> judge_quietness(Program& of, ProcessRun& run) const;
  void discard(const Attempt& attempt, std::size_t number);
  bool may_repeat() const;
  std::optional<double> time_left() const;
  void show(const std::string& executable, const std::string& row);
  void log_done(const std::vector<Step>& steps, const Attempt& attempt);

  std::vector<Side> sides_;
  SessionSettings settings_;
  Progress& progress_;
  std::vector<std::string> executables_;
  std::vector<std::map<std::size_t, Program>> programs_;  ///< by side and index of the executable
  SessionRecord record_;
  Forecast forecast_;
  std::vector<std::pair<std::string, std::size_t>> expected_;  ///< executable and rows of the runs to come
  std::size_t expected_total_ = 0;
  std::size_t disturbed_in_a_row_ = 0;
  int cpus_ = 1;
};

}  // namespace pawl::run
