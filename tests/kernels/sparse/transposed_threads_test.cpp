// transposed_threads_test.cpp -- spmv_transposed on several threads: parts that reach all columns, some, or none.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "parallel/scoped_threads.hpp"
#include "pawl/sparse.hpp"

namespace pawl::sparse {
namespace {

// Rows by their columns, all values small integers: sums are exact in any order.
struct Pattern {
  std::size_t cols;
  std::vector<std::vector<std::int32_t>> rows;
};

Csr<double> csr_of(const Pattern& pattern) {
  std::vector<std::int32_t> start{0}, columns;
  for (const auto& row : pattern.rows) {
    columns.insert(columns.end(), row.begin(), row.end());
    start.push_back(static_cast<std::int32_t>(columns.size()));
  }
  std::vector<double> values;
  for (std::size_t k = 0; k < columns.size(); ++k) values.push_back(static_cast<double>(k % 7) - 3);
  return Csr<double>(pattern.rows.size(), pattern.cols, start, columns, values);
}

void expect_plain_sums(const Pattern& pattern) {
  const Csr<double> a = csr_of(pattern);
  ASSERT_GE(a.nonzeros(), 50'000U);  // below, one thread does it
  std::vector<double> x, want(a.cols(), 0.0);
  for (std::size_t r = 0; r < a.rows(); ++r) {
    x.push_back(static_cast<double>(r % 5) + 1);
    for (auto k = static_cast<std::size_t>(a.row_start()[r]); k < static_cast<std::size_t>(a.row_start()[r + 1]); ++k)
      want[static_cast<std::size_t>(a.columns()[k])] += a.values()[k] * x[r];
  }
  for (int threads : {1, 2, 3, 7}) {
    const testing::ScopedThreads scoped(threads);
    std::vector<double> y(a.cols(), 1e300);
    spmv_transposed(a, std::span<const double>(x), std::span<double>(y));
    EXPECT_EQ(y, want) << threads << " threads";
  }
}

std::vector<std::int32_t> run(std::size_t first, std::size_t count) {
  std::vector<std::int32_t> columns;
  for (std::size_t c = first; c < first + count; ++c) columns.push_back(static_cast<std::int32_t>(c));
  return columns;
}

TEST(TransposedOnThreads, BandsWithUntouchedColumnsAtBothEnds) {
  Pattern p{9'000, {}};
  for (std::size_t r = 0; r < 8'000; ++r) p.rows.push_back(run(300 + r, 11));
  expect_plain_sums(p);
}

TEST(TransposedOnThreads, TheFirstPartReachesNothingOrTheLastColumns) {
  Pattern empty{4'000, {}}, backwards{4'000, {}};
  for (std::size_t r = 0; r < 60'000; ++r) empty.rows.push_back(r < 52'000 ? run(0, 0) : run(100 + r % 3'800, 9));
  for (std::size_t r = 0; r < 12'000; ++r) backwards.rows.push_back(run(3'900 - r % 12'000 / 4, 5));
  expect_plain_sums(empty);
  expect_plain_sums(backwards);
}

// Sampled rows reach seven eighths of the columns, which then count as all: the others reach the rest.
TEST(TransposedOnThreads, ScatteredRowsReachColumnsThatNoSampleShows) {
  constexpr std::size_t kCols = 5'000;
  Pattern p{kCols, {}};
  for (std::size_t r = 0; r < 20'000; ++r) {
    std::vector<std::int32_t> row = run(r % 3 == 1 ? 0 : 200 + r % 50, 2);
    row.push_back(static_cast<std::int32_t>(r % 3 == 2 ? kCols - 1 : kCols - 200 - r % 40));
    p.rows.push_back(row);
  }
  expect_plain_sums(p);
}

}  // namespace
}  // namespace pawl::sparse
