// results.hpp -- what a set of benchmark runs is, once it has been read: the one schema of results and baselines.
//
// A ResultSet holds process runs. The process run is the independent unit of every statistic here; repetitions inside
// a process share its memory layout and its moment (docs/verdicts.md). Units are fixed on reading: times are seconds,
// sizes are bytes, rates are per second.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/interned.hpp"
#include "model/samples.hpp"

namespace pawl::model {

/// Names of the metrics that every reader uses; any other metric carries the name of its counter.
inline constexpr const char* kRealTime = "real_time";  ///< seconds per iteration, wall clock
inline constexpr const char* kCpuTime = "cpu_time";    ///< seconds per iteration, of the process or thread
inline constexpr const char* kAllocations = "allocs_per_iter";
inline constexpr const char* kPeakBytes = "max_bytes_used";
inline constexpr const char* kPeakResident = "peak_rss_bytes";  ///< of a process that runs this benchmark alone
/// Of the core beside a repetition: about the machine and not the code, so nothing is judged by it
/// (decide/shared_core.hpp).
inline constexpr const char* kOperationsPerCycle = "operations_per_cycle";

/// One metric of one benchmark in one process run: a value per repetition, in order; fewer where some repetitions lack
/// the metric.
struct Series {
  Interned metric;
  Samples values;  ///< may hold NaN or infinity, as the file had them
};

/// A statistic that a file states itself, for example the stddev of real_time; in the metric's unit, cv as a fraction.
struct Aggregate {
  Interned name;    ///< mean, median, stddev, cv, or what its author called it
  Interned metric;  ///< kRealTime and so on
  double value = 0;
};

enum class Status : std::uint8_t { ok, failed, skipped };

/// One benchmark in one process run.
struct Reading {
  std::size_t process = 0;  ///< index into ResultSet::processes
  Status status = Status::ok;
  bool aggregates_only = false;   ///< values are a file's own mean or median: no spread is known within the process
  std::uint32_t repetitions = 0;  ///< that ran, failed ones included; for aggregates_only those behind the aggregate
  Interned message;               ///< why it failed or was skipped
  std::optional<std::uint64_t> iterations;  ///< of the first repetition
  std::vector<Series> series;               ///< of the repetitions that neither failed nor were skipped
  std::vector<Aggregate> aggregates;        ///< when aggregates_only: all that the file states; else empty

  const Series* find(std::string_view metric) const {
    for (const Series& s : series)
      if (s.metric == metric) return &s;
    return nullptr;
  }
};

struct Benchmark {
  std::string name;     ///< the full run name: what baselines key on
  Interned executable;  ///< file name of the bench executable; empty if unknown
  Interned label;
  Interned time_unit;             ///< ns, us, ms or s: how its author wants times shown
  Interned source;                ///< "file:line" where known, for annotations
  std::vector<Reading> readings;  ///< ordered by process
};

/// How quiet the machine was while a process ran; absent values were not measured.
struct Disturbance {
  std::optional<double> real_over_cpu;    ///< wall / CPU time of single-threaded rows, median; 1 is undisturbed
  std::optional<double> steal;            ///< share of CPU time that the hypervisor gave to others, 0 to 1
  std::optional<double> other_busy;       ///< share of all cores' time that other processes used, 0 to 1
  std::optional<double> yardstick_drift;  ///< largest |end / start - 1| over the yardsticks
  std::vector<std::string> flags;         ///< one line per limit that was crossed; empty means quiet
};

/// One run of one bench executable (or one Google Benchmark document).
struct Process {
  std::string file;  ///< where its rows came from, as shown to people
  std::string executable;
  int run_index = -1;   ///< which process run, counted by the one who ran it; -1 if unknown
  int pair_index = -1;  ///< runs with the same pair index ran next to each other, one from each side; -1 if unpaired
  std::optional<double> start_unix_s, end_unix_s;
  int exit_code = 0;
  int signal = 0;  ///< that ended it; 0 if none
  bool timed_out = false;
  std::string last_lines;                               ///< of its standard error, when it failed
  std::optional<double> wall_s, cpu_s, peak_rss_bytes;  ///< of the whole process
  std::map<std::string, std::string>
      context;  ///< Google Benchmark's context as strings; repeated keys are joined by ", "
  std::map<std::string, double> yardsticks_start, yardsticks_end;  ///< by name, larger is faster
  Disturbance disturbance;
};

/// Whether a yardstick is one of several threads ("read_mem_gbs/threads:2"). Such a one falls where another process has
/// a CPU, so it is a limit, but says nothing about the clock: neither drift nor the change of a machine is read off it.
inline bool is_of_threads(std::string_view yardstick) { return yardstick.find("/threads:") != std::string_view::npos; }

/// The machine that results belong to; `key` is what baselines are filed under.
struct Machine {
  std::string key;  ///< for example amd-zen4-avx512-2c; empty if unknown
  std::string cpu_model, os, arch;
  int cores = 0;
  std::map<std::string, std::string> details;
};

/// How results were made: enough to do it again.
struct Methodology {
  std::string tool_version;
  std::string commit;  ///< of the measured code; empty if unknown
  bool dirty = false;  ///< the work tree had changes
  std::string compiler, flags, build_type;
  std::string command;
  std::string date;  ///< ISO 8601 with offset
  int runs = 0;      ///< process runs asked for
  std::map<std::string, std::string> settings;
};

/// Something in a file that was not as it should be, and what was done about it.
struct Oddity {
  /// note: numbers are what they would be without it. warning: some number is missing or may mislead.
  enum class Severity : std::uint8_t { note, warning };
  Severity severity = Severity::warning;
  std::string file;
  std::size_t line = 0, column = 0;  ///< 1-based; 0 if not known
  std::string row;                   ///< the benchmark it concerns, if any
  std::string what;
};

struct ResultSet {
  static constexpr int kSchemaVersion = 1;
  std::string label;  ///< what people call it: a file, a directory, a baseline's name
  Machine machine;
  Methodology methodology;
  std::vector<Process> processes;
  std::vector<Benchmark> benchmarks;  ///< in the order of first appearance
  std::vector<Oddity> oddities;
};

}  // namespace pawl::model
