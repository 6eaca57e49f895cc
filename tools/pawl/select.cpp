// select.cpp -- filters, families and metrics.
#include "select.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "closest.hpp"
#include "decide/pattern.hpp"
#include "decide/thresholds.hpp"
#include "failure.hpp"

namespace pawl {
namespace {

using model::Benchmark;
using model::ResultSet;

decide::Pattern compiled(const std::string& pattern, std::string_view option) {
  try {
    return decide::Pattern(pattern);
  } catch (const std::invalid_argument& error) {
    throw Failure(kBadInput,
                  fmt::format("{} '{}' cannot be used as a regular expression: {}", option, pattern, error.what()));
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

}  // namespace

void keep_matching(ResultSet& set, const std::string& pattern, std::string_view option) {
  const bool negative = pattern.starts_with('-');
  const decide::Pattern wanted = compiled(pattern.substr(negative ? 1 : 0), option);
  std::erase_if(set.benchmarks, [&](const Benchmark& benchmark) {
    return wanted.match_length(benchmark.name).has_value() == negative;
  });
}

void keep_filtered(ResultSet& set, const std::string& filter) {
  if (filter != "all") keep_matching(set, filter, "--filter");
}

void keep_family(ResultSet& set, const std::string& pattern, const std::string& replacement) {
  keep_matching(set, pattern, "filter");
  if (pattern.starts_with('-')) return;
  const decide::Pattern family = compiled(pattern, "filter");
  for (Benchmark& benchmark : set.benchmarks) benchmark.name = family.replaced(benchmark.name, replacement);
}

void match_by_name(ResultSet& base, ResultSet& now) {
  if (needs_executables(base) || needs_executables(now)) return;
  for (ResultSet* set : {&base, &now}) {
    for (Benchmark& benchmark : set->benchmarks) benchmark.executable = {};
  }
}

std::set<std::string> metrics_of(const ResultSet& set) {
  std::unordered_set<model::Interned> seen;
  for (const Benchmark& benchmark : set.benchmarks) {
    for (const model::Reading& reading : benchmark.readings) {
      for (const model::Series& series : reading.series) seen.insert(series.metric);
    }
  }
  std::set<std::string> metrics;
  for (const model::Interned metric : seen) metrics.insert(metric.str());
  return metrics;
}

bool bytes_are_a_rate(const ResultSet& base, const ResultSet& now) {
  const auto is_own = [](const model::Process& process) { return process.context.contains("pawl_isa_active"); };
  return std::ranges::any_of(base.processes, is_own) || std::ranges::any_of(now.processes, is_own);
}

std::vector<std::string> resolve_metrics(const std::vector<std::string>& wanted, const ResultSet& base,
                                         const ResultSet& now) {
  std::set<std::string> known = metrics_of(base);
  known.merge(metrics_of(now));
  if (known.contains(model::kRealTime)) known.insert(decide::kVariance);  // judge() makes it from the times
  const bool plain_bytes = !bytes_are_a_rate(base, now);
  std::vector<std::string> metrics;
  const auto add = [&metrics](const std::string& metric) {
    if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
  };
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string& word = wanted[i];
    // A counter's own comma (mem_max,bytes) was taken for one between two metrics.
    if (i + 1 < wanted.size() && known.contains(word + "," + wanted[i + 1]) && !known.contains(word)) {
      add(word + "," + wanted[++i]);
      continue;
    }
    const std::size_t before = metrics.size();
    const std::string name = word == "time" ? model::kRealTime : word == "cpu" ? model::kCpuTime : word;
    for (const std::string& metric : known) {
      const bool of_class =
          word != "time" && decide::metric_class(metric) == word && !(plain_bytes && metric == decide::kBytes);
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
