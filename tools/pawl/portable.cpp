// portable.cpp -- times -> ratios to the yardsticks.
#include "portable.hpp"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <optional>
#include <unordered_set>

#include "decide/thresholds.hpp"
#include "failure.hpp"
#include "show/limit.hpp"

namespace pawl {
namespace {

using model::ResultSet;
using Yardsticks = std::map<std::string, double>;

std::vector<Yardsticks> yardsticks_of_all(const ResultSet& set) {
  std::vector<Yardsticks> all;
  for (const model::Process& process : set.processes) {
    all.push_back(show::yardsticks_of(process));
    if (!all.back().empty()) continue;
    throw Failure(kNothingToCompare,
                  fmt::format("--portable: {} has no yardsticks; benches linked with pawl::bench_main measure them",
                              process.file.empty() ? set.label : process.file));
  }
  return all;
}

// The yardsticks that every process of both sides has, so that all are divided by the same thing.
Yardsticks common_to_all(const std::vector<Yardsticks>& a, const std::vector<Yardsticks>& b) {
  std::map<std::string, std::size_t> counts;
  for (const auto* side : {&a, &b}) {
    for (const Yardsticks& one : *side) {
      for (const auto& [name, value] : one) counts[name] += value > 0 ? 1 : 0;
    }
  }
  Yardsticks common;
  for (const auto& [name, count] : counts) {
    if (count == a.size() + b.size()) common[name] = 0;
  }
  return common;
}

void keep_only(const Yardsticks& common, std::vector<Yardsticks>& all) {
  for (Yardsticks& one : all) std::erase_if(one, [&](const auto& entry) { return !common.contains(entry.first); });
}

// Of one thread: those of several fall where another process has a CPU.
double speed(const Yardsticks& yardsticks) {
  double sum = 0, count = 0;
  for (const auto& [name, value] : yardsticks) {
    if (model::is_of_threads(name)) continue;
    sum += std::log(value);
    ++count;
  }
  return std::exp(sum / count);
}

bool is_time(std::string_view metric) { return decide::metric_class(metric) == "time"; }

std::optional<show::Limit> limit_of(const ResultSet& set, const model::Benchmark& benchmark,
                                    const model::Reading& reading, const std::vector<Yardsticks>& yardsticks) {
  const auto name = show::parse_name(benchmark.name);
  const auto work = show::work_of(reading);
  if (!name || !work) return std::nullopt;
  return show::limit_of(*name, *work, yardsticks.at(reading.process), show::caches_of(set.processes[reading.process]));
}

// Benchmarks of which some reading has no limit: both sides must be divided by the same kind of thing.
void collect_without_limit(const ResultSet& set, const std::vector<Yardsticks>& yardsticks,
                           std::unordered_set<std::string>& to) {
  for (const model::Benchmark& benchmark : set.benchmarks) {
    for (const model::Reading& reading : benchmark.readings) {
      if (reading.status == model::Status::ok && !limit_of(set, benchmark, reading, yardsticks)) {
        to.insert(benchmark.name);
        break;
      }
    }
  }
}

void convert(ResultSet& set, const std::vector<Yardsticks>& yardsticks,
             const std::unordered_set<std::string>& without_limit) {
  for (model::Process& process : set.processes) process.pair_index = -1;
  for (model::Benchmark& benchmark : set.benchmarks) {
    const bool by_mean = without_limit.contains(benchmark.name);
    for (model::Reading& reading : benchmark.readings) {
      const auto limit = by_mean ? std::nullopt : limit_of(set, benchmark, reading, yardsticks);
      // Either way a faster machine divides its shorter times by less.
      const double unit = limit ? limit->seconds : 1 / speed(yardsticks.at(reading.process));
      std::erase_if(reading.series, [](const model::Series& series) {
        const std::string_view kind = decide::metric_class(series.metric);
        return kind != "time" && kind != "memory" && kind != "allocations";
      });
      for (model::Series& series : reading.series) {
        if (!is_time(series.metric)) continue;
        series.metric = portable_metric(series.metric);
        for (double& value : series.values) value /= unit;
      }
    }
  }
}

}  // namespace

std::vector<std::string> make_portable(ResultSet& base, ResultSet& now) {
  auto base_yardsticks = yardsticks_of_all(base), now_yardsticks = yardsticks_of_all(now);
  const Yardsticks common = common_to_all(base_yardsticks, now_yardsticks);
  if (std::ranges::all_of(common, [](const auto& entry) { return model::is_of_threads(entry.first); }))
    throw Failure(kNothingToCompare, "--portable: the two sides have no yardstick in common");
  keep_only(common, base_yardsticks);
  keep_only(common, now_yardsticks);
  std::unordered_set<std::string> without_limit;
  collect_without_limit(base, base_yardsticks, without_limit);
  collect_without_limit(now, now_yardsticks, without_limit);
  convert(base, base_yardsticks, without_limit);
  convert(now, now_yardsticks, without_limit);
  std::vector<std::string> notes = {
      "--portable: times are multiples of what each machine's yardsticks allow; a difference may also come from how "
      "well "
      "a kernel suits the other machine"};
  if (!without_limit.empty()) {
    notes.push_back(
        fmt::format("--portable: {} benchmarks don't say their work (counters flops and bytes); they were "
                    "scaled by the mean of the yardsticks, which is rougher",
                    without_limit.size()));
  }
  return notes;
}

std::string portable_metric(const std::string& metric) {
  return is_time(metric) ? metric + std::string(decide::kOfLimit) : metric;
}

}  // namespace pawl
