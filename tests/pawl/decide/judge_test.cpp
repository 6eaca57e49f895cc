// judge_test.cpp -- hand-made samples and the verdict that each must get.
#include "decide/judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "made_results.hpp"

namespace pawl::decide {
namespace {

using testing::Made;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const Comparison& only(const Judgement& j) {
  EXPECT_EQ(j.comparisons.size(), 1u);
  return j.comparisons.front();
}

Judgement judge_one(const std::vector<double>& base, const std::vector<double>& now, bool paired = true) {
  return judge(Made(base.size(), paired).add("b", base).set(), Made(now.size(), paired).add("b", now).set(), {});
}

TEST(Judge, AClearSlowDownIsCriticalWithItsSize) {
  const Judgement j = judge_one({1.00, 1.01, 0.99, 1.00, 1.005}, {1.20, 1.21, 1.19, 1.20, 1.205});
  const Comparison& c = only(j);
  EXPECT_EQ(c.verdict, Verdict::critical);
  EXPECT_NEAR(c.change, 0.2, 0.002);
  EXPECT_LT(c.low, 0.2);
  EXPECT_GT(c.low, 0.18);
  EXPECT_GT(c.high, 0.2);
  EXPECT_TRUE(c.paired);
  EXPECT_EQ(c.runs_base, 5u);
  EXPECT_EQ(exit_code(j, FailOn::critical), 1);
  EXPECT_EQ(exit_code(j, FailOn::never), 0);
}

// mean difference of logs d = 0.02, sd = 0.01, n = 4: t = 0.02 / (0.01 / 2) = 4 with 3 degrees of freedom.
TEST(Judge, TheIntervalIsStudents) {
  const double s = 0.01 * std::sqrt(3.0) / 2;  // +-s about the mean gives a sample deviation of 0.01 for n = 4
  const Judgement j =
      judge_one({1, 1, 1, 1}, {std::exp(0.02 - s), std::exp(0.02 + s), std::exp(0.02 - s), std::exp(0.02 + s)});
  const Comparison& c = only(j);
  EXPECT_NEAR(*c.p_value, 0.0280, 1e-4);  // R: 2 * pt(-4, 3) = 0.02800991
  EXPECT_NEAR(std::log1p(c.low), 0.02 - 3.182446 * 0.005, 1e-6);
  EXPECT_NEAR(std::log1p(c.high), 0.02 + 3.182446 * 0.005, 1e-6);
}

TEST(Judge, FourPercentIsAWarningWhereItMayBeFive) {
  const Judgement j = judge_one({1.000, 1.003, 0.998, 1.001, 0.999}, {1.045, 1.058, 1.041, 1.055, 1.046});
  EXPECT_EQ(only(j).verdict, Verdict::warning);
  EXPECT_EQ(exit_code(j, FailOn::critical), 0);
  EXPECT_EQ(exit_code(j, FailOn::warning), 1);
}

TEST(Judge, QuietAndEqualIsStable) {
  EXPECT_EQ(only(judge_one({1.000, 1.002, 0.998, 1.001, 0.999}, {1.001, 1.000, 0.999, 1.002, 0.998})).verdict,
            Verdict::stable);
}

TEST(Judge, EstablishedButSmallIsStableAndSaysSo) {
  const Judgement j = judge_one({1, 1.0001, 1, 1.0001, 1}, {1.01, 1.0102, 1.01, 1.0101, 1.0099});
  EXPECT_EQ(only(j).verdict, Verdict::stable);
  EXPECT_NE(only(j).reason.find("established"), std::string::npos);
}

TEST(Judge, QuietAndEqualIsNoEstablishedChange) {
  const std::vector<double> same = {1.000, 1.001, 1.002};
  const Judgement j =
      judge(Made(3, true).add("a", same).add("b", same).set(), Made(3, true).add("a", same).add("b", same).set(), {});
  ASSERT_EQ(j.comparisons.size(), 2u);
  for (const Comparison& c : j.comparisons) {
    EXPECT_EQ(c.verdict, Verdict::stable);
    EXPECT_EQ(c.reason, "no change that would matter");
  }
}

TEST(Judge, NoisyIsInconclusiveNeverStable) {
  const Judgement j = judge_one({1.0, 1.3, 0.8, 1.1, 0.9}, {1.1, 0.8, 1.2, 0.9, 1.2});
  const Comparison& c = only(j);
  EXPECT_EQ(c.verdict, Verdict::inconclusive);
  EXPECT_GE(c.more_runs, 1u);
  EXPECT_GT(c.minimal_detectable, 0.1);
  EXPECT_EQ(exit_code(j, FailOn::critical), 0);
  EXPECT_EQ(exit_code(j, FailOn::inconclusive), 4);
}

TEST(Judge, ASpeedUpIsAnImprovement) {
  EXPECT_EQ(only(judge_one({1, 1.01, 0.99, 1, 1}, {0.7, 0.71, 0.69, 0.7, 0.7})).verdict, Verdict::improvement);
}

TEST(Judge, RatesGetWorseByShrinking) {
  Policy policy;
  policy.metrics = {"items_per_second"};
  const auto rate = [&](double factor) {
    std::vector<double> base{100, 101, 99, 100, 100}, now;
    for (double b : base) now.push_back(b * factor);
    return judge(Made(5, true).add("b", base, "items_per_second").set(),
                 Made(5, true).add("b", now, "items_per_second").set(), policy);
  };
  EXPECT_EQ(only(rate(0.8)).verdict, Verdict::critical);
  EXPECT_EQ(only(rate(1.3)).verdict, Verdict::improvement);
}

TEST(Judge, OneRunASideIsJudgedByTheThresholdAndSaysSo) {
  const Judgement j = judge_one({1.0}, {1.2}, false);
  EXPECT_EQ(only(j).verdict, Verdict::critical);
  EXPECT_FALSE(only(j).warnings.empty());
  EXPECT_FALSE(j.notes.empty());
  EXPECT_TRUE(std::isinf(only(j).high));
  EXPECT_EQ(only(judge_one({1.0}, {1.01}, false)).verdict, Verdict::inconclusive);
}

TEST(Judge, RemovedAddedAndFailedAreNeverAPass) {
  const Judgement j =
      judge(Made(3).add("kept", {1, 1, 1}).add("gone", {1, 1, 1}).add("breaks", {1, 1, 1}).set(),
            Made(3).add("kept", {1, 1, 1}).add("new", {1, 1, 1}).add("breaks", {kNaN, kNaN, kNaN}).set(), {});
  EXPECT_EQ(j.summary.removed, 1u);
  EXPECT_EQ(j.summary.added, 1u);
  EXPECT_EQ(j.summary.failed, 1u);
  EXPECT_EQ(j.summary.stable, 1u);
  EXPECT_EQ(j.comparisons.front().verdict, Verdict::failed);
  EXPECT_NE(j.comparisons.front().reason.find("broke"), std::string::npos);
  EXPECT_EQ(exit_code(j, FailOn::critical), 1);
}

TEST(Judge, AFailureInSomeRunsIsShown) {
  const Judgement j = judge(Made(3).add("b", {1, 1, 1}).set(), Made(3).add("b", {1, kNaN, 1}).set(), {});
  EXPECT_EQ(j.summary.failed, 1u);
  EXPECT_NE(j.comparisons.front().reason.find("1 of 3"), std::string::npos);
}

TEST(Judge, WhatIsSkippedFailsAGateOnlyWhereItRanBefore) {
  const auto with_gpu = [](std::vector<double> times, model::Status status) {
    Made made(3);
    made.add("b", {1, 1, 1}).add("gpu", times);
    for (model::Reading& reading : made.set().benchmarks[1].readings)
      if (reading.status != model::Status::ok) {
        reading.status = status;
        reading.message = "no GPU";
      }
    return made.set();
  };
  const auto none = with_gpu({kNaN, kNaN, kNaN}, model::Status::skipped), all = with_gpu({1, 1, 1}, model::Status::ok);
  const auto without = Made(3).add("b", {1, 1, 1}).set();
  for (const auto* before : {&none, &without}) {
    const Judgement j = judge(*before, none, {});
    EXPECT_EQ(j.comparisons.at(0).verdict, Verdict::failed);
    EXPECT_FALSE(j.comparisons.at(0).gated);
    EXPECT_NE(j.comparisons.at(0).reason.find("is skipped: no GPU"), std::string::npos);
    EXPECT_EQ(exit_code(j, FailOn::inconclusive), 0);
  }
  EXPECT_EQ(exit_code(judge(all, none, {}), FailOn::critical), 1) << "ran before";
  const auto some = with_gpu({1, kNaN, 1}, model::Status::skipped);
  EXPECT_EQ(exit_code(judge(all, some, {}), FailOn::critical), 1) << "ran before, and in some runs now";
  const auto fails = with_gpu({kNaN, kNaN, kNaN}, model::Status::failed);
  EXPECT_EQ(exit_code(judge(none, fails, {}), FailOn::critical), 1) << "is no skip any more";
  auto alone = none;
  alone.benchmarks.erase(alone.benchmarks.begin());
  EXPECT_EQ(exit_code(judge(alone, alone, {}), FailOn::critical), 3) << "nothing was measured";
}

TEST(Judge, NothingInCommonIsNotAPass) {
  const Judgement j = judge(Made(1).add("a", {1}).set(), Made(1).add("b", {1}).set(), {});
  EXPECT_FALSE(j.comparable);
  EXPECT_EQ(exit_code(j, FailOn::critical), 3);
  EXPECT_EQ(exit_code(judge({}, {}, {}), FailOn::never), 3);
}

TEST(Judge, AnAllocationWhereThereWasNoneIsCritical) {
  Policy policy;
  policy.metrics = {model::kAllocations};
  const auto allocations = [&](double before, double after) {
    return judge(Made(2).add("b", {before, before}, model::kAllocations).set(),
                 Made(2).add("b", {after, after}, model::kAllocations).set(), policy);
  };
  EXPECT_EQ(only(allocations(0, 1)).verdict, Verdict::critical);
  EXPECT_EQ(only(allocations(0, 0)).verdict, Verdict::stable);
  EXPECT_EQ(only(allocations(3, 0)).verdict, Verdict::improvement);
}

TEST(Judge, TimesThatAreNoTimesAreFailures) {
  for (double odd : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    const Judgement j = judge(Made(3).add("b", {1, 1, 1}).set(), Made(3).add("b", {odd, odd, odd}).set(), {});
    EXPECT_EQ(only(j).verdict, Verdict::failed) << odd;
    EXPECT_NE(only(j).reason.find("times that are 0, negative or no numbers"), std::string::npos) << only(j).reason;
    EXPECT_EQ(exit_code(j, FailOn::critical), 1);
    EXPECT_EQ(only(judge(Made(3).add("b", {odd, odd, odd}).set(), Made(3).add("b", {1, 1, 1}).set(), {})).verdict,
              Verdict::added);
  }
  // In one run of three: the others are compared, and the failure is a row of its own.
  const Judgement some = judge(Made(3).add("b", {1, 1, 1}).set(), Made(3).add("b", {1, 0, 1}).set(), {});
  EXPECT_EQ(some.summary.failed, 1u);
  EXPECT_EQ(some.comparisons.size(), 2u);
  EXPECT_EQ(exit_code(some, FailOn::critical), 1);
}

TEST(Judge, OneBadRepetitionDoesNotSpoilItsRun) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Judgement j = judge(Made(2, true).add("b", {1, 1}).set(),
                            Made(2, true).add("b", {1, 1}).repetitions({{1, kNaN, 1}, {infinity, 1, 1}}).set(), {});
  const Comparison& c = only(j);
  EXPECT_EQ(c.verdict, Verdict::stable);
  ASSERT_EQ(c.warnings.size(), 1u);
  EXPECT_NE(c.warnings[0].find("2 repetitions of the new side"), std::string::npos) << c.warnings[0];
}

TEST(Judge, RunsThatAgreeByChanceDoNotHideWhatTheirRepetitionsSay) {
  // Medians that agree to 0.1 %, of repetitions that scatter by 10 %.
  const std::vector<std::vector<double>> before{{0.9, 1.000, 1.1}, {0.9, 1.001, 1.1}, {0.9, 0.999, 1.1}},
      after{{0.96, 1.060, 1.16}, {0.96, 1.061, 1.16}, {0.96, 1.059, 1.16}};
  const auto judged = [&](const auto& x, const auto& y) {
    return judge(Made(3, true).add("b", {1, 1, 1}).repetitions(x).set(),
                 Made(3, true).add("b", {1, 1, 1}).repetitions(y).set(), {});
  };
  EXPECT_EQ(only(judged(before, after)).verdict, Verdict::inconclusive);
  EXPECT_GT(only(judged(before, after)).minimal_detectable, 0.1);
  // A first repetition that is always slow moves nothing.
  const std::vector<std::vector<double>> slow_first{{1.5, 1.000, 1.000}, {1.5, 1.001, 1.001}, {1.5, 0.999, 0.999}},
      slower_first{{1.7, 1.160, 1.160}, {1.7, 1.161, 1.161}, {1.7, 1.159, 1.159}};
  EXPECT_EQ(only(judged(slow_first, slower_first)).verdict, Verdict::critical);
}

TEST(Judge, WhatItSaysItCouldSeeIsWhatItWouldHaveEstablished) {
  // Two runs a side of 20 benchmarks, one of them slower by 20 %: often too few runs for so many benchmarks, and then
  // the row says that it could not see as much.
  std::size_t unclear = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(1, 0.025);
    const auto suite = [&](double factor) {
      Made made(2);
      for (int i = 0; i < 20; ++i) made.add(i == 7 ? "slow" : "same", {noise(random), noise(random)});
      for (model::Benchmark& b : made.set().benchmarks)
        if (b.name == "slow")
          for (model::Reading& r : b.readings) r.series[0].values = model::Samples({factor * r.series[0].values[0]});
      return made;
    };
    const Made base = suite(1), now = suite(1.2);
    for (const Comparison& c : judge(base.set(), now.set(), {}).comparisons) {
      if (c.name != "slow" || c.verdict != Verdict::inconclusive) continue;
      ++unclear;
      EXPECT_GT(c.minimal_detectable, c.change) << seed;
      EXPECT_NE(c.reason.find("by chance"), std::string::npos) << c.reason;
    }
  }
  EXPECT_GE(unclear, 3u);
}

