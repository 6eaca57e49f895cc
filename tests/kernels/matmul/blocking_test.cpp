// blocking_test.cpp -- block sizes fit the caches they are meant for, cut evenly, and stand unknown caches.
#include "kernels/matmul/blocking.hpp"

#include <gtest/gtest.h>

namespace pawl {
namespace {

constexpr CacheSizes kCaches[] = {{0, 0, 0},
                                  {32u << 10, 256u << 10, 0},
                                  {48u << 10, 1u << 20, 32u << 20},
                                  {1, 1, 1},
                                  {64u << 10, 512u << 10, 2u << 20}};

TEST(Blocking, BlocksAreNeverEmptyAndNeverLargerThanTheProduct) {
  for (const CacheSizes& caches : kCaches)
    for (std::size_t m : {1U, 13U, 14U, 15U, 1000U, 100000U})
      for (std::size_t n : {1U, 31U, 32U, 33U, 1000U, 100000U})
        for (std::size_t k : {1U, 255U, 256U, 257U, 1000U, 100000U})
          for (std::size_t bytes : {4U, 8U}) {
            const Blocking b = choose_blocking(m, n, k, bytes, 14, 128 / bytes, caches);
            const Blocking most = largest_blocking(k, bytes, 14, 128 / bytes, caches);
            ASSERT_TRUE(b.mc >= 1 && b.nc >= 1 && b.kc >= 1);
            ASSERT_TRUE(b.mc <= m && b.nc <= n && b.kc <= k);
            ASSERT_TRUE(b.mc <= most.mc && b.nc <= most.nc && b.kc <= most.kc);
          }
}

TEST(Blocking, EachBlockFitsItsCache) {
  const CacheSizes caches{48u << 10, 1u << 20, 32u << 20};
  for (std::size_t bytes : {4U, 8U}) {
    const std::size_t cols = 128 / bytes;
    const Blocking b = choose_blocking(100000, 100000, 100000, bytes, 14, cols, caches);
    EXPECT_LE((b.mc + 4 * cols) * b.kc * bytes, caches.l2_bytes);  // two panels of B and their copies beside it
    EXPECT_LE(b.nc * b.kc * bytes, caches.l3_bytes);
    EXPECT_GE(b.mc, 14u);
    EXPECT_GE(b.kc, 64u);
  }
}

TEST(Blocking, NoThinBlockIsLeftOver) {
  const CacheSizes caches{48u << 10, 1u << 20, 32u << 20};
  const std::size_t tallest = largest_blocking(768, 4, 14, 32, caches).mc;
  EXPECT_EQ(choose_blocking(tallest, 1000, 768, 4, 14, 32, caches).mc, tallest);
  const std::size_t two = choose_blocking(tallest + 1, 1000, 768, 4, 14, 32, caches).mc;
  EXPECT_TRUE(two < tallest && 2 * two > tallest) << two;
  const std::size_t most = largest_blocking(1 << 20, 4, 14, 32, caches).kc;
  const Blocking b = choose_blocking(1000, 1000, most + 1, 4, 14, 32, caches);
  EXPECT_LE(b.kc, most / 2 + 16);
  EXPECT_GE(2 * b.kc, most + 1);
}

}  // namespace
}  // namespace pawl
