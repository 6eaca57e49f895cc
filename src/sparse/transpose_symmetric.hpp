// transpose_symmetric.hpp -- a matrix whose entries lie symmetrically, as those of grids, meshes and bands do, to its
// transposed one: the same places, values exchanged across the diagonal.
//
// Nothing is counted and no row index is written one by one: of the four stores per entry of a counting sort one and a
// half are left. Whether the places are symmetric shows on the way.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "pawl/sparse.hpp"
#include "row_shares.hpp"

namespace pawl::sparse {
namespace detail {

/// Where the entries of row `row` from column `column` on begin.
template <class T, class I>
std::size_t first_from(const Csr<T, I>& a, std::size_t row, std::size_t column) {
  const I* const columns = a.columns().data();
  const auto begin = static_cast<std::size_t>(a.row_start()[row]),
             end = static_cast<std::size_t>(a.row_start()[row + 1]);
  if (begin == end || static_cast<std::size_t>(columns[end - 1]) < column) return end;  // most rows of narrow bands
  return static_cast<std::size_t>(std::lower_bound(columns + begin, columns + end, static_cast<I>(column)) - columns);
}

/// Whether the first and the last entry of some rows have one across the diagonal: what is not symmetric is most often
/// seen by few, and triangles by nothing before their end otherwise.
template <class T, class I>
bool may_be_symmetric(const Csr<T, I>& a) {
  constexpr std::size_t kSampled = 4;
  const I* const columns = a.columns().data();
  const auto across = [&](std::size_t row, std::size_t k) {
    const auto other = static_cast<std::size_t>(columns[k]), at = first_from(a, other, row);
    return at < static_cast<std::size_t>(a.row_start()[other + 1]) && static_cast<std::size_t>(columns[at]) == row;
  };
  for (std::size_t s = 0; s < kSampled; ++s) {
    const std::size_t row = a.rows() / (kSampled + 1) * (s + 1);
    const auto begin = static_cast<std::size_t>(a.row_start()[row]),
               end = static_cast<std::size_t>(a.row_start()[row + 1]);
    if (begin < end && !(across(row, begin) && across(row, end - 1))) return false;
  }
  return true;
}

/// Exchanges the values of the rows [first, last) left of the diagonal with those right of it. next[c] is the first
/// entry of row c from column `first` on that is right of the diagonal, for c < first; becomes the first one from
/// `last` on, for c < last. False if an entry has none across. kShared: other threads have other rows.
template <bool kShared, class T, class I>
bool exchange_rows(const Csr<T, I>& a, std::size_t first, std::size_t last, I* next, T* out) {
  using U = std::make_unsigned_t<I>;  // as an offset it costs no instruction
  const I *const start = a.row_start().data(), *const columns = a.columns().data();
  const T* const values = a.values().data();
  const U last_entry = static_cast<U>(a.nonzeros() - 1);
  auto k = static_cast<std::size_t>(start[first]);
  for (std::size_t r = first; r < last; ++r) {
    const U row = static_cast<U>(r);
    const auto end = static_cast<std::size_t>(start[r + 1]);
    U differ = 0;
    for (; k < end && static_cast<U>(columns[k]) < row; ++k) {
      const U column = static_cast<U>(columns[k]);
      const U place = static_cast<U>(next[column]);
      next[column] = static_cast<I>(place + 1);
      // The entry of another row, if that row has no more: then its `next` is too large in the end.
      const U at = std::min(place, last_entry);
      // Which may be another thread's.
      if (kShared && (at >= static_cast<U>(start[column + 1]) || static_cast<U>(columns[at]) != row)) return false;
      differ |= static_cast<U>(columns[at]) ^ row;
      out[k] = values[at];
      out[at] = values[k];
    }
    if (differ != 0) return false;
    if (k < end && static_cast<U>(columns[k]) == row) {
      out[k] = values[k];
      ++k;
    }
    next[r] = static_cast<I>(k);
    k = end;
  }
  return true;
}

}  // namespace detail

/// The transposed matrix, if the places of the entries of `a` are symmetric. By `parts` ranges of rows, as threads
/// take.
template <class T, class I>
std::optional<Csr<T, I>> transpose_symmetric(const Csr<T, I>& a, std::size_t parts) {
  const std::size_t rows = a.rows(), n = a.nonzeros();
  if (rows != a.cols() || n == 0 || !detail::may_be_symmetric(a)) return std::nullopt;
  const auto first = [&](std::size_t part) { return first_row_of(a, part, parts); };
  std::vector<Array<I>> next(parts);
  Array<T> values(n);
  std::atomic<bool> symmetric{true};
  for_each_part(parts, [&](std::size_t p) {
    const std::size_t begin = first(p), end = first(p + 1);
    next[p] = Array<I>(end);
    for (std::size_t c = 0; c < begin; ++c) next[p][c] = static_cast<I>(detail::first_from(a, c, begin));
    const auto exchange = parts == 1 ? detail::exchange_rows<false, T, I> : detail::exchange_rows<true, T, I>;
    if (!exchange(a, begin, end, next[p].data(), values.data())) symmetric = false;
  });
  if (!symmetric) return std::nullopt;
  Array<I> start(a.row_start()), columns(n);
  for_each_part(parts, [&](std::size_t p) {
    // What is right of the diagonal has been met from below up to the rows of the next part.
    const std::size_t end = first(p + 1);
    const I* const met = next[p].data();
    bool all = true;
    if (p + 1 == parts)
      all = std::equal(met, met + end, a.row_start().data() + 1);
    else
      for (std::size_t c = 0; c < end; ++c) all &= static_cast<std::size_t>(met[c]) == detail::first_from(a, c, end);
    if (!all) symmetric = false;
    const auto from = static_cast<std::ptrdiff_t>(a.row_start()[first(p)]),
               to = static_cast<std::ptrdiff_t>(a.row_start()[end]);
    std::copy(a.columns().begin() + from, a.columns().begin() + to, columns.data() + from);
  });
  if (!symmetric) return std::nullopt;
  return Csr<T, I>::trusted(rows, rows, std::move(start), std::move(columns), std::move(values));
}

}  // namespace pawl::sparse