// 300 rows that scatter, one of which got slower: among all of them less is sure than where only that one was asked
// about, and what the others are used for, the scatter and what all share, is the same.
TEST(Judge, WhatIsNotInQuestionTakesNoTries) {
  std::mt19937_64 random(11);
  std::lognormal_distribution<double> noise(0, 0.04);
  Made base(3), now(3);
  const auto runs = [&](double time) {
    return std::vector{time * noise(random), time * noise(random), time * noise(random)};
  };
  for (int i = 0; i < 300; ++i) {
    const std::string name = "row/" + std::to_string(i);
    base.add(name, runs(100));
    now.add(name, runs(name == "row/7" ? 116 : 100));
  }
  const auto row_7 = [&](const Policy& policy) {
    const Judgement judgement = judge(base.set(), now.set(), policy);
    return *std::ranges::find(judgement.comparisons, std::string("row/7"), &Comparison::name);
  };
  Policy of_one;
  of_one.in_question = [](const std::string&, const std::string& name) { return name == "row/7"; };
  const Comparison among_all = row_7({}), alone = row_7(of_one);
  EXPECT_NE(among_all.verdict, Verdict::critical);
  EXPECT_EQ(alone.verdict, Verdict::critical) << alone.reason;
  EXPECT_DOUBLE_EQ(alone.change, among_all.change);
  EXPECT_DOUBLE_EQ(*alone.p_value, *among_all.p_value);
  EXPECT_DOUBLE_EQ(*alone.q_value, *alone.p_value);
}

