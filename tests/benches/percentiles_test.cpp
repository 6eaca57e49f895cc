// percentiles_test.cpp -- quantiles of known samples, by the definition that the header names.
#include "percentiles.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

namespace pawl::bench {
namespace {

TEST(Percentiles, InterpolateBetweenOrderStatistics) {
  EXPECT_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_EQ(quantile({4, 1, 3, 2}, 0), 1);
  EXPECT_EQ(quantile({4, 1, 3, 2}, 1), 4);
  EXPECT_EQ(quantile({7}, 0.99), 7);
  EXPECT_NEAR(quantile({10, 20, 30, 40, 50}, 0.95), 48, 1e-12);  // R: quantile(c(10,20,30,40,50), 0.95) is 48
}

TEST(Percentiles, OfZeroToAHundredAreThemselves) {
  std::vector<double> samples(101);
  std::iota(samples.begin(), samples.end(), 0.0);
  const Percentiles p = percentiles(samples);
  EXPECT_NEAR(p.p50, 50, 1e-9);
  EXPECT_NEAR(p.p95.value(), 95, 1e-9);
  EXPECT_NEAR(p.p99.value(), 99, 1e-9);
}

// Of one sample all three would be that sample.
TEST(Percentiles, AreOfSamplesThatReachBeyondThem) {
  const auto of = [](std::size_t count) { return percentiles(std::vector<double>(count, 1.0)); };
  for (const std::size_t count : {1u, 19u}) {
    EXPECT_EQ(of(count).p50, 1) << count;
    EXPECT_FALSE(of(count).p95) << count;
    EXPECT_FALSE(of(count).p99) << count;
  }
  for (const std::size_t count : {20u, 99u}) {
    EXPECT_TRUE(of(count).p95) << count;
    EXPECT_FALSE(of(count).p99) << count;
  }
  EXPECT_TRUE(of(100).p95);
  EXPECT_TRUE(of(100).p99);
  EXPECT_THROW((void)percentiles({}), std::invalid_argument);
}

// The mean of this sample is 10.9; a percentile made from it would say so.
TEST(Percentiles, ARareSlowCallShowsOnlyInTheTail) {
  std::vector<double> samples(100, 1.0);
  samples[13] = 991.0;
  const Percentiles p = percentiles(samples);
  EXPECT_EQ(p.p50, 1);
  EXPECT_EQ(p.p95, 1);
  EXPECT_GT(p.p99, 10);
}

TEST(Percentiles, RefuseNoSampleAndNonsense) {
  EXPECT_THROW((void)quantile({}, 0.5), std::invalid_argument);
  EXPECT_THROW((void)quantile({1}, 1.5), std::invalid_argument);
}

}  // namespace
}  // namespace pawl::bench
