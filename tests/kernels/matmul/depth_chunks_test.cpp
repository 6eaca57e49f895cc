// depth_chunks_test.cpp -- deep products with few rows and columns, by tiles chunk after chunk of the depth: which they
// are, and that all are exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "kernels/matmul/plan.hpp"
#include "kernels/matmul/problem.hpp"

namespace pawl::testing {
namespace {

template <class T>
class DepthChunks : public ProductTest<T> {};
TYPED_TEST_SUITE(DepthChunks, ProductTypes);

template <class T>
std::size_t chunk(Isa isa, std::size_t m, std::size_t n, std::size_t k, bool transpose_a, std::size_t ldb) {
  Product<T> x{};
  x.transpose_a = transpose_a;
  x.m = m, x.n = n, x.k = k;
  x.lda = transpose_a ? m : k, x.ldb = ldb;
  return depth_of_chunks(matmul_ops<T>(isa), x);
}

// Whole chunks and uneven ones, one tile of rows and two, C read or not, with gaps and without, on one thread and two.
TYPED_TEST(DepthChunks, ProductsAreExact) {
  using T = TypeParam;
  constexpr std::size_t kLine = 64 / sizeof(T);
  int kind = 0;
  for (const auto& [m, n, k] : {std::array<std::size_t, 3>{9, 2 * kLine - 2, 1801},
                                {14, 3 * kLine - 1, 1260},
                                {15, 3 * kLine, 731},
                                {19, 8 * kLine - 2, 390},
                                {28, 7 * kLine - 1, 541},
                                {28, 13 * kLine - 3, 721}})
    for (bool transpose_a : {false, true}) {
      ++kind;
      Problem<T> problem({m, n, k, transpose_a, false, kind & 1 ? -1.0 : 1.0, kind & 2 ? 2.0 : 0.0, kind & 1 ? 3U : 0U,
                          kind & 2 ? 1U : 0U},
                         Values::integers);
      for (int threads : {1, 2}) {
        set_num_threads(threads);
        for_each_isa([&](Isa) { problem.check(); });
        if (::testing::Test::HasFailure()) return;
      }
    }
  check<T>({17, 5 * kLine - 2, 2000, false, false, 1, 1}, Values::random);
}

// B by columns: dot products, chunk after chunk where there is more than one group of rows.
TYPED_TEST(DepthChunks, DotProductsAreExact) {
  int kind = 0;
  for (const auto& [m, n, k] : {std::array<std::size_t, 3>{8, 100, 1500}, {13, 33, 2111}, {7, 50, 1023}, {6, 60, 1030}})
    for (double beta : {0.0, 2.0}) {
      ++kind;
      Problem<TypeParam> problem(
          {m, n, k, false, true, kind & 2 ? -1.0 : 1.0, beta, kind & 1 ? 3U : 0U, kind & 2 ? 1U : 0U},
          Values::integers);
      for_each_isa([&](Isa) { problem.check(); });
    }
}

// Not before the last chunk.
TYPED_TEST(DepthChunks, BiasAndReluComeLast) {
  expect_bias_and_relu_last<TypeParam>(20, 3 * 64 / sizeof(TypeParam), 1000, false, false);
}

TYPED_TEST(DepthChunks, OnlyFewRowsOfFewVectorsGoSo) {
  using T = TypeParam;
  constexpr std::size_t kLine = 64 / sizeof(T), kOdd = 1001;
  for (Isa isa : runnable_isas()) {
    EXPECT_EQ(chunk<T>(isa, 20, 4 * kLine, 1000, false, kOdd), 167U);  // a sixth
    EXPECT_EQ(chunk<T>(isa, 20, 4 * kLine, 250, false, kOdd), 250U);
    EXPECT_EQ(chunk<T>(isa, 20, 16 * kLine, 1000, true, kOdd), 125U);
    EXPECT_EQ(chunk<T>(isa, 20, 4 * kLine, 127, false, kOdd), 0U);
    EXPECT_EQ(chunk<T>(isa, 29, 4 * kLine, 1000, false, kOdd), 0U);
    EXPECT_EQ(chunk<T>(isa, 8, 4 * kLine, 1000, false, kOdd), 0U);
    EXPECT_NE(chunk<T>(isa, 8, 2 * kLine, 1000, false, kOdd), 0U);
    EXPECT_EQ(chunk<T>(isa, 5, 2 * kLine, 1000, false, kOdd), 0U);
    EXPECT_EQ(chunk<T>(isa, 20, 9 * kLine, 1000, false, kOdd), 0U);
    EXPECT_EQ(chunk<T>(isa, 20, 4 * kLine, 1000, true, kOdd), 0U);
    const std::size_t lanes = matmul_ops<T>(isa).tile_cols / 2, little = std::max(lanes / 4, std::size_t{1});
    if (lanes > 1) {
      EXPECT_EQ(chunk<T>(isa, 20, 3 * kLine + little, 1000, false, kOdd), 0U);  // little beyond whole vectors
    }
    EXPECT_EQ(chunk<T>(isa, 20, 4 * kLine, 1000, false, 8 * kLine), 0U);  // rows that share sets of L1
  }
}

}  // namespace
}  // namespace pawl::testing
