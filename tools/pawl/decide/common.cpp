// common.cpp -- see common.hpp.
#include "decide/common.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "decide/shift.hpp"

namespace pawl::decide {
namespace {

// The common movement between two sessions of one binary, as a standard deviation: on a virtual machine with neighbours
// 2.4 % in 20 pairs of sessions, 1.2 % after what the yardsticks explain. Where the rows are too few to show it, and no
// yardsticks are there, a middling value: with the larger one nothing could ever be STABLE.
constexpr double kBetweenSessions = 0.0125, kUnmeasured = 0.025, kUnmeasuredFew = 0.015;
constexpr double kWorthANote = 0.005;  // half a percent

using Movements = std::map<std::size_t, double>;  // process run or pair -> logarithm of what its rows share

double mean_log(const std::vector<RunValue>& runs) {
  double sum = 0;
  for (const RunValue& run : runs) sum += std::log(run.value);
  return sum / static_cast<double>(runs.size());
}

// Of every run or pair the median over the rows, each row around its own mean; and all around the middle one: one that
// met a disturbance is drawn to the others, not they to it.
class Gathering {
 public:
  void add(const Movements& row) {
    std::vector<double> values;
    for (const auto& [key, value] : row) values.push_back(value);
    if (values.empty()) return;
    const double centre = median(std::move(values));
    for (const auto& [key, value] : row) deviations_[key].push_back(value - centre);
  }

  Movements movements() && {
    Movements movements;
    std::vector<double> all;
    for (auto& [key, values] : deviations_)
      if (values.size() >= kFewestRows) all.push_back(movements[key] = median(std::move(values)));
    if (movements.size() < 2) return {};
    const double middle = median(std::move(all));
    for (auto& [key, movement] : movements) movement -= middle;
    return movements;
  }

