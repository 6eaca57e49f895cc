// axis_test.cpp -- reductions along every axis of small and large, contiguous and strided views keep the documented
// bounds, for every runnable variant.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "pawl/isa.hpp"
#include "pawl/reduce.hpp"
#include "reference/reduce_ref.hpp"

namespace pawl {
namespace {

template <class T>
class ReduceAxis : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ReduceAxis, Types);

template <class T>
using Limits = std::numeric_limits<T>;
template <class T>
constexpr long double kEps = Limits<T>::epsilon();

// Columns around lane counts, strips of eight vectors and chunks of 1024; rows around groups of 32; rows of one to four
// vectors and of 64 elements; blocks of few columns.
const std::vector<Shape> kShapes{
    {1},       {7},       {5000},    {1, 1},     {3, 5},      {31, 16},      {33, 17},    {64, 128},
    {65, 129}, {200, 33}, {97, 1},   {1, 97},    {40, 1023},  {34, 1100},    {33, 4200},  {300, 5},
    {7, 2},    {260, 16}, {2, 3, 4}, {3, 70, 9}, {5, 4, 130}, {2, 2, 3, 35}, {50, 9},     {37, 40},
    {20, 63},  {19, 64},  {18, 65},  {17, 300},  {40, 6, 3},  {21, 33, 5},   {19, 3, 17}, {600, 2, 1}};

// Calls check(elements, result, n, first, stride) for every element of each result; `first` is the first of the n
// elements it came from.
template <class T, class Reduce, class Check>
void for_each_axis(Reduce reduce, Check check) {
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const Shape& shape : kShapes) {
      const auto x = Tensor<T>::uniform(shape, shape.elements(), T(-1), T(3));
      for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        SCOPED_TRACE(::testing::Message()
                     << name(isa) << " shape "
                     << ::testing::PrintToString(std::vector<std::size_t>(shape.begin(), shape.end())) << " axis "
                     << axis);
        std::size_t inner = 1;
        for (std::size_t d = axis + 1; d < shape.rank(); ++d) inner *= shape[d];
        const std::size_t n = shape[axis];
        const auto out = reduce(x, axis);
        ASSERT_EQ(out.size(), x.elements() / n);
        for (std::size_t k = 0; k < out.size(); ++k) {
          check(out[k], x.data() + k / inner * inner * n + k % inner, n, inner);
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TYPED_TEST(ReduceAxis, SumAndMeanKeepTheirBounds) {
  using T = TypeParam;
  for_each_axis<T>([](const Tensor<T>& x, std::size_t axis) { return sum(x, axis).to_vector(); },
                   [](T got, const T* x, std::size_t n, std::size_t stride) {
                     const auto want = reference::mean(x, n, stride);
                     const auto count = static_cast<long double>(n);
                     ASSERT_LE(std::fabs(got - want.value * count), 42 * kEps<T> * want.magnitude * count);
                   });
  for_each_axis<T>([](const Tensor<T>& x, std::size_t axis) { return mean(x, axis).to_vector(); },
                   [](T got, const T* x, std::size_t n, std::size_t stride) {
                     const auto want = reference::mean(x, n, stride);
                     ASSERT_LE(std::fabs(got - want.value), 45 * kEps<T> * want.magnitude);
                   });
}

TYPED_TEST(ReduceAxis, VarianceAndStddevKeepTheirBounds) {
  using T = TypeParam;
  const auto ones = Tensor<T>::ones({2, 3});
  EXPECT_THROW((void)variance(ones, 1, SIZE_MAX), std::invalid_argument);
  EXPECT_THROW((void)stddev(ones, 1, 3), std::invalid_argument);
  for (const std::size_t ddof : {std::size_t{0}, std::size_t{1}}) {
    const auto long_enough = [&](const Tensor<T>& x, std::size_t axis) { return x.shape()[axis] > ddof; };
    for_each_axis<T>(
        [&](const Tensor<T>& x, std::size_t axis) {
          if (long_enough(x, axis)) return variance(x, axis, ddof).to_vector();
          EXPECT_THROW((void)variance(x, axis, ddof), std::invalid_argument);
          return sum(x, axis).to_vector();
        },
        [&](T got, const T* x, std::size_t n, std::size_t stride) {
          if (n <= ddof) return;
          const long double want = reference::variance(x, n, ddof, stride);
          ASSERT_LE(std::fabs(got - want), reference::variance_bound(x, n, want, stride));
        });
  }
  for_each_axis<T>([](const Tensor<T>& x, std::size_t axis) { return stddev(x, axis).to_vector(); },
                   [](T got, const T* x, std::size_t n, std::size_t stride) {
                     const long double want = reference::variance(x, n, 0, stride);
                     ASSERT_NEAR(static_cast<double>(got), static_cast<double>(std::sqrt(want)),
                                 static_cast<double>(300 * kEps<T>));
                   });
}

TYPED_TEST(ReduceAxis, NormKeepsItsBound) {
  using T = TypeParam;
  for_each_axis<T>([](const Tensor<T>& x, std::size_t axis) { return norm(x, axis).to_vector(); },
                   [](T got, const T* x, std::size_t n, std::size_t stride) {
                     const long double want = reference::norm(x, n, stride);
                     ASSERT_LE(std::fabs(got - want), 24 * kEps<T> * want);
                   });
}

TYPED_TEST(ReduceAxis, ExtremesAndTheirPlacesAreExact) {
  using T = TypeParam;
  for_each_axis<T>([](const Tensor<T>& x, std::size_t axis) { return min(x, axis).to_vector(); },
                   [](T got, const T* x, std::size_t n, std::size_t stride) {
                     ASSERT_EQ(got, x[reference::argmin(x, n, stride) * stride]);
                   });
  for_each_axis<T>([](const Tensor<T>& x, std::size_t axis) { return max(x, axis).to_vector(); },
                   [](T got, const T* x, std::size_t n, std::size_t stride) {
                     ASSERT_EQ(got, x[reference::argmax(x, n, stride) * stride]);
                   });
  for_each_axis<T>([](const Tensor<T>& x, std::size_t axis) { return argmin(x, axis); },
                   [](std::size_t got, const T* x, std::size_t n, std::size_t stride) {
                     ASSERT_EQ(got, reference::argmin(x, n, stride));
                   });
  for_each_axis<T>([](const Tensor<T>& x, std::size_t axis) { return argmax(x, axis); },
                   [](std::size_t got, const T* x, std::size_t n, std::size_t stride) {
                     ASSERT_EQ(got, reference::argmax(x, n, stride));
                   });
}

// Slices, steps, exchanged axes, repeated and reversed dimensions: what each gives is what its copy gives.
TYPED_TEST(ReduceAxis, StridedViewsGiveWhatTheirCopiesGive) {
  using T = TypeParam;
  const auto x = Tensor<T>::uniform({23, 40, 37}, 5, T(-1), T(3));
  const View<const T> whole = x.view(), matrix(x.data(), {920, 37});
  const Strides backwards{-37, 1}, repeated{0, 1}, sliding{1, 1};
  const std::vector<View<const T>> views{
      matrix.slice(1, 3, 8),
      matrix.slice(1, 2, 36),
      matrix.slice(0, 5, 300, 7),
      matrix.slice(1, 0, 37, 2),
      matrix.transpose(),
      matrix.slice(1, 4, 20).transpose(),
      matrix.slice(1, 4, 5),
      whole.slice(1, 7, 31),
      whole.slice(2, 7, 31),
      whole.slice(1, 7, 31).slice(2, 30, 37),
      whole.permute({1, 0, 2}),
      whole.permute({2, 0, 1}),
      whole.permute({2, 1, 0}),
      whole.select(1, 3),
      View<const T>(x.data() + 900 * 37, {600, 5}, backwards),
      View<const T>(x.data(), {50, 37}, repeated),
      View<const T>(x.data(), {90, 8}, sliding),
  };
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::size_t v = 0; v < views.size(); ++v) {
      const auto copy = Tensor<T>::copy_of(views[v]);
      for (std::size_t axis = 0; axis < views[v].rank(); ++axis) {
        SCOPED_TRACE(::testing::Message() << name(isa) << " view " << v << " axis " << axis);
        ASSERT_EQ(min(views[v], axis).to_vector(), min(copy, axis).to_vector());
        ASSERT_EQ(max(views[v], axis).to_vector(), max(copy, axis).to_vector());
        ASSERT_EQ(argmin(views[v], axis), argmin(copy, axis));
        ASSERT_EQ(argmax(views[v], axis), argmax(copy, axis));
        const auto near = [&](const Tensor<T>& got, const Tensor<T>& want, long double largest) {
          ASSERT_EQ(got.shape(), want.shape());
          for (std::size_t k = 0; k < got.elements(); ++k)
            ASSERT_LE(std::fabs(got.data()[k] - want.data()[k]), 200 * kEps<T> * largest) << k;
        };
        const auto n = static_cast<long double>(views[v].shape()[axis]);  // elements are at most 3
        near(sum(views[v], axis), sum(copy, axis), 3 * n);
        near(mean(views[v], axis, true), mean(copy, axis, true), 3);
        near(variance(views[v], axis), variance(copy, axis), 4);
        near(norm(views[v], axis), norm(copy, axis), 3 * std::sqrt(n));
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

// The first NaN of a column wins over everything, infinities are numbers, and of equal elements the first is named.
TYPED_TEST(ReduceAxis, NaNsInfinitiesAndTiesInColumns) {
  using T = TypeParam;
  constexpr std::size_t kRows = 70, kColumns = 45;
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    SCOPED_TRACE(name(isa));
    auto x = Tensor<T>::full({kRows, kColumns}, T(1));
    for (std::size_t j = 0; j < kColumns; ++j) {
      if (j % 3 == 0) x.at({(j * 7) % kRows, j}) = x.at({kRows - 1, j}) = Limits<T>::quiet_NaN();
      if (j % 2 == 0) x.at({(j * 5) % kRows, j}) = Limits<T>::infinity();
      if (j % 5 == 0) x.at({(j * 3) % kRows, j}) = -Limits<T>::infinity();
    }
    const auto low = min(x, 0), high = max(x, 0), total = sum(x, 0), length = norm(x, 0);
    const auto low_at = argmin(x, 0), high_at = argmax(x, 0);
    for (std::size_t j = 0; j < kColumns; ++j) {
      const T* column = x.data() + j;
      EXPECT_EQ(low_at[j], reference::argmin(column, kRows, kColumns)) << j;
      EXPECT_EQ(high_at[j], reference::argmax(column, kRows, kColumns)) << j;
      const T want = column[reference::argmax(column, kRows, kColumns) * kColumns];
      const auto same = [](T a, T b) { return a == b || (std::isnan(a) && std::isnan(b)); };
      EXPECT_TRUE(same(high.data()[j], want)) << j;
      EXPECT_TRUE(same(low.data()[j], column[reference::argmin(column, kRows, kColumns) * kColumns])) << j;
      T plain = 0;
      for (std::size_t i = 0; i < kRows; ++i) plain += column[i * kColumns];
      EXPECT_TRUE(std::isfinite(plain) || same(total.data()[j], plain)) << j;
      EXPECT_EQ(std::isnan(length.data()[j]), std::isnan(reference::norm(column, kRows, kColumns))) << j;
    }
  }
}

// Blocks of a few rows and columns are reduced a vector at a time, and one NaN must reach its own column only.
TYPED_TEST(ReduceAxis, NaNsAndTiesInBlocksOfFewColumns) {
  using T = TypeParam;
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const std::size_t odd_block : {0U, 7U, 20U})
      for (const std::size_t side : {1U, 2U, 3U, 8U, 16U, 17U}) {
        constexpr std::size_t kBlocks = 21, kRows = 5;
        SCOPED_TRACE(::testing::Message()
                     << name(isa) << " NaN in block " << odd_block << " of " << side << " columns");
        auto x = Tensor<T>::uniform({kBlocks, kRows, side}, side, T(-1), T(1));
        for (std::size_t b = 0; b < kBlocks; ++b)
          x.at({b, 1, 0}) = x.at({b, 3, 0}) = static_cast<T>(b % 2 == 0 ? 2 : -2);
        x.at({odd_block, 2, side - 1}) = Limits<T>::quiet_NaN();
        const auto low = min(x, 1), high = max(x, 1);
        const auto low_at = argmin(x, 1), high_at = argmax(x, 1);
        for (std::size_t k = 0; k < kBlocks * side; ++k) {
          const T* column = x.data() + k / side * kRows * side + k % side;
          const std::size_t least = reference::argmin(column, kRows, side),
                            most = reference::argmax(column, kRows, side);
          ASSERT_EQ(low_at[k], least) << k;
          ASSERT_EQ(high_at[k], most) << k;
          const auto same = [](T a, T b) { return a == b || (std::isnan(a) && std::isnan(b)); };
          ASSERT_TRUE(same(low.data()[k], column[least * side])) << k;
          ASSERT_TRUE(same(high.data()[k], column[most * side])) << k;
        }
      }
  }
}

// Squares of one row that overflow or vanish are no matter of its neighbours'.
TYPED_TEST(ReduceAxis, NormOfRowsBeyondTheRangeOfSquares) {
  using T = TypeParam;
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    SCOPED_TRACE(name(isa));
    constexpr std::size_t kRows = 37, kLength = 21;
    auto x = Tensor<T>::uniform({kRows, kLength}, 3, T(1), T(2));
    for (std::size_t r = 0; r < kRows; ++r) {
      const T scale = r % 5 == 1 ? std::sqrt(Limits<T>::max()) : r % 5 == 2 ? Limits<T>::min() : T(r % 5 == 3 ? 0 : 1);
      for (std::size_t i = 0; i < kLength; ++i) x.at({r, i}) *= scale;
    }
    x.at({4, 2}) = Limits<T>::quiet_NaN();
    x.at({9, 2}) = -Limits<T>::infinity();
    const auto length = norm(x, 1);
    for (std::size_t r = 0; r < kRows; ++r) {
      const long double want = reference::norm(&x.at({r, 0}), kLength);
      if (r == 4)
        EXPECT_TRUE(std::isnan(length.data()[r]));
      else if (r == 9)
        EXPECT_EQ(length.data()[r], Limits<T>::infinity());
      else
        EXPECT_LE(std::fabs(length.data()[r] - want), 24 * kEps<T> * want) << r;
    }
  }
}

// Rows are folded as many at a time as a vector has lanes: a NaN or an infinity must stay in its own row, and every row
// must keep its place, also in a last group that is not full.
TYPED_TEST(ReduceAxis, NaNsAndInfinitiesStayInTheirRows) {
  using T = TypeParam;
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const std::size_t rows : {1U, 5U, 16U, 37U})
      for (const std::size_t length : {3U, 16U, 23U, 64U, 70U, 300U, 4100U}) {
        SCOPED_TRACE(::testing::Message() << name(isa) << " " << rows << " rows of " << length);
        auto x = Tensor<T>::zeros({rows, length});
        for (std::size_t r = 0; r < rows; ++r) {
          x.at({r, length / 2}) = static_cast<T>(r + 1);
          x.at({r, length - 1}) = -static_cast<T>(r);
          if (r % 4 == 1) x.at({r, (r * 7) % length}) = Limits<T>::quiet_NaN();
          if (r % 4 == 3) x.at({r, (r * 5) % length}) = -Limits<T>::infinity();
        }
        const auto high = max(x, 1), low = min(x, 1), total = sum(x, 1), average = mean(x, 1), spread = variance(x, 1);
        const auto high_at = argmax(x, 1), low_at = argmin(x, 1);
        for (std::size_t r = 0; r < rows; ++r) {
          const T *row = &x.at({r, 0}), count = static_cast<T>(length);
          const auto at = [&](const Tensor<T>& of) { return of.data()[r]; };
          ASSERT_EQ(high_at[r], reference::argmax(row, length)) << r;
          ASSERT_EQ(low_at[r], reference::argmin(row, length)) << r;
          ASSERT_EQ(std::isnan(at(spread)), r % 2 == 1) << r;
          if (r % 4 == 1) {
            ASSERT_TRUE(std::isnan(at(high)) && std::isnan(at(low)) && std::isnan(at(total)) &&
                        std::isnan(at(average)));
            continue;
          }
          ASSERT_EQ(at(high), row[reference::argmax(row, length)]) << r;
          ASSERT_EQ(at(low), row[reference::argmin(row, length)]) << r;
          T plain = 0;  // exact: small whole numbers
          for (std::size_t i = 0; i < length; ++i) plain += row[i];
          ASSERT_EQ(at(total), plain) << r;
          ASSERT_EQ(at(average), plain / count) << r;
        }
      }
  }
}

