// one_row.kernel.hpp -- one row of A times B where it lies, several rows of B side by side from left to right, or times
// packed B, several panels side by side: each is a stream that the hardware follows.
//
// In tiles of 16 vectors (few_rows.kernel.hpp) it sees a jump every few lines. plan.cpp has the figures.
#pragma once
#include "kernels/matmul/tile.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// Rows of B at a time, with as many elements of A in registers, and lines of each of the next rows to ask for. Rows a
// whole number of pages apart fall on the same sets of L1, which has few ways: four rows, a page at a time. A stream
// ends with its page, so the beginnings of the next four are asked for while the last lines of the page are read.
struct OneRowWay {
  std::size_t rows, lines;
};
inline constexpr OneRowWay kSideBySide{8, 0}, kPageByPage{4, 16};

// Columns [0, cols) of the sums over the next rows of B.
template <class T>
struct OneRowChunk {
  const T* a;  // elements a_step apart
  std::size_t a_step;
  const T* b;
  std::size_t ldb, cols;
  std::size_t head;  // of the columns: those before the first line that begins in each row, if not 0 less than a vector
  const T* next;     // where the rows that come next begin, also ldb apart
  T* scratch;        // the sums so far
  T* c;
  T alpha, beta;
};

// kRows rows of B; asks for kLines lines of as many others.
template <class T, std::size_t kRows, std::size_t kLines, bool kFirst, bool kLast>
PAWL_INLINE void one_row_chunk(const OneRowChunk<T>& x) {
  constexpr std::size_t W = lanes<T>, kAsked = kLines * (64 / sizeof(T));
  Vec<T> a[kRows];
  const T* row[kRows];
  unroll<kRows>([&](auto p) PAWL_INLINE_LAMBDA {
    a[p] = Vec<T>(x.a[p * x.a_step]);
    row[p] = x.b + p * x.ldb;
  });
  T *const scratch = x.scratch, *const c = x.c;
  const T alpha = x.alpha, beta = x.beta;
  const std::size_t whole = x.head + (x.cols - x.head) / W * W, quiet = whole > kAsked ? whole - kAsked : 0;
  const std::ptrdiff_t ahead = x.next - (x.b + quiet);
  // `count`: less than a vector, or no number.
  const auto part = [=, &a, &row](std::size_t j, auto asks, auto count) PAWL_INLINE_LAMBDA {
    constexpr bool kPart = std::is_same_v<decltype(count), std::size_t>;
    Vec<T> sum[1][1] = {{kFirst ? Vec<T>(T(0)) : load<T>(scratch + j)}};
    unroll<kRows>([&](auto p) PAWL_INLINE_LAMBDA {
      if constexpr (asks) __builtin_prefetch(row[p] + j + ahead, 0, 3);
      if constexpr (kPart)
        sum[0][0] = fma<T>(a[p], load_first<T>(row[p] + j, count), sum[0][0]);
      else
        sum[0][0] = fma<T>(a[p], load<T>(row[p] + j), sum[0][0]);
    });
    if constexpr (kLast && kPart)
      write_sums<T, 1, 1, true>(sum, alpha, beta, c + j, 0, count);
    else if constexpr (kLast)
      write_sums<T, 1, 1, false>(sum, alpha, beta, c + j, 0, W);
    else if constexpr (kPart)
      store_first<T>(scratch + j, sum[0][0], count);
    else
      store<T>(scratch + j, sum[0][0]);
  };
  using No = std::false_type;
  using Asks = std::bool_constant<kLines != 0>;
  std::size_t j = 0;
  if constexpr (kLines == 0) {
    if (x.head != 0) part(0, No{}, x.head);
    j = x.head;
  }
  for (; j < quiet; j += W) part(j, No{}, No{});
  if constexpr (kLines != 0)
    for (; j < whole; j += W) part(j, Asks{}, No{});
  if (whole != x.cols) part(whole, Asks{}, x.cols - whole);
}

// The last `rows` of them, fewer than kRows + 1.
template <class T, std::size_t kRows, std::size_t kLines>
PAWL_INLINE void one_row_rest(const OneRowChunk<T>& x, std::size_t rows) {
  if (rows == kRows) return one_row_chunk<T, kRows, kLines, false, true>(x);
  if constexpr (kRows > 1) one_row_rest<T, kRows - 1, kLines>(x, rows);
}

