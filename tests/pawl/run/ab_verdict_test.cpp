// ab_verdict_test.cpp -- what two independent sets of runs say together.
#include "run/ab_verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl::run {
namespace {

using decide::Comparison;
using decide::Judgement;
using decide::Verdict;
using testing::HasSubstr;

Comparison comparison(const std::string& name, Verdict verdict, double change) {
  Comparison c;
  c.name = name;
  c.executable = "x_bench";
  c.metric = "real_time";
  c.verdict = verdict;
  c.change = change;
  c.reason = "why";
  return c;
}

Judgement judgement(std::vector<Comparison> comparisons) {
  Judgement j;
  j.comparisons = std::move(comparisons);
  return j;
}

Comparison merged(Comparison first, Comparison second) {
  return merge_confirmation(judgement({std::move(first)}), judgement({std::move(second)})).comparisons.at(0);
}

TEST(MergeConfirmation, ASecondSetThatAgreesConfirms) {
  const auto c = merged(comparison("a", Verdict::critical, 0.12), comparison("a", Verdict::warning, 0.09));
  EXPECT_EQ(c.verdict, Verdict::warning) << "the second set is the one without the luck of being picked";
  EXPECT_DOUBLE_EQ(c.change, 0.09);
  EXPECT_THAT(c.reason,
              HasSubstr("confirmed by a second, independent set of runs: the first set of runs said +12.0 %"));
}

TEST(MergeConfirmation, OneThatDoesNotClears) {
  const auto c = merged(comparison("a", Verdict::warning, 0.06), comparison("a", Verdict::stable, 0.01));
  EXPECT_EQ(c.verdict, Verdict::stable);
  EXPECT_THAT(c.reason, HasSubstr("did not confirm"));
  EXPECT_EQ(merged(comparison("a", Verdict::warning, 0.06), comparison("a", Verdict::inconclusive, 0.05)).verdict,
            Verdict::inconclusive);
}

TEST(MergeConfirmation, SetsThatContradictEachOtherAreNoAnswer) {
  const auto c = merged(comparison("a", Verdict::critical, 0.2), comparison("a", Verdict::improvement, -0.2));
  EXPECT_EQ(c.verdict, Verdict::inconclusive);
  EXPECT_THAT(c.reason, HasSubstr("contradict"));
}

TEST(MergeConfirmation, ADoubtIsSettledWhereItWasAskedAbout) {
  auto doubt = comparison("a", Verdict::inconclusive, 0.2);
  doubt.critical = 0.1;
  EXPECT_TRUE(is_doubt(doubt));
  const auto second = comparison("a", Verdict::critical, 0.18);
  EXPECT_EQ(merged(doubt, second).verdict, Verdict::inconclusive) << "nobody asked";
  const auto both = merge_confirmation(judgement({doubt}), judgement({second}), is_doubt);
  EXPECT_EQ(both.comparisons.at(0).verdict, Verdict::critical);
  EXPECT_THAT(both.comparisons.at(0).reason, HasSubstr("a first set of runs could not tell, with +20.0 %"));
  EXPECT_EQ(both.summary.critical, 1u);
  auto not_gated = doubt;
  not_gated.gated = false;
  EXPECT_FALSE(is_doubt(not_gated));
  auto small = doubt;
  small.change = 0.09;
  EXPECT_FALSE(is_doubt(small));
  auto other_metric = doubt;
  other_metric.metric = "cpu_time";
  EXPECT_FALSE(is_doubt(other_metric));
}

TEST(MergeConfirmation, OnlySuspicionsAreReplaced) {
  const auto first =
      judgement({comparison("bad", Verdict::critical, 0.2), comparison("gone", Verdict::removed, 0),
                 comparison("broken", Verdict::failed, 0), comparison("fast", Verdict::improvement, -0.3),
                 comparison("same", Verdict::stable, 0)});
  const auto second =
      judgement({comparison("bad", Verdict::critical, 0.3), comparison("fast", Verdict::critical, 0.3),
                 comparison("same", Verdict::critical, 0.3), comparison("other", Verdict::critical, 9)});
  const auto both = merge_confirmation(first, second);
  ASSERT_EQ(both.comparisons.size(), 5u);
  EXPECT_EQ(both.summary.critical, 1u);
  EXPECT_EQ(both.summary.removed, 1u);
  EXPECT_EQ(both.summary.failed, 1u);
  EXPECT_EQ(both.summary.improvement, 1u);
  EXPECT_EQ(both.summary.stable, 1u);
  EXPECT_EQ(both.comparisons[0].name, "broken") << "by severity";
  EXPECT_EQ(both.comparisons[1].name, "bad");
  EXPECT_DOUBLE_EQ(both.comparisons[1].change, 0.3);
}

TEST(MergeConfirmation, TheSameNameElsewhereIsAnotherBenchmark) {
  auto elsewhere = comparison("a", Verdict::stable, 0);
  elsewhere.executable = "y_bench";
  auto other_metric = comparison("a", Verdict::stable, 0);
  other_metric.metric = "cpu_time";
  const auto both =
      merge_confirmation(judgement({comparison("a", Verdict::warning, 0.07)}), judgement({elsewhere, other_metric}));
  EXPECT_EQ(both.comparisons[0].verdict, Verdict::warning);
  EXPECT_THAT(both.comparisons[0].warnings, testing::ElementsAre(HasSubstr("not confirmed")));
}

}  // namespace
}  // namespace pawl::run
