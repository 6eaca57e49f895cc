// spmv_test.cpp -- every variant of the products of sparse matrices with vectors keeps the documented bound.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "isa/branch_memory.hpp"
#include "kernels/guarded_array.hpp"
#include "kernels/sparse/products.hpp"
#include "pawl/isa.hpp"
#include "pawl/sparse/spmv_plan.hpp"
#include "sparse/active_ops.hpp"
#include "sparse/patterns.hpp"

namespace pawl::sparse {
namespace {

using testing::GuardedArray;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Types>
class SpmvTest : public ::testing::Test {};
using AllTypes =
    ::testing::Types<testing::SparseTypes<float, std::int32_t>, testing::SparseTypes<float, std::int64_t>,
                     testing::SparseTypes<double, std::int32_t>, testing::SparseTypes<double, std::int64_t>>;
TYPED_TEST_SUITE(SpmvTest, AllTypes);

TYPED_TEST(SpmvTest, RowsTimesVector) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  testing::check_products<T, I>(false, [](const auto& a, auto x, auto y) { spmv<T, I>(a, x, y); });
}

TYPED_TEST(SpmvTest, TransposedTimesVector) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  testing::check_products<T, I>(true, [](const auto& a, auto x, auto y) { spmv_transposed<T, I>(a, x, y); });
}

// What spmv_transposed() tells the kernel of a matrix without likeness of rows.
struct TransposedWay {
  bool rewritten = false, ahead = false, unlike = false;
};
template <class T, class I>
void check_transposed(TransposedWay way) {
  testing::check_products<T, I>(true, [=](const auto& a, auto x, auto y) {
    std::fill(y.begin(), y.end(), T(0));
    sparse_ops<T, I>().csr_transposed(a.row_start().data(), a.columns().data(), a.values().data(), x.data(), y.data(),
                                      0, a.rows(), RowLikeness::none, way.rewritten, way.ahead, way.unlike);
  });
}

// What large matrices with rows of unlike lengths take. (AddressSanitizer sees a column read behind the last.)
TYPED_TEST(SpmvTest, TransposedTimesVectorAskingAhead) {
  check_transposed<typename TypeParam::T, typename TypeParam::I>({.ahead = true});
}

// What matrices of few columns take: short rows one entry at a time, longer ones in pairs.
TYPED_TEST(SpmvTest, TransposedTimesVectorOneByOne) {
  check_transposed<typename TypeParam::T, typename TypeParam::I>({.rewritten = true});
}

// What many rows of unlike lengths take.
TYPED_TEST(SpmvTest, TransposedTimesVectorByFactors) {
  check_transposed<typename TypeParam::T, typename TypeParam::I>({.unlike = true});
}

// The last column of each row is the first of the next, wherever in a pair they fall, rows are longer than what their
// factor is written for at once, and all of it gives the bits of one row after another.
TYPED_TEST(SpmvTest, TransposedByFactorsIsTheSameToTheBit) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  constexpr std::size_t kRows = 300;
  std::vector<I> start = {0}, columns;
  std::vector<T> values;
  I column = 0;
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t k = 0; k < (r % 50 == 49 ? 30 + r : r * 7 % 5 + 1); ++k) {
      columns.push_back(column++);
      values.push_back(static_cast<T>(columns.size() * 13 % 37) / T(7) - T(2));
    }
    --column;
    start.push_back(static_cast<I>(columns.size()));
  }
  const auto cols = static_cast<std::size_t>(column) + 1;
  std::vector<T> x(kRows);
  for (std::size_t r = 0; r < kRows; ++r) x[r] = static_cast<T>(r * 11 % 17) / T(3) - T(1);
  for (const Isa isa : runnable_isas()) {
    SCOPED_TRACE(name(isa));
    const ScopedIsa scope(isa);
    std::vector<T> want(cols, T(0)), got = want;
    for (const bool unlike : {false, true})
      sparse_ops<T, I>().csr_transposed(start.data(), columns.data(), values.data(), x.data(),
                                        (unlike ? got : want).data(), 0, kRows, RowLikeness::none, !unlike, false,
                                        unlike);
    EXPECT_EQ(got, want);
  }
}

TYPED_TEST(SpmvTest, PlanTimesVector) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  testing::check_products<T, I>(false, [](const auto& a, auto x, auto y) { SpmvPlan<T, I>(a).multiply(x, y); });
}

