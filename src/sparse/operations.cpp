// operations.cpp -- sums, parts, statistics, sampled products and triangular solves of sparse matrices, row by row.
#include "pawl/sparse/operations.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/sparse/row_parts.hpp"
#include "pawl/parallel.hpp"
#include "refuse.hpp"
#include "sparse/active_ops.hpp"

namespace pawl::sparse {
namespace {

template <class I>
std::size_t at(std::span<const I> start, std::size_t row) {
  return static_cast<std::size_t>(start[row]);
}

void add_to(Statistics& s, double value) {
  ++s.entries;
  s.sum += value;
  s.sum_squares += value * value;
  const double magnitude = std::fabs(value);
  if (!(magnitude <= s.max_abs)) s.max_abs = std::isnan(s.max_abs) ? s.max_abs : magnitude;
}

void check_rows(const char* name, std::size_t length, std::size_t rows, std::size_t width, std::size_t stride) {
  if (stride < width)
    refuse(std::string("sddmm: the stride of ") + name + " is " + std::to_string(stride) + ", less than the width " +
           std::to_string(width));
  if (rows == 0 || width == 0) return;
  if (length < width || (length - width) / stride < rows - 1)
    refuse(std::string("sddmm: ") + name + " has " + std::to_string(length) + " elements, too few for " +
           std::to_string(rows) + " rows with stride " + std::to_string(stride));
}

template <class T>
T dot(const T* u, const T* v, std::size_t n) {
  constexpr std::size_t kSums = 16;  // as many independent sums as keep two vector units busy on every ISA
  T sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= n; i += kSums)
    for (std::size_t j = 0; j < kSums; ++j) sums[j] += u[i + j] * v[i + j];
  T sum = 0;
  for (; i < n; ++i) sum += u[i] * v[i];
  for (T s : sums) sum += s;
  return sum;
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_diagonal(std::size_t row, bool is_missing) {
  refuse("solve_triangular: row " + std::to_string(row) +
         (is_missing ? " has no entry on the diagonal" : " has a zero on the diagonal"));
}

}  // namespace

template <class T, class I>
Csr<T, I> add(T alpha, const Csr<T, I>& a, T beta, const Csr<T, I>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols())
    refuse("add: a is " + std::to_string(a.rows()) + " x " + std::to_string(a.cols()) + ", but b is " +
           std::to_string(b.rows()) + " x " + std::to_string(b.cols()));
  check_size<I>("the number of entries of both", a.nonzeros() + b.nonzeros());
  Array<I> start(a.rows() + 1), columns(a.nonzeros() + b.nonzeros());
  Array<T> values(a.nonzeros() + b.nonzeros());
  std::size_t out = 0;
  for (std::size_t r = 0; r < a.rows(); ++r) {
    start[r] = static_cast<I>(out);
    std::size_t i = at(a.row_start(), r), j = at(b.row_start(), r);
    const std::size_t i_end = at(a.row_start(), r + 1), j_end = at(b.row_start(), r + 1);
    while (i < i_end || j < j_end) {
      const bool from_a = i < i_end && (j == j_end || a.columns()[i] <= b.columns()[j]);
      const bool from_b = j < j_end && (i == i_end || b.columns()[j] <= a.columns()[i]);
      columns[out] = from_a ? a.columns()[i] : b.columns()[j];
      values[out] = from_a && from_b ? alpha * a.values()[i] + beta * b.values()[j]
                    : from_a         ? alpha * a.values()[i]
                                     : beta * b.values()[j];
      ++out;
      i += from_a;
      j += from_b;
    }
  }
  start[a.rows()] = static_cast<I>(out);
  columns.truncate(out);
  values.truncate(out);
  return Csr<T, I>::trusted(a.rows(), a.cols(), std::move(start), std::move(columns), std::move(values));
}

template <class T, class I>
void scale(Csr<T, I>& a, T factor) {
  for (T& value : a.values()) value *= factor;
}

template <class T, class I>
void scale_rows(Csr<T, I>& a, std::span<const T> factors) {
  check_length("scale_rows", "factors", factors.size(), a.rows());
  const std::span<T> values = a.values();
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (std::size_t k = at(a.row_start(), r); k < at(a.row_start(), r + 1); ++k) values[k] *= factors[r];
}

template <class T, class I>
Csr<T, I> slice(const Csr<T, I>& a, std::size_t row_begin, std::size_t row_end, std::size_t col_begin,
                std::size_t col_end) {
  const auto check = [](const char* what, std::size_t begin, std::size_t end, std::size_t size) {
    if (begin > end || end > size)
      refuse(std::string("slice: ") + what + " [" + std::to_string(begin) + ", " + std::to_string(end) +
             ") is not a range within " + std::to_string(size));
  };
  check("rows", row_begin, row_end, a.rows());
  check("columns", col_begin, col_end, a.cols());
  const std::size_t rows = row_end - row_begin;
  const auto columns_of = [&](std::size_t r) {
    const I* row = a.columns().data();
    const auto first = std::lower_bound(row + at(a.row_start(), r), row + at(a.row_start(), r + 1), col_begin,
                                        [](I c, std::size_t limit) { return static_cast<std::size_t>(c) < limit; });
    const auto last = std::lower_bound(first, row + at(a.row_start(), r + 1), col_end,
                                       [](I c, std::size_t limit) { return static_cast<std::size_t>(c) < limit; });
    return std::pair(static_cast<std::size_t>(first - row), static_cast<std::size_t>(last - row));
  };
  Array<I> start(rows + 1);
  std::size_t n = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    start[r] = static_cast<I>(n);
    const auto [first, last] = columns_of(row_begin + r);
    n += last - first;
  }
  start[rows] = static_cast<I>(n);
  Array<I> columns(n);
  Array<T> values(n);
  std::size_t out = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto [first, last] = columns_of(row_begin + r);
    for (std::size_t k = first; k < last; ++k, ++out) {
      columns[out] = static_cast<I>(a.columns()[k] - static_cast<I>(col_begin));
      values[out] = a.values()[k];
    }
  }
  return Csr<T, I>::trusted(rows, col_end - col_begin, std::move(start), std::move(columns), std::move(values));
}

