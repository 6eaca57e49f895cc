// tune.cpp -- see tune.hpp.
#include "decide/tune.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "decide/sample.hpp"

namespace pawl::decide {
namespace {

constexpr std::size_t kFewestRows = 8;
constexpr double kMadToSigma = 1.4826;
constexpr double kSigmas = 3;  // 1 of 370 of normal values

// Result -> logarithm of the benchmark's time.
using History = std::map<std::size_t, double>;

std::map<std::string, History> histories_of(const std::vector<model::ResultSet>& results) {
  std::map<std::string, History> histories;
  for (std::size_t i = 0; i < results.size(); ++i)
    for (const model::Benchmark& b : results[i].benchmarks) {
      std::vector<double> logs;
      for (const RunValue& run : sample_of(b, model::kRealTime, Quantity::duration, {}).runs)
        logs.push_back(std::log(run.value));
      if (!logs.empty()) histories[b.name].emplace(i, median(std::move(logs)));
    }
  return histories;
}

double middle_of(const History& history) {
  std::vector<double> values;
  for (const auto& [result, value] : history) values.push_back(value);
  return median(std::move(values));
}

void take_out_common(std::map<std::string, History>& histories) {
  std::map<std::size_t, std::vector<double>> deviations;
  for (const auto& [name, history] : histories) {
    const double middle = middle_of(history);
    for (const auto& [result, value] : history) deviations[result].push_back(value - middle);
  }
  for (auto& [result, values] : deviations) {
    if (values.size() < kFewestRows) continue;
    const double common = median(std::move(values));
    for (auto& [name, history] : histories)
      if (const auto found = history.find(result); found != history.end()) found->second -= common;
  }
}

std::string exactly(const std::string& name) {
  std::string pattern = "^";
  for (const char c : name) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern + "$";
}

}  // namespace

std::vector<Tuned> tune_thresholds(const std::vector<model::ResultSet>& history, const Thresholds& usual) {
  auto histories = histories_of(history);
  std::erase_if(histories, [](const auto& entry) { return entry.second.size() < kFewestResults; });
  take_out_common(histories);
  std::vector<Tuned> tuned;
  for (const auto& [name, values] : histories) {
    const double middle = middle_of(values);
    std::vector<double> deviations;
    for (const auto& [result, value] : values) deviations.push_back(std::fabs(value - middle));
    Tuned t{name, values.size(), kMadToSigma * median(std::move(deviations)), 0, false};
    t.warning = std::expm1(kSigmas * std::sqrt(2.0) * t.deviation);
    t.above_usual = t.warning > usual.warning;
    tuned.push_back(std::move(t));
  }
  return tuned;
}

std::vector<Rule> rules_of(const std::vector<Tuned>& tuned, const Thresholds& usual) {
  std::vector<Rule> rules;
  for (const Tuned& t : tuned) {
    if (!t.above_usual) continue;
    const double warning = std::ceil(100 * t.warning - 1e-9) / 100;
    const double critical = warning * (usual.critical / usual.warning);
    for (const char* metric : {"time", "throughput"})
      rules.push_back({.metric = metric,
                       .pattern = exactly(t.name),
                       .warning = warning,
                       .critical = critical,
                       .improvement = warning});
  }
  return rules;
}

}  // namespace pawl::decide
