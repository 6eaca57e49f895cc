// simd_test.cpp -- every runnable variant of include/pawl/simd.hpp keeps the documented bounds.
//
// Sizes lie around every lane count and unrolling; arrays are misaligned on purpose and surrounded by NaN.
#include "pawl/simd.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "isa/data_path.hpp"
#include "isa/streaming.hpp"
#include "kernels/guarded_array.hpp"
#include "kernels/tables.hpp"
#include "reference/simd_ref.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;

constexpr std::size_t kSizes[] = {0,  1,  2,  3,  4,  5,  7,   8,   9,   15,  16,  17,  31,   32,  33,
                                  63, 64, 65, 95, 96, 97, 127, 128, 129, 255, 256, 257, 1000, 4099};
constexpr std::size_t kOffsets[] = {0, 1, 3};  // elements past a 64-byte boundary

template <class T>
class SimdTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SimdTest, Types);

// What tells 0 from -0.
std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

template <class T>
constexpr long double kEps = std::numeric_limits<T>::epsilon();

// Calls check(n, offset) for every combination.
template <class Check>
void for_each_span(Isa isa, Check check) {
  for (std::size_t n : kSizes)
    for (std::size_t offset : kOffsets) {
      SCOPED_TRACE(::testing::Message() << name(isa) << " n=" << n << " offset=" << offset);
      check(n, offset);
      if (::testing::Test::HasFailure()) return;
    }
}

// The same with each variant active; AVX-512 as on CPUs with data paths of 512 bits and of 256.
template <class Check>
void for_each_case(Check check) {
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for_each_span(isa, check);
    if (isa != Isa::avx512) continue;
    const DataPath other(!detail::splits_512_bits);
    for_each_span(isa, check);
  }
}

template <class T, class Function, class Reference>
void check_binary(Function function, Reference reference) {
  for_each_case([&](std::size_t n, std::size_t offset) {
    GuardedArray<T> x(n, offset), y(n, 0), out(n, offset + 1);
    x.fill(1);
    y.fill(2);
    function(std::span<const T>(x.data(), n), std::span<const T>(y.data(), n), std::span<T>(out.data(), n));
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], reference(x[i], y[i])) << "at " << i;
    EXPECT_TRUE(out.untouched());
  });
}

TYPED_TEST(SimdTest, FillWritesEveryElementAndNoOther) {
  using T = TypeParam;
  for_each_case([](std::size_t n, std::size_t offset) {
    GuardedArray<T> out(n, offset);
    for (const T value : {T(-2.5), T(0), -T(0)}) {
      fill(std::span<T>(out.data(), n), value);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(bits(out[i]), bits(value)) << i;
      ASSERT_TRUE(out.untouched());
    }
  });
}

TYPED_TEST(SimdTest, ArithmeticIsExact) {
  using T = TypeParam;
  check_binary<T>([](auto x, auto y, auto out) { add(x, y, out); }, reference::add<T>);
  check_binary<T>([](auto x, auto y, auto out) { sub(x, y, out); }, reference::sub<T>);
  check_binary<T>([](auto x, auto y, auto out) { mul(x, y, out); }, reference::mul<T>);
  check_binary<T>([](auto x, auto y, auto out) { div(x, y, out); }, reference::div<T>);
}

TYPED_TEST(SimdTest, OutputMayBeAnInput) {
  using T = TypeParam;
  for_each_case([](std::size_t n, std::size_t offset) {
    GuardedArray<T> x(n, offset), y(n, 0);
    x.fill(1);
    y.fill(2);
    const GuardedArray<T> before = x;
    sub(std::span<const T>(x.data(), n), std::span<const T>(y.data(), n), std::span<T>(x.data(), n));
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(x[i], before[i] - y[i]);
  });
}

