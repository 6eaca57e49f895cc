// rows_test.cpp -- every runnable variant of include/pawl/rows.hpp keeps the documented bounds.
#include "pawl/rows.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "pawl/isa.hpp"
#include "reference/rows_ref.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;

constexpr std::size_t kRows = 3;
constexpr std::size_t kColumns[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 255, 257, 1000};

template <class T>
class RowsTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RowsTest, Types);

template <class T>
constexpr long double kEps = std::numeric_limits<T>::epsilon();
template <class T>
constexpr T kInf = std::numeric_limits<T>::infinity();

// Calls check(columns, x, out) for every variant, width and misalignment; x holds values around `centre`, up to
// `spread` away.
template <class T, class Check>
void for_each_case(T centre, T spread, Check check) {
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::size_t columns : kColumns)
      for (std::size_t offset : {0U, 1U, 3U}) {
        SCOPED_TRACE(::testing::Message() << name(isa) << " columns=" << columns << " offset=" << offset);
        GuardedArray<T> x(kRows * columns, offset), out(kRows * columns, offset + 1);
        x.fill(columns + offset);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = centre + spread * x[i];
        check(columns, x, out);
        EXPECT_TRUE(out.untouched());
        if (::testing::Test::HasFailure()) return;
      }
  }
}

template <class T>
std::span<const T> in(const GuardedArray<T>& a) {
  return {a.data(), a.size()};
}
template <class T>
std::span<T> into(GuardedArray<T>& a) {
  return {a.data(), a.size()};
}

TYPED_TEST(RowsTest, SoftmaxKeepsItsBound) {
  using T = TypeParam;
  for (const T spread : {T(0.01), T(5), T(60)})
    for_each_case<T>(T(100), spread, [](std::size_t n, const GuardedArray<T>& x, GuardedArray<T>& out) {
      softmax(in(x), n, into(out));
      for (std::size_t r = 0; r < kRows; ++r) {
        const T* row = x.data() + r * n;
        const auto want = reference::softmax(row, n);
        const long double range = reference::largest(row, n) - *std::min_element(row, row + n);
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_LE(std::fabs(out[r * n + i] - want[i]),
                    kEps<T> * (static_cast<long double>(n) + 4 + range) * want[i] + std::numeric_limits<T>::min())
              << "row " << r << " at " << i;
      }
    });
}

// What is below the smallest normal number is 0, and all else keeps its digits, in rows by blocks too.
TYPED_TEST(RowsTest, SoftmaxHasNoDenormalResults) {
  using T = TypeParam;
  const long double least = std::numeric_limits<T>::min(), lowest = std::log(least);
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const std::size_t n : {std::size_t{37}, std::size_t{1000}, std::size_t{300'000}}) {
      SCOPED_TRACE(::testing::Message() << name(isa) << " columns=" << n);
      std::mt19937_64 random(n);
      std::vector<T> x(n), out(n);
      for (T& v : x) v = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53 * double(lowest) * 1.3);
      x[n / 3] = 0;
      softmax(std::span<const T>(x), n, std::span<T>(out));
      const auto want = reference::softmax(x.data(), n);
      const long double bound = kEps<T> * (static_cast<long double>(n) + 4 - lowest);
      std::size_t zeros = 0;
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_TRUE(out[i] == 0 || std::isnormal(out[i])) << i << ": " << out[i];
        ASSERT_LE(std::fabs(out[i] - want[i]), want[i] > 1.01L * least ? bound * want[i] : 1.01L * least) << i;
        zeros += out[i] == 0;
      }
      EXPECT_GT(zeros, 0u);
      EXPECT_LT(zeros, n / 2);
    }
  }
}

TYPED_TEST(RowsTest, LogSoftmaxKeepsItsBound) {
  using T = TypeParam;
  for (const T spread : {T(0.01), T(5), T(500)})
    for_each_case<T>(T(-3), spread, [](std::size_t n, const GuardedArray<T>& x, GuardedArray<T>& out) {
      log_softmax(in(x), n, into(out));
      for (std::size_t r = 0; r < kRows; ++r) {
        const T* row = x.data() + r * n;
        const auto want = reference::log_softmax(row, n);
        const long double range = reference::largest(row, n) - *std::min_element(row, row + n);
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_LE(std::fabs(out[r * n + i] - want[i]), kEps<T> * (static_cast<long double>(n) + 4 + 2 * range))
              << "row " << r << " at " << i;
      }
    });
}

