// small_product_test.cpp -- small products: which way is chosen, and that every way gives the product.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "isa/data_path.hpp"
#include "kernels/matmul/problem.hpp"
#include "kernels/matmul/product.hpp"
#include "kernels/matmul/way.hpp"

namespace pawl::testing {
namespace {

template <class T>
class SmallProduct : public ProductTest<T> {};
TYPED_TEST_SUITE(SmallProduct, ProductTypes);

// What the widest variant takes: how often each way, and how often two of them.
struct Taken {
  std::map<SmallWay, int> ways, ways_of_rest;
};

// All layouts, gaps, offsets and factors of a shape.
template <class T>
void expect_exact(std::size_t m, std::size_t n, std::size_t k, Taken& taken) {
  for (bool transpose_a : {false, true})
    for (bool transpose_b : {false, true})
      for (double beta : {0.0, 2.0}) {
        const Case x{m, n, k, transpose_a, transpose_b, -1, beta, beta == 0 ? 0U : 3U, beta == 0 ? 0U : 1U};
        const SmallShape shape{transpose_a, transpose_b, m, n, k, beta != 0};
        ASSERT_TRUE(is_small_shape<T>(shape));
        const SmallPlan plan = plan_small_product(matmul_ops<T>(runnable_isas().back()), shape);
        ++taken.ways[plan.way];
        if (plan.whole != n) ++taken.ways_of_rest[plan.way_of_rest];
        Problem<T> problem(x, Values::integers);
        for_each_isa([&](Isa) { problem.check(); });
        if (::testing::Test::HasFailure()) return;
      }
}

TYPED_TEST(SmallProduct, EveryWayIsExact) {
  using T = TypeParam;
  Taken taken;
  for (std::size_t m : {1U, 2U, 3U, 7U, 15U, 33U, 56U})
    for (std::size_t n : {1U, 2U, 4U, 9U, 21U, 70U})
      for (std::size_t k : {1U, 2U, 5U, 17U, 66U}) {
        expect_exact<T>(m, n, k, taken);
        if (::testing::Test::HasFailure()) return;
      }
  // Deep, and with copies that the stack does not hold.
  expect_exact<T>(3, 2, 450, taken);
  expect_exact<T>(50, 5, 300, taken);
  expect_exact<T>(17, 102, 144, taken);
  if (name(runnable_isas().back()) != "scalar") {
    if (matmul_ops<T>(runnable_isas().back()).strip_cols != 0) {
      EXPECT_GT(taken.ways[SmallWay::strips], 0);
    }
    for (SmallWay way : {SmallWay::tiles, SmallWay::wide_tiles, SmallWay::dots, SmallWay::dots_by_columns,
                         SmallWay::turned_tiles, SmallWay::turned_wide_tiles})
      EXPECT_GT(taken.ways[way], 0) << static_cast<int>(way);
  }
}

// Columns beyond whole vectors that go a way of their own.
TYPED_TEST(SmallProduct, TwoWaysAreExact) {
  using T = TypeParam;
  Taken taken;
  for (std::size_t m : {19U, 100U, 141U})
    for (std::size_t n : {9U, 10U, 17U, 33U, 34U, 37U})
      for (std::size_t k : {3U, 15U, 40U}) {
        expect_exact<T>(m, n, k, taken);
        if (::testing::Test::HasFailure()) return;
      }
  if (name(runnable_isas().back()) != "scalar") {
    EXPECT_GT(taken.ways_of_rest.size(), 1U);
  }
}

// B by rows a page apart, part of a larger matrix.
TYPED_TEST(SmallProduct, RowsAPageApartAreExact) {
  using T = TypeParam;
  constexpr std::size_t kGap = 4096 / sizeof(T);  // Problem gives B twice the gap of A
  for (std::size_t k : {4U, 30U}) {
    Problem<T> problem({9, 20, k, false, false, 1, 0, kGap / 2 - 10, 0}, Values::integers);
    for_each_isa([&](Isa) { problem.check(); });
  }
}

// Kernels of AVX-512's or AVX2's sizes that must not be called.
template <class T>
MatmulOps<T> sizes_of(std::size_t tile_rows, std::size_t lanes) {
  static constexpr std::size_t kWide[] = {16, 8, 7, 6, 5, 4, 3, 3, 3, 2, 2, 2, 2, 2}, kDots[] = {16, 8, 8, 6, 5, 4};
  static std::size_t columns[std::size(kWide)];
  std::transform(std::begin(kWide), std::end(kWide), columns, [lanes](std::size_t v) { return v * lanes; });
  MatmulOps<T> ops{};
  ops.tile_rows = tile_rows;
  ops.tile_cols = 2 * lanes;
  ops.few_rows_cols = columns;
  ops.dot_rows = 6;
  ops.strip_rows = 5;
  ops.strip_cols = 5 * lanes;
  ops.dot_cols = kDots;
  return ops;
}

// Each was the fastest of all ways by 1.2 and more on an Emerald Rapids, AVX-512 f32.
TEST(SmallWays, TheFastestOneIsChosen) {
  const DataPath whole(false);
  const MatmulOps<float> ops = sizes_of<float>(14, 16);
  const auto way = [&](std::size_t m, std::size_t n, std::size_t k, bool transpose_a, bool transpose_b) {
    return plan_small_product(ops, {transpose_a, transpose_b, m, n, k, false}).way;
  };
  EXPECT_EQ(way(70, 76, 15, false, false), SmallWay::strips);
  EXPECT_EQ(way(70, 76, 45, false, false), SmallWay::tiles);
  EXPECT_EQ(way(7, 23, 6, false, false), SmallWay::tiles);
  EXPECT_EQ(way(2, 405, 60, false, false), SmallWay::wide_tiles);
  EXPECT_EQ(way(1, 1328, 16, false, false), SmallWay::wide_tiles);
  EXPECT_EQ(way(3, 2, 450, false, false), SmallWay::dots);
  EXPECT_EQ(way(300, 3, 300, false, true), SmallWay::dots_by_columns);
  EXPECT_EQ(way(50, 4, 19, true, false), SmallWay::turned_tiles);
  EXPECT_EQ(way(23, 21, 191, true, true), SmallWay::turned_tiles);
  EXPECT_EQ(way(111, 2, 28, true, true), SmallWay::turned_wide_tiles);
  EXPECT_EQ(way(404, 3, 20, true, false), SmallWay::turned_wide_tiles);
}

// Each was 1.2 times as fast or more in two ways on an Emerald Rapids, AVX-512 f32, or 1.1 times as slow.
TEST(SmallWays, ColumnsBeyondVectorsAreCutOffWhereThatPays) {
  const DataPath whole(false);
  const MatmulOps<float> ops = sizes_of<float>(14, 16);
  const auto rest = [&](std::size_t m, std::size_t n, std::size_t k, bool transpose_a, bool transpose_b) {
    return n - plan_small_product(ops, {transpose_a, transpose_b, m, n, k, false}).whole;
  };
  EXPECT_EQ(rest(56, 17, 92, false, false), 1U);
  EXPECT_EQ(rest(130, 18, 40, false, false), 2U);
  EXPECT_EQ(rest(56, 33, 92, true, false), 1U);
  EXPECT_EQ(rest(56, 32, 92, false, false), 0U);
  EXPECT_EQ(rest(100, 24, 15, false, false), 0U);
  EXPECT_EQ(rest(20, 20, 30, false, false), 0U);
  EXPECT_EQ(rest(56, 15, 92, false, false), 0U);
}

// To turn C over costs twice where it is read too.
TEST(SmallWays, ACThatIsReadIsTurnedLessOften) {
  const DataPath whole(false);
  const MatmulOps<double> ops = sizes_of<double>(14, 8);
  int turned[2] = {0, 0};
  for (std::size_t m = 8; m <= 256; m += 8)
    for (std::size_t n = 1; n <= 8; ++n)
      for (bool reads_c : {false, true}) {
        const SmallWay way = plan_small_product(ops, {true, false, m, n, 8, reads_c}).way;
        turned[reads_c] += way == SmallWay::turned_tiles || way == SmallWay::turned_wide_tiles;
      }
  EXPECT_LT(turned[true], turned[false]);
  EXPECT_GT(turned[true], 0);
}

TEST(SmallWays, LargeShapesAreNotSmall) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  EXPECT_TRUE(is_small_shape<float>({false, false, 64, 64, 64}));
  EXPECT_FALSE(is_small_shape<float>({false, false, 64, 64, 65}));
  EXPECT_FALSE(is_small_shape<float>({false, false, 1, 1, kMost}));
  EXPECT_FALSE(is_small_shape<double>({false, false, std::size_t{1} << 32, std::size_t{1} << 32, 1}));
  EXPECT_FALSE(is_small_shape<double>({false, false, 128, 128, 1}));   // C is more than L1 holds
  EXPECT_FALSE(is_small_shape<double>({false, false, 1, 2, 100000}));  // and A than L2 does beside its copy
}

}  // namespace
}  // namespace pawl::testing
