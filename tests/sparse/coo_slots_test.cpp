// coo_slots_test.cpp -- to_csr where keys of column and place are moved to the rows instead of triplets.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <vector>

#include "pawl/isa.hpp"
#include "sparse/patterns.hpp"

namespace pawl::sparse {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Types>
class CooSlotsTest : public ::testing::Test {};
using AllTypes =
    ::testing::Types<testing::SparseTypes<float, std::int32_t>, testing::SparseTypes<float, std::int64_t>,
                     testing::SparseTypes<double, std::int32_t>, testing::SparseTypes<double, std::int64_t>>;
TYPED_TEST_SUITE(CooSlotsTest, AllTypes);

// Every runnable variant, with each number of threads, makes of the triplets what the reference does.
template <class T, class I>
void expect_as_reference(std::size_t rows, std::size_t cols, const std::vector<I>& row_indices,
                         const std::vector<I>& columns, const std::vector<T>& values,
                         std::initializer_list<int> threads) {
  const auto want = reference::from_triplets<T>(row_indices, columns, values);
  for (const Isa isa : runnable_isas())
    for (const int count : threads) {
      SCOPED_TRACE(::testing::Message() << name(isa) << " threads " << count);
      const ScopedIsa scope(isa);
      const testing::ScopedThreads scoped_threads(count);
      const Csr<T, I> a = to_csr(Coo<T, I>{rows, cols, row_indices, columns, values});
      ASSERT_TRUE(testing::keeps_promises(a));
      ASSERT_TRUE(testing::same_entries(a, want));
    }
}

// The same for triplets at these places in an order by chance.
template <class T, class I>
void expect_shuffled_as_reference(std::size_t rows, std::size_t cols,
                                  const std::vector<std::array<std::size_t, 2>>& places,
                                  std::initializer_list<int> threads) {
  const std::size_t n = places.size();
  std::vector<I> row_indices, columns;
  std::vector<T> values;
  for (std::size_t k = 0; k < n; ++k) {
    const auto [row, column] = places[k * 104'729 % n];  // a prime: each once
    row_indices.push_back(static_cast<I>(row));
    columns.push_back(static_cast<I>(column));
    values.push_back(static_cast<T>(k % 23) / T(7) - T(1));
  }
  expect_as_reference<T, I>(rows, cols, row_indices, columns, values, threads);
}

// Rows of every length that has slots, and one more; columns that are all different, the same, two in turn, or equal in
// pairs, so that runs end everywhere in a vector. Rows that do not fill the last group, and a last column and triplet
// whose key has all bits set.
TYPED_TEST(CooSlotsTest, RowsInSlots) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  constexpr std::size_t kRows = 100, kCols = std::size_t{1} << 20;
  for (const std::size_t most :
       {1U, 3U, 4U, 6U, 8U, 10U, 12U, 16U, 17U, 20U, 24U, 31U, 32U, 33U, 47U, 48U, 49U, 63U, 64U, 65U})
    for (const int kind : {0, 1, 2, 3}) {
      std::vector<I> rows, columns;
      std::vector<T> values;
      for (std::size_t k = 0; k < most; ++k)
        for (std::size_t r = kRows; r-- > 0;) {
          if (k >= (r * 7 + 5) % (most + 1)) continue;
          const std::size_t at = kind == 0 ? k * 7919 % 1009 : kind == 1 ? 0 : kind == 2 ? k % 2 : k / 2;
          rows.push_back(static_cast<I>(r));
          columns.push_back(static_cast<I>(kCols - 1 - at));
          values.push_back(static_cast<T>((k * 13 + r) % 29) / T(3) - T(4));
        }
      const auto want = reference::from_triplets<T>(rows, columns, values);
      for (const Isa isa : runnable_isas()) {
        SCOPED_TRACE(::testing::Message() << "most=" << most << " kind " << kind << ' ' << name(isa));
        const ScopedIsa scope(isa);
        const Csr<T, I> a = to_csr(Coo<T, I>{kRows, kCols, rows, columns, values});
        ASSERT_TRUE(testing::keeps_promises(a));
        ASSERT_TRUE(testing::same_entries(a, want));
      }
    }
  constexpr std::size_t kEntries = 1024, kWide = std::size_t{1} << 22;
  std::vector<I> rows, columns;
  std::vector<T> values;
  for (std::size_t k = 0; k < kEntries; ++k) {
    rows.push_back(static_cast<I>((kEntries - 1 - k) % 64));
    columns.push_back(static_cast<I>(k + 2 < kEntries ? k * 104'729 % kWide : kWide - 1));
    values.push_back(static_cast<T>(k));
  }
  rows[kEntries - 2] = rows[kEntries - 1];
  const Csr<T, I> a = to_csr(Coo<T, I>{64, kWide, rows, columns, values});
  EXPECT_TRUE(testing::same_entries(a, reference::from_triplets<T>(rows, columns, values)));
}

// Groups of 16 rows, as they are sorted together, of which each has rows of another length than the ones before and
// after, some with repeated places: values of one group are fetched while another is sorted.
TYPED_TEST(CooSlotsTest, GroupsOfUnlikeRows) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  constexpr std::array<std::size_t, 14> kLengths = {30, 1, 64, 32, 0, 12, 48, 3, 9, 17, 5, 33, 24, 2};
  constexpr std::size_t kCols = 5000;
  for (const std::size_t size : {7U, 16U, 645U, 9605U})
    for (const std::size_t repeating : {1U, 3U, 1000U}) {  // every so many groups
      std::vector<std::array<std::size_t, 2>> places;
      for (std::size_t r = 0; r < size; ++r) {
        const std::size_t group = r / 16, n = kLengths[group % kLengths.size()];
        for (std::size_t k = 0; k < n; ++k) {
          const std::size_t at = group % repeating == repeating - 1 && k % 4 == 3 ? k - 2 : k;
          places.push_back({r, (at * 7919 + r * 31) % kCols});
        }
      }
      SCOPED_TRACE(::testing::Message() << size << ' ' << repeating);
      expect_shuffled_as_reference<T, I>(size, kCols, places, {1, 3});
    }
}

// Runs of triplets of one row, as elements of a mesh give them, which are counted and moved together: of every length
// up to some more than a vector, some rows in several runs, in one block and in several, in slots and in rows that are
// too long for them, with indices out of range in the midst of a run refused.
TYPED_TEST(CooSlotsTest, RunsOfOneRow) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  struct Shape {
    std::size_t rows, cols, runs, longest;
  };
  for (const Shape s : {Shape{50, 5000, 300, 5}, Shape{400, 5000, 2500, 9}, Shape{200, 5000, 1000, 40},
                        Shape{40'000, 60'000, 50'000, 8}, Shape{3000, 9000, 9000, 33}}) {
    std::vector<I> rows, columns;
    std::vector<T> values;
    for (std::size_t run = 0; run < s.runs; ++run) {
      const std::size_t row = run * 7919 % s.rows, n = 1 + run * 31 % s.longest;
      for (std::size_t k = 0; k < (run % 4 == 0 ? s.longest : n); ++k) {
        rows.push_back(static_cast<I>(row));
        columns.push_back(static_cast<I>((k * 104'729 + run % 3 * 17 + row) % s.cols));
        values.push_back(static_cast<T>((k + run) % 23) / T(7) - T(1));
      }
    }
    SCOPED_TRACE(::testing::Message() << s.rows << ' ' << s.longest);
    expect_as_reference<T, I>(s.rows, s.cols, rows, columns, values, {1, 3});
    const std::size_t at = rows.size() / 2;
    rows[at] = static_cast<I>(s.rows);
    EXPECT_THAT(([&] {
                  (void)to_csr(Coo<T, I>{s.rows, s.cols, rows, columns, values});
                }),
                ThrowsMessage<std::invalid_argument>(HasSubstr("triplet " + std::to_string(at) + " has row ")));
  }
}

// More than one block of rows, whose entries wait packed, or slots for all rows at once where there are few columns:
// short rows with repeated places, in some of the blocks one that has more entries than slots, and blocks without any.
TYPED_TEST(CooSlotsTest, PackedBlocks) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  constexpr std::size_t kRows = 40'000, kEntries = 140'000;
  struct Shape {
    std::size_t cols;
    bool with_long_rows;
  };
  for (const auto& [cols, with_long_rows] :
       {Shape{kRows, false}, Shape{kRows, true}, Shape{9000, false}, Shape{9000, true}}) {
    std::vector<I> rows, columns;
    std::vector<T> values;
    for (std::size_t k = 0; k < kEntries; ++k) {
      const std::size_t at = k % 5 == 4 ? k - 3 : k;
      rows.push_back(static_cast<I>(with_long_rows && k % 100 == 7 ? k % 7 * 5000 : at * 7919 % (kRows - 9000)));
      columns.push_back(static_cast<I>((at * 31 + at / 7) % cols));
      values.push_back(static_cast<T>(k % 23) / T(7) - T(1));
    }
    SCOPED_TRACE(::testing::Message() << cols << ' ' << with_long_rows);
    expect_as_reference<T, I>(kRows, cols, rows, columns, values, {1, 3});
  }
}

// Few long rows among short ones, whose keys are sorted row by row: lengths about those of vectors, of what registers
// hold and of what is divided by its highest bits first, also where all of these are the same; a long or a short row at
// the end; in one block and in several, whose columns are many beside their entries or few.
TYPED_TEST(CooSlotsTest, LongRowsAmongShortOnes) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  constexpr std::array<std::size_t, 19> kLengths = {15,  16,  17,  31,  32,  33,  63,  64,   65,  127,
                                                    128, 129, 255, 256, 257, 300, 999, 5000, 4000};
  struct Shape {
    std::size_t size, cols;
  };
  for (const auto& [size, width] : {Shape{3000, 3000}, Shape{60'000, 60'000}, Shape{60'000, 1000}})
    for (const bool repeated : {false, true})
      for (const bool ends_long : {false, true}) {
        std::vector<std::array<std::size_t, 2>> places;
        const auto add_row = [&, all = width](std::size_t row, std::size_t n) {
          // The longest row has few columns, all of them low ones, and each some times.
          const std::size_t cols = n == 5000 ? 700 : all;
          for (std::size_t k = 0; k < n; ++k) {
            const std::size_t at = repeated && k % 4 == 3 ? k - 2 : k;
            places.push_back({row, (at * 7919 + row) % cols});
          }
        };
        for (std::size_t r = 0; r + 1 < size; ++r) {
          const std::size_t special = r / 150;
          add_row(r, r % 150 == 7 && special < kLengths.size() ? kLengths[special] : r * 5 % 7);
        }
        add_row(size - 1, ends_long ? 301 : 3);
        SCOPED_TRACE(::testing::Message() << size << ' ' << width << ' ' << repeated << ' ' << ends_long);
        expect_shuffled_as_reference<T, I>(size, width, places, {1});
      }
}

// Rows that are long throughout, few of whose columns or most come once: in one block and in several.
TYPED_TEST(CooSlotsTest, RowsThatAreLongThroughout) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const std::size_t size : {300U, 2500U})
    for (const std::size_t every : {3U, 1000U}) {  // every so many entries are there again
      constexpr std::size_t kCols = 4000;
      std::vector<std::array<std::size_t, 2>> places;
      for (std::size_t r = 0; r < size; ++r)
        for (std::size_t k = 0, n = r * 37 % 120; k < n; ++k)
          places.push_back({r, ((k % every == every - 1 ? k - 2 : k) * 7919 + r) % kCols});
      SCOPED_TRACE(::testing::Message() << size << ' ' << every);
      expect_shuffled_as_reference<T, I>(size, kCols, places, {1, 3});
    }
}

// Many rows of every class that keys are sorted in, empty ones among them and at both ends, and one that is too long
// for the places of a group: with columns so few that all entries are sorted at once, and so many that some rows are at
// a time.
TYPED_TEST(CooSlotsTest, RowsOfAllLengths) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  constexpr std::size_t kRows = 4000;
  for (const std::size_t cols : {std::size_t{3000}, std::size_t{1'000'000}})
    for (const bool repeated : {false, true}) {
      std::vector<std::array<std::size_t, 2>> places;
      for (std::size_t r = 2; r + 2 < kRows; ++r) {
        const std::size_t n = r == 1234 && cols > 5000 ? 5000 : r % 16 == 0 ? r / 16 * 37 % 300 : r % 9;
        for (std::size_t k = 0; k < n; ++k) {
          const std::size_t at = repeated && k % 4 == 3 ? k - 2 : k;
          places.push_back({r, (at * 7919 + r) % cols});
        }
      }
      SCOPED_TRACE(::testing::Message() << cols << ' ' << repeated);
      expect_shuffled_as_reference<T, I>(kRows, cols, places, {1});
    }
}

// Rows in order, as matrices are put together row by row, whose columns are in none: at once, and in blocks where
// places and columns are too many for one key. Rows of more entries than there are slots, here and there and
// throughout; what begins in order, or as CSR, and does not go on so.
TYPED_TEST(CooSlotsTest, RowsInOrder) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  struct Shape {
    std::size_t rows, cols, most, long_each;  // of so many rows one has 70 entries
    bool sorts_columns, breaks;
  };
  for (const Shape s :
       {Shape{40, 60, 9, 0, false, false}, Shape{500, 300, 20, 0, false, false}, Shape{500, 300, 20, 150, false, false},
        Shape{500, 3000, 20, 7, false, false}, Shape{500, 300, 20, 0, true, false}, Shape{500, 300, 20, 0, false, true},
        Shape{500, 300, 20, 0, true, true}, Shape{2500, 400'000, 20, 0, false, false},
        Shape{2500, 400'000, 20, 700, false, false}, Shape{2500, 400'000, 6, 9, false, false},
        Shape{2500, 400'000, 20, 0, false, true}}) {
    std::vector<I> rows, columns;
    std::vector<T> values;
    for (std::size_t r = 0; r < s.rows; ++r) {
      const bool is_long = s.long_each != 0 && r % s.long_each == s.long_each / 2;
      const std::size_t length = is_long ? 70 : 1 + r * 7919 % s.most;
      std::vector<std::size_t> chosen;
      for (std::size_t k = 0; k < length; ++k)  // some more than once
        chosen.push_back((r * 31 + (k % 11 == 10 ? k - 3 : k) * 104'729) % s.cols);
      if (s.sorts_columns) {
        std::sort(chosen.begin(), chosen.end());
        chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
      }
      for (const std::size_t column : chosen) {
        rows.push_back(static_cast<I>(r));
        columns.push_back(static_cast<I>(column));
        values.push_back(static_cast<T>(values.size() % 23) / T(7) - T(1));
      }
    }
    if (s.breaks) std::swap(rows[rows.size() - 3], rows[rows.size() / 2]);
    SCOPED_TRACE(::testing::Message() << s.rows << " x " << s.cols << ", " << rows.size() << " triplets, long each "
                                      << s.long_each);
    expect_as_reference<T, I>(s.rows, s.cols, rows, columns, values, {1, 3});
  }
}

TYPED_TEST(CooSlotsTest, NamesTheTripletOutOfRangeBesideSlots) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const std::size_t n : {5U, 40U, 3000U, 140'000U})
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1})
      for (const bool is_row : {true, false})
        for (const I wrong : {I(-1), I(60'000), std::numeric_limits<I>::max(), std::numeric_limits<I>::min()}) {
          std::vector<I> rows(n), columns(n);
          for (std::size_t k = 0; k < n; ++k) rows[k] = columns[k] = static_cast<I>((n - k) * 7919 % 60'000);
          const std::vector<T> values(n, T(1));
          (is_row ? rows : columns)[at] = wrong;
          for (const Isa isa : runnable_isas()) {
            SCOPED_TRACE(name(isa));
            const ScopedIsa scope(isa);
            EXPECT_THAT(([&] {
                          (void)to_csr(Coo<T, I>{60'000, 60'000, rows, columns, values});
                        }),
                        ThrowsMessage<std::invalid_argument>(
                            HasSubstr("triplet " + std::to_string(at) + " has " + (is_row ? "row " : "column "))));
          }
        }
}

}  // namespace
}  // namespace pawl::sparse
