// ab_schedule.cpp -- see ab_schedule.hpp.
#include "run/ab_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace pawl::run {
namespace {

std::vector<Row> rows_of(const std::vector<Undecided>& undecided) {
  std::vector<Row> rows;
  rows.reserve(undecided.size());
  for (const Undecided& u : undecided) rows.push_back(u.row);
  return rows;
}

// What is left for screening and deciding once the suspects have their confirmation.
double time_left(const Known& known, const Rules& rules) {
  if (!rules.max_time_s) return std::numeric_limits<double>::infinity();
  const double reserve = rules.confirm ? rules.pairs * known.cost.of_pair(known.suspected) : 0;
  return *rules.max_time_s - known.spent_s - reserve;
}

int affordable_pairs(double left_s, double pair_s, int wanted) {
  if (!(pair_s > 0)) return wanted;
  return static_cast<int>(std::clamp(std::floor(left_s / pair_s), 0.0, static_cast<double>(wanted)));
}

std::optional<Batch> screening(const Known& known, const Rules& rules) {
  if (known.pairs == 0) return Batch{Stage::screening, 1, {}, "one pair of everything"};
  // Two pairs are the least that shows any scatter.
  const int wanted = rules.pairs - known.pairs;
  const int least = std::clamp(2 - known.pairs, 0, std::max(wanted, 0));
  const int pairs = std::max(least, affordable_pairs(time_left(known, rules), known.cost.of_pair(known.rows), wanted));
  if (pairs <= 0) return std::nullopt;
  return Batch{Stage::screening,
               pairs,
               {},
               pairs < wanted ? fmt::format("{} of {} more pairs: the time allows no more", pairs, wanted)
                              : fmt::format("{} more pairs of everything", pairs)};
}

// Rows worth another pair: those that could be settled in the time that is left, nearest first.
std::vector<Undecided> worth_measuring(const Known& known, double left_s) {
  std::vector<Undecided> rows = known.undecided;
  std::ranges::stable_sort(rows, {}, [](const Undecided& u) { return u.more_pairs; });
  while (!rows.empty()) {
    const double pair_s = known.cost.of_pair(rows_of(rows));
    if (!(pair_s > 0) || std::isinf(left_s)) break;
    // The estimate of how many pairs it takes is rough, so only what is hopeless by far is given up.
    constexpr double kHopeless = 4;
    const double could_have = std::floor(left_s / pair_s);
    if (could_have >= 1 && static_cast<double>(rows.back().more_pairs) <= kHopeless * could_have) break;
    rows.pop_back();
  }
  return rows;
}

std::optional<Batch> deciding(const Known& known, const Rules& rules) {
  const int room = rules.most_pairs - known.pairs;
  if (!rules.until_decided || known.undecided.empty() || room <= 0) return std::nullopt;
  const double left_s = time_left(known, rules);
  const auto chosen = worth_measuring(known, left_s);
  if (chosen.empty()) return std::nullopt;
  const auto rows = rows_of(chosen);
  // As many as the nearest one needs, so that it leaves early; at most a screening's worth before looking again.
  const int wanted =
      std::clamp(static_cast<int>(std::min<std::size_t>(chosen.front().more_pairs, 1000)), 1, rules.pairs);
  const int pairs = std::max(1, affordable_pairs(left_s, known.cost.of_pair(rows), std::min(wanted, room)));
  return Batch{Stage::deciding, pairs, rows, fmt::format("{} undecided", rows.size())};
}

std::optional<Batch> confirming_on(const Known& known, const Rules& rules) {
  // Without --until-decided the confirmation may take twice its pairs, no more.
  const int most = rules.until_decided ? rules.most_pairs : 2 * rules.pairs;
  const int room = most - known.pairs;
  if (known.undecided.empty() || room <= 0) return std::nullopt;
  const auto rows = rows_of(known.undecided);
  std::size_t nearest = std::numeric_limits<std::size_t>::max();
  for (const Undecided& u : known.undecided) nearest = std::min(nearest, u.more_pairs);
  const int wanted = std::clamp(static_cast<int>(std::min<std::size_t>(nearest, 1000)), 1, rules.pairs);
  const double left_s = rules.max_time_s ? *rules.max_time_s - known.spent_s : std::numeric_limits<double>::infinity();
  const int pairs = rules.until_decided ? affordable_pairs(left_s, known.cost.of_pair(rows), std::min(wanted, room))
                                        : std::min(wanted, room);
  if (pairs <= 0) return std::nullopt;
  return Batch{Stage::confirming, pairs, rows,
               fmt::format("{} suspected, neither confirmed nor cleared yet", rows.size())};
}

}  // namespace

double Cost::of_pair(const std::vector<Row>& rows) const {
  std::set<std::size_t> executables;
  double total = 0;
  for (const Row& row : rows) {
    if (row.executable >= base_s.size()) continue;
    if (executables.insert(row.executable).second) total += base_s[row.executable];
    total += row_s[row.executable];
  }
  return total;
}

std::optional<Batch> next_batch(const Known& known, const Rules& rules) {
  if (known.stage == Stage::confirming) return confirming_on(known, rules);
  if (known.stage == Stage::screening && known.pairs < rules.pairs)
    if (auto batch = screening(known, rules)) return batch;
  if (auto batch = deciding(known, rules)) return batch;
  if (rules.confirm && !known.suspected.empty())
    return Batch{Stage::confirming, rules.pairs, known.suspected,
                 fmt::format("{} suspected: a second, independent set of runs", known.suspected.size())};
  return std::nullopt;
}

}  // namespace pawl::run
