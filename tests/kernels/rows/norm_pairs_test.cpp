// norm_pairs_test.cpp -- layernorm and rmsnorm of long rows, which go by pairs and find their moments in one pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "kernels/guarded_array.hpp"
#include "pawl/isa.hpp"
#include "pawl/rows.hpp"
#include "reference/rows_ref.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;

template <class T>
class NormPairsTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NormPairsTest, Types);

template <class T>
constexpr long double kEps = std::numeric_limits<T>::epsilon();

template <class T>
std::span<const T> in(const GuardedArray<T>& a) {
  return {a.data(), a.size()};
}
template <class T>
std::span<T> into(GuardedArray<T>& a) {
  return {a.data(), a.size()};
}

// Two pairs and one alone; whole vectors of every variant, from a boundary on, and others.
constexpr std::size_t kRows = 5;
constexpr std::size_t kColumns[] = {64, 128, 192, 256, 320, 384, 500, 512, 768, 1000, 1024, 1600, 4096, 5120};

template <class T, class Check>
void for_each_case(Check check) {
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const std::size_t n : kColumns) {
      SCOPED_TRACE(::testing::Message() << name(isa) << " columns=" << n);
      GuardedArray<T> x(kRows * n, 0), out(kRows * n, 0), gain(n, 1), shift(n, 2);
      x.fill(n);
      gain.fill(95);
      shift.fill(96);
      check(n, x, out, in(gain), in(shift));
      EXPECT_TRUE(out.untouched());
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// Rounding of sums of random numbers grows with the root of their number at most: 8 sqrt(n) is far above what was
// found, and far below the bound of rows.hpp for the worst numbers.
template <class T>
long double usual(std::size_t n) {
  return 8 * kEps<T> * std::sqrt(static_cast<long double>(n));
}

TYPED_TEST(NormPairsTest, EachRowIsItsOwn) {
  using T = TypeParam;
  for_each_case<T>([](std::size_t n, GuardedArray<T>& x, GuardedArray<T>& out, auto gain, auto shift) {
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t i = 0; i < n; ++i)
        x[r * n + i] = T(10) * static_cast<T>(r) + std::ldexp(x[r * n + i], static_cast<int>(r));
    for (const bool with_gain : {false, true})
      for (const bool with_shift : {false, true}) {
        layernorm(in(x), n, with_gain ? gain : gain.first(0), with_shift ? shift : shift.first(0), T(1e-5), into(out));
        for (std::size_t r = 0; r < kRows; ++r) {
          const auto want = reference::layernorm(x.data() + r * n, n, T(1e-5));
          for (std::size_t i = 0; i < n; ++i) {
            const long double g = with_gain ? gain[i] : 1, b = with_shift ? shift[i] : 0;
            const long double size = std::fabs(want.y[i] * g) + std::fabs(b) + std::fabs(x[r * n + i] / want.s);
            ASSERT_LE(std::fabs(out[r * n + i] - (want.y[i] * g + b)), usual<T>(n) * size)
                << "row " << r << " at " << i;
          }
        }
      }
    for (const bool with_gain : {false, true}) {
      rmsnorm(in(x), n, with_gain ? gain : gain.first(0), T(1e-6), into(out));
      for (std::size_t r = 0; r < kRows; ++r) {
        const auto want = reference::rmsnorm(x.data() + r * n, n, T(1e-6));
        for (std::size_t i = 0; i < n; ++i) {
          const long double exact = want[i] * (with_gain ? gain[i] : 1);
          ASSERT_LE(std::fabs(out[r * n + i] - exact), usual<T>(n) * std::fabs(exact)) << "row " << r << " at " << i;
        }
      }
    }
  });
}

TYPED_TEST(NormPairsTest, BitsOfARowDoNotDependOnItsNeighbours) {
  using T = TypeParam;
  for_each_case<T>([](std::size_t n, GuardedArray<T>& x, GuardedArray<T>& out, auto gain, auto shift) {
    GuardedArray<T> alone(n, 0);
    const auto check = [&](auto normalize) {
      normalize(in(x), into(out));
      for (std::size_t r = 0; r < kRows; ++r) {
        normalize(in(x).subspan(r * n, n), into(alone));
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[r * n + i], alone[i]) << "row " << r << " at " << i;
      }
      GuardedArray<T> place = x;
      normalize(in(place), into(place));
      for (std::size_t i = 0; i < place.size(); ++i) ASSERT_EQ(place[i], out[i]) << "in place at " << i;
    };
    check([&](auto from, auto to) { layernorm(from, n, gain, shift, T(1e-5), to); });
    check([&](auto from, auto to) { rmsnorm(from, n, gain, T(1e-5), to); });
  });
}

// The elements that guess the centre are far from all others: without a second pass the squares lose some 8 bits, and
// what is left of the mean's square shows in every result.
TYPED_TEST(NormPairsTest, CentreMayBeGuessedBadly) {
  using T = TypeParam;
  for_each_case<T>([](std::size_t n, GuardedArray<T>& x, GuardedArray<T>& out, auto, auto) {
    if (n < 500) return;
    for (std::size_t r = 0; r < kRows; ++r)
      for (const std::size_t at : {std::size_t{0}, n / 4, n / 2, n - 1 - n / 4})
        x[r * n + at] = T(1000) + x[r * n + at];
    layernorm(in(x), n, {}, {}, T(0), into(out));
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto want = reference::layernorm(x.data() + r * n, n, T(0));
      for (const std::size_t at : {std::size_t{0}, n / 4, n / 2, n - 1 - n / 4})
        ASSERT_LE(std::fabs(out[r * n + at] - want.y[at]), 6 * kEps<T> * std::fabs(want.y[at]))
            << "row " << r << " at " << at;
    }
  });
}

TYPED_TEST(NormPairsTest, NaNAndInfinityStayInTheirRow) {
  using T = TypeParam;
  for_each_case<T>([](std::size_t n, GuardedArray<T>& x, GuardedArray<T>& out, auto gain, auto shift) {
    for (const T odd : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()})
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1})
        for (std::size_t row = 0; row < kRows; ++row) {
          const T before = x[row * n + at];
          x[row * n + at] = odd;
          layernorm(in(x), n, gain, shift, T(1e-5), into(out));
          for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(std::isnan(out[i]), i / n == row) << i;
          x[row * n + at] = before;
        }
  });
}

}  // namespace
}  // namespace pawl