TEST(SpmvPlan, TakesDiagonalsForBandsOnly) {
  std::size_t diagonals = 0;
  for (const auto& p : testing::patterns<double, std::int32_t>()) {
    const auto a = testing::csr_of(p);
    const SpmvPlan<double> plan(a);
    if (p.name == "wide band") {
      EXPECT_EQ(plan.format(), SpmvFormat::diagonals);
      EXPECT_LT(plan.bytes(), a.nonzeros() * 12);
    }
    if (p.name == "large, uniform") {
      EXPECT_NE(plan.format(), SpmvFormat::diagonals);
    }
    diagonals += plan.format() == SpmvFormat::diagonals;
  }
  EXPECT_GE(diagonals, 1u);
}

// Lanes that a slot leaves empty must not carry x's infinity, nor read x outside its bounds.
TEST(SpmvPlan, KeepsInfinitiesWhereTheyBelong) {
  std::vector<std::int32_t> start = {0}, columns;
  for (std::int32_t r = 0; r < 40; ++r) {
    for (std::int32_t c : {r - 1, r, r + 2})
      if (c >= 0 && c < 40 && !(r == 20 && c == 20)) columns.push_back(c);
    start.push_back(static_cast<std::int32_t>(columns.size()));
  }
  const std::vector<double> values(columns.size(), 2.0);
  const Csr<double> a(40, 40, start, columns, values);
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    const SpmvPlan<double> plan(a);
    ASSERT_EQ(plan.format(), SpmvFormat::diagonals);
    GuardedArray<double> x(40), y(40);
    x.fill(1);
    x[20] = std::numeric_limits<double>::infinity();
    plan.multiply({x.data(), 40}, {y.data(), 40});
    for (std::size_t r = 0; r < 40; ++r) EXPECT_EQ(std::isinf(y[r]), r == 18 || r == 21) << name(isa) << ' ' << r;
  }
}

TYPED_TEST(SpmvTest, FullBlocksAreTakenAsBlocks) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const bool complete : {true, false}) {
    std::vector<I> start = {0}, columns;
    std::vector<T> values;
    for (std::size_t r = 0; r < 20'000; ++r) {
      for (std::size_t b : {r / 4 * 7919 % 2500, 2500 + r / 4 * 104729 % 2499})
        for (std::size_t i = 0; i < 4; ++i) {
          if (!complete && r == 12'345 && i == 2) continue;
          columns.push_back(static_cast<I>(4 * b + i));
          values.push_back(static_cast<T>(static_cast<double>((r + i) * 31 % 201) / 100 - 1));
        }
      start.push_back(static_cast<I>(columns.size()));
    }
    const Csr<T, I> a(20'000, 19'996, start, columns, values);
    std::vector<T> x(a.cols()), want(a.rows()), got(a.rows());
    for (std::size_t c = 0; c < x.size(); ++c) x[c] = static_cast<T>(c % 16);
    const SpmvPlan<T, I> plan(a);
    EXPECT_EQ(plan.format(), complete ? SpmvFormat::blocks : SpmvFormat::csr);
    EXPECT_EQ(plan.bytes() > a.nonzeros() * sizeof(T), complete);
    for (Isa isa : runnable_isas())
      for (int threads : {1, 3}) {
        const ScopedIsa scope(isa);
        const testing::ScopedThreads scoped_threads(threads);
        plan.multiply(x, got);
        spmv<T, I>(a, x, want);
        for (std::size_t r = 0; r < a.rows(); ++r) ASSERT_NEAR(got[r], want[r], 1e-4) << name(isa) << ' ' << r;
      }
  }
}

