// convolution_test.cpp -- convolution, correlation, the frequencies of results and their order.
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "pawl/fft.hpp"
#include "reference/fft_ref.hpp"

namespace pawl::fft {
namespace {

template <class T>
long double norm(const T* x, std::size_t n) {
  long double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<long double>(x[i]) * static_cast<long double>(x[i]);
  return std::sqrt(sum);
}

template <class T>
void expect_convolution(std::size_t n, std::size_t m) {
  testing::GuardedArray<T> x(n), y(m, 1), out(n + m - 1, 2);
  x.fill(n);
  y.fill(m + 1000);
  std::vector<T> reversed(y.data(), y.data() + m);
  std::reverse(reversed.begin(), reversed.end());
  const long double eps = std::numeric_limits<T>::epsilon() / 2;
  const long double allowed =
      eps * (1.8L * std::log2(static_cast<long double>(n + m)) + 8) * norm(x.data(), n) * norm(y.data(), m);
  const std::span<const T> xs(x.data(), n), ys(y.data(), m);
  const std::span<T> outs(out.data(), n + m - 1);
  for (bool correlation : {false, true}) {
    const auto want = reference::convolution(x.data(), n, correlation ? reversed.data() : y.data(), m);
    for (Isa isa : runnable_isas()) {
      const ScopedIsa scope(isa);
      correlation ? correlate(xs, ys, outs) : convolve(xs, ys, outs);
      long double error = 0;
      for (std::size_t k = 0; k < want.size(); ++k) error += (out[k] - want[k]) * (out[k] - want[k]);
      ASSERT_LE(std::sqrt(error), allowed) << name(isa) << " " << n << " " << m << (correlation ? " correlation" : "");
      ASSERT_TRUE(x.untouched() && y.untouched() && out.untouched());
    }
  }
}

TEST(Convolution, IsTheDefiningSum) {
  for (auto [n, m] : std::vector<std::pair<std::size_t, std::size_t>>{{1, 1},
                                                                      {1, 7},
                                                                      {2, 2},
                                                                      {5, 3},
                                                                      {3, 5},
                                                                      {16, 16},
                                                                      {100, 30},
                                                                      {30, 100},
                                                                      {500, 3},
                                                                      {3, 500},
                                                                      {1000, 17},
                                                                      {1500, 700}}) {
    expect_convolution<float>(n, m);
    expect_convolution<double>(n, m);
  }
}

TEST(Convolution, ArgumentsThatDoNotFit) {
  std::vector<float> x(4), y(3), out(6), none;
  EXPECT_THROW(convolve(x, y, std::span(out).first(5)), std::invalid_argument);
  EXPECT_THROW(convolve(none, y, std::span(out).first(2)), std::invalid_argument);
  EXPECT_THROW(correlate(x, none, std::span(out).first(3)), std::invalid_argument);
  EXPECT_THROW(convolve(std::span<const float>(out).first(4), y, out), std::invalid_argument);
}

TEST(Frequencies, AreThoseOfTheResults) {
  std::vector<double> five(5), six(6), half(4);
  frequencies(0.5, five);
  EXPECT_THAT(five, ::testing::ElementsAre(0, 0.4, 0.8, -0.8, -0.4));
  frequencies(1, six);
  EXPECT_THAT(six, ::testing::ElementsAre(0, 1.0 / 6, 2.0 / 6, -3.0 / 6, -2.0 / 6, -1.0 / 6));
  real_frequencies(6, 1, half);
  EXPECT_THAT(half, ::testing::ElementsAre(0, 1.0 / 6, 2.0 / 6, 3.0 / 6));
  EXPECT_THROW(frequencies(0, five), std::invalid_argument);
  EXPECT_THROW(frequencies(std::nan(""), five), std::invalid_argument);
  EXPECT_THROW(real_frequencies(7, 1, five), std::invalid_argument);
}

TEST(Shift, PutsZeroInTheMiddleAndBack) {
  const std::vector<std::size_t> both{0, 1}, first{0};
  for (const Shape& shape : {Shape{5, 6}, Shape{4, 1}, Shape{1, 7}}) {
    std::vector<float> x(shape.elements()), shifted(x.size()), back(x.size());
    std::iota(x.begin(), x.end(), 1.0F);
    for (const auto& axes : {both, first}) {
      shift(View<const float>(x.data(), shape), View<float>(shifted.data(), shape), axes);
      const std::size_t column = axes.size() == 2 ? shape[1] / 2 : 0;
      EXPECT_EQ(shifted[shape[0] / 2 * shape[1] + column], 1.0F);
      unshift(View<const float>(shifted.data(), shape), View<float>(back.data(), shape), axes);
      EXPECT_EQ(back, x);
    }
  }
  std::vector<double> f(5), sorted(5);
  frequencies(1, f);
  shift(View<const double>(f.data(), {5}), View<double>(sorted.data(), {5}), first);
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  EXPECT_THROW(shift(View<const double>(f.data(), {5}), View<double>(f.data(), {5}), first), std::invalid_argument);
  EXPECT_THROW(shift(View<const double>(f.data(), {5}), View<double>(sorted.data(), {5}), both), std::invalid_argument);
}

}  // namespace
}  // namespace pawl::fft
