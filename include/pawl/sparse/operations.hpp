// operations.hpp -- sums, parts, statistics, sampled products and triangular solves of sparse matrices.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "pawl/sparse.hpp"

namespace pawl::sparse {

/// alpha A + beta B: an entry wherever A or B has one, zero or not.
///
/// Accuracy   alpha a and beta b are rounded, then their sum; an entry of one matrix alone is rounded once.
/// Cost       O(entries + rows), less for rows with entries in the same places. Threads: num_threads() from 200,000
///            entries of both on, which take up to twice the memory of the result meanwhile.
/// Errors     std::invalid_argument if the shapes differ, or the sum could have more entries than I holds.
template <class T, class I>
Csr<T, I> add(T alpha, const Csr<T, I>& a, T beta, const Csr<T, I>& b);

/// A <- factor A, entry by entry; the pattern stays, also for factor 0.
template <class T, class I>
void scale(Csr<T, I>& a, T factor);

/// A <- diag(factors) A: row r times factors[r]. Errors: std::invalid_argument unless there are a.rows() factors.
template <class T, class I>
void scale_rows(Csr<T, I>& a, std::span<const T> factors);

/// Rows [row_begin, row_end) and columns [col_begin, col_end) as a matrix of their own.
/// Errors     std::invalid_argument unless begin <= end <= size in both directions.
template <class T, class I>
Csr<T, I> slice(const Csr<T, I>& a, std::size_t row_begin, std::size_t row_end, std::size_t col_begin,
                std::size_t col_end);

/// Of the entries of one row or column. Zero where there are none.
struct Statistics {
  std::size_t entries = 0;
  double sum = 0;  ///< added in double, in ascending order of columns (rows)
  double sum_squares = 0;
  double max_abs = 0;  ///< NaN if an entry is NaN
};

template <class T, class I>
std::vector<Statistics> row_statistics(const Csr<T, I>& a);
template <class T, class I>
std::vector<Statistics> column_statistics(const Csr<T, I>& a);

/// Sampled dense-dense product: at each entry (r, c) of `pattern` its value times the dot product of row r of U and row
/// c of V, both of `width` columns, row-major with the given strides.
///
/// Accuracy   error <= (width + 1) u |value| sum |u v|.
/// Cost       2 nnz width flops. Threads: num_threads(), rows divided by entries.
/// Errors     std::invalid_argument if a stride is less than width or a span too short.
template <class T, class I>
Csr<T, I> sddmm(const Csr<T, I>& pattern, std::span<const T> u, std::size_t u_stride, std::span<const T> v,
                std::size_t v_stride, std::size_t width);

enum class Triangle : unsigned char { lower, upper };

/// Solves A x = b for the lower or upper triangle of A with its diagonal; entries of the other triangle are ignored.
/// x and b may be the same memory.
///
/// Accuracy   backward stable: (A + E) x = b with |E| <= n u |A| for rows of n entries (Higham, Accuracy and Stability
///            of Numerical Algorithms, 2nd ed., theorem 8.5).
/// Cost       2 nnz flops, each row waits for those before it, and n elements of memory; 1 thread.
/// Errors     std::invalid_argument if A is not square, a length differs, or a row has no diagonal entry or a zero
///            there (the message names the row); x is then untouched.
template <class T, class I>
void solve_triangular(const Csr<T, I>& a, Triangle triangle, std::span<const T> b, std::span<T> x);

}  // namespace pawl::sparse
