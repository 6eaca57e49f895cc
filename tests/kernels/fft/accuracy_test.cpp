// accuracy_test.cpp -- the error of complex and real transforms of every length up to 2100 and of some long ones, for
// every variant, against a transform in long double; and that one against the defining sum.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "kernels/fft/random_numbers.hpp"
#include "pawl/fft.hpp"
#include "pawl/parallel.hpp"
#include "reference/fft_ref.hpp"

namespace pawl::fft {
namespace {

using Exact = std::vector<std::complex<long double>>;

TEST(FftReference, IsTheDefiningSum) {
  for (std::size_t n : {1U, 2U, 3U, 4U, 5U, 6U, 8U, 9U, 12U, 15U, 16U, 17U, 25U, 30U, 49U, 60U, 64U, 101U, 143U, 360U})
    for (int sign : {-1, 1}) {
      const auto x = random_numbers<double>(n, n);
      const Exact fast = reference::fft(x.data(), n, sign), want = reference::dft(x.data(), n, sign);
      for (std::size_t k = 0; k < n; ++k) ASSERT_LT(std::abs(fast[k] - want[k]), 1e-18L * std::sqrt(n) * 20) << n;
    }
}

// Results of the inverse: those of the forward transform, counted backwards.
Exact backwards(const Exact& forward) {
  Exact result(forward.size());
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = forward[(result.size() - k) % result.size()];
  return result;
}

// x holds numbers that float and double can both hold, so that one exact result serves both.
template <class T>
void expect_accurate(const Numbers<float>& x, const Exact& forward, const Exact& inverse,
                     std::span<const Isa> variants) {
  const std::size_t n = x.size();
  const Numbers<T> in(x.begin(), x.end());
  Numbers<T> out(n);
  for (Isa isa : variants) {
    const ScopedIsa scope(isa);
    const Plan<T> plan(n);
    plan.forward(in, out);
    ASSERT_LE(reference::relative_error(out.data(), forward), bound<T>(n)) << name(isa) << " forward n = " << n;
    plan.inverse(in, out);
    ASSERT_LE(reference::relative_error(out.data(), inverse), bound<T>(n)) << name(isa) << " inverse n = " << n;
  }
}

// Real input of every length: half of the results of random numbers can be a little smaller than all of them, hence
// twice the bound.
template <class T>
void expect_accurate_real(const std::vector<float>& x, const Exact& want) {
  const std::size_t n = x.size();
  const std::vector<T> in(x.begin(), x.end());
  std::vector<std::complex<T>> out(n / 2 + 1);
  std::vector<T> back(n);
  const long double eps = std::numeric_limits<T>::epsilon() / 2;
  const RealPlan<T> plan(n);
  plan.forward(in, out);
  ASSERT_LE(reference::relative_error(out.data(), want), 2 * (bound<T>(n) + eps)) << "n = " << n;
  plan.inverse(out, back, Normalization::by_n);
  long double error = 0, norm = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const long double difference = back[j] - in[j], value = in[j];
    error += difference * difference;
    norm += value * value;
  }
  ASSERT_LE(std::sqrt(error / norm), 3 * (bound<T>(n) + eps)) << "back, n = " << n;
}

// The transform of the real parts, from that of both parts.
Exact of_real_parts(const Exact& both) {
  const std::size_t n = both.size();
  Exact result(n / 2 + 1);
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = (both[k] + std::conj(both[(n - k) % n])) / 2.0L;
  return result;
}

TEST(FftAccuracy, EveryLengthUpTo2100) {
  const Isa active = active_isa();
  for (std::size_t n = 1; n <= 2100; ++n) {
    // Every variant up to 300 and at every eleventh length, this machine's at all.
    const std::span<const Isa> variants = n <= 300 || n % 11 == 0 ? runnable_isas() : std::span(&active, 1);
    const auto x = random_numbers<float>(n, n);
    const Exact forward = reference::fft(x.data(), n, -1), inverse = backwards(forward);
    expect_accurate<float>(x, forward, inverse, variants);
    expect_accurate<double>(x, forward, inverse, variants);
    std::vector<float> reals;
    for (const auto& z : x) reals.push_back(z.real());
    expect_accurate_real<float>(reals, of_real_parts(forward));
    expect_accurate_real<double>(reals, of_real_parts(forward));
    if (HasFatalFailure()) return;
  }
}

// With the variant of this machine only, on one thread and on three.
TEST(FftAccuracy, LongLengths) {
  const int before = num_threads();
  const Isa active = active_isa();
  for (std::size_t n :
       {4096U, 5000U, 5040U, 8191U, 16384U, 32768U, 44100U, 65536U, 100000U, 131072U, 262144U, 1048576U}) {
    const auto x = random_numbers<float>(n, n);
    const Exact forward = reference::fft(x.data(), n, -1), inverse = backwards(forward);
    for (int threads : {1, 3}) {
      set_num_threads(threads);
      expect_accurate<float>(x, forward, inverse, {&active, 1});
      expect_accurate<double>(x, forward, inverse, {&active, 1});
    }
    if (HasFatalFailure()) break;
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace pawl::fft
