// shallow_test.cpp -- products that write much of C: which lines of it they ask for, and that all are exact.
#include <gtest/gtest.h>

#include "isa/data_path.hpp"
#include "isa/store_waits.hpp"
#include "kernels/matmul/plan.hpp"
#include "kernels/matmul/problem.hpp"

namespace pawl::testing {
namespace {

template <class T>
class ShallowMatmul : public ProductTest<T> {};
TYPED_TEST_SUITE(ShallowMatmul, ProductTypes);

// Every variant, with and without stores that wait, on one and two threads.
template <class T>
void expect_exact(const Case& x) {
  Problem<T> problem(x, Values::integers);
  for (bool wait : {false, true}) {
    const StoreWaits waits(wait);
    for_each_isa([&](Isa) {
      for (int threads : {1, 2}) {
        set_num_threads(threads);
        problem.check();
      }
    });
  }
}

// Rows of C a page apart, more of them than L2 holds: blocks of a tile or two of rows, the last one thin.
TYPED_TEST(ShallowMatmul, ProductsJoinAlongTheLines) {
  using T = TypeParam;
  constexpr std::size_t kCols = 4096 / sizeof(T);
  const std::size_t rows = assumed_cache_sizes().l2_bytes / 4096 + 3;
  for (std::size_t k : {8U, 9U, 32U}) {
    expect_exact<T>({rows, kCols, k, false, k == 9, 2, -0.5, 0, 0});
  }
}

// A C of other rows, far more than L2 holds: blocks of four tiles, which ask for what lies to their right.
TYPED_TEST(ShallowMatmul, ProductsAskToTheRight) {
  using T = TypeParam;
  constexpr std::size_t kCols = 1001;
  const std::size_t rows = assumed_cache_sizes().l2_bytes * 5 / kCols / sizeof(T) + 3;
  for (std::size_t k : {3U, 9U}) {
    expect_exact<T>({rows, kCols, k, k == 9, false, 1, k == 9 ? 2.0 : 0.0, 0, 1});
  }
}

// A C that L2 holds and L1 does not, whatever its rows are; a wide B that is not read where it lies by usual tiles.
TYPED_TEST(ShallowMatmul, ProductsIntoL2AreExact) {
  using T = TypeParam;
  constexpr std::size_t kPageCols = 4096 / sizeof(T);
  for (std::size_t k : {1U, 4U, 5U, 12U})
    for (bool transpose_a : {false, true}) {
      expect_exact<T>({101, 333, k, transpose_a, k == 5, 1, k == 4 ? 1.0 : 0.0, 3, 1});
      expect_exact<T>({47, kPageCols, k, transpose_a, k == 5, k == 12 ? 3.0 : 1.0, 0, 0, 0});
    }
  expect_exact<T>({61, 16 * kPageCols, 8, false, false, 1, 0, 0, 0});
}

// A C beyond L1, written by tiles that ask for what lies below them: in all turns of their loops, in some of them and
// beside what they ask of A and B, for rows that begin at lines and that do not, by tiles of all heights.
TYPED_TEST(ShallowMatmul, ProductsAskBelow) {
  using T = TypeParam;
  for (std::size_t k : {32U, 33U, 47U, 63U, 64U, 67U, 131U})
    for (bool transpose_a : {false, true}) {
      const std::size_t rows = 100 + k % 14, cols = k % 2 == 0 ? 256 : 203;
      expect_exact<T>({rows, cols, k, transpose_a, k == 47, k == 63 ? -2.0 : 1.0, k == 33 ? 1.0 : 0.0, k % 3, 1});
    }
}

// And what is so large that its blocks ask for those that follow.
TYPED_TEST(ShallowMatmul, LargeProductsAskBelow) {
  using T = TypeParam;
  const std::size_t side = (std::size_t{1200} << 10) / sizeof(T);
  expect_exact<T>({side / 300, 300, 70, true, false, 1, 0, 0, 1});
  expect_exact<T>({291, 389, side / 389, false, false, 1, 0.5, 0, 0});
}

template <class T>
Product<T> product(std::size_t m, std::size_t n, std::size_t k, std::size_t ldc) {
  Product<T> x{};
  x.m = m, x.n = n, x.k = k;
  x.alpha = 1;
  x.lda = k, x.ldb = n, x.ldc = ldc;
  return x;
}

TYPED_TEST(ShallowMatmul, WideTilesAskBelow) {
  using T = TypeParam;
  const std::size_t page = 4096 / sizeof(T), l1 = assumed_cache_sizes().l1d_bytes, l2 = assumed_cache_sizes().l2_bytes;
  for_each_isa([&](Isa isa) {
    const MatmulOps<T>& kernels = matmul_ops<T>(isa);
    const auto asks = [&](std::size_t c_bytes, std::size_t k, std::size_t ldc) {
      const Product<T> x = product<T>(c_bytes / sizeof(T) / ldc, ldc, k, ldc);
      return make_plan(kernels, x, true).next_of_c == NextOfC::below_into_l1;
    };
    const bool wide = kernels.tile_cols * sizeof(T) >= 128;
    {
      const StoreWaits waits(true);
      EXPECT_EQ(asks(3 * l1, 32, page / 5), wide);
      EXPECT_FALSE(asks(3 * l1, 31, page / 5));
      EXPECT_FALSE(asks(l1, 32, page / 5));
      EXPECT_FALSE(asks(l2 / 2, 64, page));
      EXPECT_FALSE(asks(l2 / 2, 64, page - 1));
      EXPECT_EQ(asks(2 * l2, 64, page), wide);
    }
    const StoreWaits go_on(false);
    EXPECT_FALSE(asks(3 * l1, 32, page / 5));
  });
}

// As plan.hpp says.
TYPED_TEST(ShallowMatmul, OnlyWhatMostlyWritesAsks) {
  using T = TypeParam;
  const DataPath whole(false);
  const std::size_t page = 4096 / sizeof(T), line = 64 / sizeof(T), rows_long = 2 * page - 9,
                    in_lines = 2 * page - line;
  const auto asks = [&](std::size_t c_bytes, std::size_t k, std::size_t ldc) {
    return mostly_writes(product<T>(c_bytes / sizeof(T) / ldc, ldc, k, ldc));
  };
  const std::size_t l1 = assumed_cache_sizes().l1d_bytes, l2 = assumed_cache_sizes().l2_bytes;
  {
    const StoreWaits waits(true);
    EXPECT_TRUE(asks(4 * l1, 10, rows_long));
    EXPECT_FALSE(asks(l1, 10, rows_long));
    EXPECT_FALSE(asks(4 * l1, 10, in_lines));
    EXPECT_FALSE(asks(l2 / 2, 11, rows_long));
    EXPECT_TRUE(asks(l2, 63, rows_long));
    EXPECT_FALSE(asks(l2, 64, rows_long));
    EXPECT_FALSE(asks(l2, 63, in_lines));
    EXPECT_TRUE(asks(2 * l2, 63, in_lines));
    EXPECT_TRUE(asks(l2 * 3 / 4, 8, 2 * page));
    EXPECT_FALSE(asks(l2 * 3 / 4, 9, 2 * page));
    EXPECT_TRUE(asks(8 * l2, 4, 2 * page));
    EXPECT_FALSE(asks(8 * l2, 5, 2 * page));
  }
  {
    const StoreWaits go_on(false);
    EXPECT_FALSE(asks(4 * l2, 12, rows_long));
    EXPECT_TRUE(asks(5 * l2, 12, rows_long));
    EXPECT_TRUE(asks(5 * l2, 12, 2 * page));
  }
  const DataPath halves(true);
  EXPECT_FALSE(asks(5 * l2, 12, rows_long));
}

}  // namespace
}  // namespace pawl::testing
