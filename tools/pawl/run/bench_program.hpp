// bench_program.hpp -- a Google Benchmark executable -> its benchmarks' names, and the command lines that run some of
// them.
//
// Only flags that mean the same from Google Benchmark 1.5 to 1.9 are used, so any project's benches can be run; those
// that came later are left out where a program does not take them.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "run/child_process.hpp"

namespace pawl::run {

/// An executable, and the name under which results know it.
struct BenchProgram {
  std::filesystem::path path;
  std::string name;

  friend bool operator==(const BenchProgram&, const BenchProgram&) = default;
};

/// What people chose for every process of a run.
struct ProcessSettings {
  std::string filter;                ///< regular expression, as --benchmark_filter takes it; empty: all
  bool quick = false;                ///< ask benches with our main for few rows
  std::optional<double> min_time_s;  ///< of each repetition; absent: as the bench says
  int repetitions = 1;
  bool interleave = false;  ///< repetitions of all rows in random order, where the program can
  std::optional<int> cpu, threads;
  bool memory = false;                       ///< also the peak resident memory of each row, in a process of its own
  double timeout_s = 120;                    ///< for one benchmark: without a new row for this long, the process hangs
  std::vector<std::string> extra_arguments;  ///< handed on as they are
  std::vector<std::pair<std::string, std::string>> environment;  ///< added for each process
};

/// What a program has to offer under some settings.
struct Listing {
  std::vector<std::string> names;      ///< in the order in which it runs them
  std::vector<std::string> arguments;  ///< that it understands: all of ours but filter, output and interleaving
  bool interleaves = false;            ///< it was asked to interleave, and can (Google Benchmark 1.6 and later)
};

/// Asks the program for its benchmarks, and finds out on the way which spelling of the flags it takes.
/// Throws StartError if it cannot be started, and ListError if it crashes, hangs or takes none of our spellings.
Listing list_benchmarks(const BenchProgram& program, const ProcessSettings& settings);

/// `what()` is one line: program, how it ended, its last words.
struct ListError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Some names, and a regular expression that matches exactly these.
struct ExactFilter {
  std::vector<std::string> names;
  std::string regex;
};

/// In ECMAScript as in POSIX extended syntax, for Google Benchmark is built with either. Several, in order, where one
/// would be longer than `max_chars`: libstdc++'s matcher gives up on more than 100,000 states.
std::vector<ExactFilter> exact_filters(const std::vector<std::string>& names, std::size_t max_chars = 30000);

/// The command that runs what `filter` matches and writes JSON to `json`; `interleaved`: repetitions of all rows in
/// random order.
Command bench_command(const BenchProgram& program, const Listing& listing, const ProcessSettings& settings,
                      const std::string& filter, const std::filesystem::path& json, bool interleaved = false);

}  // namespace pawl::run
