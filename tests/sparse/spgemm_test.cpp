// spgemm_test.cpp -- the product of sparse matrices equals the reference bit by bit, whichever accumulator a row takes.
#include <gmock/gmock.h>

#include "pawl/isa.hpp"
#include "sparse/patterns.hpp"

namespace pawl::sparse {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Types>
class SpgemmTest : public ::testing::Test {};
using AllTypes =
    ::testing::Types<testing::SparseTypes<float, std::int32_t>, testing::SparseTypes<double, std::int64_t>>;
TYPED_TEST_SUITE(SpgemmTest, AllTypes);

TYPED_TEST(SpgemmTest, EqualsTheReference) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const auto& p : testing::patterns<T, I>()) {
    const auto a = testing::csr_of(p);
    const auto a_map = testing::map_of(a);
    // Times itself where that fits, and times a wide matrix: few products a row (sort), many on few columns (array),
    // many on columns far apart (hash).
    testing::Pattern<T, I> wide{"wide", p.cols, 1'000'000, {}, {}, {}};
    for (std::size_t k = 0; k < std::min<std::size_t>(4 * p.cols, 60'000); ++k) {
      wide.row_indices.push_back(static_cast<I>(k * 7919 % p.cols));
      wide.columns.push_back(static_cast<I>(k * 104'729 % (k % 3 == 0 ? 50 : 1'000'000)));
      wide.values.push_back(static_cast<T>(0.1 * static_cast<double>(k % 13) - 0.6));
    }
    std::vector<Csr<T, I>> others = {testing::csr_of(wide)};
    if (p.rows == p.cols) others.push_back(a);
    for (const auto& b : others) {
      const auto want = reference::spgemm(a_map, testing::map_of(b));
      for (int threads : {1, 3}) {
        SCOPED_TRACE(::testing::Message() << p.name << ' ' << p.rows << " x " << p.cols << " threads=" << threads);
        const testing::ScopedThreads scoped_threads(threads);
        const Csr<T, I> c = spgemm(a, b);
        ASSERT_EQ(c.rows(), a.rows());
        ASSERT_EQ(c.cols(), b.cols());
        ASSERT_TRUE(testing::keeps_promises(c));
        ASSERT_TRUE(testing::same_entries(c, want));
      }
    }
  }
}

// Bit by bit, by each ISA and number of threads.
template <class T, class I>
void expect_product(const Csr<T, I>& a, const Csr<T, I>& b, const std::string& what) {
  const auto want = reference::spgemm(testing::map_of(a), testing::map_of(b));
  for (Isa isa : runnable_isas())
    for (int threads : {1, 3}) {
      if (threads > 1 && a.nonzeros() < 10'000) continue;  // one is taken then
      SCOPED_TRACE(what + ' ' + std::string(name(isa)) + " threads=" + std::to_string(threads));
      const ScopedIsa scope(isa);
      const testing::ScopedThreads scoped_threads(threads);
      const Csr<T, I> c = spgemm(a, b);
      ASSERT_EQ(c.rows(), a.rows());
      ASSERT_EQ(c.cols(), b.cols());
      ASSERT_TRUE(testing::keeps_promises(c));
      ASSERT_TRUE(testing::same_entries(c, want));
    }
}

// A matrix with the entries (r, r + offset), but for one row in `every`, which has others.
template <class T, class I>
Csr<T, I> band(std::size_t rows, std::size_t cols, const std::vector<std::ptrdiff_t>& offsets, std::size_t every) {
  reference::SparseMap<T> map;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      const std::ptrdiff_t c = static_cast<std::ptrdiff_t>(r) + offsets[k];
      if (c < 0 || static_cast<std::size_t>(c) >= cols || (r % every == every / 2 && k % 3 != 1)) continue;
      map[{r, static_cast<std::size_t>(c)}] = static_cast<T>(0.1 * static_cast<double>((r * 31 + k * 7) % 23) - 1.1);
    }
  return testing::csr_of<T, I>(map, rows, cols);
}

// Stretches of moved rows of every width modulo 4 and every length modulo 8, more rows than columns and fewer, bits of
// sums that FMA would change, and what infinities and NaN must not spread to.
TYPED_TEST(SpgemmTest, RunsTimesRuns) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  const std::vector<std::vector<std::ptrdiff_t>> kinds = {
      {0}, {-20, -1, 0, 1, 20}, {0, 2, 3, 9}, {-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5}, {5, 40, 200}};
  for (const auto& of_a : kinds)
    for (const auto& of_b : kinds)
      for (const auto& [rows, inner, cols] : {std::array<std::size_t, 3>{290, 265, 350}, {262, 420, 281}}) {
        const std::string what = std::to_string(of_a.size()) + " times " + std::to_string(of_b.size()) +
                                 " diagonals, " + std::to_string(rows) + " rows";
        auto a = band<T, I>(rows, inner, of_a, 47), b = band<T, I>(inner, cols, of_b, 61);
        if (rows == 262 && b.nonzeros() > 500) {
          b.values()[300] = std::numeric_limits<T>::infinity();
          b.values()[400] = std::numeric_limits<T>::quiet_NaN();
        }
        expect_product(a, b, what);
        if (this->HasFatalFailure()) return;
      }
  const auto large = band<T, I>(3'000, 3'000, {-50, -1, 0, 1, 50}, 53);  // enough for threads
  expect_product(large, large, "its own square");
  // More entries in a row of the result than run_matrix_product takes.
  std::vector<std::ptrdiff_t> far;
  for (std::ptrdiff_t d = 0; d < 20; ++d) far.push_back(d * 19);
  std::vector<std::ptrdiff_t> near = far;
  for (std::ptrdiff_t& d : near) d = d / 19 * 2;
  expect_product(band<T, I>(600, 700, far, 1000), band<T, I>(700, 900, near, 1000), "wide rows");
}

// Rows of columns without a gap, of lengths and beginnings on either side of a word of the bitmap.
TYPED_TEST(SpgemmTest, RowsWithoutGaps) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  constexpr std::size_t kInner = 150, kCols = 400, kRows = 40;
  reference::SparseMap<T> a, b;
  for (std::size_t r = 0; r < kInner; ++r) {
    const std::size_t from = r * 37 % 200, n = r % 3 == 0 ? 14 + r % 6 : 60 + r % 140;
    for (std::size_t c = from; c < from + n; ++c)
      if (r % 10 != 9 || c != from + n / 2) b[{r, c}] = static_cast<T>((r + c) % 17) / T(7) - T(1);  // or with a gap
  }
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t k = r % 5; k < kInner; k += 1 + r * 3) a[{r, k}] = static_cast<T>(k % 5) / T(3) - T(0.5);
  expect_product<T, I>(testing::csr_of<T, I>(a, kRows, kInner), testing::csr_of<T, I>(b, kInner, kCols), "no gaps");
}

