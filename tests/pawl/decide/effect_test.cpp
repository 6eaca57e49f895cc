// effect_test.cpp -- changes and their scatter, paired or not, and the one wild run.
#include "decide/effect.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pawl::decide {
namespace {

std::vector<RunValue> runs(const std::vector<double>& values, int first_pair = -1) {
  std::vector<RunValue> out;
  for (const double v : values) out.push_back({v, first_pair < 0 ? -1 : first_pair++, out.size()});
  return out;
}

TEST(Effect, PairsUseTheirDifferencesAlone) {
  // What both halves of a pair meet cancels.
  const Effect e = measure_effect(runs({1, 2, 4}, 0), runs({1.1, 2.2, 4.4}, 0));
  EXPECT_TRUE(e.paired);
  EXPECT_NEAR(e.difference, std::log(1.1), 1e-12);
  EXPECT_NEAR(e.variance.value, 0, 1e-20);
  EXPECT_EQ(e.variance.df, 2);
  EXPECT_FALSE(measure_effect(runs({1, 2, 4}), runs({1.1, 2.2, 4.4})).paired);
}

TEST(Effect, AFailedRunCostsItsPairAndNoMore) {
  const Effect e = measure_effect(runs({1, 2, 4, 8, 16}, 0), runs({2.2, 4.4, 8.8, 17.6}, 1));
  EXPECT_TRUE(e.paired);
  EXPECT_EQ(e.runs_base, 4u);
  EXPECT_NEAR(e.difference, std::log(1.1), 1e-12);
  EXPECT_FALSE(measure_effect(runs({1, 2, 4, 8, 16}, 0), runs({1, 2, 4, 8, 16}, 3)).paired);  // two pairs of five
}

TEST(Effect, WithoutPairsTheVarianceIsPooled) {
  const Effect e = measure_effect(runs({std::exp(0.0), std::exp(0.2)}), runs({std::exp(1.0), std::exp(1.4)}));
  EXPECT_NEAR(e.difference, 1.1, 1e-12);
  EXPECT_NEAR(e.variance.value, (0.02 + 0.08) / 2, 1e-12);  // sums of squares over n + m - 2
  EXPECT_EQ(e.variance.df, 2);
  EXPECT_NEAR(e.per_variance, 1, 1e-12);
}

TEST(Effect, ZerosAreComparedByDifferences) {
  const Effect e = measure_effect(runs({0, 2}), runs({2, 2}));
  EXPECT_EQ(e.scale, Scale::relative);
  EXPECT_NEAR(e.difference, 1, 1e-12);
  EXPECT_NEAR(e.base, 1, 1e-12);
  EXPECT_NEAR(e.now, 2, 1e-12);
  EXPECT_EQ(measure_effect(runs({0, 0}), runs({2, 2})).scale, Scale::absolute);
}

TEST(Effect, OneWildRunIsSetAsideAndSaid) {
  const std::vector<double> base{1.000, 1.002, 0.998, 1.001, 0.999};
  std::vector<double> now = base;
  now[2] = 1.5;
  const Effect e = measure_effect(runs(base, 0), runs(now, 0));
  EXPECT_NEAR(e.difference, 0, 1e-12);
  EXPECT_EQ(e.runs_now, 4u);
  ASSERT_EQ(e.set_aside.size(), 1u);
  EXPECT_NE(e.set_aside[0].find("run 3 of 5 of the new side is +"), std::string::npos) << e.set_aside[0];
}

TEST(Effect, ARunNearTheOtherSideIsNotWild) {
  // Two modes, of which the base has met one only once: nobody may throw that run away.
  const Effect e = measure_effect(runs({1.000, 1.002, 0.998, 1.001, 1.5}), runs({1.500, 1.502, 1.498, 1.501, 1.499}));
  EXPECT_TRUE(e.set_aside.empty());
}

TEST(Effect, AWildRunOfTheSideThatHasEnoughIsSetAside) {
  const std::vector<double> many{1.000, 1.5, 0.998, 1.001, 0.999}, few{1.001, 0.999, 1.000};
  const Effect of_base = measure_effect(runs(many), runs(few)), of_now = measure_effect(runs(few), runs(many));
  EXPECT_EQ(of_base.runs_base, 4u);
  EXPECT_EQ(of_base.runs_now, 3u);
  EXPECT_EQ(of_now.runs_now, 4u);
  // Of three nobody can say which is the wild one, and they tell how much runs scatter.
  const Effect unclear = measure_effect(runs({1.000, 1.1, 0.998, 1.001, 0.999}), runs({1.001, 1.2, 1.000}));
  EXPECT_TRUE(unclear.set_aside.empty());
}

TEST(Effect, TwoWildRunsAreNoAccident) {
  const Effect e = measure_effect(runs({1.000, 1.002, 0.998, 1.001, 0.999}), runs({1.000, 1.5, 0.998, 1.5, 0.999}));
  EXPECT_TRUE(e.set_aside.empty());
}

TEST(Effect, ChanceAloneSeldomLooksWild) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0, 0.01);
  std::size_t wild = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::vector<double> a, b;
    for (int k = 0; k < 5; ++k) {
      a.push_back(std::exp(normal(random)));
      b.push_back(std::exp(normal(random)));
    }
    wild += measure_effect(runs(a), runs(b)).set_aside.size();
  }
  EXPECT_LE(wild, 100u);  // a run in 1000; without the extremes the rest looks quieter than it is
}

}  // namespace
}  // namespace pawl::decide
