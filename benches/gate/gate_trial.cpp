// gate_trial.cpp -- see gate_trial.hpp.
#include "gate_trial.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "decide/judge.hpp"
#include "decide/sample.hpp"

namespace pawl::gate {
namespace {

// Two-sided Mann-Whitney by the normal approximation with tie and continuity correction: what compare.py takes for
// samples of this size.
double mann_whitney(const Repetitions& a, const Repetitions& b) {
  std::vector<std::pair<double, int>> all;
  for (const double x : a) all.emplace_back(x, 0);
  for (const double x : b) all.emplace_back(x, 1);
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

// Indices of runs, base and new.
using Draw = std::vector<std::pair<std::size_t, std::size_t>>;

Draw draw_pairs(std::size_t count, std::size_t pairs, std::mt19937_64& random) {
  std::vector<std::size_t> all(count / 2);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::ranges::shuffle(all, random);
  Draw draw;
  for (std::size_t p = 0; p < pairs; ++p) draw.emplace_back(2 * all[p] + p % 2, 2 * all[p] + 1 - p % 2);
  return draw;
}

// Two stretches of neighbouring runs that do not overlap.
Draw draw_sessions(std::size_t count, std::size_t length, std::mt19937_64& random) {
  const std::size_t slots = count / length;
  const std::size_t a = std::uniform_int_distribution<std::size_t>(0, slots - 1)(random);
  const std::size_t b = (a + std::uniform_int_distribution<std::size_t>(1, slots - 1)(random)) % slots;
  Draw draw;
  for (std::size_t i = 0; i < length; ++i) draw.emplace_back(a * length + i, b * length + i);
  return draw;
}

model::Reading reading_of(std::size_t process, const Repetitions& values) {
  model::Reading r;
  r.process = process;
  r.series.push_back({model::kRealTime, model::Samples(values)});
  return r;
}

}  // namespace

std::vector<Said> draw_gate(const Runs& runs, int percent, std::size_t pairs, bool paired, std::mt19937_64& random) {
  const Draw draw = paired ? draw_pairs(runs.count, pairs, random) : draw_sessions(runs.count, pairs, random);
  model::ResultSet base, now;
  for (std::size_t p = 0; p < pairs; ++p) {
    model::Process process;
    process.pair_index = paired ? static_cast<int>(p) : -1;
    base.processes.push_back(process);
    now.processes.push_back(process);
  }
  std::vector<Said> said(runs.rows.size());
  std::unordered_map<std::string, std::size_t> place_of;
  for (std::size_t i = 0; i < runs.rows.size(); ++i) {
    const Row& row = runs.rows[i];
    const auto slower = std::ranges::find_if(runs.rows, [&](const Row& r) {
      return r.kind == row.kind && r.slower == (row.slower == 0 ? percent : row.slower);
    });
    model::Benchmark b, n;
    b.name = n.name = row.name();
    place_of.emplace(b.name, i);
    Repetitions all_base, all_now;
    for (std::size_t p = 0; p < draw.size(); ++p) {
      const Repetitions &x = row.runs[draw[p].first], &y = slower->runs[draw[p].second];
      if (x.empty() || y.empty()) continue;
      b.readings.push_back(reading_of(p, x));
      n.readings.push_back(reading_of(p, y));
      all_base.insert(all_base.end(), x.begin(), x.end());
      all_now.insert(all_now.end(), y.begin(), y.end());
    }
    const double before = decide::median(all_base), after = decide::median(all_now);
    said[i].ranks = after > before && mann_whitney(all_base, all_now) < 0.05;
    said[i].five = after > 1.05 * before;
    said[i].ten = after > 1.10 * before;
    base.benchmarks.push_back(std::move(b));
    now.benchmarks.push_back(std::move(n));
  }
  for (const decide::Comparison& c : decide::judge(base, now, {}).comparisons)
    if (c.metric == model::kRealTime) said[place_of.at(c.name)].pawl = c.verdict;
  return said;
}

}  // namespace pawl::gate
