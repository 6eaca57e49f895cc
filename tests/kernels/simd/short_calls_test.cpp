// short_calls_test.cpp -- calls of few elements are right whatever target their caller is compiled for.
#include "kernels/simd/short_calls.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "reference/reduce_ref.hpp"
#include "reference/simd_ref.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;
using testing::ShortCalls;

struct Target {
  std::size_t bytes;
  const testing::ShortTarget* calls;
};

// Those that this CPU can run.
std::vector<Target> targets() {
  std::vector<Target> list{{16, &testing::short_calls_16}};
#if defined(PAWL_TEST_WIDE_CALLERS)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) list.push_back({32, &testing::short_calls_32});
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    list.push_back({64, &testing::short_calls_64});
#endif
  return list;
}

template <class T>
const ShortCalls<T>& calls_of(const Target& target) {
  if constexpr (sizeof(T) == 4) {
    return target.calls->f32;
  } else {
    return target.calls->f64;
  }
}

template <class T>
class ShortCallsTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ShortCallsTest, Types);

template <class T>
constexpr T kEps = std::numeric_limits<T>::epsilon();

TYPED_TEST(ShortCallsTest, EachFileTookTheWidthOfItsTarget) {
  for (const Target& target : targets()) EXPECT_EQ(target.calls->bytes, target.bytes);
}

// Every length that is short, on each side of every vector, and a few that are not.
TYPED_TEST(ShortCallsTest, ElementwiseIsExactAndWritesNothingElse) {
  using T = TypeParam;
  for (const Target& target : targets())
    for (std::size_t n = 0; n <= 40; ++n)
      for (const std::size_t offset : {0U, 1U, 3U}) {
        SCOPED_TRACE(::testing::Message() << target.bytes << " bytes, n=" << n << " offset=" << offset);
        const ShortCalls<T>& calls = calls_of<T>(target);
        GuardedArray<T> x(n, offset), y(n, 0), out(n, offset + 1);
        x.fill(1);
        y.fill(2);
        const auto expect = [&](auto want) {
          for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], want(i)) << "at " << i;
          ASSERT_TRUE(out.untouched());
        };
        calls.add(x.data(), y.data(), out.data(), n);
        expect([&](std::size_t i) { return reference::add(x[i], y[i]); });
        calls.div(x.data(), y.data(), out.data(), n);
        expect([&](std::size_t i) { return reference::div(x[i], y[i]); });
        for (std::size_t i = 0; i < n; ++i) x[i] = std::fabs(x[i]);
        calls.sqrt(x.data(), out.data(), n);
        expect([&](std::size_t i) { return reference::sqrt(x[i]); });
        x.fill(1);
        calls.sub_from(T(0.75), y.data(), out.data(), n);
        expect([&](std::size_t i) { return reference::sub(T(0.75), y[i]); });
        calls.relu(x.data(), out.data(), n);
        expect([&](std::size_t i) { return reference::relu(x[i]); });
        calls.clamp(x.data(), T(-0.25), T(0.5), out.data(), n);
        expect([&](std::size_t i) { return reference::clamp(x[i], T(-0.25), T(0.5)); });
        if (n == 0) continue;
        x[n / 2] = std::numeric_limits<T>::quiet_NaN();
        calls.relu(x.data(), out.data(), n);
        EXPECT_TRUE(std::isnan(out[n / 2]));
        calls.clamp(x.data(), T(-0.25), T(0.5), x.data(), n);  // in place
        EXPECT_TRUE(std::isnan(x[n / 2]));
      }
}

