// block_sort.hpp -- the entries of a block of rows in any order to CSR: a counting sort by row, then each row by
// column, or the other way round.
//
// Short rows are sorted in registers, after entries of one place have been added up where there are many of them
// (row_merge.hpp). Long rows are added up in an array of sums where that fits into L2; otherwise the entries are sorted
// by column first, all rows together (a radix sort, least significant digit first), so that the counting sort by row,
// being stable, leaves nothing to do, as it does where they come by columns.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include "column_sort.hpp"
#include "isa/store_misses.hpp"
#include "key_sort.hpp"
#include "packed_entry.hpp"
#include "pawl/isa.hpp"
#include "place_sort.hpp"
#include "row_lengths.hpp"
#include "row_merge.hpp"
#include "row_runs.hpp"
#include "row_sort.hpp"
#include "scratch_array.hpp"
#include "sparse/active_ops.hpp"
#include "tile_sums.hpp"

namespace pawl::sparse {

/// The memory in which a thread sorts blocks: grows to the largest one.
template <class T, class I>
class BlockSorter {
 public:
  /// For a result with `cols` columns of `entries` triplets. tile_rows: blocks of at most as many rows are added up in
  /// a dense tile; 0: they are sorted. by_runs: most triplets have the row of the one before them.
  BlockSorter(std::size_t cols, std::size_t entries, std::size_t tile_rows, bool by_runs)
      : by_tile_(tile_rows != 0),
        by_runs_(by_runs),
        cols_(cols),
        entries_(entries),
        by_network_(few_columns() && active_isa() == Isa::avx512),
        takes_marks_(cols / 4 <= entries && cols <= kMostMarks),
        takes_sums_(cols / 4 <= entries && cols * sizeof(T) <= kSumsBytes) {
    if (by_tile_) tile_.reserve(tile_rows, cols);
  }

  /// Counters of `rows` rows, all 0, for the caller to count the entries of each.
  I* counters(std::size_t rows) {
    if (places_.size() < rows) places_ = Array<I>(rows);
    std::fill_n(places_.data(), rows, I{0});
    return places_.data();
  }

  /// Sorts n entries source(k) = Triplet, whose rows begin at row_begin and, without a tile, are counted in
  /// counters(rows); entries of one place are added in the order of k. Returns how many are left.
  template <class Source>
  std::size_t sort(std::size_t n, Source source, std::size_t row_begin, std::size_t rows,
                   const BlockResult<T, I>& result, Values values = {}) {
    if (by_tile_)
      return tile_.sort(n, source, row_begin, rows, result.start, result.base, result.columns, result.values);
    const double mean_length = mean_length_ = begin_rows(rows) / static_cast<double>(std::max<std::size_t>(n, 1));
    if (columns_ascend(n, source)) {
      scatter(n, source, row_begin, result.columns, result.values);
      return add_repeated_in_rows(places_.data(), n, rows, result);
    }
    // One pass by columns is the fastest for few long rows among short ones, and where sums would be in L2 alone, if
    // places are named once: 5.1 ns per entry of a power law instead of 7.7; named half as often again, 11.8 and 8.6 by
    // rows (Zen 4, 10^4 rows). What is too large for one block otherwise is a mesh.
    const bool long_for_most = mean_length > (by_network_ ? kLongNetworkRows : kLongRows);
    const bool even = n >= kEvenRows * rows, is_near = cols_ * sizeof(T) <= kNearSumsBytes || n > kMesh;
    const bool by_rows = takes_sums_ && ((even && is_near) || repeats_ == true);
    const bool may_be_few = long_for_most && !by_rows && takes_sums_ && n == entries_;
    const std::optional<double> mean_of_others =
        may_be_few ? mean_beside_few_long(places_.data(), n, rows) : std::nullopt;
    if (mean_of_others) {
      mean_length_ = *mean_of_others;
    } else if (long_for_most && !by_rows) {
      const std::size_t left = sort_long_rows(n, source, row_begin, rows, values, result);
      repeats_ = RowMerger<T, I>::are_many(n - left, n);
      return left;
    }
    const bool long_rows =
        even && !mean_of_others && (long_for_most || (by_runs_ && takes_sums_ && mean_length > kSummedRows));
    // Narrower columns are less to move, and the network takes them alone.
    if constexpr (sizeof(I) > sizeof(Narrow))
      if (!few_columns() || n > std::numeric_limits<Narrow>::max())
        return sort_rows_first<I>(n, source, row_begin, rows, long_rows, result);
    return sort_rows_first<Narrow>(n, source, row_begin, rows, long_rows, result);
  }

