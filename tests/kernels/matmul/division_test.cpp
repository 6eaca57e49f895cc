// division_test.cpp -- products that threads share: between rows, columns, or by depth; every part is there once.
#include "kernels/matmul/division.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "kernels/matmul/problem.hpp"
#include "kernels/matmul/threads.hpp"
#include "pawl/isa.hpp"

namespace pawl::testing {
namespace {

template <class T>
class DivisionTest : public ProductTest<T> {};
TYPED_TEST_SUITE(DivisionTest, ProductTypes);

template <class T>
Product<T> product(std::size_t m, std::size_t n, std::size_t k, bool transpose_b = false) {
  static T memory[1];  // is not read
  return {false, transpose_b, m, n, k, T(1), memory, k, memory, transpose_b ? k : n, T(0), memory, n};
}

template <class T>
Division division(const Product<T>& x, int threads) {
  return choose_division(matmul_ops<T>(runnable_isas().back()), x, threads, ByDepth::yes);
}

TYPED_TEST(DivisionTest, FewRowsAndADeepMatrixByRowsAreCutByDepth) {
  using T = TypeParam;
  for (const Case x : {Case{1, 398, 2780}, {1, 1000, 4000}, {3, 271, 1946}, {16, 64, 4000}})
    for (int threads : {2, 3, 4}) {
      const Division by = division(product<T>(x.m, x.n, x.k), threads);
      EXPECT_EQ(by.depth, threads) << x.m << " x " << x.n << " x " << x.k;
      EXPECT_EQ(by.rows * by.cols, 1);
    }
  // Columns of a transposed B lie by themselves; a large C takes long to add up.
  EXPECT_EQ(division(product<T>(1, 398, 2780, true), 2).depth, 1);
  EXPECT_EQ(division(product<T>(500, 500, 500), 2).depth, 1);
  EXPECT_EQ(division(product<T>(4, 3000, 100), 2).depth, 1);
}

TYPED_TEST(DivisionTest, AShallowProductIsCutBetweenRows) {
  using T = TypeParam;
  for (const Case x : {Case{176, 256, 11}, {76, 192, 16}, {454, 309, 30}, {300, 300, 1}})
    EXPECT_EQ(division(product<T>(x.m, x.n, x.k), 2).rows, 2) << x.m << " x " << x.n << " x " << x.k;
  EXPECT_EQ(division(product<T>(2, 3000, 100), 2).cols, 2);
}

TYPED_TEST(DivisionTest, ThePartsAreAllOfTheProduct) {
  using T = TypeParam;
  for (const Case x : {Case{1, 398, 2780}, {13, 1000, 70}, {176, 256, 11}, {500, 20, 1}, {3, 5, 10000}})
    for (int threads = 1; threads <= 7; ++threads) {
      const Product<T> all = product<T>(x.m, x.n, x.k);
      const Division by = division(all, threads);
      std::size_t products = 0;
      for (int part = 0; part < threads; ++part) {
        const Product<T> y = part_of(all, by, part);
        products += y.m * y.n * y.k;
      }
      EXPECT_EQ(products, x.m * x.n * x.k) << threads << " threads, " << x.m << " x " << x.n << " x " << x.k;
    }
}

// Of two neighbours the upper one has the other below it, and one of three has both above it.
TYPED_TEST(DivisionTest, PartsKnowWhereOtherThreadsAre) {
  using T = TypeParam;
  const Product<T> x = product<T>(176, 256, 11);
  const auto others = [&](const Division& by, int part) { return part_of(x, by, part).others; };
  EXPECT_EQ(others({.rows = 1}, 0), OtherThreads::none);
  EXPECT_EQ(others({.cols = 2}, 1), OtherThreads::none);
  EXPECT_EQ(others({.depth = 2}, 0), OtherThreads::none);
  for (int cols : {1, 2})
    for (int part = 0; part < 3 * cols; ++part)
      EXPECT_EQ(others({.rows = 3, .cols = cols}, part), part / cols == 0 ? OtherThreads::below : OtherThreads::above);
  EXPECT_EQ(others({.rows = 4}, 2), OtherThreads::below);
}

TYPED_TEST(DivisionTest, WithoutRoomForSumsNothingIsCutByDepth) {
  using T = TypeParam;
  const auto& kernels = matmul_ops<T>(runnable_isas().back());
  EXPECT_EQ(choose_division(kernels, product<T>(1, 398, 2780), 2, ByDepth::no).depth, 1);
}

// Nothing to add up, and much to write: C is scaled, by all threads.
TYPED_TEST(DivisionTest, AProductWithoutDepthScalesC) {
  using T = TypeParam;
  const int before = num_threads();
  for (const double alpha : {0.0, 1.0})
    for (const std::size_t k : {0U, 3U})
      for (int threads : {1, 2, 3}) {
        if (alpha == 1 && k != 0) continue;
        set_num_threads(threads);
        Problem<T> problem(Case{300, 301, k, false, false, alpha, -2, 1, 1}, Values::integers);
        for_each_isa([&](Isa) { problem.check(); });
      }
  set_num_threads(before);
}

// By all layouts, with what was in C, gaps between its rows, a bias and an activation.
TYPED_TEST(DivisionTest, SumsOfPartsOfTheDepthAreExact) {
  using T = TypeParam;
  const int before = num_threads();
  for (const Case shape : {Case{1, 398, 1780}, {3, 271, 1946}, {16, 64, 1003}, {5, 33, 2001}, {30, 30, 800}})
    for (int transposes = 0; transposes < 4; ++transposes) {
      Case x = shape;
      x.transpose_a = (transposes & 1) != 0;
      x.transpose_b = (transposes & 2) != 0;
      x.alpha = -0.5;
      x.beta = transposes % 2 ? 0 : 2;
      x.gap = 3;
      x.offset = 1;
      Problem<T> problem(x, Values::integers);
      for (int threads : {2, 3, 5}) {
        set_num_threads(threads);
        for_each_isa([&](Isa) { problem.check(); });
        if (::testing::Test::HasFailure()) return;
      }
    }
  const std::size_t m = 2, n = 150, k = 1500;
  std::vector<T> a(m * k), b(k * n), bias(n), c(m * n, T(7));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(static_cast<int>(i * 7 % 5) - 2);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(static_cast<int>(i * 11 % 7) - 3);
  for (std::size_t j = 0; j < n; ++j) bias[j] = static_cast<T>(static_cast<int>(j % 9) - 4);
  set_num_threads(2);
  EXPECT_EQ(division(product<T>(m, n, k), 2).depth, 2);
  matmul_bias(View<const T>(a.data(), Shape{m, k}), View<const T>(b.data(), Shape{k, n}), bias,
              View<T>(c.data(), Shape{m, n}), Activation::relu);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      T sum = bias[j];
      for (std::size_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      ASSERT_EQ(c[i * n + j], std::max(sum, T(0))) << i << ' ' << j;
    }
  set_num_threads(before);
}

// The same threads give the same bits, whether they are awake or all is left to the caller.
TYPED_TEST(DivisionTest, SleepChangesNoBit) {
  using T = TypeParam;
  const int before = num_threads();
  set_num_threads(2);
  for (const Case x : {Case{1, 300, 900}, {60, 70, 80}, {16, 64, 700}}) {
    std::vector<T> a(x.m * x.k), b(x.k * x.n), first(x.m * x.n), c(x.m * x.n);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = T(1) / static_cast<T>(1 + i * 7 % 31);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = T(1) / static_cast<T>(1 + i * 11 % 37);
    for (int i = 0; i < 200; ++i) {
      auto& to = i == 0 ? first : c;
      if (i % 50 == 0) usleep(2000);
      matmul(Transpose::no, Transpose::no, x.m, x.n, x.k, T(1), a.data(), x.k, b.data(), x.n, T(0), to.data(), x.n);
      if (i > 0) {
        ASSERT_EQ(first, c) << i;
      }
    }
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace pawl::testing
