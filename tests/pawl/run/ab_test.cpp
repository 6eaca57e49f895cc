// ab_test.cpp -- whole comparisons on made-up benches: the real scheduler and the real judge, no process, no clock.
#include "run/ab.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "decide/judge.hpp"

namespace pawl::run {
namespace {

using decide::Verdict;

// A machine that runs rows with a known time, a known slow-down of the new side and process-level noise.
class Simulation {
 public:
  struct Bench {
    double deviation = 0.01;  ///< of the logarithm of a process run's time
    double slowdown = 0;      ///< of the new side
  };

  explicit Simulation(unsigned seed) : random_(seed) {}
  std::map<Row, Bench> benches;
  double seconds = 0;       ///< that have passed
  std::vector<Step> steps;  ///< that were measured
  std::map<Row, int> times_measured;
  int stop_after = -1;

  AbParts parts() {
    AbParts p;
    p.executables = {"a_bench", "b_bench"};
    for (const auto& [row, bench] : benches) p.rows.push_back(row);
    p.measure_pair = [this](const Step& first, const std::vector<std::string>& rows) {
      return measure_pair(first, rows);
    };
    p.judge = [](const model::ResultSet& base, const model::ResultSet& now) { return decide::judge(base, now, {}); };
    p.now_s = [this] { return seconds; };
    return p;
  }

 private:
  std::optional<std::array<model::ResultSet, 2>> measure_pair(const Step& first, const std::vector<std::string>& rows) {
    std::array<model::ResultSet, 2> pair;
    Step second = first;
    second.side = 1 - first.side;
    for (const Step& step : {first, second}) {
      if (stop_after >= 0 && static_cast<int>(steps.size()) >= stop_after) return std::nullopt;
      pair[static_cast<std::size_t>(step.side)] = measure(step, rows);
    }
    return pair;
  }

