// span_test.cpp -- every runnable variant of the span functions of include/pawl/reduce.hpp keeps the documented bounds.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "pawl/isa.hpp"
#include "pawl/reduce.hpp"
#include "pawl/simd.hpp"
#include "reference/reduce_ref.hpp"
#include "reference/simd_ref.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;

// Around lane counts, unrolling, blocks of 16 KiB (2048, 4096) and superblocks (2 x 64 x 8 vectors).
constexpr std::size_t kSizes[] = {1,  2,  3,   4,   5,   7,   8,    9,    15,   16,   17,   31,   32,    33,    63,
                                  64, 65, 127, 128, 129, 257, 1000, 2047, 2049, 4096, 4097, 8193, 16385, 20'000};

template <class T>
class ReduceSpan : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ReduceSpan, Types);

template <class T>
using Limits = std::numeric_limits<T>;
template <class T>
constexpr long double kEps = Limits<T>::epsilon();
template <class T>
constexpr T kNaN = Limits<T>::quiet_NaN();
template <class T>
constexpr T kInf = Limits<T>::infinity();

template <class T, class Check>
void for_each_case(Check check) {
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::size_t n : kSizes)
      for (std::size_t offset : {0U, 1U, 3U}) {
        SCOPED_TRACE(::testing::Message() << name(isa) << " n=" << n << " offset=" << offset);
        GuardedArray<T> x(n, offset);
        x.fill(n + offset);
        check(x, std::span<const T>(x.data(), n));
        if (::testing::Test::HasFailure()) return;
      }
  }
}

TYPED_TEST(ReduceSpan, MeanAndVarianceKeepTheirBounds) {
  using T = TypeParam;
  for (const T centre : {T(0), T(1), T(-1000), T(3e5)})
    for_each_case<T>([&](GuardedArray<T>& x, std::span<const T> xs) {
      for (std::size_t i = 0; i < xs.size(); ++i) x[i] += centre;
      const auto want = reference::mean(xs.data(), xs.size());
      ASSERT_LE(std::fabs(mean(xs) - want.value), 45 * kEps<T> * want.magnitude);
      for (const std::size_t ddof : {std::size_t{0}, std::size_t{1}}) {
        if (xs.size() <= ddof) continue;
        const long double exact = reference::variance(xs.data(), xs.size(), ddof);
        const long double bound = reference::variance_bound(xs.data(), xs.size(), exact);
        ASSERT_LE(std::fabs(variance(xs, ddof) - exact), bound) << "of " << static_cast<double>(exact);
        // d sqrt(v) = dv / (2 sqrt(v)), twice that for what is left out.
        if (exact > bound) {
          ASSERT_LE(std::fabs(stddev(xs, ddof) - std::sqrt(exact)),
                    bound / std::sqrt(exact) + kEps<T> * std::sqrt(exact));
        }
      }
    });
}

// The bounds would let a lost element of a long array pass; these have exact results.
TYPED_TEST(ReduceSpan, NoElementIsMissedOrTakenTwice) {
  using T = TypeParam;
  for_each_case<T>([](GuardedArray<T>& x, std::span<const T> xs) {
    const std::size_t n = xs.size();
    for (std::size_t i = 0; i < n; ++i) x[i] = i % 2 == 0 ? T(3) : T(5);
    if (n % 2 == 0) {
      ASSERT_EQ(mean(xs), T(4));
      ASSERT_EQ(variance(xs), T(1));
    }
    for (std::size_t i = 0; i < n; ++i) x[i] = T(2);
    const long double norm_exact = 2 * std::sqrt(static_cast<long double>(n));
    ASSERT_LE(std::fabs(norm(xs) - norm_exact), kEps<T> * norm_exact);
    ASSERT_EQ(variance(xs), T(0));
    ASSERT_EQ(mean(xs), T(2));
    ASSERT_GE(cosine_similarity(xs, xs), T(1) - Limits<T>::epsilon());
  });
}

