// softmax_axis_test.cpp -- softmax and log_softmax along an axis that is not the last keep their bounds on every
// variant.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"
#include "pawl/rows.hpp"
#include "reference/rows_ref.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;

template <class T>
class SoftmaxAxisTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SoftmaxAxisTest, Types);

template <class T>
std::span<const T> in(const GuardedArray<T>& a) {
  return {a.data(), a.size()};
}
template <class T>
std::span<T> into(GuardedArray<T>& a) {
  return {a.data(), a.size()};
}

constexpr std::size_t kBlocks = 2;

// The elements along the axis that go through (block, j).
template <class T>
std::vector<T> along(const GuardedArray<T>& x, std::size_t columns, std::size_t inner, std::size_t block,
                     std::size_t j) {
  std::vector<T> line(columns);
  for (std::size_t c = 0; c < columns; ++c) line[c] = x[(block * columns + c) * inner + j];
  return line;
}

TYPED_TEST(SoftmaxAxisTest, EveryLineKeepsItsBound) {
  using T = TypeParam;
  const long double eps = std::numeric_limits<T>::epsilon();
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const std::size_t columns : {1U, 2U, 7U, 40U})
      for (const std::size_t inner : {1U, 2U, 3U, 7U, 8U, 15U, 16U, 17U, 63U, 64U, 65U, 131U}) {
        SCOPED_TRACE(::testing::Message() << name(isa) << " columns=" << columns << " inner=" << inner);
        GuardedArray<T> x(kBlocks * columns * inner, 1), out(x.size(), 3), logs(x.size(), 2);
        x.fill(columns + inner);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = 20 + 30 * x[i];
        softmax(in(x), columns, inner, into(out));
        log_softmax(in(x), columns, inner, into(logs));
        ASSERT_TRUE(out.untouched());
        ASSERT_TRUE(logs.untouched());
        for (std::size_t block = 0; block < kBlocks; ++block)
          for (std::size_t j = 0; j < inner; ++j) {
            const std::vector<T> line = along(x, columns, inner, block, j);
            const auto want = reference::softmax(line.data(), columns);
            const auto want_log = reference::log_softmax(line.data(), columns);
            const long double range = reference::largest(line.data(), columns) - *std::ranges::min_element(line);
            const long double n = static_cast<long double>(columns);
            for (std::size_t c = 0; c < columns; ++c) {
              const std::size_t i = (block * columns + c) * inner + j;
              ASSERT_LE(std::fabs(out[i] - want[c]), eps * (n + 4 + range) * want[c] + std::numeric_limits<T>::min())
                  << i;
              ASSERT_LE(std::fabs(logs[i] - want_log[c]), eps * (n + 4 + 2 * range)) << i;
            }
          }
        GuardedArray<T> copy = x;
        softmax(in(copy), columns, inner, into(copy));
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(copy[i], out[i]) << "in place, at " << i;
        copy = x;
        log_softmax(in(copy), columns, inner, into(copy));
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(copy[i], logs[i]) << "in place, at " << i;
      }
  }
}

TYPED_TEST(SoftmaxAxisTest, NoResultIsDenormal) {
  using T = TypeParam;
  const long double least = std::numeric_limits<T>::min(), eps = std::numeric_limits<T>::epsilon();
  const T lowest = static_cast<T>(std::log(least));
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    const std::size_t columns = 40, inner = 67;
    GuardedArray<T> x(kBlocks * columns * inner, 1), out(x.size(), 3);
    x.fill(5);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= lowest;
    softmax(in(x), columns, inner, into(out));
    std::size_t zeros = 0;
    for (std::size_t block = 0; block < kBlocks; ++block)
      for (std::size_t j = 0; j < inner; ++j) {
        const auto want = reference::softmax(along(x, columns, inner, block, j).data(), columns);
        for (std::size_t c = 0; c < columns; ++c) {
          const T got = out[(block * columns + c) * inner + j];
          ASSERT_TRUE(got == 0 || std::isnormal(got)) << got;
          const long double bound = want[c] > 1.01L * least ? eps * (44 - 2 * lowest) * want[c] : 1.01L * least;
          ASSERT_LE(std::fabs(got - want[c]), bound);
          zeros += got == 0;
        }
      }
    EXPECT_GT(zeros, 0u) << name(isa);
    EXPECT_LT(zeros, x.size() / 2) << name(isa);
  }
}

TYPED_TEST(SoftmaxAxisTest, NaNAndInfinityStayInTheirLine) {
  using T = TypeParam;
  constexpr std::size_t kColumns = 5, kInner = 70;
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const std::size_t j : {0U, 15U, 64U, 69U}) {
      GuardedArray<T> x(kColumns * kInner), out(x.size());
      x.fill(j);
      x[2 * kInner + j] = -std::numeric_limits<T>::infinity();
      softmax(in(x), kColumns, kInner, into(out));
      EXPECT_EQ(out[2 * kInner + j], T(0));
      EXPECT_GT(out[j], T(0));
      log_softmax(in(x), kColumns, kInner, into(out));
      EXPECT_EQ(out[2 * kInner + j], -std::numeric_limits<T>::infinity());
      x[2 * kInner + j] = std::numeric_limits<T>::quiet_NaN();
      for (const bool logarithm : {false, true}) {
        if (logarithm)
          log_softmax(in(x), kColumns, kInner, into(out));
        else
          softmax(in(x), kColumns, kInner, into(out));
        for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(std::isnan(out[i]), i % kInner == j) << i;
      }
    }
  }
}

TYPED_TEST(SoftmaxAxisTest, ThreadsChangeNoBit) {
  using T = TypeParam;
  constexpr std::size_t kColumns = 200, kInner = 3000;  // beyond the size from which threads share the work
  std::vector<T> x(kColumns * kInner), one(x.size()), two(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i * 7919 % 1009) / T(100);
  const int before = num_threads();
  set_num_threads(1);
  softmax(std::span<const T>(x), kColumns, kInner, std::span<T>(one));
  set_num_threads(2);
  softmax(std::span<const T>(x), kColumns, kInner, std::span<T>(two));
  set_num_threads(before);
  EXPECT_EQ(one, two);
}

TYPED_TEST(SoftmaxAxisTest, BadArgumentsAreRefused) {
  using T = TypeParam;
  std::vector<T> x(12, T(1)), out(12, T(3));
  const std::span<const T> xs(x);
  const std::span<T> outs(out);
  EXPECT_THROW(softmax(xs, 5, 2, outs), std::invalid_argument);
  EXPECT_THROW(softmax(xs, 0, 2, outs), std::invalid_argument);
  EXPECT_THROW(softmax(xs, 2, 0, outs), std::invalid_argument);
  EXPECT_THROW(log_softmax(xs, 2, 3, outs.first(6)), std::invalid_argument);
  EXPECT_THROW(log_softmax(xs, 4, std::numeric_limits<std::size_t>::max(), outs), std::invalid_argument);
  EXPECT_THAT(out, ::testing::Each(T(3)));
  EXPECT_NO_THROW(softmax(xs.first(0), 3, 2, outs.first(0)));
}

}  // namespace
}  // namespace pawl
