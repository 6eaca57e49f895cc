// csr_test.cpp -- CSR and CSC matrices: what is refused, transposing, dense and back.
#include <gmock/gmock.h>

#include <string>
#include <utility>

#include "pawl/isa.hpp"
#include "sparse/patterns.hpp"
#include "sparse/transpose_by_blocks.hpp"

namespace pawl::sparse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Types>
class CsrTest : public ::testing::Test {};
using AllTypes =
    ::testing::Types<testing::SparseTypes<float, std::int32_t>, testing::SparseTypes<float, std::int64_t>,
                     testing::SparseTypes<double, std::int32_t>, testing::SparseTypes<double, std::int64_t>>;
TYPED_TEST_SUITE(CsrTest, AllTypes);

TYPED_TEST(CsrTest, TransposeSwapsRowsAndColumns) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const auto& p : testing::patterns<T, I>()) {
    reference::SparseMap<T> want;
    for (const auto& [place, value] : p.map()) want[{place.second, place.first}] = value;
    const auto a = testing::csr_of(p);
    for (int threads : {1, 3}) {
      SCOPED_TRACE(::testing::Message() << p.name << ' ' << p.rows << " x " << p.cols << " threads=" << threads);
      const testing::ScopedThreads scoped_threads(threads);
      const Csr<T, I> t = transpose(a);
      ASSERT_EQ(t.rows(), p.cols);
      ASSERT_EQ(t.cols(), p.rows);
      ASSERT_TRUE(testing::keeps_promises(t));
      ASSERT_TRUE(testing::same_entries(t, want));
      if (threads == 1) {
        ASSERT_TRUE(testing::same_entries(testing::map_of(to_csr(Csc<T, I>(a))), p.map()));
      }
      if (a.nonzeros() == 0) continue;
      // What is chosen beyond 6 MiB only; the tests' matrices are smaller.
      const Csr<T, I> by_blocks = transpose_by_blocks(a, static_cast<std::size_t>(threads));
      ASSERT_TRUE(testing::keeps_promises(by_blocks));
      ASSERT_TRUE(testing::same_entries(by_blocks, want));
    }
  }
}

