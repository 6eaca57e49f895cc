// fft_test.cpp -- complex transforms of one line: against the defining sum, and by properties where that takes too
// long.
#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "kernels/fft/random_numbers.hpp"
#include "kernels/guarded_array.hpp"
#include "pawl/fft.hpp"
#include "pawl/parallel.hpp"
#include "reference/fft_ref.hpp"

namespace pawl::fft {
namespace {

template <class T>
void expect_transforms(std::size_t n) {
  const Numbers<T> x = random_numbers<T>(n, n);
  const auto want_forward = reference::dft(x.data(), n, -1), want_inverse = reference::dft(x.data(), n, 1);
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    const Plan<T> plan(n);
    Numbers<T> out(n);
    plan.forward(x, out);
    ASSERT_LE(reference::relative_error(out.data(), want_forward), bound<T>(n)) << name(isa) << " forward n = " << n;
    plan.inverse(x, out);
    ASSERT_LE(reference::relative_error(out.data(), want_inverse), bound<T>(n)) << name(isa) << " inverse n = " << n;
  }
}

TEST(Fft, EverySmallLengthIsTheDefiningSum) {
  for (std::size_t n = 1; n <= 300; ++n) {
    expect_transforms<float>(n);
    expect_transforms<double>(n);
  }
}

TEST(Fft, ChosenLengthsAreTheDefiningSum) {
  for (std::size_t n :
       {512U, 1000U, 1001U, 1009U, 1024U, 1025U, 1155U, 1296U, 1331U, 1458U, 1920U, 2048U, 2187U, 2197U}) {
    expect_transforms<float>(n);
    expect_transforms<double>(n);
  }
}

// Inverse of forward is the identity; the 2-norm is kept; one transform of known result. These would notice a wrong
// twiddle anywhere, since every element goes through every stage.
template <class T>
void expect_properties(std::size_t n) {
  const Numbers<T> x = random_numbers<T>(n, n);
  const Plan<T> plan(n);
  Numbers<T> y(n), back(n);
  plan.forward(x, y, Normalization::orthonormal);
  plan.inverse(y, back, Normalization::orthonormal);
  long double error = 0, norm_x = 0, norm_y = 0;
  for (std::size_t j = 0; j < n; ++j) {
    error += static_cast<long double>(std::norm(std::complex<double>(back[j]) - std::complex<double>(x[j])));
    norm_x += static_cast<long double>(std::norm(std::complex<double>(x[j])));
    norm_y += static_cast<long double>(std::norm(std::complex<double>(y[j])));
  }
  EXPECT_LE(std::sqrt(error / norm_x), 2 * bound<T>(n)) << "round trip, n = " << n;
  EXPECT_NEAR(static_cast<double>(norm_y / norm_x), 1, static_cast<double>(2 * bound<T>(n))) << "Parseval, n = " << n;

  // A unit at place `at` becomes exp(-2 pi i at k / n).
  const std::size_t at = n / 3 + 1;
  Numbers<T> unit(n);
  unit[at % n] = 1;
  plan.forward(unit, y);
  long double worst = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const auto turn = static_cast<long double>((at % n * k) % n);
    const long double angle = -2 * std::numbers::pi_v<long double> * turn / static_cast<long double>(n);
    worst = std::max(worst, std::hypot(y[k].real() - std::cos(angle), y[k].imag() - std::sin(angle)));
  }
  EXPECT_LE(worst, 4 * bound<T>(n)) << "unit, n = " << n;
}

TEST(Fft, LargeLengthsKeepTheProperties) {
  for (std::size_t n :
       {2240U, 2500U,  2592U,  2916U,  3000U,  3200U,  3360U,  3456U,  3584U,  3600U,  3840U,   4000U,   4096U,
        5000U, 10007U, 16384U, 20000U, 24576U, 32768U, 44100U, 49280U, 65536U, 65537U, 100000U, 131072U, 1048576U}) {
    expect_properties<float>(n);
    expect_properties<double>(n);
  }
}

TEST(Fft, IsLinearAndShiftsTurn) {
  constexpr std::size_t kN = 360, kShift = 77;
  const auto x = random_numbers<double>(kN, 1), y = random_numbers<double>(kN, 2);
  const std::complex<double> a(0.5, -2), b(3, 0.25);
  Numbers<double> mixed(kN), shifted(kN), fx(kN), fy(kN), fmixed(kN), fshifted(kN);
  for (std::size_t j = 0; j < kN; ++j) {
    mixed[j] = a * x[j] + b * y[j];
    shifted[j] = x[(j + kShift) % kN];
  }
  const Plan<double> plan(kN);
  plan.forward(x, fx);
  plan.forward(y, fy);
  plan.forward(mixed, fmixed);
  plan.forward(shifted, fshifted);
  for (std::size_t k = 0; k < kN; ++k) {
    EXPECT_LT(std::abs(fmixed[k] - (a * fx[k] + b * fy[k])), 1e-12);
    const double angle = 2 * std::numbers::pi * double(k * kShift % kN) / double(kN);
    EXPECT_LT(std::abs(fshifted[k] - std::polar(1.0, angle) * fx[k]), 1e-12);
  }
}

