// narrow_test.cpp -- products whose columns, rows or depth do not fill vectors: each way through narrow.cpp, few_rows'
// wide tiles and dot_rows, whole and cut, by every variant.
#include <gtest/gtest.h>

#include "kernels/matmul/problem.hpp"

namespace pawl::testing {
namespace {

template <class T>
class NarrowMatmul : public ProductTest<T> {
 protected:
  void SetUp() override { set_num_threads(1); }
};
TYPED_TEST_SUITE(NarrowMatmul, ProductTypes);

// Up to five vectors of columns and every rest of the last one, for all four layouts.
TYPED_TEST(NarrowMatmul, EveryRestOfColumnsIsExact) {
  using T = TypeParam;
  for (std::size_t n = 1; n <= 81; n += n < 20 ? 1 : 7)
    for (int transposes = 0; transposes < 4; ++transposes) {
      Problem<T> problem(
          Case{37, n, 75, (transposes & 1) != 0, (transposes & 2) != 0, -0.5, n % 2 ? 2.0 : 0.0, n % 3, 1},
          Values::integers);
      for_each_isa([&](Isa) { problem.check(); });
      if (::testing::Test::HasFailure()) return;
    }
}

// So many rows, or so deep, that rows go in blocks, and several threads share them.
TYPED_TEST(NarrowMatmul, BlocksAndThreadsJoin) {
  using T = TypeParam;
  for (const Case shape :
       {Case{3001, 3, 133}, {1999, 17, 150}, {130, 21, 2503}, {4099, 5, 60}, {530, 32, 1030}, {40, 8, 3000}})
    for (int transposes = 0; transposes < 4; ++transposes) {
      Case x = shape;
      x.transpose_a = (transposes & 1) != 0;
      x.transpose_b = (transposes & 2) != 0;
      x.beta = transposes % 2 ? 0 : -1;
      x.gap = 2;
      Problem<T> problem(x, Values::integers);
      for (int threads : {1, 2, 3}) {
        set_num_threads(threads);
        for_each_isa([&](Isa) { problem.check(); });
        if (::testing::Test::HasFailure()) return;
      }
    }
}

// Three vectors of columns and a B beyond L1: nine rows or fewer at a time.
TYPED_TEST(NarrowMatmul, ThreeVectorsAreExact) {
  using T = TypeParam;
  for (std::size_t m : {27U, 28U, 61U, 100U})
    for (std::size_t n : {132 / sizeof(T), 160 / sizeof(T), 184 / sizeof(T), 192 / sizeof(T)}) {
      Problem<T> problem(Case{m, n, 401, false, false, m % 2 ? -1.0 : 1.0, m % 3 ? 2.0 : 0.0, m % 4, 1},
                         Values::integers);
      for_each_isa([&](Isa) { problem.check(); });
      if (::testing::Test::HasFailure()) return;
    }
}

// Few columns of few rows, so deep that they are dot products.
TYPED_TEST(NarrowMatmul, FewDeepRowsAreExact) {
  using T = TypeParam;
  for (std::size_t m : {3U, 4U, 7U, 13U, 15U})
    for (std::size_t n = 2; n <= 9; ++n)
      for (std::size_t k : {95U, 96U, 131U, 368U}) {
        Problem<T> problem(Case{m, n, k, false, false, 2, n % 2 ? -1.0 : 0.0, k % 3, 1}, Values::integers);
        for_each_isa([&](Isa) { problem.check(); });
        if (::testing::Test::HasFailure()) return;
      }
}

// A transposed A of few rows, which is turned over: on the stack, in memory of its own, and too large for either.
TYPED_TEST(NarrowMatmul, FewTransposedRowsAreTurned) {
  using T = TypeParam;
  for (std::size_t m : {1U, 2U, 5U, 9U, 11U, 32U})
    for (std::size_t n : {5U, 33U, 130U})
      for (std::size_t k : {1U, 17U, 150U, 1101U, 8200U})
        for (bool transpose_b : {false, true}) {
          if (k == 8200 && n != 33) continue;
          const double beta = n == 33 ? 2 : 0;
          Problem<T> problem(Case{m, n, k, true, transpose_b, -0.5, beta, m % 3, 1}, Values::integers);
          for_each_isa([&](Isa) { problem.check(); });
          if (::testing::Test::HasFailure()) return;
        }
}

// Few rows of a small B: every number of vectors of a wide tile, and sums of few chains.
TYPED_TEST(NarrowMatmul, WideTilesAreExact) {
  using T = TypeParam;
  for (std::size_t m = 1; m <= 9; ++m)
    for (std::size_t n = 1; n <= 300; n += n < 40 ? 3 : 37)
      for (std::size_t k : {1U, 16U, 29U}) {
        Problem<T> problem(Case{m, n, k, false, false, 2, n % 2 ? 1.0 : 0.0, 1, 1}, Values::integers);
        for_each_isa([&](Isa) { problem.check(); });
        if (::testing::Test::HasFailure()) return;
      }
}

// A transposed B whose panels, or depth, are no whole tiles, in products too shallow for dots.
TYPED_TEST(NarrowMatmul, PartsOfPanelsAreTurned) {
  using T = TypeParam;
  for (std::size_t n : {33U, 34U, 37U, 48U, 61U})
    for (std::size_t k = 1; k <= 35; ++k) {
      Problem<T> problem(Case{11, n, k, false, true, 1, 0, 2, 1}, Values::integers);
      for_each_isa([&](Isa) { problem.check(); });
      if (::testing::Test::HasFailure()) return;
    }
}

// One row or one column that is said to be transposed: the same in memory, or elements a row apart.
TYPED_TEST(NarrowMatmul, IdleTransposesAreExact) {
  using T = TypeParam;
  for (const Case shape : {Case{1, 36, 39}, {1, 1, 717}, {1, 1, 5}, {29, 1, 13}, {300, 1, 70}, {53, 70, 1}, {2, 53, 1}})
    for (std::size_t gap : {0U, 1U})
      for (int transposes = 0; transposes < 4; ++transposes) {
        Case x = shape;
        x.transpose_a = (transposes & 1) != 0;
        x.transpose_b = (transposes & 2) != 0;
        x.beta = 2;
        x.gap = gap;
        Problem<T> problem(x, Values::integers);
        for_each_isa([&](Isa) { problem.check(); });
        if (::testing::Test::HasFailure()) return;
      }
}

// A matrix times a column, and a row times a transposed matrix, at once: short rows that are turned over, dot products,
// a column of C with gaps.
TYPED_TEST(NarrowMatmul, ColumnsAndRowsAtOnceAreExact) {
  using T = TypeParam;
  for (std::size_t m : {2U, 7U, 8U, 16U, 33U, 54U, 301U, 700U})
    for (std::size_t k : {1U, 2U, 3U, 4U, 7U, 8U, 15U, 65U})
      for (std::size_t gap : {0U, 2U})
        for (int transposes = 0; transposes < 4; ++transposes) {
          const bool ta = (transposes & 1) != 0, tb = (transposes & 2) != 0;
          Problem<T> column(Case{m, 1, k, ta, tb, -0.5, m % 2 ? 2.0 : 0.0, gap, 1}, Values::integers);
          Problem<T> row(Case{1, m, k, ta, tb, 2, k % 2 ? 0.0 : -1.0, gap, 1}, Values::integers);
          for_each_isa([&](Isa) {
            column.check();
            row.check();
          });
          if (::testing::Test::HasFailure()) return;
        }
}

// A batch of them is the same to the bit.
TYPED_TEST(NarrowMatmul, BatchesAreTheSameToTheBit) {
  using T = TypeParam;
  for (const Case shape : {Case{33, 1, 6}, {54, 1, 2}, {16, 1, 65}, {1, 33, 6}, {1, 44, 9}, {4, 9, 20}})
    for (int transposes = 0; transposes < 4; ++transposes) {
      const bool ta = (transposes & 1) != 0, tb = (transposes & 2) != 0;
      const std::size_t m = shape.m, n = shape.n, k = shape.k;
      const Matrix<T> a(2 * (ta ? k : m), ta ? m : k, 0, 1, Values::random, 1);
      const Matrix<T> b(2 * (tb ? n : k), tb ? k : n, 0, 1, Values::random, 2);
      const View<const T> all_a(a.memory.data(), Shape{2, ta ? k : m, ta ? m : k});
      const View<const T> all_b(b.memory.data(), Shape{2, tb ? n : k, tb ? k : n});
      for_each_isa([&](Isa isa) {
        std::vector<T> batch(2 * m * n), single(2 * m * n);
        matmul_batched(ta ? all_a.transpose() : all_a, tb ? all_b.transpose() : all_b,
                       View<T>(batch.data(), Shape{2, m, n}));
        for (std::size_t s = 0; s < 2; ++s)
          matmul(ta ? Transpose::yes : Transpose::no, tb ? Transpose::yes : Transpose::no, m, n, k, T(1),
                 a.memory.data() + s * m * k, a.ld, b.memory.data() + s * k * n, b.ld, T(0), single.data() + s * m * n,
                 n);
        EXPECT_EQ(std::memcmp(batch.data(), single.data(), batch.size() * sizeof(T)), 0) << name(isa) << " " << shape;
      });
    }
}

TYPED_TEST(NarrowMatmul, RandomValuesKeepTheBound) {
  using T = TypeParam;
  for (const Case x :
       {Case{301, 3, 701}, {301, 3, 701, true}, {99, 19, 1003, false, true}, {4, 250, 333, false, true}, {2, 30, 999}})
    for_each_isa([&](Isa) { check<T>(x, Values::random); });
}

}  // namespace
}  // namespace pawl::testing