 private:
  using Narrow = std::int32_t;

  // Entries of the row that the mean entry is in; above, columns go first. With the network, ns per entry by rows and
  // by columns first (Zen 4, 4000 rows): 24 entries 5.5 and 7.5, 32 entries 5.2 and 11.4, 40 entries 9.8 and 6.8.
  static constexpr double kLongRows = 20, kLongNetworkRows = 34;
  // And that of meshes whose triplets come in runs, above which they are added up in an array of sums: triangles of
  // 20,000 points (18) 3.6 ns instead of 4.5, squares of 10^5 (16) 4.6 instead of 3.4 (Zen 5).
  static constexpr double kSummedRows = 17;
  // The same where columns are repeated: up to it, the network adds up neighbours, which takes 0.6 to 0.9 of the time
  // that marks do where one entry in ten to a half repeat a place (Zen 4, rows of 3 to 20 entries; 30: 1.1 to 2).
  static constexpr double kMergedRows = 25;
  // And four rows at once: 1 entry 6.8 ns instead of 8.6, 3 entries 4.2 instead of 4.5, repeated by a third 7.3 instead
  // of 12.7 and 5.2 instead of 6.0; 4 random ones level.
  static constexpr double kVeryShortRows = 4.2;
  static constexpr std::size_t kEvenRows = 16;   // entries per row from which most are long, if the mean entry's is
  static constexpr std::size_t kReadAhead = 16;  // elements that sort_rows reads behind the last entry
  static constexpr std::size_t kMostMarks = std::size_t{1} << 22, kMesh = std::size_t{1} << 17;
  static constexpr std::size_t kSumsBytes = std::size_t{1} << 20, kNearSumsBytes = std::size_t{1} << 18;  // of L2

  // What rows are sorted in, with columns of type J.
  template <class J>
  struct Scratch {
    Array<J> columns, merged_columns, ends, start, out_columns;
    RowMerger<T, J> merger;
    RowSums<T, J> sums;
    RowSorter<T, J> sorter;
  };

  // Counts become the places where rows begin. Returns the sum of their squares, which may wrap where it counts no
  // more.
  double begin_rows(std::size_t rows) {
    I sum = 0;
    std::uint64_t squares = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const I count = places_[r];
      places_[r] = sum;
      sum = static_cast<I>(sum + count);
      squares += static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(count);
    }
    return static_cast<double>(squares);
  }

  // Whether no column is less than the one before it.
  template <class Source>
  static bool columns_ascend(std::size_t n, Source source) {
    for (std::size_t k = 1; k < n; ++k)
      if (source(k).column < source(k - 1).column) return false;
    return true;
  }

  // How many elements ahead scatter() asks for the lines of as many bytes altogether; 0: not at all. Rows that are met
  // again after others of a whole plane of a mesh have left L2 meanwhile: 1.7 10^6 triplets of 8-node cubes take 5.2 ns
  // each instead of 7.9 (Zen 4, 64 ahead). What is smaller loses a tenth there.
  static std::size_t asked_ahead(std::size_t bytes) {
    constexpr std::size_t kInL1 = std::size_t{32} << 10, kInCaches = std::size_t{6} << 20, kAhead = 64;
    if (pawl::detail::stores_wait_for_lines) return bytes > kInL1 ? pawl::detail::kStoresAhead : 0;
    return bytes > kInCaches ? kAhead : 0;
  }

