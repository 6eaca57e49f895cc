// csr_sizes_test.cpp -- rows of a product with a vector: right however large the matrix is said to be, chunk by chunk.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kernels/sparse/row_piece.hpp"
#include "kernels/tables.hpp"
#include "pawl/isa.hpp"

namespace pawl::sparse {
namespace {

// Five chunks: rows of 10 and of 0 to 20 random columns, a row of several pieces among short ones, rows of 300, and an
// empty chunk with rows of one entry behind.
template <class T, class I>
void check(const SparseOps<T, I>& ops) {
  constexpr std::size_t kCols = 70'000, kRows = 4 * kRowChunk + kRowChunk / 2;
  std::mt19937 random(11);
  const auto length = [&](std::size_t r) -> std::size_t {
    if (r < kRowChunk) return 10;
    if (r < 2 * kRowChunk) return r == kRowChunk + 7 ? 3 * kRowPiece + 5 : random() % 21;
    if (r < 3 * kRowChunk) return random() % 21;
    if (r < 4 * kRowChunk) return r % 9 == 0 ? 300 : 0;
    return r % 2;
  };
  std::vector<I> start = {0}, columns;
  std::vector<T> values, x(kCols);
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t n = length(r); n > 0; --n) {
      columns.push_back(static_cast<I>(random() % kCols));
      values.push_back(static_cast<T>(random()) / static_cast<T>(0x1p32) - T(0.5));
    }
    start.push_back(static_cast<I>(columns.size()));
  }
  for (T& v : x) v = static_cast<T>(random()) / static_cast<T>(0x1p32) - T(0.5);
  for (const CsrSize size :
       {CsrSize::small, CsrSize::in_caches, CsrSize::scattered, CsrSize::beyond_caches, CsrSize::scattered_beyond}) {
    SCOPED_TRACE(::testing::Message() << "size " << static_cast<int>(size));
    constexpr T kUntouched = T(-77);
    std::vector<T> y(kRows + 1, kUntouched), part(kRows, kUntouched);
    ops.csr_rows(start.data(), columns.data(), values.data(), x.data(), y.data(), 0, kRows, size);
    EXPECT_EQ(y[kRows], kUntouched);
    for (std::size_t r = 0; r < kRows; ++r) {
      long double want = 0, magnitude = 0;
      const auto begin = static_cast<std::size_t>(start[r]), end = static_cast<std::size_t>(start[r + 1]);
      for (std::size_t k = begin; k < end; ++k) {
        const long double product =
            static_cast<long double>(values[k]) * static_cast<long double>(x[static_cast<std::size_t>(columns[k])]);
        want += product;
        magnitude += std::fabs(product);
      }
      const auto n = static_cast<long double>(end - begin);
      ASSERT_LE(std::fabs(static_cast<long double>(y[r]) - want),
                n * static_cast<long double>(std::numeric_limits<T>::epsilon()) / 2 * magnitude)
          << "row " << r;
    }
    // As threads take them: parts that begin at chunks, and a long row alone.
    ops.csr_rows(start.data(), columns.data(), values.data(), x.data(), part.data(), 2 * kRowChunk, kRows, size);
    ops.csr_rows(start.data(), columns.data(), values.data(), x.data(), part.data(), 0, 2 * kRowChunk, size);
    for (std::size_t r = 0; r < kRows; ++r) ASSERT_EQ(part[r], y[r]) << "row " << r;
    for (std::size_t r = kRowChunk; r < 2 * kRowChunk; ++r) {
      const auto begin = static_cast<std::size_t>(start[r]), end = static_cast<std::size_t>(start[r + 1]);
      if (end - begin > kRowPiece) continue;
      ASSERT_EQ(ops.csr_row(columns.data() + begin, values.data() + begin, x.data(), end - begin), y[r])
          << "row " << r << " beside a long one";
    }
  }
}

TEST(CsrSizes, GiveTheSameWithinTheBound) {
  for (const Isa isa : runnable_isas()) {
    SCOPED_TRACE(name(isa));
    check(sparse_table(isa).f32_i32);
    check(sparse_table(isa).f64_i32);
    check(sparse_table(isa).f64_i64);
  }
}

}  // namespace
}  // namespace pawl::sparse