TYPED_TEST(SimdTest, AxpyKeepsItsBound) {
  using T = TypeParam;
  for_each_case([](std::size_t n, std::size_t offset) {
    GuardedArray<T> x(n, 0), y(n, offset);
    x.fill(3);
    y.fill(4);
    const GuardedArray<T> before = y;
    const T alpha = T(-1.7);
    axpy(alpha, std::span<const T>(x.data(), n), std::span<T>(y.data(), n));
    for (std::size_t i = 0; i < n; ++i) {
      const long double want = reference::axpy(alpha, x[i], before[i]);
      const long double scale = std::fabs(static_cast<long double>(alpha) * x[i]) + std::fabs(before[i]);
      ASSERT_LE(std::fabs(y[i] - want), kEps<T> * scale) << "at " << i;
    }
    EXPECT_TRUE(y.untouched());
  });
}

TYPED_TEST(SimdTest, ReluHandsNaNThrough) {
  using T = TypeParam;
  for_each_case([](std::size_t n, std::size_t offset) {
    GuardedArray<T> x(n, offset), out(n, 0);
    x.fill(5);
    for (std::size_t i = 3; i < n; i += 7) x[i] = std::numeric_limits<T>::quiet_NaN();
    relu(std::span<const T>(x.data(), n), std::span<T>(out.data(), n));
    for (std::size_t i = 0; i < n; ++i) {
      if (std::isnan(x[i])) {
        ASSERT_TRUE(std::isnan(out[i])) << "at " << i;
      } else {
        ASSERT_EQ(out[i], reference::relu(x[i])) << "at " << i;
      }
    }
    EXPECT_TRUE(out.untouched());
  });
}

// Every element is checked by its bits, except NaNs, whose payload IEEE 754 leaves open.
template <class T, class Function, class Reference>
void check_unary(Function function, Reference reference) {
  using Limits = std::numeric_limits<T>;
  const T special[] = {T(0),          -T(0),          Limits::infinity(),   -Limits::infinity(),
                       Limits::max(), -Limits::max(), Limits::denorm_min(), Limits::min(),
                       T(4) / T(3),   -T(1),          Limits::quiet_NaN(),  T(2)};
  for_each_case([&](std::size_t n, std::size_t offset) {
    GuardedArray<T> x(n, offset), out(n, 0);
    x.fill(5);
    for (std::size_t i = 1; i < n; i += 2) x[i] = special[i / 2 % std::size(special)];
    const GuardedArray<T> before = x;
    function(std::span<const T>(x.data(), n), std::span<T>(out.data(), n));
    function(std::span<const T>(x.data(), n), std::span<T>(x.data(), n));
    for (std::size_t i = 0; i < n; ++i) {
      const T want = reference(before[i]);
      for (const T value : {out[i], x[i]}) {
        if (std::isnan(want)) {
          ASSERT_TRUE(std::isnan(value)) << "at " << i << " of " << before[i];
        } else {
          ASSERT_EQ(bits(value), bits(want)) << "at " << i << " of " << before[i] << ": " << value;
        }
      }
    }
    EXPECT_TRUE(out.untouched() && x.untouched());
  });
}

TYPED_TEST(SimdTest, SqrtIsCorrectlyRounded) {
  using T = TypeParam;
  check_unary<T>([](auto x, auto out) { sqrt(x, out); }, reference::sqrt<T>);
}

TYPED_TEST(SimdTest, ClampIsExactAndHandsNaNThrough) {
  using T = TypeParam;
  constexpr T kLow = T(-0.25), kHigh = T(0.5);
  check_unary<T>([](auto x, auto out) { clamp(x, kLow, kHigh, out); },
                 [](T x) { return reference::clamp(x, kLow, kHigh); });
}

TYPED_TEST(SimdTest, ClampRefusesAnEmptyIntervalBeforeAnyWork) {
  using T = TypeParam;
  std::vector<T> x(4, T(1)), out(4, T(3));
  const std::span<const T> xs(x);
  EXPECT_THROW(clamp(xs, T(2), T(1), std::span<T>(out)), std::invalid_argument);
  EXPECT_THROW(clamp(xs, std::numeric_limits<T>::quiet_NaN(), T(1), std::span<T>(out)), std::invalid_argument);
  EXPECT_THROW(clamp(xs, T(0), T(1), std::span<T>(out).first(3)), std::invalid_argument);
  EXPECT_THROW(sqrt(xs, std::span<T>(out).first(3)), std::invalid_argument);
  EXPECT_THAT(out, ::testing::Each(T(3)));
}