TYPED_TEST(ReduceAxis, LongColumnsDoNotDrift) {
  using T = TypeParam;
  constexpr std::size_t kRows = 300'000, kColumns = 3;
  const auto x = Tensor<T>::full({kRows, kColumns}, T(0.1));
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    const long double exact = static_cast<long double>(T(0.1)) * kRows;
    for (const T s : sum(x, 0).to_vector()) EXPECT_LE(std::fabs(s - exact), 42 * kEps<T> * exact) << name(isa);
  }
}

TYPED_TEST(ReduceAxis, ShapesWithAndWithoutTheAxis) {
  using T = TypeParam;
  const auto x = Tensor<T>::ones({2, 3, 4});
  EXPECT_EQ(sum(x, 1).shape(), (Shape{2, 4}));
  EXPECT_EQ(sum(x, 1, true).shape(), (Shape{2, 1, 4}));
  EXPECT_EQ(max(x, 2, true).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(sum(Tensor<T>::ones({5}), 0).shape(), Shape{});
  EXPECT_EQ(sum(Tensor<T>::ones({5}), 0).data()[0], T(5));
  EXPECT_EQ(sum(Tensor<T>::zeros({0, 3}), 0).to_vector(), std::vector<T>(3, T(0)));
  EXPECT_EQ(norm(Tensor<T>::zeros({3, 0}), 1).to_vector(), std::vector<T>(3, T(0)));
  EXPECT_EQ(max(Tensor<T>::zeros({4, 0}), 0).elements(), 0u);
}

TYPED_TEST(ReduceAxis, StridedViewsAreReducedInTheirOwnOrder) {
  using T = TypeParam;
  const auto x = Tensor<T>::randn({6, 10, 5}, 3);
  const auto view = x.view().permute({2, 0, 1}).slice(2, 1, 10, 2);
  const auto copy = Tensor<T>::copy_of(view);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(sum(view, axis).to_vector(), sum(copy, axis).to_vector());
    EXPECT_EQ(argmax(view, axis), argmax(copy, axis));
  }
}

