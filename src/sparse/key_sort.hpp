// key_sort.hpp -- entries of a block to CSR by keys of 32 bits, a column and the place of the value, sorted row by row:
// of all entries at once, or of some rows at a time whose entries are together already.
//
// For rows of all lengths, as those of power laws: what is moved to the rows are keys, and rows of like length are
// sorted together (key_classes.kernel.hpp). Where a column and a place in the block need more than 32 bits, entries are
// moved to their rows first, and a place is that among some rows.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "packed_entry.hpp"
#include "pawl/sparse/array.hpp"
#include "place_sort.hpp"
#include "row_sort.hpp"
#include "scattered_stores.hpp"
#include "scratch_array.hpp"
#include "sparse/active_ops.hpp"

namespace pawl::sparse {

template <class T, class I>
class KeySorter {
 public:
  /// Whether n entries of a block with `cols` columns can be sorted at once.
  static bool takes(std::size_t n, std::size_t cols) {
    return sparse_ops<T, I>().sort_key_rows != nullptr && bits_for(n) + bits_for(cols) <= kKeyBits;
  }
  /// Whether they can be sorted by some rows at a time.
  static bool takes_groups(std::size_t cols) { return takes(kFewest, cols); }

  /// Sorts n entries source(k), whose rows begin at row_begin, row r at begins[r] among them. Returns how many are
  /// left.
  template <class Source>
  std::size_t sort(std::size_t n, Source source, std::size_t row_begin, std::size_t rows, const Values& values,
                   const I* begins, const BlockResult<T, I>& result) {
    reserve(n, rows);
    const unsigned bits = bits_for(n);
    std::uint32_t *const keys = keys_.data(), *const starts = starts_.data();
    // The place before each row's becomes its start while its own moves on to its end.
    starts[0] = 0;
    for (std::size_t r = 0; r < rows; ++r) starts[r + 1] = static_cast<std::uint32_t>(begins[r]);
    std::uint32_t* const next = starts + 1;
    put_asking(
        n,
        [=](std::size_t k) { __builtin_prefetch(keys + next[static_cast<std::size_t>(source(k).row) - row_begin], 1); },
        [=](std::size_t k) {
          const auto t = source(k);
          keys[next[static_cast<std::size_t>(t.row) - row_begin]++] =
              static_cast<std::uint32_t>(t.column) << bits | static_cast<std::uint32_t>(k);
        });
    return sort_rows(rows, bits, values, result, n);
  }

  /// Sorts entries that are in their rows, row r up to ends[r], the first from 0 on. A row that is too long for
  /// the bits of a place goes to sort_row(from, n, to columns, to values).
  template <class J, class SortRow>
  std::size_t sort_groups(const J* columns, const T* values, const I* ends, std::size_t rows, std::size_t cols,
                          const BlockResult<T, I>& result, SortRow sort_row) {
    const std::size_t most = std::min(kMost, std::size_t{1} << (kKeyBits - bits_for(cols)));
    const auto n = static_cast<std::size_t>(ends[rows - 1]);
    std::size_t row = 0, from = 0, out = 0;
    while (row < rows) {
      std::size_t end = row, to = from;
      while (end < rows && static_cast<std::size_t>(ends[end]) - from <= most)
        to = static_cast<std::size_t>(ends[end++]);
      const std::size_t count = end - row, length = to - from;
      const BlockResult<T, I> part{result.start + row, result.base + out, result.columns + out, result.values + out};
      if (count == 0) {
        *part.start = static_cast<I>(part.base);
        const auto row_end = static_cast<std::size_t>(ends[row++]);
        out += sort_row(from, row_end - from, part.columns, part.values);
        from = row_end;
        continue;
      }
      if (length == 0) {
        std::fill_n(part.start, count, static_cast<I>(part.base));
      } else {
        reserve(length, count);
        const unsigned bits = bits_for(length);
        std::uint32_t *const keys = keys_.data(), *const starts = starts_.data();
        starts[0] = 0;
        for (std::size_t r = 0; r < count; ++r)
          starts[r + 1] = static_cast<std::uint32_t>(static_cast<std::size_t>(ends[row + r]) - from);
        for (std::size_t k = 0; k < length; ++k)
          keys[k] = static_cast<std::uint32_t>(columns[from + k]) << bits | static_cast<std::uint32_t>(k);
        out += sort_rows(count, bits, {values + from, sizeof(T)}, part, n - out);
      }
      row = end;
      from = to;
    }
    return out;
  }

 private:
  static constexpr unsigned kKeyBits = 32;
  static constexpr std::size_t kFewest = 1024;  // entries of a group, for which it is worth to be one
  static constexpr std::size_t kMost = 16'384;  // whose keys and values stay in L2

  void reserve(std::size_t n, std::size_t rows) {
    constexpr std::size_t kBehind = 32, kMerged = 256;
    make_room(keys_, n);
    make_room(sorted_, n + kBehind);
    make_room(spare_, n + kMerged);
    make_room(starts_, rows + 2);
    make_room(lists_, kKeyClasses * (rows + 16));
  }

  std::size_t sort_rows(std::size_t rows, unsigned bits, const Values& values, const BlockResult<T, I>& result,
                        std::size_t room) {
    starts_[rows + 1] = starts_[rows];
    return sparse_ops<T, I>().sort_key_rows({.keys = keys_.data(),
                                             .other = sorted_.data(),
                                             .starts = starts_.data(),
                                             .rows = rows,
                                             .lists = lists_.data(),
                                             .spare = spare_.data(),
                                             .place_bits = bits,
                                             .values = values.first,
                                             .value_stride = values.stride,
                                             .start = result.start,
                                             .base = result.base,
                                             .columns = result.columns,
                                             .out_values = result.values,
                                             .room = room});
  }

  Array<std::uint32_t> keys_, sorted_, spare_, starts_, lists_;
};

}  // namespace pawl::sparse
