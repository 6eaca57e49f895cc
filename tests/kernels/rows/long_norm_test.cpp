// long_norm_test.cpp -- layernorm, rmsnorm and bias_activation of rows that threads share: bounds, blocks unlike each
// other, the same bits from any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "kernels/rows/long_row.hpp"
#include "parallel/scoped_threads.hpp"
#include "pawl/isa.hpp"
#include "pawl/rows.hpp"
#include "reference/rows_ref.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;
using testing::ScopedThreads;

template <class T>
class LongNormTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LongNormTest, Types);

template <class T>
constexpr std::size_t kLong = detail::kLongRowBytes / sizeof(T);

template <class T>
GuardedArray<T> filled(std::size_t n, unsigned seed) {
  GuardedArray<T> x(n, 1);
  x.fill(seed);
  return x;
}

// Each block around a mean of its own, which are as far apart as its numbers, and of a spread of its own.
template <class T>
GuardedArray<T> blocks_unlike(std::size_t n) {
  GuardedArray<T> x = filled<T>(n, 7);
  for (std::size_t i = 0; i < n; ++i) {
    const auto block = static_cast<int>(i / kRowBlock<T> % 5);
    x[i] = T(block - 1) + std::ldexp(x[i], block - 3);
  }
  return x;
}

enum class Norm { layer, layer_plain, rms, rms_plain };

template <class T>
std::vector<T> result_of(Norm norm, std::span<const T> x, std::size_t columns, int threads) {
  const ScopedThreads scope(threads);
  const GuardedArray<T> gain = filled<T>(columns, 95), shift = filled<T>(columns, 96);
  const std::span<const T> g(gain.data(), columns), s(shift.data(), columns), none;
  GuardedArray<T> out(x.size(), 3);
  const std::span<T> to(out.data(), out.size());
  switch (norm) {
    case Norm::layer:
      layernorm(x, columns, g, s, T(1e-5), to);
      break;
    case Norm::layer_plain:
      layernorm(x, columns, none, none, T(1e-5), to);
      break;
    case Norm::rms:
      rmsnorm(x, columns, g, T(1e-6), to);
      break;
    case Norm::rms_plain:
      rmsnorm(x, columns, none, T(1e-6), to);
      break;
  }
  EXPECT_TRUE(out.untouched());
  return {out.data(), out.data() + out.size()};
}

// The blocks' means and squares are combined in f64, so what is left is the error of one block's sums, of numbers up to
// 4 beside s of more than 1: 8 sqrt(kRowBlock) eps, as of rows of that length (norm_pairs_test.cpp).
TYPED_TEST(LongNormTest, KeepTheErrorOfOneBlock) {
  using T = TypeParam;
  const long double most = 8 * std::numeric_limits<T>::epsilon() * std::sqrt(static_cast<long double>(kRowBlock<T>));
  for (std::size_t n : {kLong<T>, kLong<T> + 1, kLong<T> + kRowBlock<T> - 1}) {
    const GuardedArray<T> x = blocks_unlike<T>(n), gain = filled<T>(n, 95), shift = filled<T>(n, 96);
    const auto layer = reference::layernorm(x.data(), n, T(1e-5));
    const auto rms = reference::rmsnorm(x.data(), n, T(1e-6));
    for (Isa isa : runnable_isas()) {
      SCOPED_TRACE(name(isa));
      const ScopedIsa scope(isa);
      const std::span<const T> from(x.data(), n);
      const auto l = result_of<T>(Norm::layer, from, n, 1), r = result_of<T>(Norm::rms, from, n, 1),
                 lp = result_of<T>(Norm::layer_plain, from, n, 1), rp = result_of<T>(Norm::rms_plain, from, n, 1);
      for (std::size_t i = 0; i < n; ++i) {
        const long double y = layer.y[i], size = 1 + std::fabs(y);
        ASSERT_LE(std::fabs(lp[i] - y), most * size) << i << " of " << n;
        ASSERT_LE(std::fabs(l[i] - (y * gain[i] + shift[i])), most * (size + std::fabs(shift[i]))) << i << " of " << n;
        ASSERT_LE(std::fabs(rp[i] - rms[i]), most * std::fabs(rms[i])) << i << " of " << n;
        ASSERT_LE(std::fabs(r[i] - rms[i] * gain[i]), most * std::fabs(rms[i])) << i << " of " << n;
      }
    }
  }
}