TYPED_TEST(SimdTest, DotAndSumKeepTheirBounds) {
  using T = TypeParam;
  for_each_case([](std::size_t n, std::size_t offset) {
    GuardedArray<T> x(n, offset), y(n, 0);
    x.fill(6);
    y.fill(7);
    const auto d = reference::dot(x.data(), y.data(), n);
    const auto s = reference::sum(x.data(), n);
    const long double bound = static_cast<long double>(n) * kEps<T>;
    const std::span<const T> xs(x.data(), n), ys(y.data(), n);
    EXPECT_LE(std::fabs(dot(xs, ys) - d.value), bound * d.magnitude);
    EXPECT_LE(std::fabs(sum(xs) - s.value), bound * s.magnitude);
  });
}

// The bound above would let a lost element of a long array pass; small integers make every sum exact.
TYPED_TEST(SimdTest, DotAndSumMissNoElement) {
  using T = TypeParam;
  for_each_case([](std::size_t n, std::size_t offset) {
    GuardedArray<T> x(n, offset), y(n, 0);
    T want_sum = 0, want_dot = 0;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<T>(static_cast<int>(i % 7) + 1);
      y[i] = static_cast<T>(static_cast<int>(i % 5) - 2);
      want_sum += x[i];
      want_dot += x[i] * y[i];
    }
    EXPECT_EQ(sum(std::span<const T>(x.data(), n)), want_sum);
    EXPECT_EQ(dot(std::span<const T>(x.data(), n), std::span<const T>(y.data(), n)), want_dot);
  });
}

TYPED_TEST(SimdTest, ExtremesAreFoundAtEveryPlace) {
  using T = TypeParam;
  for_each_case([](std::size_t n, std::size_t offset) {
    if (n == 0) return;
    GuardedArray<T> x(n, offset);
    x.fill(8);
    const std::span<const T> xs(x.data(), n);
    ASSERT_EQ(min(xs), reference::min(x.data(), n));
    ASSERT_EQ(max(xs), reference::max(x.data(), n));
    const std::size_t step = n > 300 ? 97 : 1;
    for (std::size_t i = 0; i < n; i += step) {
      const T before = x[i];
      x[i] = T(-2);
      ASSERT_EQ(min(xs), T(-2)) << "smallest at " << i;
      x[i] = T(2);
      ASSERT_EQ(max(xs), T(2)) << "largest at " << i;
      x[i] = std::numeric_limits<T>::quiet_NaN();
      ASSERT_TRUE(std::isnan(min(xs)) && std::isnan(max(xs))) << "NaN at " << i;
      x[i] = -std::numeric_limits<T>::infinity();
      ASSERT_EQ(min(xs), -std::numeric_limits<T>::infinity()) << "infinity at " << i;
      x[i] = before;
    }
  });
}

TYPED_TEST(SimdTest, NaNAndInfinityPropagateThroughSums) {
  using T = TypeParam;
  for_each_case([](std::size_t n, std::size_t offset) {
    if (n == 0) return;
    GuardedArray<T> x(n, offset);
    x.fill(9);
    const std::span<const T> xs(x.data(), n);
    x[n - 1] = std::numeric_limits<T>::infinity();
    EXPECT_EQ(sum(xs), std::numeric_limits<T>::infinity());
    x[n / 2] = std::numeric_limits<T>::quiet_NaN();
    EXPECT_TRUE(std::isnan(sum(xs)));
    EXPECT_TRUE(std::isnan(dot(xs, xs)));
  });
}

