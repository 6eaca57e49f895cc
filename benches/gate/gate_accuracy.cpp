// gate_accuracy.cpp -- process runs of gate_workload -> how often each rule is wrong, as a markdown table.
//
// Reads many process runs of one binary. A trial draws 5 pairs of neighbouring runs without replacement, so that both
// sides are truly the same code, and asks three rules for a verdict: ours, compare.py's (Mann-Whitney at 5 % on the
// repetitions of one run a side), and a fixed threshold of 5 % on the medians of one run a side. For detection, the new
// side's rows are those with the known slow-down.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "decide/judge.hpp"
#include "read/read.hpp"

namespace pawl {
namespace {

constexpr std::size_t kPairs = 5;

// Repetitions of one row in one process run.
using Repetitions = std::vector<double>;
struct Kind {
  std::map<int, std::vector<Repetitions>> by_percent;  // slow-down in percent -> process runs in the order of time
};

std::map<std::string, Kind> read_kinds(const std::string& path) {
  const model::ResultSet set = read::read_path(path);
  std::vector<std::size_t> order(set.processes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return set.processes[i].start_unix_s.value_or(0); });
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::map<std::string, Kind> kinds;
  for (const model::Benchmark& b : set.benchmarks) {
    const auto first = b.name.find('/'), second = b.name.find('/', first + 1), value = b.name.rfind(':');
    if (first == std::string::npos || second == std::string::npos || value == std::string::npos ||
        !b.name.starts_with("gate/"))
      continue;
    auto& runs = kinds[b.name.substr(first + 1, second - first - 1)].by_percent[std::stoi(b.name.substr(value + 1))];
    runs.resize(order.size());
    for (const model::Reading& r : b.readings)
      if (const model::Series* s = r.find(model::kRealTime))
        runs[place[r.process]] = {s->values.begin(), s->values.end()};
  }
  return kinds;
}

double median(std::vector<double> v) {
  std::ranges::sort(v);
  return v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}

// Two-sided Mann-Whitney by the normal approximation with tie and continuity correction: what compare.py does.
double mann_whitney(const Repetitions& a, const Repetitions& b) {
  std::vector<std::pair<double, int>> all;
  for (double x : a) all.emplace_back(x, 0);
  for (double x : b) all.emplace_back(x, 1);
  std::ranges::sort(all);
  double rank_sum = 0, ties = 0;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t j = i;
    while (j < all.size() && all[j].first == all[i].first) ++j;
    const double rank = static_cast<double>(i + j + 1) / 2, count = static_cast<double>(j - i);
    for (std::size_t k = i; k < j; ++k) rank_sum += all[k].second == 0 ? rank : 0;
    ties += count * count * count - count;
    i = j;
  }
  const double m = static_cast<double>(a.size()), n = static_cast<double>(b.size()), total = m + n;
  const double u = rank_sum - m * (m + 1) / 2;
  const double sigma = std::sqrt(m * n / 12 * (total + 1 - ties / (total * (total - 1))));
  if (!(sigma > 0)) return 1;
  return std::erfc(std::max(0.0, std::fabs(u - m * n / 2) - 0.5) / sigma / std::sqrt(2.0));
}

struct Tally {
  std::size_t trials = 0, ours = 0, ours_critical = 0, ours_stable = 0, ranks = 0, threshold = 0;
};

struct Verdicts {
  bool ours = false, critical = false, stable = false, ranks = false, threshold = false;
};

// Verdicts on every kind in one gate, with the new side slower by `percent`.
std::map<std::string, Verdicts> one_gate(const std::map<std::string, Kind>& kinds, int percent,
                                         std::mt19937_64& random) {
  const std::size_t runs = kinds.begin()->second.by_percent.begin()->second.size();
  std::vector<std::size_t> pairs(runs / 2);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = i;
  std::ranges::shuffle(pairs, random);
  model::ResultSet base, now;
  for (std::size_t p = 0; p < kPairs; ++p) {
    model::Process process;
    process.pair_index = static_cast<int>(p);
    base.processes.push_back(process);
    now.processes.push_back(process);
  }
  std::map<std::string, Verdicts> verdicts;
  for (const auto& [name, kind] : kinds) {
    model::Benchmark b, n;
    b.name = n.name = name;
    for (std::size_t p = 0; p < kPairs; ++p) {
      // A B B A: every other pair is turned around.
      const std::size_t first = 2 * pairs[p] + p % 2, second = 2 * pairs[p] + 1 - p % 2;
      const auto reading = [&](const Repetitions& values) {
        model::Reading r;
        r.process = p;
        r.series.push_back({model::kRealTime, model::Samples(values)});
        return r;
      };
      const Repetitions &x = kind.by_percent.at(0)[first], &y = kind.by_percent.at(percent)[second];
      if (x.empty() || y.empty()) continue;
      b.readings.push_back(reading(x));
      n.readings.push_back(reading(y));
      if (p == 0) {
        verdicts[name].ranks = mann_whitney(x, y) < 0.05 && median(y) > median(x);
        verdicts[name].threshold = median(y) > 1.05 * median(x);
      }
    }
    base.benchmarks.push_back(b);
    now.benchmarks.push_back(n);
  }
  for (const decide::Comparison& c : decide::judge(base, now, {}).comparisons) {
    Verdicts& v = verdicts[c.name];
    v.critical = c.verdict == decide::Verdict::critical;
    v.ours = v.critical || c.verdict == decide::Verdict::warning;
    v.stable = c.verdict == decide::Verdict::stable;
  }
  return verdicts;
}

