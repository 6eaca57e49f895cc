#include "pawl/memory/size_class.hpp"

#include <gtest/gtest.h>

namespace pawl::memory {
namespace {

TEST(SizeClass, IsTheSmallestThatHoldsTheSize) {
  for (unsigned c = 0; c < kSizeClasses; ++c) {
    const std::size_t bytes = class_bytes(c);
    EXPECT_EQ(size_class(bytes), c);
    if (c + 1 < kSizeClasses) {
      EXPECT_EQ(size_class(bytes + 1), c + 1);
      EXPECT_GT(class_bytes(c + 1), bytes);
    }
  }
  EXPECT_EQ(size_class(0), 0u);
}

TEST(SizeClass, LosesAnEighthAtMostBeyond128Bytes) {
  for (std::size_t n = 129; n < kLargestClassBytes; n += 1 + n / 1000)
    EXPECT_LT(double(class_bytes(size_class(n)) - n), double(n) / 8 + 16) << n;
}

TEST(SizeClass, OfMultiplesOfAnAlignmentAreMultiplesOfIt) {
  for (std::size_t alignment = 16; alignment <= kPageBytes; alignment *= 2)
    for (std::size_t n = alignment; n <= 64 * alignment; n += alignment)
      EXPECT_EQ(class_bytes(size_class(n)) % alignment, 0u) << n << " to " << alignment;
}

}  // namespace
}  // namespace pawl::memory
