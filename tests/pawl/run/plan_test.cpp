// plan_test.cpp -- the order of process runs: complete, shuffled, reproducible, interleaved A B B A.
#include "run/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace pawl::run {
namespace {

std::vector<std::size_t> executables_of(const std::vector<Step>& steps, int run) {
  std::vector<std::size_t> order;
  for (const Step& step : steps)
    if (step.run_index == run && step.side == 0) order.push_back(step.executable);
  return order;
}

TEST(PlanRuns, EveryExecutableOncePerRound) {
  const auto steps = plan_runs(5, 0, 4, 42);
  ASSERT_EQ(steps.size(), 20u);
  for (std::size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(steps[i].run_index, static_cast<int>(i / 5));
  for (int run = 0; run < 4; ++run) {
    auto order = executables_of(steps, run);
    std::ranges::sort(order);
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  }
}

TEST(PlanRuns, RoundsDifferInTheirOrder) {
  std::set<std::vector<std::size_t>> orders;
  const auto steps = plan_runs(6, 0, 10, 42);
  for (int run = 0; run < 10; ++run) orders.insert(executables_of(steps, run));
  EXPECT_GE(orders.size(), 9u);
}

TEST(PlanRuns, EveryPositionIsTakenByEveryExecutable) {
  std::set<std::pair<std::size_t, std::size_t>> seen;
  const auto steps = plan_runs(3, 0, 100, 1);
  for (std::size_t i = 0; i < steps.size(); ++i) seen.emplace(i % 3, steps[i].executable);
  EXPECT_EQ(seen.size(), 9u);
}

TEST(PlanRuns, TheSeedDecidesTheOrder) {
  EXPECT_EQ(plan_runs(6, 0, 5, 7), plan_runs(6, 0, 5, 7));
  EXPECT_NE(plan_runs(6, 0, 5, 7), plan_runs(6, 0, 5, 8));
}

TEST(PlanRuns, RunsAddedLaterFollowTheSamePlan) {
  auto both = plan_runs(4, 0, 3, 42);
  const auto later = plan_runs(4, 3, 2, 42);
  both.insert(both.end(), later.begin(), later.end());
  EXPECT_EQ(both, plan_runs(4, 0, 5, 42));
}

TEST(PlanPairs, SidesStandNextToEachOtherInAlternatingOrder) {
  const auto steps = plan_pairs(3, 0, 4, 42);
  ASSERT_EQ(steps.size(), 24u);
  for (std::size_t i = 0; i < steps.size(); i += 2) {
    const Step &first = steps[i], &second = steps[i + 1];
    EXPECT_EQ(first.executable, second.executable);
    EXPECT_EQ(first.pair_index, second.pair_index);
    EXPECT_EQ(first.run_index, first.pair_index);
    EXPECT_EQ(first.side, first.pair_index % 2);
    EXPECT_EQ(second.side, 1 - first.side);
  }
}

TEST(PlanPairs, NothingToDoIsNoStep) {
  EXPECT_TRUE(plan_pairs(0, 0, 4, 42).empty());
  EXPECT_TRUE(plan_runs(4, 0, 0, 42).empty());
}

}  // namespace
}  // namespace pawl::run
