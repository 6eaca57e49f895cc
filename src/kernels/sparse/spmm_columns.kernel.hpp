// spmm_columns.kernel.hpp -- C = A B for B and C by columns, where A consists of runs of rows: eight rows of eight
// columns of C at a time, straight from the columns of B.
//
// Other matrices would gather from each column; for them B is packed by rows (spmm.cpp).
#pragma once
#include "kernels/sparse/runs.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
template <std::size_t W, class T, class I>
static void columns_panel(const I* start, const I* columns, const T* values, const T* b, std::size_t ldb, T* c,
                          std::size_t ldc, std::size_t row, std::size_t last) noexcept {
  // How far ahead of its use B is fetched: W columns are more streams than the hardware follows.
  constexpr std::size_t kAhead = 32 * 64 / sizeof(T);
  while (row < last) {
    const auto k = static_cast<std::size_t>(start[row]), n = static_cast<std::size_t>(start[row + 1]) - k;
    const std::size_t rows = rows_of_run(start, columns, row, last);
    if (rows > 2) {
      const auto ahead = static_cast<std::size_t>(columns[k + n - 1]) + kAhead;
      for (std::size_t j = 0; j < W; ++j) {
        __builtin_prefetch(
            reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(b) + (j * ldb + ahead) * sizeof(T)));
        __builtin_prefetch(
            reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(c) + (j * ldc + row + kAhead) * sizeof(T)),
            1);
      }
      run_product<W, 0>(columns + k, values + k, n, b, ldb, c + row, ldc, rows);
    } else {
      for (std::size_t r = row, from = k; r < row + rows; ++r, from += n)
        for (std::size_t j = 0; j < W; ++j)
          c[r + j * ldc] = row_product<0>(columns + from, values + from, n, b + j * ldb);
    }
    row += rows;
  }
}

template <class T, class I>
static void csr_columns(const I* start, const I* columns, const T* values, const T* b, std::size_t ldb, T* c,
                        std::size_t ldc, std::size_t width, std::size_t begin, std::size_t end) noexcept {
  constexpr std::size_t kRows = 256;  // whose entries stay in L1 or L2 for all columns
  for (std::size_t row = begin; row < end; row += kRows) {
    const std::size_t last = end - row < kRows ? end : row + kRows;
    std::size_t j = 0;
    for (; j + 8 <= width; j += 8)
      columns_panel<8>(start, columns, values, b + j * ldb, ldb, c + j * ldc, ldc, row, last);
    for (; j < width; ++j) columns_panel<1>(start, columns, values, b + j * ldb, ldb, c + j * ldc, ldc, row, last);
  }
}
template <class T, class I>
inline constexpr auto kCsrColumns = csr_columns<T, I>;
#else
template <class T, class I>
inline constexpr decltype(SparseOps<T, I>::csr_columns) kCsrColumns = nullptr;
#endif

}  // namespace pawl::PAWL_ISA_NS
