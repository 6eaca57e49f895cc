// progress.cpp -- see progress.hpp.
#include "run/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "show/text.hpp"

namespace pawl::run {

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

void Forecast::add(const std::string& executable, std::size_t rows, double seconds) {
  if (rows == 0) return;
  for (Sum* sum : {&by_executable_[executable], &all_}) {
    sum->seconds += seconds;
    sum->rows += static_cast<double>(rows);
  }
}

std::optional<double> Forecast::seconds(const std::string& executable, std::size_t rows) const {
  if (all_.rows == 0) return std::nullopt;
  const auto known = by_executable_.find(executable);
  const Sum& sum = known != by_executable_.end() ? known->second : all_;
  return sum.seconds / sum.rows * static_cast<double>(rows);
}

std::string progress_line(const ProgressState& state, std::size_t width) {
  constexpr std::size_t kBar = 20;
  const std::size_t total = std::max<std::size_t>(state.total, 1), done = std::min(state.done, total);
  const std::size_t filled = kBar * done / total;
  std::string line = fmt::format("[{:<{}}] {:3} %  {} of {}", std::string(filled, '#'), kBar, 100 * done / total,
                                 std::min(done + 1, total), total);
  const std::string left = state.left_s ? fmt::format("  {} left", duration_text(*state.left_s)) : "";
  // The name of the row gives way first; the time left never does.
  const std::size_t room = width > line.size() + left.size() + 3 ? width - line.size() - left.size() - 3 : 0;
  std::string what = show::terminal_text(state.executable);
  if (!state.row.empty()) what += "  " + show::terminal_text(state.row);
  if (room >= 4) line += "  " + show::shortened(what, room);
  line += left;
  return line.size() <= width || room >= 4 ? line : line.substr(0, width);
}

void Progress::show(const ProgressState& state) {
  if (width_ == 0 || quiet_) return;
  // Redrawing takes time on the machine that is being measured: at most five times a second.
  const auto now = std::chrono::steady_clock::now();
  if (shown_ && now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  shown_ = true;
  write("\r\033[K" + progress_line(state, width_));
}

void Progress::clear() {
  if (!shown_) return;
  shown_ = false;
  write("\r\033[K");
}

void Progress::log(const std::string& line, bool warning) {
  if (quiet_ && !warning) return;
  clear();
  write(line + "\n");
}

void Progress::write(const std::string& text) {
  std::fputs(text.c_str(), out_);
  std::fflush(out_);
}

std::size_t terminal_width() {
  const char* term = std::getenv("TERM");
  if (isatty(STDERR_FILENO) == 0 || term == nullptr || std::string_view(term) == "dumb") return 0;
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace pawl::run
