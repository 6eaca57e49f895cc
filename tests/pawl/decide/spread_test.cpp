// spread_test.cpp -- how often a scatter is said to have grown: hardly ever where it did not, on noise of one or two
// modes.
#include "decide/spread.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace pawl::decide {
namespace {

using Noise = std::function<double(std::mt19937_64&)>;

Noise normal(double deviation) {
  return [=](std::mt19937_64& random) { return deviation * std::normal_distribution<double>()(random); };
}

// Process runs of 0.5 %, of which a share is slower by `apart` (of the logarithm).
Noise two_modes(double share, double apart) {
  return [=](std::mt19937_64& random) {
    return normal(0.005)(random) + (std::bernoulli_distribution(share)(random) ? apart : 0);
  };
}

std::vector<RunValue> runs_of(std::size_t count, const Noise& noise, std::mt19937_64& random) {
  std::vector<RunValue> runs(count);
  for (RunValue& run : runs) run.value = std::exp(noise(random));
  return runs;
}

// The share of comparisons in which a single benchmark would be a WARNING: established at a tenth of 1.5 %.
double growth_found(std::size_t runs, const Noise& base, const Noise& now) {
  constexpr int kTrials = 1500;
  std::mt19937_64 random(20240901);
  int found = 0;
  for (int i = 0; i < kTrials; ++i) {
    const auto before = runs_of(runs, base, random), after = runs_of(runs, now, random);
    const auto spread = measure_spread(before, after, 0.95);
    found += spread && spread->p_value <= 0.0015 && spread->now / spread->base >= 2;
  }
  return static_cast<double>(found) / kTrials;
}

TEST(Spread, OneModeDoesNotLookLikeGrowth) {
  for (const std::size_t runs : {5, 10}) EXPECT_LE(growth_found(runs, normal(0.01), normal(0.01)), 0.001) << runs;
}

// Five runs may all be of one mode on one side and of both on the other.
TEST(Spread, ASecondModeOnBothSidesDoesNotLookLikeGrowth) {
  for (const std::size_t runs : {5, 10})
    for (const double share : {0.5, 0.2})
      for (const double apart : {0.3, 0.1})
        EXPECT_LE(growth_found(runs, two_modes(share, apart), two_modes(share, apart)), 0.005)
            << runs << " runs, " << share << " of them slower by " << apart;
}

TEST(Spread, GrowthOfNormalNoiseIsFound) {
  EXPECT_GE(growth_found(5, normal(0.01), normal(0.05)), 0.05);
  EXPECT_GE(growth_found(10, normal(0.01), normal(0.03)), 0.15);
  EXPECT_GE(growth_found(10, normal(0.01), normal(0.05)), 0.60);
}

TEST(Spread, TheMirrorOfGrowthIsLessScatter) {
  std::mt19937_64 random(1);
  const auto quiet = runs_of(10, normal(0.001), random), noisy = runs_of(10, normal(0.1), random);
  const auto grown = measure_spread(quiet, noisy, 0.95), shrunk = measure_spread(noisy, quiet, 0.95);
  ASSERT_TRUE(grown && shrunk);
  EXPECT_DOUBLE_EQ(grown->p_value, shrunk->p_value);
  EXPECT_NEAR((1 + grown->low) * (1 + shrunk->high), 1, 1e-9);
  EXPECT_NEAR((1 + grown->high) * (1 + shrunk->low), 1, 1e-9);
  EXPECT_GT(grown->low, 1);
}

TEST(Spread, TwoGroupsAreNamed) {
  const auto made = [](std::vector<double> values) {
    std::vector<RunValue> runs(values.size());
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i].value = values[i];
    return runs;
  };
  const auto quiet = made({1.000, 1.002, 0.998, 1.001, 0.999});
  const auto spread = measure_spread(quiet, made({1.001, 1.301, 0.999, 1.299, 1.000}), 0.95);
  ASSERT_TRUE(spread);
  EXPECT_TRUE(spread->two_groups);
  EXPECT_EQ(spread->p_value, 1);
  EXPECT_LE(spread->low, 0);
  EXPECT_FALSE(measure_spread(quiet, made({1.05, 1.2, 0.9, 1.1, 1.0}), 0.95)->two_groups);
}

}  // namespace
}  // namespace pawl::decide
