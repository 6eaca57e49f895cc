// spmm.cpp -- sparse times dense: checks, threads, and panels of rows for matrices that lie by columns.
#include <algorithm>
#include <string>

#include "isa/streaming.hpp"
#include "kernels/sparse/row_parts.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"
#include "pawl/sparse.hpp"
#include "sparse/active_ops.hpp"
#include "sparse/refuse.hpp"
#include "sparse/row_likeness.hpp"
#include "sparse/scattered.hpp"

namespace pawl::sparse {
namespace {

constexpr std::size_t kPanel = 32;  // columns that a panel holds by rows: 256 bytes of f64, whole cache lines

// Elements that `outer` runs of `inner` elements take, `stride` apart.
void check_dense(const char* name, std::size_t length, std::size_t outer, std::size_t inner, std::size_t stride) {
  if (stride < inner)
    refuse(std::string("spmm: the stride of ") + name + " is " + std::to_string(stride) + ", less than " +
           std::to_string(inner));
  if (outer == 0 || inner == 0) return;
  if (length < inner || (length - inner) / stride < outer - 1)
    refuse(std::string("spmm: ") + name + " has " + std::to_string(length) + " elements, too few for " +
           std::to_string(outer) + " times " + std::to_string(inner) + " with stride " + std::to_string(stride));
}

// to[c * to_stride + r] = from[r * from_stride + c]. Tiles of 8 x 8 keep both sides in L1.
template <class T>
void transpose_dense(const T* from, std::size_t from_stride, std::size_t rows, std::size_t columns, T* to,
                     std::size_t to_stride) {
  constexpr std::size_t kTile = 8;
  for (std::size_t c = 0; c < columns; c += kTile)
    for (std::size_t r = 0; r < rows; r += kTile)
      for (std::size_t i = r; i < std::min(rows, r + kTile); ++i)
        for (std::size_t j = c; j < std::min(columns, c + kTile); ++j)
          to[j * to_stride + i] = from[i * from_stride + j];
}

}  // namespace

template <class T, class I>
void spmm(const Csr<T, I>& a, std::span<const T> b, std::size_t b_stride, std::span<T> c, std::size_t c_stride,
          std::size_t width, Order order) {
  const bool by_rows = order == Order::by_rows;
  check_dense("b", b.size(), by_rows ? a.cols() : width, by_rows ? width : a.cols(), b_stride);
  check_dense("c", c.size(), by_rows ? a.rows() : width, by_rows ? width : a.rows(), c_stride);
  if (a.rows() == 0 || width == 0) return;
  // A column at a time reads each element of B that is needed, and no other: what packing would read and write for
  // few entries is more. (f64, random, by columns: 100 x 10^5 with 5 a row, 2 columns, 120 us packed, 0.7 so.)
  const bool few_entries = a.nonzeros() < a.cols();
  // Two columns that are met at random beyond L2 share their misses when packed (3 a row of 3 10^5: 1.19 of the speed).
  const auto pair_as_vectors = [&] {
    return a.cols() * sizeof(T) <= assumed_cache_sizes().l2_bytes || !is_scattered(a);
  };
  const bool as_vectors = by_rows ? width == 1 && b_stride == 1 && c_stride == 1
                                  : width == 1 || few_entries || (width == 2 && pair_as_vectors());
  if (as_vectors) {
    for (std::size_t j = 0; j < width; ++j) {
      const std::size_t b_from = by_rows ? 0 : j * b_stride, c_from = by_rows ? 0 : j * c_stride;
      spmv(a, b.subspan(a.cols() == 0 ? 0 : b_from, a.cols()), c.subspan(c_from, a.rows()));
    }
    return;
  }
  const auto panel = sparse_ops<T, I>().csr_panel;
  const I *start = a.row_start().data(), *columns = a.columns().data();
  const T* values = a.values().data();
  const int threads = threads_for(a.nonzeros() * width);
  const Wake wake = wake_for_products(a.nonzeros() * width);
  // With panels, C is a buffer of a few rows.
  const auto size = [&, l2 = assumed_cache_sizes().l2_bytes](std::size_t n, std::size_t c_rows) {
    if (a.cols() * n * sizeof(T) <= l2) return DenseSize::in_l2;
    return (a.cols() + c_rows) * n * sizeof(T) <= kept_in_l3() || c_rows == 0 ? DenseSize::in_l3
                                                                              : DenseSize::beyond_caches;
  };

  if (by_rows) {
    on_threads(
        threads,
        [&](int t, int parts) {
          const std::size_t begin = first_row(a.row_start(), t, parts), end = first_row(a.row_start(), t + 1, parts);
          if (begin < end)
            panel(start, columns, values, b.data(), b_stride, c.data() + begin * c_stride, c_stride, width, begin, end,
                  size(width, a.rows()));
        },
        wake);
    return;
  }
  if (const auto by_runs = sparse_ops<T, I>().csr_columns;
      by_runs != nullptr && row_likeness(a) == RowLikeness::moved) {
    on_threads(
        threads,
        [&](int t, int parts) {
          const std::size_t begin = first_row(a.row_start(), t, parts), end = first_row(a.row_start(), t + 1, parts);
          if (begin < end) by_runs(start, columns, values, b.data(), b_stride, c.data(), c_stride, width, begin, end);
        },
        wake);
    return;
  }
  constexpr std::size_t kRows = 64;  // rows of C between two transpositions: 16 KiB of f64
  // A panel of a line's width stays in L3 longer: the matrix is read more often then, B and C are not (5-point stencil,
  // 10^5 rows, 32 columns: 1.0 times Eigen by panels of 32, 1.7 by panels of 8). Where the rows of B are met at random
  // and L3 does not hold even that, four lines at once are better (random, 10^6 rows: 2.7 against 1.4 times Eigen).
  const std::size_t l3 = assumed_cache_sizes().l3_bytes, line = 64 / sizeof(T);
  const bool narrow = a.cols() * kPanel * sizeof(T) > l3 / 2 && (a.cols() * 64 <= kept_in_l3() || !is_scattered(a));
  const std::size_t widest = narrow ? line : kPanel;
  // One vector more: a masked load whose other lanes reach into a page that is not there takes 140 ns, not 0.8 (Zen 4;
  // 10^5 x 8, 1 column: 61 ms where that page was missing, 0.9 where not).
  constexpr std::size_t kVector = 64 / sizeof(T);
  const std::size_t packed_size = a.cols() * std::min(width, widest);
  Array<T> packed(packed_size + kVector);
  std::fill_n(packed.data() + packed_size, kVector, T(0));
  for (std::size_t j = 0; j < width; j += widest) {
    const std::size_t n = std::min(widest, width - j);
    on_threads(
        threads,
        [&](int t, int parts) {
          const auto [begin, end] = share(a.cols(), t, parts, 8);
          transpose_dense(b.data() + j * b_stride + begin, b_stride, n, end - begin, packed.data() + begin * n, n);
        },
        wake);
    on_threads(
        threads,
        [&](int t, int parts) {
          T rows[kRows * kPanel];
          const std::size_t last = first_row(a.row_start(), t + 1, parts);
          for (std::size_t r = first_row(a.row_start(), t, parts); r < last; r += kRows) {
            const std::size_t end = std::min(last, r + kRows);
            panel(start, columns, values, packed.data(), n, rows, n, n, r, end, size(n, 0));
            transpose_dense(rows, n, end - r, n, c.data() + j * c_stride + r, c_stride);
          }
        },
        wake);
  }
}

#define PAWL_INSTANTIATE(T, I) \
  template void spmm(const Csr<T, I>&, std::span<const T>, std::size_t, std::span<T>, std::size_t, std::size_t, Order);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