// Into a place: the same bits, and nothing beyond it.
TYPED_TEST(ReduceAxis, ResultsGoWhereTheyAreWanted) {
  using T = TypeParam;
  for (const Shape& shape : kShapes) {
    const auto x = Tensor<T>::uniform(shape, shape.elements(), T(-1), T(3));
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      SCOPED_TRACE(
          ::testing::Message() << "shape "
                               << ::testing::PrintToString(std::vector<std::size_t>(shape.begin(), shape.end()))
                               << " axis " << axis);
      const std::size_t count = shape.elements() / shape[axis];
      const auto same = [&](const auto& want, auto into) {
        using Element = std::decay_t<decltype(*want.begin())>;
        std::vector<Element> got(count + 1, Element(77));
        into(std::span(got.data(), count));
        EXPECT_EQ(got.back(), Element(77));
        got.pop_back();
        EXPECT_EQ(got, want);
      };
      same(sum(x, axis).to_vector(), [&](std::span<T> out) { sum(x, axis, out); });
      same(mean(x, axis).to_vector(), [&](std::span<T> out) { mean(x, axis, out); });
      same(norm(x, axis).to_vector(), [&](std::span<T> out) { norm(x, axis, out); });
      same(min(x, axis).to_vector(), [&](std::span<T> out) { min(x, axis, out); });
      same(max(x, axis).to_vector(), [&](std::span<T> out) { max(x, axis, out); });
      same(variance(x, axis).to_vector(), [&](std::span<T> out) { variance(x, axis, out); });
      same(argmin(x, axis), [&](std::span<std::size_t> out) { argmin(x, axis, out); });
      same(argmax(x, axis), [&](std::span<std::size_t> out) { argmax(x, axis, out); });
      if (shape[axis] > 1) same(stddev(x, axis, 1).to_vector(), [&](std::span<T> out) { stddev(x, axis, out, 1); });
    }
  }
}

