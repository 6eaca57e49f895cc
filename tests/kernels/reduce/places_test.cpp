// places_test.cpp -- no bit of a sum depends on where in memory its terms begin.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "pawl/isa.hpp"
#include "pawl/reduce.hpp"
#include "pawl/simd.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;

template <class T>
std::vector<T> random_numbers(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> x(n);
  for (T& value : x) value = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-52 - 1);
  if (n > 3) x[n / 2] = T(1e6), x[n / 3] = -T(0);
  return x;
}

// The numbers in memory that is NaN around them, `first` elements after a line begins.
template <class T>
GuardedArray<T> placed(const std::vector<T>& x, std::size_t first) {
  GuardedArray<T> result(x.size(), first);
  std::copy(x.begin(), x.end(), result.data());
  return result;
}

template <class T>
void expect_same_bits(T value, T want, std::size_t n, std::size_t first) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  EXPECT_EQ(std::bit_cast<Bits>(value), std::bit_cast<Bits>(want))
      << value << " " << want << " n=" << n << " first=" << first;
}

template <class T>
class Places : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Places, Types);

TYPED_TEST(Places, SumsAndDotProductsAreTheSameAnywhere) {
  using T = TypeParam;
  constexpr std::size_t kLine = 64 / sizeof(T);
  // Around whole vectors and turns, the cuts of long chains, and arrays that are read at two places at once.
  for (std::size_t n : {255U, 256U, 257U, 300U, 1023U, 1024U, 1100U, 16384U, 16500U, 40000U, 131072U, 140001U}) {
    const auto x = random_numbers<T>(n, n), y = random_numbers<T>(n, n + 1);
    for (Isa isa : runnable_isas()) {
      const ScopedIsa scope(isa);
      const auto at_line = placed(x, 0), other_at_line = placed(y, 0);
      const T want = sum(std::span<const T>(at_line.data(), n));
      const T want_norm = norm(std::span<const T>(at_line.data(), n));
      const T want_dot = dot(std::span<const T>(at_line.data(), n), std::span<const T>(other_at_line.data(), n));
      for (std::size_t first = 1; first < kLine; ++first) {
        const auto a = placed(x, first), b = placed(y, first), c = placed(y, first + 1);
        const std::span<const T> xs(a.data(), n);
        expect_same_bits(sum(xs), want, n, first);
        expect_same_bits(norm(xs), want_norm, n, first);
        expect_same_bits(dot(xs, std::span<const T>(b.data(), n)), want_dot, n, first);
        expect_same_bits(dot(xs, std::span<const T>(c.data(), n)), want_dot, n, first);
      }
    }
  }
}

// Rows that begin anywhere within their lines.
TYPED_TEST(Places, SumsOfRowsAreThoseOfEachRow) {
  using T = TypeParam;
  constexpr std::size_t kRows = 21;
  for (std::size_t n : {129U, 255U, 263U, 500U, 1027U, 2049U}) {
    const auto x = random_numbers<T>(kRows * n, n);
    for (Isa isa : runnable_isas()) {
      const ScopedIsa scope(isa);
      const auto all = placed(x, 3);
      std::vector<T> sums(kRows), means(kRows), norms(kRows), one(1);
      const View<const T> rows(all.data(), {kRows, n});
      sum(rows, 1, sums);
      mean(rows, 1, means);
      norm(rows, 1, norms);
      for (std::size_t r = 0; r < kRows; ++r) {
        const auto row = placed(std::vector<T>(x.begin() + static_cast<std::ptrdiff_t>(r * n),
                                               x.begin() + static_cast<std::ptrdiff_t>((r + 1) * n)),
                                0);
        const View<const T> view(row.data(), {1, n});
        sum(view, 1, one);
        expect_same_bits(sums[r], one[0], n, r);
        mean(view, 1, one);
        expect_same_bits(means[r], one[0], n, r);
        norm(view, 1, one);
        expect_same_bits(norms[r], one[0], n, r);
      }
    }
  }
}

}  // namespace
}  // namespace pawl