TYPED_TEST(ShortCallsTest, ReductionsKeepTheirBounds) {
  using T = TypeParam;
  for (const Target& target : targets())
    for (std::size_t n = 1; n <= 40; ++n) {
      SCOPED_TRACE(::testing::Message() << target.bytes << " bytes, n=" << n);
      const ShortCalls<T>& calls = calls_of<T>(target);
      GuardedArray<T> x(n, 1), y(n, 3);
      x.fill(n);
      y.fill(n + 100);
      const auto within = [](T value, long double want, long double bound) {
        EXPECT_LE(std::fabs(value - want), bound) << value << ", not " << want;
      };
      const auto sum = reference::sum(x.data(), n), dot = reference::dot(x.data(), y.data(), n);
      within(calls.sum(x.data(), n), sum.value, static_cast<long double>(n) * kEps<T> * sum.magnitude);
      within(calls.dot(x.data(), y.data(), n), dot.value, static_cast<long double>(n) * kEps<T> * dot.magnitude);
      const long double norm = reference::norm(x.data(), n);
      within(calls.norm(x.data(), n), norm, 24 * kEps<T> * norm);
      const long double variance = reference::variance(x.data(), n, 0);
      within(calls.variance(x.data(), n), variance, reference::variance_bound(x.data(), n, variance));
      within(calls.cosine(x.data(), y.data(), n), reference::cosine_similarity(x.data(), y.data(), n), 90 * kEps<T>);
    }
}

// Each place of the extreme, twice where there is room, and of what is not finite.
TYPED_TEST(ShortCallsTest, ExtremesAreExact) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity();
  for (const Target& target : targets())
    for (std::size_t n = 1; n <= 40; ++n)
      for (std::size_t at = 0; at < n; ++at)
        for (const T extreme : {T(2), infinity, std::numeric_limits<T>::max(), std::numeric_limits<T>::quiet_NaN()}) {
          SCOPED_TRACE(::testing::Message() << target.bytes << " bytes, n=" << n << " " << extreme << " at " << at);
          const ShortCalls<T>& calls = calls_of<T>(target);
          GuardedArray<T> x(n, 1);
          x.fill(n);
          x[at] = x[n - 1 - (n - 1 - at) / 2] = extreme;
          EXPECT_EQ(calls.argmax(x.data(), n), reference::argmax(x.data(), n));
          if (std::isnan(extreme)) {
            EXPECT_TRUE(std::isnan(calls.max(x.data(), n)) && std::isnan(calls.min(x.data(), n)));
          } else {
            EXPECT_EQ(calls.max(x.data(), n), extreme);
            EXPECT_EQ(calls.min(x.data(), n), reference::min(x.data(), n));
          }
          x[at] = x[n - 1 - (n - 1 - at) / 2] = -extreme;
          EXPECT_EQ(calls.argmin(x.data(), n), reference::argmin(x.data(), n));
          if (!std::isnan(extreme)) {
            EXPECT_EQ(calls.min(x.data(), n), -extreme);
          }
        }
}

// Squares, or the product of two sums of them, that overflow or vanish need the longer way.
TYPED_TEST(ShortCallsTest, NormAndCosineOfAnySize) {
  using T = TypeParam;
  const int most = std::numeric_limits<T>::max_exponent;
  for (const Target& target : targets())
    for (const std::size_t n : {1U, 7U, 16U})
      for (const int a : {most - 6, most / 2 - 2, most / 4 + 1, most / 4 - 6, 0, 6 - most / 4, 2 - most / 2, 9 - most})
        for (const int b : {most - 6, most / 4 + 1, 0, 2 - most / 2, 9 - most}) {
          SCOPED_TRACE(::testing::Message() << target.bytes << " bytes, n=" << n << " 2^" << a << " 2^" << b);
          std::vector<T> x(n), y(n);
          for (std::size_t i = 0; i < n; ++i) {
            x[i] = std::ldexp(static_cast<T>(1 + i % 3), a);
            y[i] = std::ldexp(static_cast<T>(3 - i % 3), b);
          }
          const long double norm = reference::norm(x.data(), n);
          EXPECT_LE(std::fabs(calls_of<T>(target).norm(x.data(), n) - norm), 24 * kEps<T> * norm);
          EXPECT_LE(std::fabs(calls_of<T>(target).cosine(x.data(), y.data(), n) -
                              reference::cosine_similarity(x.data(), y.data(), n)),
                    90 * kEps<T>);
        }
}

}  // namespace
}  // namespace pawl