// The bounds grow with the width; equal elements have results that leave no room for a lost or doubled one.
TYPED_TEST(RowsTest, SoftmaxOfEqualElementsIsOneByTheirNumber) {
  using T = TypeParam;
  for_each_case<T>(T(7), T(0), [](std::size_t n, const GuardedArray<T>& x, GuardedArray<T>& out) {
    softmax(in(x), n, into(out));
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], T(1) / static_cast<T>(n)) << i;
  });
}

TYPED_TEST(RowsTest, SoftmaxOfInfinitiesAndNaN) {
  using T = TypeParam;
  for_each_case<T>(T(0), T(1), [](std::size_t n, GuardedArray<T>& x, GuardedArray<T>& out) {
    if (n < 2) return;
    for (std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      const T before = x[at];
      x[at] = -kInf<T>;
      softmax(in(x), n, into(out));
      ASSERT_EQ(out[at], T(0));
      ASSERT_GT(out[at == 0 ? 1 : 0], T(0));
      log_softmax(in(x), n, into(out));
      ASSERT_EQ(out[at], -kInf<T>);
      x[at] = std::numeric_limits<T>::quiet_NaN();
      softmax(in(x), n, into(out));
      for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(std::isnan(out[i])) << i;
      for (std::size_t i = n; i < 2 * n; ++i) ASSERT_FALSE(std::isnan(out[i])) << "the next row";
      x[at] = kInf<T>;
      softmax(in(x), n, into(out));
      ASSERT_TRUE(std::isnan(out[at]));
      x[at] = before;
    }
    for (std::size_t i = 0; i < n; ++i) x[i] = -kInf<T>;
    softmax(in(x), n, into(out));
    ASSERT_TRUE(std::isnan(out[0]));
  });
}

TYPED_TEST(RowsTest, LayernormKeepsItsBound) {
  using T = TypeParam;
  for (const T centre : {T(0), T(30)})
    for_each_case<T>(centre, T(1), [](std::size_t n, const GuardedArray<T>& x, GuardedArray<T>& out) {
      const T epsilon = T(1e-5);
      GuardedArray<T> gain(n, 1), shift(n, 2);
      gain.fill(91);
      shift.fill(92);
      for (const bool with_gain : {false, true})
        for (const bool with_shift : {false, true}) {
          layernorm(in(x), n, with_gain ? in(gain) : std::span<const T>(),
                    with_shift ? in(shift) : std::span<const T>(), epsilon, into(out));
          for (std::size_t r = 0; r < kRows; ++r) {
            const T* row = x.data() + r * n;
            const auto want = reference::layernorm(row, n, epsilon);
            long double size = 0;
            for (std::size_t i = 0; i < n; ++i) size = std::max(size, std::fabs(static_cast<long double>(row[i])));
            for (std::size_t i = 0; i < n; ++i) {
              const long double g = with_gain ? gain[i] : 1, y = want.y[i];
              const long double exact = y * g + (with_shift ? shift[i] : 0);
              const auto width = static_cast<long double>(n);
              const long double bound =
                  kEps<T> *
                  (std::fabs(g) * ((width + 2) * size / want.s + std::fabs(y) * (width + 6)) + std::fabs(exact));
              ASSERT_LE(std::fabs(out[r * n + i] - exact), bound) << "row " << r << " at " << i;
            }
          }
        }
    });
}

TYPED_TEST(RowsTest, RmsnormKeepsItsBound) {
  using T = TypeParam;
  for_each_case<T>(T(0.5), T(3), [](std::size_t n, const GuardedArray<T>& x, GuardedArray<T>& out) {
    GuardedArray<T> gain(n, 1);
    gain.fill(93);
    for (const bool with_gain : {false, true}) {
      rmsnorm(in(x), n, with_gain ? in(gain) : std::span<const T>(), T(1e-6), into(out));
      for (std::size_t r = 0; r < kRows; ++r) {
        const auto want = reference::rmsnorm(x.data() + r * n, n, T(1e-6));
        for (std::size_t i = 0; i < n; ++i) {
          const long double exact = want[i] * (with_gain ? gain[i] : 1);
          ASSERT_LE(std::fabs(out[r * n + i] - exact), kEps<T> * (static_cast<long double>(n) + 6) * std::fabs(exact));
        }
      }
    }
  });
}

