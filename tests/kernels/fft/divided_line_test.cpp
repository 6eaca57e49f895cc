// divided_line_test.cpp -- Way::divided: which lengths with a large prime go by it, and that it finds what a
// convolution of all points finds, also in place, back and on threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <vector>

#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/line.hpp"
#include "kernels/fft/lines.hpp"
#include "kernels/fft/random_numbers.hpp"
#include "pawl/fft.hpp"
#include "pawl/isa.hpp"
#include "reference/fft_ref.hpp"

namespace pawl::fft {
namespace {

using Exact = std::vector<std::complex<long double>>;

template <class T>
class DividedLineTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DividedLineTest, Types);

// 1019, 389, 467 and 100003 are primes without a short way: a line of each is a convolution. Two rows of them are as
// long as one of all points.
TYPED_TEST(DividedLineTest, LongLengthsWithALargePrimeGoByIt) {
  for (const Isa isa : runnable_isas()) {
    const FftOps<TypeParam>& ops = fft_ops<TypeParam>(isa);
    if (ops.pairs->lanes == 0) continue;
    for (const std::size_t n : {132U * 1019, 405U * 389, 896U * 467, 32U * 100003, 4U * 1019, 21U * 1019}) {
      const Choice choice = choose_way<TypeParam>(n, ops);
      EXPECT_EQ(choice.way, Way::divided) << name(isa) << " " << n;
      EXPECT_GE(choice.rows, 4U) << name(isa) << " " << n;
      EXPECT_EQ(choice.rows * choice.columns, n) << name(isa);
    }
    EXPECT_EQ(choose_way<TypeParam>(100003, ops).way, Way::chirp) << name(isa);
    EXPECT_EQ(choose_way<TypeParam>(2U * 100003, ops).way, Way::chirp) << name(isa);
  }
}

TYPED_TEST(DividedLineTest, FindsWhatAConvolutionFinds) {
  using T = TypeParam;
  for (const Isa isa : runnable_isas()) {
    const FftOps<T>& ops = fft_ops<T>(isa);
    if (ops.pairs->lanes == 0) continue;
    for (const std::size_t n : {4U * 1019, 25U * 467, 132U * 1019, 77U * 389}) {
      const auto line = make_line<T>(n, ops), convolution = make_chirp_line<T>(n, ops);
      const Numbers<T> x = random_numbers<T>(n, n);
      const T* const in = reinterpret_cast<const T*>(x.data());
      AlignedArray<T> workspace(std::max(line->workspace_elements_on(3), convolution->workspace_elements()));
      for (const bool back : {false, true}) {
        Numbers<T> want(n), out(n), in_place = x, on_three(n);
        const T scale = back ? T(1) / static_cast<T>(n) : T(1);
        const auto elements = [](Numbers<T>& numbers) { return reinterpret_cast<T*>(numbers.data()); };
        convolution->run(in, elements(want), workspace.data(), back, scale);
        line->run(in, elements(out), workspace.data(), back, scale);
        line->run(elements(in_place), elements(in_place), workspace.data(), back, scale);
        line->run_on(3, in, elements(on_three), workspace.data(), back, scale);
        EXPECT_LE(reference::relative_error(out.data(), Exact(want.begin(), want.end())), 2 * bound<T>(n))
            << name(isa) << " " << n << (back ? " back" : "");
        EXPECT_EQ(out, in_place) << name(isa) << " " << n << (back ? " back" : "");
        EXPECT_EQ(out, on_three) << name(isa) << " " << n << (back ? " back" : "");
      }
    }
  }
}

// Odd lengths whose short factor has no butterfly of its own: divided twice.
TYPED_TEST(DividedLineTest, RealOnesFindWhatComplexOnesFind) {
  using T = TypeParam;
  for (const Isa isa : runnable_isas())
    for (const std::size_t n : {33U * 131, 77U * 139, 51U * 257, 225U * 1019}) {
      const ScopedIsa scope(isa);
      const Numbers<T> random = random_numbers<T>(n, n);
      std::vector<T> x(n), back(n);
      Numbers<T> z(n), want(n), got(n / 2 + 1);
      for (std::size_t i = 0; i < n; ++i) z[i] = x[i] = random[i].real();
      Plan<T>(n).forward(z, want);
      const RealPlan<T> plan(n);
      plan.forward(x, got);
      plan.inverse(got, back, Normalization::by_n);
      EXPECT_LE(reference::relative_error(got.data(),
                                          Exact(want.begin(), want.begin() + static_cast<std::ptrdiff_t>(n / 2 + 1))),
                2 * bound<T>(n))
          << name(isa) << " " << n;
      EXPECT_LE(reference::relative_error(Numbers<T>(back.begin(), back.end()).data(), Exact(x.begin(), x.end())),
                2 * bound<T>(n))
          << name(isa) << " " << n << " back";
    }
}

}  // namespace
}  // namespace pawl::fft
