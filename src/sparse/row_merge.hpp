// row_merge.hpp -- a row's entries in any order to each column once: unsorted by marks, or sorted by an array of sums.
//
// Finite elements and other sums over parts name each place several times. A sort moves all of them, and a loop that
// adds up neighbours does not foresee where the next column begins; here each entry is added where its column is.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "pawl/sparse/array.hpp"

namespace pawl::sparse {

/// Adds entries of one column up, left to right, and leaves each where it came first.
template <class T, class J>
class RowMerger {
 public:
  /// For columns below `cols`; to be called before anything else.
  void reserve(std::size_t cols) {
    if (marks_.size() >= cols) return;
    marks_ = Array<std::uint32_t>(cols);
    std::fill_n(marks_.data(), cols, 0u);
    next_mark_ = 1;
  }

  /// The rows from `begin` on, up to ends[r], r < rows, which become those of what is left, from 0 on. The output,
  /// other memory, has room for one entry more than the input. Returns how many are left.
  std::size_t merge(const J* columns, const T* values, std::size_t begin, J* ends, std::size_t rows, J* out_columns,
                    T* out_values) {
    const std::uint32_t offset = marks_for(static_cast<std::size_t>(ends[rows - 1]) - begin);
    std::uint32_t* const marks = marks_.data();
    std::size_t k = begin;
    std::uint32_t out = 0;
    out_values[0] = T(-0.0);  // to which adding x gives x, whatever x is
    for (std::size_t r = 0; r < rows; ++r) {
      const std::uint32_t first = offset + out;
      for (const auto end = static_cast<std::size_t>(ends[r]); k < end; ++k) {
        const J column = columns[k];
        const std::uint32_t mark = marks[column];
        const bool is_new = mark < first;
        const std::uint32_t at = is_new ? out : mark - offset;
        marks[column] = offset + at;
        out_columns[at] = column;
        out_values[at] += values[k];
        out += is_new;
        out_values[out] = T(-0.0);
      }
      ends[r] = static_cast<J>(out);
    }
    return out;
  }

  /// Whether so many of n entries repeat a column of their row that adding them up first is faster.
  static bool are_many(std::size_t again, std::size_t n) { return again > n / 16; }

  /// The same for a sample of these rows, the first of which begins at 0.
  bool repeats(const J* columns, const J* ends, std::size_t rows) {
    constexpr std::size_t kEntries = 1024;
    const std::size_t step = static_cast<std::size_t>(ends[rows - 1]) / kEntries + 1;
    std::uint32_t mark = marks_for(rows / step + 1);
    std::size_t seen = 0, again = 0;
    for (std::size_t r = 0; r < rows; r += step, ++mark)
      for (std::size_t k = r == 0 ? 0 : static_cast<std::size_t>(ends[r - 1]); k < static_cast<std::size_t>(ends[r]);
           ++k, ++seen)
        again += std::exchange(marks_[static_cast<std::size_t>(columns[k])], mark) == mark;
    return are_many(again, seen);
  }

 private:
  // The first of n marks that no column has yet.
  std::uint32_t marks_for(std::size_t n) {
    if (n >= std::numeric_limits<std::uint32_t>::max() - next_mark_) {
      std::fill_n(marks_.data(), marks_.size(), 0u);
      next_mark_ = 1;
    }
    return std::exchange(next_mark_, next_mark_ + static_cast<std::uint32_t>(n));
  }

  Array<std::uint32_t> marks_;
  std::uint32_t next_mark_ = 1;
};

/// Adds the entries of a row in an array with a place for each column; bits say which columns it has, and bits of a
/// second level which words of such bits, so that they are found in ascending order.
template <class T, class J>
class RowSums {
 public:
  /// For columns below `cols`; to be called before anything else.
  void reserve(std::size_t cols) {
    if (sums_.size() >= cols) return;
    words_ = cols / 64 + 1;
    groups_ = words_ / 64 + 1;
    sums_ = Array<T>(cols);
    bits_ = Array<std::uint64_t>(words_ + 2 * groups_);
    std::fill_n(sums_.data(), cols, T(-0.0));
    std::fill_n(bits_.data(), words_ + 2 * groups_, std::uint64_t{0});
  }

  /// One row; returns how many entries are left. The output may be the input.
  template <class Out>
  std::size_t row(const J* columns, const T* values, std::size_t n, Out* out_columns, T* out_values) {
    T* const sums = sums_.data();
    // Two arrays of the second level in turn: a word that each entry changes would be waited for by the next.
    std::uint64_t *const bits = bits_.data(), *const used = bits + words_, *const also_used = used + groups_;
    const auto add = [=](std::size_t k, std::uint64_t* group) {
      const auto c = static_cast<std::size_t>(columns[k]);
      sums[c] += values[k];
      bits[c / 64] |= std::uint64_t{1} << (c % 64);
      group[c / 4096] |= std::uint64_t{1} << (c / 64 % 64);
    };
    std::size_t k = 0;
    for (; k + 2 <= n; k += 2) {
      add(k, used);
      add(k + 1, also_used);
    }
    if (k < n) add(k, used);
    std::size_t out = 0;
    for (std::size_t g = 0; g < groups_; ++g)
      for (std::uint64_t words = std::exchange(used[g], 0) | std::exchange(also_used[g], 0); words != 0;
           words &= words - 1) {
        const std::size_t w = 64 * g + static_cast<std::size_t>(std::countr_zero(words));
        for (std::uint64_t left = std::exchange(bits[w], 0); left != 0; left &= left - 1) {
          const std::size_t c = 64 * w + static_cast<std::size_t>(std::countr_zero(left));
          out_columns[out] = static_cast<Out>(c);
          out_values[out++] = std::exchange(sums[c], T(-0.0));
        }
      }
    return out;
  }

 private:
  std::size_t words_ = 0, groups_ = 0;
  Array<T> sums_;
  Array<std::uint64_t> bits_;
};

}  // namespace pawl::sparse