TYPED_TEST(LongNormTest, ThreadsRowsBesideItAndItsOwnPlaceChangeNothing) {
  using T = TypeParam;
  constexpr std::size_t kColumns = 5 * kLong<T> + 77, kRows = 3;  // from 2 MiB on threads share sums
  const GuardedArray<T> x = blocks_unlike<T>(kRows * kColumns);
  const std::span<const T> rows(x.data(), x.size());
  for (const Norm norm : {Norm::layer, Norm::layer_plain, Norm::rms, Norm::rms_plain}) {
    const auto want = result_of<T>(norm, rows, kColumns, 1);
    for (int threads : {2, 3, 7})  // rows side by side, and one after another
      EXPECT_EQ(result_of<T>(norm, rows, kColumns, threads), want) << threads << " threads";
    const auto alone = result_of<T>(norm, rows.subspan(kColumns, kColumns), kColumns, 2);
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), want.begin() + kColumns)) << "alone";
  }
  GuardedArray<T> place = x;
  layernorm({place.data(), place.size()}, kColumns, {}, {}, T(1e-5), {place.data(), place.size()});
  EXPECT_EQ(std::vector<T>(place.data(), place.data() + place.size()),
            result_of<T>(Norm::layer_plain, rows, kColumns, 1))
      << "in place";
}

// 10^6 + small numbers: about the mean of their block the distances are exact, about 0 all of them would be lost.
TYPED_TEST(LongNormTest, ALargeMeanTakesNoDigits) {
  using T = TypeParam;
  const std::size_t n = kLong<T> + 3;
  GuardedArray<T> x(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = T(1e6) + (i % 2 == 0 ? T(1) : T(-1)) + (i / kRowBlock<T> % 2 == 0 ? T(4) : T(0));
  const auto want = reference::layernorm(x.data(), n, T(1e-5));
  const auto got = result_of<T>(Norm::layer_plain, {x.data(), n}, n, 1);
  // The mean is a number of T: half an ulp of 10^6 beside s, and the same once more for a block's sum.
  const auto most = static_cast<long double>(std::nextafter(T(1e6), T(2e6)) - T(1e6)) / want.s;
  for (std::size_t i = 0; i < n; ++i) ASSERT_LE(std::fabs(got[i] - want.y[i]), most + 1e-6L) << i;
}

TYPED_TEST(LongNormTest, NaNAndInfinityAnywhereShowInAllOfTheRow) {
  using T = TypeParam;
  constexpr std::size_t kColumns = kLong<T> + 5;
  for (const T odd : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()})
    for (const std::size_t at : {std::size_t{0}, 3 * kRowBlock<T> + 1, kColumns - 1}) {
      GuardedArray<T> x = blocks_unlike<T>(kColumns);
      x[at] = odd;
      const auto got = result_of<T>(Norm::layer_plain, {x.data(), kColumns}, kColumns, 1);
      EXPECT_TRUE(std::all_of(got.begin(), got.end(), [](T v) { return std::isnan(v); })) << odd << " at " << at;
      const auto rms = result_of<T>(Norm::rms_plain, {x.data(), kColumns}, kColumns, 1);
      EXPECT_TRUE(std::isnan(rms[at]));
      EXPECT_EQ(std::isnan(rms[(at + 1) % kColumns]), std::isnan(odd));
    }
}

// 1 and 2 rows for 2, 3 and 7 threads, which share pieces; one thread's results are those of fused_rows_test.cpp.
TYPED_TEST(LongNormTest, PiecesOfRowsWithABiasHaveTheBitsOfWholeRows) {
  using T = TypeParam;
  const std::size_t columns = (std::size_t{2} << 20) / sizeof(T) + 1031;
  const GuardedArray<T> x = blocks_unlike<T>(2 * columns), bias = filled<T>(columns, 9);
  for (const std::size_t rows : {1U, 2U})
    for (const Activation activation : {Activation::relu, Activation::gelu, Activation::gelu_tanh}) {
      const auto with = [&](int threads) {
        const ScopedThreads scope(threads);
        GuardedArray<T> out(rows * columns, 3);
        bias_activation({x.data(), rows * columns}, columns, {bias.data(), columns}, activation,
                        {out.data(), out.size()});
        EXPECT_TRUE(out.untouched());
        return std::vector<T>(out.data(), out.data() + out.size());
      };
      const auto want = with(1);
      for (int threads : {2, 3, 7}) EXPECT_EQ(with(threads), want) << rows << " rows, " << threads << " threads";
    }
}

TYPED_TEST(LongNormTest, NoRowsAreNoWork) {
  using T = TypeParam;
  constexpr std::size_t kHuge = std::size_t(-1) / 16;
  layernorm(std::span<const T>(), kHuge, {}, {}, T(0), std::span<T>());
  rmsnorm(std::span<const T>(), kHuge, {}, T(0), std::span<T>());
}

}  // namespace
}  // namespace pawl
