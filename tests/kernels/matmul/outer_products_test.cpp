// outer_products_test.cpp -- products with A by columns: deep ones chunk by chunk and those with B by columns too,
// whose result is turned over, by every variant.
#include "kernels/matmul/outer_products.hpp"

#include <gtest/gtest.h>

#include <array>

#include "kernels/matmul/problem.hpp"

namespace pawl::testing {
namespace {

template <class T>
class OuterProducts : public ProductTest<T> {};
TYPED_TEST_SUITE(OuterProducts, ProductTypes);

template <class T>
bool suits(Isa isa, const Case& x) {
  const Product<T> product{x.transpose_a,
                           x.transpose_b,
                           x.m,
                           x.n,
                           x.k,
                           T(1),
                           nullptr,
                           (x.transpose_a ? x.m : x.k) + x.gap,
                           nullptr,
                           (x.transpose_b ? x.k : x.n) + 2 * x.gap,
                           T(0),
                           nullptr,
                           x.n};
  return suits_outer_products(matmul_ops<T>(isa), product);
}

// With gaps and without, at the beginning of a line and beside it, C read or not, on one thread and two.
template <class T>
void expect_exact(Case x) {
  for (int kind = 0; kind < 4; ++kind) {
    x.alpha = kind & 1 ? -1 : 1;
    x.beta = kind & 2 ? 2 : kind & 1 ? 1 : 0;
    x.gap = kind & 1 ? 3 : 0;
    x.offset = kind & 2 ? 1 : 0;
    Problem<T> problem(x, Values::integers);
    for (int threads : {1, 2}) {
      set_num_threads(threads);
      for_each_isa([&](Isa) { problem.check(); });
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// Whole tiles and parts of them, C as it is and turned over, chunks and what is left of the last one.
TYPED_TEST(OuterProducts, DeepOnesAreExact) {
  using T = TypeParam;
  for (const auto& [m, n, k] : {std::array<std::size_t, 3>{2, 5, 6001},
                                {4, 16, 2500},
                                {10, 10, 4003},
                                {16, 10, 3001},
                                {10, 16, 3001},
                                {16, 22, 1936},
                                {22, 17, 1937},
                                {64, 40, 700},
                                {40, 64, 701},
                                {33, 100, 1100}})
    expect_exact<T>({m, n, k, true, false});
  check<T>(Case{22, 17, 5000, true, false, 1, 0}, Values::random);
}

TYPED_TEST(OuterProducts, OnlyDeepOnesGoSo) {
  using T = TypeParam;
  for (Isa isa : runnable_isas()) {
    EXPECT_TRUE(suits<T>(isa, {16, 22, 3000, true, false}));
    EXPECT_TRUE(suits<T>(isa, {40, 40, 3000, true, false}));
    EXPECT_FALSE(suits<T>(isa, {16, 22, 200, true, false}));
    EXPECT_FALSE(suits<T>(isa, {16, 22, 3000, false, false}));
    EXPECT_FALSE(suits<T>(isa, {16, 22, 3000, true, true}));
    EXPECT_FALSE(suits<T>(isa, {1, 22, 3000, true, false}));
    EXPECT_FALSE(suits<T>(isa, {4, 200, 3000, true, false}));
    EXPECT_FALSE(suits<T>(isa, {1000, 1000, 9000, true, false}));
    // Rows whole pages apart push each other out of the caches.
    EXPECT_FALSE(suits<T>(isa, {16, 22, 3000, true, false, 1, 0, 4096 / sizeof(T) - 16}));
  }
}

// Both operands by columns: C transposed is the product of both by rows.
TYPED_TEST(OuterProducts, ResultsThatAreTurnedOverAreExact) {
  for (const auto& [m, n, k] :
       {std::array<std::size_t, 3>{23, 273, 113}, {40, 60, 200}, {96, 19, 220}, {9, 130, 601}, {131, 20, 333}})
    expect_exact<TypeParam>({m, n, k, true, true});
}

// B by columns alone: A is turned over as well.
TYPED_TEST(OuterProducts, ResultsOfBothTurnedOverAreExact) {
  for (const auto& [m, n, k] :
       {std::array<std::size_t, 3>{37, 103, 1301}, {15, 190, 780}, {8, 701, 503}, {64, 170, 251}, {14, 330, 400}})
    expect_exact<TypeParam>({m, n, k, false, true});
}

// Bias and activation come once, when all chunks are there.
TYPED_TEST(OuterProducts, BiasAndReluComeLast) {
  for (bool transpose_b : {false, true}) expect_bias_and_relu_last<TypeParam>(24, 20, 1500, true, transpose_b);
}

}  // namespace
}  // namespace pawl::testing
