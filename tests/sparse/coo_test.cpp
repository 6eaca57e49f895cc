// coo_test.cpp -- to_csr gives the matrix of the triplets, whatever their order, number and the threads.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "pawl/isa.hpp"
#include "sparse/patterns.hpp"

namespace pawl::sparse {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Types>
class CooTest : public ::testing::Test {};
using AllTypes =
    ::testing::Types<testing::SparseTypes<float, std::int32_t>, testing::SparseTypes<float, std::int64_t>,
                     testing::SparseTypes<double, std::int32_t>, testing::SparseTypes<double, std::int64_t>>;
TYPED_TEST_SUITE(CooTest, AllTypes);

TYPED_TEST(CooTest, GivesTheMatrixOfTheTriplets) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  auto all = testing::patterns<T, I>();
  for (const auto& p : testing::columns_about_2_27<T, I>()) all.push_back(p);
  for (const auto& p : all) {
    const auto want = p.map();
    for (Isa isa : runnable_isas())
      for (int threads : {1, 3}) {
        SCOPED_TRACE(::testing::Message()
                     << p.name << ' ' << p.rows << " x " << p.cols << ' ' << name(isa) << " threads=" << threads);
        const ScopedIsa scope(isa);
        const testing::ScopedThreads scoped_threads(threads);
        const Csr<T, I> got = to_csr(p.coo());
        ASSERT_EQ(got.rows(), p.rows);
        ASSERT_EQ(got.cols(), p.cols);
        ASSERT_TRUE(testing::keeps_promises(got));
        ASSERT_TRUE(testing::same_entries(got, want));
      }
  }
}

// Floating-point sums tell the order: 1 + big - big is 0 or 1.
TYPED_TEST(CooTest, AddsDuplicatesInTheOrderOfTheirAppearance) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  const T big = T(1) / std::numeric_limits<T>::epsilon() * 4;
  for (std::size_t others : {0U, 10U, 30U, 100U, 70'000U}) {
    std::vector<I> rows, columns;
    std::vector<T> values;
    const auto add = [&](std::size_t row, std::size_t column, T value) {
      rows.push_back(static_cast<I>(row));
      columns.push_back(static_cast<I>(column));
      values.push_back(value);
    };
    for (std::size_t k = 0; k < others; ++k) add(k * 7 % 90, 10 + k % 500, T(1));
    for (T value : {T(1), big, -big}) add(80, 3, value);  // 0: the 1 is lost
    for (T value : {big, -big, T(1)}) add(20, 4, value);  // 1
    const Csr<T, I> a = to_csr(Coo<T, I>{90, 600, rows, columns, values});
    const auto map = testing::map_of(a);
    EXPECT_EQ(map.at({80, 3}), T(0)) << others;
    EXPECT_EQ(map.at({20, 4}), T(1)) << others;
  }
}

// Rows of every length that is sorted in registers, some with duplicates, others beside them without, so that either
// row of a pair has some. Sums of thirds tell the order in which they were added.
TYPED_TEST(CooTest, ShortRowsWithDuplicates) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  constexpr std::size_t kRows = 400, kCols = 640;  // fewer are added up in a tile
  for (const std::size_t most : {2U, 4U, 8U, 16U, 33U}) {
    std::vector<I> rows, columns;
    std::vector<T> values;
    for (std::size_t k = 0; k < most; ++k)
      for (std::size_t r = 0; r < kRows; ++r) {
        if (k >= r * 7 % (most + 1)) continue;
        rows.push_back(static_cast<I>(r));
        columns.push_back(static_cast<I>(r % 3 == 0 ? (k * 5 + r) % 4 : (k * 37 + r) % kCols));
        values.push_back(static_cast<T>(k + r) / T(3) - T(40));
      }
    const auto want = reference::from_triplets<T>(rows, columns, values);
    for (const Isa isa : runnable_isas()) {
      SCOPED_TRACE(::testing::Message() << "most=" << most << ' ' << name(isa));
      const ScopedIsa scope(isa);
      const Csr<T, I> a = to_csr(Coo<T, I>{kRows, kCols, rows, columns, values});
      ASSERT_TRUE(testing::keeps_promises(a));
      ASSERT_TRUE(testing::same_entries(a, want));
    }
  }
}

