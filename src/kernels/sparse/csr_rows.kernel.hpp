// csr_rows.kernel.hpp -- y = A x for rows in CSR: by runs of rows that are moved copies of each other, one by one where
// rows are alike in length, else by a buffer of products.
#pragma once
#include "kernels/sparse/csr.kernel.hpp"
#include "kernels/sparse/runs.kernel.hpp"
#include "kernels/sparse/runs_of_quads.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
template <std::size_t kAhead, class T, class I>
PAWL_INLINE void rows_by_runs(const I* start, const I* columns, const T* values, const T* x, T* y, std::size_t row,
                              std::size_t last) {
  while (row < last) {
    const auto k = static_cast<std::size_t>(start[row]), n = static_cast<std::size_t>(start[row + 1]) - k;
    const std::size_t rows = rows_of_run(start, columns, row, last);
    // Foreseen, the next rows need not wait until it is known how far these go.
    if (__builtin_expect(rows == kRunRows, 1)) {
      run_product<1, kAhead>(columns + k, values + k, n, x, 0, y + row, 0, kRunRows);
      row += kRunRows;
      continue;
    }
    if (rows > 2)
      run_product<1, kAhead>(columns + k, values + k, n, x, 0, y + row, 0, rows);
    else
      for (std::size_t r = row, from = k; r < row + rows; ++r, from += n)
        y[r] = row_product<kAhead>(columns + from, values + from, n, x);
    row += rows;
  }
}
#elif defined(PAWL_ISA_IS_avx2)
// The same by eight rows or by four. Where a run ends, its last rows are taken together with some before them, once
// more.
template <std::size_t kAhead, class T, class I>
[[gnu::noinline]] static void rows_by_runs(const I* start, const I* columns, const T* values, const T* x, T* y,
                                           std::size_t row, std::size_t last) {
  const auto by_quads = [&]<std::size_t Q, std::size_t Ahead>(std::size_t at, std::size_t n) PAWL_INLINE_LAMBDA {
    const auto k = static_cast<std::size_t>(start[at]);
    run_of_quads<Q, Ahead>(columns + k, values + k, n, x, y + at);
  };
  const auto alone = [&](std::size_t at, std::size_t n) PAWL_INLINE_LAMBDA {
    const auto k = static_cast<std::size_t>(start[at]);
    y[at] = row_product<kAhead>(columns + k, values + k, n, x);
  };
  while (row < last) {
    const std::size_t n = static_cast<std::size_t>(start[row + 1]) - static_cast<std::size_t>(start[row]);
    std::size_t rows = rows_of_run(start, columns, row, last);
    if (rows < kRunRows) {
      std::size_t r = 0;
      if (rows >= 4) {
        by_quads.template operator()<1, 0>(row, n);
        r = 4;
        if (rows > 5) by_quads.template operator()<1, 0>(row + (r = rows) - 4, n);
      }
      for (; r < rows; ++r) alone(row + r, n);
      row += rows;
      continue;
    }
    do {
      by_quads.template operator()<2, kAhead>(row, n);
      row += kRunRows;
      rows = rows_moved_on(start, columns, row, last, n);
    } while (rows == kRunRows);
    row += rows;
    if (rows > 4)
      by_quads.template operator()<2, 0>(row - kRunRows, n);
    else if (rows > 1)
      by_quads.template operator()<1, 0>(row - 4, n);
    else if (rows == 1)
      alone(row - 1, n);
  }
}
#endif