TYPED_TEST(SimdTest, BadLengthsAreRefusedBeforeAnyWork) {
  using T = TypeParam;
  std::vector<T> x(4, T(1)), y(5, T(2)), out(4, T(3));
  const std::span<const T> xs(x), ys(y);
  EXPECT_THROW(add(xs, ys, std::span<T>(out)), std::invalid_argument);
  EXPECT_THROW(mul(xs, xs, std::span<T>(out).first(3)), std::invalid_argument);
  EXPECT_THROW(axpy(T(1), ys, std::span<T>(out)), std::invalid_argument);
  EXPECT_THROW(relu(ys, std::span<T>(out)), std::invalid_argument);
  EXPECT_THROW((void)dot(xs, ys), std::invalid_argument);
  EXPECT_THROW((void)min(xs.first(0)), std::invalid_argument);
  EXPECT_THROW((void)max(xs.first(0)), std::invalid_argument);
  EXPECT_THAT(out, ::testing::Each(T(3)));
}

TEST(ShouldUseSimd, NeverForScalarAndFromHalfAVector) {
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    EXPECT_FALSE(should_use_simd(0)) << name(isa);
    EXPECT_FALSE(should_use_simd(1)) << name(isa);
    EXPECT_EQ(should_use_simd(16), isa != Isa::scalar) << name(isa);
    EXPECT_EQ(should_use_simd(1 << 20), isa != Isa::scalar) << name(isa);
  }
}

// Streaming stores begin beyond twice the last-level cache, and at any alignment of out.
TEST(Streaming, LargeArraysComeOutWholeAndNothingElse) {
  const std::size_t bytes = 2 * kept_in_l3() + (std::size_t{8} << 20);
  const std::size_t n = bytes / 3 / sizeof(float) + 1013;
  std::vector<float> x(n), y(n), out(n + 64);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 1000);
    y[i] = static_cast<float>(i % 77);
  }
  for (std::size_t offset : {0U, 1U, 15U, 16U}) {
    std::fill(out.begin(), out.end(), -1.0f);
    const std::size_t m = n - offset;
    add(std::span<const float>(x).first(m), std::span<const float>(y).first(m), std::span(out).subspan(offset, m));
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool inside = i >= offset && i < offset + m;
      ASSERT_EQ(out[i], inside ? x[i - offset] + y[i - offset] : -1.0f) << i << " offset " << offset;
    }
  }
}

// Zeros by memset() and by stores past the caches: one way for each maker's CPUs.
TEST(Streaming, LargeArraysOfZerosComeOutWholeEitherWay) {
  const bool before = detail::memset_beats_stores;
  const std::size_t n = kept_in_l3() / sizeof(float) + (std::size_t{1} << 20);
  std::vector<float> out(n + 64);
  for (const bool by_memset : {false, true}) {
    detail::memset_beats_stores = by_memset;
    std::fill(out.begin(), out.end(), -1.0f);
    fill(std::span(out).subspan(3, n), 0.0f);
    EXPECT_EQ(std::count(out.begin() + 3, out.begin() + 3 + static_cast<std::ptrdiff_t>(n), 0.0f),
              static_cast<std::ptrdiff_t>(n));
    EXPECT_EQ(std::count(out.begin(), out.end(), -1.0f), 64);
    EXPECT_FALSE(std::signbit(out[3]));
  }
  detail::memset_beats_stores = before;
}

// Two tables that share an entry would make "SIMD against scalar" compare a loop with itself.
TEST(SimdTables, VariantsAreDifferentCode) {
  const auto isas = compiled_isas();
  for (Isa a : isas)
    for (Isa b : isas)
      if (a != b) {
        EXPECT_NE(simd_table(a).f32.dot, simd_table(b).f32.dot) << name(a) << " and " << name(b);
      }
}

// Forcing must reach the kernels: an order of summation that only the scalar variant has gives its bits away.
TEST(SimdTables, TheForcedVariantRuns) {
  std::vector<float> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0f / static_cast<float>(i + 1);
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    EXPECT_EQ(sum(std::span<const float>(x)), simd_table(isa).f32.sum(x.data(), x.size())) << name(isa);
  }
}

}  // namespace
}  // namespace pawl
