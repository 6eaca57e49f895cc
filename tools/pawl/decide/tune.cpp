// tune.cpp -- see tune.hpp.
#include "decide/tune.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "decide/distributions.hpp"
#include "decide/sample.hpp"

namespace pawl::decide {
namespace {

constexpr std::size_t kFewestRows = 8;
constexpr double kExceeded = 1.0 / 370;       // 3 standard deviations of normal values
constexpr double kStepByChance = 1.0 / 1000;  // that a benchmark without a step is said to have one

// Result -> logarithm of the benchmark's time.
using History = std::map<std::size_t, double>;

// By name and executable.
using Histories = std::map<std::pair<std::string, std::string>, History>;

Histories histories_of(const std::vector<model::ResultSet>& results) {
  Histories histories;
  for (std::size_t i = 0; i < results.size(); ++i)
    for (const model::Benchmark& b : results[i].benchmarks) {
      std::vector<double> logs;
      for (const RunValue& run : sample_of(b, model::kRealTime, Quantity::duration, {}).runs)
        logs.push_back(std::log(run.value));
      if (!logs.empty()) histories[{b.name, b.executable.str()}].emplace(i, median(std::move(logs)));
    }
  return histories;
}

double middle_of(const History& history) {
  std::vector<double> values;
  for (const auto& [result, value] : history) values.push_back(value);
  return median(std::move(values));
}

void take_out_common(Histories& histories) {
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

using Values = std::span<const double>;

double squares_around_mean(Values values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return squares;
}

// Scatter around the mean, or around the means before and after a change of the code.
struct Scatter {
  double squares = 0, df = 0;
};

// Where the code changed, the values before and after it are two benchmarks. That takes kFewestResults on either side:
// of five results of a benchmark with two modes, a fifth has the two neatly one after the other.
Scatter scatter_of(Values values) {
  const std::size_t n = values.size();
  const Scatter whole{squares_around_mean(values), static_cast<double>(n) - 1};
  if (n < 2 * kFewestResults) return whole;
  std::size_t step = 0;
  double least = whole.squares;
  for (std::size_t at = kFewestResults; at + kFewestResults <= n; ++at) {
    const double squares = squares_around_mean(values.first(at)) + squares_around_mean(values.subspan(at));
    if (squares < least) step = at;
    least = std::min(least, squares);
  }
  if (step == 0) return whole;
  const double df = static_cast<double>(n) - 2, places = static_cast<double>(n - 2 * kFewestResults + 1);
  if (least > 0 && f_upper((whole.squares - least) / (least / df), 1, df) * places > kStepByChance) return whole;
  const Scatter before = scatter_of(values.first(step)), after = scatter_of(values.subspan(step));
  return {before.squares + after.squares, before.df + after.df};
}

double critical_of(double warning, const Thresholds& usual) { return warning * (usual.critical / usual.warning); }

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
  for (const auto& [key, values] : histories) {
    const std::string& name = key.first;
    std::vector<double> in_order;
    for (const auto& [result, value] : values) in_order.push_back(value);
    const Scatter scatter = scatter_of(in_order);
    Tuned t{name, values.size(), std::sqrt(scatter.squares / scatter.df), 0, false, false};
    t.warning = std::expm1(t_quantile_two_sided(kExceeded, scatter.df) * std::sqrt(2.0) * t.deviation);
    t.above_usual = t.warning > usual.warning;
    t.beyond_gating = t.above_usual && critical_of(t.warning, usual) > kMostThreshold;
    // The map has those of one name one after the other.
    if (tuned.empty() || tuned.back().name != name)
      tuned.push_back(std::move(t));
    else if (t.warning > tuned.back().warning)
      tuned.back() = std::move(t);
  }
  return tuned;
}

std::vector<Rule> rules_of(const std::vector<Tuned>& tuned, const Thresholds& usual) {
  std::vector<Rule> rules;
  for (const Tuned& t : tuned) {
    if (!t.above_usual) continue;
    if (t.beyond_gating) {
      for (const char* metric : {"time", "throughput"})
        rules.push_back({.metric = metric, .pattern = exactly(t.name), .gate = false});
      continue;
    }
    const double warning = std::ceil(100 * t.warning - 1e-9) / 100;
    const double critical = critical_of(warning, usual);
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