  // The counting sort by row, after which the places are the ends of rows.
  template <class Source, class J>
  void scatter(std::size_t n, Source source, std::size_t row_begin, J* columns, T* values) {
    if (by_runs_) return scatter_runs(n, source, row_begin, columns, values);
    I* const places = places_.data();
    const auto add = [&](std::size_t k) {
      const Triplet<T, I> t = source(k);
      const auto to = static_cast<std::size_t>(places[static_cast<std::size_t>(t.row) - row_begin]++);
      columns[to] = static_cast<J>(t.column);
      values[to] = t.value;
    };
    std::size_t k = 0;
    const std::size_t ahead = asked_ahead(n * (sizeof(J) + sizeof(T)));
    if (ahead != 0)
      for (; k + ahead < n; ++k) {
        const I at = places[static_cast<std::size_t>(source(k + ahead).row) - row_begin];
        __builtin_prefetch(columns + at, 1);
        __builtin_prefetch(values + at, 1);
        add(k);
      }
    for (; k < n; ++k) add(k);
  }

  // The same by runs of one row; a function of its own, or its pointers would push those of the loop above out of the
  // registers.
  template <class Source, class J>
  [[gnu::noinline]] void scatter_runs(std::size_t n, Source source, std::size_t row_begin, J* columns, T* values) {
    I* const places = places_.data();
    const std::size_t ahead = asked_ahead(n * (sizeof(J) + sizeof(T)));
    const auto row_of = [=](std::size_t k) { return static_cast<std::size_t>(source(k).row) - row_begin; };
    for_each_in_runs(
        0, n, row_of,
        [=](std::size_t row, std::size_t k) {
          if (ahead != 0 && k + ahead < n) {
            const I at = places[row_of(k + ahead)];
            __builtin_prefetch(columns + at, 1);
            __builtin_prefetch(values + at, 1);
          }
          return static_cast<std::size_t>(places[row]);
        },
        [=](std::size_t k, std::size_t to) {
          const Triplet<T, I> t = source(k);
          columns[to] = static_cast<J>(t.column);
          values[to] = t.value;
        },
        [=](std::size_t row, std::size_t to) { places[row] = static_cast<I>(to); });
  }

  template <class J, class Source>
  std::size_t sort_rows_first(std::size_t n, Source source, std::size_t row_begin, std::size_t rows, bool long_rows,
                              const BlockResult<T, I>& result) {
    Scratch<J>& scratch = scratch_of<J>();
    const std::size_t room = n + kReadAhead + kPage;
    make_room(scratch.columns, room);
    make_room(values_, room);
    J* columns = half_a_page_from(scratch.columns.data(), result.columns);
    T* values = half_a_page_from(values_.data(), result.values);
    scatter(n, source, row_begin, columns, values);
    J* ends;
    if constexpr (std::is_same_v<I, J>) {
      ends = places_.data();
    } else {
      make_room(scratch.ends, rows);
      ends = scratch.ends.data();
      for (std::size_t r = 0; r < rows; ++r) ends[r] = static_cast<J>(places_[r]);
    }
    if constexpr (std::is_same_v<J, Narrow>)
      if (long_rows && are_sparse(scratch, columns, ends, rows)) return sort_moved(columns, values, rows, result);
    if (long_rows) {
      scratch.sums.reserve(cols_);
      std::size_t out = 0, from = 0;
      for (std::size_t r = 0; r < rows; ++r) {
        const auto end = static_cast<std::size_t>(ends[r]);
        result.start[r] = static_cast<I>(result.base + out);
        out += scratch.sums.row(columns + from, values + from, end - from, result.columns + out, result.values + out);
        from = end;
      }
      return out;
    }
    if (takes_marks_) {
      scratch.merger.reserve(cols_);
      if (!repeats_) repeats_ = scratch.merger.repeats(columns, ends, rows);
    }
    std::size_t out;
    if constexpr (std::is_same_v<I, J>) {
      out = sort_rows_by_parts(scratch, n, columns, values, ends, rows, result);
    } else {
      make_room(scratch.start, rows);
      make_room(scratch.out_columns, n);
      const BlockResult<T, J> narrow{scratch.start.data(), 0, scratch.out_columns.data(), result.values};
      out = sort_rows_by_parts(scratch, n, columns, values, ends, rows, narrow);
      for (std::size_t r = 0; r < rows; ++r)
        result.start[r] = static_cast<I>(result.base + static_cast<std::size_t>(narrow.start[r]));
      for (std::size_t k = 0; k < out; ++k) result.columns[k] = narrow.columns[k];
    }
    repeats_ = RowMerger<T, J>::are_many(n - out, n);
    return out;
  }

