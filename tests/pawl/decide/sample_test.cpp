// sample_test.cpp -- one value per process run: the fastest of five repetitions, the median of what is no time.
#include "decide/sample.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "made_results.hpp"

namespace pawl::decide {
namespace {

using testing::Made;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Centre, OfADurationIsTheShortest) {
  EXPECT_DOUBLE_EQ(centre_of({7}, Quantity::duration), 7);
  EXPECT_DOUBLE_EQ(centre_of({5, 3}, Quantity::duration), 3);
  EXPECT_DOUBLE_EQ(centre_of({9, 1, 3}, Quantity::duration), 1);
  EXPECT_DOUBLE_EQ(centre_of({50, 2, 4, 40, 3}, Quantity::duration), 2);
}

TEST(Centre, OfARateIsTheHighest) {
  EXPECT_DOUBLE_EQ(centre_of({9, 1, 3}, Quantity::rate), 9);
  EXPECT_DOUBLE_EQ(centre_of({50, 2, 4, 40, 30}, Quantity::rate), 50);
}

// Of six, the five drawn miss the shortest in one case of six; of seven in two, and then hold the next in 5 of 6.
TEST(Centre, OfMoreThanFiveIsTheShortestExpectedOfFive) {
  EXPECT_NEAR(centre_of({50, 1, 4, 40, 7, 60}, Quantity::duration), (5 * 1 + 4) / 6.0, 1e-12);
  EXPECT_NEAR(centre_of({50, 1, 4, 40, 8, 60, 70}, Quantity::duration), (15 * 1 + 5 * 4 + 8) / 21.0, 1e-12);
  EXPECT_NEAR(1 / centre_of({1 / 50.0, 1, 1 / 4.0, 1 / 40.0, 1 / 7.0, 1 / 60.0}, Quantity::rate), 1.5, 1e-12);
}

TEST(Centre, DoesNotGetShorterWithTheNumberOfRepetitions) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(100, 1);
  const auto mean_of = [&](std::size_t n) {
    constexpr int kTrials = 4000;
    double sum = 0;
    for (int t = 0; t < kTrials; ++t) {
      std::vector<double> values(n);
      for (double& v : values) v = normal(random);
      sum += centre_of(values, Quantity::duration);
    }
    return sum / kTrials;
  };
  const double of_five = mean_of(5);
  EXPECT_NEAR(of_five, 100 - 1.163, 0.05);
  EXPECT_NEAR(mean_of(10), of_five, 0.05);
  EXPECT_NEAR(mean_of(50), of_five, 0.05);
}

TEST(Centre, OfAnythingElseIsTheMedian) {
  EXPECT_DOUBLE_EQ(centre_of({9, -1, 3}, Quantity::other), 3);
  EXPECT_DOUBLE_EQ(centre_of({9, 0, 3, 4}, Quantity::other), 3.5);
}

TEST(Centre, WhateverTheSlowerOnesAreChangesNothing) {
  EXPECT_DOUBLE_EQ(centre_of({1, 2, 3, 4, 5}, Quantity::duration),
                   centre_of({1, 1e300, 1e300, 1e300, 1e300}, Quantity::duration));
  EXPECT_DOUBLE_EQ(centre_of({1, 2, 3, 4, 5}, Quantity::rate),
                   centre_of({1e-300, 1e-300, 1e-300, 1e-300, 5}, Quantity::rate));
}

TEST(Sample, TakesTheCentreThatSuitsTheQuantity) {
  auto made = Made(1).add("b", {1}).repetitions({{8, 2, 4}});
  const auto value = [&](Quantity quantity) {
    return sample_of(made.set().benchmarks[0], model::kRealTime, quantity, {}).runs.at(0).value;
  };
  EXPECT_DOUBLE_EQ(value(Quantity::duration), 2);
  EXPECT_DOUBLE_EQ(value(Quantity::rate), 8);
  EXPECT_DOUBLE_EQ(value(Quantity::other), 4);
}

TEST(Sample, ZeroIsACountButNoDuration) {
  auto made = Made(2).add("b", {1, 1}).repetitions({{0, 2, kInfinity, 4}, {0, 0, 0}});
  const model::Benchmark& b = made.set().benchmarks[0];
  const Sample durations = sample_of(b, model::kRealTime, Quantity::duration, {});
  ASSERT_EQ(durations.runs.size(), 1u);
  EXPECT_DOUBLE_EQ(durations.runs[0].value, 2);
  EXPECT_EQ(durations.dropped, 2u);
  EXPECT_EQ(durations.without, 1u);
  const Sample counts = sample_of(b, model::kRealTime, Quantity::other, {});
  ASSERT_EQ(counts.runs.size(), 2u);
  EXPECT_DOUBLE_EQ(counts.runs[0].value, 2);
  EXPECT_DOUBLE_EQ(counts.runs[1].value, 0);
}

TEST(Sample, RepetitionsThatScatterBoundTheVarianceFromBelow) {
  auto made = Made(2).add("b", {1, 1}).repetitions({{1.0, 1.1, 0.9}, {1.0, 1.0, 5.0}});
  const Sample sample = sample_of(made.set().benchmarks[0], model::kRealTime, Quantity::duration, {});
  const double sigma = std::log(1.0 / 0.9) / 0.8694;  // the least of three is expected 0.8694 sigma below the middle
  EXPECT_NEAR(sample.runs[0].within, sigma * sigma / 2, 1e-5);
  EXPECT_EQ(sample.runs[1].within, 0) << "one slow repetition moves no centre";
  const Sample counts = sample_of(made.set().benchmarks[0], model::kRealTime, Quantity::other, {});
  EXPECT_NEAR(counts.runs[0].within, 1.4826 * 1.4826 * 0.01 / 3, 1e-12);
}

TEST(Quantity, FollowsTheClassOfTheMetric) {
  EXPECT_EQ(quantity_of("real_time"), Quantity::duration);
  EXPECT_EQ(quantity_of("p99"), Quantity::duration);
  EXPECT_EQ(quantity_of("flops"), Quantity::rate);
  EXPECT_EQ(quantity_of("bytes_per_second"), Quantity::rate);
  EXPECT_EQ(quantity_of("allocs_per_iter"), Quantity::other);
  EXPECT_EQ(quantity_of("max_bytes_used"), Quantity::other);
}

}  // namespace
}  // namespace pawl::decide
