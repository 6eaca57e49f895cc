// targets_test.cpp -- bars against rows whose values are known: reached, short of, or within the scatter.
#include "decide/targets.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pawl::decide {
namespace {

constexpr double kConfidence = 0.95;

Target at_least(double bar) { return {.name = "t", .pattern = "^m/", .metric = "x", .at_least = bar}; }
Target at_most(double bar) { return {.name = "t", .pattern = "^m/", .metric = "x", .at_most = bar}; }

Reached judge(const Target& target, const std::vector<TargetRow>& rows) {
  return judge_target(target, rows, kConfidence);
}

TEST(Targets, EveryMatchingRowMustReachTheBar) {
  const std::vector<TargetRow> rows = {{"m/1", {95, 95.1}}, {"m/2", {91, 91.1}}, {"other", {1, 1}}};
  EXPECT_EQ(judge(at_least(90), rows).reach, Reach::met);
  const Reached missed = judge(at_least(94), rows);
  EXPECT_EQ(missed.reach, Reach::missed);
  EXPECT_EQ(missed.worst, "m/2");
  EXPECT_EQ(missed.short_of, 1U);
  EXPECT_EQ(missed.matching, 2U);
  EXPECT_NEAR(missed.value, std::sqrt(91 * 91.1), 1e-9);
  EXPECT_EQ(missed.runs, 2U);
}

TEST(Targets, AtMostIsTheOtherWayRound) {
  const std::vector<TargetRow> rows = {{"m/1", {4, 4.01}}, {"m/2", {6, 6.01}}};
  EXPECT_EQ(judge(at_most(7), rows).reach, Reach::met);
  const Reached missed = judge(at_most(5), rows);
  EXPECT_EQ(missed.reach, Reach::missed);
  EXPECT_EQ(missed.worst, "m/2");
}

TEST(Targets, WithinTheScatterIsUnclear) {
  // The mean of the logarithms is short of 90 by 0.1 %, and the runs scatter by 5 %.
  const std::vector<TargetRow> rows = {{"m/1", {85, 90, 95}}};
  const Reached reached = judge(at_least(90), rows);
  EXPECT_EQ(reached.reach, Reach::unclear);
  EXPECT_EQ(reached.short_of, 0U);
  EXPECT_LT(reached.low, reached.value);
  EXPECT_GT(reached.high, 90);
  EXPECT_EQ(judge(at_least(89), rows).reach, Reach::met) << "the value itself reaches the bar";
}

TEST(Targets, IntervalIsStudentsOnLogarithms) {
  // logs 0, ln 2, 2 ln 2: mean ln 2, s = ln 2, t(0.05, 2) = 4.302653 (R: qt(0.975, 2)).
  const Reached reached = judge(at_least(1e-6), {{"m/1", {1, 2, 4}}});
  EXPECT_NEAR(reached.value, 2, 1e-12);
  EXPECT_NEAR(reached.low, 2 / std::exp(4.3026527 * std::log(2.0) / std::sqrt(3.0)), 1e-6);
  EXPECT_NEAR(reached.high * reached.low, 4, 1e-9);
}

TEST(Targets, ManyRowsWidenTheInterval) {
  std::vector<TargetRow> rows;
  for (int i = 0; i < 3; ++i) rows.push_back({"m/" + std::to_string(i), {88, 89, 89.5}});
  const Reached one = judge(at_least(90), {rows[0]}), three = judge(at_least(90), rows);
  EXPECT_LT(three.low, one.low);
  EXPECT_NEAR(three.value, one.value, 1e-12);
}

TEST(Targets, OneRunIsJudgedByItsValue) {
  EXPECT_EQ(judge(at_least(90), {{"m/1", {89.9}}}).reach, Reach::missed);
  const Reached met = judge(at_least(90), {{"m/1", {90}}});
  EXPECT_EQ(met.reach, Reach::met);
  EXPECT_EQ(met.low, met.high);
}

TEST(Targets, GeometricMeanTakesRunsTogether) {
  Target target = at_least(1.5);
  target.geometric_mean = true;
  // Each row alone scatters by half; their product doesn't.
  const std::vector<TargetRow> rows = {{"m/1", {1, 2, 4}}, {"m/2", {4, 2, 1}}};
  const Reached reached = judge(target, rows);
  EXPECT_EQ(reached.reach, Reach::met);
  EXPECT_TRUE(reached.worst.empty());
  EXPECT_NEAR(reached.value, 2, 1e-12);
  EXPECT_NEAR(reached.low, 2, 1e-9);
  target.at_least = 2.1;
  EXPECT_EQ(judge(target, rows).reach, Reach::missed);
}

TEST(Targets, ValuesOfZeroAndLessAreShortOfAnyBarThatIsALeast) {
  for (const double v : {0.0, -5.0}) {
    const Reached three = judge(at_least(20), {{"m/good", {25, 25}}, {"m/bad", {v, v, v}}});
    EXPECT_EQ(three.reach, Reach::missed);
    EXPECT_EQ(three.short_of, 1U);
    EXPECT_EQ(three.worst, "m/bad");
    EXPECT_EQ(three.value, v);
    EXPECT_EQ(three.low, v);
    EXPECT_EQ(three.high, v);
    EXPECT_EQ(judge(at_least(1e-9), {{"m/1", {v}}}).reach, Reach::missed);
    EXPECT_EQ(judge(at_most(1e-9), {{"m/1", {v}}}).reach, Reach::met);
    EXPECT_EQ(judge(at_most(5), {{"m/1", {v, v}}, {"m/2", {6}}}).worst, "m/2");
  }
  const Reached scattered = judge(at_least(20), {{"m/1", {-5}}, {"m/2", {-500, -7}}});
  EXPECT_EQ(scattered.short_of, 2U) << "however far they are apart";
  EXPECT_EQ(scattered.worst, "m/2");
}

TEST(Targets, RunsOnBothSidesOfZeroAreUnclearWhereOnlySomeReachTheBar) {
  const Reached some = judge(at_least(20), {{"m/1", {-5, 30, 35}}});
  EXPECT_EQ(some.reach, Reach::unclear);
  EXPECT_EQ(some.short_of, 0U);
  EXPECT_EQ(some.value, 20);
  EXPECT_EQ(some.low, -5);
  EXPECT_EQ(some.high, 35);
  EXPECT_EQ(judge(at_least(20), {{"m/1", {-5, 10, 19}}}).reach, Reach::missed);
  EXPECT_EQ(judge(at_most(20), {{"m/1", {-5, 10, 19}}}).reach, Reach::met);
  EXPECT_EQ(judge(at_most(20), {{"m/1", {-5, 10, 21}}}).reach, Reach::unclear);
}

TEST(Targets, AGeometricMeanWithAZeroIsZero) {
  Target target = at_least(1.5);
  target.geometric_mean = true;
  const Reached reached = judge(target, {{"m/1", {2, 2}}, {"m/2", {0, -3}}});
  EXPECT_EQ(reached.reach, Reach::missed);
  EXPECT_EQ(reached.value, 0);
}

TEST(Targets, ARowThatFailedIsAMiss) {
  const TargetRow good{"m/1", {95, 95}}, failed{"m/2", {}, "fails: boom"}, sometimes{"m/3", {95}, "fails: bang"};
  const Reached reached = judge(at_least(90), {good, failed, sometimes, {"other", {}, "fails"}});
  EXPECT_EQ(reached.reach, Reach::missed);
  EXPECT_EQ(reached.failed, 2U);
  EXPECT_EQ(reached.failed_row, "m/2");
  EXPECT_EQ(reached.failure, "fails: boom");
  EXPECT_EQ(reached.short_of, 0U);
  EXPECT_EQ(reached.measured, 2U);
  EXPECT_EQ(judge(at_least(90), {failed}).reach, Reach::missed) << "with nothing measured at all";
  Target mean = at_least(90);
  mean.geometric_mean = true;
  EXPECT_EQ(judge(mean, {good, failed}).reach, Reach::missed);
}

TEST(Targets, NothingToJudgeIsNotApplicable) {
  EXPECT_EQ(judge(at_least(1), {{"other", {5}}}).reach, Reach::not_applicable);
  const Reached without = judge(at_least(1), {{"m/1", {}}});
  EXPECT_EQ(without.reach, Reach::not_applicable);
  EXPECT_EQ(without.matching, 1U);
  EXPECT_EQ(without.measured, 0U);
  EXPECT_EQ(judge(at_least(1), {{"m/1", {}}, {"m/2", {2}}}).reach, Reach::met) << "a row without the metric is no miss";
}

}  // namespace
}  // namespace pawl::decide
