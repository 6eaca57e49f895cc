// process_record.cpp -- clocks, rusage, /proc/stat and yardsticks at the start and the end -> a JSON object.
#include "process_record.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <optional>

#include "pawl/machine.hpp"
#include "yardsticks.hpp"

namespace pawl::bench {
namespace {

struct Moment {
  double unix_s = 0, cpu_s = 0;
  std::optional<CpuTicks> ticks;
};

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

Moment now() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(),
          seconds(usage.ru_utime) + seconds(usage.ru_stime), read_cpu_ticks()};
}

bool g_yardsticks = false;
Moment g_start;
Yardsticks g_yardsticks_start;
std::string g_record;

std::string json_of(const Yardsticks& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{}\"{}\": {:.6g}", text.empty() ? "" : ", ", name, value);
  return "{" + text + "}";
}

// Shares of all cores' time: stolen by the hypervisor, and used by other processes than this one.
std::string shares(const Moment& start, const Moment& end) {
  if (!start.ticks || !end.ticks) return "";
  const auto delta = [](std::uint64_t a, std::uint64_t b) { return static_cast<double>(b - a); };
  const double busy = delta(start.ticks->busy, end.ticks->busy), steal = delta(start.ticks->steal, end.ticks->steal);
  const double total = busy + steal + delta(start.ticks->idle, end.ticks->idle);
  if (!(total > 0)) return "";
  // /proc/stat counts in hundredths of a second.
  const double other = std::max(0.0, busy - 100 * (end.cpu_s - start.cpu_s));
  return fmt::format(", \"steal\": {:.4f}, \"other_busy\": {:.4f}", steal / total, other / total);
}

}  // namespace

void begin_process_record(bool yardsticks) {
  g_yardsticks = yardsticks;
  if (yardsticks) g_yardsticks_start = measure_yardsticks();
  g_start = now();
}

std::string end_process_record() {
  if (!g_record.empty()) return g_record;
  const Moment end = now();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const Yardsticks after = g_yardsticks ? measure_yardsticks() : Yardsticks{};
  g_record = fmt::format(
      "{{\n    \"schema_version\": 1,\n    \"yardsticks\": {{\n      \"start\": {},\n      \"end\": {}\n    }},\n"
      "    \"process\": {{\"start_unix_s\": {:.3f}, \"end_unix_s\": {:.3f}, \"wall_s\": {:.3f}, \"cpu_s\": {:.3f}{}, "
      "\"peak_rss_bytes\": {}, \"involuntary_switches\": {}}}\n  }}",
      json_of(g_yardsticks_start), json_of(after), g_start.unix_s, end.unix_s, end.unix_s - g_start.unix_s,
      end.cpu_s - g_start.cpu_s, shares(g_start, end),
      peak_resident_bytes().value_or(static_cast<std::uint64_t>(usage.ru_maxrss) * 1024), usage.ru_nivcsw);
  return g_record;
}

}  // namespace pawl::bench
