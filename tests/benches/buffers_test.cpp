// buffers_test.cpp -- arrays start where they should, apart from each other, with seeded contents.
#include "buffers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace pawl::bench {
namespace {

TEST(Placement, OffsetsAreLinesWithinAPageAndFarApart) {
  for (unsigned placement = 0; placement < 100; ++placement)
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t a = placement_offset(placement, i);
      EXPECT_EQ(a % 64, 0u);
      EXPECT_LT(a, 4096u);
      for (std::size_t j = 0; j < i; ++j) {
        const std::size_t distance = (a - placement_offset(placement, j) + 4096) % 4096;
        EXPECT_GE(std::min(distance, 4096 - distance), 5 * 64u)
            << "placement " << placement << ", arrays " << j << " and " << i;
      }
    }
}

TEST(Placement, DiffersFromRunToRun) { EXPECT_NE(placement_offset(0, 1), placement_offset(1, 1)); }

TEST(Buffers, StartAtTheirOffsetsAndDoNotOverlap) {
  Buffers buffers;
  const auto a = buffers.make<float>(1000), b = buffers.make<float>(5000), c = buffers.make<float>(1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 4096, placement_offset(placement(), 0));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % 4096, placement_offset(placement(), 1));
  EXPECT_LE(a.data() + a.size(), b.data());
  EXPECT_LE(b.data() + b.size(), c.data());
  EXPECT_THROW((void)buffers.make<double>(std::size_t{1} << 40), std::bad_alloc);
}

TEST(Buffers, TheNextBenchmarkGetsTheSameAddresses) {
  const void* first = nullptr;
  {
    Buffers buffers;
    first = buffers.make<float>(10).data();
  }
  Buffers buffers;
  EXPECT_EQ(buffers.make<float>(10).data(), first);
}

TEST(Buffers, RandomValuesAreSeededDistinctAndInRange) {
  Buffers buffers;
  const auto a = buffers.random<float>(10'000, 1), b = buffers.random<float>(10'000, 1),
             c = buffers.random<float>(10'000, 2);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));
  EXPECT_FALSE(std::equal(a.begin(), a.end(), c.begin()));
  double sum = 0;
  for (float x : a) {
    ASSERT_GE(x, -1.0f);
    ASSERT_LE(x, 1.0f);
    sum += static_cast<double>(x);
  }
  EXPECT_NEAR(sum / 1e4, 0, 5 / std::sqrt(3e4));  // five standard errors of the mean of U(-1, 1)
}

}  // namespace
}  // namespace pawl::bench
