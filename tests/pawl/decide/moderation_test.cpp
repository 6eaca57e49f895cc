// moderation_test.cpp -- the prior is found again in variances that were drawn from it.
#include "decide/moderation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pawl::decide {
namespace {

TEST(Moderation, FindsThePriorThatVariancesWereDrawnFrom) {
  std::mt19937_64 random(1);
  const double d0 = 6, s0_sq = 4e-4, df = 4;
  std::chi_squared_distribution<double> prior(d0), sample(df);
  std::vector<Variance> variances;
  for (int i = 0; i < 20'000; ++i) variances.push_back({s0_sq * d0 / prior(random) * sample(random) / df, df});
  const Prior found = estimate_prior(variances);
  EXPECT_NEAR(found.d0, d0, 0.6);
  EXPECT_NEAR(found.s0_sq / s0_sq, 1, 0.05);
}

TEST(Moderation, EqualVariancesArePooledWhole) {
  std::mt19937_64 random(2);
  std::chi_squared_distribution<double> sample(200);
  std::vector<Variance> variances;
  for (int i = 0; i < 50; ++i) variances.push_back({1e-4 * sample(random) / 200, 200});
  const Prior found = estimate_prior(variances);
  EXPECT_GT(found.d0, 500);
}

TEST(Moderation, PullsTowardsThePriorByTheDegreesOfFreedom) {
  const Variance v = moderate({9, 2}, {4, 3}, 1000);
  EXPECT_NEAR(v.value, (4 * 3 + 2 * 9) / 6.0, 1e-12);
  EXPECT_EQ(v.df, 6);
}

TEST(Moderation, BorrowsNothingFromAFew) {
  const Prior none = estimate_prior({{1, 4}, {2, 4}});
  EXPECT_EQ(none.d0, 0);
  EXPECT_EQ(moderate({9, 2}, none, 8).value, 9);
}

TEST(Moderation, CopesWithZeros) {
  const Prior p = estimate_prior({{0, 4}, {0, 4}, {1e-4, 4}, {2e-4, 4}, {1e-4, 4}, {3e-4, 4}, {2e-4, 4}});
  EXPECT_TRUE(std::isfinite(p.s0_sq));
  EXPECT_GT(p.d0, 0);
  EXPECT_EQ(estimate_prior({{0, 4}, {0, 4}, {0, 4}, {0, 4}, {0, 4}, {0, 4}}).d0, 0);
}

}  // namespace
}  // namespace pawl::decide
