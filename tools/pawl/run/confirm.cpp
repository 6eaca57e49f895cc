// confirm.cpp -- see confirm.hpp.
#include "run/confirm.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "decide/shared_core.hpp"
#include "read/read.hpp"
#include "run/ab_verdict.hpp"

namespace pawl::run {
namespace {

// A comparison by names alone leaves the executable empty.
bool is_of(const std::string& named, const std::string& executable) { return named.empty() || named == executable; }

// The change from which on a doubt is among the `most` largest.
double least_change_doubted(const decide::Judgement& judgement, std::size_t most) {
  std::vector<double> changes;
  for (const decide::Comparison& c : judgement.comparisons)
    if (is_doubt(c)) changes.push_back(c.change);
  std::ranges::sort(changes, std::greater());
  return changes.size() > most ? changes[most - 1] : 0;
}

using Suspects = std::map<std::size_t, std::set<std::string>>;  // by executable

constexpr int kRounds = 3;  // of a neighbour's burst of minutes more would not see the end

// Those of which too few of `sets` had the core alone, by the best that was seen in this session or by the baseline.
Suspects crowded(const Suspects& suspects, const ConfirmParts& parts, const model::ResultSet& measured,
                 const model::ResultSet& sets) {
  const std::vector<std::string>& executables = parts.executables;
  const double free_core = std::max({parts.free_core, decide::free_core(measured), decide::free_core(sets)});
  Suspects found;
  for (const auto& [executable, names] : suspects)
    for (const model::Benchmark& row : sets.benchmarks) {
      if (!names.contains(row.name) || !is_of(row.executable.str(), executables[executable])) continue;
      const auto sample = decide::sample_of(row, model::kRealTime, decide::Quantity::duration, {}, free_core);
      if (decide::lacks_runs_alone(sample)) found[executable].insert(row.name);
    }
  return found;
}

}  // namespace

Confirmation confirm(const ConfirmParts& parts, const model::ResultSet& measured, decide::Judgement first) {
  Confirmation result;
  const double least_doubt = least_change_doubted(first, std::max<std::size_t>(5, parts.rows.size() / 8));
  const auto asked = [&](const decide::Comparison& c) {
    return c.gated && (is_suspicion(c) || (is_doubt(c) && c.change >= least_doubt));
  };
  Suspects suspects;
  for (const decide::Comparison& c : first.comparisons) {
    if (!asked(c)) continue;
    for (const Row& row : parts.rows)
      if (row.name == c.name && is_of(c.executable, parts.executables[row.executable]))
        suspects[row.executable].insert(row.name);
  }
  if (suspects.empty()) {
    result.judgement = std::move(first);
    return result;
  }

  Suspects wanted = suspects;
  for (int round = 0; round < kRounds && !wanted.empty(); ++round) {
    std::vector<std::size_t> executables;
    std::vector<Row> rows;
    for (const auto& [executable, names] : wanted) {
      executables.push_back(executable);
      for (const std::string& name : names) rows.push_back({executable, name});
    }
    const int first_run = parts.first_run + round * parts.runs;
    auto steps = plan_runs(executables.size(), first_run, parts.runs, parts.seed);
    for (Step& step : steps) {
      step.executable = executables[step.executable];
      step.placement = step.run_index - first_run;
    }
    if (parts.on_start) parts.on_start(rows, steps, round > 0);
    for (const Step& step : steps) {
      const auto& names = wanted[step.executable];
      auto set = parts.measure(step, {names.begin(), names.end()});
      if (!set) {
        result.judgement = std::move(first);
        result.stopped = true;
        return result;
      }
      result.sets.push_back(std::move(*set));
    }
    wanted = crowded(wanted, parts, measured, read::join(result.sets));
  }

  const auto in_question = [&](const std::string& executable, const std::string& name) {
    return std::ranges::any_of(suspects, [&](const auto& of) {
      return is_of(executable, parts.executables[of.first]) && of.second.contains(name);
    });
  };
  model::ResultSet others = measured;
  std::erase_if(others.benchmarks, [&](const model::Benchmark& b) { return in_question(b.executable.str(), b.name); });
  std::vector<model::ResultSet> sets = {std::move(others)};
  sets.insert(sets.end(), result.sets.begin(), result.sets.end());
  result.judgement = merge_confirmation(std::move(first), parts.judge(read::join(std::move(sets)), in_question), asked);
  return result;
}

}  // namespace pawl::run
