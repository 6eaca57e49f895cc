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

// Two blocks of rows with gaps of NaN between them; the second has a NaN where `odd` is below rows columns.
template <class T>
void expect_extremes(const ReduceOps<T>& kernels, std::size_t rows, std::size_t columns, std::size_t odd) {
  SCOPED_TRACE(::testing::Message() << rows << " x " << columns << ", NaN at " << odd);
  constexpr std::size_t kBlocks = 2, kGap = 3;
  const std::size_t stride = columns + kGap, block = rows * stride;
  GuardedArray<T> x(kBlocks * block, 1), low(kBlocks * columns, 2), high(kBlocks * columns, 2);
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
        GuardedArray<T> out(columns, 2), want(columns), centre(columns);
        centre.fill(7);
        same([&](const T* p, Blocks b, std::ptrdiff_t s, T* to) { kernels.sum_columns(p, b, s, rows, columns, to); },
             out, want);
        same([&](const T* p, Blocks b, std::ptrdiff_t s,
                 T* to) { kernels.squares_columns(p, b, s, centre.data(), rows, columns, to); },
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