double process_deviation(const Kind& kind) {
  std::vector<double> logs;
  double mean = 0, squares = 0;
  for (const Repetitions& r : kind.by_percent.at(0))
    if (!r.empty()) logs.push_back(std::log(median(r)));
  for (double l : logs) mean += l / static_cast<double>(logs.size());
  for (double l : logs) squares += (l - mean) * (l - mean);
  return std::sqrt(squares / static_cast<double>(logs.size() - 1));
}

std::string percent(std::size_t part, std::size_t whole) {
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

int report(const std::string& path, std::size_t gates, std::uint64_t seed) {
  const auto kinds = read_kinds(path);
  if (kinds.empty() || kinds.begin()->second.by_percent.begin()->second.size() < 4 * kPairs) {
    fmt::print(stderr, "gate_accuracy: {}: needs at least {} process runs of gate_workload\n", path, 4 * kPairs);
    return 2;
  }
  std::mt19937_64 random(seed);
  const std::size_t runs = kinds.begin()->second.by_percent.begin()->second.size();
  fmt::print(
      "{} process runs of one binary, {} kinds of work, {} gates of {} interleaved pairs each, drawn with seed {}.\n\n",
      runs, kinds.size(), gates, kPairs, seed);
  fmt::print(
      "| kind | deviation between process runs | false alarms: Pawl | Mann-Whitney 5 % on repetitions | fixed 5 % "
      "|\n|---|---|---|---|---|\n");
  std::map<std::string, Tally> same;
  std::size_t alarmed = 0, critical = 0, alarmed_ranks = 0, alarmed_threshold = 0;
  for (std::size_t g = 0; g < gates; ++g) {
    bool any = false, any_critical = false, any_ranks = false, any_threshold = false;
    for (const auto& [name, v] : one_gate(kinds, 0, random)) {
      Tally& t = same[name];
      ++t.trials;
      t.ours += v.ours;
      t.ranks += v.ranks;
      t.threshold += v.threshold;
      any = any || v.ours;
      any_critical = any_critical || v.critical;
      any_ranks = any_ranks || v.ranks;
      any_threshold = any_threshold || v.threshold;
    }
    alarmed += any;
    critical += any_critical;
    alarmed_ranks += any_ranks;
    alarmed_threshold += any_threshold;
  }
  for (const auto& [name, t] : same)
    fmt::print("| {} | {:.2f} % | {} | {} | {} |\n", name, 100 * process_deviation(kinds.at(name)),
               percent(t.ours, t.trials), percent(t.ranks, t.trials), percent(t.threshold, t.trials));
  fmt::print("| whole gates with an alarm | | {} ({} critical) | {} | {} |\n\n", percent(alarmed, gates),
             percent(critical, gates), percent(alarmed_ranks, gates), percent(alarmed_threshold, gates));
  fmt::print("Found slow-downs (a WARNING or a CRITICAL), and in brackets those called STABLE:\n\n| kind |");
  const int sizes[] = {2, 3, 5, 10};
  for (int s : sizes) fmt::print(" {} %: Pawl | Mann-Whitney | fixed 5 % |", s);
  fmt::print("\n|---|");
  for (std::size_t i = 0; i < std::size(sizes) * 3; ++i) fmt::print("---|");
  fmt::print("\n");
  std::map<std::string, std::map<int, Tally>> slower;
  for (int s : sizes)
    for (std::size_t g = 0; g < gates; ++g)
      for (const auto& [name, v] : one_gate(kinds, s, random)) {
        Tally& t = slower[name][s];
        ++t.trials;
        t.ours += v.ours;
        t.ours_stable += v.stable;
        t.ranks += v.ranks;
        t.threshold += v.threshold;
      }
  for (const auto& [name, by_size] : slower) {
    fmt::print("| {} |", name);
    for (const auto& [size, t] : by_size)
      fmt::print(" {} ({}) | {} | {} |", percent(t.ours, t.trials), percent(t.ours_stable, t.trials),
                 percent(t.ranks, t.trials), percent(t.threshold, t.trials));
    fmt::print("\n");
  }
  return 0;
}

}  // namespace
}  // namespace pawl

int main(int argc, char** argv) {
  CLI::App app("Process runs of gate_workload -> how often each rule is wrong, as markdown");
  std::string path;
  std::size_t gates = 200;
  std::uint64_t seed = 1;
  app.add_option("RUNS", path, "Directory with the JSON of each process run")->required();
  app.add_option("--gates", gates, "Gates to draw");
  app.add_option("--seed", seed, "Of the drawing");
  CLI11_PARSE(app, argc, argv);
  try {
    return pawl::report(path, gates, seed);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gate_accuracy: {}\n", error.what());
    return 2;
  }
}
