// broadcast_test.cpp -- arithmetic of views whose shapes agree but for extents of 1, and with single values.
#include <gtest/gtest.h>

#include <vector>

#include "pawl/isa.hpp"
#include "pawl/layout.hpp"
#include "pawl/simd.hpp"
#include "reference/layout_ref.hpp"
#include "reference/simd_ref.hpp"

namespace pawl {
namespace {

template <class T>
class Broadcast : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Broadcast, Types);

// A view's elements by the rule of broadcasting itself, without broadcast_to.
template <class T>
std::vector<T> repeated(View<const T> x, const Shape& shape) {
  const auto elements = reference::gather<T>(x);
  std::vector<T> out;
  for (std::size_t k = 0; k < shape.elements(); ++k) {
    std::size_t rest = k, at = 0, step = 1;
    for (std::size_t d = 0; d < x.rank(); ++d) {
      const std::size_t index = rest % shape[shape.rank() - 1 - d], extent = x.shape()[x.rank() - 1 - d];
      rest /= shape[shape.rank() - 1 - d];
      at += (extent == 1 ? 0 : index) * step;
      step *= extent;
    }
    out.push_back(elements[at]);
  }
  return out;
}

template <class T>
void expect_all_operations(View<const T> x, View<const T> y, const Shape& shape) {
  const auto a = repeated(x, shape), b = repeated(y, shape);
  EXPECT_EQ(reference::gather<T>(broadcast_to(x, shape)), a);
  const auto expect = [&](const Tensor<T>& got, T (*operation)(T, T)) {
    ASSERT_EQ(got.shape(), shape);
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(got.data()[i], operation(a[i], b[i])) << "at " << i;
  };
  expect(add(x, y), reference::add<T>);
  expect(sub(x, y), reference::sub<T>);
  expect(mul(x, y), reference::mul<T>);
  expect(div(x, y), reference::div<T>);
}

// Views of which neither has neighbours along the last dimension.
TYPED_TEST(Broadcast, ViewsThatWereBroadcastBefore) {
  using T = TypeParam;
  const T x[] = {1, 2, 3}, y[] = {10, 20, 30};
  for (const std::size_t n : {2U, 20U, 100U}) {
    const Shape shape{3, n};
    const auto sums = add(broadcast_to(View<const T>(x, {3, 1}), shape), broadcast_to(View<const T>(y, {3, 1}), shape));
    ASSERT_EQ(sums.shape(), shape);
    for (std::size_t i = 0; i < 3 * n; ++i) ASSERT_EQ(sums.data()[i], T(11) * T(i / n + 1)) << n << " at " << i;
  }
}

TYPED_TEST(Broadcast, EveryPairOfShapes) {
  using T = TypeParam;
  struct Case {
    Shape x, y, out;
  };
  const Case cases[] = {{{4, 5}, {4, 5}, {4, 5}},
                        {{100, 100}, {100}, {100, 100}},
                        {{100}, {70, 100}, {70, 100}},
                        {{70, 1}, {70, 100}, {70, 100}},
                        {{3, 1, 100}, {2, 100}, {3, 2, 100}},
                        {{100, 100}, {100, 1}, {100, 100}},
                        {{7, 1}, {1, 9}, {7, 9}},
                        {{3, 1, 5}, {4, 1}, {3, 4, 5}},
                        {{2, 3, 4}, {}, {2, 3, 4}},
                        {{1}, {1}, {1}},
                        {{5000, 3}, {3}, {5000, 3}},
                        {{5000, 3}, {5000, 1}, {5000, 3}},
                        {{2, 700, 6}, {2, 1, 6}, {2, 700, 6}},
                        // Rows of which a vector has several, each with its own value; the last vector is not full.
                        {{3, 37, 2}, {37, 1}, {3, 37, 2}},
                        {{31, 4}, {31, 1}, {31, 4}},
                        {{2, 23, 8}, {2, 23, 1}, {2, 23, 8}},
                        {{5, 16}, {5, 1}, {5, 16}},
                        {{9, 8}, {2, 9, 1}, {2, 9, 8}},
                        // Matrices of few short rows: part of a vector, one to four of them, and more.
                        {{26, 2, 8}, {2, 1}, {26, 2, 8}},
                        {{26, 2, 7}, {2, 1}, {26, 2, 7}},
                        {{12, 4, 17}, {12, 1, 17}, {12, 4, 17}},
                        {{20, 3, 65}, {3, 1}, {20, 3, 65}},
                        {{9, 3, 40}, {9, 1, 40}, {9, 3, 40}},
                        {{9, 1, 30}, {3, 1}, {9, 3, 30}},
                        {{5, 1, 5}, {70, 1}, {5, 70, 5}},
                        {{5, 1, 5}, {70, 5}, {5, 70, 5}},
                        {{3, 2, 5, 6}, {3, 1, 5, 1}, {3, 2, 5, 6}},
                        {{3, 600}, {600}, {3, 600}},
                        {{0, 4}, {4}, {0, 4}},
                        {{2, 1, 3, 1}, {5, 1, 7}, {2, 5, 3, 7}}};
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const Case& c : cases) {
      SCOPED_TRACE(::testing::Message() << name(isa) << " case " << (&c - cases));
      const auto x = Tensor<T>::uniform(c.x, 1, T(1), T(2)), y = Tensor<T>::uniform(c.y, 2, T(1), T(2));
      expect_all_operations<T>(x, y, c.out);
      expect_all_operations<T>(y, x, c.out);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// Rows that begin anywhere in a line, into memory apart and into x itself; nothing is written beyond the ends.
TYPED_TEST(Broadcast, RowsWithinLines) {
  using T = TypeParam;
  constexpr T kUntouched = T(-7);
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const std::size_t n : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 15U, 16U, 17U, 33U, 65U, 100U, 131U, 1030U})
      for (const std::size_t rows : {2U, 5U, 40U})
        for (const std::size_t offset : {0U, 1U, 7U, 16U, 19U})
          for (const bool by_row : {true, false}) {
            const std::size_t size = rows * n;
            const auto x = Tensor<T>::uniform({size}, 1, T(1), T(2)), y = Tensor<T>::uniform({rows + n}, 2, T(1), T(2));
            const View<const T> values(y.data(), by_row ? Shape{n} : Shape{rows, 1});
            std::vector<T> apart(size + 40, kUntouched), in_place(size + 40, kUntouched);
            std::copy(x.data(), x.data() + size, in_place.data() + offset);
            const View<T> out(in_place.data() + offset, Shape{rows, n});
            sub(View<const T>(x.data(), Shape{rows, n}), values, View<T>(apart.data() + offset, Shape{rows, n}));
            sub(values, View<const T>(out), out);
            for (std::size_t i = 0; i < size + 40; ++i) {
              const bool within = i >= offset && i < offset + size;
              const std::size_t at = within ? i - offset : 0;
              const T value = y.data()[by_row ? at % n : at / n];
              const T result = within ? x.data()[at] - value : kUntouched,
                      back = within ? value - x.data()[at] : kUntouched;
              // A message for each of 6 million numbers took most of the time.
              if (apart[i] == result && in_place[i] == back) continue;
              FAIL() << name(isa) << ' ' << rows << " x " << n << " from " << offset << (by_row ? " row" : " column")
                     << " at " << i << ": " << apart[i] << " and in place " << in_place[i] << ", not " << result
                     << " and " << back;
            }
          }
  }
}

