// streams_test.cpp -- sums and extremes of arrays so long that they are read at several places at once: every element
// counts, once.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "pawl/isa.hpp"
#include "pawl/reduce.hpp"
#include "pawl/simd.hpp"
#include "pawl/tensor.hpp"

namespace pawl {
namespace {

template <class T>
class ReduceStreams : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ReduceStreams, Types);

// From 2^17 elements on; rows are not cut in parts as arrays are, so that what the streams leave is there too. The
// rows behind the first begin off any boundary.
constexpr std::size_t kRows = 2;
constexpr std::size_t kLengths[] = {131071, 131072, 131073, 140011, 163840};

// Whole numbers whose sums and sums of squares are exact in f32, none of them like its neighbours.
template <class T>
T number(std::size_t i) {
  return static_cast<T>(static_cast<int>(i * 7919 % 13) - 6);
}

TYPED_TEST(ReduceStreams, SumsTakeEveryElementOnce) {
  using T = TypeParam;
  for (const std::size_t n : kLengths) {
    std::vector<T> x(kRows * n);
    std::vector<long> sums(kRows), squares(kRows);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = number<T>(i);
      sums[i / n] += static_cast<long>(x[i]);
      squares[i / n] += static_cast<long>(x[i] * x[i]);
    }
    const auto rows = Tensor<T>::from({kRows, n}, x);
    for (Isa isa : runnable_isas()) {
      const ScopedIsa scope(isa);
      SCOPED_TRACE(::testing::Message() << name(isa) << " n=" << n);
      const auto total = sum(rows, 1).to_vector(), length = norm(rows, 1).to_vector();
      for (std::size_t r = 0; r < kRows; ++r) {
        const std::span<const T> row(x.data() + r * n, n);
        ASSERT_EQ(total[r], static_cast<T>(sums[r]));
        ASSERT_EQ(sum(row), static_cast<T>(sums[r]));
        ASSERT_EQ(length[r], std::sqrt(static_cast<T>(squares[r])));
        ASSERT_EQ(norm(row), std::sqrt(static_cast<T>(squares[r])));
      }
    }
  }
}

TYPED_TEST(ReduceStreams, ExtremesAreFoundWhereverTheyAre) {
  using T = TypeParam;
  for (const std::size_t n : {std::size_t{131072}, std::size_t{140011}}) {
    std::vector<T> x(n + 3);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = number<T>(i);
    for (Isa isa : runnable_isas()) {
      const ScopedIsa scope(isa);
      // Every 3067th place, and the ends; from a boundary on and off it.
      for (std::size_t offset : {std::size_t{0}, std::size_t{3}})
        for (std::size_t step = 0; step <= n; step += 3067) {
          const std::size_t at = step + 3067 > n ? n - 1 : step;
          SCOPED_TRACE(::testing::Message() << name(isa) << " n=" << n << " offset=" << offset << " at " << at);
          const std::span<const T> xs(x.data() + offset, n);
          T& element = x[offset + at];
          const T before = element;
          element = T(100);
          ASSERT_EQ(max(xs), T(100));
          element = T(-100);
          ASSERT_EQ(min(xs), T(-100));
          element = std::numeric_limits<T>::quiet_NaN();
          ASSERT_TRUE(std::isnan(max(xs)) && std::isnan(min(xs)));
          element = before;
        }
    }
  }
}

}  // namespace
}  // namespace pawl
