// one_row.kernel.hpp -- one row of A times B where it lies, several rows of B side by side from left to right: each is
// a stream that the hardware follows.
//
// In tiles of 16 vectors (few_rows.kernel.hpp) it sees a jump every few lines. plan.cpp has the figures.
#pragma once
#include "kernels/matmul/tile.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

inline constexpr std::size_t kRowsSideBySide = 8;  // and as many elements of A in registers

// Columns [0, cols) of the sums over the next rows of B.
template <class T>
struct OneRowChunk {
  const T* a;  // elements a_step apart
  std::size_t a_step;
  const T* b;
  std::size_t ldb, cols;
  T* scratch;  // the sums so far
  T* c;
  T alpha, beta;
};

// kRows rows of B.
template <class T, std::size_t kRows, bool kFirst, bool kLast>
PAWL_INLINE void one_row_chunk(const OneRowChunk<T>& x) {
  constexpr std::size_t W = lanes<T>;
  Vec<T> a[kRows];
  const T* row[kRows];
  unroll<kRows>([&](auto p) PAWL_INLINE_LAMBDA {
    a[p] = Vec<T>(x.a[p * x.a_step]);
    row[p] = x.b + p * x.ldb;
  });
  T *const scratch = x.scratch, *const c = x.c;
  const T alpha = x.alpha, beta = x.beta;
  const std::size_t whole = x.cols / W * W, tail = x.cols - whole;
  const auto part = [=, &a, &row](std::size_t j, auto is_tail) PAWL_INLINE_LAMBDA {
    Vec<T> sum[1][1] = {{kFirst ? Vec<T>(T(0)) : load<T>(scratch + j)}};
    unroll<kRows>([&](auto p) PAWL_INLINE_LAMBDA {
      sum[0][0] = fma<T>(a[p], is_tail ? load_first<T>(row[p] + j, tail) : load<T>(row[p] + j), sum[0][0]);
    });
    if constexpr (kLast)
      write_sums<T, 1, 1, is_tail>(sum, alpha, beta, c + j, 0, tail);
    else
      store<T>(scratch + j, sum[0][0]);
  };
  for (std::size_t j = 0; j < whole; j += W) part(j, std::false_type{});
  if (tail != 0) part(whole, std::true_type{});
}

// The last `rows` of them, fewer than kRowsSideBySide.
template <class T, std::size_t kRows = kRowsSideBySide - 1>
PAWL_INLINE void one_row_rest(const OneRowChunk<T>& x, std::size_t rows) {
  if (rows == kRows) return one_row_chunk<T, kRows, false, true>(x);
  if constexpr (kRows > 1) one_row_rest<T, kRows - 1>(x, rows);
}

/// One row of A, more than kRowsSideBySide rows of B; `strip` columns at a time, whose sums wait in the scratch.
template <class T>
static void multiply_one_row(const MatmulBlock<T>& x, std::size_t strip, T* scratch) noexcept {
  for (std::size_t j = 0; j < x.cols; j += strip) {
    OneRowChunk<T> chunk{x.a,
                         x.a_layout == LeftLayout::rows ? 1 : x.a_stride,
                         x.b + j,
                         x.b_stride,
                         x.cols - j < strip ? x.cols - j : strip,
                         scratch,
                         x.c + j,
                         x.alpha,
                         x.beta};
    const auto next = [&]() PAWL_INLINE_LAMBDA {
      chunk.a += kRowsSideBySide * chunk.a_step;
      chunk.b += kRowsSideBySide * chunk.ldb;
    };
    one_row_chunk<T, kRowsSideBySide, true, false>(chunk);
    next();
    std::size_t left = x.depth - kRowsSideBySide;
    for (; left > kRowsSideBySide; left -= kRowsSideBySide, next())
      one_row_chunk<T, kRowsSideBySide, false, false>(chunk);
    if (left == kRowsSideBySide)
      one_row_chunk<T, kRowsSideBySide, false, true>(chunk);
    else
      one_row_rest<T>(chunk, left);
  }
}

}  // namespace pawl::PAWL_ISA_NS
