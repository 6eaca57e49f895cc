// rows_side_by_side.kernel.hpp -- two to four rows of A times B where it lies, several rows of B side by side from left
// to right: each a stream that the hardware follows, as for one row of A (one_row.kernel.hpp).
//
// Tiles (few_rows.kernel.hpp) jump from row to row every few lines. Here the sums go to L1 and back once for each such
// number of rows, whose elements of A stay in registers.
#pragma once
#include <type_traits>

#include "isa/row_streams.hpp"
#include "kernels/line_parts.kernel.hpp"
#include "kernels/matmul/tile.kernel.hpp"
#include "pawl/isa.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
inline constexpr std::size_t kMostRowsBeside = 4;

// Rows of B at a time: M of A for each, M sums and one vector of B fit into the registers.
template <std::size_t M>
inline constexpr std::size_t kRowsBeside = M <= 3 ? 8 : 6;

// Columns at a time, whose sums wait in L1 beside as much of six to eight rows of B. From L2 4 KiB of a row: with 8 KiB
// two and three rows times a B of 200 x 1000 f64 took 1.1 times as long. From L3 longer runs are better: 1000 x 1000
// f64 1.1 times as fast.
inline constexpr std::size_t kBesideStrip = 1024, kBesideBytes = 4096;

// Columns [0, cols) of the sums over some rows of B.
template <class T>
struct RowsBesideChunk {
  const T* a;  // rows a_row apart, elements of a row a_step apart
  std::size_t a_row, a_step;
  const T* b;
  std::size_t ldb, cols;
  std::size_t head;  // of the columns: those before the first line that begins in each row, less than a vector
  T* sums;           // those so far, by rows of sums_row
  std::size_t sums_row;
  T* c;
  std::size_t ldc;
  T alpha, beta;
};

template <class T, std::size_t M, std::size_t kRows, bool kFirst, bool kLast>
static void rows_beside_chunk(const RowsBesideChunk<T>& x) noexcept {
  constexpr std::size_t W = lanes<T>;
  Vec<T> a[kRows * M];
  const T* row[kRows];
  unroll<kRows>([&](auto p) PAWL_INLINE_LAMBDA {
    row[p] = x.b + p * x.ldb;
    unroll<M>([&](auto i) PAWL_INLINE_LAMBDA { a[p * M + i] = Vec<T>(x.a[i * x.a_row + p * x.a_step]); });
  });
  T* sums[M];
  unroll<M>([&](auto i) PAWL_INLINE_LAMBDA { sums[i] = x.sums + i * x.sums_row; });
  const T alpha = x.alpha, beta = x.beta;
  T* const c = x.c;
  const std::size_t ldc = x.ldc;
  // `count`: less than a vector, or no number.
  const auto part = [=, &a, &row, &sums](std::size_t j, auto count) PAWL_INLINE_LAMBDA {
    constexpr bool kPart = std::is_same_v<decltype(count), std::size_t>;
    Vec<T> sum[M][1];
    unroll<M>([&](auto i) PAWL_INLINE_LAMBDA { sum[i][0] = kFirst ? Vec<T>(T(0)) : load<T>(sums[i] + j); });
    unroll<kRows>([&](auto p) PAWL_INLINE_LAMBDA {
      Vec<T> y;
      if constexpr (kPart)
        y = load_first<T>(row[p] + j, count);
      else
        y = kept<T>(load<T>(row[p] + j));
      unroll<M>([&](auto i) PAWL_INLINE_LAMBDA { sum[i][0] = fma<T>(a[p * M + i], y, sum[i][0]); });
    });
    if constexpr (kLast && kPart)
      write_sums<T, M, 1, true>(sum, alpha, beta, c + j, ldc, count);
    else if constexpr (kLast)
      write_sums<T, M, 1, false>(sum, alpha, beta, c + j, ldc, W);
    else if constexpr (kPart)
      unroll<M>([&](auto i) PAWL_INLINE_LAMBDA { store_first<T>(sums[i] + j, sum[i][0], count); });
    else
      unroll<M>([&](auto i) PAWL_INLINE_LAMBDA { store<T>(sums[i] + j, sum[i][0]); });
  };
  std::size_t j = x.head;
  if (j != 0) part(0, x.head);
  for (; j + W <= x.cols; j += W) part(j, std::true_type{});
  if (j < x.cols) part(j, x.cols - j);
}

