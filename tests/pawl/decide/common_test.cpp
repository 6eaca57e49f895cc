// common_test.cpp -- what all benchmarks share is taken out of each; what the code did to all of them is not.
#include "decide/common.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "decide/judge.hpp"
#include "made_results.hpp"

namespace pawl::decide {
namespace {

using ::testing::HasSubstr;
using testing::Made;

const Comparison& row(const Judgement& j, const std::string& name) {
  for (const Comparison& c : j.comparisons)
    if (c.name == name) return c;
  ADD_FAILURE() << name << " is missing";
  return j.comparisons.front();
}

std::string notes(const Judgement& j) {
  std::string all;
  for (const std::string& note : j.notes) all += note + "\n";
  return all;
}

// `rows` benchmarks whose process runs share movements of 1 % and scatter by 0.1 % of their own; on the new side row 0
// is slower by `one` and all by `all`.
struct Suite {
  std::size_t rows = 20, runs = 5;
  double one = 1, all = 1;
  bool paired = true;

  std::pair<Made, Made> make() const {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    std::vector<double> base_moves, now_moves;
    for (std::size_t r = 0; r < runs; ++r) {
      base_moves.push_back(0.01 * normal(random));
      now_moves.push_back(0.01 * normal(random));
    }
    Made base(runs, paired), now(runs, paired);
    for (std::size_t b = 0; b < rows; ++b) {
      std::vector<double> x, y;
      for (std::size_t r = 0; r < runs; ++r) {
        x.push_back(std::exp(base_moves[r] + 0.001 * normal(random)));
        y.push_back(all * (b == 0 ? one : 1) * std::exp(now_moves[r] + 0.001 * normal(random)));
      }
      base.add("b" + std::to_string(b), x);
      now.add("b" + std::to_string(b), y);
    }
    return {base, now};
  }
  Judgement judged() const {
    const auto [base, now] = make();
    return judge(base.set(), now.set(), {});
  }
};

TEST(Common, TheMovementOfAProcessRunHidesNoChangeOfARow) {
  const Judgement j = Suite{.one = 1.06}.judged();
  EXPECT_EQ(row(j, "b0").verdict, Verdict::warning);
  EXPECT_NEAR(row(j, "b0").change, 0.06, 0.006);
  EXPECT_GE(j.summary.stable, 18u);
  EXPECT_LT(row(j, "b5").high - row(j, "b5").low, 0.01);
  // Seven rows are too few to tell a shared movement from their own.
  const Judgement few = Suite{.rows = 7, .one = 1.06}.judged();
  EXPECT_GT(row(few, "b5").high - row(few, "b5").low, 0.02);
}

TEST(Common, AChangeOfAllRowsStaysInThem) {
  for (const bool paired : {true, false}) {
    const Judgement j = Suite{.all = 1.15, .paired = paired}.judged();
    EXPECT_NEAR(row(j, "b3").change, 0.15, 0.06);
    ASSERT_TRUE(j.shift);
    EXPECT_NEAR(j.shift->change, 0.15, 0.06);
    EXPECT_EQ(j.summary.stable, 0u);
  }
  // Without noise it is known exactly.
  Made base(3, true), now(3, true);
  for (int i = 0; i < 10; ++i) {
    base.add("b" + std::to_string(i), {1, 1, 1});
    now.add("b" + std::to_string(i), {1.12, 1.12, 1.12});
  }
  EXPECT_EQ(judge(base.set(), now.set(), {}).summary.critical, 10u);
}

TEST(Common, OneDisturbedRunOfAllRowsDrawsNobodyAlong) {
  auto [base, now] = Suite{}.make();
  for (auto& b : now.set().benchmarks)
    for (double& v : b.readings[2].series[0].values) v *= 1.4;
  const Judgement j = judge(base.set(), now.set(), {});
  EXPECT_EQ(j.summary.critical + j.summary.warning, 0u);
  EXPECT_GE(j.summary.stable, 18u);
}

// Two sessions, the second 6 % slower in all rows.
struct Sessions {
  Made base{3}, now{3};
  Sessions() {
    for (int i = 0; i < 20; ++i) {
      const double wobble = 1 + 0.0005 * (i % 5);
      base.add("b" + std::to_string(i), {1.0, 1.002, 0.998});
      now.add("b" + std::to_string(i), {1.06 * wobble, 1.062 * wobble, 1.058 * wobble});
    }
  }
  Sessions& yardsticks(double slower) {
    for (auto& p : base.set().processes) p.yardsticks_start["fma"] = 100;
    for (auto& p : now.set().processes) p.yardsticks_start["fma"] = 100 / slower;
    return *this;
  }
  Judgement judged() const { return judge(base.set(), now.set(), {}); }
};

TEST(Common, WhatYardsticksExplainBetweenSessionsIsTakenOut) {
  const Judgement j = Sessions().yardsticks(1.06).judged();
  EXPECT_EQ(j.summary.stable, 20u);
  EXPECT_NEAR(row(j, "b0").change, 0, 0.005);
  EXPECT_NEAR(row(j, "b0").now / row(j, "b0").base, 1.06, 0.001);  // the times are shown as they were
  EXPECT_THAT(notes(j), HasSubstr("taken out of each change (the machine's yardsticks moved by +6.0 %)"));
  ASSERT_TRUE(j.shift);
  EXPECT_THAT(j.shift->reason, HasSubstr("the machine more than the code"));
}

TEST(Common, WhatTheyDoNotExplainIsNot) {
  for (const Judgement& j :
       {Sessions().judged(), Sessions().yardsticks(1.0).judged(), Sessions().yardsticks(0.9).judged()}) {
    EXPECT_EQ(j.summary.stable, 0u);
    EXPECT_NEAR(row(j, "b0").change, 0.06, 0.002);
  }
  // Half of it explained: the rest is too much for the machine and too little to be sure of.
  const Judgement half = Sessions().yardsticks(1.03).judged();
  EXPECT_NEAR(row(half, "b0").change, 0.03, 0.003);
  EXPECT_EQ(half.summary.inconclusive, 20u);
  // Yardsticks that were compiled otherwise explain nothing.
  Sessions other = Sessions().yardsticks(1.06);
  other.base.set().methodology.flags = "-O3";
  other.now.set().methodology.flags = "-O1";
  EXPECT_EQ(other.judged().summary.stable, 0u);
}

TEST(Common, ASlowRowIsSeenThroughTheShiftOfTheSuite) {
  Sessions s = Sessions().yardsticks(1.06);
  for (auto& reading : s.now.set().benchmarks[4].readings)
    for (double& v : reading.series[0].values) v *= 1.2;
  const Judgement j = s.judged();
  EXPECT_EQ(row(j, "b4").verdict, Verdict::critical);
  EXPECT_NEAR(row(j, "b4").change, 0.2, 0.01);
  EXPECT_EQ(j.summary.stable, 19u);
}

TEST(Common, ARowThatStandsOutOfAnUnexplainedShiftIsSeen) {
  Sessions s;  // 6 % of all, and no yardsticks to say whose doing it was
  for (auto& reading : s.now.set().benchmarks[4].readings)
    for (double& v : reading.series[0].values) v *= 1.2;
  const Judgement j = s.judged();
  EXPECT_EQ(row(j, "b4").verdict, Verdict::critical);
  EXPECT_GE(row(j, "b4").change, 0.19);
  EXPECT_EQ(j.summary.critical, 1u);
}

TEST(Common, ARowThatStayedWhileTheOthersGotFasterIsNoRegression) {
  Made base(3), now(3);
  for (int i = 0; i < 20; ++i) {
    const double factor = i == 4 ? 1 : 0.8;
    base.add("b" + std::to_string(i), {1.0, 1.002, 0.998});
    now.add("b" + std::to_string(i), {factor, factor * 1.002, factor * 0.998});
  }
  const Judgement j = judge(base.set(), now.set(), {});
  EXPECT_EQ(j.summary.critical + j.summary.warning, 0u);
  EXPECT_EQ(j.summary.improvement, 19u);
}

}  // namespace
}  // namespace pawl::decide