template <class T, class I>
std::vector<Statistics> row_statistics(const Csr<T, I>& a) {
  std::vector<Statistics> all(a.rows());
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (std::size_t k = at(a.row_start(), r); k < at(a.row_start(), r + 1); ++k)
      add_to(all[r], static_cast<double>(a.values()[k]));
  return all;
}

template <class T, class I>
std::vector<Statistics> column_statistics(const Csr<T, I>& a) {
  std::vector<Statistics> all(a.cols());
  for (std::size_t k = 0; k < a.nonzeros(); ++k)
    add_to(all[static_cast<std::size_t>(a.columns()[k])], static_cast<double>(a.values()[k]));
  return all;
}

template <class T, class I>
Csr<T, I> sddmm(const Csr<T, I>& pattern, std::span<const T> u, std::size_t u_stride, std::span<const T> v,
                std::size_t v_stride, std::size_t width) {
  check_rows("u", u.size(), pattern.rows(), width, u_stride);
  check_rows("v", v.size(), pattern.cols(), width, v_stride);
  Csr<T, I> result = pattern;
  const std::span<T> values = result.values();
  const int threads = pattern.nonzeros() * width < kEntriesForThreads ? 1 : num_threads();
  on_threads(threads, [&](int t, int parts) {
    const std::size_t end = first_row(pattern.row_start(), t + 1, parts);
    for (std::size_t r = first_row(pattern.row_start(), t, parts); r < end; ++r)
      for (std::size_t k = at(pattern.row_start(), r); k < at(pattern.row_start(), r + 1); ++k)
        values[k] *=
            dot(u.data() + r * u_stride, v.data() + static_cast<std::size_t>(pattern.columns()[k]) * v_stride, width);
  });
  return result;
}

template <class T, class I>
void solve_triangular(const Csr<T, I>& a, Triangle triangle, std::span<const T> b, std::span<T> x) {
  const std::size_t n = a.rows();
  if (a.cols() != n)
    refuse("solve_triangular: the matrix is " + std::to_string(n) + " x " + std::to_string(a.cols()) + ", not square");
  check_length("solve_triangular", "b", b.size(), n);
  check_length("solve_triangular", "x", x.size(), n);
  const I *const columns = a.columns().data(), *const start = a.row_start().data();
  const T* const values = a.values().data();
  // Solved beside x, so that a row without diagonal, met last, leaves x as it was, and b may be x.
  constexpr std::size_t kOnStack = 256;
  T few[kOnStack];
  Array<T> many(n > kOnStack ? n : 0);
  T* const solved = n > kOnStack ? many.data() : few;
  const auto csr_row = sparse_ops<T, I>().csr_row;
  constexpr std::size_t kLongRow = 32;  // as of which csr_row adds sixteen products at once
  const auto bisect = [columns](std::size_t r, std::size_t k, std::size_t end) {
    const auto own = static_cast<I>(r);
    if (columns[k] >= own) return k;  // whole triangles have it at an end
    if (columns[end - 1] == own) return end - 1;
    return static_cast<std::size_t>(std::lower_bound(columns + k, columns + end, own) - columns);
  };
  const auto row = [&](std::size_t r, auto is_lower) {
    const auto begin = static_cast<std::size_t>(start[r]), end = static_cast<std::size_t>(start[r + 1]);
    const auto own = static_cast<I>(r);
    T sum = b[r];
    std::size_t k = begin;  // becomes the place of the diagonal
    if (end - begin >= kLongRow) {
      k = bisect(r, begin, end);
      const std::size_t from = is_lower ? begin : std::min(k + 1, end), to = is_lower ? k : end;
      if (from < to) sum -= csr_row(columns + from, values + from, solved, to - from);
    } else if constexpr (is_lower) {
      for (; k < end && columns[k] < own; ++k) sum -= values[k] * solved[columns[k]];
    } else {
      for (k = end; k > begin && columns[k - 1] > own; --k) sum -= values[k - 1] * solved[columns[k - 1]];
      k = k > begin ? k - 1 : end;
    }
    if (k == end || columns[k] != own || values[k] == T(0)) refuse_diagonal(r, k == end || columns[k] != own);
    solved[r] = sum / values[k];
  };
  if (triangle == Triangle::lower)
    for (std::size_t r = 0; r < n; ++r) row(r, std::true_type{});
  else
    for (std::size_t r = n; r-- > 0;) row(r, std::false_type{});
  std::copy_n(solved, n, x.data());
}

#define PAWL_INSTANTIATE(T, I)                                                                                 \
  template Csr<T, I> add(T, const Csr<T, I>&, T, const Csr<T, I>&);                                            \
  template void scale(Csr<T, I>&, T);                                                                          \
  template void scale_rows(Csr<T, I>&, std::span<const T>);                                                    \
  template Csr<T, I> slice(const Csr<T, I>&, std::size_t, std::size_t, std::size_t, std::size_t);              \
  template std::vector<Statistics> row_statistics(const Csr<T, I>&);                                           \
  template std::vector<Statistics> column_statistics(const Csr<T, I>&);                                        \
  template Csr<T, I> sddmm(const Csr<T, I>&, std::span<const T>, std::size_t, std::span<const T>, std::size_t, \
                           std::size_t);                                                                       \
  template void solve_triangular(const Csr<T, I>&, Triangle, std::span<const T>, std::span<T>);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
