// metrics_test.cpp -- memory, allocations, accuracy, rates and scatter: each judged, none told twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "decide/judge.hpp"
#include "decide/metric_class.hpp"
#include "made_results.hpp"

namespace pawl::decide {
namespace {

using ::testing::HasSubstr;
using testing::Made;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> kTimes{1.000, 1.002, 0.998, 1.001, 0.999};

std::vector<double> times(const std::vector<double>& values, double factor) {
  std::vector<double> out;
  for (const double v : values) out.push_back(v * factor);
  return out;
}

const Comparison* find(const Judgement& j, const std::string& metric) {
  for (const Comparison& c : j.comparisons)
    if (c.metric == metric) return &c;
  return nullptr;
}

std::string notes(const Judgement& j) {
  std::string all;
  for (const std::string& note : j.notes) all += note + "\n";
  return all;
}

// One benchmark of unchanged time with a second metric that went from `before` to `after`.
Judgement second_metric(const std::string& metric, const std::vector<double>& before,
                        const std::vector<double>& after) {
  return judge(Made(before.size(), true).add("b", std::vector<double>(before.size(), 1)).with(metric, before).set(),
               Made(after.size(), true).add("b", std::vector<double>(after.size(), 1)).with(metric, after).set(), {});
}

Verdict verdict_of(const std::string& metric, double before, double after, std::size_t runs = 3) {
  const Judgement j = second_metric(metric, std::vector<double>(runs, before), std::vector<double>(runs, after));
  const Comparison* c = find(j, metric);
  EXPECT_EQ(j.comparisons.size(), c == nullptr ? 1u : 2u);
  return c == nullptr ? Verdict::stable : c->verdict;
}

TEST(MetricClass, GoesByTheWordsOfTheName) {
  EXPECT_EQ(metric_class("real_time"), "time");
  EXPECT_EQ(metric_class("items_per_second"), "throughput");
  EXPECT_EQ(metric_class("errors_per_second"), "throughput");
  EXPECT_EQ(metric_class("GFLOPS"), "throughput");
  EXPECT_EQ(metric_class("allocs_per_iter"), "allocations");
  EXPECT_EQ(metric_class("max_bytes_used"), "memory");
  EXPECT_EQ(metric_class("peak_rss"), "memory");
  EXPECT_EQ(metric_class("max_abs_error"), "accuracy");
  EXPECT_EQ(metric_class("MSE"), "accuracy");
  EXPECT_EQ(metric_class("maxUlp"), "accuracy");
  EXPECT_EQ(metric_class("mirror"), "other");  // not every name with "error" or "mse" in its letters
  EXPECT_EQ(metric_class("mattresses"), "other");
  EXPECT_EQ(natural_direction("snr"), Direction::smaller_is_worse);
  EXPECT_EQ(natural_direction("max_ulp"), Direction::larger_is_worse);
}

TEST(MetricClass, RatesAreKnownByTheirWordsHoweverTheyAreWritten) {
  for (const char* rate : {"fps", "FPS", "tps", "ops", "MOps", "kops", "ops/s", "tokens/sec", "tokens/second",
                           "tokens_per_s", "tokens_per_sec", "frame_rate", "frameRate", "itemsPerSecond", "ItemsPerSec",
                           "goodput", "items per second", "throughput"}) {
    EXPECT_EQ(metric_class(rate), "throughput") << rate;
    EXPECT_EQ(natural_direction(rate), Direction::smaller_is_worse) << rate;
    EXPECT_TRUE(direction_is_known(rate)) << rate;
  }
  for (const char* other : {"loops", "crops", "iterate", "rated", "stops", "per_item", "hops", "separate"}) {
    EXPECT_EQ(metric_class(other), "other") << other;
    EXPECT_EQ(natural_direction(other), Direction::larger_is_worse) << other;
    EXPECT_FALSE(direction_is_known(other)) << other;
  }
  // A share of misses is no rate that one wants to be high.
  for (const char* bad : {"miss_rate", "cache_misses", "error_rate", "drop_rate"}) {
    EXPECT_NE(metric_class(bad), "throughput") << bad;
    EXPECT_EQ(natural_direction(bad), Direction::larger_is_worse) << bad;
    EXPECT_TRUE(direction_is_known(bad)) << bad;
  }
  for (const char* good : {"speedup", "speed_up", "hit_rate", "efficiency"}) {
    EXPECT_EQ(metric_class(good), "other") << good << " has no unit of a rate";
    EXPECT_EQ(natural_direction(good), Direction::smaller_is_worse) << good;
    EXPECT_TRUE(direction_is_known(good)) << good;
  }
}

TEST(Metrics, ARateThatFellIsNoImprovement) {
  EXPECT_EQ(verdict_of("fps", 120, 60), Verdict::critical);
  EXPECT_EQ(verdict_of("fps", 60, 120), Verdict::improvement);
}

TEST(Metrics, AGuessedDirectionIsSaidToBeOne) {
  const auto notes_with = [](std::vector<Rule> rules) {
    Policy policy;
    policy.metrics = {"widgets", "fps"};
    policy.rules = std::move(rules);
    const std::vector<double> time(3, 1), count(3, 5);
    const auto set = Made(3).add("b", time).with("widgets", count).with("fps", count).set();
    return notes(judge(set, set, policy));
  };
  EXPECT_THAT(notes_with({}), HasSubstr("that more is worse is a guess for widgets;"));
  EXPECT_THAT(notes_with({{.metric = "widgets", .direction = Direction::smaller_is_worse}}),
              ::testing::Not(HasSubstr("guess")));
}

TEST(Metrics, BytesAreARateOnlyOfBenchesThatUseThemSo) {
  const auto judged = [](bool rate) {
    Policy policy;
    policy.metrics = {"bytes"};
    policy.bytes_are_a_rate = rate;
    const std::vector<double> before(3, 100), after(3, 300), time(3, 1);
    return judge(Made(3).add("b", time).with("bytes", before).set(), Made(3).add("b", time).with("bytes", after).set(),
                 policy)
        .comparisons.at(0)
        .verdict;
  };
  EXPECT_EQ(judged(true), Verdict::improvement);
  EXPECT_EQ(judged(false), Verdict::critical);
  EXPECT_EQ(verdict_of("bytes", 300, 100), Verdict::critical);
}

TEST(Metrics, AnAllocationInALoopThatHadNoneIsCritical) {
  EXPECT_EQ(verdict_of(model::kAllocations, 0, 1), Verdict::critical);
  EXPECT_EQ(verdict_of(model::kAllocations, 0, 1, 1), Verdict::critical);  // one run a side too: counts don't scatter
  EXPECT_EQ(verdict_of(model::kAllocations, 0, 0), Verdict::stable);
  EXPECT_EQ(verdict_of(model::kAllocations, 2, 0), Verdict::improvement);
  // Start-up costs spread over the iterations are no allocation of the loop.
  EXPECT_EQ(verdict_of(model::kAllocations, 0, 0.01), Verdict::stable);
  EXPECT_EQ(verdict_of(model::kAllocations, 0.02, 0.06), Verdict::stable);
  EXPECT_EQ(verdict_of(model::kAllocations, 0, 0.125), Verdict::warning);
}

TEST(Metrics, AllocationsBeyondThatGoByTenAndTwentyPercent) {
  EXPECT_EQ(verdict_of(model::kAllocations, 100, 105), Verdict::stable);
  EXPECT_EQ(verdict_of(model::kAllocations, 100, 112), Verdict::warning);
  EXPECT_EQ(verdict_of(model::kAllocations, 100, 125), Verdict::critical);
  EXPECT_EQ(verdict_of(model::kAllocations, 3, 4), Verdict::critical);
}

TEST(Metrics, MemoryGoesByTenAndTwentyPercent) {
  EXPECT_EQ(verdict_of(model::kPeakBytes, 1 << 20, 1.05 * (1 << 20)), Verdict::stable);
  EXPECT_EQ(verdict_of(model::kPeakBytes, 1 << 20, 1.15 * (1 << 20)), Verdict::warning);
  EXPECT_EQ(verdict_of(model::kPeakBytes, 1 << 20, 1.30 * (1 << 20)), Verdict::critical);
  EXPECT_EQ(verdict_of(model::kPeakBytes, 0, 64), Verdict::critical);
}

TEST(Metrics, ErrorsGrowAndQualitiesShrinkForTheWorse) {
  EXPECT_EQ(verdict_of("max_error", 1e-6, 2e-6), Verdict::critical);
  EXPECT_EQ(verdict_of("max_error", 2e-6, 1e-6), Verdict::improvement);
  EXPECT_EQ(verdict_of("max_error", 1e-6, 1e-6, 1), Verdict::stable);
  EXPECT_EQ(verdict_of("accuracy", 0.98, 0.80), Verdict::critical);
  EXPECT_EQ(verdict_of("mse", 1e-6, kNaN), Verdict::failed);  // NaN now is no better than any number
}

TEST(Metrics, AnythingElseIsComparedOnlyWhenAskedFor) {
  EXPECT_EQ(verdict_of("widgets", 1, 100), Verdict::stable);
  EXPECT_EQ(verdict_of("p99", 1, 100), Verdict::stable);
}

TEST(Metrics, ARateThatIsWorkOverTimeIsNotToldTwice) {
  const auto side = [](double factor) {
    Made made(5, true);
    made.add("b", times(kTimes, factor));
    std::vector<double> rates;
    for (const double t : kTimes) rates.push_back(1000 / (t * factor));
    return made.with("items_per_second", rates).with("cpu_time", times(kTimes, factor)).set();
  };
  const Judgement j = judge(side(1), side(1.3), {});
  EXPECT_EQ(j.comparisons.size(), 1u);
  EXPECT_EQ(j.summary.critical, 1u);
  EXPECT_THAT(notes(j), HasSubstr("work over time"));
  Policy asked;
  asked.metrics = {"real_time", "items_per_second"};
  asked.also.clear();
  EXPECT_EQ(judge(side(1), side(1.3), asked).summary.critical, 2u);
}

TEST(Metrics, ARateThatIsNoWorkOverTimeIsJudged) {
  const auto side = [](double rate) {
    return Made(5, true).add("b", kTimes).with("hits_per_second", times({1000, 1001, 1002, 999, 998}, rate)).set();
  };
  const Judgement j = judge(side(1), side(0.5), {});
  ASSERT_NE(find(j, "hits_per_second"), nullptr);
  EXPECT_EQ(find(j, "hits_per_second")->verdict, Verdict::critical);
}

TEST(Metrics, CpuTimeSpeaksOnlyWhereTheTimeDoesNot) {
  const auto side = [](double real, double cpu) {
    return Made(5, true).add("b", times(kTimes, real)).with("cpu_time", times(kTimes, cpu)).set();
  };
  EXPECT_EQ(judge(side(1, 1), side(1, 1), {}).comparisons.size(), 1u);
  EXPECT_EQ(judge(side(1, 1), side(1.3, 1.3), {}).comparisons.size(), 1u);
  const Judgement j = judge(side(1, 1), side(1, 2), {});  // twice the CPU for the same wall time
  ASSERT_NE(find(j, "cpu_time"), nullptr);
  EXPECT_EQ(find(j, "cpu_time")->verdict, Verdict::critical);
  EXPECT_EQ(exit_code(j, FailOn::critical), 1);
  // What was folded is still there for whoever confirms a suspicion.
  const Judgement same = judge(side(1, 1), side(1, 1), {});
  ASSERT_FALSE(same.folded.empty());
  EXPECT_EQ(same.folded.front().metric, "cpu_time");
  EXPECT_THAT(notes(same), HasSubstr("cpu_time (1)"));
}

TEST(Metrics, AMetricThatVanishedIsSaid) {
  const Judgement j = judge(Made(3, true).add("b", {1, 1, 1}).with("max_error", {1, 1, 1}).set(),
                            Made(3, true).add("b", {1, 1, 1}).set(), {});
  EXPECT_EQ(j.comparisons.size(), 1u);
  EXPECT_THAT(notes(j), HasSubstr("max_error is missing in 1 benchmark"));
}

TEST(Metrics, ABenchmarkWithoutAMetricThatOthersHaveIsNoFailure) {
  Policy asked;
  asked.metrics = {"real_time", "widgets"};
  asked.also.clear();
  const auto side = [] {
    return Made(3, true).add("a", {1, 1, 1}).with("widgets", {5, 5, 5}).add("b", {1, 1, 1}).set();
  };
  EXPECT_EQ(judge(side(), side(), asked).summary.stable, 3u);
}

TEST(Metrics, AScatterThatGrewIsAWarningOnlyWhenEstablished) {
  const std::vector<double> quiet{1.0000, 1.0003, 0.9998, 1.0001, 0.9997, 1.0002, 0.9999, 1.0001, 0.9998, 1.0002},
      noisy{1.00, 1.06, 0.94, 1.03, 0.95, 1.05, 0.96, 1.07, 0.93, 1.02},
      twice{1.0000, 1.0006, 0.9996, 1.0002, 0.9994, 1.0004, 0.9998, 1.0002, 0.9996, 1.0004};
  const auto judged = [&](const std::vector<double>& now) {
    return judge(Made(10, true).add("b", quiet).set(), Made(10, true).add("b", now).set(), {});
  };
  const Judgement grown = judged(noisy);
  ASSERT_NE(find(grown, kVariance), nullptr);
  EXPECT_EQ(find(grown, kVariance)->verdict, Verdict::warning);
  EXPECT_EQ(exit_code(grown, FailOn::critical), 0);
  EXPECT_EQ(find(judged(twice), kVariance), nullptr);
  EXPECT_EQ(find(judged(quiet), kVariance), nullptr);
  // One disturbed run of ten is no change of the scatter.
  std::vector<double> one_wild = quiet;
  one_wild[3] = 1.4;
  EXPECT_EQ(find(judged(one_wild), kVariance), nullptr);
}

}  // namespace
}  // namespace pawl::decide
