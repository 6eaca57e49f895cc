// strips_test.cpp -- shallow products whose C is written in strips: which they are, and that all are exact.
#include "kernels/matmul/strips.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "isa/data_path.hpp"
#include "isa/store_waits.hpp"
#include "kernels/matmul/plan.hpp"
#include "kernels/matmul/problem.hpp"

namespace pawl::testing {
namespace {

template <class T>
class Strips : public ProductTest<T> {};
TYPED_TEST_SUITE(Strips, ProductTypes);

template <class T>
bool suits(Isa isa, const Case& x) {
  Product<T> product{};
  product.transpose_a = x.transpose_a, product.transpose_b = x.transpose_b;
  product.m = x.m, product.n = x.n, product.k = x.k;
  product.beta = static_cast<T>(x.beta);
  product.lda = (x.transpose_a ? x.m : x.k) + x.gap;
  product.ldb = (x.transpose_b ? x.k : x.n) + 2 * x.gap;
  product.ldc = x.n + 3 * x.gap;
  return suits_strips(matmul_ops<T>(isa), product);
}

bool has_strips(Isa isa) { return matmul_ops<float>(isa).strip_cols != 0; }

// By every variant on one thread and two; strips are taken by those that have them.
template <class T>
void expect_exact(const Case& x) {
  const StoreWaits waits(true);
  Problem<T> problem(x, Values::integers);
  for (int threads : {1, 2}) {
    set_num_threads(threads);
    for_each_isa([&](Isa isa) {
      EXPECT_EQ(suits<T>(isa, x), has_strips(isa)) << name(isa) << ' ' << x;
      problem.check();
    });
  }
}

// Columns of 2 to 11 vectors of f32 with AVX-512, whole and cut, in rows that no tile or block divides: with gaps and
// without, C read or not, by all layouts.
TYPED_TEST(Strips, AllWidthsAreExact) {
  using T = TypeParam;
  int kind = 0;
  for (std::size_t vectors = 2; vectors <= 11; ++vectors)
    for (std::size_t less : {0U, 1U, 5U})
      for (std::size_t k : {4U, 7U}) {
        const std::size_t lanes = 64 / sizeof(T), n = vectors * lanes - less, m = 100000 / sizeof(T) / n + kind;
        ++kind;
        const bool reads_c = kind % 3 != 0;
        expect_exact<T>({m, n, k, (kind & 1) != 0, (kind & 2) != 0, kind & 4 ? 1.0 : -1.0,
                         reads_c ? (kind & 8 ? 1.0 : 2.0) : 0.0, kind & 4 ? 0U : 3U, kind & 8 ? 0U : 1U});
        if (::testing::Test::HasFailure()) return;
      }
}

// One vector and parts of it, whose rows often overlap the vector before.
TYPED_TEST(Strips, NarrowOnesAreExact) {
  using T = TypeParam;
  const StoreWaits waits(true);
  for (std::size_t quarters : {5U, 8U, 11U, 13U, 16U})
    for (std::size_t k : {1U, 6U, 8U}) {
      const std::size_t n = std::max<std::size_t>(quarters * 4 / sizeof(T), 2);
      const Case x{16001 / n * 8, n, k, k == 6, k == 8, 1, 0, k == 6 ? 2U : 0U, 1};
      Problem<T> problem(x, Values::integers);
      for_each_isa([&](Isa isa) {
        EXPECT_EQ(suits<T>(isa, x), has_strips(isa) && 2 * n > matmul_ops<T>(isa).tile_cols / 2) << name(isa) << x;
        problem.check();
      });
    }
}

// From one step of depth on, a vector of sums at its least and at its most.
TYPED_TEST(Strips, AllDepthsAreExact) {
  using T = TypeParam;
  for (std::size_t k = 1; k < 10; ++k) expect_exact<T>({405, 5 * 64 / sizeof(T) - 3, k, k % 2 == 0, false, 1, 0});
  const StoreWaits waits(true);
  for (std::size_t k : {15U, 31U, 32U}) {
    Problem<T> problem({333, 203, k, k == 15, k == 15, 1, 1, 0, 1}, Values::random);
    for_each_isa([&](Isa) { problem.check(); });
  }
}

// Few rows ask for what lies to their right.
TYPED_TEST(Strips, FewRowsAreExact) {
  for (std::size_t m : {5U, 6U, 11U, 24U})
    expect_exact<TypeParam>({m, 4003, 5, m == 6, m == 11, 1, m == 5 ? 1.0 : 0.0});
}

// Rows of B, of a transposed A and of C that fall on the same sets of L1: copies, and blocks of few rows.
TYPED_TEST(Strips, RowsAPageApartAreExact) {
  using T = TypeParam;
  constexpr std::size_t kPage = 4096 / sizeof(T);
  for (std::size_t columns : {kPage / 2, kPage})
    for (std::size_t k : {5U, 9U})
      for (bool transpose_a : {false, true}) expect_exact<T>({kPage, columns, k, transpose_a, false, 1, 0, 0, 0});
  for (std::size_t columns : {kPage - 1, kPage / 2 + 1}) expect_exact<T>({133, columns, 9, true, false, 1, 0, 0, 0});
  const StoreWaits waits(true);
  Problem<T> deep({kPage / 2, kPage, 29, true, false, 1, 0, 0, 0}, Values::integers);
  for_each_isa([&](Isa) { deep.check(); });
}

// Rows that begin at the same place within a line: what is before the first whole line is a strip of its own.
TYPED_TEST(Strips, RowsThatBeginWithinALineAreExact) {
  using T = TypeParam;
  constexpr std::size_t kLine = 64 / sizeof(T);
  for (std::size_t offset : {1U, 3U})  // of C three times as much
    for (std::size_t lines : {6U, 7U, 23U})
      expect_exact<T>({130, lines * kLine, 6, offset == 3, false, -1, offset == 3 ? 1.0 : 0.0, 0, offset});
}

// Not only the shallowest, where stores do not wait for lines: C in L2 and beyond, in blocks of many rows and, where
// those share sets of L1, of few.
TYPED_TEST(Strips, DeeperOnesAreExactWhereStoresGoOn) {
  using T = TypeParam;
  const StoreWaits go_on(false);
  const DataPath whole(false);
  constexpr std::size_t kLine = 64 / sizeof(T), kPage = 4096 / sizeof(T);
  const std::size_t far = assumed_cache_sizes().l2_bytes * 4 / sizeof(T) / 999 + 9;
  int kind = 0;
  const auto expect_exact_by = [&](const Case& x) {
    Problem<T> problem(x, Values::integers);
    for_each_isa([&](Isa isa) {
      const bool is_long = matmul_ops<T>(isa).tile_cols * sizeof(T) > 64;
      EXPECT_EQ(suits<T>(isa, x), has_strips(isa) && (is_long || x.k < 8)) << name(isa) << ' ' << x;
      for (int threads : {1, 2, 3}) {
        set_num_threads(threads);
        problem.check();
      }
    });
  };
  for (std::size_t n : {5 * kLine / 2 + 1, 5 * kLine - 1, 11 * kLine})
    for (std::size_t k : {1U, 7U, 33U, 127U}) {
      ++kind;
      expect_exact_by({130000 / sizeof(T) / n + 3, n, k, (kind & 1) != 0, (kind & 2) != 0, kind & 1 ? 1.0 : -1.0,
                       kind % 3 == 0 ? 0.0 : 1.0, kind & 1 ? 0U : 3U, 1});
      if (::testing::Test::HasFailure()) return;
    }
  expect_exact_by({far, 999, 3, false, true, 1, 0});
  for (std::size_t k : {5U, 15U, 16U}) expect_exact_by({110, kPage, k, k == 15, false, 1, k == 5 ? 1.0 : 0.0, 0, 0});
}

TYPED_TEST(Strips, DeeperOnesGoSoWhereStoresGoOn) {
  using T = TypeParam;
  const std::size_t l1 = assumed_cache_sizes().l1d_bytes, n = 48 * 8 / sizeof(T), rows = l1 / sizeof(T) / n;
  const StoreWaits go_on(false);
  for (Isa isa : runnable_isas()) {
    if (!has_strips(isa)) continue;
    const std::size_t lanes = matmul_ops<T>(isa).tile_cols / 2, deep = lanes * sizeof(T) == 64 ? 127 : 7;
    const DataPath whole(false);
    EXPECT_TRUE(suits<T>(isa, {rows + 1, n, deep}));
    EXPECT_FALSE(suits<T>(isa, {rows + 1, n, deep + 1}));
    EXPECT_FALSE(suits<T>(isa, {rows, n, 5}));  // L1 holds C
    EXPECT_TRUE(suits<T>(isa, {10, 9999, 3}));
    EXPECT_FALSE(suits<T>(isa, {9, 9999, 3}));
    EXPECT_FALSE(suits<T>(isa, {99999, lanes, 5}));  // one vector
    EXPECT_TRUE(suits<T>(isa, {9999, 2 * lanes, 5}));
    EXPECT_FALSE(suits<T>(isa, {9999, 2 * lanes, 5, false, false, 1, 1}));  // reads C
    EXPECT_EQ(suits<T>(isa, {9999, 2 * lanes, 16, false, false, 1, 1}), deep > 16);
    EXPECT_EQ(suits<T>(isa, {9999, 2 * lanes, 31}), deep > 31);
    EXPECT_FALSE(suits<T>(isa, {9999, 2 * lanes, 32}));
    EXPECT_TRUE(suits<T>(isa, {9999, lanes + 1, 5}));
    EXPECT_EQ(suits<T>(isa, {9999, 3 * lanes, 5, false, false, 1, 1}), deep > 7);
    EXPECT_EQ(suits<T>(isa, {9999, 3 * lanes, 32}), deep > 32);  // a rest of few or many columns
    EXPECT_EQ(suits<T>(isa, {9999, 3 * lanes + lanes / 2, 31}), deep > 32);
    EXPECT_FALSE(suits<T>(isa, {9999, 3 * lanes + lanes / 2, 32}));
    EXPECT_EQ(suits<T>(isa, {9999, 3 * lanes + lanes / 2 + 1, 32}), deep > 32);
    EXPECT_EQ(suits<T>(isa, {9999, 5 * lanes + 1, 32}), deep > 32);
    EXPECT_EQ(suits<T>(isa, {9999, lanes + 1, 16}), deep > 16 && lanes < 8);
    EXPECT_TRUE(suits<T>(isa, {99, 4001, 5}));
    EXPECT_FALSE(suits<T>(isa, {100, assumed_cache_sizes().l2_bytes, 5}));
    Product<T> part{};
    part.m = rows / 2, part.n = part.ldb = part.ldc = n, part.k = part.lda = 5;
    EXPECT_FALSE(suits_strips(matmul_ops<T>(isa), part));
    for (const OtherThreads others : {OtherThreads::below, OtherThreads::above}) {
      part.others = others;
      EXPECT_TRUE(suits_strips(matmul_ops<T>(isa), part));
    }
    part.m = 14, part.n = part.ldb = part.ldc = 9999;
    EXPECT_FALSE(suits_strips(matmul_ops<T>(isa), part));
    const DataPath halves(true);
    EXPECT_FALSE(suits<T>(isa, {rows + 1, n, 5}));
  }
}

TEST(ShareSets, RowsNearlyAPageApartDo) {
  EXPECT_TRUE(share_sets<float>(1024, 9, 5));
  EXPECT_FALSE(share_sets<float>(1024, 8, 5));
  EXPECT_TRUE(share_sets<float>(1023, 10, 5));
  EXPECT_TRUE(share_sets<float>(2049, 9, 1));
  EXPECT_TRUE(share_sets<float>(512, 17, 5));
  EXPECT_FALSE(share_sets<float>(512, 16, 5));
  EXPECT_FALSE(share_sets<float>(1000, 31, 5));
  EXPECT_TRUE(share_sets<double>(511, 10, 5));
  EXPECT_FALSE(share_sets<double>(511, 10, 1));  // eight in each of two sets
}

// Answers that are kept in the same place: of other strides, rows and lines.
TEST(ShareSets, LatestAnswersAreNotMixedUp) {
  for (int again = 0; again < 2; ++again) {
    EXPECT_TRUE(share_sets<float>(1024, 16, 1));
    EXPECT_FALSE(share_sets<float>(1024, 8, 1));
    EXPECT_FALSE(share_sets<float>(1024 + 128, 16, 1));
    EXPECT_FALSE(share_sets<double>(511, 10, 1));
    EXPECT_TRUE(share_sets<double>(511, 10, 9));
  }
}

TYPED_TEST(Strips, OnlyShallowOnesGoSo) {
  using T = TypeParam;
  const std::size_t l1 = assumed_cache_sizes().l1d_bytes, n = 48 * 8 / sizeof(T), rows = l1 / sizeof(T) / n;
  for (Isa isa : runnable_isas()) {
    if (!has_strips(isa)) continue;
    const std::size_t lanes = matmul_ops<T>(isa).tile_cols / 2;
    const StoreWaits waits(true);
    EXPECT_TRUE(suits<T>(isa, {rows + 1, n, 9}));
    EXPECT_FALSE(suits<T>(isa, {rows, n, 9}));         // L1 holds C
    EXPECT_FALSE(suits<T>(isa, {rows + 1, n, 32}));    // deep
    EXPECT_FALSE(suits<T>(isa, {9999, lanes, 9}));     // one vector
    EXPECT_TRUE(suits<T>(isa, {9999, 2 * lanes, 9}));  // two
    EXPECT_FALSE(suits<T>(isa, {9999, 2 * lanes, 16}));
    EXPECT_FALSE(suits<T>(isa, {9999, 2 * lanes, 3, false, false, 1, 1}));
    EXPECT_TRUE(suits<T>(isa, {9999, lanes + 1, 7}));  // little beyond one
    EXPECT_EQ(suits<T>(isa, {9999, lanes + 1, 9}), lanes < 8);
    EXPECT_FALSE(suits<T>(isa, {4, 9999, 5}));  // few rows
    EXPECT_FALSE(suits<T>(isa, {7, 9999, 10}));
    EXPECT_FALSE(suits<T>(isa, {19, 9999, 16}));
    EXPECT_FALSE(suits<T>(isa, {999, 11 * 64 / sizeof(T) + 1, 3}));
    EXPECT_TRUE(suits<T>(isa, {999, 11 * 64 / sizeof(T), 3}));
    EXPECT_FALSE(suits<T>(isa, {99, 4096, 9}));  // too few rows to copy B for
    EXPECT_FALSE(suits<T>(isa, {100, assumed_cache_sizes().l2_bytes, 5}));
  }
}

// Once each, block after block.
TYPED_TEST(Strips, BiasAndReluComeLast) {
  const StoreWaits waits(true);
  expect_bias_and_relu_last<TypeParam>(301, 131, 7, false, false);
}

}  // namespace
}  // namespace pawl::testing
