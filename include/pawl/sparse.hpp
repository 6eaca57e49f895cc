// sparse.hpp -- sparse matrices: COO triplets to CSR and CSC, transpose, dense and back, products with vectors, dense
// and sparse matrices.
//
// Values are float or double, indices std::int32_t or std::int64_t; all templates here are compiled for these four
// pairs. Indices count from 0. Row pointers have the index type, so a matrix with i32 indices has at most 2^31 - 1
// entries.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "pawl/sparse/array.hpp"

namespace pawl::sparse {

/// Compressed sparse rows: row r holds the entries row_start[r] <= k < row_start[r + 1], whose columns ascend strictly.
///
/// Every object keeps this: row_start has rows + 1 elements, begins with 0, never falls and ends with the number of
/// entries; 0 <= column < cols; no column twice in a row. Explicit zeros are entries like others.
template <class T, class I = std::int32_t>
class Csr {
 public:
  /// The matrix without entries.
  /// Errors     std::invalid_argument if rows, or cols, is beyond what I can hold.
  Csr(std::size_t rows, std::size_t cols);

  /// Copies the arrays after checking all that is said above.
  /// Errors     std::invalid_argument that names the array, the position and what is wrong there.
  Csr(std::size_t rows, std::size_t cols, std::span<const I> row_start, std::span<const I> columns,
      std::span<const T> values);

  std::size_t rows() const noexcept { return rows_; }
  std::size_t cols() const noexcept { return cols_; }
  std::size_t nonzeros() const noexcept { return columns_.size(); }
  std::span<const I> row_start() const noexcept { return {row_start_.data(), row_start_.size()}; }
  std::span<const I> columns() const noexcept { return {columns_.data(), columns_.size()}; }
  std::span<const T> values() const noexcept { return {values_.data(), values_.size()}; }
  /// Values may change, the pattern not.
  std::span<T> values() noexcept { return {values_.data(), values_.size()}; }

  /// Takes arrays that are known to keep the class's promises; nothing is checked.
  static Csr trusted(std::size_t rows, std::size_t cols, Array<I> row_start, Array<I> columns,
                     Array<T> values) noexcept {
    Csr m;
    m.rows_ = rows;
    m.cols_ = cols;
    m.row_start_ = std::move(row_start);
    m.columns_ = std::move(columns);
    m.values_ = std::move(values);
    return m;
  }

 private:
  Csr() = default;
  std::size_t rows_ = 0, cols_ = 0;
  Array<I> row_start_, columns_;
  Array<T> values_;
};

/// Triplets (row, column, value) in any order, by three arrays of one length. The memory stays the caller's.
template <class T, class I = std::int32_t>
struct Coo {
  std::size_t rows, cols;
  std::span<const I> row_indices, columns;
  std::span<const T> values;
};

/// A matrix from triplets in any order; triplets of one place are added in the order of their appearance.
///
/// Accuracy   a sum of n values has the error of n - 1 additions in T, left to right.
/// Cost       O(entries + rows), and a sort of each row; nothing to sort if the triplets are CSR already. Threads:
///            num_threads() from 12,000 triplets on. Needs up to three times the memory of the result meanwhile and,
///            with AVX-512 and AVX2 where rows are short, up to 330 bytes of addresses a row, of which it touches a
///            line an entry.
/// Errors     std::invalid_argument if lengths differ, an index is out of range (the message names the triplet), or
///            rows, cols or the number of triplets is beyond what I holds. An explicit zero stays an entry; NaN stays.
/// Reference  pawl::reference::from_triplets
template <class T, class I>
Csr<T, I> to_csr(const Coo<T, I>& triplets);

/// The transposed matrix, which is also the CSC form of `a`: its rows are the columns of `a`.
/// Cost       O(entries + rows + cols). Threads: num_threads() from 50,000 entries on, each with cols counters.
template <class T, class I>
Csr<T, I> transpose(const Csr<T, I>& a);

/// Compressed sparse columns, kept as the CSR form of the transposed matrix.
template <class T, class I = std::int32_t>
class Csc {
 public:
  /// Errors     as Csr's, in terms of the transposed matrix.
  Csc(std::size_t rows, std::size_t cols, std::span<const I> col_start, std::span<const I> row_indices,
      std::span<const T> values)
      : by_column_(cols, rows, col_start, row_indices, values) {}
  explicit Csc(const Csr<T, I>& a) : by_column_(transpose(a)) {}

  std::size_t rows() const noexcept { return by_column_.cols(); }
  std::size_t cols() const noexcept { return by_column_.rows(); }
  std::size_t nonzeros() const noexcept { return by_column_.nonzeros(); }
  std::span<const I> col_start() const noexcept { return by_column_.row_start(); }
  std::span<const I> row_indices() const noexcept { return by_column_.columns(); }
  std::span<const T> values() const noexcept { return by_column_.values(); }
  const Csr<T, I>& transposed() const noexcept { return by_column_; }

