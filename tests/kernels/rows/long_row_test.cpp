// long_row_test.cpp -- softmax and log-softmax of rows that go by blocks: bounds, blocks unlike each other, threads.
#include "kernels/rows/long_row.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "parallel/scoped_threads.hpp"
#include "pawl/isa.hpp"
#include "pawl/rows.hpp"
#include "reference/rows_ref.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;
using testing::ScopedThreads;

template <class T>
class LongRowTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LongRowTest, Types);

template <class T>
constexpr T kInf = std::numeric_limits<T>::infinity();
template <class T>
constexpr std::size_t kLong = detail::kLongRowBytes / sizeof(T);

// Numbers in [-1, 1), and each block higher than the one before, so that the largest of all comes late.
template <class T>
GuardedArray<T> rising_row(std::size_t n) {
  GuardedArray<T> x(n, 1);
  x.fill(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 4 * x[i] + static_cast<T>(i / kRowBlock<T>) / 2;
  return x;
}

template <class T>
std::vector<T> result_of(void (*function)(std::span<const T>, std::size_t, std::span<T>), const GuardedArray<T>& x,
                         std::size_t columns, int threads) {
  const ScopedThreads scope(threads);
  GuardedArray<T> out(x.size(), 3);
  function({x.data(), x.size()}, columns, {out.data(), out.size()});
  EXPECT_TRUE(out.untouched());
  return {out.data(), out.data() + out.size()};
}

TYPED_TEST(LongRowTest, BothKeepTheirBounds) {
  using T = TypeParam;
  constexpr long double kEps = std::numeric_limits<T>::epsilon();
  for (std::size_t n : {kLong<T>, kLong<T> + 1, kLong<T> + kRowBlock<T> - 1}) {
    const GuardedArray<T> x = rising_row<T>(n);
    const auto want = reference::softmax(x.data(), n), want_log = reference::log_softmax(x.data(), n);
    const auto size = static_cast<long double>(n);
    const long double range = reference::largest(x.data(), n) - *std::min_element(x.data(), x.data() + n);
    for (Isa isa : runnable_isas()) {
      SCOPED_TRACE(name(isa));
      const ScopedIsa scope(isa);
      const auto got = result_of<T>(softmax, x, n, 1), got_log = result_of<T>(log_softmax, x, n, 1);
      // A block's share of the sum has the error of its own additions, so few are in the way of the last bits.
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_LE(std::fabs(got[i] - want[i]),
                  kEps * (static_cast<long double>(kRowBlock<T>) + 4 + range) * want[i] + std::numeric_limits<T>::min())
            << i << " of " << n;
        ASSERT_LE(std::fabs(got_log[i] - want_log[i]), kEps * (size + 4 + 2 * range)) << i << " of " << n;
      }
    }
  }
}

TYPED_TEST(LongRowTest, ThreadsRowsBesideItAndItsOwnPlaceChangeNothing) {
  using T = TypeParam;
  constexpr std::size_t kColumns = kLong<T> + 77, kRows = 3;
  const GuardedArray<T> x = rising_row<T>(kRows * kColumns);
  for (auto* function : {static_cast<void (*)(std::span<const T>, std::size_t, std::span<T>)>(softmax),
                         static_cast<void (*)(std::span<const T>, std::size_t, std::span<T>)>(log_softmax)}) {
    const auto want = result_of<T>(function, x, kColumns, 1);
    for (int threads : {2, 3, 7})  // rows side by side, and one after another
      EXPECT_EQ(result_of<T>(function, x, kColumns, threads), want) << threads << " threads";
    GuardedArray<T> row(kColumns, 0);
    std::copy_n(x.data() + kColumns, kColumns, row.data());
    function({row.data(), kColumns}, kColumns, {row.data(), kColumns});
    EXPECT_TRUE(std::equal(row.data(), row.data() + kColumns, want.begin() + kColumns)) << "alone, in place";
  }
}

TYPED_TEST(LongRowTest, WholeBlocksOfInfinityAndNaN) {
  using T = TypeParam;
  constexpr std::size_t kColumns = kLong<T> + 5, kAt = 3 * kRowBlock<T>;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const auto set_block = [](GuardedArray<T>& x, T value) { std::fill_n(x.data() + kAt, kRowBlock<T>, value); };

  GuardedArray<T> x = rising_row<T>(kColumns);
  set_block(x, -kInf<T>);
  const auto some = result_of<T>(softmax, x, kColumns, 1), some_log = result_of<T>(log_softmax, x, kColumns, 1);
  T sum = 0;
  for (std::size_t i = 0; i < kColumns; ++i) {
    const bool inside = i >= kAt && i < kAt + kRowBlock<T>;
    ASSERT_EQ(some[i] == 0, inside) << i;
    ASSERT_EQ(some_log[i] == -kInf<T>, inside) << i;
    sum += some[i];
  }
  EXPECT_NEAR(sum, 1, 1e-3);

  const auto all_nan = [&](const GuardedArray<T>& row) {
    for (auto* function : {static_cast<void (*)(std::span<const T>, std::size_t, std::span<T>)>(softmax),
                           static_cast<void (*)(std::span<const T>, std::size_t, std::span<T>)>(log_softmax)})
      for (T v : result_of<T>(function, row, kColumns, 1))
        if (!std::isnan(v)) return false;
    return true;
  };
  x[kAt + 9] = nan;  // among -infinities
  EXPECT_TRUE(all_nan(x));
  x = rising_row<T>(kColumns);
  x[kColumns - 1] = nan;
  EXPECT_TRUE(all_nan(x));
  x[kColumns - 1] = kInf<T>;
  EXPECT_TRUE(all_nan(x));
  std::fill_n(x.data(), kColumns, -kInf<T>);
  EXPECT_TRUE(all_nan(x));
}

TYPED_TEST(LongRowTest, NoRowsAreNoWork) {
  using T = TypeParam;
  softmax(std::span<const T>(), std::size_t(-1) / 16, std::span<T>());
  log_softmax(std::span<const T>(), std::size_t(-1) / 16, std::span<T>());
}

}  // namespace
}  // namespace pawl