// Results of more than 6 MiB, whose lines are asked for before they are written.
TEST(Csr, LargeTransposesAreTheSame) {
  constexpr std::size_t kRows = 60'000;
  for (const std::size_t equal : {1U, 3U, 4U}) {  // rows with the same columns, one after another
    std::vector<std::int32_t> start = {0}, columns;
    std::vector<double> values;
    for (std::size_t r = 0; r < kRows; ++r) {
      const std::size_t first = r / equal * 7919 % 1'000;
      for (std::size_t k = 0; k < 10 + r / equal % 4; ++k) {
        columns.push_back(static_cast<std::int32_t>(first + k * 3'001));
        values.push_back(static_cast<double>(columns.size()));
      }
      start.push_back(static_cast<std::int32_t>(columns.size()));
    }
    const Csr<double> a(kRows, 50'000, start, columns, values);
    const auto want = transpose_by_blocks(a, 1);
    for (int threads : {1, 3}) {
      const testing::ScopedThreads scoped_threads(threads);
      const auto got = transpose(a);
      ASSERT_TRUE(testing::keeps_promises(got));
      ASSERT_TRUE(std::ranges::equal(got.row_start(), want.row_start())) << equal;
      ASSERT_TRUE(std::ranges::equal(got.columns(), want.columns())) << equal;
      ASSERT_TRUE(std::ranges::equal(got.values(), want.values())) << equal;
    }
  }
}

// Rows in runs that are too short for a walk along diagonals, some of which meet a column several times, and one run
// that is longer than what is taken at once; lengths of all remainders.
TEST(Csr, TransposesOfShortRunsAreTheSame) {
  std::vector<std::size_t> lines;
  for (std::size_t i = 0; i < 200; ++i) lines.push_back(5 + i % 9);
  lines.insert(lines.end(), {700, 9, 1, 2, 3, 8});
  std::vector<std::int32_t> start = {0}, columns;
  std::vector<double> values;
  std::size_t rows = 0;
  std::size_t shift = 0;  // another one for each line, or it would be the one before moved on
  for (const std::size_t line : lines) {
    shift = 5 - shift;
    for (std::size_t i = 0; i < line; ++i, ++rows) {
      for (const std::size_t offset :
           {0U, 1U, 2U, 3U, 40U, 41U, 300U})  // by ones and by pairs, not at all in some lines
        if (offset < 40 || line % 3 != 0) {
          columns.push_back(static_cast<std::int32_t>(rows + offset + shift));
          values.push_back(static_cast<double>(columns.size()));
        }
      start.push_back(static_cast<std::int32_t>(columns.size()));
    }
  }
  const Csr<double> a(rows, rows + 310, start, columns, values);
  const auto want = transpose_by_blocks(a, 1);
  for (int threads : {1, 3}) {
    const testing::ScopedThreads scoped_threads(threads);
    const auto got = transpose(a);
    ASSERT_TRUE(testing::keeps_promises(got));
    ASSERT_TRUE(std::ranges::equal(got.row_start(), want.row_start())) << threads;
    ASSERT_TRUE(std::ranges::equal(got.columns(), want.columns())) << threads;
    ASSERT_TRUE(std::ranges::equal(got.values(), want.values())) << threads;
  }
}

// So many rows that one and a column within its block take more than 32 bits.
TEST(Csr, TransposeByBlocksOfManyRows) {
  constexpr std::size_t kRows = (std::size_t{1} << 22) + 5, kCols = 9'000;
  std::vector<std::int32_t> start(kRows + 1), columns;
  std::vector<float> values;
  for (std::size_t r = 0; r < kRows; ++r) {
    if (r % 1'000 == 7 || r + 1 == kRows) {
      columns.push_back(static_cast<std::int32_t>(r * 7919 % kCols));
      values.push_back(static_cast<float>(columns.size()));
    }
    start[r + 1] = static_cast<std::int32_t>(columns.size());
  }
  const Csr<float> a(kRows, kCols, start, columns, values);
  const auto want = transpose(a), got = transpose_by_blocks(a, 2);
  EXPECT_TRUE(testing::keeps_promises(got));
  EXPECT_TRUE(std::ranges::equal(got.row_start(), want.row_start()));
  EXPECT_TRUE(std::ranges::equal(got.columns(), want.columns()));
  EXPECT_TRUE(std::ranges::equal(got.values(), want.values()));
}

// One wrong element anywhere, beside the ends of vectors and of the pieces that are looked at together, is found and
// named.
TYPED_TEST(CsrTest, RefusesOneWrongElementWhereverItIs) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  constexpr std::size_t kLowest = std::size_t(-1);
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const std::size_t rows : {1U, 5U, 9U, 43U, 2'100U})
      for (const std::size_t a_row : {1U, 2U, 4U}) {
        const std::size_t n = rows * a_row, cols = 3 * a_row;
        std::vector<I> start(rows + 1), columns(n);
        for (std::size_t r = 0; r <= rows; ++r) start[r] = static_cast<I>(r * a_row);
        for (std::size_t k = 0; k < n; ++k) columns[k] = static_cast<I>((k % a_row) * 2 + k / a_row % 3);
        const std::vector<T> values(n, T(2));
        const auto message = [&]() -> std::string {
          try {
            const Csr<T, I> a(rows, cols, start, columns, values);
            EXPECT_TRUE(std::ranges::equal(a.columns(), columns) && std::ranges::equal(a.row_start(), start));
            return "";
          } catch (const std::invalid_argument& e) {
            return e.what();
          }
        };
        ASSERT_EQ(message(), "") << rows << ' ' << a_row;
        for (std::size_t k = 0; k < n; ++k) {
          if (k > 70 && k + 70 < n && k % 4096 > 20 && k % 4096 < 4076) continue;
          const std::string place = "columns[" + std::to_string(k) + "] is ";
          for (const std::size_t wrong : {cols, kLowest, std::size_t{1} << (8 * sizeof(I) - 1)}) {
            const I right = std::exchange(columns[k], static_cast<I>(wrong));
            ASSERT_THAT(message(), HasSubstr(place + std::to_string(columns[k]) + " in row")) << n;
            columns[k] = right;
          }
          if (k % a_row == 0) continue;
          const I right = std::exchange(columns[k], columns[k - 1]);
          ASSERT_THAT(message(), HasSubstr(place + std::to_string(columns[k]) + " in row")) << n;
          columns[k] = right;
        }
        for (std::size_t r = 1; r < rows; ++r) {
          if (r > 70 && r + 70 < rows) continue;
          const I right = std::exchange(start[r], I(-1));
          ASSERT_THAT(message(), HasSubstr("row_start[" + std::to_string(r) + "] is -1, less than")) << rows;
          start[r] = right;
        }
      }
  }
}

TYPED_TEST(CsrTest, DenseAndBack) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const auto& p : testing::patterns<T, I>()) {
    if (p.rows * p.cols > 2'000'000) continue;
    SCOPED_TRACE(::testing::Message() << p.name << ' ' << p.rows << " x " << p.cols);
    const std::size_t stride = p.cols + 3;
    std::vector<T> dense(p.rows * stride, T(-77));
    to_dense(testing::csr_of(p), std::span<T>(dense), stride);
    auto want = p.map();
    for (std::size_t r = 0; r < p.rows; ++r)
      for (std::size_t c = 0; c < stride; ++c) {
        const T got = dense[r * stride + c];
        if (c >= p.cols) {
          ASSERT_EQ(got, T(-77)) << "padding was written";
        } else {
          const auto entry = want.find({r, c});
          const T expected = entry == want.end() ? T(0) : entry->second;
          ASSERT_TRUE(got == expected || (got != got && expected != expected)) << r << ',' << c;
        }
      }
    std::erase_if(want, [](const auto& entry) { return entry.second == T(0); });
    const auto back = from_dense<T, I>(dense, p.rows, p.cols, stride);
    ASSERT_TRUE(testing::keeps_promises(back));
    ASSERT_TRUE(testing::same_entries(back, want));
  }
}

