// comparison_notes.cpp -- what differs between two sides besides the code, and what went wrong on the way.
#include "comparison_notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "read/context.hpp"
#include "show/quantity.hpp"

namespace pawl {
namespace {

using model::Oddity;
using model::Process;
using model::ResultSet;

constexpr std::size_t kOdditiesShown = 5, kProcessesShown = 3;

std::string detail(const ResultSet& set, const std::string& key) {
  const auto found = set.machine.details.find(key);
  return found == set.machine.details.end() ? "" : found->second;
}

void add_difference(std::vector<std::string>& notes, const char* what, const std::string& base,
                    const std::string& now) {
  if (base.empty() || now.empty() || base == now) return;
  notes.push_back(fmt::format("{}: base {}, new {}", what, base, now));
}

// Files that don't say their machine's key still say enough to tell two machines apart.
void add_machine_differences(std::vector<std::string>& notes, const ResultSet& base, const ResultSet& now) {
  if (!base.machine.key.empty() && !now.machine.key.empty()) return;
  std::string differences;
  for (const char* key : {"host_name", "num_cpus", "caches"}) {
    const std::string a = key == std::string_view("num_cpus")
                              ? (base.machine.cores > 0 ? fmt::format("{}", base.machine.cores) : "")
                              : detail(base, key);
    const std::string b = key == std::string_view("num_cpus")
                              ? (now.machine.cores > 0 ? fmt::format("{}", now.machine.cores) : "")
                              : detail(now, key);
    if (a.empty() || b.empty() || a == b) continue;
    differences += fmt::format("{}{}", differences.empty() ? "" : ", ", key);
    if (a.size() + b.size() < 60) differences += fmt::format(" ({} and {})", a, b);
  }
  if (!differences.empty()) {
    notes.push_back(fmt::format("the two sides seem to come from different machines: {} differ", differences));
  }
}

void add_processes(std::vector<std::string>& notes, const ResultSet& set, const char* side) {
  std::size_t disturbed = 0, broken = 0;
  std::string first_flag;
  for (const Process& process : set.processes) {
    if (!process.disturbance.flags.empty() && disturbed++ == 0) first_flag = process.disturbance.flags.front();
    if (process.exit_code == 0 && process.signal == 0 && !process.timed_out) continue;
    if (++broken > kProcessesShown) continue;
    const std::string how = process.timed_out     ? "timed out"
                            : process.signal != 0 ? fmt::format("died of signal {}", process.signal)
                                                  : fmt::format("ended with exit code {}", process.exit_code);
    const std::string& name = process.executable.empty() ? process.file : process.executable;
    notes.push_back(fmt::format("{}: {}{} {}; what it had not finished is missing", side, name,
                                process.run_index >= 0 ? fmt::format(" (run {})", process.run_index) : "", how));
  }
  if (broken > kProcessesShown) {
    notes.push_back(fmt::format("{}: {} more process runs broke off", side, broken - kProcessesShown));
  }
  if (disturbed > 0) {
    notes.push_back(fmt::format("{}: {} of {} process runs were disturbed, the first by: {}", side, disturbed,
                                set.processes.size(), first_flag));
  }
}

void add_oddities(std::vector<std::string>& notes, const ResultSet& set, const char* side, bool all) {
  std::size_t warnings = 0, remarks = 0;
  for (const Oddity& oddity : set.oddities) {
    const bool is_warning = oddity.severity == Oddity::Severity::warning;
    std::size_t& count = is_warning ? warnings : remarks;
    ++count;
    if (!all && (!is_warning || count > kOdditiesShown)) continue;
    std::string place = oddity.file;
    if (oddity.line > 0) place += fmt::format(":{}", oddity.line);
    if (oddity.line > 0 && oddity.column > 0) place += fmt::format(":{}", oddity.column);
    notes.push_back(fmt::format("{}{}{}{}{}", place, place.empty() ? "" : ": ", oddity.row,
                                oddity.row.empty() ? "" : ": ", oddity.what));
  }
  if (all) return;
  if (warnings > kOdditiesShown) {
    notes.push_back(
        fmt::format("{}: {} more oddities in the files (--all lists them)", side, warnings - kOdditiesShown));
  }
}

// The values that the process runs of a side have for a key of their context; empty where none has it.
std::string context_of(const ResultSet& set, const std::string& key) {
  std::set<std::string> values;
  for (const Process& process : set.processes)
    if (const auto found = process.context.find(key); found != process.context.end()) values.insert(found->second);
  return fmt::format("{}", fmt::join(values, " and "));
}

// Of sides that pawl measured both, an option that one left away has its usual value.
std::string setting_of(const ResultSet& set, const std::string& key, const char* otherwise) {
  const auto& settings = set.methodology.settings;
  if (const auto found = settings.find(key); found != settings.end()) return found->second;
  return settings.contains("repetitions") ? otherwise : "";
}

// What was measured in another way, whatever the code is.
void add_ways_of_measuring(std::vector<std::string>& notes, const ResultSet& base, const ResultSet& now) {
  const auto context = [&](const char* what, const char* key) {
    add_difference(notes, what, context_of(base, key), context_of(now, key));
  };
  const auto setting = [&](const char* what, const char* key, const char* otherwise = "") {
    add_difference(notes, what, setting_of(base, key, otherwise), setting_of(now, key, otherwise));
  };
  context("active ISAs differ", "pawl_isa_active");
  setting("threads differ", "threads", "default");
  setting("seeds differ", "seed");
  context("versions of Google Benchmark differ", "library_version");
  setting("repetitions differ", "repetitions");
  // --quick has a time of its own and is compared with full runs every day.
  if (setting_of(base, "quick", "no") == setting_of(now, "quick", "no"))
    setting("seconds of a repetition differ", "min_time_s");
}

}  // namespace

std::optional<double> made_unix_s(const ResultSet& set) {
  if (const auto date = read::unix_seconds(set.methodology.date)) return date;
  std::optional<double> last;
  for (const Process& process : set.processes) {
    if (process.start_unix_s && (!last || *process.start_unix_s > *last)) last = process.start_unix_s;
  }
  return last;
}

std::string worthless_build(const ResultSet& set) {
  std::string type = set.methodology.build_type;
  std::ranges::transform(type, type.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (type == "debug") return "Debug build";
  const auto worthless = set.methodology.settings.find("worthless");
  if (worthless == set.methodology.settings.end() || worthless->second != "yes") return "";
  if (type.empty() || type == "none") return "build without a build type";
  return "build without optimization or with sanitizers";
}

std::vector<std::string> comparison_notes(const ResultSet& base, const ResultSet& now, const NoteOptions& options) {
  std::vector<std::string> notes;
  if (options.base_is_baseline && options.now_unix_s) {
    if (const auto made = made_unix_s(base)) {
      const double days = (*options.now_unix_s - *made) / 86400;
      if (days > kStaleDays) {
        notes.push_back(
            fmt::format("baseline '{}' is {:.0f} days old; save a new one: pawl baseline save", base.label, days));
      }
    }
  }
  for (const auto& [set, side] : {std::pair{&base, "base"}, std::pair{&now, "new"}}) {
    if (const std::string kind = worthless_build(*set); !kind.empty()) {
      notes.push_back(fmt::format("{} is a {}: its times say nothing about the optimized code", side, kind));
    }
  }
  add_machine_differences(notes, base, now);
  add_difference(notes, "compilers differ", base.methodology.compiler, now.methodology.compiler);
  add_difference(notes, "compiler flags differ", base.methodology.flags, now.methodology.flags);
  if (worthless_build(base).empty() && worthless_build(now).empty()) {
    add_difference(notes, "build types differ", base.methodology.build_type, now.methodology.build_type);
  }
  add_ways_of_measuring(notes, base, now);
  add_processes(notes, base, "base");
  add_processes(notes, now, "new");
  add_oddities(notes, base, "base", options.all);
  add_oddities(notes, now, "new", options.all);
  return notes;
}

}  // namespace pawl
