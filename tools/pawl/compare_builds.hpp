// compare_builds.hpp -- two builds or git refs -> interleaved runs, a verdict, and the files that prove it.
#pragma once
#include <optional>
#include <string>

#include "gate.hpp"
#include "measure_options.hpp"
#include "verdict_output.hpp"

namespace pawl {

struct BuildComparison {
  std::string base, now;  ///< each a build directory, an executable, or a git ref
  MeasureOptions measure;
  GateOptions gate;
  OutputOptions output;
  std::string store_directory;  ///< of baselines: its thresholds.json holds
  bool until_decided = false, no_confirm = false;
  std::optional<double> max_time_s;
  std::string build_command;        ///< of a ref, run by sh in its work tree; empty: CMake, Release
  std::string bench_dir = "build";  ///< of a ref, below its work tree
};

/// Measures, judges, writes what was asked for. Returns the exit code: that of the verdict, or 128 + signal.
int compare_builds(const BuildComparison& comparison);

}  // namespace pawl
