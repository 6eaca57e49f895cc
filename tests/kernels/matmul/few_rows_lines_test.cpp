// few_rows_lines_test.cpp -- one to four rows times a B whose rows begin anywhere within lines: exact for every
// distance of rows, and no bit depends on where B begins.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "isa/followed_rows.hpp"
#include "kernels/matmul/problem.hpp"

namespace pawl {
namespace {

using testing::for_each_isa;
using testing::Matrix;
using testing::Problem;
using testing::Values;

template <class T>
class FewRowsLines : public ::testing::Test {
 protected:
  void SetUp() override { set_num_threads(1); }
  void TearDown() override { set_num_threads(threads_); }

 private:
  int threads_ = num_threads();
  FollowedRows followed_{true};  // rows side by side, as on a CPU of Intel
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FewRowsLines, Types);

// Gaps make of rows of 192 and 2112 elements such as begin at one, two, ... places of a line. More rows than go
// together and less, with every rest; columns to a strip's end and beyond.
TYPED_TEST(FewRowsLines, ProductsAreExact) {
  using T = TypeParam;
  constexpr std::size_t kGaps[] = {0, 1, 2, 4, 8};  // of B twice as many
  for (const std::size_t gap : kGaps)
    for (const bool transpose_b : {false, true}) {
      std::size_t offset = gap % 3;
      for (const std::size_t rows : {90U, 128U, 133U, 275U, 290U}) {
        const std::size_t n = transpose_b ? rows : 192, k = transpose_b ? 192 : rows;
        for (const double beta : {0.0, -2.0}) {
          const std::size_t m = 1 + offset % 3;
          Problem<T> problem({m, n, k, rows == 133, transpose_b, 2, beta, gap, offset++}, Values::integers);
          for_each_isa([&](Isa) { problem.check(); });
        }
      }
      for (const std::size_t m : {1U, 3U, 7U}) {
        Problem<T> wide({m, transpose_b ? 20U : 2112U, transpose_b ? 2112U : 97U, false, transpose_b, 1, 0, gap, 3},
                        Values::integers);
        for_each_isa([&](Isa) { wide.check(); });
      }
      // A column: the same with both operands exchanged.
      Problem<T> column({150, 1, 192, transpose_b, false, 1, 1, gap, offset}, Values::integers);
      for_each_isa([&](Isa) { column.check(); });
    }
}

// Rows of B that share places of L1.
TYPED_TEST(FewRowsLines, FourRowsAreExact) {
  using T = TypeParam;
  for (const std::size_t k : {96U, 101U, 109U})
    for (const double beta : {0.0, 3.0}) {
      Problem<T> problem({4, 2048 / sizeof(T), k, k == 101, false, 1, beta, 0, k % 4}, Values::integers);
      for_each_isa([&](Isa) { problem.check(); });
    }
}

struct Rows {
  std::size_t m, gap;
};

TYPED_TEST(FewRowsLines, NoBitDependsOnWhereItBegins) {
  using T = TypeParam;
  constexpr std::size_t kLine = 64 / sizeof(T);
  for (const bool transpose_b : {false, true})
    for (const Rows x : {Rows{1, 0}, {1, 1}, {1, 8}, {2, 0}, {3, 8}, {6, 0}, {7, 1}}) {
      const std::size_t m = x.m, gap = x.gap;
      const std::size_t rows = 197, cols = 192;
      Matrix<T> a(m, transpose_b ? cols : rows, 0, 1, Values::random, 1);
      const std::size_t n = transpose_b ? rows : cols, k = transpose_b ? cols : rows;
      for_each_isa([&](Isa isa) {
        std::vector<T> want;
        for (std::size_t offset = 0; offset < kLine; ++offset) {
          Matrix<T> b(rows, cols, gap, offset, Values::random, 2);
          std::vector<T> c(m * n);
          matmul(Transpose::no, transpose_b ? Transpose::yes : Transpose::no, m, n, k, T(1), a.data(), a.ld, b.data(),
                 b.ld, T(0), c.data(), n);
          if (want.empty()) want = c;
          for (std::size_t j = 0; j < m * n; ++j)
            ASSERT_EQ(c[j], want[j]) << name(isa) << (transpose_b ? " transposed " : " ") << m << " rows, gap " << gap
                                     << ", offset " << offset << ", element " << j;
        }
      });
    }
}

// What lies before a row's first line is taken with fewer lanes; the others must not meet an infinite element of A.
TYPED_TEST(FewRowsLines, InfinityStaysInItsPlace) {
  using T = TypeParam;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  constexpr std::size_t kRows = 133, kCols = 192;
  for (const bool transpose_b : {false, true})
    for (const std::size_t m : {1U, 2U}) {
      const std::size_t n = transpose_b ? kRows : kCols, k = transpose_b ? kCols : kRows;
      std::vector<T> a(m * k, T(1)), c(m * n);
      a[5] = kInfinity;
      for (const std::size_t gap : {0U, 8U}) {
        Matrix<T> b(kRows, kCols, gap, 3, Values::integers, 2);
        for (std::size_t i = 0; i < kRows; ++i)
          for (std::size_t j = 0; j < kCols; ++j) b.data()[i * b.ld + j] = T(2);
        for_each_isa([&](Isa isa) {
          matmul(Transpose::no, transpose_b ? Transpose::yes : Transpose::no, m, n, k, T(1), a.data(), k, b.data(),
                 b.ld, T(0), c.data(), n);
          for (std::size_t j = 0; j < m * n; ++j)
            ASSERT_EQ(c[j], j < n ? kInfinity : static_cast<T>(2 * k))
                << name(isa) << (transpose_b ? " transposed" : "") << " gap " << gap << " element " << j;
        });
      }
    }
}

}  // namespace
}  // namespace pawl