TYPED_TEST(Broadcast, StridedOperands) {
  using T = TypeParam;
  const auto x = Tensor<T>::uniform({12, 10}, 1, T(1), T(2)), y = Tensor<T>::uniform({6, 5}, 2, T(1), T(2));
  expect_all_operations<T>(x.view().slice(0, 0, 12, 2).slice(1, 1, 10, 2), y, {6, 5});
  expect_all_operations<T>(y.view().transpose(), x.view().slice(0, 0, 1).slice(1, 0, 6), {5, 6});
  // One column of a matrix, a value for each row, on either side, and beside rows of one element.
  for (const std::size_t k : {0U, 4U, 9U}) {
    const auto column = x.view().slice(1, k, k + 1);
    expect_all_operations<T>(column, x, {12, 10});
    expect_all_operations<T>(x.view().slice(1, 3, 8), column, {12, 5});
    expect_all_operations<T>(column, x.view().slice(1, 9 - k, 10 - k), {12, 1});
    expect_all_operations<T>(column, x.view().slice(0, 2, 3), {12, 10});
    expect_all_operations<T>(column.transpose(), y.view().slice(1, 2, 3), {6, 12});
  }
}

// A row or a column of the matrix itself, which is written while it is still needed.
TYPED_TEST(Broadcast, PartsOfTheResultInPlace) {
  using T = TypeParam;
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const std::size_t n : {2U, 5U, 30U, 300U}) {
      SCOPED_TRACE(::testing::Message() << name(isa) << " n=" << n);
      const auto x = Tensor<T>::uniform({13, n}, n, T(1), T(2));
      for (const auto& part : {std::pair<std::size_t, std::size_t>{0, 4}, {1, n / 2}}) {
        const auto [axis, at] = part;
        const auto want = sub(x, x.view().slice(axis, at, at + 1));
        auto left = x.clone(), right = x.clone();
        sub(left.view(), left.view().slice(axis, at, at + 1), left.view());
        EXPECT_EQ(left.to_vector(), want.to_vector()) << "axis " << axis;
        sub(right.view().slice(axis, at, at + 1), right.view(), right.view());
        for (std::size_t i = 0; i < want.elements(); ++i)
          ASSERT_EQ(right.data()[i], -want.data()[i]) << "axis " << axis;
      }
      const auto row = [](const auto& m) { return m.view().slice(0, 4, 5); };
      const auto column = [n](const auto& m) { return m.view().slice(1, n / 2, n / 2 + 1); };
      auto both = x.clone(), exchanged = x.clone();
      sub(row(both), column(both), both.view());
      EXPECT_EQ(both.to_vector(), sub(row(x), column(x)).to_vector());
      sub(column(exchanged), row(exchanged), exchanged.view());
      EXPECT_EQ(exchanged.to_vector(), sub(column(x), row(x)).to_vector());
    }
  }
}