// Rows of differing lengths become slices where that pays: large matrices of f64 without very long rows, and by AVX-512
// on CPUs that forget branches those of f32 and smaller ones.
template <class T, class I>
void expect_slices(std::size_t rows, bool forgets) {
  pawl::detail::forgets_branches = forgets;
  const std::size_t kRows = rows, kCols = 50'000;
  for (const bool long_rows : {false, true}) {
    std::vector<I> start = {0}, columns;
    std::vector<T> values;
    for (std::size_t r = 0; r < kRows; ++r) {
      const bool is_long = long_rows && r % 256 == 0;  // one in each window: its slice has seven empty lanes
      for (std::size_t k = 0, n = is_long ? 1'000 : 1 + r * 7919 % 20; k < n; ++k) {
        columns.push_back(static_cast<I>(r * 31 % 48 + (is_long ? 48 : 480) * k));
        values.push_back(static_cast<T>(static_cast<double>((r + k) * 31 % 201) / 100 - 1));
      }
      start.push_back(static_cast<I>(columns.size()));
    }
    const Csr<T, I> a(kRows, kCols, start, columns, values);
    std::vector<T> x(kCols), want(kRows), got(kRows);
    for (std::size_t c = 0; c < kCols; ++c) x[c] = static_cast<T>(c % 16);
    const SpmvPlan<T, I> plan(a);
    const bool by_lengths = forgets && active_isa() == Isa::avx512, large = sizeof(T) == 8 && rows > 50'000;
    const bool sliced = (by_lengths || large) && !long_rows;
    EXPECT_EQ(plan.format(), sliced ? SpmvFormat::slices : SpmvFormat::csr);
    EXPECT_EQ(plan.bytes() > a.nonzeros() * sizeof(T), sliced);
    for (int threads : {1, 3}) {
      const testing::ScopedThreads scoped_threads(threads);
      plan.multiply(x, got);
      spmv<T, I>(a, x, want);
      for (std::size_t r = 0; r < kRows; ++r) ASSERT_NEAR(got[r], want[r], 1e-3) << r;
    }
  }
}

TYPED_TEST(SpmvTest, RowsOfDifferingLengthsAreTakenAsSlices) {
  const bool before = pawl::detail::forgets_branches;
  for (const bool forgets : {false, true})
    for (const std::size_t rows : {60'003U, 2'503U})
      expect_slices<typename TypeParam::T, typename TypeParam::I>(rows, forgets);
  pawl::detail::forgets_branches = before;
}

// Rows of one length: slices where they are short, by AVX-512 on CPUs that forget branches; not those that are long.
TYPED_TEST(SpmvTest, ShortRowsOfOneLengthAreTakenAsSlices) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  const bool before = pawl::detail::forgets_branches;
  constexpr std::size_t kRows = 1'000;
  for (const bool forgets : {false, true})
    for (const std::size_t each : {3U, 12U}) {
      pawl::detail::forgets_branches = forgets;
      std::vector<I> start = {0}, columns;
      for (std::size_t r = 0; r < kRows; ++r) {
        for (std::size_t k = 0; k < each; ++k) columns.push_back(static_cast<I>(r * 37 % 71 + 72 * k));
        start.push_back(static_cast<I>(columns.size()));
      }
      const Csr<T, I> a(kRows, kRows, start, columns, std::vector<T>(columns.size(), T(1)));
      const SpmvPlan<T, I> plan(a);
      const bool sliced = forgets && active_isa() == Isa::avx512 && each == 3;
      EXPECT_EQ(plan.format(), sliced ? SpmvFormat::slices : SpmvFormat::csr) << each;
      std::vector<T> x(kRows, T(2)), y(kRows);
      plan.multiply(x, y);
      for (const T value : y) ASSERT_EQ(value, static_cast<T>(2 * each));
    }
  pawl::detail::forgets_branches = before;
}

