// operations.cpp -- sums, parts, statistics and triangular solves of sparse matrices, row by row.
#include "pawl/sparse/operations.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pawl/simd.hpp"
#include "refuse.hpp"
#include "sparse/active_ops.hpp"
#include "sparse/row_shares.hpp"
#include "sparse/row_sum.hpp"

namespace pawl::sparse {
namespace {

template <class I>
std::size_t at(std::span<const I> start, std::size_t row) {
  return static_cast<std::size_t>(start[row]);
}

// The largest so far passes over NaN, so that nothing is branched on: `finish` knows by the sum of squares, which is
// NaN if an entry is and never otherwise.
void add_to(Statistics& s, double value) {
  ++s.entries;
  s.sum += value;
  s.sum_squares += value * value;
  const double magnitude = std::fabs(value);
  s.max_abs = magnitude > s.max_abs ? magnitude : s.max_abs;
}
void finish(Statistics& s) {
  if (std::isnan(s.sum_squares)) s.max_abs = s.sum_squares;
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_diagonal(std::size_t row, bool is_missing) {
  refuse("solve_triangular: row " + std::to_string(row) +
         (is_missing ? " has no entry on the diagonal" : " has a zero on the diagonal"));
}

// Entries of both matrices of a sum. Below, looking for rows with the same places and waking a thread cost more than
// they save (two threads, power law with 160,000: 0.8 of the speed of one, random with 200,000 1.3 times, Emerald
// Rapids).
constexpr std::size_t kEntriesForThreads = 200'000;

// Rows [first, last) of the sum, written from columns[0] and values[0] on, which row_start counts from; returns how
// many entries they have.
template <class T, class I>
std::size_t add_rows(T alpha, const Csr<T, I>& a, T beta, const Csr<T, I>& b, std::size_t first, std::size_t last,
                     I* row_start, I* columns, T* values) noexcept {
  std::size_t out = 0;
  for (std::size_t r = first; r < last; ++r) {
    row_start[r] = static_cast<I>(out);
    out += write_sum(alpha, RowEntries<T, I>(a, r), beta, RowEntries<T, I>(b, r), columns + out, values + out);
  }
  return out;
}

// Parts of the rows are written where they begin if rows have either all places together or none, and moved together if
// that was not so: to count first takes nearly as long as to add.
template <class T, class I>
Csr<T, I> add_in_parts(T alpha, const Csr<T, I>& a, T beta, const Csr<T, I>& b, std::size_t parts) {
  const Csr<T, I>& larger = a.nonzeros() >= b.nonzeros() ? a : b;
  std::vector<std::size_t> first(parts + 1), loose(parts + 1), dense(parts + 1);
  for (std::size_t part = 0; part <= parts; ++part) first[part] = first_row_of(larger, part, parts);
  for_each_part(parts, [&](std::size_t part) {
    for (std::size_t r = first[part]; r < first[part + 1]; ++r)
      loose[part + 1] += most_of_sum(RowEntries<T, I>(a, r), RowEntries<T, I>(b, r));
  });
  std::partial_sum(loose.begin(), loose.end(), loose.begin());
  Array<I> start(a.rows() + 1), columns(loose[parts]);
  Array<T> values(loose[parts]);
  for_each_part(parts, [&](std::size_t part) {
    dense[part + 1] = add_rows(alpha, a, beta, b, first[part], first[part + 1], start.data(),
                               columns.data() + loose[part], values.data() + loose[part]);
  });
  std::partial_sum(dense.begin(), dense.end(), dense.begin());
  const bool moves = dense != loose;
  Array<I> dense_columns(moves ? dense[parts] : 0);
  Array<T> dense_values(moves ? dense[parts] : 0);
  for_each_part(parts, [&](std::size_t part) {
    for (std::size_t r = first[part]; r < first[part + 1]; ++r) start[r] += static_cast<I>(dense[part]);
    const std::size_t entries = moves ? dense[part + 1] - dense[part] : 0;
    std::copy_n(columns.data() + loose[part], entries, dense_columns.data() + dense[part]);
    std::copy_n(values.data() + loose[part], entries, dense_values.data() + dense[part]);
  });
  start[a.rows()] = static_cast<I>(dense[parts]);
  if (moves) {
    columns = std::move(dense_columns);
    values = std::move(dense_values);
  }
  return Csr<T, I>::trusted(a.rows(), a.cols(), std::move(start), std::move(columns), std::move(values));
}

}  // namespace

template <class T, class I>
Csr<T, I> add(T alpha, const Csr<T, I>& a, T beta, const Csr<T, I>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols())
    refuse("add: a is " + std::to_string(a.rows()) + " x " + std::to_string(a.cols()) + ", but b is " +
           std::to_string(b.rows()) + " x " + std::to_string(b.cols()));
  check_size<I>("the number of entries of both", a.nonzeros() + b.nonzeros());
  const std::size_t most = a.nonzeros() + b.nonzeros();
  const int threads = most < kEntriesForThreads ? 1 : num_threads();
  if (threads > 1) return add_in_parts(alpha, a, beta, b, static_cast<std::size_t>(threads));
  Array<I> start(a.rows() + 1), columns(most);
  Array<T> values(most);
  const std::size_t entries = add_rows(alpha, a, beta, b, 0, a.rows(), start.data(), columns.data(), values.data());
  start[a.rows()] = static_cast<I>(entries);
  columns.truncate(entries);
  values.truncate(entries);
  return Csr<T, I>::trusted(a.rows(), a.cols(), std::move(start), std::move(columns), std::move(values));
}

template <class T, class I>
void scale(Csr<T, I>& a, T factor) {
  mul(std::span<const T>(a.values()), factor, a.values());
}

template <class T, class I>
void scale_rows(Csr<T, I>& a, std::span<const T> factors) {
  check_length("scale_rows", "factors", factors.size(), a.rows());
  const std::span<T> values = a.values();
  constexpr std::size_t kFew = 32;  // a call of mul costs more than it saves
  for (std::size_t r = 0; r < a.rows(); ++r) {
    std::size_t k = at(a.row_start(), r);
    const std::size_t end = at(a.row_start(), r + 1);
    const T factor = factors[r];
    if (end - k >= kFew)
      mul(std::span<const T>(values.subspan(k, end - k)), factor, values.subspan(k, end - k));
    else
      for (; k < end; ++k) values[k] *= factor;
  }
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
  const I* const from = a.row_start().data() + row_begin;
  const auto origin = static_cast<std::size_t>(from[0]), entries = static_cast<std::size_t>(from[rows]) - origin;
  Array<I> start(rows + 1);
  if (col_begin == 0 && col_end == a.cols()) {
    for (std::size_t r = 0; r <= rows; ++r) start[r] = static_cast<I>(from[r] - from[0]);
    return Csr<T, I>::trusted(rows, col_end, std::move(start), Array<I>(a.columns().subspan(origin, entries)),
                              Array<T>(std::as_const(a).values().subspan(origin, entries)));
  }
  const I* const all_columns = a.columns().data();
  const auto low = static_cast<std::size_t>(col_begin), high = static_cast<std::size_t>(col_end);
  // How many of [begin, end) are below a limit: counted without a branch in short rows, else by bisection.
  const auto below = [all_columns](std::size_t begin, std::size_t end, std::size_t limit) {
    constexpr std::size_t kShort = 24;
    if (end - begin > kShort)
      return static_cast<std::size_t>(
          std::lower_bound(all_columns + begin, all_columns + end, limit,
                           [](I c, std::size_t l) { return static_cast<std::size_t>(c) < l; }) -
          (all_columns + begin));
    std::size_t count = 0;
    for (std::size_t k = begin; k < end; ++k) count += static_cast<std::size_t>(all_columns[k]) < limit;
    return count;
  };
  Array<I> first(rows);
  std::size_t n = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    start[r] = static_cast<I>(n);
    const auto begin = static_cast<std::size_t>(from[r]), end = static_cast<std::size_t>(from[r + 1]);
    const std::size_t skipped = below(begin, end, low);
    first[r] = static_cast<I>(begin + skipped);
    n += below(begin + skipped, end, high);
  }
  start[rows] = static_cast<I>(n);
  Array<I> columns(n);
  Array<T> values(n);
  const T* const all_values = a.values().data();
  for (std::size_t r = 0; r < rows; ++r) {
    auto k = static_cast<std::size_t>(first[r]);
    for (auto out = static_cast<std::size_t>(start[r]), end = static_cast<std::size_t>(start[r + 1]); out < end;
         ++out, ++k) {
      columns[out] = static_cast<I>(all_columns[k] - static_cast<I>(col_begin));
      values[out] = all_values[k];
    }
  }
  return Csr<T, I>::trusted(rows, col_end - col_begin, std::move(start), std::move(columns), std::move(values));
}

