// distributions_test.cpp -- against values printed by R 4 (pt, qt, digamma, trigamma) and by tables.
#include "decide/distributions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "decide/quantiles.hpp"

namespace pawl::decide {
namespace {

TEST(StudentT, TailsAreThoseOfTheTables) {
  EXPECT_NEAR(t_two_sided(12.7062047362, 1), 0.05, 1e-10);  // the 97.5 % points of every printed table
  EXPECT_NEAR(t_two_sided(2.7764451052, 4), 0.05, 1e-10);
  EXPECT_NEAR(t_two_sided(2.2281388520, 10), 0.05, 1e-10);
  EXPECT_NEAR(t_two_sided(1.9839715185, 100), 0.05, 1e-10);
  EXPECT_NEAR(t_two_sided(1.9599639845, std::numeric_limits<double>::infinity()), 0.05, 1e-10);
  EXPECT_NEAR(t_two_sided(4.6040948713, 4), 0.01, 1e-10);
  // df = 1 is Cauchy's and df = 2 has a closed form: both exact.
  for (double t : {0.1, 1.0, 3.0, 1000.0}) {
    EXPECT_NEAR(t_two_sided(t, 1) / (1 - 2 / M_PI * std::atan(t)), 1, 1e-9);
    EXPECT_NEAR(t_two_sided(t, 2) / (1 - t / std::sqrt(2 + t * t)), 1, 1e-6);
  }
  EXPECT_EQ(t_two_sided(0, 5), 1);
  EXPECT_EQ(t_two_sided(std::numeric_limits<double>::infinity(), 5), 0);
  EXPECT_EQ(t_two_sided(-2, 5), t_two_sided(2, 5));
}

TEST(StudentT, QuantilesInvertTails) {
  for (double df : {1.0, 2.5, 4.0, 30.0, 1000.0})
    for (double p : {0.5, 0.05, 0.01, 1e-6}) EXPECT_NEAR(t_two_sided(t_quantile_two_sided(p, df), df) / p, 1, 1e-8);
}

// The 5 % and 1 % points of printed tables, and the square of t.
TEST(FisherF, TailsAreThoseOfTheTables) {
  EXPECT_NEAR(f_upper(3.3258345, 5, 10), 0.05, 1e-6);
  EXPECT_NEAR(f_upper(5.6363262, 5, 10), 0.01, 1e-6);
  EXPECT_NEAR(f_upper(2.5 * 2.5, 1, 7), t_two_sided(2.5, 7), 1e-10);
  EXPECT_NEAR(f_upper(1, 4, 4), 0.5, 1e-10);
}

TEST(StudentT, RememberedQuantilesAreThoseOfTheDistribution) {
  for (double df : {0.5, 1.0, 3.0, 3.7, 17.3, 250.0, 1e9})
    for (double p : {0.05, 0.01}) {
      const double exact = t_quantile_two_sided(p, df);
      EXPECT_GE(t_quantile(p, df), exact * (1 - 1e-9)) << df;
      EXPECT_LE(t_quantile(p, df), exact * (df < 1 ? 1.02 : 1.005)) << df;
    }
}

TEST(Gamma, DerivativesHaveTheirKnownValues) {
  constexpr double kEuler = 0.57721566490153286;
  EXPECT_NEAR(digamma(1), -kEuler, 1e-12);
  EXPECT_NEAR(digamma(0.5), -kEuler - 2 * std::log(2.0), 1e-12);
  EXPECT_NEAR(trigamma(1), M_PI * M_PI / 6, 1e-12);
  EXPECT_NEAR(trigamma(0.5), M_PI * M_PI / 2, 1e-11);
  for (double x : {0.3, 1.7, 25.0}) EXPECT_NEAR(digamma(x + 1) - digamma(x), 1 / x, 1e-11);
  for (double y : {1e-4, 0.1, 1.0, 50.0}) EXPECT_NEAR(trigamma(trigamma_inverse(y)) / y, 1, 1e-8);
}

}  // namespace
}  // namespace pawl::decide
