// fused_rows_test.cpp -- every runnable variant of cross_entropy, batchnorm and bias_activation keeps the documented
// bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "pawl/isa.hpp"
#include "pawl/math.hpp"
#include "pawl/rows.hpp"
#include "pawl/simd.hpp"
#include "reference/rows_ref.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;

constexpr std::size_t kRows = 3;
constexpr std::size_t kColumns[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 127, 255, 257, 600};

template <class T>
class FusedRows : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FusedRows, Types);

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

// Calls check(columns) with each variant active.
template <class Check>
void for_each_case(Check check) {
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::size_t columns : kColumns) {
      SCOPED_TRACE(::testing::Message() << name(isa) << " columns=" << columns);
      check(columns);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TYPED_TEST(FusedRows, CrossEntropyIsMinusTheLogSoftmaxOfTheTarget) {
  using T = TypeParam;
  for (const T spread : {T(0.01), T(5), T(300)})
    for_each_case([&](std::size_t n) {
      GuardedArray<T> x(kRows * n, 1), losses(kRows, 0);
      x.fill(n);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] *= spread;
      const std::vector<std::size_t> targets{0, n - 1, n / 2};
      cross_entropy(in(x), n, targets, into(losses));
      for (std::size_t r = 0; r < kRows; ++r) {
        const T* row = x.data() + r * n;
        const long double want = -reference::log_softmax(row, n)[targets[r]];
        const long double range = reference::largest(row, n) - *std::min_element(row, row + n);
        ASSERT_LE(std::fabs(losses[r] - want), kEps<T> * (static_cast<long double>(n) + 4 + 2 * range)) << "row " << r;
      }
      EXPECT_TRUE(losses.untouched());
      x[0] = std::numeric_limits<T>::quiet_NaN();
      cross_entropy(in(x), n, targets, into(losses));
      EXPECT_TRUE(std::isnan(losses[0]) && !std::isnan(losses[1]));
    });
}

// Equal logits have a loss of log(n), whatever the target: a lost or doubled element shows.
TYPED_TEST(FusedRows, CrossEntropyOfEqualLogits) {
  using T = TypeParam;
  for_each_case([&](std::size_t n) {
    const std::vector<T> x(n, T(4));
    const std::vector<std::size_t> target{n / 3};
    T loss = 0;
    cross_entropy(std::span<const T>(x), n, target, std::span<T>(&loss, 1));
    ASSERT_NEAR(static_cast<double>(loss), std::log(static_cast<double>(n)), 8 * static_cast<double>(kEps<T>));
  });
}

TYPED_TEST(FusedRows, BatchnormKeepsItsBound) {
  using T = TypeParam;
  for_each_case([&](std::size_t channels) {
    for (std::size_t inner : {std::size_t{1}, std::size_t{2}, std::size_t{19}}) {
      const std::size_t size = kRows * channels * inner;
      GuardedArray<T> x(size, 1), out(size, 3), mean(channels), variance(channels), gain(channels), shift(channels);
      x.fill(1);
      mean.fill(2);
      variance.fill(3);
      gain.fill(4);
      shift.fill(5);
      for (std::size_t c = 0; c < channels; ++c) variance[c] = std::fabs(variance[c]) + T(0.01);
      for (const bool plain : {false, true}) {
        ChannelStatistics<T> statistics{in(mean), in(variance), in(gain), in(shift)};
        if (plain) statistics.gain = statistics.shift = {};
        const T epsilon = T(1e-5);
        batchnorm(in(x), channels, inner, statistics, epsilon, into(out));
        for (std::size_t i = 0; i < size; ++i) {
          const std::size_t c = i / inner % channels;
          const T g = plain ? T(1) : gain[c], s = plain ? T(0) : shift[c];
          const long double want = reference::batchnorm(x[i], mean[c], variance[c], g, s, epsilon);
          const long double f = std::fabs(g / std::sqrt(static_cast<long double>(variance[c]) + epsilon));
          ASSERT_LE(std::fabs(out[i] - want),
                    4 * kEps<T> * (std::fabs(x[i] * f) + std::fabs(mean[c] * f) + std::fabs(s)))
              << "at " << i << " inner " << inner;
        }
        EXPECT_TRUE(out.untouched());
        GuardedArray<T> place(size, 3);
        std::copy_n(x.data(), size, place.data());
        batchnorm(in(place), channels, inner, statistics, epsilon, into(place));
        ASSERT_TRUE(std::equal(out.data(), out.data() + size, place.data())) << "in place, inner " << inner;
      }
    }
  });
}