TEST(Judge, DuplicatesAreComparedInTheirOrder) {
  const Judgement j = judge(Made(3, true).add("b", {1, 1, 1}).add("b", {5, 5, 5}).add("b", {7, 7, 7}).set(),
                            Made(3, true).add("b", {1, 1, 1}).add("b", {10, 10, 10}).set(), {});
  EXPECT_EQ(j.summary.stable, 1u);
  EXPECT_EQ(j.summary.critical, 1u);
  EXPECT_EQ(j.summary.removed, 1u);
  ASSERT_FALSE(j.notes.empty());
  EXPECT_NE(j.notes[0].find("comes more than once"), std::string::npos);
}

TEST(Judge, RunsThatOtherToolsInterleavedArePaired) {
  Made base(3), now(3);
  base.add("b", {1.0, 2.0, 4.0});
  now.add("b", {1.2, 2.4, 4.8});
  const double at_base[] = {0, 30, 40}, at_now[] = {10, 20, 50};
  for (std::size_t i = 0; i < 3; ++i) {
    base.set().processes[i].start_unix_s = at_base[i];
    now.set().processes[i].start_unix_s = at_now[i];
  }
  EXPECT_TRUE(only(judge(base.set(), now.set(), {})).paired);
  EXPECT_EQ(only(judge(base.set(), now.set(), {})).verdict, Verdict::critical);
  now.set().processes[0].start_unix_s = 60;
  EXPECT_FALSE(only(judge(base.set(), now.set(), {})).paired);
}