// Few columns, whose rows are added up in a dense tile: one for all rows, and blocks with one each; widths about those
// of vectors and of words of bits, the last of which is nearly empty; zeros of either sign and NaN are entries, sums of
// thirds tell the order, and the last rows end where the arrays do.
TYPED_TEST(CooTest, FewColumns) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  struct Shape {
    std::size_t rows, cols, entries, empty_rows;
  };
  for (const Shape s : {Shape{1, 1, 1, 0}, Shape{1, 1, 5, 0}, Shape{7, 3, 4, 3}, Shape{300, 2, 900, 5},
                        Shape{300, 8, 700, 2}, Shape{200, 9, 400, 0}, Shape{500, 16, 6000, 7}, Shape{90, 17, 500, 0},
                        Shape{100, 32, 200, 40}, Shape{100, 33, 700, 3}, Shape{60, 64, 900, 0}, Shape{60, 65, 900, 1},
                        Shape{20, 128, 2000, 0}, Shape{40'000, 8, 60'000, 9}, Shape{30'000, 3, 30'000, 0},
                        Shape{6000, 40, 50'000, 4}, Shape{3000, 100, 70'000, 0}}) {
    for (const bool ascending : {false, true}) {
      std::vector<std::array<std::size_t, 2>> places(s.entries);
      for (std::size_t k = 0; k < s.entries; ++k) {
        const std::size_t at = k % 3 == 2 ? k - 2 : k;  // one in three is there again
        places[k] = {at * 7919 % (s.rows - s.empty_rows), (at * 31 + at / 7) % s.cols};
      }
      if (ascending) std::ranges::stable_sort(places, {}, [](const auto& place) { return place[0]; });
      std::vector<I> rows, columns;
      std::vector<T> values;
      for (const auto& [row, column] : places) {
        const std::size_t k = values.size();
        rows.push_back(static_cast<I>(row));
        columns.push_back(static_cast<I>(column));
        values.push_back(k % 19 == 0   ? T(-0.0)
                         : k % 19 == 9 ? T(0)
                         : k % 97 == 5 ? std::numeric_limits<T>::quiet_NaN()
                                       : static_cast<T>(k % 23) / T(3) - T(4));
      }
      const auto want = reference::from_triplets<T>(rows, columns, values);
      for (const Isa isa : runnable_isas())
        for (const int threads : {1, 3}) {
          SCOPED_TRACE(::testing::Message() << s.rows << " x " << s.cols << ", " << s.entries << ", ascending "
                                            << ascending << ' ' << name(isa) << " threads " << threads);
          const ScopedIsa scope(isa);
          const testing::ScopedThreads scoped_threads(threads);
          const Csr<T, I> a = to_csr(Coo<T, I>{s.rows, s.cols, rows, columns, values});
          ASSERT_TRUE(testing::keeps_promises(a));
          ASSERT_TRUE(testing::same_entries(a, want));
        }
    }
  }
}

// Elements of a mesh in their order, each naming all pairs of its nodes: local, most places named several times, and at
// the larger sizes more than one block and what is asked for ahead. `nodes` in a row of a grid `width` wide.
TYPED_TEST(CooTest, AddsUpTheElementsOfMeshes) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  struct Mesh {
    std::size_t width, height, nodes;
    bool shuffled;
  };
  for (const Mesh mesh : {Mesh{12, 9, 2, false}, Mesh{40, 30, 4, false}, Mesh{20, 15, 8, false},
                          Mesh{120, 100, 4, true}, Mesh{40, 30, 8, true}, Mesh{160, 90, 8, false}}) {
    std::vector<I> rows, columns;
    std::vector<T> values;
    const std::size_t across = mesh.width + mesh.nodes / 2, size = across * (mesh.height + 1);
    const std::size_t elements = mesh.width * mesh.height;
    for (std::size_t e = 0; e < elements; ++e) {
      const std::size_t at = mesh.shuffled ? e * 7919 % elements : e;
      const auto node = [&](std::size_t i) {
        return at / mesh.width * across + at % mesh.width + i % (mesh.nodes / 2) + i / (mesh.nodes / 2) * across;
      };
      for (std::size_t i = 0; i < mesh.nodes; ++i)
        for (std::size_t j = 0; j < mesh.nodes; ++j) {
          rows.push_back(static_cast<I>(node(i)));
          columns.push_back(static_cast<I>(node(j)));
          values.push_back(static_cast<T>((e + 3 * i + 5 * j) % 17) / T(7) - T(1));
        }
    }
    const auto want = reference::from_triplets<T>(rows, columns, values);
    for (const Isa isa : runnable_isas())
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(::testing::Message() << mesh.width << " x " << mesh.height << ", " << mesh.nodes << " nodes, "
                                          << name(isa) << " threads " << threads);
        const ScopedIsa scope(isa);
        const testing::ScopedThreads scoped_threads(threads);
        const Csr<T, I> a = to_csr(Coo<T, I>{size, size, rows, columns, values});
        ASSERT_TRUE(testing::keeps_promises(a));
        ASSERT_TRUE(testing::same_entries(a, want));
      }
  }
}