  model::ResultSet measure(const Step& step, const std::vector<std::string>& rows) {
    model::ResultSet set;
    model::Process process;
    process.run_index = step.run_index;
    process.pair_index = step.pair_index;
    set.processes.push_back(process);
    const std::string executable = step.executable == 0 ? "a_bench" : "b_bench";
    for (const auto& [row, bench] : benches) {
      if (row.executable != step.executable) continue;
      if (!rows.empty() && std::find(rows.begin(), rows.end(), row.name) == rows.end()) continue;
      const double log_time =
          std::log(1e-6) + bench.deviation * normal_(random_) + (step.side == 1 ? std::log1p(bench.slowdown) : 0.0);
      model::Reading reading;
      reading.series = {{model::kRealTime, {std::exp(log_time)}}};
      set.benchmarks.push_back({row.name, executable, "", "ns", "", {reading}});
      seconds += 0.1;
      ++times_measured[row];
    }
    seconds += 0.5;
    steps.push_back(step);
    return set;
  }

  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

Verdict verdict_of(const AbResult& result, const std::string& name) {
  for (const auto& c : result.judgement.comparisons)
    if (c.name == name) return c.verdict;
  ADD_FAILURE() << name << " is missing";
  return Verdict::failed;
}

TEST(RunAb, SidesAreInterleavedAndPairsNumberedThroughout) {
  Simulation machine(1);
  machine.benches = {{{0, "same"}, {0.01, 0}}, {{1, "slow"}, {0.01, 0.5}}};
  const auto result = run_ab(machine.parts(), {});
  ASSERT_EQ(machine.steps.size() % 2, 0u);
  std::map<std::pair<std::size_t, int>, int> pairs;
  for (std::size_t i = 0; i < machine.steps.size(); i += 2) {
    EXPECT_EQ(machine.steps[i].executable, machine.steps[i + 1].executable);
    EXPECT_EQ(machine.steps[i].pair_index, machine.steps[i + 1].pair_index);
    EXPECT_EQ(machine.steps[i].side, machine.steps[i].pair_index % 2);
    EXPECT_EQ((pairs[{machine.steps[i].executable, machine.steps[i].pair_index}]++), 0) << "no pair twice";
  }
  EXPECT_EQ(result.base.processes.size(), machine.steps.size() / 2);
  EXPECT_EQ(result.now.processes.size(), machine.steps.size() / 2);
}

TEST(RunAb, ARegressionIsConfirmedByASecondSet) {
  Simulation machine(2);
  for (int i = 0; i < 10; ++i) machine.benches[{0, "same" + std::to_string(i)}] = {0.005, 0};
  machine.benches[{1, "slow"}] = {0.005, 0.2};
  const auto result = run_ab(machine.parts(), {});
  EXPECT_EQ(verdict_of(result, "slow"), Verdict::critical);
  EXPECT_EQ(result.judgement.summary.critical, 1u);
  EXPECT_EQ(result.judgement.summary.stable, 10u);
  EXPECT_THAT(result.judgement.comparisons[0].reason, testing::HasSubstr("confirmed by a second"));
  EXPECT_EQ(result.judgement.comparisons[0].runs_new, 5u) << "judged on the second set alone";
  EXPECT_EQ((machine.times_measured[{1, "slow"}]), 20);
  EXPECT_EQ((machine.times_measured[{0, "same3"}]), 10) << "what is settled is not measured again";
  EXPECT_EQ(result.batches.back().stage, Stage::confirming);
}

TEST(RunAb, WithoutConfirmationTheFirstSetDecides) {
  Simulation machine(2);
  machine.benches[{1, "slow"}] = {0.005, 0.2};
  Rules rules;
  rules.confirm = false;
  const auto result = run_ab(machine.parts(), rules);
  EXPECT_EQ(verdict_of(result, "slow"), Verdict::critical);
  EXPECT_EQ(machine.steps.size(), 10u);
}

TEST(RunAb, UntilDecidedGoesOnWithTheNoisyOnesOnly) {
  Simulation machine(3);
  for (int i = 0; i < 10; ++i) machine.benches[{0, "quiet" + std::to_string(i)}] = {0.003, 0};
  machine.benches[{0, "noisy"}] = {0.05, 0};
  Rules rules;
  const auto once = run_ab(machine.parts(), rules);
  EXPECT_EQ(verdict_of(once, "noisy"), Verdict::inconclusive);

  Simulation again(3);
  again.benches = machine.benches;
  rules.until_decided = true;
  rules.most_pairs = 200;
  const auto decided = run_ab(again.parts(), rules);
  EXPECT_EQ(verdict_of(decided, "noisy"), Verdict::stable);
  EXPECT_GT((again.times_measured[{0, "noisy"}]), 20);
  EXPECT_EQ((again.times_measured[{0, "quiet4"}]), 10);
}

TEST(RunAb, TheTimeIsKept) {
  Simulation machine(4);
  for (int i = 0; i < 20; ++i)
    machine.benches[{static_cast<std::size_t>(i % 2), "noisy" + std::to_string(i)}] = {0.2, 0};
  Rules rules;
  rules.until_decided = true;
  rules.confirm = false;
  rules.max_time_s = 100;
  run_ab(machine.parts(), rules);
  EXPECT_LE(machine.seconds, 101);
  EXPECT_GE(machine.seconds, 50) << "and used";
}

TEST(RunAb, AStopKeepsWholePairs) {
  Simulation machine(5);
  machine.benches[{0, "a"}] = {0.01, 0};
  machine.benches[{1, "b"}] = {0.01, 0};
  machine.stop_after = 7;  // in the middle of the fourth pair
  const auto result = run_ab(machine.parts(), {});
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.base.processes.size(), 3u);
  EXPECT_EQ(result.now.processes.size(), 3u);
}

// 200 gates of identical code, each with 20 benchmarks of very different noise: with a confirmation none may fail.
TEST(RunAb, IdenticalCodeRaisesNoAlarm) {
  int critical = 0, warning = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Simulation machine(1000 + seed);
    for (int i = 0; i < 20; ++i)
      machine.benches[{static_cast<std::size_t>(i % 2), "same" + std::to_string(i)}] = {0.001 * std::pow(100, i / 19.0),
                                                                                        0};
    Rules rules;
    rules.until_decided = seed % 2 == 0;
    const auto result = run_ab(machine.parts(), rules);
    critical += result.judgement.summary.critical > 0;
    warning += result.judgement.summary.warning > 0;
  }
  RecordProperty("gates_with_warning", warning);
  EXPECT_EQ(critical, 0);
  EXPECT_LE(warning, 1);
}

TEST(RunAb, ASlowDownOfTwiceTheThresholdIsFound) {
  int found = 0;
  constexpr int kTrials = 100;
  for (unsigned seed = 0; seed < kTrials; ++seed) {
    Simulation machine(5000 + seed);
    for (int i = 0; i < 12; ++i)
      machine.benches[{static_cast<std::size_t>(i % 2), "same" + std::to_string(i)}] = {0.01, 0};
    machine.benches[{0, "slow"}] = {0.01, 0.10};
    const auto result = run_ab(machine.parts(), {});
    const Verdict verdict = verdict_of(result, "slow");
    found += verdict == Verdict::critical || verdict == Verdict::warning;
  }
  RecordProperty("found_of_100", found);
  EXPECT_GE(found, 97);
}

}  // namespace
}  // namespace pawl::run
