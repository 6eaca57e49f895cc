// progress.hpp -- which process run is under way -> a line that people on a terminal see change, or lines for a log.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pawl::run {

/// "45s", "1m02s", "2h05m".
std::string duration_text(double seconds);

/// How long process runs will take, from those that are done.
class Forecast {
 public:
  void add(const std::string& executable, std::size_t rows, double seconds);

  /// Of one process run: as the last ones of the executable, by row; for one not seen yet as all others. Nothing as
  /// long as nothing is known.
  std::optional<double> seconds(const std::string& executable, std::size_t rows) const;

 private:
  struct Sum {
    double seconds = 0, rows = 0;
  };
  std::map<std::string, Sum> by_executable_;
  Sum all_;
};

/// What the line shows.
struct ProgressState {
  std::size_t done = 0, total = 0;  ///< process runs
  std::string executable, row;
  std::optional<double> left_s;
};

/// One line of at most `width` columns: bar, share, what runs, time left.
std::string progress_line(const ProgressState& state, std::size_t width);

class Progress {
 public:
  /// `width` columns of a terminal; 0: no terminal, and only log() writes.
  Progress(std::FILE* out, std::size_t width, bool quiet) : out_(out), width_(width), quiet_(quiet) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const ProgressState& state);
  void clear();
  /// A line that stays; "quiet" keeps it to itself unless it is a `warning`.
  void log(const std::string& line, bool warning = false);
  /// A line for where no other line is shown changing.
  void log_step(const std::string& line) {
    if (width_ == 0) log(line);
  }

 private:
  /// A line that cannot be written is lost, and the measurement goes on.
  void write(const std::string& text);

  std::FILE* out_;
  std::size_t width_;
  bool quiet_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

/// Columns of standard error if it is a terminal that understands them, else 0.
std::size_t terminal_width();

}  // namespace pawl::run
