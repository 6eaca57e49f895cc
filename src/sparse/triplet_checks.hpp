// triplet_checks.hpp -- triplets in any order to whether their indices are within range and ascend.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>

#include "pawl/parallel.hpp"
#include "pawl/sparse.hpp"
#include "refuse.hpp"
#include "row_runs.hpp"

namespace pawl::sparse {

/// The first triplet out of range, once one is known to be.
template <class T, class I>
[[noreturn, gnu::cold]] void refuse_index(const Coo<T, I>& a) {
  for (std::size_t k = 0; k < a.values.size(); ++k)
    for (const bool is_row : {true, false}) {
      const I index = is_row ? a.row_indices[k] : a.columns[k];
      const std::size_t size = is_row ? a.rows : a.cols;
      if (index < 0 || static_cast<std::size_t>(index) >= size)
        refuse("to_csr: triplet " + std::to_string(k) + " has " + (is_row ? "row " : "column ") +
               std::to_string(index) + ", but the matrix has " + std::to_string(size) +
               (is_row ? " rows" : " columns"));
    }
  refuse("to_csr: the triplets changed while they were read");
}

/// Whether all indices are from 0 to last. One of them outside makes it or its distance to last negative.
template <class I>
bool all_within(const I* indices, std::size_t n, I last) {
  using U = std::make_unsigned_t<I>;
  U signs = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const U index = static_cast<U>(indices[k]);
    signs |= index | (static_cast<U>(last) - index);
  }
  return static_cast<I>(signs) >= 0;
}

/// Whether no index is less than the one before it. All are at least 0.
template <class I>
bool ascends(const I* indices, std::size_t n) {
  using U = std::make_unsigned_t<I>;
  U signs = 0;
  for (std::size_t k = 1; k < n; ++k) signs |= static_cast<U>(indices[k]) - static_cast<U>(indices[k - 1]);
  return static_cast<I>(signs) >= 0;
}

/// count(key, times) for each run of triplets whose rows have one key. Apart: a loop beside it would lose registers.
template <class I, class KeyOf, class Count>
[[gnu::noinline]] void count_runs(const I* rows, std::size_t n, KeyOf key_of, Count count) {
  for_each_in_runs(
      0, n, [=](std::size_t i) { return key_of(rows[i]); }, [](auto, std::size_t) { return std::size_t{0}; },
      [](std::size_t, std::size_t) {}, count);
}

/// Checks the triplets [begin, end) and calls count(key_of(row), 1) for each, or by runs of one key with how many it
/// has; false if one is out of range. `ascending` becomes false if rows fall.
template <class T, class I, class KeyOf, class Count>
bool check_and_count(const Coo<T, I>& a, Range range, bool by_runs, bool& ascending, KeyOf key_of, Count count) {
  constexpr std::size_t kChunk = 2048;  // triplets checked before they are counted: 16 KiB of indices, in L1
  const I last_row = static_cast<I>(a.rows - 1), last_column = static_cast<I>(a.cols - 1);
  for (std::size_t k = range.begin; k < range.end; k += kChunk) {
    const std::size_t n = std::min(kChunk, range.end - k);
    const I* const rows = a.row_indices.data() + k;
    if (!all_within(rows, n, last_row) || !all_within(a.columns.data() + k, n, last_column)) return false;
    const bool joined = k == 0;
    ascending = ascending && ascends(joined ? rows : rows - 1, joined ? n : n + 1);
    if (by_runs)
      count_runs(rows, n, key_of, count);
    else
      for (std::size_t i = 0; i < n; ++i) count(key_of(rows[i]), 1);
  }
  return true;
}
/// The same for what counts nothing.
template <class T, class I>
bool check(const Coo<T, I>& a, Range range, bool& ascending) {
  return check_and_count(
      a, range, false, ascending, [](I row) { return row; }, [](I, std::size_t) {});
}

/// Triplets by ascending rows whose columns ascend strictly: CSR already.
template <class T, class I>
bool columns_ascend(const Coo<T, I>& a) {
  const I *const rows = a.row_indices.data(), *const columns = a.columns.data();
  I falls = 0;  // as wide as what is compared, or the loop is not vectorised
  for (std::size_t k = 1; k < a.values.size(); ++k)
    falls |= static_cast<I>(rows[k] == rows[k - 1]) & static_cast<I>(columns[k] <= columns[k - 1]);
  return falls == 0;
}

}  // namespace pawl::sparse