 private:
  Csr<T, I> by_column_;
};

template <class T, class I>
Csr<T, I> to_csr(const Csc<T, I>& a) {
  return transpose(a.transposed());
}

/// The entries of a dense row-major matrix with |value| > threshold; NaN is always one. Row r starts at r * stride.
/// Errors     std::invalid_argument if stride < cols, `dense` is too short, threshold is negative or NaN, or there are
///            more entries than I holds.
template <class T, class I = std::int32_t>
Csr<T, I> from_dense(std::span<const T> dense, std::size_t rows, std::size_t cols, std::size_t stride,
                     T threshold = T(0));

/// Writes the whole rows x cols row-major matrix, zeros included.
/// Errors     std::invalid_argument if stride < cols or `dense` is too short.
template <class T, class I>
void to_dense(const Csr<T, I>& a, std::span<T> dense, std::size_t stride);

/// y = A x: y[r] = sum over the entries of row r of value * x[column]. An empty row gives 0.
///
/// Shapes     x: cols, y: rows; any alignment. x and y must not overlap.
/// Accuracy   error <= n u sum |value x| for a row of n entries (u = 2^-24, 2^-53): sums of several partial sums.
/// Cost       2 nnz flops; reads each entry once. Threads: num_threads() from 150,000 entries on, in bursts of calls
///            from 10,000; rows divided so that each has as many. The result depends on the ISA, not on the threads.
/// Errors     std::invalid_argument if a length differs.
/// Reference  pawl::reference::spmv
template <class T, class I>
void spmv(const Csr<T, I>& a, std::span<const T> x, std::span<T> y);

/// y = A^T x: y[c] = sum over the entries of column c. As spmv, but x: rows, y: cols.
///
/// Cost       as spmv, writes scattered; for many products multiply by transpose(a) instead. Threads: num_threads(),
///            each with its own sums over the columns that its rows reach; one below 150,000 entries (in bursts of
///            calls 10,000), or where there are more than half as many columns as entries.
/// Accuracy   error <= n u sum |value x| for a column of n entries, added row by row within the rows of a thread: the
///            last bits depend on the number of threads.
template <class T, class I>
void spmv_transposed(const Csr<T, I>& a, std::span<const T> x, std::span<T> y);

/// How a dense matrix lies in memory: by rows, element (r, c) at r * stride + c, or by columns, at c * stride + r.
enum class Order : unsigned char { by_rows, by_columns };

/// C = A B with dense B and C of `width` columns, both in the same order: c(r, j) = sum of the entries of row r of A
/// times b(column, j).
///
/// Shapes     B: a.cols() x width, C: a.rows() x width, any alignment, B and C must not overlap. Stride: at least width
///            by rows, at least the number of rows by columns.
/// Accuracy   error <= n u sum |value b| for a row of n entries: one column of B, or a sparse A, is added as by spmv.
/// Cost       2 nnz width flops. Threads: num_threads() from 10^6 products on, in bursts of calls from 10,000. By
///            columns needs memory for up to 32 columns of B once more, unless there are one or two or `a` has fewer
///            entries than columns: mostly as many calls of spmv then; nor, with AVX-512, where rows are those before
///            moved by one column.
/// Errors     std::invalid_argument if a stride is too small or a span too short.
/// Reference  pawl::reference::spmv, column by column.
template <class T, class I>
void spmm(const Csr<T, I>& a, std::span<const T> b, std::size_t b_stride, std::span<T> c, std::size_t c_stride,
          std::size_t width, Order order = Order::by_rows);

/// The product of two sparse matrices. An entry is there if some product contributes to it, be the sum zero or not.
///
/// Accuracy   each entry is the sum of rounded products in the order of the columns of its row in `a`: the error of n
///            products and n - 1 additions. The same whatever the ISA and the number of threads.
/// Cost       O(products). Threads: num_threads() from 10,000 entries of `a` on, rows taken as they come.
/// Method     Gustavson, "Two fast algorithms for sparse matrices", ACM TOMS 4 (1978); where both matrices have runs of
///            rows that are the row before moved by one column, by such runs, eight rows together; else each row by an
///            array over the columns it can touch, with a bitmap, a sort of its products, or a hash table.
/// Errors     std::invalid_argument if a.cols() != b.rows(), or the result has more entries than I holds.
/// Reference  pawl::reference::spgemm
template <class T, class I>
Csr<T, I> spgemm(const Csr<T, I>& a, const Csr<T, I>& b);

}  // namespace pawl::sparse
