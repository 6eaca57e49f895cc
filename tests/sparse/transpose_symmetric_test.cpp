// transpose_symmetric_test.cpp -- transposes by exchange against those by blocks; what is not symmetric is seen.
#include "sparse/transpose_symmetric.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "sparse/patterns.hpp"
#include "sparse/transpose_by_blocks.hpp"

namespace pawl::sparse {
namespace {

template <class Types>
class TransposeSymmetric : public ::testing::Test {};
using AllTypes =
    ::testing::Types<testing::SparseTypes<float, std::int32_t>, testing::SparseTypes<float, std::int64_t>,
                     testing::SparseTypes<double, std::int32_t>, testing::SparseTypes<double, std::int64_t>>;
TYPED_TEST_SUITE(TransposeSymmetric, AllTypes);

using Places = std::vector<std::vector<char>>;  // of a square matrix

template <class T, class I>
Csr<T, I> matrix_of(const Places& places) {
  std::vector<I> start = {0}, columns;
  std::vector<T> values;
  for (const std::vector<char>& row : places) {
    for (std::size_t c = 0; c < row.size(); ++c)
      if (row[c] != 0) {
        columns.push_back(static_cast<I>(c));
        values.push_back(static_cast<T>(columns.size()));  // each another one
      }
    start.push_back(static_cast<I>(columns.size()));
  }
  return Csr<T, I>(places.size(), places.size(), start, columns, values);
}

bool is_symmetric(const Places& places) {
  for (std::size_t r = 0; r < places.size(); ++r)
    for (std::size_t c = 0; c < r; ++c)
      if ((places[r][c] != 0) != (places[c][r] != 0)) return false;
  return true;
}

template <class T, class I>
void expect_same(const Csr<T, I>& got, const Csr<T, I>& a) {
  const Csr<T, I> want = transpose_by_blocks(a, 1);
  ASSERT_TRUE(testing::keeps_promises(got));
  ASSERT_TRUE(std::ranges::equal(got.row_start(), want.row_start()));
  ASSERT_TRUE(std::ranges::equal(got.columns(), want.columns()));
  ASSERT_TRUE(std::ranges::equal(got.values(), want.values()));
}

// Symmetric places, some rows empty or without a diagonal, and all that differ from them by one place, or by one that
// has moved, wherever it is: rows run over into the next ones, and beyond the last entry.
TYPED_TEST(TransposeSymmetric, IsThereWherePlacesAreSymmetricAndNowhereElse) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  constexpr std::size_t kRows = 7;
  std::mt19937 random(5);
  for (int trial = 0; trial < 6; ++trial) {
    Places places(kRows, std::vector<char>(kRows, 0));
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t c = 0; c <= r; ++c) places[r][c] = places[c][r] = r != 3 && random() % 2 == 0;
    const auto check = [&] {
      const auto a = matrix_of<T, I>(places);
      if (a.nonzeros() == 0) return;
      for (const std::size_t parts : {1U, 2U, 3U}) {
        const auto got = transpose_symmetric(a, parts);
        ASSERT_EQ(got.has_value(), is_symmetric(places)) << parts;
        if (got) expect_same(*got, a);
      }
    };
    check();
    for (std::size_t i = 0; i < kRows * kRows; ++i) {
      char& first = places[i / kRows][i % kRows];
      first ^= 1;
      check();
      for (std::size_t j = 0; j < i; ++j) {
        char& second = places[j / kRows][j % kRows];
        second ^= 1;
        check();
        second ^= 1;
      }
      first ^= 1;
    }
  }
}

// Grids with short and long lines and a mesh whose rows have nothing in common, large enough for threads; one entry of
// the last row has none across.
TYPED_TEST(TransposeSymmetric, LargeOnesAreTheSame) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  std::mt19937 random(6);
  for (const std::size_t line : {6U, 21U, 90U, 0U})
    for (const bool symmetric : {true, false}) {
      const std::size_t rows = line == 0 ? 9'000 : 12'000 / line * line;
      std::vector<std::vector<std::size_t>> of_row(rows);
      const auto edge = [&](std::size_t r, std::size_t c) {
        of_row[r].push_back(c);
        of_row[c].push_back(r);
      };
      for (std::size_t r = 0; r < rows; ++r) {
        of_row[r].push_back(r);
        if (line == 0) {
          for (int i = 0; i < 3; ++i) {
            const std::size_t c = r + 1 + random() % 400;
            if (c < rows && std::find(of_row[r].begin(), of_row[r].end(), c) == of_row[r].end()) edge(r, c);
          }
        } else {
          if (r % line + 1 < line) edge(r, r + 1);
          if (r + line < rows) edge(r, r + line);
        }
      }
      if (!symmetric) of_row[rows - 1].push_back(0);
      std::vector<I> start = {0}, columns;
      std::vector<T> values;
      for (auto& row : of_row) {
        std::sort(row.begin(), row.end());
        for (const std::size_t c : row) {
          columns.push_back(static_cast<I>(c));
          values.push_back(static_cast<T>(columns.size()));
        }
        start.push_back(static_cast<I>(columns.size()));
      }
      const Csr<T, I> a(rows, rows, start, columns, values);
      ASSERT_GT(a.nonzeros(), 50'000U);
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(::testing::Message() << line << ' ' << symmetric << " threads=" << threads);
        const testing::ScopedThreads scoped_threads(threads);
        ASSERT_EQ(transpose_symmetric(a, static_cast<std::size_t>(threads)).has_value(), symmetric);
        expect_same(transpose(a), a);
      }
    }
}

// Triangles and matrices that are not square are left to others.
TEST(TransposeSymmetric, IsNotTriedWhereItCannotBe) {
  const std::vector<std::int32_t> start = {0, 2, 4}, columns = {0, 2, 1, 2};
  const std::vector<double> values = {1, 2, 3, 4};
  EXPECT_FALSE(transpose_symmetric(Csr<double>(2, 3, start, columns, values), 1).has_value());
  Places upper(40, std::vector<char>(40, 0));
  for (std::size_t r = 0; r < upper.size(); ++r)
    for (std::size_t c = r; c < upper.size(); ++c) upper[r][c] = 1;
  const auto a = matrix_of<double, std::int32_t>(upper);
  EXPECT_FALSE(detail::may_be_symmetric(a));
  EXPECT_FALSE(transpose_symmetric(a, 1).has_value());
  expect_same(transpose(a), a);
}

}  // namespace
}  // namespace pawl::sparse
