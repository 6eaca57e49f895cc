// select.cpp -- filters, families and metrics.
#include "select.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "closest.hpp"
#include "decide/thresholds.hpp"
#include "failure.hpp"

namespace pawl {
namespace {

using model::Benchmark;
using model::ResultSet;

constexpr std::size_t kLongestName = 4096;  // bytes of a name that a regular expression sees

std::regex compiled(const std::string& pattern, std::string_view option) {
  try {
    return std::regex(pattern, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    throw Failure(kBadInput, fmt::format("{} '{}' is no regular expression: {}", option, pattern, error.what()));
  }
}

// Whether some name belongs to benchmarks of more than one executable.
bool needs_executables(const ResultSet& set) {
  std::unordered_map<std::string_view, model::Interned> seen;
  seen.reserve(set.benchmarks.size());
  return std::ranges::any_of(set.benchmarks, [&](const Benchmark& b) {
    const auto [at, is_new] = seen.emplace(b.name, b.executable);
    return !is_new && !(at->second == b.executable);
  });
}

void collect_metrics(const ResultSet& set, std::set<std::string>& to) {
  std::unordered_set<model::Interned> seen;
  for (const Benchmark& benchmark : set.benchmarks) {
    for (const model::Reading& reading : benchmark.readings) {
      for (const model::Series& series : reading.series) seen.insert(series.metric);
    }
  }
  for (const model::Interned metric : seen) to.insert(metric.str());
}

}  // namespace

void keep_matching(ResultSet& set, const std::string& pattern, std::string_view option) {
  const bool negative = pattern.starts_with('-');
  const std::regex regex = compiled(pattern.substr(negative ? 1 : 0), option);
  std::erase_if(set.benchmarks, [&](const Benchmark& benchmark) {
    const auto end =
        benchmark.name.begin() + static_cast<std::ptrdiff_t>(std::min(benchmark.name.size(), kLongestName));
    return std::regex_search(benchmark.name.begin(), end, regex) == negative;
  });
}

void keep_family(ResultSet& set, const std::string& pattern, const std::string& replacement) {
  keep_matching(set, pattern, "filter");
  if (pattern.starts_with('-')) return;
  const std::regex regex = compiled(pattern, "filter");
  for (Benchmark& benchmark : set.benchmarks) {
    if (benchmark.name.size() > kLongestName) continue;
    std::string name;
    // Not format_default: a $ in the replacement is meant literally.
    std::string literal;
    for (const char c : replacement) literal += c == '$' ? "$$" : std::string(1, c);
    benchmark.name = std::regex_replace(benchmark.name, regex, literal);
  }
}

void match_by_name(ResultSet& base, ResultSet& now) {
  if (needs_executables(base) || needs_executables(now)) return;
  for (ResultSet* set : {&base, &now}) {
    for (Benchmark& benchmark : set->benchmarks) benchmark.executable = {};
  }
}

std::vector<std::string> resolve_metrics(const std::vector<std::string>& wanted, const ResultSet& base,
                                         const ResultSet& now) {
  std::set<std::string> known;
  collect_metrics(base, known);
  collect_metrics(now, known);
  if (known.contains(model::kRealTime)) known.insert(decide::kVariance);  // judge() makes it from the times
  std::vector<std::string> metrics;
  const auto add = [&metrics](const std::string& metric) {
    if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
  };
  for (const std::string& word : wanted) {
    const std::size_t before = metrics.size();
    const std::string name = word == "time" ? model::kRealTime : word == "cpu" ? model::kCpuTime : word;
    for (const std::string& metric : known) {
      const bool of_class = word != "time" && decide::metric_class(metric) == word;
      if (word == "all" || metric == name || of_class) add(metric);
    }
    if (metrics.size() == before && !known.contains(name) && !known.empty()) {
      throw Failure(kBadInput, fmt::format("metric '{}' is in neither of the results{}; they have {}", word,
                                           did_you_mean(word, {known.begin(), known.end()}), fmt::join(known, ", ")));
    }
  }
  return metrics;
}

}  // namespace pawl
