// estimator_test.cpp -- sides with other repetitions than the other are compared by what both have.
#include "decide/estimator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "decide/judge.hpp"
#include "made_results.hpp"

namespace pawl::decide {
namespace {

using testing::Made;

// One benchmark whose process runs have so many repetitions.
model::ResultSet of_counts(const std::vector<std::size_t>& counts) {
  Made made(counts.size());
  made.add("b", std::vector<double>(counts.size(), 1));
  std::vector<std::vector<double>> runs;
  for (const std::size_t n : counts) runs.emplace_back(n, 1.0);
  return made.repetitions(runs).set();
}

// The same with each run's repetitions summed up, as a file with aggregates alone has them.
model::ResultSet aggregated(model::ResultSet set, const std::vector<const char*>& names) {
  for (model::Benchmark& benchmark : set.benchmarks)
    for (model::Reading& reading : benchmark.readings) {
      std::vector<double> values(reading.series.front().values.begin(), reading.series.front().values.end());
      const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
      const double middle = median(values);
      reading.aggregates_only = true;
      for (const std::string name : names)
        reading.aggregates.push_back({name, model::kRealTime, name == "median" ? middle : mean});
      reading.series.front().values = {reading.aggregates.front().value};
    }
  return set;
}

Estimator common(const model::ResultSet& base, const model::ResultSet& now) {
  const Estimator one = common_estimator(base.benchmarks.at(0), now.benchmarks.at(0), model::kRealTime);
  EXPECT_EQ(one, common_estimator(now.benchmarks.at(0), base.benchmarks.at(0), model::kRealTime)) << "whichever side";
  return one;
}

TEST(Estimator, OfAsManyRepetitionsOrFiveAndMoreIsTheUsualOne) {
  for (const auto& [a, b] :
       std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {3, 3}, {10, 10}, {5, 10}, {7, 100}})
    EXPECT_EQ(common(of_counts({a, a}), of_counts({b, b, b})), Estimator{}) << a << " " << b;
  EXPECT_EQ(common(of_counts({3, 3, 1}), of_counts({3, 2, 3, 3})), Estimator{}) << "the middle process run counts";
}

TEST(Estimator, OfFewerOnOneSideIsTheFastestOfThatMany) {
  EXPECT_EQ(common(of_counts({3, 3}), of_counts({10, 10})), (Estimator{.draws = 3}));
  EXPECT_EQ(common(of_counts({1, 1}), of_counts({10, 10})), (Estimator{Estimator::Kind::first, 1}));
  EXPECT_EQ(common(of_counts({4, 4}), of_counts({5, 5})), (Estimator{.draws = 4}));
}

TEST(Estimator, OfAggregatesIsWhatTheyState) {
  const auto plain = of_counts({5, 5});
  EXPECT_EQ(common(aggregated(plain, {"median", "mean"}), plain), (Estimator{.kind = Estimator::Kind::median}));
  EXPECT_EQ(common(aggregated(plain, {"mean", "stddev"}), plain), (Estimator{.kind = Estimator::Kind::mean}));
  EXPECT_EQ(common(aggregated(plain, {"median"}), aggregated(plain, {"median"})), Estimator{});
}

TEST(Estimator, TheFastestOfFewIsExpectedWhereItIs) {
  const std::vector<double> values = {50, 1, 4, 40};
  EXPECT_DOUBLE_EQ(centre_of(values, Quantity::duration, {.draws = 3}), (3 * 1 + 4) / 4.0);
  EXPECT_DOUBLE_EQ(centre_of(values, Quantity::duration, {.draws = 1}), 95 / 4.0);
}

TEST(Estimator, OthersAreTheSameOfTimesAndRates) {
  using Kind = Estimator::Kind;
  const std::vector<double> values = {50, 1, 4, 40};
  for (const Quantity quantity : {Quantity::duration, Quantity::rate}) {
    EXPECT_DOUBLE_EQ(centre_of(values, quantity, {.kind = Kind::first}), 50);
    EXPECT_DOUBLE_EQ(centre_of(values, quantity, {.kind = Kind::median}), 22);
    EXPECT_DOUBLE_EQ(centre_of(values, quantity, {.kind = Kind::mean}), 95 / 4.0);
  }
  EXPECT_DOUBLE_EQ(centre_of({9, -1, 3}, Quantity::other, {.kind = Kind::first}), 3);
}

TEST(Estimator, RepetitionsBesideAnotherThreadDoNotStandForARunThatHasOthers) {
  auto made = Made(1).add("b", {1}).repetitions({{9, 1, 5, 4}});
  model::Reading& reading = made.set().benchmarks[0].readings[0];
  reading.series.push_back({model::kOperationsPerCycle, {2.0, 3.9, 3.9, 2.1}});
  const auto value = [&](Estimator how) {
    return sample_of(made.set().benchmarks[0], model::kRealTime, Quantity::duration, {}, 3.9, how).runs.at(0).value;
  };
  EXPECT_EQ(value({.kind = Estimator::Kind::first}), 1);
  EXPECT_EQ(value({.kind = Estimator::Kind::median}), 3);
  EXPECT_EQ(value({.draws = 1}), 3);
  EXPECT_EQ(value({}), 1);
  reading.series.back().values = {2.0, 2.0, 2.0, 2.0};
  EXPECT_EQ(value({.kind = Estimator::Kind::first}), 9);
}

struct Side {
  std::size_t repetitions = 10;
  bool aggregates = false;
};

struct Seen {
  int alarms = 0, stable = 0;
  double mean_change = 0;
  std::vector<std::string> notes;
};

// Gates of five noisy benchmarks beside 20 quiet ones, that are all `slower`. Alarms: gates that fail or find something
// faster.
Seen gates(Side base, Side now, double deviation, double slower = 1) {
  constexpr int kGates = 60, kNoisy = 5, kQuiet = 20, kRuns = 5;
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  Seen seen;
  for (int g = 0; g < kGates; ++g) {
    const auto make = [&](Side side, double factor) {
      Made made(kRuns);
      for (int b = 0; b < kNoisy + kQuiet; ++b) {
        std::vector<std::vector<double>> runs(kRuns, std::vector<double>(side.repetitions));
        for (auto& run : runs)
          for (double& v : run)
            v = (b < kNoisy ? factor : 1) * std::exp(normal(random) * (b < kNoisy ? deviation : 0.003));
        made.add(std::to_string(b), std::vector<double>(kRuns, 1)).repetitions(runs);
      }
      return side.aggregates ? aggregated(made.set(), {"median", "mean"}) : made.set();
    };
    const Judgement j = judge(make(base, 1), make(now, slower), {});
    bool alarm = false;
    for (const Comparison& c : j.comparisons) {
      if (std::stoi(c.name) >= kNoisy || c.metric != model::kRealTime) continue;
      alarm = alarm || (c.verdict != Verdict::stable && c.verdict != Verdict::inconclusive);
      seen.stable += c.verdict == Verdict::stable;
      seen.mean_change += c.change / (kGates * kNoisy);
    }
    seen.alarms += alarm;
    seen.notes = j.notes;
  }
  return seen;
}

TEST(Estimator, UnequalSidesOfTheSameCodeRaiseNoMoreAlarmsThanEqualOnes) {
  using ::testing::Contains;
  using ::testing::HasSubstr;
  using ::testing::Not;
  const Seen equal = gates({10}, {10}, 0.1);
  EXPECT_LE(equal.alarms, 2);
  EXPECT_THAT(equal.notes, Not(Contains(HasSubstr("compared by the"))));
  for (const auto& [base, now] : std::vector<std::pair<Side, Side>>{
           {{10, true}, {10}}, {{10}, {10, true}}, {{10}, {1}}, {{1}, {10}}, {{3}, {10}}, {{10}, {3}}}) {
    const Seen seen = gates(base, now, 0.1);
    EXPECT_LE(seen.alarms, 3) << base.repetitions << " " << now.repetitions;
    EXPECT_NEAR(seen.mean_change, 0, 0.01) << base.repetitions << " " << now.repetitions;
    EXPECT_THAT(seen.notes,
                Contains(HasSubstr(base.aggregates || now.aggregates ? "one side has aggregates alone"
                                                                     : "25 benchmarks have more repetitions")));
  }
}

TEST(Estimator, UnequalSidesHideNoSlowDown) {
  for (const auto& [base, now] : std::vector<std::pair<Side, Side>>{{{10, true}, {10}}, {{1}, {10}}, {{3}, {10}}}) {
    const Seen seen = gates(base, now, 0.03, 1.1);
    EXPECT_NEAR(seen.mean_change, 0.1, 0.01) << base.repetitions << " " << now.repetitions;
    EXPECT_EQ(seen.stable, 0);
    EXPECT_GE(seen.alarms, 55) << "of 60 gates, each with five that are 10 % slower";
  }
}

}  // namespace
}  // namespace pawl::decide