TYPED_TEST(Broadcast, TensorsOfDifferentShapes) {
  using T = TypeParam;
  const auto x = Tensor<T>::ones({2, 3}), y = Tensor<T>::full({3}, T(2));
  EXPECT_EQ(add(x, y).to_vector(), std::vector<T>(6, T(3)));
  EXPECT_THROW((void)add(x, Tensor<T>::ones({2})), std::invalid_argument);
  auto out = Tensor<T>::zeros({2, 3}), small = Tensor<T>::zeros({3});
  sub(y, x, out.view());
  EXPECT_EQ(out.to_vector(), std::vector<T>(6, T(1)));
  mul(out, y, out.view());
  EXPECT_EQ(out.to_vector(), std::vector<T>(6, T(2)));
  EXPECT_THROW(add(x, y, small.view()), std::invalid_argument);
  EXPECT_THROW(add(transpose(x), transpose(x), out.view().transpose()), std::invalid_argument);
  EXPECT_THROW((void)broadcast_to(x, {3}), std::invalid_argument);
  EXPECT_THROW((void)broadcast_to(x, {2, 2, 4}), std::invalid_argument);
}

TYPED_TEST(Broadcast, ValuesOnEitherSideOfSpans) {
  using T = TypeParam;
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::size_t n : {0u, 1u, 5u, 16u, 67u, 1000u}) {
      const auto x = Tensor<T>::uniform({n}, n, T(1), T(2));
      auto out = Tensor<T>::zeros({n});
      const T v = T(1.7);
      const std::span<const T> xs = x.flat();
      const auto expect = [&](const char* what, T (*operation)(T, T), bool left) {
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_EQ(out.data()[i], left ? operation(v, xs[i]) : operation(xs[i], v)) << name(isa) << " " << what;
      };
      add(xs, v, out.flat());
      expect("x + v", reference::add<T>, false);
      add(v, xs, out.flat());
      expect("v + x", reference::add<T>, true);
      sub(xs, v, out.flat());
      expect("x - v", reference::sub<T>, false);
      sub(v, xs, out.flat());
      expect("v - x", reference::sub<T>, true);
      mul(xs, v, out.flat());
      expect("x v", reference::mul<T>, false);
      mul(v, xs, out.flat());
      expect("v x", reference::mul<T>, true);
      div(xs, v, out.flat());
      expect("x / v", reference::div<T>, false);
      div(v, xs, out.flat());
      expect("v / x", reference::div<T>, true);
    }
    std::vector<T> three(3);
    EXPECT_THROW(add(std::span<const T>(three), T(1), std::span<T>(three).first(2)), std::invalid_argument);
  }
}

}  // namespace
}  // namespace pawl
