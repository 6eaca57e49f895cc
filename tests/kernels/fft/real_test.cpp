// real_test.cpp -- transforms of real numbers: against the defining sum, and back.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "kernels/fft/random_numbers.hpp"
#include "kernels/guarded_array.hpp"
#include "pawl/fft.hpp"
#include "reference/fft_ref.hpp"

namespace pawl::fft {
namespace {

template <class T>
void expect_real(std::size_t n) {
  testing::GuardedArray<T> x(n, n % 3), back(n, 1), results(2 * (n / 2 + 1), n % 2);
  x.fill(n);
  Numbers<T> as_complex(n);
  for (std::size_t j = 0; j < n; ++j) as_complex[j] = x[j];
  auto want = reference::dft(as_complex.data(), n, -1);
  want.resize(n / 2 + 1);
  const std::span<std::complex<T>> y(reinterpret_cast<std::complex<T>*>(results.data()), n / 2 + 1);
  const long double eps = std::numeric_limits<T>::epsilon() / 2;
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    const RealPlan<T> plan(n);
    ASSERT_EQ(plan.results(), n / 2 + 1);
    std::vector<std::byte> workspace(plan.workspace_bytes());
    plan.forward(std::span<const T>(x.data(), n), y, workspace);
    // Half of the results of random numbers can be a little smaller than all of them: twice the bound.
    ASSERT_LE(reference::relative_error(y.data(), want), 2 * (bound<T>(n) + eps)) << name(isa) << " n = " << n;
    ASSERT_EQ(y[0].imag(), T(0));
    if (n % 2 == 0) {
      ASSERT_EQ(y[n / 2].imag(), T(0));
    }
    plan.inverse(y, std::span(back.data(), n), Normalization::by_n);
    long double error = 0, norm = 0;
    for (std::size_t j = 0; j < n; ++j) {
      error += static_cast<long double>(back[j] - x[j]) * static_cast<long double>(back[j] - x[j]);
      norm += static_cast<long double>(x[j]) * static_cast<long double>(x[j]);
    }
    ASSERT_LE(std::sqrt(error / norm), 3 * (bound<T>(n) + eps)) << name(isa) << " back, n = " << n;
    ASSERT_TRUE(x.untouched() && back.untouched() && results.untouched()) << name(isa) << " n = " << n;
  }
}

TEST(RealFft, EveryLengthIsTheDefiningSum) {
  for (std::size_t n = 1; n <= 200; ++n) {
    expect_real<float>(n);
    expect_real<double>(n);
  }
  // Odd: products of few and of many rows, of a prime below and above 127, of short lines (637, 1155); primes less one
  // are smooth (1009, 2003) or not (1019).
  for (std::size_t n : {225U, 291U, 393U, 512U, 635U, 637U, 729U, 945U, 1000U, 1001U, 1009U, 1019U, 1024U, 1125U, 1155U,
                        1538U, 2003U, 2187U}) {
    expect_real<float>(n);
    expect_real<double>(n);
  }
}

// The sum over all n results, conjugates included, of results that are random themselves.
TEST(RealFft, InverseIsTheDefiningSum) {
  for (std::size_t n : {1U,  2U,   3U,   4U,   6U,   7U,   8U,   9U,   15U,  33U,  64U,  66U,
                        81U, 100U, 105U, 117U, 127U, 129U, 135U, 225U, 256U, 257U, 263U, 393U}) {
    auto half = random_numbers<double>(n / 2 + 1, n);
    half[0] = half[0].real();
    if (n % 2 == 0) half[n / 2] = half[n / 2].real();
    Numbers<double> all(n);
    for (std::size_t k = 0; k < n; ++k) all[k] = k <= n / 2 ? half[k] : std::conj(half[n - k]);
    const auto want = reference::dft(all.data(), n, 1);
    std::vector<double> x(n), with_noise(n);
    RealPlan<double>(n).inverse(half, x);
    for (std::size_t j = 0; j < n; ++j) ASSERT_NEAR(x[j], static_cast<double>(want[j].real()), 1e-12) << n;
    half[0].imag(7);  // not read
    if (n % 2 == 0) half[n / 2].imag(-3);
    RealPlan<double>(n).inverse(half, with_noise);
    ASSERT_EQ(x, with_noise) << n;
  }
}

TEST(RealFft, InPlace) {
  for (std::size_t n : {6U, 9U, 15U, 33U, 64U, 75U, 129U, 225U, 251U, 1000U}) {
    Numbers<float> memory(n / 2 + 1), want(n / 2 + 1);
    auto* const reals = reinterpret_cast<float*>(memory.data());
    for (std::size_t j = 0; j < n; ++j) reals[j] = static_cast<float>(j * j % 17);
    const RealPlan<float> plan(n);
    plan.forward(std::span<const float>(reals, n), want);
    plan.forward(std::span<const float>(reals, n), memory);
    EXPECT_EQ(memory, want);
    plan.inverse(memory, std::span<float>(reals, n), Normalization::by_n);
    for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(reals[j], static_cast<float>(j * j % 17), 1e-4);
  }
}

TEST(RealFft, ArgumentsThatDoNotFit) {
  EXPECT_THROW(RealPlan<float>(0), std::invalid_argument);
  const RealPlan<float> plan(8);
  std::vector<float> x(8), seven(7);
  Numbers<float> y(5), four(4);
  EXPECT_THROW(plan.forward(seven, y), std::invalid_argument);
  EXPECT_THROW(plan.forward(x, four), std::invalid_argument);
  EXPECT_THROW(plan.inverse(four, x), std::invalid_argument);
  EXPECT_THROW(plan.inverse(y, seven), std::invalid_argument);
  std::vector<std::byte> small(plan.workspace_bytes() - 1);
  EXPECT_THROW(plan.forward(x, y, small), std::invalid_argument);
  auto* const reals = reinterpret_cast<float*>(y.data());
  EXPECT_THROW(plan.forward(std::span<const float>(reals + 1, 8), y), std::invalid_argument);
}

}  // namespace
}  // namespace pawl::fft
