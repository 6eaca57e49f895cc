// gate_runs.hpp -- the process runs of gate_workload, as files -> the repetitions of each row in the order of the runs.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace pawl::gate {

using Repetitions = std::vector<double>;

/// One row: what it does, with how much more work, and its repetitions in each process run (empty where it has none).
struct Row {
  std::string kind;
  int slower = 0;  ///< percent
  std::vector<Repetitions> runs;
  std::string name() const { return kind + "/slower:" + std::to_string(slower); }
};

struct Runs {
  std::vector<Row> rows;
  std::size_t count = 0;  ///< process runs; 2k and 2k + 1 are neighbours
  double seconds = 0;     ///< a process run takes, by the times at which neighbours began; 0 if unknown
  std::string date;       ///< of the first run
};

/// Errors: read::ReadError, std::runtime_error for files that are not of gate_workload.
Runs read_runs(const std::string& directory);

/// What the gate takes for the time of a process run: decide::centre_of().
double time_of(const Repetitions& run);

/// Of the logarithms of the times of the process runs: the noise that no number of repetitions takes away.
double process_deviation(const Row& row);

/// For each row what is left of its scatter between neighbouring runs when what all rows share is out: the standard
/// deviation of a process run, from the differences of neighbours less the median difference of all rows.
std::vector<double> own_deviations(const Runs& runs);

/// Share of the variance of single repetitions that is between process runs (the intra-class correlation, by analysis
/// of variance).
double correlation_within_runs(const Row& row);

}  // namespace pawl::gate