  // Whether rows have few of all columns, most of them once, which a sum over columns with bits finds one by one: ns
  // per entry of 2000 rows of 1 to 100 in as many columns 7.2 by sums and 3.5 by keys (Zen 5).
  bool are_sparse(Scratch<Narrow>& scratch, const Narrow* columns, const Narrow* ends, std::size_t rows) const {
    constexpr double kFewOfAll = 16;
    if (by_runs_ || !takes_marks_ || mean_length_ * kFewOfAll > static_cast<double>(cols_)) return false;
    if (!KeySorter<T, I>::takes_groups(cols_)) return false;
    scratch.merger.reserve(cols_);
    return !scratch.merger.repeats(columns, ends, rows);
  }

  // Where entries of one place are added up first: some rows at a time, which the sort then finds in L1.
  template <class J>
  std::size_t sort_rows_by_parts(Scratch<J>& scratch, std::size_t n, J* columns, T* values, J* ends, std::size_t rows,
                                 const BlockResult<T, J>& result) {
    const bool repeats = takes_marks_ && *repeats_;
    if (!repeats || (by_network_ && mean_length_ <= kMergedRows)) {
      const RowKind kind = mean_length_ <= kVeryShortRows ? RowKind::very_short
                           : repeats                      ? RowKind::repeating
                                                          : RowKind::any;
      return sort_rows(scratch, n, columns, values, ends, rows, kind, result);
    }
    constexpr std::size_t kEntries = 2048;
    std::size_t row = 0, from = 0, out = 0;
    while (row < rows) {
      std::size_t end = row + 1;
      while (end < rows && static_cast<std::size_t>(ends[end]) - from <= kEntries) ++end;
      const std::size_t length = static_cast<std::size_t>(ends[end - 1]) - from, room = length + kReadAhead + kPage;
      make_room(scratch.merged_columns, room);
      make_room(merged_values_, room);
      J* const merged_columns = half_a_page_from(scratch.merged_columns.data(), result.columns + out);
      T* const merged_values = half_a_page_from(merged_values_.data(), result.values + out);
      const std::size_t left =
          scratch.merger.merge(columns, values, from, ends + row, end - row, merged_columns, merged_values);
      out += sort_rows(scratch, left, merged_columns, merged_values, ends + row, end - row, RowKind::any,
                       {result.start + row, result.base + out, result.columns + out, result.values + out});
      from += length;
      row = end;
    }
    return out;
  }

  template <class J>
  std::size_t sort_rows(Scratch<J>& scratch, std::size_t n, J* columns, T* values, const J* ends, std::size_t rows,
                        RowKind kind, const BlockResult<T, J>& result) {
    const auto kernel = sparse_ops<T, J>().sort_rows;
    RowsToSort<T, J> work{.ends = ends,
                          .rows = rows,
                          .columns = columns,
                          .values = values,
                          .start = result.start,
                          .base = result.base,
                          .out_columns = result.columns,
                          .out_values = result.values,
                          .room = n,
                          .few_columns = few_columns(),
                          .kind = kind};
    for (;;) {
      kernel(work);
      if (work.row == rows) return work.out;
      result.start[work.row] = static_cast<J>(result.base + work.out);
      const std::size_t length = static_cast<std::size_t>(ends[work.row]) - work.from;
      if (takes_sums_) {
        scratch.sums.reserve(cols_);
        work.out += scratch.sums.row(columns + work.from, values + work.from, length, result.columns + work.out,
                                     result.values + work.out);
      } else {
        scratch.sorter.reserve(0, cols_);
        work.out += scratch.sorter.sort(columns + work.from, values + work.from, length, result.columns + work.out,
                                        result.values + work.out);
      }
      work.from += length;
      ++work.row;
    }
  }

  template <class Source>
  std::size_t sort_columns_first(std::size_t n, Source source, std::size_t row_begin, std::size_t rows,
                                 const BlockResult<T, I>& result) {
    const Triplet<T, I>* const sorted = by_column_.sort(n, source, cols_);
    scatter(
        n, [sorted](std::size_t k) { return sorted[k]; }, row_begin, result.columns, result.values);
    return add_repeated_in_rows(places_.data(), n, rows, result);
  }

