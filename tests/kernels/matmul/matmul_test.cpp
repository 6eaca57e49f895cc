// matmul_test.cpp -- every runnable variant of matmul gives the product, within the documented bound, and touches
// nothing else.
#include "pawl/matmul.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "isa/data_path.hpp"
#include "isa/followed_rows.hpp"
#include "kernels/matmul/blocking.hpp"
#include "kernels/matmul/plan.hpp"
#include "kernels/matmul/problem.hpp"
#include "kernels/tables.hpp"
#include "pawl/parallel.hpp"

namespace pawl::testing {
namespace {

template <class T>
class MatmulTest : public ProductTest<T> {};
TYPED_TEST_SUITE(MatmulTest, ProductTypes);

template <class T>
const MatmulOps<T>& ops(Isa isa) {
  if constexpr (sizeof(T) == 4) {
    return matmul_table(isa).f32;
  } else {
    return matmul_table(isa).f64;
  }
}

std::vector<std::size_t> around(std::initializer_list<std::size_t> centres) {
  std::vector<std::size_t> sizes;
  for (std::size_t centre : centres)
    for (std::size_t size : {centre - 1, centre, centre + 1}) sizes.push_back(size);
  return sizes;
}

// Every height and width of a tile, and those just above: each tile function runs, whole and cut.
TYPED_TEST(MatmulTest, EveryTileIsExact) {
  using T = TypeParam;
  set_num_threads(1);
  for_each_isa([](Isa isa) {
    const std::size_t rows = ops<T>(isa).tile_rows, cols = ops<T>(isa).tile_cols;
    for (std::size_t m = 1; m <= rows + 2; ++m)
      for (std::size_t n = 1; n <= cols + 2; ++n)
        for (int transposes = 0; transposes < 4; ++transposes) {
          check<T>({m, n, 5, (transposes & 1) != 0, (transposes & 2) != 0, 1, 0, 1, 1}, Values::integers);
          if (::testing::Test::HasFatalFailure()) return;
        }
  });
}

TYPED_TEST(MatmulTest, FactorsAreApplied) {
  using T = TypeParam;
  set_num_threads(1);
  for_each_isa([](Isa) {
    for (double alpha : {0.0, 1.0, -0.5, 2.0})
      for (double beta : {0.0, 1.0, -0.5, 2.0})
        for (std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{700}})
          for (int transposes = 0; transposes < 4; ++transposes) {
            check<T>({17, 35, k, (transposes & 1) != 0, (transposes & 2) != 0, alpha, beta, 3, 1}, Values::integers);
            if (::testing::Test::HasFatalFailure()) return;
          }
  });
}

TYPED_TEST(MatmulTest, EmptyMatricesAreFine) {
  using T = TypeParam;
  for_each_isa([](Isa) {
    for (std::size_t m : {0u, 3u})
      for (std::size_t n : {0u, 5u})
        for (std::size_t k : {0u, 2u}) {
          check<T>({m, n, k, false, false, 1, 0}, Values::integers);
          check<T>({m, n, k, true, true, 1, 2}, Values::integers);
        }
  });
}

// Sizes around the block sizes of this machine: several blocks in each dimension, the last one thin.
TYPED_TEST(MatmulTest, BlocksJoin) {
  using T = TypeParam;
  for_each_isa([](Isa isa) {
    const MatmulOps<T>& kernels = ops<T>(isa);
    const Blocking most = largest_blocking(1 << 20, sizeof(T), kernels.tile_rows, kernels.tile_cols, cache_sizes());
    for (int threads : {1, 2, 3}) {
      set_num_threads(threads);
      for (std::size_t k : around({most.kc, 2 * most.kc}))
        for (int transposes = 0; transposes < 4; ++transposes) {
          check<T>({kernels.tile_rows * 2 + 1, kernels.tile_cols * 3 + 1, k, (transposes & 1) != 0,
                    (transposes & 2) != 0, 2, -0.5, 1, 1},
                   Values::integers);
          if (::testing::Test::HasFatalFailure()) return;
        }
      // C is compared row by row with few columns, or the reference would take minutes.
      const std::size_t mc = largest_blocking(300, sizeof(T), kernels.tile_rows, kernels.tile_cols, cache_sizes()).mc;
      for (std::size_t m : {mc - 1, mc, mc + 1}) {
        check<T>({m, kernels.tile_cols * 2 + 3, 300, false, false, 1, 2, 0, 0}, Values::integers);
        check<T>({m, kernels.tile_cols * 2 + 3, 300, true, true, 1, 2, 0, 0}, Values::integers);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

// Rows of A a page apart are copied, once for all panels of a transposed B that are turned over one by one, or for each
// block of depth.
TYPED_TEST(MatmulTest, CopiedRowsMeetEveryPanel) {
  using T = TypeParam;
  constexpr std::size_t kPageCols = 4096 / sizeof(T);
  for_each_isa([](Isa isa) {
    const MatmulOps<T>& kernels = ops<T>(isa);
    for (std::size_t k : {kPageCols - 5, 3 * kPageCols - 5})
      for (bool transpose_b : {false, true})
        check<T>({2 * kernels.tile_rows + 3, 4 * kernels.tile_cols + 1, k, false, transpose_b, 1, 2, 5, 1},
                 Values::integers);
  });
}

// m rows by that plan; B begins `shift` columns within its rows.
template <class T>
void expect_few_rows_exact(Isa isa, const FewRowsPlan& plan, std::size_t m, std::size_t n, std::size_t k,
                           bool transpose_a, std::size_t shift) {
  SCOPED_TRACE(::testing::Message() << name(isa) << " ahead=" << static_cast<int>(plan.ahead) << " strip=" << plan.strip
                                    << " m=" << m << " n=" << n << " k=" << k << " ta=" << transpose_a
                                    << " shift=" << shift);
  Matrix<T> a(transpose_a ? k : m, transpose_a ? m : k, 1, 1, Values::integers, 1);
  Matrix<T> b(k, shift + n, 2, 0, Values::integers, 2), c(m, n, 3, 1, Values::integers, 3);
  const Matrix<T> before = c;
  GuardedArray<T> scratch(plan.scratch_elements(m));
  ops<T>(isa).multiply_few_rows({.rows = m,
                                 .cols = n,
                                 .depth = k,
                                 .a = a.data(),
                                 .a_stride = a.ld,
                                 .a_layout = transpose_a ? LeftLayout::columns : LeftLayout::rows,
                                 .b = b.data() + shift,
                                 .b_stride = b.ld,
                                 .b_panel = 0,
                                 .c = c.data(),
                                 .ldc = c.ld,
                                 .alpha = T(2),
                                 .beta = T(-1)},
                                plan, scratch.data());
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const auto want = reference::matmul_element<T>(transpose_a, false, i, j, k, T(2), a.data(), a.ld,
                                                     b.data() + shift, b.ld, T(-1), before.at(i, j));
      ASSERT_EQ(c.at(i, j), want.value) << "at " << i << ", " << j;
    }
  ASSERT_TRUE(c.gaps_untouched());
  ASSERT_TRUE(scratch.untouched());
}

// Every height, with strips and chunks so small that all their edges occur, whatever is asked for ahead.
TYPED_TEST(MatmulTest, FewRowsAreExactForEveryPlan) {
  using T = TypeParam;
  using enum FewRowsAhead;
  for_each_isa([](Isa isa) {
    const MatmulOps<T>& kernels = ops<T>(isa);
    const std::size_t lanes = kernels.tile_cols / 2;
    for (std::size_t m = 1; m <= kernels.tile_rows * 2 + 1; ++m)
      for (std::size_t strip : {lanes * 9, lanes * 32})
        for (bool transpose_a : {false, true})
          for (std::size_t n : {lanes * 8 + 3, lanes * 11, lanes * 33 + 2}) {
            for (FewRowsAhead ahead : {nothing, right_into_l1, right_into_l2, below_into_l2}) {
              const FewRowsPlan plan{.strip = strip, .chunk = 8, .copy_stride = 8, .ahead = ahead};
              expect_few_rows_exact<T>(isa, plan, m, n, 21, transpose_a, 1);
              if (::testing::Test::HasFatalFailure()) return;
            }
          }
  });
}

// One row: every depth modulo the rows at a time, strips of more and of fewer columns than are asked for ahead, and
// where the way goes by pages B beginning anywhere in one.
TYPED_TEST(MatmulTest, OneRowIsExactInEveryOrder) {
  using T = TypeParam;
  using enum FewRowsAhead;
  const std::size_t line = 64 / sizeof(T), page = 64 * line;
  struct Walk {
    FewRowsAhead ahead;
    std::size_t strip, n, shift;
  };
  std::vector<Walk> walks;
  for (std::size_t n : {line / 2 - 1, line * 3, line * 45 + 3}) walks.push_back({side_by_side, line * 20, n, 0});
  for (std::size_t n : {line * 3, line * 45 + 3, page + line, 3 * page + 5})
    for (std::size_t shift : {std::size_t{0}, 20 * line, 40 * line + 1, 60 * line})
      walks.push_back({page_by_page, page * 3 / 2, n, shift});
  for_each_isa([&](Isa isa) {
    for (const auto& [ahead, strip, n, shift] : walks)
      for (std::size_t k = 16; k < 26; ++k)
        for (bool transpose_a : {false, true}) {
          const FewRowsPlan plan{.strip = strip, .chunk = 8, .copy_stride = 8, .ahead = ahead};
          expect_few_rows_exact<T>(isa, plan, 1, n, k, transpose_a, shift);
          if (::testing::Test::HasFatalFailure()) return;
        }
  });
}

// Chunks are deep or shallow by where B lies and by the kind of CPU; the sums are the same.
TYPED_TEST(MatmulTest, FewRowsAreExactFromEveryLevel) {
  using T = TypeParam;
  constexpr std::size_t k = 300;
  const auto columns = [](std::size_t bytes) { return (bytes + (std::size_t{64} << 10)) / sizeof(T) / k + 1; };
  const std::size_t in_l2 = columns(std::size_t{136} << 10), far_in_l2 = columns(assumed_cache_sizes().l2_bytes / 2),
                    in_l3 = columns(assumed_cache_sizes().l2_bytes),
                    in_memory = columns(assumed_cache_sizes().l3_bytes / 2), page = 4096 / sizeof(T);
  struct Layout {
    std::size_t n, gap;
  };
  for (const auto& [n, gap] :
       {Layout{in_l2, 1}, Layout{far_in_l2, 1}, Layout{in_l3, 1}, Layout{in_l3, page - in_l3 % page},  // whole pages
        Layout{in_memory, 1}})
    for (std::size_t m : {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{8}}) {
      Matrix<T> a(m, k, 1, 1, Values::integers, 1), b(k, n, gap, 1, Values::integers, 2);
      for (const auto& [splits, follows] : {std::pair{false, false}, {true, false}, {false, true}}) {
        const DataPath path(splits);
        const FollowedRows rows(follows);
        Matrix<T> c(m, n, 3, 1, Values::integers, 3);
        matmul(Transpose::no, Transpose::no, m, n, k, T(1), a.data(), a.ld, b.data(), b.ld, T(0), c.data(), c.ld);
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < n; j += j < 600 ? 1 : 97) {
            const auto want =
                reference::matmul_element<T>(false, false, i, j, k, T(1), a.data(), a.ld, b.data(), b.ld, T(0), T(0));
            ASSERT_EQ(c.at(i, j), want.value) << "m=" << m << " n=" << n << " at " << i << ", " << j;
          }
      }
    }
}

// A B well within L2, or not far beyond it, is not cut, where A may be read where it lies.
TYPED_TEST(MatmulTest, FewRowsMeetANearMatrixAtItsWholeDepth) {
  using T = TypeParam;
  constexpr std::size_t k = 300;
  const std::size_t near = assumed_cache_sizes().l2_bytes * 5 / 32 / sizeof(T) / k;
  for_each_isa([&](Isa isa) {
    const MatmulOps<T>& kernels = ops<T>(isa);
    const auto cuts = [&](std::size_t m, std::size_t n, std::size_t lda, bool transpose_a, std::size_t depth = 300) {
      Product<T> x{};
      x.m = m, x.n = n, x.k = depth;
      x.lda = lda, x.ldb = n, x.ldc = n;
      x.transpose_a = transpose_a;
      x.alpha = 1;
      const Plan plan = make_plan(kernels, x, true);
      return plan.few_rows && plan.few_rows_plan.chunk < depth;
    };
    const auto is_large = [&](std::size_t n) { return n * k * sizeof(T) > kDirectBytes; };
    {
      const FollowedRows rows(true);
      EXPECT_FALSE(cuts(6, near, k, false));
      EXPECT_EQ(cuts(6, near, k, true), is_large(near));
      EXPECT_EQ(cuts(6, 2 * near, k, false), is_large(2 * near));
      EXPECT_EQ(cuts(10, near, 4096 / sizeof(T), false), is_large(near));
    }
    const FollowedRows rows(false);
    {
      const DataPath halves(true);
      EXPECT_EQ(cuts(6, near, k, false), is_large(near));
    }
    const DataPath whole(false);
    const auto columns = [&](std::size_t b_bytes) { return b_bytes / sizeof(T) / k | 1; };
    const std::size_t l2 = assumed_cache_sizes().l2_bytes, page = 4096 / sizeof(T);
    const bool is_long = kernels.tile_cols * sizeof(T) > 64;
    EXPECT_FALSE(cuts(2, columns(l2 * 9 / 10), k, false));
    EXPECT_FALSE(cuts(kernels.tile_rows + 1, columns(l2 * 9 / 10), k, false));
    EXPECT_TRUE(cuts(1, columns(l2 * 9 / 10), k, false));
    const std::size_t narrow = 3 * kernels.tile_cols - 1, deep = l2 * 9 / 10 / sizeof(T) / narrow;
    EXPECT_FALSE(cuts(1, narrow, deep, false, deep));
    EXPECT_TRUE(cuts(1, narrow + 1, deep, false, deep));
    EXPECT_FALSE(cuts(1, columns(l2 * 9 / 10 * k / 15), 15, false, 15));
    EXPECT_TRUE(cuts(1, columns(l2 * 9 / 10 * k / 16), 16, false, 16));
    EXPECT_TRUE(cuts(6, columns(l2 * 9 / 10), k, true));
    EXPECT_TRUE(cuts(10, columns(l2 * 9 / 10), page, false));
    EXPECT_EQ(cuts(6, columns(3 * l2), k, false), !is_long);
    EXPECT_TRUE(cuts(6, columns(5 * l2), k, false));
    EXPECT_TRUE(cuts(6, (l2 * 2 / sizeof(T) / k / page + 1) * page, k, false));  // rows of B share sets
  });
}

// Rows of A against rows of B: every height, every rest of columns, depths with and without a rest.
TYPED_TEST(MatmulTest, TransposedFewRowsAreExact) {
  using T = TypeParam;
  set_num_threads(1);
  for_each_isa([](Isa) {
    for (std::size_t m = 1; m <= 8; ++m)
      for (std::size_t n : {1U, 2U, 7U, 8U, 11U, 33U})
        for (std::size_t k : {64U, 67U, 111U})
          for (double beta : {0.0, 2.0}) {
            check<T>({m, n, k, false, true, -0.5, beta, 1, 1}, Values::integers);
            if (::testing::Test::HasFatalFailure()) return;
          }
  });
}

// A matrix times a column, whose elements lie side by side or apart, as those of C do.
TYPED_TEST(MatmulTest, ColumnsAreExact) {
  using T = TypeParam;
  for_each_isa([](Isa) {
    for (int threads : {1, 3}) {
      set_num_threads(threads);
      for (std::size_t gap : {0U, 1U})
        for (int transposes = 0; transposes < 4; ++transposes)
          for (double beta : {0.0, 2.0}) {
            check<T>({301, 1, 97, (transposes & 1) != 0, (transposes & 2) != 0, -0.5, beta, gap, 1}, Values::integers);
            if (::testing::Test::HasFatalFailure()) return;
          }
      check<T>({1501, 1, 1003}, Values::random);
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
}

// Shapes that take each of the ways through matmul.cpp: square, thin in each dimension, vectors.
constexpr Case kShapes[] = {{1, 1, 1},      {1, 300, 200},   {300, 1, 200},   {1, 1, 1000},    {2, 257, 129},
                            {3, 100, 1000}, {8, 513, 300},   {16, 300, 300},  {300, 16, 300},  {300, 300, 16},
                            {64, 64, 64},   {65, 63, 66},    {129, 127, 131}, {200, 210, 190}, {31, 1000, 1},
                            {1000, 33, 1},  {257, 300, 260}, {1, 700, 301},   {7, 333, 301},   {13, 2053, 67},
                            {29, 301, 333}, {601, 70, 1100}};

TYPED_TEST(MatmulTest, ShapesOfEveryKindAreExact) {
  using T = TypeParam;
  for (Case x : kShapes)
    for (int transposes = 0; transposes < 4; ++transposes) {
      x.transpose_a = (transposes & 1) != 0;
      x.transpose_b = (transposes & 2) != 0;
      x.gap = transposes == 0 ? 0 : 3;
      x.beta = transposes == 1 ? 2 : 0;
      Problem<T> problem(x, Values::integers);
      for_each_isa([&](Isa) {
        for (int threads : {1, 2, 3}) {
          set_num_threads(threads);
          problem.check();
        }
      });
      if (::testing::Test::HasFailure()) return;
    }
}

TYPED_TEST(MatmulTest, RandomValuesKeepTheBound) {
  using T = TypeParam;
  set_num_threads(2);
  for (Case x : kShapes) {
    x.alpha = -1.7;
    x.beta = 0.3;
    x.gap = x.offset = 1;
    Problem<T> problem(x, Values::random);
    for_each_isa([&](Isa) { problem.check(); });
    if (::testing::Test::HasFailure()) return;
  }
}

TYPED_TEST(MatmulTest, RepeatsItselfBitForBit) {
  using T = TypeParam;
  for_each_isa([](Isa) {
    for (int threads : {1, 3}) {
      set_num_threads(threads);
      Matrix<T> a(150, 500, 0, 0, Values::random, 1), b(500, 170, 0, 0, Values::random, 2);
      std::vector<T> first(150 * 170), second(150 * 170);
      for (auto* c : {&first, &second})
        matmul(Transpose::no, Transpose::no, 150, 170, 500, T(1), a.data(), 500, b.data(), 170, T(0), c->data(), 170);
      EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof(T)), 0);
    }
  });
}

TYPED_TEST(MatmulTest, NaNAndInfinityPropagate) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
  for_each_isa([&](Isa) {
    for (std::size_t n : {std::size_t{1}, std::size_t{40}, std::size_t{300}}) {
      const std::size_t m = 20, k = 30;
      std::vector<T> a(m * k, T(1)), b(k * n, T(1)), c(m * n, T(0));
      a[3 * k + 7] = nan;
      a[5 * k + 2] = inf;
      b[2 * n + 0] = T(0);  // infinity times zero in row 5, column 0
      matmul(Transpose::no, Transpose::no, m, n, k, T(1), a.data(), k, b.data(), n, T(0), c.data(), n);
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          const T got = c[i * n + j];
          if (i == 3 || (i == 5 && j == 0)) {
            ASSERT_TRUE(std::isnan(got)) << i << ", " << j;
          } else if (i == 5) {
            ASSERT_EQ(got, inf) << i << ", " << j;
          } else {
            ASSERT_EQ(got, static_cast<T>(j == 0 ? k - 1 : k)) << i << ", " << j;
          }
        }
    }
  });
}

// alpha = 0: A and B may hold anything (here NaN), as in the BLAS.
TYPED_TEST(MatmulTest, ZeroAlphaReadsNoOperand) {
  using T = TypeParam;
  for_each_isa([](Isa) {
    GuardedArray<T> a(6), b(8), c(12);
    for (std::size_t i = 0; i < 12; ++i) c[i] = static_cast<T>(i);
    matmul(Transpose::no, Transpose::no, 3, 4, 2, T(0), a.data(), 2, b.data(), 4, T(2), c.data(), 4);
    for (std::size_t i = 0; i < 12; ++i) ASSERT_EQ(c[i], static_cast<T>(2 * i));
  });
}

TEST(MatmulTables, VariantsAreDifferentCode) {
  for (Isa a : compiled_isas())
    for (Isa b : compiled_isas())
      if (a != b) {
        EXPECT_NE(matmul_table(a).f32.multiply, matmul_table(b).f32.multiply) << name(a) << " and " << name(b);
      }
}

}  // namespace
}  // namespace pawl::testing
