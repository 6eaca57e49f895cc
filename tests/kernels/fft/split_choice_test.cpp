// split_choice_test.cpp -- long lengths -> the halves that Way::split takes: such as fill vectors, if any do.
#include <gtest/gtest.h>

#include <cstddef>

#include "kernels/fft/line.hpp"
#include "kernels/fft/lines.hpp"
#include "pawl/isa.hpp"

namespace pawl::fft {
namespace {

// Whether n has rows and columns that fill vectors of so many lanes, none more than twice as many as the others.
bool has_whole_halves(std::size_t n, std::size_t lanes) {
  for (std::size_t rows = lanes; rows < n; rows += lanes)
    if (n % rows == 0 && n / rows % lanes == 0 && rows <= 2 * (n / rows) && n / rows <= 2 * rows) return true;
  return false;
}

template <class T>
void expect_whole_halves() {
  std::size_t met = 0;
  for (const Isa isa : runnable_isas()) {
    const FftOps<T>& ops = fft_ops<T>(isa);
    for (const std::size_t n : {777'600U, 907'200U, 1'000'000U, 1'048'576U, 1'440'000U, 1'612'800U, 2'799'360U}) {
      const Choice choice = choose_way<T>(n, ops);
      if (choice.way != Way::split) continue;
      ASSERT_EQ(choice.rows * choice.columns, n);
      if (!has_whole_halves(n, ops.lanes)) continue;
      ++met;
      EXPECT_EQ(choice.rows % ops.lanes, 0u)
          << name(isa) << " " << n << " = " << choice.rows << " x " << choice.columns;
      EXPECT_EQ(choice.columns % ops.lanes, 0u)
          << name(isa) << " " << n << " = " << choice.rows << " x " << choice.columns;
    }
  }
  EXPECT_GE(met, 5u);  // of any variant with vectors
}

TEST(SplitChoice, HalvesFillVectorsWhereTheyCan) {
  expect_whole_halves<float>();
  expect_whole_halves<double>();
}

}  // namespace
}  // namespace pawl::fft