TEST(Fft, NormalizationMultiplies) {
  for (std::size_t n : {7U, 16U, 100U, 256U, 37U, 4096U}) {
    const auto x = random_numbers<float>(n, 3);
    const Plan<float> plan(n);
    Numbers<float> plain(n);
    testing::GuardedArray<float> memory(2 * n, 2);  // results that begin within a line
    const std::span<std::complex<float>> scaled(reinterpret_cast<std::complex<float>*>(memory.data()), n);
    for (bool inverse : {false, true})
      for (auto normalization : {Normalization::by_n, Normalization::orthonormal}) {
        const auto run = [&](std::span<std::complex<float>> out, Normalization how) {
          return inverse ? plan.inverse(x, out, how) : plan.forward(x, out, how);
        };
        run(plain, Normalization::none);
        run(scaled, normalization);
        const double f = normalization == Normalization::by_n ? 1 / double(n) : 1 / std::sqrt(double(n));
        EXPECT_EQ(factor(normalization, n), f);
        for (std::size_t k = 0; k < n; ++k)
          ASSERT_LE(std::abs(std::complex<double>(scaled[k]) - f * std::complex<double>(plain[k])),
                    1e-6 * f * std::sqrt(double(n)));
      }
  }
}

// Bit for bit the same in place, at every misalignment, with a workspace of ours, and nothing else touched.
template <class T>
void expect_same_everywhere(std::size_t n) {
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    const Plan<T> plan(n);
    const Numbers<T> x = random_numbers<T>(n, n);
    Numbers<T> want(n);
    plan.forward(x, want);
    std::vector<std::byte> workspace(plan.workspace_bytes() + 3);
    for (std::size_t offset : {0U, 1U, 2U, 7U}) {
      testing::GuardedArray<T> in(2 * n, offset), out(2 * n, offset + 1);
      const std::span<std::complex<T>> in_span(reinterpret_cast<std::complex<T>*>(in.data()), n);
      const std::span<std::complex<T>> out_span(reinterpret_cast<std::complex<T>*>(out.data()), n);
      std::copy(x.begin(), x.end(), in_span.begin());
      plan.forward(in_span, out_span, std::span(workspace).subspan(offset % 4));
      ASSERT_TRUE(in.untouched() && out.untouched()) << name(isa) << " n = " << n;
      ASSERT_TRUE(std::equal(want.begin(), want.end(), out_span.begin())) << name(isa) << " n = " << n;
      ASSERT_TRUE(std::equal(x.begin(), x.end(), in_span.begin())) << name(isa) << " n = " << n;
      plan.forward(in_span, in_span);
      ASSERT_TRUE(in.untouched()) << name(isa) << " n = " << n;
      ASSERT_TRUE(std::equal(want.begin(), want.end(), in_span.begin())) << name(isa) << " in place, n = " << n;
    }
  }
}

TEST(Fft, PlaceAlignmentAndWorkspaceChangeNothing) {
  for (std::size_t n : {1U,   2U,   3U,   8U,   13U,  15U,  16U,   17U,   30U,   31U,   32U,   48U,   60U,   64U,  100U,
                        127U, 128U, 250U, 256U, 272U, 495U, 1000U, 1024U, 1050U, 1536U, 3200U, 4096U, 6144U, 8192U}) {
    expect_same_everywhere<float>(n);
    expect_same_everywhere<double>(n);
  }
}