// Whole numbers with mean 0 and variance 1: a lost element shows whatever the bound.
TYPED_TEST(RowsTest, NormsMissNoElement) {
  using T = TypeParam;
  for_each_case<T>(T(0), T(1), [](std::size_t n, GuardedArray<T>& x, GuardedArray<T>& out) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % n % 2 == 0 ? T(1) : T(-1);
    rmsnorm(in(x), n, {}, T(0), into(out));
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out[i], x[i]) << i;
    if (n % 2 != 0) return;
    layernorm(in(x), n, {}, {}, T(0), into(out));
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out[i], x[i]) << i;
  });
}

// Short rows are normalized several at a time: each as if it were alone, the last ones of an incomplete group too.
TYPED_TEST(RowsTest, NormsOfARowDoNotDependOnItsNeighbours) {
  using T = TypeParam;
  constexpr std::size_t kMany = 35;
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const std::size_t n : kColumns) {
      GuardedArray<T> x(kMany * n, 1), out(kMany * n, 2), gain(n, 1), alone(n, 0);
      x.fill(n);
      gain.fill(94);
      const auto check = [&](auto normalize) {
        normalize(in(x), into(out));
        EXPECT_TRUE(out.untouched());
        for (std::size_t r = 0; r < kMany; ++r) {
          normalize(in(x).subspan(r * n, n), into(alone));
          for (std::size_t i = 0; i < n; ++i)
            ASSERT_EQ(out[r * n + i], alone[i]) << name(isa) << " columns=" << n << " row " << r << " at " << i;
        }
      };
      check([&](auto from, auto to) { layernorm(from, n, in(gain), in(gain), T(1e-5), to); });
      check([&](auto from, auto to) { rmsnorm(from, n, in(gain), T(1e-5), to); });
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TYPED_TEST(RowsTest, OutputMayBeTheInput) {
  using T = TypeParam;
  for_each_case<T>(T(0), T(2), [](std::size_t n, GuardedArray<T>& x, GuardedArray<T>& out) {
    const GuardedArray<T> before = x;
    softmax(in(x), n, into(out));
    softmax(in(x), n, into(x));
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], out[i]);
    x = before;
    log_softmax(in(x), n, into(out));
    log_softmax(in(x), n, into(x));
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], out[i]);
    x = before;
    layernorm(in(x), n, {}, {}, T(1e-5), into(out));
    layernorm(in(x), n, {}, {}, T(1e-5), into(x));
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], out[i]);
  });
}

TYPED_TEST(RowsTest, BadArgumentsAreRefused) {
  using T = TypeParam;
  std::vector<T> x(12, T(1)), out(12, T(3));
  const std::span<const T> xs(x);
  const std::span<T> outs(out);
  EXPECT_THROW(softmax(xs, 5, outs), std::invalid_argument);
  EXPECT_THROW(softmax(xs, 0, outs), std::invalid_argument);
  EXPECT_THROW(log_softmax(xs, 4, outs.first(8)), std::invalid_argument);
  EXPECT_THROW(layernorm(xs, 4, xs.first(3), {}, T(0), outs), std::invalid_argument);
  EXPECT_THROW(layernorm(xs, 4, {}, xs.first(5), T(0), outs), std::invalid_argument);
  EXPECT_THROW(layernorm(xs, 4, {}, {}, T(-1), outs), std::invalid_argument);
  EXPECT_THROW(rmsnorm(xs, 4, {}, std::numeric_limits<T>::quiet_NaN(), outs), std::invalid_argument);
  EXPECT_THAT(out, ::testing::Each(T(3)));
  EXPECT_NO_THROW(softmax(xs.first(0), 0, outs.first(0)));
}

}  // namespace
}  // namespace pawl
