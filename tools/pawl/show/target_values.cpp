// target_values.cpp -- one value per process run, and their ratios within a process.
#include "show/target_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "decide/metric_class.hpp"
#include "decide/sample.hpp"
#include "decide/standing.hpp"
#include "show/limit.hpp"
#include "show/peers.hpp"
#include "show/quantity.hpp"

namespace pawl::show {
namespace {

constexpr std::string_view kOver = "over/", kBestPeer = "best_peer", kPercentOfLimit = "percent_of_limit";

// Process -> its value.
using Runs = std::map<std::size_t, double>;

Runs runs_of(const model::Benchmark& benchmark, std::string_view metric) {
  Runs runs;
  for (const decide::RunValue& run : decide::sample_of(benchmark, metric, decide::quantity_of(metric), {}).runs)
    runs[run.process] = run.value;
  return runs;
}

double log_mean(const Runs& runs) {
  double sum = 0;
  for (const auto& [process, value] : runs) sum += std::log(value);
  return sum / static_cast<double>(runs.size());
}

std::vector<double> ratios(const Runs& reference, const Runs& ours) {
  std::vector<double> values;
  for (const auto& [process, seconds] : ours) {
    if (const auto found = reference.find(process); found != reference.end()) values.push_back(found->second / seconds);
  }
  if (values.empty() && !reference.empty() && !ours.empty()) {
    values.push_back(std::exp(log_mean(reference) - log_mean(ours)));
  }
  return values;
}

class Times {
 public:
  explicit Times(const model::ResultSet& set) {
    for (const model::Benchmark& b : set.benchmarks) {
      const auto name = parse_name(b.name);
      Runs runs = runs_of(b, model::kRealTime);
      if (!name || runs.empty()) continue;
      if (is_peer(name->impl)) peers_[name->group()].push_back(b.name);
      by_name_.emplace(b.name, std::move(runs));
    }
  }

  const Runs* of(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &found->second;
  }

  const Runs* best_peer(const BenchmarkName& name) const {
    const auto found = peers_.find(name.group());
    const Runs* best = nullptr;
    if (found == peers_.end()) return nullptr;
    for (const std::string& peer : found->second) {
      const Runs* runs = of(peer);
      if (parse_name(peer)->impl != name.impl && (best == nullptr || log_mean(*runs) < log_mean(*best))) best = runs;
    }
    return best;
  }

 private:
  std::unordered_map<std::string, Runs> by_name_;
  std::unordered_map<std::string, std::vector<std::string>> peers_;  // by group
};

// The name with another `impl`, or with another value of a parameter that it has.
std::optional<std::string> other_name(const BenchmarkName& name, std::string_view what) {
  const std::size_t colon = what.find(':');
  if (colon == std::string_view::npos) {
    BenchmarkName other = name;
    other.impl = what;
    return other.text();
  }
  const std::string key = "/" + std::string(what.substr(0, colon + 1));
  const std::string parameters = "/" + name.parameters;
  const std::size_t at = parameters.find(key);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t end = std::min(parameters.find('/', at + 1), parameters.size());
  BenchmarkName other = name;
  other.parameters = (parameters.substr(0, at + 1) + std::string(what) + parameters.substr(end)).substr(1);
  return other.text();
}

std::vector<double> speed_ups(const Times& times, const model::Benchmark& benchmark, std::string_view what) {
  const auto name = parse_name(benchmark.name);
  const Runs* ours = name ? times.of(benchmark.name) : nullptr;
  if (ours == nullptr) return {};
  if (what == kBestPeer) {
    const Runs* best = times.best_peer(*name);
    return best == nullptr ? std::vector<double>() : ratios(*best, *ours);
  }
  const auto other = other_name(*name, what);
  const Runs* reference = other && *other != benchmark.name ? times.of(*other) : nullptr;
  return reference == nullptr ? std::vector<double>() : ratios(*reference, *ours);
}

std::vector<double> shares_of_limit(const model::ResultSet& set, const model::Benchmark& benchmark) {
  std::vector<double> shares;
  const auto name = parse_name(benchmark.name);
  if (!name) return shares;
  for (const model::Reading& reading : benchmark.readings) {
    const auto work = work_of(reading);
    if (!work || reading.process >= set.processes.size()) continue;
    const model::Process& process = set.processes[reading.process];
    const auto limit = limit_of(*name, *work, yardsticks_of(process), caches_of(process));
    if (limit) shares.push_back(100 * limit->seconds / work->seconds);
  }
  return shares;
}

std::vector<double> values_of(const model::Benchmark& benchmark, const std::string& metric) {
  constexpr double kNanoseconds = 1e9;
  std::vector<double> values;
  for (const auto& [process, value] : runs_of(benchmark, metric)) {
    values.push_back(metric == model::kRealTime || metric == model::kCpuTime ? value * kNanoseconds : value);
  }
  return values;
}

// As `pawl compare` calls a benchmark FAILED; and a value that is no number reaches no bar.
std::string failure_of(const model::Benchmark& benchmark, const std::string& metric) {
  const decide::Standing standing = decide::standing_of(benchmark);
  if (standing.failed > 0 && standing.measured > 0)
    return fmt::format("{} in {} of {} process runs", standing.failure(), standing.failed,
                       standing.failed + standing.measured);
  if (standing.failed > 0) return standing.failure();
  const decide::Sample sample = decide::sample_of(benchmark, metric, decide::quantity_of(metric), {});
  return sample.present > 0 && sample.runs.empty() ? fmt::format("has no usable {}", metric) : "";
}

}  // namespace

std::vector<decide::TargetRow> target_values(const model::ResultSet& set, const std::string& metric) {
  const bool is_speed_up = metric.starts_with(kOver);
  const auto times = is_speed_up ? std::optional<Times>(set) : std::nullopt;
  std::vector<decide::TargetRow> rows;
  for (const model::Benchmark& b : set.benchmarks) {
    rows.push_back({b.name,
                    is_speed_up                 ? speed_ups(*times, b, metric.substr(kOver.size()))
                    : metric == kPercentOfLimit ? shares_of_limit(set, b)
                                                : values_of(b, metric),
                    failure_of(b, metric)});
  }
  return rows;
}

std::string target_value_text(const std::string& metric, double value) {
  if (metric == kPercentOfLimit) return fmt::format("{:.1f} %", value);
  if (metric.starts_with(kOver)) return fmt::format("x{:.2f}", value);
  if (metric == model::kRealTime || metric == model::kCpuTime) return seconds_text(value * 1e-9);
  return fmt::format("{:.4g}", value);
}

}  // namespace pawl::show
