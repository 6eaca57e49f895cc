// row_sum.hpp -- the same row of two matrices -> their weighted sum.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include "pawl/sparse.hpp"

namespace pawl::sparse {

/// One row: columns ascending, without duplicates.
template <class T, class I>
struct RowEntries {
  std::span<const I> columns;
  std::span<const T> values;

  RowEntries(const Csr<T, I>& a, std::size_t row) {
    const auto begin = static_cast<std::size_t>(a.row_start()[row]);
    const std::size_t n = static_cast<std::size_t>(a.row_start()[row + 1]) - begin;
    columns = a.columns().subspan(begin, n);
    values = a.values().subspan(begin, n);
  }
};

/// Whether two rows have entries in the same places, as those of matrices from one mesh have: no merging is needed
/// then.
template <class T, class I>
bool same_places(const RowEntries<T, I>& a, const RowEntries<T, I>& b) noexcept {
  return std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end());
}

/// No more entries than these: as many if the places are the same, or all apart.
template <class T, class I>
std::size_t most_of_sum(const RowEntries<T, I>& a, const RowEntries<T, I>& b) noexcept {
  return same_places(a, b) ? a.columns.size() : a.columns.size() + b.columns.size();
}

/// alpha a + beta b, to where most_of_sum() entries have room; returns how many there are. An entry of one row alone is
/// its product with the row's factor.
template <class T, class I>
std::size_t write_sum(T alpha, const RowEntries<T, I>& a, T beta, const RowEntries<T, I>& b, I* columns,
                      T* values) noexcept {
  const std::size_t m = a.columns.size(), n = b.columns.size();
  if (same_places(a, b)) {
    std::copy_n(a.columns.data(), m, columns);
    for (std::size_t k = 0; k < m; ++k) values[k] = alpha * a.values[k] + beta * b.values[k];
    return m;
  }
  std::size_t out = 0, i = 0, j = 0;
  for (; i < m && j < n; ++out) {
    const I from_a = a.columns[i], from_b = b.columns[j];
    const T of_a = alpha * a.values[i], of_b = beta * b.values[j];
    // From memory, since what to branch on cannot be foreseen.
    const T one_of[] = {of_a, of_b, of_a + of_b};
    columns[out] = std::min(from_a, from_b);
    values[out] = one_of[static_cast<std::size_t>(from_b < from_a) + 2 * static_cast<std::size_t>(from_a == from_b)];
    i += from_a <= from_b;
    j += from_b <= from_a;
  }
  for (; i < m; ++i, ++out) {
    columns[out] = a.columns[i];
    values[out] = alpha * a.values[i];
  }
  for (; j < n; ++j, ++out) {
    columns[out] = b.columns[j];
    values[out] = beta * b.values[j];
  }
  return out;
}

}  // namespace pawl::sparse