template <std::size_t kAhead, bool kByProducts, class T, class I>
static void csr_chunks(const I* start, const I* columns, const T* values, const T* x, T* y, std::size_t begin,
                       std::size_t end) noexcept {
#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
  alignas(64) T products[kProducts + 32];  // addresses of vectors that no lane is read of
#endif
  for (std::size_t first = begin; first < end; first += kRowChunk) {
    const std::size_t last = end - first < kRowChunk ? end : first + kRowChunk;
    auto k = static_cast<std::size_t>(start[first]);
    const std::size_t entries = static_cast<std::size_t>(start[last]) - k;
    if (entries == 0) {
      for (std::size_t r = first; r < last; ++r) y[r] = 0;
      continue;
    }
#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
    // Not where a row may be shared by threads (sparse.cpp): those chunks are taken row by row.
    if (entries <= kRowChunk * kLongRun && has_runs(start + first, columns, last - first)) {
      rows_by_runs<kAhead>(start, columns, values, x, y, first, last);
      continue;
    }
    if (kByProducts && entries <= kProducts && lengths_differ(start + first, last - first)) {
      rows_by_products<kAhead>(start + first, columns, values, x, y + first, last - first, products);
      continue;
    }
#endif
    if (entries < kShortRows * (last - first)) {
      for (std::size_t r = first; r < last; ++r) {
        const auto next = static_cast<std::size_t>(start[r + 1]);
        y[r] = short_row<kAhead>(columns + k, values + k, next - k, x);
        k = next;
      }
      continue;
    }
    for (std::size_t r = first; r < last; ++r) {
      const auto next = static_cast<std::size_t>(start[r + 1]);
      y[r] = row_product<kAhead>(columns + k, values + k, next - k, x);
      k = next;
    }
  }
}

// Rows from memory whose columns lie at random beyond L2, for a Zen 4: entry by entry, and the matrix asked for into L2
// alone. What is asked for into L1 keeps a buffer of misses for all of the way from memory, and x needs them. That
// groups of four entries are slower than a plain loop is measured, not explained. ns per entry of 10 random columns
// (f64; 3 10^5 and 10^6 rows): quads 2.19 and 2.62, with the matrix asked for into L1 2.21 and 2.52, into L2 1.73 and
// 2.15; a plain loop 1.57 and 1.77, this 1.30 and 1.63.
inline constexpr std::size_t kFetchIntoL2 = 512;  // entries; 256 to 2048 level
template <class T, class I>
#if !defined(__clang__)
[[gnu::optimize("no-tree-vectorize")]]
#endif
[[gnu::noinline]] static void
rows_entry_by_entry(const I* start, const I* columns, const T* values, const T* x, T* y, std::size_t rows) {
  for (std::size_t r = 0; r < rows; ++r) {
    const auto begin = static_cast<std::size_t>(start[r]), end = static_cast<std::size_t>(start[r + 1]);
    for (std::size_t k = begin; k < end; k += 64 / sizeof(T)) fetch_ahead<kFetchIntoL2, 2>(columns + k, values + k);
    T sum = 0;
    for (std::size_t k = begin; k < end; ++k) sum += values[k] * x[columns[k]];
    y[r] = sum;
  }
}

template <class T, class I>
static void csr_scattered_beyond(const I* start, const I* columns, const T* values, const T* x, T* y, std::size_t begin,
                                 std::size_t end) noexcept {
  for (std::size_t first = begin; first < end; first += kRowChunk) {
    const std::size_t last = end - first < kRowChunk ? end : first + kRowChunk;
    // Chunks with rows that threads may share (sparse.cpp) as elsewhere.
    if (static_cast<std::size_t>(start[last]) - static_cast<std::size_t>(start[first]) > kRowPiece / 4)
      csr_chunks<kFetchAhead, false, T, I>(start, columns, values, x, y, first, last);
    else
      rows_entry_by_entry(start + first, columns, values, x, y + first, last - first);
  }
}

template <class T, class I>
static void csr_rows(const I* start, const I* columns, const T* values, const T* x, T* y, std::size_t begin,
                     std::size_t end, CsrSize size) noexcept {
  const auto chunks = size == CsrSize::scattered_beyond ? csr_scattered_beyond<T, I>
                      : size == CsrSize::beyond_caches  ? csr_chunks<kFetchAhead, true, T, I>
                      : size == CsrSize::scattered      ? csr_chunks<kFetchNear, true, T, I>
                      : size == CsrSize::in_caches      ? csr_chunks<0, true, T, I>
                                                        : csr_chunks<0, false, T, I>;
  chunks(start, columns, values, x, y, begin, end);
}

template <class T, class I>
static T csr_row(const I* columns, const T* values, const T* x, std::size_t n) noexcept {
  return row_product<kFetchAhead>(columns, values, n, x);
}

}  // namespace pawl::PAWL_ISA_NS
