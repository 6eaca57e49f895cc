// row_sort.hpp -- the entries of one row in any order to ascending columns, duplicates added in the order they came.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "pawl/sparse/array.hpp"
#include "sparse/active_ops.hpp"

namespace pawl::sparse {

/// Where a block of a result goes: start[r] becomes base + the entries before row r, for the block's rows.
template <class T, class I>
struct BlockResult {
  I* start;
  std::size_t base;
  I* columns;  ///< room for as many entries as the block has, here and in `values`
  T* values;
};

/// A sorted row, to which `out` may be the same memory or some before it: entries of one column are added from left to
/// right. Returns how many are left.
template <class T, class I>
std::size_t add_repeated(const I* columns, const T* values, std::size_t n, I* out_columns, T* out_values) {
  bool repeated = false;
  for (std::size_t k = 1; k < n; ++k) repeated |= columns[k] == columns[k - 1];
  if (!repeated) {
    if (out_columns != columns) {
      std::copy_n(columns, n, out_columns);
      std::copy_n(values, n, out_values);
    }
    return n;
  }
  std::size_t out = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (k > 0 && columns[k] == out_columns[out - 1]) {
      out_values[out - 1] += values[k];
    } else {
      out_columns[out] = columns[k];
      out_values[out++] = values[k];
    }
  }
  return out;
}

/// Rows in order, row r up to ends[r], in the arrays of the result: adds to each entry what repeats its column. Returns
/// how many of the n entries are left.
template <class T, class I>
std::size_t add_repeated_in_rows(const I* ends, std::size_t n, std::size_t rows, const BlockResult<T, I>& result) {
  // Equal neighbours within rows are those in all less those where a row begins: no row is looked at by itself.
  const I* const columns = result.columns;
  std::size_t equal = 0;
  for (std::size_t k = 1; k < n; ++k) equal += columns[k] == columns[k - 1];
  std::size_t begin = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    result.start[r] = static_cast<I>(result.base + begin);
    const auto end = static_cast<std::size_t>(ends[r]);
    equal -= begin > 0 && begin < end && columns[begin] == columns[begin - 1];
    begin = end;
  }
  if (equal == 0) return n;
  std::size_t out = 0;
  begin = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto end = static_cast<std::size_t>(ends[r]);
    result.start[r] = static_cast<I>(result.base + out);
    out += add_repeated(result.columns + begin, result.values + begin, end - begin, result.columns + out,
                        result.values + out);
    begin = end;
  }
  return out;
}

/// The memory in which a thread sorts rows, and the sort of one row.
template <class T, class I>
class RowSorter {
 public:
  /// For blocks of at most `entries` entries and matrices of `cols` columns.
  void reserve(std::size_t entries, std::size_t cols) {
    columns_ = Array<I>(entries);
    values_ = Array<T>(entries);
    column_bits_ = static_cast<unsigned>(std::bit_width(cols));
  }

  /// Writes the sorted row and returns its number of entries, which is less than n if there were duplicates.
  /// The input is overwritten; the output has room for n.
  std::size_t sort(I* columns, T* values, std::size_t n, I* out_columns, T* out_values) {
    if (n == 0) return 0;
    if (n > kShortRow)
      sort_long(columns, values, n, out_columns, out_values);
    else if (!sparse_ops<T, I>().sort_short_row(columns, values, n, out_columns, out_values))
      return n;
    return add_repeated(out_columns, out_values, n, out_columns, out_values);
  }

 private:
  // Least significant digit first, 8 bits each, so stable: as many passes as the columns have bytes.
  void sort_long(I* columns, T* values, std::size_t n, I* out_columns, T* out_values) {
    if (std::is_sorted(columns, columns + n)) {
      std::copy_n(columns, n, out_columns);
      std::copy_n(values, n, out_values);
      return;
    }
    using U = std::make_unsigned_t<I>;
    I *from_columns = columns, *to_columns = out_columns;
    T *from_values = values, *to_values = out_values;
    for (unsigned shift = 0; shift < column_bits_; shift += 8) {
      std::size_t place[256] = {};
      for (std::size_t k = 0; k < n; ++k) ++place[(static_cast<U>(from_columns[k]) >> shift) & 255u];
      std::size_t sum = 0;
      for (std::size_t& p : place) sum += std::exchange(p, sum);
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t to = place[(static_cast<U>(from_columns[k]) >> shift) & 255u]++;
        to_columns[to] = from_columns[k];
        to_values[to] = from_values[k];
      }
      std::swap(from_columns, to_columns);
      std::swap(from_values, to_values);
    }
    if (from_columns != out_columns) {
      std::copy_n(from_columns, n, out_columns);
      std::copy_n(from_values, n, out_values);
    }
  }

  Array<I> columns_;
  Array<T> values_;
  unsigned column_bits_ = 0;
};

}  // namespace pawl::sparse