template <class T, class I>
std::vector<Statistics> row_statistics(const Csr<T, I>& a) {
  std::vector<Statistics> all(a.rows());
  for (std::size_t r = 0; r < a.rows(); ++r) {
    Statistics s;
    for (std::size_t k = at(a.row_start(), r), end = at(a.row_start(), r + 1); k < end; ++k)
      add_to(s, static_cast<double>(a.values()[k]));
    finish(s);
    all[r] = s;
  }
  return all;
}

template <class T, class I>
std::vector<Statistics> column_statistics(const Csr<T, I>& a) {
  std::vector<Statistics> all(a.cols());
  for (std::size_t k = 0; k < a.nonzeros(); ++k)
    add_to(all[static_cast<std::size_t>(a.columns()[k])], static_cast<double>(a.values()[k]));
  for (Statistics& s : all) finish(s);
  return all;
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

#define PAWL_INSTANTIATE(T, I)                                                                    \
  template Csr<T, I> add(T, const Csr<T, I>&, T, const Csr<T, I>&);                               \
  template void scale(Csr<T, I>&, T);                                                             \
  template void scale_rows(Csr<T, I>&, std::span<const T>);                                       \
  template Csr<T, I> slice(const Csr<T, I>&, std::size_t, std::size_t, std::size_t, std::size_t); \
  template std::vector<Statistics> row_statistics(const Csr<T, I>&);                              \
  template std::vector<Statistics> column_statistics(const Csr<T, I>&);                           \
  template void solve_triangular(const Csr<T, I>&, Triangle, std::span<const T>, std::span<T>);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
