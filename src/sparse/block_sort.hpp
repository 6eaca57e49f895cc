// block_sort.hpp -- the entries of a block of rows in any order to CSR: a counting sort by row, then each row by
// column.
//
// Where rows are long, the entries are sorted by column first, all rows together (a radix sort, least significant digit
// first), so that the counting sort by row, being stable, leaves nothing to do. Short rows are cheaper in registers.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "pawl/isa.hpp"
#include "row_sort.hpp"
#include "sparse/active_ops.hpp"

namespace pawl::sparse {

template <class T, class I>
struct Triplet {
  I row, column;
  T value;
};

/// Where a block of a result goes: start[r] becomes base + the entries before row r, for the block's rows.
template <class T, class I>
struct BlockResult {
  I* start;
  std::size_t base;
  I* columns;  ///< room for as many entries as the block has, here and in `values`
  T* values;
};

/// The memory in which a thread sorts blocks: grows to the largest one.
template <class T, class I>
class BlockSorter {
 public:
  explicit BlockSorter(std::size_t cols)
      : cols_(cols), by_network_(sizeof(I) == 4 && few_columns() && active_isa() == Isa::avx512) {}

  /// Counters of `rows` rows, all 0, for the caller to count the entries of each.
  I* counters(std::size_t rows) {
    if (places_.size() < rows) places_ = Array<I>(rows);
    std::fill_n(places_.data(), rows, I{0});
    return places_.data();
  }

  /// Sorts n entries source(k) = Triplet, whose rows begin at row_begin and have been counted in counters(rows);
  /// entries of one place are added in the order of k. Returns how many are left.
  template <class Source>
  std::size_t sort(std::size_t n, Source source, std::size_t row_begin, std::size_t rows,
                   const BlockResult<T, I>& result) {
    const double mean_length = begin_rows(rows) / static_cast<double>(std::max<std::size_t>(n, 1));
    if (mean_length > (by_network_ ? kLongNetworkRows : kLongRows))
      return sort_columns_first(n, source, row_begin, rows, result);
    const std::size_t room = n + kReadAhead + kPage;
    if (columns_.size() < room) columns_ = Array<I>(room);
    if (values_.size() < room) values_ = Array<T>(room);
    I* const columns = half_a_page_from(columns_.data(), result.columns);
    T* const values = half_a_page_from(values_.data(), result.values);
    I* const places = places_.data();
    for (std::size_t k = 0; k < n; ++k) {
      const Triplet<T, I> t = source(k);
      const auto to = static_cast<std::size_t>(places[static_cast<std::size_t>(t.row) - row_begin]++);
      columns[to] = t.column;
      values[to] = t.value;
    }
    return sort_rows(n, columns, values, rows, result);
  }

 private:
  // Entries of the row that the mean entry is in; above, columns go first. With the network, ns per entry by rows and
  // by columns first (Zen 4, 4000 rows): 24 entries 5.5 and 7.5, 32 entries 5.2 and 11.4, 40 entries 9.8 and 6.8.
  static constexpr double kLongRows = 20, kLongNetworkRows = 34;
  static constexpr std::size_t kReadAhead = 16;  // elements that sort_rows reads behind the last entry
  static constexpr std::size_t kPage = 4096;
  static constexpr unsigned kDigitBits = 9;         // 512 streams of whole lines are what L1 can hold
  static constexpr std::size_t kOneDigit = 16'384;  // columns whose counters are as good as a digit's

  // A load whose address has the last 12 bits of a store just before waits for it, which made the sort of rows three
  // times slower where input and result lay so. Half a page between them is as far as they can be.
  template <class E>
  static E* half_a_page_from(E* memory, const E* other) {
    const std::size_t distance =
        reinterpret_cast<std::uintptr_t>(other) + kPage / 2 - reinterpret_cast<std::uintptr_t>(memory);
    return memory + distance % kPage / sizeof(E);
  }

  // Counts become the places where rows begin. Returns the sum of their squares.
  double begin_rows(std::size_t rows) {
    I sum = 0;
    double squares = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const I count = places_[r];
      places_[r] = sum;
      sum = static_cast<I>(sum + count);
      squares += static_cast<double>(count) * static_cast<double>(count);
    }
    return squares;
  }

