// picked_rows.hpp -- a product whose left matrix has at most one entry a row: rows of the right one, multiplied and put
// where they belong.
//
// Diagonal matrices, permutations and selections need no accumulator, and how long each row becomes is known before.
#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>

#include "pawl/parallel.hpp"
#include "pawl/sparse.hpp"
#include "refuse.hpp"

namespace pawl::sparse {

/// Whether no row has more than one entry.
template <class T, class I>
bool picks_rows(const Csr<T, I>& a) {
  constexpr std::size_t kGroup = 64;  // rows between looks at the result, so that the loop over them has no branch
  if (a.nonzeros() > a.rows()) return false;
  const I* const start = a.row_start().data();
  for (std::size_t r = 0; r < a.rows();) {
    bool more = false;
    for (const std::size_t end = std::min(a.rows(), r + kGroup); r < end; ++r) more |= start[r + 1] - start[r] > 1;
    if (more) return false;
  }
  return true;
}

/// a b, where picks_rows(a).
template <class T, class I>
Csr<T, I> picked_rows(const Csr<T, I>& a, const Csr<T, I>& b, int threads) {
  const std::size_t rows = a.rows();
  const I *const a_start = a.row_start().data(), *const a_columns = a.columns().data();
  const I *const b_start = b.row_start().data(), *const b_columns = b.columns().data();
  const T *const a_values = a.values().data(), *const b_values = b.values().data();
  Array<I> start(rows + 1);
  start[0] = 0;
  std::size_t sum = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    if (a_start[r + 1] != a_start[r]) {
      const I row = a_columns[a_start[r]];
      sum += static_cast<std::size_t>(b_start[row + 1] - b_start[row]);
    }
    start[r + 1] = static_cast<I>(sum);
  }
  check_size<I>("the number of entries of the product", sum);
  Array<I> columns(sum);
  Array<T> values(sum);
  on_threads(threads, [&](int t, int used) {
    const auto [begin, end] = share(rows, t, used);
    for (std::size_t r = begin; r < end; ++r) {
      if (a_start[r + 1] == a_start[r]) continue;
      const auto k = static_cast<std::size_t>(a_start[r]);
      const I row = a_columns[k];
      const T factor = a_values[k];
      auto to = static_cast<std::size_t>(start[r]);
      for (auto from = static_cast<std::size_t>(b_start[row]), last = static_cast<std::size_t>(b_start[row + 1]);
           from < last; ++from, ++to) {
        columns[to] = b_columns[from];
        values[to] = factor * b_values[from];
      }
    }
  });
  return Csr<T, I>::trusted(rows, b.cols(), std::move(start), std::move(columns), std::move(values));
}

}  // namespace pawl::sparse