 private:
  std::map<std::size_t, std::vector<double>> deviations_;
};

Movements movements_of(const std::vector<Candidate*>& rows, Sample Candidate::*side) {
  Gathering gathering;
  for (const Candidate* row : rows) {
    Movements values;
    for (const RunValue& run : (row->*side).runs) values[run.process] = std::log(run.value);
    gathering.add(values);
  }
  return std::move(gathering).movements();
}

// Of the differences of pairs.
Movements movements_of_pairs(const std::vector<Candidate*>& rows) {
  Gathering gathering;
  for (const Candidate* row : rows) {
    Movements values;
    for (const RunValue& b : row->base.runs) {
      const auto n = std::ranges::find(row->now.runs, b.pair, &RunValue::pair);
      if (b.pair >= 0 && n != row->now.runs.end())
        values[static_cast<std::size_t>(b.pair)] = std::log(n->value / b.value);
    }
    gathering.add(values);
  }
  return std::move(gathering).movements();
}

void take_out(std::vector<RunValue>& runs, const Movements& movements, std::size_t (*key_of)(const RunValue&)) {
  for (RunValue& run : runs)
    if (const auto found = movements.find(key_of(run)); found != movements.end()) run.value *= std::exp(-found->second);
}

std::size_t process_of(const RunValue& run) { return run.process; }
std::size_t pair_of(const RunValue& run) { return static_cast<std::size_t>(run.pair); }

// The variance of the mean of the movements.
double variance_of_mean(const Movements& movements) {
  const auto n = static_cast<double>(movements.size());
  if (n < 2) return 0;
  double mean = 0, squares = 0;
  for (const auto& [key, value] : movements) mean += value / n;
  for (const auto& [key, value] : movements) squares += (value - mean) * (value - mean);
  return squares / (n - 1) / n;
}

// Takes out what the rows share in each pair or run; returns the variance that it gave the shift between the sides.
double even_out(const std::vector<Candidate*>& rows, bool paired) {
  const Movements base = movements_of(rows, &Candidate::base);
  if (!paired) {
    const Movements now = movements_of(rows, &Candidate::now);
    for (Candidate* row : rows) {
      take_out(row->base.runs, base, process_of);
      take_out(row->now.runs, now, process_of);
    }
    return variance_of_mean(base) + variance_of_mean(now);
  }
  // What the base run of a pair met, both of them met; it leaves both, and so the differences as they are.
  Movements of_pair;
  for (const RunValue& run :
       (*std::ranges::max_element(rows, {}, [](const Candidate* c) { return c->base.runs.size(); }))->base.runs)
    if (const auto found = base.find(run.process); found != base.end() && run.pair >= 0)
      of_pair[pair_of(run)] = found->second;
  const Movements differences = movements_of_pairs(rows);
  for (Candidate* row : rows) {
    take_out(row->base.runs, of_pair, pair_of);
    take_out(row->now.runs, of_pair, pair_of);
    take_out(row->now.runs, differences, pair_of);
  }
  return variance_of_mean(differences);
}

// The part of a shift that the yardsticks say was the machine.
double explained_by(std::optional<double> yardsticks, double shift) {
  if (!yardsticks) return 0;
  const double machine = std::log1p(*yardsticks);
  if (machine * shift <= 0) return 0;
  return std::copysign(std::min(std::fabs(machine), std::fabs(shift)), shift);
}

std::string note_of(const std::string& executable, double taken, std::optional<double> yardsticks) {
  return fmt::format("{}{:+.1f} % that all benchmarks share is taken out of each change{}",
                     executable.empty() ? "" : executable + ": ", 100 * std::expm1(taken),
                     yardsticks ? fmt::format(" (the machine's yardsticks moved by {:+.1f} %)", 100 * *yardsticks)
                                : ", and said here instead");
}

struct Group {
  std::vector<Candidate*> rows;
};

std::optional<std::string> settle_group(const Group& group, const std::string& executable,
                                        std::optional<double> yardsticks) {
  const std::vector<Candidate*>& rows = group.rows;
  const bool enough = rows.size() >= kFewestRows;
  const bool paired = is_paired(rows.front()->base.runs, rows.front()->now.runs);
  double variance = enough ? even_out(rows, paired) : 0;
  std::vector<double> differences;
  for (const Candidate* row : rows) differences.push_back(mean_log(row->now.runs) - mean_log(row->base.runs));
  const double shift = median(std::move(differences));
  Common common;
  if (!paired) {
    const double between = yardsticks ? kBetweenSessions : enough ? kUnmeasured : kUnmeasuredFew;
    variance += between * between;
    common.taken = explained_by(yardsticks, shift);
  }
  const double left = shift - common.taken;
  if (enough && std::fabs(left) <= kMostShared) {
    common.taken = shift;
    common.doubtful = left;
  } else {
    common.variance = variance;
    if (enough) common.left = left;
  }
  for (Candidate* row : rows) row->common = common;
  if (std::fabs(common.taken) < kWorthANote || rows.front()->shown.metric != model::kRealTime) return std::nullopt;
  return note_of(executable, common.taken, paired ? std::nullopt : yardsticks);
}

// Yardsticks are compiled with the benches: other flags may move them as well, and then they say nothing.
bool same_build(const model::Methodology& a, const model::Methodology& b) {
  const auto same = [](const std::string& x, const std::string& y) { return x.empty() || y.empty() || x == y; };
  return same(a.compiler, b.compiler) && same(a.flags, b.flags) && same(a.build_type, b.build_type);
}

}  // namespace

std::vector<std::string> take_out_common(std::deque<Candidate>& candidates, const model::ResultSet& base,
                                         const model::ResultSet& now) {
  const auto executable_of = [](const model::ResultSet& set, const Sample& sample) -> std::string {
    const std::size_t process = sample.runs.front().process;
    return process < set.processes.size() ? set.processes[process].executable : "";
  };
  // Not by the executable of the benchmark, which is left out where names alone tell benchmarks apart.
  std::map<std::array<std::string, 3>, Group> groups;
  for (Candidate& c : candidates) {
    if (!c.timing || c.spread || c.base.runs.size() + c.now.runs.size() < 3) continue;
    Group& group = groups[{c.shown.metric, executable_of(base, c.base), executable_of(now, c.now)}];
    group.rows.push_back(&c);
  }
  std::vector<std::string> notes;
  const bool comparable = same_build(base.methodology, now.methodology);
  for (const auto& [key, group] : groups) {
    const auto& [metric, of_base, of_now] = key;
    const auto yardsticks = comparable ? yardstick_change(base, now, of_base, of_now) : std::nullopt;
    if (auto note = settle_group(group, of_now, yardsticks)) notes.push_back(std::move(*note));
  }
  return notes;
}

}  // namespace pawl::decide
