// ab.cpp -- see ab.hpp.
#include "run/ab.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "read/read.hpp"
#include "run/ab_verdict.hpp"

namespace pawl::run {
namespace {

// The runs of both sides that are judged together.
struct RunSet {
  model::ResultSet base, now;
  int pairs = 0;
};

void append(model::ResultSet& to, model::ResultSet more) {
  std::vector<model::ResultSet> sets;
  if (more.processes.empty()) return;  // that side does not have it
  if (!to.processes.empty()) sets.push_back(std::move(to));
  sets.push_back(std::move(more));
  to = read::join(std::move(sets));
}

class Comparison {
 public:
  Comparison(const AbParts& parts, const Rules& rules) : parts_(parts), rules_(rules) {
    known_.rows = parts.rows;
    known_.cost.base_s.assign(parts.executables.size(), 0);
    known_.cost.row_s.assign(parts.executables.size(), 0);
    for (const Row& row : parts.rows) ++rows_of_[row.executable];
  }

  AbResult run() {
    const double start_s = parts_.now_s();
    while (!result_.stopped) {
      known_.spent_s = parts_.now_s() - start_s;
      const auto batch = next_batch(known_, rules_);
      if (!batch) break;
      if (batch->stage == Stage::confirming && known_.stage != Stage::confirming) known_.pairs = 0;
      known_.stage = batch->stage;
      result_.batches.push_back(*batch);
      measure(*batch);
      learn(*batch);
    }
    // What a stop left without a second set is said as the first set has it.
    if (!confirmation_.now.processes.empty())
      result_.judgement = merge_confirmation(first_judgement_, judge(confirmation_));
    else
      result_.judgement = first_judgement_;
    for (RunSet* set : {&first_, &confirmation_}) {
      append(result_.base, std::move(set->base));
      append(result_.now, std::move(set->now));
    }
    return std::move(result_);
  }

 private:
  RunSet& set_of(Stage stage) { return stage == Stage::confirming ? confirmation_ : first_; }

  void measure(const Batch& batch) {
    std::map<std::size_t, std::vector<std::string>> chosen;
    for (const Row& row : batch.rows) chosen[row.executable].push_back(row.name);
    std::vector<std::size_t> executables;
    for (std::size_t e = 0; e < parts_.executables.size(); ++e)
      if (batch.rows.empty() ? rows_of_.contains(e) : chosen.contains(e)) executables.push_back(e);
    auto steps = plan_pairs(executables.size(), next_pair_, batch.pairs, parts_.seed);
    for (Step& step : steps) step.executable = executables[step.executable];
    if (parts_.on_batch) parts_.on_batch(batch, steps);

    RunSet& set = set_of(batch.stage);
    std::vector<double> seconds(parts_.executables.size(), 0);
    for (std::size_t i = 0; i < steps.size(); i += 2) {
      const double begin_s = parts_.now_s();
      auto pair = parts_.measure_pair(steps[i], chosen[steps[i].executable]);
      if (!pair) {
        result_.stopped = true;
        return;
      }
      seconds[steps[i].executable] += parts_.now_s() - begin_s;
      append(set.base, std::move((*pair)[0]));
      append(set.now, std::move((*pair)[1]));
    }
    next_pair_ += batch.pairs;
    known_.pairs += batch.pairs;
    for (std::size_t e : executables) {
      const auto rows = static_cast<double>(batch.rows.empty() ? rows_of_[e] : chosen[e].size());
      learn_cost(e, seconds[e] / batch.pairs, rows);
    }
  }

  // The full run gives the time of a row. A run of some rows that takes more than these shows what starting takes.
  void learn_cost(std::size_t executable, double pair_s, double rows) {
    if (!(rows > 0)) return;
    double &base = known_.cost.base_s[executable], &row = known_.cost.row_s[executable];
    if (row == 0)
      row = pair_s / rows;
    else
      base = std::max(base, pair_s - row * rows);
  }

  decide::Judgement judge(const RunSet& set) const { return parts_.judge(set.base, set.now); }

  void learn(const Batch& batch) {
    known_.undecided.clear();
    const RunSet& set = set_of(batch.stage);
    if (set.base.processes.empty() && set.now.processes.empty()) return;
    const auto judgement = judge(set);
    if (batch.stage != Stage::confirming) {
      first_judgement_ = judgement;
      known_.suspected.clear();
    }
    std::map<Row, std::size_t> undecided;
    std::set<Row> suspected;
    for (const decide::Comparison& c : judgement.comparisons) {
      const auto executable = std::ranges::find(parts_.executables, c.executable);
      if (executable == parts_.executables.end() || !c.gated) continue;
      const Row row{static_cast<std::size_t>(executable - parts_.executables.begin()), c.name};
      if (c.verdict == decide::Verdict::inconclusive) {
        auto& more = undecided[row];
        more = std::max(more, c.more_runs);
      }
      if (batch.stage != Stage::confirming && is_suspicion(c)) suspected.insert(row);
    }
    // Among several metrics of a row a suspicion weighs more: the confirmation measures all of them again.
    for (const auto& [row, more] : undecided)
      if (!suspected.contains(row)) known_.undecided.push_back({row, more});
    if (batch.stage != Stage::confirming) known_.suspected.assign(suspected.begin(), suspected.end());
  }

  const AbParts& parts_;
  const Rules& rules_;
  AbResult result_;
  Known known_;
  RunSet first_, confirmation_;
  decide::Judgement first_judgement_;
  std::map<std::size_t, std::size_t> rows_of_;
  int next_pair_ = 0;
};

}  // namespace

AbResult run_ab(const AbParts& parts, const Rules& rules) { return Comparison(parts, rules).run(); }

}  // namespace pawl::run
