// operations_test.cpp -- sums, parts, statistics and triangular solves against dense loops.
#include "pawl/sparse/operations.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "parallel/scoped_threads.hpp"
#include "sparse/patterns.hpp"

namespace pawl::sparse {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Types>
class OperationsTest : public ::testing::Test {};
using AllTypes =
    ::testing::Types<testing::SparseTypes<float, std::int32_t>, testing::SparseTypes<double, std::int64_t>>;
TYPED_TEST_SUITE(OperationsTest, AllTypes);

TYPED_TEST(OperationsTest, AddIsThatOfTheEntries) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const auto& p : testing::patterns<T, I>()) {
    SCOPED_TRACE(p.name);
    const auto a = testing::csr_of(p);
    reference::SparseMap<T> other;
    for (std::size_t k = 0; k < 50 && p.rows * p.cols > 0; ++k)
      other[{k * 31 % p.rows, k * 17 % p.cols}] = static_cast<T>(k) - T(20);
    const auto b = testing::csr_of<T, I>(other, p.rows, p.cols);
    reference::SparseMap<T> want;
    for (const auto& [place, value] : p.map()) want[place] = T(2) * value;
    for (const auto& [place, value] : other) want[place] += T(-3) * value;
    const auto sum = add(T(2), a, T(-3), b);
    ASSERT_TRUE(testing::keeps_promises(sum));
    ASSERT_TRUE(testing::same_entries(sum, want));
  }
  EXPECT_THAT(([] { (void)add<T, I>(T(1), Csr<T, I>(2, 3), T(1), Csr<T, I>(2, 4)); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("a is 2 x 3, but b is 2 x 4")));
}

// Large enough for threads: rows with the same places, with none in common, with some, and without entries.
TYPED_TEST(OperationsTest, AddOnThreadsIsThatOfOne) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  constexpr std::size_t kRows = 30'000, kCols = 1'000;
  const auto matrix = [](auto column) {  // five entries in most rows: column(row, k), ascending in k
    std::vector<I> start{0}, columns;
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t k = 0; k < 5 && r % 7 != 3; ++k) columns.push_back(static_cast<I>(column(r, k)));
      start.push_back(static_cast<I>(columns.size()));
    }
    std::vector<T> values;
    for (std::size_t k = 0; k < columns.size(); ++k) values.push_back(static_cast<T>(k % 11) - T(5));
    return Csr<T, I>(kRows, kCols, start, columns, values);
  };
  const auto even = matrix([](std::size_t r, std::size_t k) { return r % 100 + 2 * k; });
  const auto odd = matrix([](std::size_t r, std::size_t k) { return r % 100 + 2 * k + 1; });
  const auto some = matrix([](std::size_t r, std::size_t k) { return r % 100 + (r % 3 + 1) * k; });
  for (const auto* b : {&even, &odd, &some}) {
    const testing::ScopedThreads one(1);
    const auto want = add(T(2), even, T(3), *b);
    for (int threads : {2, 5}) {
      const testing::ScopedThreads scope(threads);
      const auto sum = add(T(2), even, T(3), *b);
      ASSERT_TRUE(testing::keeps_promises(sum));
      EXPECT_TRUE(std::ranges::equal(sum.row_start(), want.row_start()));
      EXPECT_TRUE(std::ranges::equal(sum.columns(), want.columns()));
      EXPECT_TRUE(std::ranges::equal(sum.values(), want.values()));
    }
  }
}

TYPED_TEST(OperationsTest, ScaleAndSlice) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const auto& p : testing::patterns<T, I>()) {
    SCOPED_TRACE(p.name);
    auto a = testing::csr_of(p);
    std::vector<T> factors(p.rows);
    for (std::size_t r = 0; r < p.rows; ++r) factors[r] = static_cast<T>(r % 5) - T(2);
    scale(a, T(4));
    scale_rows<T, I>(a, factors);
    reference::SparseMap<T> want;
    for (const auto& [place, value] : p.map()) want[place] = T(4) * value * factors[place.first];
    ASSERT_TRUE(testing::same_entries(a, want));

    const std::size_t r0 = p.rows / 3, r1 = p.rows - p.rows / 4, c0 = p.cols / 4, c1 = p.cols - p.cols / 3;
    const auto part = slice(a, r0, r1, c0, c1);
    reference::SparseMap<T> inside;
    for (const auto& [place, value] : want)
      if (place.first >= r0 && place.first < r1 && place.second >= c0 && place.second < c1)
        inside[{place.first - r0, place.second - c0}] = value;
    ASSERT_EQ(part.rows(), r1 - r0);
    ASSERT_EQ(part.cols(), c1 - c0);
    ASSERT_TRUE(testing::keeps_promises(part));
    ASSERT_TRUE(testing::same_entries(part, inside));
  }
  EXPECT_THAT(([] { (void)slice(Csr<T, I>(2, 3), 0, 3, 0, 3); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("rows [0, 3) is not a range within 2")));
  EXPECT_THAT(([] { (void)slice(Csr<T, I>(2, 3), 0, 2, 2, 1); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("columns [2, 1) is not a range within 3")));
}

TYPED_TEST(OperationsTest, StatisticsOfRowsAndColumns) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const auto& p : testing::patterns<T, I>()) {
    const auto a = testing::csr_of(p);
    std::vector<Statistics> rows(p.rows), columns(p.cols);
    for (const auto& [place, value] : p.map())
      for (Statistics* s : {&rows[place.first], &columns[place.second]}) {
        const double v = static_cast<double>(value);
        ++s->entries;
        s->sum += v;
        s->sum_squares += v * v;
        s->max_abs = std::isnan(v) || std::isnan(s->max_abs) ? std::nan("") : std::max(s->max_abs, std::fabs(v));
      }
    const auto expect_same = [&](const std::vector<Statistics>& got, const std::vector<Statistics>& want) {
      const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
      ASSERT_EQ(got.size(), want.size());
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(got[i].entries == want[i].entries && same(got[i].sum, want[i].sum) &&
                    same(got[i].sum_squares, want[i].sum_squares) && same(got[i].max_abs, want[i].max_abs))
            << p.name << ' ' << i;
    };
    expect_same(row_statistics(a), rows);
    expect_same(column_statistics(a), columns);
  }
}

