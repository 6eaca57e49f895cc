// columns_test.cpp -- reductions of columns by each variant's kernels: every width of a strip and those around it,
// every rest of rows, nothing written beyond the results; rows far apart give what the same rows give side by side.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "kernels/tables.hpp"
#include "pawl/isa.hpp"
#include "reference/reduce_ref.hpp"

namespace pawl {
namespace {

using testing::GuardedArray;

template <class T>
class ReduceColumns : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ReduceColumns, Types);

template <class T>
const ReduceOps<T>& ops(Isa isa) {
  if constexpr (sizeof(T) == 4)
    return reduce_table(isa).f32;
  else
    return reduce_table(isa).f64;
}

// Elements from a line's beginning to the first row, and from each row's end to the next row.
struct Place {
  std::size_t first = 1, gap = 3;
};

// Two blocks of rows with gaps of NaN between them; the second has a NaN where `odd` is below rows columns.
template <class T>
void expect_extremes(const ReduceOps<T>& kernels, std::size_t rows, std::size_t columns, std::size_t odd,
                     Place place = {}) {
  SCOPED_TRACE(::testing::Message() << rows << " x " << columns << ", NaN at " << odd << ", from " << place.first);
  constexpr std::size_t kBlocks = 2;
  const std::size_t stride = columns + place.gap, block = rows * stride;
  GuardedArray<T> x(kBlocks * block, place.first), low(kBlocks * columns, 2), high(kBlocks * columns, 2);
  x.fill(rows * 1000 + columns);
  for (std::size_t r = 0; r < kBlocks * rows; ++r)
    for (std::size_t j = columns; j < stride; ++j) x[r * stride + j] = std::numeric_limits<T>::quiet_NaN();
  if (odd < rows * columns) x[block + odd / columns * stride + odd % columns] = std::numeric_limits<T>::quiet_NaN();
  const Blocks blocks{kBlocks, static_cast<std::ptrdiff_t>(block)};
  kernels.min_columns(x.data(), blocks, static_cast<std::ptrdiff_t>(stride), rows, columns, low.data());
  kernels.max_columns(x.data(), blocks, static_cast<std::ptrdiff_t>(stride), rows, columns, high.data());
  ASSERT_TRUE(low.untouched() && high.untouched());
  for (std::size_t k = 0; k < kBlocks * columns; ++k) {
    const T* column = x.data() + k / columns * block + k % columns;
    const T least = column[reference::argmin(column, rows, stride) * stride],
            most = column[reference::argmax(column, rows, stride) * stride];
    ASSERT_TRUE(low[k] == least || (std::isnan(low[k]) && std::isnan(least))) << "column " << k;
    ASSERT_TRUE(high[k] == most || (std::isnan(high[k]) && std::isnan(most))) << "column " << k;
  }
}

TYPED_TEST(ReduceColumns, ExtremesOfEveryWidth) {
  using T = TypeParam;
  constexpr std::size_t kRows[] = {1, 2, 3, 8, 32, 33, 45};
  const std::size_t strip = 8 * 64 / sizeof(T);  // the widest strip of the widest variant
  for (Isa isa : runnable_isas()) {
    SCOPED_TRACE(name(isa));
    for (std::size_t columns = 1; columns <= strip + 64 / sizeof(T) + 3; ++columns)
      for (const std::size_t rows : kRows) {
        expect_extremes<T>(ops<T>(isa), rows, columns, rows * columns);
        expect_extremes<T>(ops<T>(isa), rows, columns, columns * 7919 % (rows * columns));
        expect_extremes<T>(ops<T>(isa), rows, columns, rows * columns - 1);
        if (::testing::Test::HasFatalFailure()) return;
      }
  }
}

// Two blocks, as above: the results are right, and have the same bits as those of each column by itself.
template <class T>
void expect_sums(const ReduceOps<T>& kernels, std::size_t rows, std::size_t columns, Place place = {}) {
  SCOPED_TRACE(::testing::Message() << rows << " x " << columns << ", from " << place.first);
  constexpr std::size_t kBlocks = 2;
  const std::size_t stride = columns + place.gap, block = rows * stride, results = kBlocks * columns;
  GuardedArray<T> x(kBlocks * block, place.first);
  x.fill(rows * 1000 + columns);
  for (std::size_t r = 0; r < kBlocks * rows; ++r)
    for (std::size_t j = columns; j < stride; ++j) x[r * stride + j] = std::numeric_limits<T>::quiet_NaN();
  const Blocks blocks{kBlocks, static_cast<std::ptrdiff_t>(block)};
  const auto step = static_cast<std::ptrdiff_t>(stride);
  const auto check = [&](auto run, auto exact_of, auto bound_of) {
    GuardedArray<T> out(results, 2);
    run(x.data(), blocks, columns, out.data());
    ASSERT_TRUE(out.untouched());
    for (std::size_t k = 0; k < results; ++k) {
      const T* column = x.data() + k / columns * block + k % columns;
      T alone = 0;
      run(column, Blocks{1, 0}, 1, &alone);
      ASSERT_EQ(out[k], alone) << "column " << k;
      const long double exact = exact_of(column);
      ASSERT_LE(std::fabs(static_cast<long double>(alone) - exact), bound_of(column, exact)) << "column " << k;
    }
  };
  const long double eps = std::numeric_limits<T>::epsilon(), n = static_cast<long double>(rows);
  const auto mean = [=](const T* p) { return reference::mean(p, rows, stride); };
  check([&](const T* p, Blocks b, std::size_t m, T* to) { kernels.sum_columns(p, b, step, rows, m, to); },
        [=](const T* p) { return n * mean(p).value; },
        [=](const T* p, long double) { return 42 * eps * n * mean(p).magnitude; });
  check([&](const T* p, Blocks b, std::size_t m, T* to) { kernels.mean_columns(p, b, step, rows, m, to); },
        [=](const T* p) { return mean(p).value; },
        [=](const T* p, long double) { return 45 * eps * mean(p).magnitude; });
  check([&](const T* p, Blocks b, std::size_t m, T* to) { kernels.norm_columns(p, b, step, rows, m, to); },
        [=](const T* p) {
          long double squares = 0;
          for (std::size_t r = 0; r < rows; ++r) squares += static_cast<long double>(p[r * stride]) * p[r * stride];
          return std::sqrt(squares);
        },
        [=](const T*, long double exact) { return 24 * eps * exact; });
  const T divisor = static_cast<T>(rows);
  check([&](const T* p, Blocks b, std::size_t m,
            T* to) { kernels.spread_columns(p, b, step, rows, m, divisor, false, to); },
        [=](const T* p) { return reference::variance(p, rows, 0, stride); },
        [=](const T* p, long double exact) { return reference::variance_bound(p, rows, exact, stride); });
}

TYPED_TEST(ReduceColumns, SumsOfEveryWidth) {
  using T = TypeParam;
  constexpr std::size_t kRows[] = {1, 2, 11, 13, 34};
  const std::size_t strip = 8 * 64 / sizeof(T);
  for (Isa isa : runnable_isas()) {
    SCOPED_TRACE(name(isa));
    // Around each number of whole vectors of some variant.
    for (std::size_t columns = 1; columns <= strip + 64 / sizeof(T) + 3; columns += columns % 4 == 1 ? 2 : 1)
      for (const std::size_t rows : kRows) {
        expect_sums<T>(ops<T>(isa), rows, columns);
        if (::testing::Test::HasFatalFailure()) return;
      }
  }
}

// Rows whole lines apart are read from a boundary on: the same of every first element, numbers of rows and columns on
// both sides of where that begins, and of chunks of columns.
TYPED_TEST(ReduceColumns, RowsThatBeginWithinLines) {
  using T = TypeParam;
  constexpr std::size_t kLine = 64 / sizeof(T), kChunk = 1024;
  for (Isa isa : runnable_isas()) {
    SCOPED_TRACE(name(isa));
    for (const std::size_t columns : {2 * kLine + 3, 4 * kLine + 5, 5 * kLine - 1, 5 * kLine, 6 * kLine + 1, 8 * kLine,
                                      9 * kLine + 7, 16 * kLine, 23 * kLine + 2, kChunk - 3, kChunk + kLine})
      for (const std::size_t rows : {15U, 16U, 33U, 40U})
        for (std::size_t first = 1; first < kLine; first += columns < kChunk - 3 ? 1 : 4) {
          const Place place{first, (kLine - columns % kLine) % kLine};
          expect_sums<T>(ops<T>(isa), rows, columns, place);
          expect_extremes<T>(ops<T>(isa), rows, columns, rows * columns, place);
          expect_extremes<T>(ops<T>(isa), rows, columns, columns * 7919 % (rows * columns), place);
          if (::testing::Test::HasFatalFailure()) return;
        }
  }
}

// Rows that take more memory than caches hold go by streams, with the same additions and the same places.
TYPED_TEST(ReduceColumns, FarRowsGiveTheSameBits) {
  using T = TypeParam;
  constexpr std::size_t kBytes = std::size_t{17} << 20;
  for (const std::size_t rows : {std::size_t{33}, std::size_t{40}, std::size_t{64}, std::size_t{101}}) {
    const std::size_t far = kBytes / sizeof(T) / rows;
    GuardedArray<T> x(rows * far, 1);
    for (const std::size_t columns : {8 * 64 / sizeof(T), 13 * 64 / sizeof(T) + 3, std::size_t{1030}}) {
      GuardedArray<T> near(rows * columns, 1);
      near.fill(rows + columns);
      for (std::size_t r = 0; r < rows; ++r)
        std::memcpy(x.data() + r * far, near.data() + r * columns, columns * sizeof(T));
      for (Isa isa : runnable_isas()) {
        SCOPED_TRACE(::testing::Message() << name(isa) << ' ' << rows << " x " << columns);
        const ReduceOps<T>& kernels = ops<T>(isa);
        const auto same = [&](auto run, auto& out, auto& want) {
          const Blocks block{1, 0};
          run(x.data(), block, static_cast<std::ptrdiff_t>(far), out.data());
          run(near.data(), block, static_cast<std::ptrdiff_t>(columns), want.data());
          for (std::size_t j = 0; j < columns; ++j) ASSERT_EQ(out[j], want[j]) << "column " << j;
        };
        GuardedArray<T> out(columns, 2), want(columns);
        for (const auto entry : {kernels.sum_columns, kernels.mean_columns, kernels.norm_columns})
          same([&](const T* p, Blocks b, std::ptrdiff_t s, T* to) { entry(p, b, s, rows, columns, to); }, out, want);
        for (const bool root : {false, true})
          same([&](const T* p, Blocks b, std::ptrdiff_t s,
                   T* to) { kernels.spread_columns(p, b, s, rows, columns, T(7), root, to); },
               out, want);
        ASSERT_TRUE(out.untouched());
        std::vector<std::size_t> at(columns), want_at(columns);
        same([&](const T* p, Blocks b, std::ptrdiff_t s,
                 std::size_t* to) { kernels.argmax_columns(p, b, s, rows, columns, to); },
             at, want_at);
        same([&](const T* p, Blocks b, std::ptrdiff_t s,
                 std::size_t* to) { kernels.argmin_columns(p, b, s, rows, columns, to); },
             at, want_at);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace pawl
