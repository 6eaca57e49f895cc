// random_test.cpp -- random arrays: the specification's numbers, the same bits in every variant, from any place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"
#include "pawl/random.hpp"
#include "reference/random_ref.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;

template <class T>
class Random : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Random, Types);

template <class T>
std::vector<T> normal(std::size_t n, std::uint64_t seed) {
  std::vector<T> x(n);
  fill_normal(std::span<T>(x), seed);
  return x;
}

template <class T>
bool same_bits(const T* a, const T* b, std::size_t n) {
  return std::memcmp(a, b, n * sizeof(T)) == 0;
}

// The seed whose word number 0 is `word`: SplitMix64's steps backwards.
std::uint64_t seed_of(std::uint64_t word) {
  const auto undo = [](std::uint64_t z, int shift) {
    std::uint64_t x = z;
    for (int k = 0; k < 64 / shift; ++k) x = z ^ (x >> shift);
    return x;
  };
  const auto inverse = [](std::uint64_t odd) {
    std::uint64_t x = odd;  // Newton: each step doubles the digits that are right, of which there are 3 at first
    for (int k = 0; k < 5; ++k) x *= 2 - odd * x;
    return x;
  };
  std::uint64_t z = undo(word, 31) * inverse(0x94d049bb133111ebu);
  z = undo(z, 27) * inverse(0xbf58476d1ce4e5b9u);
  return undo(z, 30) - 0x9e3779b97f4a7c15u;
}

TYPED_TEST(Random, NormalIsWithinItsBoundOfTheSpecification) {
  using T = TypeParam;
  constexpr std::size_t n = 200'000;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{42}, ~std::uint64_t{0}}) {
    const std::vector<T> x = normal<T>(n, seed);
    for (std::size_t i = 0; i < n; ++i) {
      const long double exact = reference::normal<T>(seed, i);
      ASSERT_LE(std::abs(x[i] - exact), 4 * std::numeric_limits<T>::epsilon() * std::abs(exact))
          << i << " of seed " << seed;
    }
  }
}

TYPED_TEST(Random, NormalAtTheEndsOfUAndAtWholeQuartersOfATurn) {
  using T = TypeParam;
  for (const std::uint64_t upper : {0x00000000u, 0x00000001u, 0x3fffffffu, 0x40000000u, 0x7fffffffu, 0x80000000u,
                                    0xbfffffffu, 0xc0000000u, 0xfffffffeu, 0xffffffffu})
    for (const std::uint64_t lower : {0x00000000u, 0x1fffffffu, 0x20000000u, 0x3fffffffu, 0x40000000u, 0x60000000u,
                                      0x80000000u, 0x80000001u, 0xa0000000u, 0xc0000000u, 0xe0000000u, 0xffffffffu}) {
      // f64: the word is u alone, or, as word 1 of the seed before, v.
      const std::uint64_t at = seed_of(upper << 32 | lower);
      ASSERT_EQ(random_bits(at, 0), upper << 32 | lower);
      for (const std::uint64_t seed : {at, at - 0x9e3779b97f4a7c15u}) {
        const std::vector<T> x = normal<T>(2, seed);
        for (std::size_t i = 0; i < 2; ++i) {
          const long double exact = reference::normal<T>(seed, i);
          ASSERT_LE(std::abs(x[i] - exact), 4 * std::numeric_limits<T>::epsilon() * std::abs(exact))
              << std::hex << upper << " " << lower << " element " << i << ": " << x[i] << " for " << exact;
        }
      }
    }
}

TYPED_TEST(Random, UniformIsTheSpecification) {
  using T = TypeParam;
  constexpr std::size_t n = 10'001;
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    std::vector<T> x(n), y(n);
    fill_uniform(std::span<T>(x), 7);
    fill_uniform(std::span<T>(y), 7, T(-3), T(0.1));
    for (std::size_t i = 0; i < n; ++i) {
      const T u = reference::unit_interval<T>(7, i);
      ASSERT_EQ(x[i], u) << name(isa) << " " << i;
      const T length = (T(0.1) - T(-3)) * u;
      ASSERT_EQ(y[i], T(-3) + length) << name(isa) << " " << i;
    }
  }
}