// Both triangles of an n x n matrix, solved for what they were multiplied by, to so many eps.
template <class T, class I>
void check_solves(const reference::SparseMap<T>& map, std::size_t n, T tolerance) {
  const auto a = testing::csr_of<T, I>(map, n, n);
  for (Triangle triangle : {Triangle::lower, Triangle::upper}) {
    std::vector<T> want(n), b(n), x(n);
    for (std::size_t i = 0; i < n; ++i) want[i] = static_cast<T>(i % 11) - T(5);
    for (const auto& [place, value] : map)
      if (triangle == Triangle::lower ? place.second <= place.first : place.second >= place.first)
        b[place.first] += value * want[place.second];
    solve_triangular<T, I>(a, triangle, b, x);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_NEAR(x[i], want[i], tolerance * std::numeric_limits<T>::epsilon()) << n << ' ' << i;
    solve_triangular<T, I>(a, triangle, b, b);  // in place
    ASSERT_EQ(b, x);
  }
}

TYPED_TEST(OperationsTest, TriangularSolveUndoesTheProduct) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (std::size_t n : {0u, 1u, 2u, 17u, 300u}) {
    reference::SparseMap<T> map;
    for (std::size_t k = 0; k < 6 * n; ++k) map[{k * 7919 % n, k * 104'729 % n}] = static_cast<T>(k % 9) / T(64);
    for (std::size_t i = 0; i < n; ++i) map[{i, i}] = T(2) + static_cast<T>(i % 3);
    ASSERT_NO_FATAL_FAILURE((check_solves<T, I>(map, n, 100)));
  }
}

TYPED_TEST(OperationsTest, TriangularSolveOfLongRows) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (std::size_t n : {31u, 64u, 257u, 300u}) {  // dense: rows of both kinds on either side of the diagonal
    reference::SparseMap<T> map;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < n; ++c) map[{r, c}] = r == c ? T(2) : static_cast<T>((r * 7 + c) % 9) / T(16 * n);
    ASSERT_NO_FATAL_FAILURE((check_solves<T, I>(map, n, 300)));
  }
}

TEST(TriangularSolve, LeavesXWhereTheLastRowHasNoDiagonal) {
  for (const std::size_t n : {20u, 300u})
    for (const Triangle triangle : {Triangle::lower, Triangle::upper})
      for (const bool is_long : {false, true}) {  // the row that fails is found at last, or has many entries
        const std::size_t missing = triangle == Triangle::lower ? n - 1 : 0;
        reference::SparseMap<double> map;
        for (std::size_t r = 0; r < n; ++r)
          for (std::size_t c = 0; c < n; ++c)
            if (r == missing ? c != r && is_long : r == c) map[{r, c}] = 1;
        const auto a = testing::csr_of<double, std::int32_t>(map, n, n);
        std::vector<double> x(n, 7.0);
        EXPECT_THAT(([&] { solve_triangular<double, std::int32_t>(a, triangle, x, x); }),
                    ThrowsMessage<std::invalid_argument>(
                        HasSubstr("row " + std::to_string(missing) + " has no entry on the diagonal")));
        EXPECT_EQ(x, std::vector<double>(n, 7.0));
      }
}

TEST(TriangularSolve, NamesTheRowWithoutDiagonal) {
  const auto solve = [](std::vector<double> values, std::vector<std::int32_t> columns) {
    const Csr<double> a(2, 2, std::vector<std::int32_t>{0, 1, 2}, columns, values);
    std::vector<double> b(2, 1.0), x(2, 7.0);
    try {
      solve_triangular<double, std::int32_t>(a, Triangle::lower, b, x);
    } catch (const std::invalid_argument&) {
      EXPECT_EQ(x[0], 7.0) << "x was touched";
      throw;
    }
  };
  EXPECT_NO_THROW(solve({1, 1}, {0, 1}));
  EXPECT_THAT(
      [&] {
        solve({1, 1}, {0, 0});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("row 1 has no entry on the diagonal")));
  EXPECT_THAT(
      [&] {
        solve({1, 0}, {0, 1});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("row 1 has a zero on the diagonal")));
}

}  // namespace
}  // namespace pawl::sparse