TEST(Judge, NewSidesOfTwoSessionsAreNoPairsAndThatIsSaid) {
  const auto session = [](double start, double time) {
    Made made(4, true);
    made.add("b", {time, 1.001 * time, 0.999 * time, time});
    for (model::Process& p : made.set().processes) p.start_unix_s = start += 60;
    return made.set();
  };
  const Judgement j = judge(session(0, 1), session(90000, 1.02), {});
  EXPECT_FALSE(only(j).paired);
  EXPECT_TRUE(std::ranges::any_of(j.notes, [](const std::string& n) { return n.find("two sessions") != n.npos; }));
  EXPECT_TRUE(only(judge(session(0, 1), session(1, 1.02), {})).paired);
}

TEST(Judge, SameNameInTwoExecutablesIsKeptApart) {
  Made base(3, true), now(3, true);
  base.add("b", {1, 1, 1}).add("b", {2, 2, 2});
  now.add("b", {1, 1, 1}).add("b", {4, 4, 4});
  base.set().benchmarks[0].executable = now.set().benchmarks[0].executable = "one";
  base.set().benchmarks[1].executable = now.set().benchmarks[1].executable = "two";
  const Judgement j = judge(base.set(), now.set(), {});
  EXPECT_EQ(j.summary.critical, 1u);
  EXPECT_EQ(j.summary.stable, 1u);
}