  template <class Source>
  std::size_t sort_places(std::size_t n, Source source, std::size_t row_begin, std::size_t rows, const Values& values,
                          const BlockResult<T, I>& result) {
    by_place_.sort(n, source, row_begin, cols_, values, places_.data(), result.columns, result.values);
    return add_repeated_in_rows(places_.data(), n, rows, result);
  }

  // ns per entry of a power law by keys, and by the best of columns and places (Zen 5): 1000 rows 2.9 and 3.7, 10^4
  // rows 3.4 and 4.1, 10^5 rows (by blocks) 8.1 and 9.1.
  template <class Source>
  std::size_t sort_long_rows(std::size_t n, Source source, std::size_t row_begin, std::size_t rows,
                             const Values& values, const BlockResult<T, I>& result) {
    if (values.first != nullptr && KeySorter<T, I>::takes(n, cols_))
      return by_key_.sort(n, source, row_begin, rows, values, places_.data(), result);
    if (KeySorter<T, I>::takes_groups(cols_)) return sort_groups(n, source, row_begin, rows, result);
    if (values.first != nullptr && PlaceSorter<T, I>::takes(n, rows, cols_))
      return sort_places(n, source, row_begin, rows, values, result);
    return sort_columns_first(n, source, row_begin, rows, result);
  }

  template <class Source>
  std::size_t sort_groups(std::size_t n, Source source, std::size_t row_begin, std::size_t rows,
                          const BlockResult<T, I>& result) {
    const std::size_t room = n + kReadAhead + kPage;
    make_room(narrow_.columns, room);
    make_room(values_, room);
    Narrow* const columns = half_a_page_from(narrow_.columns.data(), result.columns);
    T* const values = half_a_page_from(values_.data(), result.values);
    scatter(n, source, row_begin, columns, values);
    return sort_moved(columns, values, rows, result);
  }
  // The entries of rows that they have been moved to, which places_ are the ends of.
  std::size_t sort_moved(Narrow* columns, T* values, std::size_t rows, const BlockResult<T, I>& result) {
    return by_key_.sort_groups(columns, values, places_.data(), rows, cols_, result,
                               [&](std::size_t from, std::size_t length, I* out_columns, T* out_values) {
                                 if constexpr (std::is_same_v<I, Narrow>) {
                                   return sort_row(columns + from, values + from, length, out_columns, out_values);
                                 } else {
                                   make_room(narrow_.out_columns, length);
                                   Narrow* const sorted = narrow_.out_columns.data();
                                   const std::size_t left =
                                       sort_row(columns + from, values + from, length, sorted, out_values);
                                   std::copy_n(sorted, left, out_columns);
                                   return left;
                                 }
                               });
  }
  std::size_t sort_row(Narrow* columns, T* values, std::size_t n, Narrow* out_columns, T* out_values) {
    if (takes_sums_) {
      narrow_.sums.reserve(cols_);
      return narrow_.sums.row(columns, values, n, out_columns, out_values);
    }
    narrow_.sorter.reserve(0, cols_);
    return narrow_.sorter.sort(columns, values, n, out_columns, out_values);
  }

  bool few_columns() const { return cols_ < std::size_t{1} << 27; }

  template <class J>
  Scratch<J>& scratch_of() {
    if constexpr (std::is_same_v<J, Narrow>)
      return narrow_;
    else
      return wide_;
  }

  bool by_tile_, by_runs_;
  TileSums<T, I> tile_;
  std::size_t cols_, entries_;
  bool by_network_;                // rows of up to 32 entries are sorted in registers
  double mean_length_ = 0;         // entries of the row that the mean entry of the block is in
  std::optional<bool> repeats_;    // entries of one place were many in the block before
  bool takes_marks_, takes_sums_;  // setting up marks, or sums, of all columns costs less than it saves
  Array<I> places_;
  Array<T> values_, merged_values_;
  Scratch<Narrow> narrow_;
  Scratch<std::int64_t> wide_;
  ColumnSorter<T, I> by_column_;
  PlaceSorter<T, I> by_place_;
  KeySorter<T, I> by_key_;
};

}  // namespace pawl::sparse
