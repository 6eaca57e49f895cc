// process_run.hpp -- a bench executable and some rows -> what one process run measured, whatever became of the process.
//
// A benchmark that crashes or hangs costs its own row: the rows before it are kept, and the process is started again
// with a filter for the rows behind it. Every row that was asked for is in the result: measured, skipped or failed, in
// the order of the listing.
//
// A process that dies while it takes its rows in random order does not tell which of them it was: the rows that are
// missing are then run in their own order.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/results.hpp"
#include "run/bench_program.hpp"

namespace pawl::run {

struct ProcessRequest {
  BenchProgram program;
  Listing listing;
  ProcessSettings settings;
  std::vector<std::string> rows;                 ///< exactly these; empty: all of the listing
  std::map<std::string, std::string> known_bad;  ///< crashed or hung before, and how: left out, reported as failed
  int run_index = 0, pair_index = -1;
  unsigned placement = 0;      ///< of the benches' buffers
  std::filesystem::path json;  ///< where the raw JSON goes; a restart adds .part2 before the suffix
  std::function<void(const std::string& row)> on_row;  ///< a row was reported; may be empty
  std::function<void(const Command&)> on_start;        ///< before each start; may be empty
  std::function<void()> on_tick;                       ///< about once a second; may be empty
};

struct ProcessRun {
  model::ResultSet results;                ///< one Process per start
  std::map<std::string, std::string> bad;  ///< rows that crashed or hung in this run, and how
  std::vector<std::string> log;            ///< one line per incident
  bool interrupted = false;                ///< a stop signal came: nothing was kept
  bool died_interleaved = false;           ///< it died in random order: better run it in its own from now on
  double wall_s = 0;
};

/// Errors: StartError if the program cannot be started at all; Failure(kBadInput) if the JSON cannot be put away.
ProcessRun run_process(const ProcessRequest& request);

}  // namespace pawl::run