TYPED_TEST(Random, UniformNeverReachesItsEnd) {
  using T = TypeParam;
  // Two numbers with nothing between: half of all products round up to the end.
  const T low = 1, high = std::nextafter(T(1), T(2));
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    std::vector<T> x(1000);
    fill_uniform(std::span<T>(x), 3, low, high);
    EXPECT_THAT(x, ::testing::Each(low)) << name(isa);
  }
}

TYPED_TEST(Random, EveryVariantGivesTheSameBitsAndNothingBeyond) {
  using T = TypeParam;
  const std::vector<T> all = [] {
    const ScopedIsa scope(Isa::scalar);
    return normal<T>(300, 5);
  }();
  std::vector<T> all_uniform(300);
  {
    const ScopedIsa scope(Isa::scalar);
    fill_uniform(std::span<T>(all_uniform), 5, T(2), T(9));
  }
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::size_t n = 0; n <= all.size(); n += n < 70 ? 1 : 23)
      for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{5}}) {
        GuardedArray<T> x(n, offset), y(n, offset);
        fill_normal(std::span<T>(x.data(), n), 5);
        fill_uniform(std::span<T>(y.data(), n), 5, T(2), T(9));
        ASSERT_TRUE(same_bits(x.data(), all.data(), n) && x.untouched()) << name(isa) << " n " << n;
        ASSERT_TRUE(same_bits(y.data(), all_uniform.data(), n) && y.untouched()) << name(isa) << " n " << n;
      }
  }
}

TYPED_TEST(Random, ThreadsChangeNothing) {
  using T = TypeParam;
  constexpr std::size_t n = 1'000'003;
  const int before = num_threads();
  std::vector<T> x[2], y[2];
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    x[threads / 2] = normal<T>(n, 9);
    y[threads / 2].resize(n);
    fill_uniform(std::span<T>(y[threads / 2]), 9);
  }
  set_num_threads(before);
  EXPECT_TRUE(same_bits(x[0].data(), x[1].data(), n));
  EXPECT_TRUE(same_bits(y[0].data(), y[1].data(), n));
}

// Kolmogorov and Smirnov: the largest distance of the distribution function of n = 10^6 elements is above 2.23 / sqrt n
// with probability 10^-4. The seed is fixed, so that it is not by chance.
TYPED_TEST(Random, NormalHasItsDistribution) {
  using T = TypeParam;
  constexpr std::size_t n = 1'000'000;
  std::vector<T> x = normal<T>(n, 1);
  std::sort(x.begin(), x.end());
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double phi = 0.5 * std::erfc(-static_cast<double>(x[i]) / std::sqrt(2.0));
    worst =
        std::max({worst, std::abs(phi - static_cast<double>(i) / n), std::abs(phi - static_cast<double>(i + 1) / n)});
  }
  EXPECT_LT(worst, 2.23 / std::sqrt(static_cast<double>(n)));
}

// Data made from a seed must be the same data in years to come: what these versions of the functions gave.
TEST(RandomNumbers, StayWhatTheyWere) {
  const std::vector<float> x = normal<float>(4, 1);
  const std::vector<double> y = normal<double>(4, 1);
  EXPECT_THAT(x, ::testing::ElementsAre(-0x1.0a3feap+0f, -0x1.ded04cp-3f, -0x1.386e3ep-1f, 0x1.da03b6p-2f));
  EXPECT_THAT(y, ::testing::ElementsAre(-0x1.ced805e687271p-6, -0x1.10cc5175fade7p+0, -0x1.d2c77886b0fb1p-3,
                                        0x1.545a8d012cb0cp-4));
}

TYPED_TEST(Random, EmptyRangesAreRefusedAndNothingIsWritten) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> x(3, T(7));
  EXPECT_THROW(fill_uniform(std::span<T>(x), 1, T(1), T(1)), std::invalid_argument);
  EXPECT_THROW(fill_uniform(std::span<T>(x), 1, T(2), T(1)), std::invalid_argument);
  EXPECT_THROW(fill_uniform(std::span<T>(x), 1, nan, T(1)), std::invalid_argument);
  constexpr T kMost = std::numeric_limits<T>::max(), kInfinity = std::numeric_limits<T>::infinity();
  EXPECT_THROW(fill_uniform(std::span<T>(x), 1, -kMost, kMost), std::invalid_argument);
  EXPECT_THROW(fill_uniform(std::span<T>(x), 1, T(0), kInfinity), std::invalid_argument);
  EXPECT_THAT(x, ::testing::Each(T(7)));
}

}  // namespace
}  // namespace pawl
