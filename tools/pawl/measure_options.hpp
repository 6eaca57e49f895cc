// measure_options.hpp -- the options that every command which measures has -> the settings of its process runs.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "run/session.hpp"

namespace pawl {

struct MeasureOptions {
  std::vector<std::string> suites, extra;
  std::string filter, out;
  bool quick = false, no_repeat = false, no_interleave = false, verbose = false, memory = false;
  std::optional<int> runs, repetitions, pin, threads;
  std::optional<double> min_time_s;
  double timeout_s = 120;
  std::optional<std::uint64_t> seed;
};

/// --suite --filter --quick --runs --min-time --sample-size --pin --threads --timeout --seed --out ... `options` must
/// outlive the parsing.
void add_measure_options(Command& command, MeasureOptions& options);

/// Process runs of each executable: --runs, else 3 with --quick and 5 without.
int runs_of(const MeasureOptions& options);

/// Process runs that a benchmark gets whose first ones disagree: --runs, else those of a run without --quick.
int settled_runs(const MeasureOptions& options);

/// Errors: Failure(kBadInput) if PAWL_SEED is no number.
run::SessionSettings session_settings(const MeasureOptions& options);

/// The whole command line, for results to say how they were made.
std::string command_line();

/// What a run of these options is, in the words of its options: for the results' methodology.
void describe(const MeasureOptions& options, model::Methodology& methodology);

}  // namespace pawl