template <class T, std::size_t M>
static void multiply_rows_beside(const MatmulBlock<T>& x) noexcept {
  using Parts = LineParts<T>;
  constexpr std::size_t W = lanes<T>, kRows = kRowsBeside<M>;
  const std::size_t period = Parts::rows_to_same_place(x.b_stride), apart = kRows * period < x.depth ? period : 1;
  const bool by_rows = x.a_layout == LeftLayout::rows;
  const std::size_t a_row = by_rows ? x.a_stride : 1, a_step = by_rows ? 1 : x.a_stride;
  constexpr std::size_t kSumsRow = kBesideStrip + 3 * W;  // not a power of two
  alignas(64) T sums[M * kSumsRow];
  for (std::size_t j = 0; j < x.cols; j += kBesideStrip) {
    const std::size_t cols = x.cols - j < kBesideStrip ? x.cols - j : kBesideStrip;
    const auto chunk_at = [&](std::size_t row, std::size_t step) PAWL_INLINE_LAMBDA {
      const T* const b = x.b + row * x.b_stride + j;
      const std::size_t head = Parts::elements_to_line(b);
      // Where all rows begin at the same place, so do the sums.
      return RowsBesideChunk<T>{.a = x.a + row * a_step,
                                .a_row = a_row,
                                .a_step = step * a_step,
                                .b = b,
                                .ldb = step * x.b_stride,
                                .cols = cols,
                                .head = head < cols ? head : 0,
                                .sums = sums + (period == 1 ? Parts::elements_before(b) : 0),
                                .sums_row = kSumsRow,
                                .c = x.c + j,
                                .ldc = x.ldc,
                                .alpha = x.alpha,
                                .beta = x.beta};
    };
    // The first rows and the last ones are as many as go together; between them those that are left over.
    std::size_t row = 0;
    for (; row + kRows * (apart + 1) <= x.depth; row += kRows * apart)
      for (std::size_t first = 0; first < apart; ++first) {
        const RowsBesideChunk<T> chunk = chunk_at(row + first, apart);
        if (row + first == 0)
          rows_beside_chunk<T, M, kRows, true, false>(chunk);
        else
          rows_beside_chunk<T, M, kRows, false, false>(chunk);
      }
    std::size_t left = x.depth - row - kRows;
    if (row == 0) {
      rows_beside_chunk<T, M, kRows, true, false>(chunk_at(0, 1));
      row += kRows;
      left -= kRows;
    }
    for (; left >= kRows; left -= kRows, row += kRows) rows_beside_chunk<T, M, kRows, false, false>(chunk_at(row, 1));
    const auto some = [&](auto count) PAWL_INLINE_LAMBDA {
      if ((left & count) == 0) return;
      rows_beside_chunk<T, M, count, false, false>(chunk_at(row, 1));
      row += count;
    };
    some(std::integral_constant<std::size_t, 4>{});
    some(std::integral_constant<std::size_t, 2>{});
    some(std::integral_constant<std::size_t, 1>{});
    rows_beside_chunk<T, M, kRows, false, true>(chunk_at(row, 1));
  }
}

/// Whether that was worth it, and is done. Time of tiles over time so on an Emerald Rapids, f32 and f64, B in L2 or L3:
/// two rows, 300 x 100 1.13 and 1.18, 512 x 512 1.8 and 1.18, 700 x 700 1.37 and 1.13, 1024 x 1024 1.12 and 1.05, three
/// rows 1.02 to 1.4; 64 deep 1.05 and 0.82, 17 deep 0.82; 4096 x 4096 f64 from memory 0.77. Of four rows 512 x 512 1.25
/// and 1.3, 4096 x 1024 1.15, but 200 x 1000 0.83 and 0.72: where rows of B do not share places of L1 tiles are faster,
/// as they are for six rows everywhere.
template <class T, std::size_t M = kMostRowsBeside>
PAWL_INLINE bool multiplied_rows_beside(const MatmulBlock<T>& x) {
  constexpr std::size_t kLeastCols = 6 * lanes<T>, kLeastDepth = 96;
  if constexpr (M == kMostRowsBeside) {
    if (x.rows < 2 || x.rows > M || x.cols < kLeastCols || x.depth < kLeastDepth) return false;
    if (!pawl::detail::follows_rows_into_l2) return false;
    constexpr std::size_t kShared = 2048;  // bytes
    if (x.rows == M && x.b_stride * sizeof(T) % kShared != 0) return false;
    const std::size_t b_bytes = x.depth * x.cols * sizeof(T);
    if (b_bytes <= assumed_cache_sizes().l1d_bytes || b_bytes > assumed_cache_sizes().l3_bytes / 4) return false;
    if (reinterpret_cast<std::uintptr_t>(x.b) % sizeof(T) != 0) return false;
  }
  if (x.rows == M) {
    multiply_rows_beside<T, M>(x);
    return true;
  }
  if constexpr (M > 2)
    return multiplied_rows_beside<T, M - 1>(x);
  else
    return false;
}
#endif

}  // namespace pawl::PAWL_ISA_NS