TYPED_TEST(ReduceAxis, APlaceOfAnotherSizeIsRefused) {
  using T = TypeParam;
  const auto x = Tensor<T>::ones({2, 3}), none = Tensor<T>::ones({0, 3});
  std::vector<T> out(4, T(5));
  std::vector<std::size_t> places(2);
  EXPECT_THROW(sum(x, 0, std::span(out)), std::invalid_argument);
  EXPECT_THROW(max(x, 1, std::span(out)), std::invalid_argument);
  EXPECT_THROW(mean(x, 2, std::span(out)), std::invalid_argument);
  EXPECT_THROW(mean(none, 0, std::span(out.data(), 3)), std::invalid_argument);
  EXPECT_THROW(stddev(x, 1, std::span(out.data(), 2), 3), std::invalid_argument);
  EXPECT_THROW(argmax(x, 0, std::span(places)), std::invalid_argument);
  EXPECT_EQ(out, std::vector<T>(4, T(5)));
  sum(none, 0, std::span(out.data(), 3));
  EXPECT_EQ(out, (std::vector<T>{0, 0, 0, 5}));
}

TYPED_TEST(ReduceAxis, BadArgumentsAreRefused) {
  using T = TypeParam;
  const auto x = Tensor<T>::ones({2, 3}), none = Tensor<T>::zeros({0, 3});
  EXPECT_THROW((void)sum(x, 2), std::invalid_argument);
  EXPECT_THROW((void)mean(none, 0), std::invalid_argument);
  EXPECT_THROW((void)min(none, 0), std::invalid_argument);
  EXPECT_THROW((void)argmax(none, 0), std::invalid_argument);
  EXPECT_THROW((void)variance(x, 0, 2), std::invalid_argument);
}

}  // namespace
}  // namespace pawl