TYPED_TEST(FusedRows, BiasActivationIsTheActivationOfTheSum) {
  using T = TypeParam;
  for_each_case([&](std::size_t n) {
    GuardedArray<T> x(kRows * n, 1), bias(n, 2), sum(kRows * n), want(kRows * n), out(kRows * n, 3);
    x.fill(n);
    bias.fill(n + 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] *= T(4);
      sum[i] = x[i] + bias[i % n];
    }
    for (const Activation activation : {Activation::relu, Activation::gelu, Activation::gelu_tanh}) {
      if (activation == Activation::relu) relu(in(sum), into(want));
      if (activation == Activation::gelu) gelu(in(sum), into(want));
      if (activation == Activation::gelu_tanh) gelu_tanh(in(sum), into(want));
      bias_activation(in(x), n, in(bias), activation, into(out));
      for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], want[i]) << "at " << i;
      EXPECT_TRUE(out.untouched());
    }
  });
}

// More short rows than are one at a time, and some left over.
TYPED_TEST(FusedRows, BiasActivationOfManyShortRows) {
  using T = TypeParam;
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const auto& [rows, n] : {std::pair<std::size_t, std::size_t>{523, 1}, {150, 7}, {23, 100}, {9, 127}}) {
      GuardedArray<T> x(rows * n, 1), bias(n, 2), out(rows * n, 3);
      x.fill(n);
      bias.fill(n + 1);
      bias_activation(in(x), n, in(bias), Activation::relu, into(out));
      for (std::size_t i = 0; i < out.size(); ++i)
        ASSERT_EQ(out[i], std::max(T(0), x[i] + bias[i % n])) << name(isa) << ' ' << rows << " x " << n << " at " << i;
      EXPECT_TRUE(out.untouched());
    }
  }
}

TYPED_TEST(FusedRows, BadArgumentsAreRefused) {
  using T = TypeParam;
  std::vector<T> x(12, T(1)), out(12, T(3));
  const std::span<const T> xs(x);
  const std::span<T> outs(out);
  const std::vector<std::size_t> targets{0, 3, 4};
  EXPECT_THROW(cross_entropy(xs, 4, targets, outs.first(3)), std::invalid_argument);
  EXPECT_THROW(cross_entropy(xs, 6, std::span(targets).first(2), outs.first(3)), std::invalid_argument);
  EXPECT_THROW(cross_entropy(xs, 5, targets, outs.first(3)), std::invalid_argument);
  EXPECT_THROW(bias_activation(xs, 4, xs.first(3), Activation::gelu, outs), std::invalid_argument);
  EXPECT_THROW(bias_activation(xs, 4, xs.first(4), Activation::none, outs), std::invalid_argument);
  const ChannelStatistics<T> three{xs.first(3), xs.first(3), {}, {}};
  EXPECT_THROW(batchnorm(xs, 4, 1, three, T(0), outs), std::invalid_argument);
  EXPECT_THROW(batchnorm(xs, 3, 5, three, T(0), outs), std::invalid_argument);
  EXPECT_THROW(batchnorm(xs, 3, 1, three, T(-1), outs), std::invalid_argument);
  EXPECT_THROW(batchnorm(xs, 3, SIZE_MAX, three, T(0), outs), std::invalid_argument);
  EXPECT_EQ(out, std::vector<T>(12, T(3)));
}

}  // namespace
}  // namespace pawl
