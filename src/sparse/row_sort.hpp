// row_sort.hpp -- the entries of one row in any order to ascending columns, duplicates added in the order they came.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "pawl/sparse/array.hpp"
#include "sparse/active_ops.hpp"

namespace pawl::sparse {

/// The memory in which a thread sorts blocks of rows, and the sort of one row.
template <class T, class I>
class RowSorter {
 public:
  /// For blocks of at most `entries` entries and matrices of `cols` columns.
  void reserve(std::size_t entries, std::size_t cols) {
    columns_ = Array<I>(entries);
    values_ = Array<T>(entries);
    column_bits_ = static_cast<unsigned>(std::bit_width(cols));
  }
  I* columns(std::size_t) noexcept { return columns_.data(); }
  T* values(std::size_t) noexcept { return values_.data(); }
  std::vector<std::size_t> next;  ///< where the next entry of each row goes

  /// Writes the sorted row and returns its number of entries, which is less than n if there were duplicates.
  /// The input is overwritten; the output has room for n.
  std::size_t sort(I* columns, T* values, std::size_t n, I* out_columns, T* out_values) {
    if (n == 0) return 0;
    bool duplicates = false;
    if (n <= kShortRow) {
      duplicates = sparse_ops<T, I>().sort_short_row(columns, values, n, out_columns, out_values);
    } else {
      sort_long(columns, values, n, out_columns, out_values);
      for (std::size_t k = 1; k < n; ++k) duplicates |= out_columns[k] == out_columns[k - 1];
    }
    if (!duplicates) return n;
    std::size_t out = 0;
    for (std::size_t k = 1; k < n; ++k) {
      if (out_columns[k] == out_columns[out]) {
        out_values[out] += out_values[k];
      } else {
        out_columns[++out] = out_columns[k];
        out_values[out] = out_values[k];
      }
    }
    return out + 1;
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