// Columns far apart, so that a word of the bitmap gets none to a dozen, the first and the last column among them; rows
// of `b` that are empty, and one word with all of its bits.
TYPED_TEST(SpgemmTest, ColumnsFarApart) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  constexpr std::size_t kInner = 200, kRows = 60;
  for (const std::size_t cols : {std::size_t{257}, std::size_t{640}, std::size_t{1'000}, std::size_t{9'001}}) {
    reference::SparseMap<T> a, b;
    std::mt19937_64 random(cols);
    const auto value = [&] { return static_cast<T>(random() % 1000) / T(300) - T(1.5); };
    for (std::size_t r = 0; r < kInner; ++r) {
      if (r % 11 == 10) continue;
      const std::size_t n = cols / 80 + r % 7;
      for (std::size_t k = 0; k < n; ++k) b[{r, random() % cols}] = value();
      b[{r, r % 2 == 0 ? 0 : cols - 1}] = value();
      if (r % 2 == 0) b[{r, cols - 1}] = value();
      if (r == 7)
        for (std::size_t c = 128; c < 192; ++c) b[{r, c}] = value();
    }
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t k = 0; k < 4 + r % 25; ++k) a[{r, r % 6 == 0 && k == 3 ? 7 : random() % kInner}] = value();
    expect_product<T, I>(testing::csr_of<T, I>(a, kRows, kInner), testing::csr_of<T, I>(b, kInner, cols),
                         std::to_string(cols) + " columns");
  }
}

TYPED_TEST(SpgemmTest, RowsWithEqualColumnsGoTogether) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const std::size_t cols : {std::size_t{300}, std::size_t{20'000}, std::size_t{400'000}}) {
    reference::SparseMap<T> map;
    for (std::size_t k = 0; k < 10'000; ++k)
      map[{k * 7919 % 500, k * 104'729 % cols}] = static_cast<T>(0.1 * static_cast<double>(k % 29) - 1.3);
    const auto b = testing::csr_of<T, I>(map, 500, cols);
    for (const auto& p : testing::patterns<T, I>())
      if (p.name == "rows with equal columns")
        expect_product(testing::csr_of(p), b, p.name + " times " + std::to_string(cols) + " columns");
  }
}

// The room for the result is taken from a sample of the rows, which knows nothing of the long ones here.
TYPED_TEST(SpgemmTest, ResultsMayBeLargerThanASampleSays) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  reference::SparseMap<T> a, b;
  for (std::size_t r = 0; r < 2'100; ++r)
    for (std::size_t k = 0; k < 20; ++k) a[{r, r >= 1 && r <= 40 ? k : 20 + (r + k) % 30}] = static_cast<T>(0.1);
  for (std::size_t r = 0; r < 20; ++r)
    for (std::size_t k = 0; k < 100; ++k) b[{r, r * 100 + k}] = static_cast<T>(0.2);
  for (std::size_t r = 20; r < 50; ++r) b[{r, 5}] = static_cast<T>(0.3);
  expect_product(testing::csr_of<T, I>(a, 2'100, 50), testing::csr_of<T, I>(b, 50, 2'000), "long rows");
}

// At most one entry a row: diagonals, permutations, selections with rows left out and named twice.
TYPED_TEST(SpgemmTest, PicksRows) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const std::size_t rows : {1U, 63U, 500U, 20'000U}) {
    constexpr std::size_t kCols = 700;
    testing::Pattern<T, I> pick{"one a row", rows, kCols, {}, {}, {}}, b{"varied", kCols, 900, {}, {}, {}};
    for (std::size_t r = 0; r < rows; ++r) {
      if (r % 5 == 3) continue;
      pick.row_indices.push_back(static_cast<I>(r));
      pick.columns.push_back(static_cast<I>(r * 389 % kCols));
      pick.values.push_back(static_cast<T>(r % 17) / T(3) - T(2));
    }
    for (std::size_t r = 0; r < kCols; ++r)
      for (std::size_t k = 0; k < r % 11; ++k) {
        b.row_indices.push_back(static_cast<I>(r));
        b.columns.push_back(static_cast<I>((r * 31 + k * 97) % 900));
        b.values.push_back(static_cast<T>(k + r % 7) / T(7));
      }
    expect_product(testing::csr_of(pick), testing::csr_of(b), "rows " + std::to_string(rows));
  }
}

TEST(Spgemm, RefusesSizesThatDoNotFit) {
  EXPECT_THAT([] { (void)spgemm(Csr<float>(2, 3), Csr<float>(4, 2)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("a has 3 columns, but b has 4 rows")));
}

}  // namespace
}  // namespace pawl::sparse
