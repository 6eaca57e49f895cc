// save.cpp -- what may become a baseline.
#include "baseline/save.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "baseline/results_file.hpp"
#include "comparison_notes.hpp"
#include "failure.hpp"
#include "read/read.hpp"
#include "show/quantity.hpp"

namespace pawl::baseline {
namespace {

using model::Benchmark;
using model::Reading;
using model::ResultSet;

bool has_measurement(const Benchmark& benchmark) {
  return std::ranges::any_of(benchmark.readings, [](const Reading& reading) {
    const model::Series* times = reading.status == model::Status::ok ? reading.find(model::kRealTime) : nullptr;
    return times != nullptr && std::ranges::any_of(times->values, [](double v) { return std::isfinite(v) && v > 0; });
  });
}

std::string key_of(const Benchmark& benchmark) { return benchmark.executable.str() + '\n' + benchmark.name; }

// Settings of a run that choose its rows.
constexpr std::array<const char*, 3> kChoices = {"suite", "filter", "quick"};

// What a setting chooses by, empty where that is all rows.
std::string choice(const ResultSet& set, const std::string& setting) {
  const auto found = set.methodology.settings.find(setting);
  if (found == set.methodology.settings.end() || found->second == "no" || found->second == "all") return "";
  return found->second;
}

// "--filter 'x' --quick"; empty of a run of all rows.
std::string part_of(const ResultSet& set) {
  std::string options;
  for (const char* setting : kChoices) {
    const std::string value = choice(set, setting);
    if (value.empty()) continue;
    options += fmt::format("{}--{}", options.empty() ? "" : " ", setting);
    if (value != "yes") options += fmt::format(" '{}'", value);
  }
  return options;
}

void drop_unused_processes(ResultSet& set) {
  std::vector<std::size_t> moved(set.processes.size(), 0);
  std::vector<bool> used(set.processes.size(), false);
  for (const Benchmark& benchmark : set.benchmarks) {
    for (const Reading& reading : benchmark.readings) used[reading.process] = true;
  }
  std::vector<model::Process> kept;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    moved[i] = kept.size();
    kept.push_back(std::move(set.processes[i]));
  }
  set.processes = std::move(kept);
  for (Benchmark& benchmark : set.benchmarks) {
    for (Reading& reading : benchmark.readings) reading.process = moved[reading.process];
  }
}

}  // namespace

ResultSet merged(ResultSet old, ResultSet now) {
  std::unordered_set<std::string> measured;
  for (const Benchmark& benchmark : now.benchmarks) measured.insert(key_of(benchmark));
  std::erase_if(old.benchmarks, [&](const Benchmark& benchmark) { return measured.contains(key_of(benchmark)); });
  drop_unused_processes(old);
  if (!old.benchmarks.empty())
    for (const char* setting : kChoices)
      if (choice(old, setting) != choice(now, setting)) now.methodology.settings.erase(setting);
  std::vector<ResultSet> both;
  both.push_back(std::move(now));  // first: its machine, method and order count
  both.push_back(std::move(old));
  return read::join(std::move(both));
}

Saved save(const Store& store, std::string_view name, ResultSet set, const SaveOptions& options) {
  Saved saved;
  if (const std::string problem = name_problem(name); !problem.empty()) {
    throw Failure(kBadInput, fmt::format("'{}' can't name a baseline: it {}", name, problem));
  }
  const auto measured = std::ranges::count_if(set.benchmarks, has_measurement);
  if (measured == 0) {
    throw Failure(kBadInput, fmt::format("{}: no benchmark has a time; nothing was saved", set.label));
  }
  if (set.methodology.dirty && !options.allow_dirty) {
    throw Failure(
        kBadInput,
        fmt::format("{}: measured from a work tree with changes{}: nobody could build that code again. Commit "
                    "and measure again, or save it anyway with --allow-dirty",
                    set.label, set.methodology.commit.empty() ? "" : " since " + set.methodology.commit));
  }
  if (const std::string kind = worthless_build(set); !kind.empty() && !options.allow_debug) {
    throw Failure(kBadInput, fmt::format("{}: measured from a {}: its times say nothing about the optimized code. "
                                         "Build with -DCMAKE_BUILD_TYPE=Release, or save it anyway with --allow-debug",
                                         set.label, kind));
  }
  if (!options.platform.empty()) {
    if (const std::string problem = name_problem(options.platform); !problem.empty()) {
      throw Failure(kBadInput, fmt::format("--platform '{}' can't be a directory: it {}", options.platform, problem));
    }
    if (!set.machine.key.empty() && set.machine.key != options.platform) {
      saved.notes.push_back(fmt::format("the results say that they are from {}; filed under {} as asked",
                                        set.machine.key, options.platform));
    }
    set.machine.key = options.platform;
  } else if (set.machine.key.empty()) {
    set.machine.key = options.here;
    saved.notes.push_back(
        fmt::format("the results don't say their machine; filed under this one, {} (--platform says "
                    "another)",
                    options.here));
  }
  if (const auto stopped = set.methodology.settings.find("stopped"); stopped != set.methodology.settings.end())
    saved.notes.push_back(
        fmt::format("the run was stopped {}: what it had not reached is not in this baseline", stopped->second));
  const auto lost = static_cast<std::ptrdiff_t>(set.benchmarks.size()) - measured;
  if (lost > 0) {
    saved.notes.push_back(fmt::format("{} without a time: later comparisons will say ADDED when it has one",
                                      show::counted(static_cast<std::size_t>(lost), "benchmark")));
  }
  std::error_code error;
  const std::filesystem::path path = store.path_of(set.machine.key, name);
  const StoreLock lock = store.lock(set.machine.key, options.on_wait);
  const bool replaces = std::filesystem::exists(path, error);
  const std::string part = options.part ? part_of(set) : "";
  std::optional<ResultSet> old;
  if (replaces && (options.merge || !part.empty())) old = read_results(path);
  if (old && (options.merge || part_of(*old) != part)) {
    const std::size_t before = set.benchmarks.size();
    const std::string commit = old->methodology.commit;
    set = merged(std::move(*old), std::move(set));
    if (const std::size_t kept = set.benchmarks.size() - before; kept > 0) {
      saved.notes.push_back(
          fmt::format("{}{} kept from the old baseline{}", part.empty() ? "" : fmt::format("measured with {}: ", part),
                      show::counted(kept, "benchmark"), commit.empty() ? "" : fmt::format(" of commit {}", commit)));
    }
  }
  set.label = name;
  saved.path = store.save(name, set, lock);
  if (replaces) saved.notes.push_back(fmt::format("the one before is now {}.bak", saved.path.string()));
  return saved;
}

}  // namespace pawl::baseline
