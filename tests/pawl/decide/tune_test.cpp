// tune_test.cpp -- noise of known size in a history, and the thresholds that it allows.
#include "decide/tune.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "decide/thresholds.hpp"
#include "made_results.hpp"

namespace pawl::decide {
namespace {

using testing::Made;

// 20 benchmarks over `results` results that all move by 5 % together; "noisy" scatters by 4 %, the others by 0.5 %.
std::vector<model::ResultSet> history(std::size_t results) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::vector<model::ResultSet> sets;
  for (std::size_t r = 0; r < results; ++r) {
    Made made(1);
    const double common = 0.05 * normal(random);
    for (int b = 0; b < 19; ++b) made.add("b" + std::to_string(b), {std::exp(common + 0.005 * normal(random))});
    made.add("noisy/x.y<1>", {std::exp(common + 0.04 * normal(random))});
    sets.push_back(made.set());
  }
  return sets;
}

TEST(Tune, TheNoiseOfARowSetsItsThreshold) {
  const auto tuned = tune_thresholds(history(200), {});
  ASSERT_EQ(tuned.size(), 20u);
  const Tuned& noisy = tuned.back();
  EXPECT_EQ(noisy.name, "noisy/x.y<1>");
  EXPECT_NEAR(noisy.deviation, 0.04, 0.006);
  EXPECT_NEAR(noisy.warning, std::exp(3 * std::sqrt(2.0) * 0.04) - 1, 0.04);
  EXPECT_TRUE(noisy.above_usual);
  EXPECT_NEAR(tuned.front().deviation, 0.005, 0.001);  // what all share is no noise of a row
  EXPECT_FALSE(tuned.front().above_usual);
}

TEST(Tune, RulesNameJustTheNoisyOnesAndAreUnderstood) {
  const auto tuned = tune_thresholds(history(50), {});
  Policy policy;
  policy.rules = rules_of(tuned, {});
  ASSERT_EQ(policy.rules.size(), 2u);
  const ThresholdTable table(policy);
  const Applied noisy = table.find("real_time", "noisy/x.y<1>");
  EXPECT_GE(noisy.thresholds.warning, tuned.back().warning);
  EXPECT_LT(noisy.thresholds.warning, tuned.back().warning + 0.01);
  EXPECT_NEAR(noisy.thresholds.critical, 2 * noisy.thresholds.warning, 1e-12);
  EXPECT_EQ(table.find("real_time", "noisy/xzy<1>").thresholds.warning, 0.05);  // the name, not a pattern
  EXPECT_EQ(table.find("real_time", "b1").thresholds.warning, 0.05);
}

TEST(Tune, AShortStepIsNoNoise) {
  auto sets = history(20);
  for (std::size_t r = 0; r < 5; ++r)
    for (double& v : sets[r].benchmarks[3].readings[0].series[0].values) v *= 1.5;
  EXPECT_FALSE(tune_thresholds(sets, {})[12].above_usual);  // b3 stands after b10 to b18
  EXPECT_EQ(tune_thresholds(sets, {})[12].name, "b3");
}

TEST(Tune, AStepInTheMiddleOfALongHistoryIsNoNoise) {
  auto sets = history(20);
  for (std::size_t r = 0; r < 10; ++r)
    for (double& v : sets[r].benchmarks[3].readings[0].series[0].values) v *= 1.5;
  EXPECT_FALSE(tune_thresholds(sets, {})[12].above_usual);
}

TEST(Tune, TwoModesAreNoise) {
  std::vector<model::ResultSet> sets;
  for (const double time : {100, 130, 100, 130, 100}) sets.push_back(Made(1).add("b", {time}).set());
  EXPECT_TRUE(tune_thresholds(sets, {}).at(0).above_usual);
  EXPECT_GE(tune_thresholds(sets, {}).at(0).warning, 0.30) << "what its own results differ by";
}

// The promise: two results of the same code exceed the threshold in 1 of 370 cases, however few told the noise.
TEST(Tune, TheThresholdIsExceededAsRarelyAsPromised) {
  constexpr std::size_t kRows = 2000, kDifferences = 50;
  for (const std::size_t results : {5, 8, 15}) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> noise(0, 0.03);
    std::vector<model::ResultSet> sets;
    for (std::size_t r = 0; r < results; ++r) {
      Made made(1);
      for (std::size_t b = 0; b < kRows; ++b) made.add("b" + std::to_string(b), {std::exp(noise(random))});
      sets.push_back(made.set());
    }
    std::size_t exceeded = 0;
    for (const Tuned& t : tune_thresholds(sets, {}))
      for (std::size_t i = 0; i < kDifferences; ++i)
        exceeded += std::fabs(noise(random) - noise(random)) > std::log1p(t.warning);
    const double one_of = static_cast<double>(kRows * kDifferences) / static_cast<double>(exceeded);
    EXPECT_GE(one_of, 290) << results;
    EXPECT_LE(one_of, 470) << results;
  }
}

// e^5 between two results of one code: no percentage that a file may hold says anything about such a row.
TEST(Tune, WhatScattersBeyondEveryThresholdIsShownAndNotGated) {
  std::vector<model::ResultSet> sets;
  for (const double time : {1, 1000, 1, 1000, 1}) sets.push_back(Made(1).add("wild", {time}).set());
  const auto tuned = tune_thresholds(sets, {});
  ASSERT_EQ(tuned.size(), 1u);
  EXPECT_TRUE(tuned[0].beyond_gating);
  const auto rules = rules_of(tuned, {});
  ASSERT_FALSE(rules.empty());
  for (const Rule& rule : rules) {
    EXPECT_EQ(rule.gate, false);
    EXPECT_FALSE(rule.warning || rule.critical || rule.improvement);
  }
  for (const Tuned& t : tune_thresholds(history(20), {})) EXPECT_FALSE(t.beyond_gating) << t.name;
}

// Rules go by name, so that of two executables with one name the noisier sets it.
TEST(Tune, OfTwoExecutablesWithOneNameTheNoisierCounts) {
  for (const bool noisy_first : {false, true}) {
    std::vector<model::ResultSet> sets;
    for (int r = 0; r < 6; ++r) {
      const double noisy = r % 2 == 0 ? 1.0 : 1.3;
      sets.push_back(Made(1)
                         .add("b", {noisy_first ? noisy : 1.0})
                         .of(noisy_first ? "noisy_bench" : "still_bench")
                         .add("b", {noisy_first ? 1.0 : noisy})
                         .of(noisy_first ? "still_bench" : "noisy_bench")
                         .set());
    }
    const auto tuned = tune_thresholds(sets, {});
    ASSERT_EQ(tuned.size(), 1u);
    EXPECT_TRUE(tuned[0].above_usual) << noisy_first;
    EXPECT_GE(tuned[0].warning, 0.30) << noisy_first;
  }
}

TEST(Tune, FewResultsSayNothing) { EXPECT_TRUE(tune_thresholds(history(4), {}).empty()); }

}  // namespace
}  // namespace pawl::decide