// Rows that several threads share: the same bits as by one thread, and as wide a bound as any row's.
TYPED_TEST(SpmvTest, LongRowsAreShared) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  constexpr std::size_t kRows = 700, kCols = 70'000;
  for (const auto& [long_rows, band] : {std::pair<std::vector<std::size_t>, bool>{{0}, false},
                                        {{300}, false},
                                        {{300}, true},
                                        {{128, 129}, false},
                                        {{128, 131}, true},
                                        {{kRows - 1}, false},
                                        {{3, 200, 255, 256}, false}}) {
    std::vector<I> start = {0}, columns;
    std::vector<T> values;
    for (std::size_t r = 0; r < kRows; ++r) {
      const bool is_long = std::find(long_rows.begin(), long_rows.end(), r) != long_rows.end();
      const bool in_band = band && !is_long;  // ten columns, one after the other
      for (std::size_t c = in_band ? r : r % 5; c < (in_band ? r + 10 : kCols);
           c += is_long ? 1 + r % 2 : (in_band ? 1 : 10'000 + 997 * (r % 7))) {
        columns.push_back(static_cast<I>(c));
        values.push_back(static_cast<T>(static_cast<double>(c * 31 % 201) / 100 - 1));
      }
      start.push_back(static_cast<I>(columns.size()));
    }
    const Csr<T, I> a(kRows, kCols, start, columns, values);
    std::vector<T> x(kCols), want(kRows), got(kRows);
    for (std::size_t c = 0; c < kCols; ++c) x[c] = static_cast<T>(1 + static_cast<double>(c % 17) / 16);
    for (Isa isa : runnable_isas()) {
      const ScopedIsa scope(isa);
      {
        const testing::ScopedThreads one(1);
        spmv<T, I>(a, x, want);
      }
      for (std::size_t r = 0; r < kRows; ++r) {
        reference::RowSum sum;
        for (auto k = static_cast<std::size_t>(start[r]); k < static_cast<std::size_t>(start[r + 1]); ++k) {
          const long double product = static_cast<long double>(values[k]) * x[static_cast<std::size_t>(columns[k])];
          sum.sum += product;
          sum.magnitude += std::fabs(product);
          ++sum.entries;
        }
        testing::expect_within_bound(want[r], sum, r);
      }
      for (int threads : {2, 4}) {
        const testing::ScopedThreads several(threads);
        std::fill(got.begin(), got.end(), T(-1));
        spmv<T, I>(a, x, got);
        ASSERT_EQ(got, want) << name(isa) << " threads=" << threads << " long row " << long_rows.front();
      }
    }
  }
}

TYPED_TEST(SpmvTest, MatrixTimesDenseMatrix) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const auto& p : testing::patterns<T, I>()) {
    const auto a = testing::csr_of(p);
    const bool large = a.nonzeros() > 3'000;
    const std::vector<std::size_t> widths =
        large ? std::vector<std::size_t>{5, 40}
              : std::vector<std::size_t>{1, 2, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 150};
    // The widest factor, whose first columns the others have: each column's sums are asked for once.
    const std::size_t widest = widths.back();
    GuardedArray<T> factor(p.cols * widest);
    factor.fill(widest);
    const auto entries = p.map();
    std::map<std::size_t, std::vector<reference::RowSum>> want;
    const auto sums_of = [&](std::size_t j) -> const std::vector<reference::RowSum>& {
      auto& sums = want[j];
      if (sums.empty()) {
        std::vector<T> x(p.cols);
        for (std::size_t r = 0; r < p.cols; ++r) x[r] = factor[r * widest + j];
        sums = reference::spmv(entries, p.rows, x);
      }
      return sums;
    };
    // The last result found within its bound, of which most widths and variants have the same: the bound is in long
    // double, which an emulated CPU takes a microsecond for.
    std::vector<T> good(widest * p.rows, std::numeric_limits<T>::quiet_NaN());
    for (std::size_t width : widths)
      for (Order order : {Order::by_rows, Order::by_columns}) {
        const bool by_rows = order == Order::by_rows;
        const auto place = [&](std::size_t r, std::size_t c, std::size_t stride) {
          return by_rows ? r * stride + c : c * stride + r;
        };
        const std::size_t b_stride = (by_rows ? width : p.cols) + 3, c_stride = (by_rows ? width : p.rows) + 1;
        // Without the padding after the last run, which need not be there.
        const auto length = [&](std::size_t rows, std::size_t stride) {
          const std::size_t outer = by_rows ? rows : width, inner = by_rows ? width : rows;
          return outer == 0 || inner == 0 ? 0 : (outer - 1) * stride + inner;
        };
        GuardedArray<T> b(length(p.cols, b_stride), 1);  // NaN in the padding
        for (std::size_t r = 0; r < p.cols; ++r)
          for (std::size_t j = 0; j < width; ++j) b[place(r, j, b_stride)] = factor[r * widest + j];
        for (Isa isa : runnable_isas())
          for (int threads : {1, 3}) {
            if (large && isa != runnable_isas().back()) continue;
            SCOPED_TRACE(::testing::Message()
                         << p.name << ' ' << p.rows << " x " << p.cols << ' ' << name(isa) << " threads=" << threads
                         << " width=" << width << " by_rows=" << by_rows);
            const ScopedIsa scope(isa);
            const testing::ScopedThreads scoped_threads(threads);
            GuardedArray<T> c(length(p.rows, c_stride), 1);
            spmm<T, I>(a, {b.data(), b.size()}, b_stride, {c.data(), c.size()}, c_stride, width, order);
            ASSERT_TRUE(c.untouched());
            for (std::size_t j = 0; j < width; j += large ? 7 : 1) {  // 7: at least one of each vector
              const auto& sums = sums_of(j);
              for (std::size_t r = 0; r < p.rows; ++r) {
                const T got = c[place(r, j, c_stride)];
                if (got == good[j * p.rows + r]) continue;
                testing::expect_within_bound(got, sums[r], r);
                if (::testing::Test::HasFatalFailure()) return;
                good[j * p.rows + r] = got;
              }
            }
          }
      }
  }
}

