// yardsticks_test.cpp -- every yardstick that is given is positive, and caches are ordered as caches are.
#include "yardsticks.hpp"

#include <gtest/gtest.h>

namespace pawl::bench {
namespace {

TEST(Yardsticks, ArePositiveAndPlausible) {
  const Yardsticks y = measure_yardsticks();
  ASSERT_TRUE(y.contains("fma_f32_gflops"));
  ASSERT_TRUE(y.contains("fma_f64_gflops"));
  for (const auto& [name, value] : y) {
    EXPECT_GT(value, 0) << name;
    // No core runs a million GFLOP/s or GB/s: such a value means that the loop was optimised away.
    EXPECT_LT(value, 1e6) << name;
  }
}

}  // namespace
}  // namespace pawl::bench