TEST(Judge, AWarningOnTheCriticalPathIsCritical) {
  const std::vector<double> before{1.000, 1.003, 0.998, 1.001, 0.999}, after{1.065, 1.068, 1.061, 1.065, 1.066};
  Policy policy;
  policy.rules = {{.metric = "", .pattern = "^hot", .critical_path = true}};
  const Judgement j = judge(Made(5, true).add("hot/x", before).add("cold/x", before).set(),
                            Made(5, true).add("hot/x", after).add("cold/x", after).set(), policy);
  EXPECT_EQ(j.summary.critical, 1u);
  EXPECT_EQ(j.summary.warning, 1u);
  EXPECT_EQ(j.comparisons.front().name, "hot/x");
  EXPECT_NE(j.comparisons.front().reason.find("critical path"), std::string::npos);
}

TEST(Judge, ImprovementsHaveAThresholdOfTheirOwn) {
  const std::vector<double> before{1.000, 1.003, 0.998, 1.001, 0.999}, after{0.975, 0.978, 0.971, 0.975, 0.976};
  const auto judged = [&](double improvement) {
    Policy policy;
    policy.rules = {{.metric = "time", .improvement = improvement}};
    return only(judge(Made(5, true).add("b", before).set(), Made(5, true).add("b", after).set(), policy)).verdict;
  };
  EXPECT_EQ(judged(0.01), Verdict::improvement);
  EXPECT_EQ(judged(0.05), Verdict::stable);
}

// Properties that need no oracle.
TEST(Judge, SwappingTheSidesMirrorsTheInterval) {
  const std::vector<double> a{1.0, 1.1, 0.9, 1.05}, b{1.2, 1.25, 1.15, 1.3};
  const Comparison x = only(judge_one(a, b)), y = only(judge_one(b, a));
  EXPECT_NEAR((1 + x.low) * (1 + y.high), 1, 1e-12);
  EXPECT_NEAR((1 + x.change) * (1 + y.change), 1, 1e-12);
}

TEST(Judge, UnitsDoNotMatterAndOrderDoesNot) {
  const std::vector<double> a{1.0, 1.1, 0.9, 1.05}, b{1.2, 1.25, 1.15, 1.3};
  std::vector<double> a9, b9;
  for (double v : a) a9.push_back(v * 1e-9);
  for (double v : b) b9.push_back(v * 1e-9);
  EXPECT_NEAR(only(judge_one(a, b)).low, only(judge_one(a9, b9)).low, 1e-12);
  Made base1(4), now1(4), base2(4), now2(4);
  base1.add("p", a).add("q", b);
  now1.add("p", b).add("q", b);
  base2.add("q", b).add("p", a);
  now2.add("q", b).add("p", b);
  const Judgement one = judge(base1.set(), now1.set(), {}), two = judge(base2.set(), now2.set(), {});
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(one.comparisons[i].name, two.comparisons[i].name);
    EXPECT_EQ(one.comparisons[i].verdict, two.comparisons[i].verdict);
  }
}

TEST(Judge, ACommonShiftIsShownApartAndExplainedByYardsticks) {
  Made base(3), now(3);
  for (int i = 0; i < 20; ++i) {
    base.add("b" + std::to_string(i), {1.0, 1.001, 0.999});
    now.add("b" + std::to_string(i), {1.04, 1.041, 1.039});
  }
  for (auto& p : base.set().processes) p.yardsticks_start["fma"] = 100;
  for (auto& p : now.set().processes) p.yardsticks_start["fma"] = 100 / 1.04;
  const Judgement j = judge(base.set(), now.set(), {});
  ASSERT_TRUE(j.shift);
  EXPECT_NEAR(j.shift->change, 0.04, 0.002);
  EXPECT_NEAR(*j.shift->yardstick_change, 0.04, 0.002);
}

}  // namespace
}  // namespace pawl::decide