  std::size_t sort_rows(std::size_t n, I* columns, T* values, std::size_t rows, const BlockResult<T, I>& result) {
    const auto kernel = sparse_ops<T, I>().sort_rows;
    RowsToSort<T, I> work{.ends = places_.data(),
                          .rows = rows,
                          .columns = columns,
                          .values = values,
                          .start = result.start,
                          .base = result.base,
                          .out_columns = result.columns,
                          .out_values = result.values,
                          .room = n,
                          .few_columns = few_columns()};
    for (;;) {
      kernel(work);
      if (work.row == rows) return work.out;
      result.start[work.row] = static_cast<I>(result.base + work.out);
      const std::size_t length = static_cast<std::size_t>(places_[work.row]) - work.from;
      long_rows_.reserve(0, cols_);
      work.out += long_rows_.sort(columns + work.from, values + work.from, length, result.columns + work.out,
                                  result.values + work.out);
      work.from += length;
      ++work.row;
    }
  }

  // One pass of the radix sort by columns: stable, by `mask` bits from `shift` on.
  template <class Source>
  void sort_by_digit(std::size_t n, Source source, unsigned shift, std::size_t mask, Triplet<T, I>* to) {
    if (digits_.size() < mask + 1) digits_ = Array<std::size_t>(mask + 1);
    std::size_t* const places = digits_.data();
    std::fill_n(places, mask + 1, std::size_t{0});
    for (std::size_t k = 0; k < n; ++k) ++places[static_cast<std::size_t>(source(k).column) >> shift & mask];
    std::size_t sum = 0;
    for (std::size_t d = 0; d <= mask; ++d) sum += std::exchange(places[d], sum);
    for (std::size_t k = 0; k < n; ++k) {
      const Triplet<T, I> t = source(k);
      to[places[static_cast<std::size_t>(t.column) >> shift & mask]++] = t;
    }
  }

  template <class Source>
  std::size_t sort_columns_first(std::size_t n, Source source, std::size_t row_begin, std::size_t rows,
                                 const BlockResult<T, I>& result) {
    if (triplets_.size() < n) {
      triplets_ = Array<Triplet<T, I>>(n);
      others_ = Array<Triplet<T, I>>(n);
    }
    const auto bits = static_cast<unsigned>(std::bit_width(cols_ - 1));
    const unsigned passes = cols_ <= kOneDigit ? 1 : (bits + kDigitBits - 1) / kDigitBits;
    const unsigned width = std::max(1u, (bits + passes - 1) / passes);
    const std::size_t mask = (std::size_t{1} << width) - 1;
    Triplet<T, I>*from = triplets_.data(), *to = others_.data();
    sort_by_digit(n, source, 0, mask, from);
    for (unsigned pass = 1; pass < passes; ++pass) {
      sort_by_digit(
          n, [from](std::size_t k) { return from[k]; }, pass * width, mask, to);
      std::swap(from, to);
    }
    I* const places = places_.data();
    for (std::size_t k = 0; k < n; ++k) {
      const auto at = static_cast<std::size_t>(places[static_cast<std::size_t>(from[k].row) - row_begin]++);
      result.columns[at] = from[k].column;
      result.values[at] = from[k].value;
    }
    std::size_t out = 0, begin = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const auto end = static_cast<std::size_t>(places[r]);
      result.start[r] = static_cast<I>(result.base + out);
      out += add_repeated(result.columns + begin, result.values + begin, end - begin, result.columns + out,
                          result.values + out);
      begin = end;
    }
    return out;
  }

  bool few_columns() const { return cols_ < std::size_t{1} << 27; }

  std::size_t cols_;
  bool by_network_;  // rows of up to 32 entries are sorted in registers
  Array<I> places_, columns_;
  Array<T> values_;
  Array<Triplet<T, I>> triplets_, others_;
  Array<std::size_t> digits_;
  RowSorter<T, I> long_rows_;
};

}  // namespace pawl::sparse