// How many of the `left` columns from b on are taken at a time: `strip`, or those up to the end of a page, and what is
// short of a quarter of one joins its neighbour. A row that is not longer than a page goes on in the next one.
template <class T, OneRowWay kWay>
PAWL_INLINE std::size_t one_row_cols(const T* b, std::size_t left, std::size_t row, std::size_t strip) {
  std::size_t cols = strip;
  if constexpr (kWay.lines != 0) {
    constexpr std::size_t kPageCols = 4096 / sizeof(T), kQuarter = kPageCols / 4;
    if (row > kPageCols) {
      cols = kPageCols - reinterpret_cast<std::uintptr_t>(b) / sizeof(T) % kPageCols;
      if (cols < kQuarter) cols += kPageCols;
      if (left < cols + kQuarter) cols = left;
    }
  }
  return left < cols ? left : cols;
}

/// One row of A, more than kWay.rows rows of B; at most `strip` columns at a time, whose sums wait in the scratch. Page
/// by page it is at least a page and a half, or all columns.
template <class T, OneRowWay kWay>
static void multiply_one_row(const MatmulBlock<T>& x, std::size_t strip, T* scratch) noexcept {
  constexpr std::size_t kRows = kWay.rows, kLines = kWay.lines;
  for (std::size_t j = 0, cols = 0; j < x.cols; j += cols) {
    const T* const top = x.b + j;
    cols = one_row_cols<T, kWay>(top, x.cols - j, x.cols, strip);
    OneRowChunk<T> chunk{.a = x.a,
                         .a_step = x.a_layout == LeftLayout::rows ? 1 : x.a_stride,
                         .b = top,
                         .ldb = x.b_stride,
                         .cols = cols,
                         .head = 0,
                         .next = top + kRows * x.b_stride,
                         .scratch = scratch,
                         .c = x.c + j,
                         .alpha = x.alpha,
                         .beta = x.beta};
    const auto next = [&]() PAWL_INLINE_LAMBDA {
      chunk.a += kRows * chunk.a_step;
      chunk.b = chunk.next;
      chunk.next += kRows * chunk.ldb;
    };
    one_row_chunk<T, kRows, kLines, true, false>(chunk);
    next();
    std::size_t left = x.depth - kRows;
    for (; left > kRows; left -= kRows, next()) one_row_chunk<T, kRows, kLines, false, false>(chunk);
    chunk.next = j + cols < x.cols ? top + cols : chunk.b;  // after the last strip: what is there already
    one_row_rest<T, kRows, kLines>(chunk, left);
  }
}

// Packed panels at a time for one row of A, each a stream as well; one panel after the other is a single one. Time of
// that over time so on a Zen 5: B of 4096 x 4096 from memory 1.37 (f32) and 1.64 (f64), of 5 x 1000 in L1 1.6 and 1.8.
inline constexpr std::size_t kPanelsSideBySide = 4;

/// One row of A times as many whole panels of packed B as go in fours; the columns that are done.
template <class T>
PAWL_INLINE std::size_t multiply_one_row_packed(const MatmulBlock<T>& x) noexcept {
  constexpr std::size_t W = lanes<T>, V = kPanelsSideBySide * kTileVectors, kCols = V * W;
  std::size_t j = 0;
  for (; j + kCols <= x.cols; j += kCols) {
    const T* const b = x.b + j / kTileCols<T> * x.b_panel;
    Vec<T> sum[1][V];
    clear_sums<T, 1, V>(sum);
    for (std::size_t p = 0; p < x.depth; ++p) {
      const Vec<T> a(x.a_layout == LeftLayout::rows ? x.a[p] : x.a[p * x.a_stride]);
      unroll<V>([&](auto v) PAWL_INLINE_LAMBDA {
        sum[0][v] =
            fma<T>(a, load<T>(b + v / kTileVectors * x.b_panel + p * kTileCols<T> + v % kTileVectors * W), sum[0][v]);
      });
    }
    write_sums<T, 1, V, false>(sum, x.alpha, x.beta, x.c + j, 0, W);
  }
  return j;
}

}  // namespace pawl::PAWL_ISA_NS
