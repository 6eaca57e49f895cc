// quantity.cpp -- units and digits.
#include "show/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "decide/thresholds.hpp"

namespace pawl::show {
namespace {

struct Unit {
  double size;
  std::string_view name;
};

constexpr std::array kTimes = {Unit{1e-9, "ns"}, Unit{1e-6, "us"}, Unit{1e-3, "ms"}, Unit{1, "s"}};
constexpr std::array kRates = {Unit{1, "/s"}, Unit{1e3, "k/s"}, Unit{1e6, "M/s"}, Unit{1e9, "G/s"}, Unit{1e12, "T/s"}};
constexpr std::array kSizes = {Unit{1, "B"}, Unit{1024, "KiB"}, Unit{1048576, "MiB"}, Unit{1073741824, "GiB"}};
constexpr std::array kPlain = {Unit{1, ""}, Unit{1e3, "k"}, Unit{1e6, "M"}, Unit{1e9, "G"}, Unit{1e12, "T"}};

// Four digits that mean something: a change of a tenth of a percent shows.
std::string digits(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "-" : value > 0 ? "inf" : "-inf";
  const double size = std::abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return fmt::format("{:.3e}", value);
  return size >= 999.95 ? fmt::format("{:.0f}", value) : fmt::format("{:#.4g}", value);
}

// Counts and sizes stay whole; a time or a rate of 2 is one of 2.000.
std::string digits_of(std::string_view metric, double value) {
  const std::string_view kind = decide::metric_class(metric);
  const bool is_measured = kind == "time" || kind == "throughput";
  if (!is_measured && std::isfinite(value) && value == std::floor(value) && std::abs(value) < 1e5)
    return fmt::format("{:.0f}", value);
  return digits(value);
}

template <std::size_t N>
const Unit& suiting(const std::array<Unit, N>& units, double value) {
  const Unit* unit = &units.front();
  for (const Unit& larger : units) {
    if (std::abs(value) >= larger.size) unit = &larger;
  }
  return *unit;
}

const Unit& time_unit_of(std::string_view wanted, double largest) {
  for (const Unit& unit : kTimes) {
    const double shown = std::abs(largest) / unit.size;
    if (unit.name == wanted && shown >= 0.1 && shown < 1e5) return unit;
  }
  return suiting(kTimes, largest);
}

const Unit& unit_of(std::string_view metric, std::string_view time_unit, double largest) {
  const std::string_view kind = decide::metric_class(metric);
  if (kind == "time") return time_unit_of(time_unit, largest);
  // Only of Pawl's own benches is it a rate, and its name says the unit of both.
  if (metric == decide::kBytes) return suiting(kPlain, largest);
  if (kind == "throughput") return suiting(kRates, largest);
  if (kind == "memory") return suiting(kSizes, largest);
  return suiting(kPlain, std::abs(largest) < 1e5 ? 1 : largest);
}

double largest_of(double a, double b) {
  const double x = std::isfinite(a) ? std::abs(a) : 0, y = std::isfinite(b) ? std::abs(b) : 0;
  return std::max(x, y);
}

std::string with_unit(const std::string& text, const Unit& unit) {
  return unit.name.empty() ? text : fmt::format("{} {}", text, unit.name);
}

}  // namespace

std::string change_text(double change) {
  if (std::isnan(change)) return "?";
  if (std::isinf(change)) return change > 0 ? "+inf" : "-inf";
  // From three times on a factor says more than a percentage, and so it does where -99.99 % would round to -100.
  if (change >= 2 || change < -0.999) return fmt::format("x {}", digits(1 + change));
  const double percent = 100 * change;
  const int decimals = std::abs(percent) < 0.095 && percent != 0 ? 2 : 1;
  std::string text = fmt::format("{:+.{}f} %", percent, decimals);
  if (text == "-0.0 %" || text == "-0.00 %") text[0] = '+';
  return text;
}

std::string interval_text(double low, double high) {
  const auto end = [](double value, bool is_low) {
    if (std::isnan(value)) return std::string("?");
    // -100 % is no time at all and infinity any time: the interval is open there.
    if (is_low && value <= -1) return std::string("?");
    if (std::isinf(value)) return std::string("?");
    return value >= 2 ? fmt::format("x {}", digits(1 + value)) : fmt::format("{:+.1f}", 100 * value);
  };
  const std::string a = end(low, true), b = end(high, false);
  return a == "?" && b == "?" ? "" : fmt::format("[{}, {}]", a, b);
}

std::string percent_text(double share) {
  if (!std::isfinite(share)) return "?";
  return fmt::format("{:.3g} %", 100 * share);
}

std::string value_text(std::string_view metric, std::string_view time_unit, double value) {
  const Unit& unit = unit_of(metric, time_unit, value);
  return with_unit(digits_of(metric, value / unit.size), unit);
}

std::string pair_text(std::string_view metric, std::string_view time_unit, double base, double now) {
  const Unit& unit = unit_of(metric, time_unit, largest_of(base, now));
  // So far apart that one unit would show one of them as nothing.
  const double smaller = std::min(std::abs(base), std::abs(now)) / unit.size;
  if (smaller > 0 && smaller < 0.01) {
    return fmt::format("{} -> {}", value_text(metric, time_unit, base), value_text(metric, time_unit, now));
  }
  return with_unit(fmt::format("{} -> {}", digits_of(metric, base / unit.size), digits_of(metric, now / unit.size)),
                   unit);
}

std::string seconds_text(double seconds) {
  const Unit& unit = suiting(kTimes, seconds);
  return with_unit(digits(seconds / unit.size), unit);
}

std::string counted(std::size_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

}  // namespace pawl::show
