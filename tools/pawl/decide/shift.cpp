// shift.cpp -- see shift.hpp.
#include "decide/shift.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "decide/sample.hpp"

namespace pawl::decide {
namespace {

constexpr std::size_t kEnough = 8;
constexpr double kWorthAWord = 0.01;  // below a percent nobody acts on it

// Log speed of each yardstick, the median over processes and both of their ends.
std::map<std::string, double> speeds(const model::ResultSet& set, std::string_view executable) {
  std::map<std::string, std::vector<double>> logs;
  for (const model::Process& p : set.processes) {
    if (!executable.empty() && p.executable != executable) continue;
    for (const auto* side : {&p.yardsticks_start, &p.yardsticks_end})
      for (const auto& [name, value] : *side)
        if (value > 0 && std::isfinite(value) && !model::is_of_threads(name)) logs[name].push_back(std::log(value));
  }
  std::map<std::string, double> out;
  for (auto& [name, values] : logs) out[name] = median(std::move(values));
  return out;
}

std::string reason_of(double change, std::optional<double> yardsticks) {
  std::string moved = fmt::format("half of all benchmarks changed by {:+.1f} % or more", 100 * change);
  if (!yardsticks) return moved;
  const std::string measured = fmt::format("the machine itself, by its yardsticks, by {:+.1f} %", 100 * *yardsticks);
  const double share = std::log1p(*yardsticks) / std::log1p(change);
  return fmt::format("{}; {}: {}", moved, measured,
                     share >= 0.5   ? "the machine more than the code"
                     : share >= 0.2 ? "in part the machine"
                                    : "something that all of them use, more likely than the machine");
}

}  // namespace

std::optional<double> yardstick_change(const model::ResultSet& base, const model::ResultSet& now,
                                       std::string_view of_base, std::string_view of_now) {
  const auto before = speeds(base, of_base), after = speeds(now, of_now);
  std::vector<double> moved;
  for (const auto& [name, speed] : before)
    if (const auto found = after.find(name); found != after.end()) moved.push_back(speed - found->second);
  if (moved.empty()) return std::nullopt;
  return std::expm1(median(std::move(moved)));
}

std::optional<SuiteShift> suite_shift(std::vector<double> log_changes, std::optional<double> yardsticks) {
  if (log_changes.size() < kEnough) return std::nullopt;
  std::ranges::sort(log_changes);
  // The median's distribution-free interval: order statistics by the normal approximation of the binomial (95 %).
  const auto n = static_cast<double>(log_changes.size());
  const double half = 0.98 * std::sqrt(n);  // 1.96 / 2
  const auto at = [&](double rank) { return log_changes[static_cast<std::size_t>(std::clamp(rank, 0.0, n - 1))]; };
  SuiteShift shift;
  shift.change = std::expm1(median(log_changes));
  shift.low = std::expm1(at(std::floor(n / 2 - half)));
  shift.high = std::expm1(at(std::ceil(n / 2 + half)));
  shift.yardstick_change = yardsticks;
  if ((shift.low <= 0 && shift.high >= 0) || std::fabs(shift.change) < kWorthAWord) return std::nullopt;
  shift.reason = reason_of(shift.change, yardsticks);
  return shift;
}

}  // namespace pawl::decide