// By columns, with and without repeated places; long rows in any order; few entries in very many rows.
TYPED_TEST(CooTest, TakesTheOrderAndLengthOfRowsIntoAccount) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  struct Shape {
    std::size_t rows, cols, entries, step;
    bool by_columns;
  };
  for (const Shape s :
       {Shape{500, 300, 4000, 7919, true}, Shape{500, 300, 4000, 7919, false}, Shape{30, 9000, 9000, 104'729, false},
        Shape{30, 9000, 9000, 104'729, true}, Shape{3000, 5000, 150'000, 104'729, false},
        Shape{40, 100, 3000, 31, false}, Shape{100'000, 50, 900, 7919, false}, Shape{100'000, 50, 900, 7919, true}}) {
    std::vector<std::array<std::size_t, 2>> places(s.entries);
    for (std::size_t k = 0; k < s.entries; ++k) {
      const std::size_t at = k % 5 == 4 ? k - 3 : k;  // one in five is there again
      places[k] = {at * s.step % s.rows, (at * 31 + at / 7) % s.cols};
    }
    if (s.by_columns) std::ranges::stable_sort(places, {}, [](const auto& place) { return place[1]; });
    std::vector<I> rows, columns;
    std::vector<T> values;
    for (const auto& [row, column] : places) {
      rows.push_back(static_cast<I>(row));
      columns.push_back(static_cast<I>(column));
      values.push_back(static_cast<T>(values.size() % 23) / T(7) - T(1));
    }
    const auto want = reference::from_triplets<T>(rows, columns, values);
    for (const Isa isa : runnable_isas())
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(::testing::Message() << s.rows << " x " << s.cols << ", " << s.entries << ", by columns "
                                          << s.by_columns << ' ' << name(isa) << " threads " << threads);
        const ScopedIsa scope(isa);
        const testing::ScopedThreads scoped_threads(threads);
        const Csr<T, I> a = to_csr(Coo<T, I>{s.rows, s.cols, rows, columns, values});
        ASSERT_TRUE(testing::keeps_promises(a));
        ASSERT_TRUE(testing::same_entries(a, want));
      }
  }
}

TYPED_TEST(CooTest, NamesTheTripletOutOfRange) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (std::size_t n : {5U, 60'000U})
    for (std::size_t at : {std::size_t{0}, n / 2, n - 1})
      for (const bool is_row : {true, false})
        for (const I wrong : {I(-1), I(7), std::numeric_limits<I>::max(), std::numeric_limits<I>::min()}) {
          std::vector<I> rows(n, 3), columns(n, 2);
          std::vector<T> values(n, T(1));
          (is_row ? rows : columns)[at] = wrong;
          EXPECT_THAT(([&] {
                        (void)to_csr(Coo<T, I>{7, 7, rows, columns, values});
                      }),
                      ThrowsMessage<std::invalid_argument>(HasSubstr(
                          "triplet " + std::to_string(at) + " has " + (is_row ? "row " : "column ") +
                          std::to_string(wrong) + ", but the matrix has 7 " + (is_row ? "rows" : "columns"))));
        }
}

TEST(Coo, RefusesWhatDoesNotFit) {
  const std::vector<std::int32_t> two = {0, 1}, three = {0, 1, 1};
  const std::vector<float> values = {1, 2, 3};
  using Coo32 = Coo<float, std::int32_t>;
  EXPECT_THAT(
      [&] {
        (void)to_csr(Coo32{2, 2, two, three, values});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("row_indices has 2 elements, not 3")));
  EXPECT_THAT(
      [&] {
        (void)to_csr(Coo32{2, 2, three, two, values});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("columns has 2 elements, not 3")));
  const std::size_t big = std::size_t{1} << 31;
  EXPECT_THAT(
      [&] {
        (void)to_csr(Coo32{big, 2, {}, {}, {}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("rows is 2147483648, more than 32-bit")));
  EXPECT_THAT(
      [&] {
        (void)to_csr(Coo32{2, big, {}, {}, {}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("columns is 2147483648, more than 32-bit")));
  // No access: the length alone is refused, so the arrays need not exist.
  const float one = 1;
  const std::int32_t zero = 0;
  EXPECT_THAT(([&] {
                (void)to_csr(Coo32{1, 1, {&zero, big}, {&zero, big}, {&one, big}});
              }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("triplets is 2147483648, more than 32-bit")));
  EXPECT_THAT(
      [&] {
        (void)to_csr(Coo32{0, 4, three, three, values});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("triplet 0 has row 0, but the matrix has 0 rows")));
}

}  // namespace
}  // namespace pawl::sparse