// The elements that guess the centre of a block are far from all others: squares about that centre would lose some 8
// bits, of which the bound above, which has the largest element in it, hardly knows.
TYPED_TEST(ReduceSpan, CentreMayBeGuessedBadly) {
  using T = TypeParam;
  for_each_case<T>([](GuardedArray<T>& x, std::span<const T> xs) {
    const std::size_t n = xs.size(), quarter = n / 4;
    if (n < 400 || n * sizeof(T) > 16384) return;
    for (const std::size_t at : {std::size_t{0}, quarter, 2 * quarter, n - 1 - quarter}) x[at] += T(1000);
    const long double exact = reference::variance(xs.data(), n, 0);
    ASSERT_LE(std::fabs(variance(xs) - exact), 16 * kEps<T> * exact);
  });
}

// All of one sign and size: rounding errors of plain summation add up, here to 3 % in f32.
TYPED_TEST(ReduceSpan, LongSumsDoNotDrift) {
  using T = TypeParam;
  const std::size_t n = (std::size_t{1} << 22) + 77;
  const std::vector<T> x(n, T(0.1));
  const std::span<const T> xs(x);
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    SCOPED_TRACE(name(isa));
    const long double exact = static_cast<long double>(T(0.1)) * static_cast<long double>(n);
    EXPECT_LE(std::fabs(sum(xs) - exact), 42 * kEps<T> * exact);
    EXPECT_LE(std::fabs(dot(xs, xs) - exact * T(0.1)), 43 * kEps<T> * exact * T(0.1));
    EXPECT_LE(std::fabs(mean(xs) - static_cast<long double>(T(0.1))), 45 * kEps<T> * T(0.1));
    EXPECT_LE(std::fabs(norm(xs) - std::sqrt(exact * T(0.1))), 24 * kEps<T> * std::sqrt(exact * T(0.1)));
    EXPECT_LE(std::fabs(variance(xs)), reference::variance_bound(x.data(), n, 0.0L));
    EXPECT_NEAR(static_cast<double>(cosine_similarity(xs, xs)), 1, static_cast<double>(90 * kEps<T>));
  }
}

TYPED_TEST(ReduceSpan, PlacesOfExtremesAreTheFirst) {
  using T = TypeParam;
  for_each_case<T>([](GuardedArray<T>& x, std::span<const T> xs) {
    const std::size_t n = xs.size(), step = n > 100 ? n / 13 + 1 : 1;
    ASSERT_EQ(argmin(xs), reference::argmin(xs.data(), n));
    ASSERT_EQ(argmax(xs), reference::argmax(xs.data(), n));
    for (std::size_t i = 0; i < n; i += step) {
      const T before = x[i], last = x[n - 1];
      x[i] = x[n - 1] = T(2);
      ASSERT_EQ(argmax(xs), i);
      x[i] = x[n - 1] = -kInf<T>;
      ASSERT_EQ(argmin(xs), i);
      x[i] = x[n - 1] = kNaN<T>;
      ASSERT_EQ(argmin(xs), i);
      ASSERT_EQ(argmax(xs), i);
      x[n - 1] = last;
      x[i] = before;
    }
    for (std::size_t i = 0; i < n; ++i) x[i] = i % 2 == 0 ? T(-0.0) : T(0.0);
    ASSERT_EQ(argmin(xs), 0u);
    ASSERT_EQ(argmax(xs), 0u);
    for (std::size_t i = 0; i < n; ++i) x[i] = -kInf<T>;
    ASSERT_EQ(argmax(xs), 0u);
  });
}