// Many blocks of rows, of which the first ones have few entries, so that what was set aside for the rest is too little.
TYPED_TEST(CsrTest, FromDenseOfGrowingRows) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  constexpr std::size_t kRows = 300, kStride = 260;
  std::vector<T> dense(kRows * kStride, std::numeric_limits<T>::quiet_NaN());
  for (const std::size_t cols : {1U, 7U, 16U, 37U, 257U}) {
    reference::SparseMap<T> want;
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t c = 0; c < cols; ++c) {
        const T value = (r * 31 + c * 17) % kRows < r ? static_cast<T>((r + c) % 9) - T(4) : T(0);
        dense[r * kStride + c] = value;
        if (std::fabs(value) > T(1)) want[{r, c}] = value;
      }
    for (const Isa isa : runnable_isas()) {
      SCOPED_TRACE(::testing::Message() << cols << " columns " << name(isa));
      const ScopedIsa scope(isa);
      const auto a = from_dense<T, I>(dense, kRows, cols, kStride, T(1));
      ASSERT_TRUE(testing::keeps_promises(a));
      ASSERT_TRUE(testing::same_entries(a, want));
    }
  }
}

TEST(FromDense, KeepsWhatIsAboveTheThresholdAndNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> dense = {0.5, -0.5, 0.25, nan, -2, 0};
  const auto a = from_dense<double, std::int32_t>(dense, 2, 3, 3, 0.25);
  EXPECT_THAT(a.row_start(), ElementsAre(0, 2, 4));
  EXPECT_THAT(a.columns(), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT([&] { (void)from_dense<double>(std::span<const double>(dense), 2, 3, 3, nan); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("threshold is negative or NaN")));
  EXPECT_THAT([&] { (void)from_dense<double>(std::span<const double>(dense), 2, 3, 2); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("stride 2 is less than 3 columns")));
  EXPECT_THAT([&] { (void)from_dense<double>(std::span<const double>(dense), 3, 3, 3); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("6 elements, too few for 3 rows with stride 3")));
  std::vector<double> small(5);
  EXPECT_THAT([&] { to_dense(a, std::span<double>(small), 3); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("5 elements, too few for 2 rows")));
}

TEST(Csr, NamesWhatIsInconsistent) {
  const auto message = [](std::vector<std::int32_t> start, std::vector<std::int32_t> columns,
                          std::size_t values) -> std::string {
    try {
      (void)Csr<float>(2, 3, start, columns, std::vector<float>(values, 1.0f));
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message({0, 2, 3}, {0, 2, 1}, 3), "");
  EXPECT_EQ(message({0, 2}, {0, 2}, 2), "Csr: row_start has 2 elements, not 3");
  EXPECT_EQ(message({0, 2, 3}, {0, 2, 1}, 2), "Csr: values has 2 elements, not 3");
  EXPECT_EQ(message({1, 2, 3}, {0, 2, 1}, 3), "Csr: row_start[0] is 1, not 0");
  EXPECT_EQ(message({0, 4, 3}, {0, 2, 1}, 3), "Csr: row_start[2] is 3, less than the one before, 4");
  EXPECT_EQ(message({0, -1, 3}, {0, 2, 1}, 3), "Csr: row_start[1] is -1, less than the one before, 0");
  EXPECT_EQ(message({0, 2, 4}, {0, 2, 1}, 3), "Csr: row_start[2] is 4, but there are 3 entries");
  EXPECT_EQ(message({0, 2, 3}, {0, 3, 1}, 3), "Csr: columns[1] is 3 in row 0, but the matrix has 3 columns");
  EXPECT_EQ(message({0, 2, 3}, {0, 2, -1}, 3), "Csr: columns[2] is -1 in row 1, but the matrix has 3 columns");
  EXPECT_THAT(message({0, 2, 3}, {1, 1, 1}, 3), HasSubstr("columns[1] is 1 in row 0, not more than the one before, 1"));
  EXPECT_THAT(message({0, 2, 3}, {2, 1, 1}, 3), HasSubstr("columns[1] is 1 in row 0, not more than the one before, 2"));
}

TEST(Csr, RefusesSizesBeyondTheIndexType) {
  const std::size_t big = std::size_t{1} << 31;
  EXPECT_THAT([&] { (void)Csr<float>(big, 1); }, ThrowsMessage<std::invalid_argument>(HasSubstr("rows is 2147483648")));
  EXPECT_THAT([&] { (void)Csr<float>(1, big); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("columns is 2147483648")));
  EXPECT_NO_THROW((void)(Csr<float, std::int64_t>(1, big)));
  // 2^31 entries in 65,536 x 32,768: the length alone is refused, nothing is read.
  const std::int32_t zero = 0;
  const float one = 1;
  EXPECT_THAT(([&] {
                (void)Csr<float>(1, 1, {&zero, 2}, {&zero, big}, {&one, big});
              }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("entries is 2147483648, more than 32-bit")));
}

}  // namespace
}  // namespace pawl::sparse