// Small integers, exact in any order: few columns and few entries, with and without gaps between rows and columns.
TYPED_TEST(SpmvTest, MatrixTimesFewColumns) {
  using T = typename TypeParam::T;
  using I = typename TypeParam::I;
  for (const auto& [rows, cols] : {std::pair<std::size_t, std::size_t>{30, 500}, {500, 30}, {100, 100}}) {
    reference::SparseMap<T> map;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t k = 0; k < r % 6; ++k) map[{r, (r * 31 + k * 97) % cols}] = static_cast<T>((r + k) % 9) - T(4);
    const auto a = testing::csr_of<T, I>(map, rows, cols);
    for (const std::size_t width : {1u, 2u, 3u, 5u})
      for (const Order order : {Order::by_rows, Order::by_columns})
        for (const std::size_t gap : {0u, 3u}) {
          const bool by_rows = order == Order::by_rows;
          const auto place = [by_rows](std::size_t r, std::size_t c, std::size_t stride) {
            return by_rows ? r * stride + c : c * stride + r;
          };
          const std::size_t b_stride = (by_rows ? width : cols) + gap, c_stride = (by_rows ? width : rows) + gap;
          constexpr T kUntouched = T(-77);
          std::vector<T> b(b_stride * (by_rows ? cols : width)), c(c_stride * (by_rows ? rows : width), kUntouched);
          for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(i * 7 % 13) - T(6);
          std::vector<T> want = c;
          for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t j = 0; j < width; ++j) want[place(r, j, c_stride)] = T(0);
          for (const auto& [at, value] : map)
            for (std::size_t j = 0; j < width; ++j)
              want[place(at.first, j, c_stride)] += value * b[place(at.second, j, b_stride)];
          for (const Isa isa : runnable_isas()) {
            SCOPED_TRACE(::testing::Message() << rows << " x " << cols << " width=" << width << " by_rows=" << by_rows
                                              << " gap=" << gap << ' ' << name(isa));
            const ScopedIsa scope(isa);
            std::vector<T> got(c);
            spmm<T, I>(a, b, b_stride, got, c_stride, width, order);
            ASSERT_EQ(got, want);
          }
        }
  }
}

TEST(Spmm, RefusesWhatIsTooShort) {
  const Csr<float> a(3, 2);
  std::vector<float> b(8), c(12);
  EXPECT_NO_THROW((spmm<float, std::int32_t>(a, b, 4, c, 4, 4)));
  EXPECT_THAT(([&] { spmm<float, std::int32_t>(a, b, 3, c, 4, 4); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("stride of b is 3, less than 4")));
  EXPECT_THAT(([&] { spmm<float, std::int32_t>(a, b, 5, c, 4, 4); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("b has 8 elements, too few for 2 times 4 with stride 5")));
  EXPECT_THAT(([&] { spmm<float, std::int32_t>(a, b, 2, c, 2, 4, Order::by_columns); }),
              ThrowsMessage<std::invalid_argument>(HasSubstr("stride of c is 2, less than 3")));
}

TEST(Spmv, RefusesVectorsOfAnotherLength) {
  const Csr<float> a(3, 2);
  std::vector<float> two(2), three(3);
  EXPECT_THAT([&] { spmv<float>(a, three, three); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("spmv: x has 3 elements, not 2")));
  EXPECT_THAT([&] { spmv<float>(a, two, two); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("spmv: y has 2 elements, not 3")));
  EXPECT_THAT([&] { spmv_transposed<float>(a, two, two); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("spmv_transposed: x has 2 elements, not 3")));
}

}  // namespace
}  // namespace pawl::sparse