TYPED_TEST(ReduceSpan, NormAndCosineKeepTheirBoundsAtAnySize) {
  using T = TypeParam;
  const T tiny = Limits<T>::denorm_min() * 64, huge = Limits<T>::max() / 1024;
  for (const T scale : {T(1), tiny, huge, std::sqrt(Limits<T>::min()), T(1) / huge})
    for_each_case<T>([&](GuardedArray<T>& x, std::span<const T> xs) {
      const std::size_t n = xs.size();
      GuardedArray<T> y(n, 2);
      y.fill(n + 11);
      for (std::size_t i = 0; i < n; ++i) x[i] *= scale;
      const std::span<const T> ys(y.data(), n);
      const long double want = reference::norm(xs.data(), n);
      ASSERT_LE(std::fabs(norm(xs) - want), 24 * kEps<T> * want + Limits<T>::denorm_min())
          << static_cast<double>(scale);
      if (want == 0) return;  // denormal numbers that were rounded to 0
      const long double cosine = reference::cosine_similarity(xs.data(), ys.data(), n);
      ASSERT_LE(std::fabs(cosine_similarity(xs, ys) - cosine), 90 * kEps<T>) << static_cast<double>(scale);
      ASSERT_LE(std::fabs(cosine_similarity(ys, xs) - cosine), 90 * kEps<T>);
    });
}

TYPED_TEST(ReduceSpan, NaNInfinityZeroAndNothing) {
  using T = TypeParam;
  for_each_case<T>([](GuardedArray<T>& x, std::span<const T> xs) {
    const std::size_t n = xs.size();
    GuardedArray<T> zeros(n, 0), y(n, 1);
    y.fill(3);
    for (std::size_t i = 0; i < n; ++i) zeros[i] = T(0);
    const std::span<const T> zs(zeros.data(), n), ys(y.data(), n);
    ASSERT_EQ(norm(zs), T(0));
    ASSERT_EQ(variance(zs), T(0));
    ASSERT_TRUE(std::isnan(cosine_similarity(zs, ys)) && std::isnan(cosine_similarity(ys, zs)));
    for (std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      const T before = x[at];
      x[at] = kInf<T>;
      ASSERT_EQ(mean(xs), kInf<T>);
      ASSERT_EQ(norm(xs), kInf<T>);
      ASSERT_TRUE(std::isnan(variance(xs)));
      ASSERT_TRUE(std::isnan(cosine_similarity(xs, ys)));
      x[at] = kNaN<T>;
      ASSERT_TRUE(std::isnan(mean(xs)) && std::isnan(norm(xs)) && std::isnan(variance(xs)) && std::isnan(stddev(xs)));
      ASSERT_TRUE(std::isnan(cosine_similarity(xs, ys)) && std::isnan(cosine_similarity(ys, xs)));
      x[at] = before;
    }
  });
  EXPECT_EQ(norm(std::span<const T>()), T(0));
  EXPECT_TRUE(std::isnan(cosine_similarity(std::span<const T>(), std::span<const T>())));
}

// Infinity met late in a long sum must not turn into NaN by the compensation.
TYPED_TEST(ReduceSpan, InfinityStaysInfinityInLongSums) {
  using T = TypeParam;
  std::vector<T> x(100'000, T(1));
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::size_t at : {std::size_t{5}, std::size_t{50'000}, std::size_t{99'999}}) {
      x[at] = -kInf<T>;
      EXPECT_EQ(sum(std::span<const T>(x)), -kInf<T>) << name(isa) << " at " << at;
      EXPECT_EQ(norm(std::span<const T>(x)), kInf<T>) << name(isa) << " at " << at;
      x[at] = T(1);
    }
  }
}

TYPED_TEST(ReduceSpan, BadArgumentsAreRefused) {
  using T = TypeParam;
  const std::vector<T> x(3, T(1));
  const std::span<const T> xs(x), none;
  EXPECT_THROW((void)mean(none), std::invalid_argument);
  EXPECT_THROW((void)variance(none), std::invalid_argument);
  EXPECT_THROW((void)variance(xs, 3), std::invalid_argument);
  EXPECT_THROW((void)stddev(xs.first(1), 1), std::invalid_argument);
  EXPECT_THROW((void)argmin(none), std::invalid_argument);
  EXPECT_THROW((void)argmax(none), std::invalid_argument);
  EXPECT_THROW((void)cosine_similarity(xs, xs.first(2)), std::invalid_argument);
}

}  // namespace
}  // namespace pawl
