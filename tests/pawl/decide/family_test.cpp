// family_test.cpp -- Benjamini and Hochberg's rates, and what quiet tests cost.
#include "decide/family.hpp"

#include <gtest/gtest.h>

namespace pawl::decide {
namespace {

TEST(Family, WithoutReachItIsBenjaminiAndHochbergs) {
  // p m / k, smallest from the right: 0.01*5/1, 0.02*5/2, 0.03*5/3, 0.04*5/4, 0.5.
  const auto q =
      false_discovery_rates({{0.04, 1, true}, {0.01, 1, true}, {0.5, 1, true}, {0.02, 1, true}, {0.03, 1, true}});
  EXPECT_NEAR(q[1], 0.05, 1e-12);
  EXPECT_NEAR(q[3], 0.05, 1e-12);
  EXPECT_NEAR(q[4], 0.05, 1e-12);
  EXPECT_NEAR(q[0], 0.05, 1e-12);
  EXPECT_NEAR(q[2], 0.5, 1e-12);
}

TEST(Family, QuietTestsCostNothing) {
  std::vector<Hypothesis> tests(100, {0.7, 1e-12, false});
  tests.push_back({0.001, 0.3, true});
  EXPECT_NEAR(false_discovery_rates(tests).back(), 0.001, 1e-9);
  for (Hypothesis& test : tests) test.reach = 1;
  EXPECT_NEAR(false_discovery_rates(tests).back(), 0.101, 1e-9);
}

TEST(Family, ATestThatDoesNotCountTakesNoPlace) {
  const auto q = false_discovery_rates({{1e-9, 1, false}, {0.02, 1, true}});
  EXPECT_NEAR(q[1], 0.04, 1e-12);
  EXPECT_NEAR(q[0], 2e-9, 1e-15);
  EXPECT_TRUE(false_discovery_rates({}).empty());
}

TEST(Family, TheCutOfOneIsWhereItsRateIsTheOneAllowed) {
  constexpr double kRate = 0.01;
  EXPECT_DOUBLE_EQ(cut_of_one({{1, 1, false}}, kRate), kRate);
  EXPECT_DOUBLE_EQ(cut_of_one(std::vector<Hypothesis>(20, {1, 1, false}), kRate), kRate / 20);
  EXPECT_DOUBLE_EQ(cut_of_one(std::vector<Hypothesis>(20, {1, 1e-9, false}), kRate), kRate) << "chance brings none";
  std::vector<Hypothesis> mixed(10, {1, 0.0001, false});
  mixed.resize(14, {1, 0.5, false});
  const double cut = cut_of_one(mixed, kRate);
  EXPECT_DOUBLE_EQ(cut, (kRate - 10 * 0.0001) / 4);
  mixed.push_back({cut, 0, true});  // a reach of 0 so that it adds nothing to what chance brings
  EXPECT_NEAR(false_discovery_rates(mixed).back(), kRate, 1e-12);
  mixed.back().p = 1.01 * cut;
  EXPECT_GT(false_discovery_rates(mixed).back(), kRate);
}

}  // namespace
}  // namespace pawl::decide