// Arrays as large as these are written past the caches where they start at a boundary of 64 bytes.
template <class T>
void expect_same_of_large(std::size_t n) {
  const Plan<T> plan(n);
  const Numbers<T> x = random_numbers<T>(n, n);
  Numbers<T> memory(n + 128 / sizeof(T));
  std::vector<std::byte> workspace(plan.workspace_bytes());
  const std::size_t to_boundary =
      (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64 / sizeof(std::complex<T>);
  const std::span<std::complex<T>> aligned(memory.data() + to_boundary, n);
  plan.forward(x, aligned, workspace);
  const Numbers<T> want(aligned.begin(), aligned.end());
  std::fill(memory.begin(), memory.end(), std::complex<T>(7));
  const std::span<std::complex<T>> beside(memory.data() + to_boundary + 1, n);
  plan.forward(x, beside, workspace);
  EXPECT_TRUE(std::equal(want.begin(), want.end(), beside.begin())) << n;
  EXPECT_EQ(memory[to_boundary], std::complex<T>(7));
  EXPECT_EQ(memory[to_boundary + n + 1], std::complex<T>(7));
  std::copy(x.begin(), x.end(), aligned.begin());
  plan.forward(aligned, aligned, workspace);
  EXPECT_TRUE(std::equal(want.begin(), want.end(), aligned.begin())) << n << " in place";
  long double energy = 0, transformed = 0;
  for (const auto& z : x) energy += std::norm(std::complex<double>(z));
  for (const auto& z : want) transformed += std::norm(std::complex<double>(z));
  EXPECT_NEAR(double(transformed / energy / static_cast<long double>(n)), 1, 1e-6);
}

TEST(Fft, LargeArraysAreTheSameWhereverTheyStart) {
  // Columns that are turned into lines, whole vectors of rows and not.
  for (std::size_t n : {32768U, 44100U}) {
    expect_same_of_large<double>(n);
    expect_same_of_large<float>(n);
  }
  expect_same_of_large<double>(std::size_t{1} << 20);
  expect_same_of_large<float>(std::size_t{1} << 21);
}

template <class T>
void expect_same_on_threads(std::size_t n) {
  const auto x = random_numbers<T>(n, 4);
  Numbers<T> one(n), three(n), in_place = x;
  set_num_threads(1);
  const Plan<T> alone(n);
  set_num_threads(3);
  const Plan<T> plan(n);
  EXPECT_TRUE(plan.threads() == 3 || n < 262144) << n;
  alone.forward(x, one);
  plan.forward(x, three);
  plan.forward(in_place, in_place);
  EXPECT_EQ(one, three) << n;
  EXPECT_EQ(one, in_place) << n;
  alone.inverse(x, one, Normalization::by_n);
  plan.inverse(x, three, Normalization::by_n);
  EXPECT_EQ(one, three) << n << ", back";
}

template <class T>
void expect_same_of_reals_on_threads(std::size_t n) {
  const auto numbers = random_numbers<T>(n / 2, 5);
  const std::span<const T> x(reinterpret_cast<const T*>(numbers.data()), n);
  Numbers<T> one(n / 2 + 1), three(n / 2 + 1);
  std::vector<T> back_one(n), back_three(n);
  set_num_threads(1);
  const RealPlan<T> alone(n);
  set_num_threads(3);
  const RealPlan<T> plan(n);
  EXPECT_EQ(alone.threads(), 1);
  EXPECT_TRUE(plan.threads() == 3 || n < 524288) << n;
  alone.forward(x, one);
  plan.forward(x, three);
  EXPECT_EQ(one, three) << n;
  alone.inverse(one, back_one, Normalization::by_n);
  plan.inverse(one, back_three, Normalization::by_n);
  EXPECT_EQ(back_one, back_three) << n;
}

// 66150: 1225 rows fill no vectors.
TEST(Fft, ThreadsOfALongLineChangeNothing) {
  const int before = num_threads();
  for (std::size_t n : {24576U, 30000U, 44100U, 48000U, 65536U, 66150U, 100000U, 262144U, 300000U, 524288U}) {
    expect_same_on_threads<float>(n);
    expect_same_on_threads<double>(n);
    expect_same_of_reals_on_threads<float>(2 * n);
    expect_same_of_reals_on_threads<double>(2 * n);
  }
  set_num_threads(before);
}

TEST(Fft, PlansAreSharedByThreads) {
  constexpr std::size_t kThreads = 4;
  std::vector<std::thread> threads;
  std::vector<int> wrong(kThreads);
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([t, &wrong] {
      for (std::size_t n = 1; n < 200; ++n) {
        const Plan<double> plan(n);
        Numbers<double> x(n), y(n);
        x[0] = double(t + 1);
        plan.forward(x, y);
        for (const auto& z : y) wrong[t] += std::abs(z - double(t + 1)) > 1e-12;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(wrong, ::testing::Each(0));
}

TEST(Fft, PlansCountWhatTheyFindMade) {
  constexpr std::size_t kLength = 123457;  // no other test's
  const auto before = plan_cache_statistics();
  const Plan<float> first(kLength);
  const auto made = plan_cache_statistics();
  EXPECT_GT(made.misses, before.misses);
  const Plan<float> second(kLength);
  const auto found = plan_cache_statistics();
  EXPECT_EQ(found.misses, made.misses);
  EXPECT_EQ(found.hits, made.hits + 1);
  EXPECT_EQ((PlanCacheStatistics{3, 1}).hit_rate(), 0.75);
  EXPECT_EQ(PlanCacheStatistics{}.hit_rate(), 1);
}

TEST(Fft, NaNReachesEveryResult) {
  for (std::size_t n : {3U, 16U, 100U, 256U, 1009U}) {
    Numbers<float> x(n), y(n);
    x[n / 2] = {std::numeric_limits<float>::quiet_NaN(), 0};
    Plan<float>(n).forward(x, y);
    for (const auto& z : y) ASSERT_TRUE(std::isnan(z.real()) || std::isnan(z.imag())) << n;
  }
}

}  // namespace
}  // namespace pawl::fft
