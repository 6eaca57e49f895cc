// row_product.hpp -- rows of a sparse matrix times another, each by the accumulator that suits it: an array of sums, a
// hash table or a sort.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "pawl/sparse.hpp"
#include "row_sort.hpp"

namespace pawl::sparse {

/// One thread's accumulators.
template <class T, class I>
class RowProduct {
 public:
  RowProduct(const Csr<T, I>& a, const Csr<T, I>& b)
      : a_columns_(a.columns().data()),
        b_columns_(b.columns().data()),
        b_start_(b.row_start().data()),
        a_values_(a.values().data()),
        b_values_(b.values().data()),
        cols_(b.cols()),
        a_entries_(a.nonzeros()) {
    constexpr double kMost = 1 << 20;  // 8 MiB of sums
    if (b.rows() > 0)
      most_columns_ = static_cast<std::size_t>(std::min(
          kMost,
          static_cast<double>(a.nonzeros()) * static_cast<double>(b.nonzeros()) / static_cast<double>(b.rows())));
  }

  // Products of the entries [begin, end) of `a`, and the columns between which they lie.
  std::size_t products(std::size_t begin, std::size_t end) {
    std::size_t n = 0;
    if (cols_ <= kFewColumns) {  // the array takes the row wherever its columns lie
      for (std::size_t k = begin; k < end; ++k) n += first(a_columns_[k] + 1) - first(a_columns_[k]);
      low_ = 0;
      high_ = cols_ - 1;
      return n;
    }
    low_ = cols_;
    high_ = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const auto from = first(a_columns_[k]), to = first(a_columns_[k] + 1);
      if (from == to) continue;
      n += to - from;
      low_ = std::min(low_, static_cast<std::size_t>(b_columns_[from]));
      high_ = std::max(high_, static_cast<std::size_t>(b_columns_[to - 1]));
    }
    return n;
  }

  // Asks for the rows of b that the entries of `a` before `end` and some more name, and for the starts of later ones.
  void fetch_until(std::size_t end) {
    constexpr std::size_t kRowsAhead = 24, kStartsAhead = 48;  // two and four rows of a matrix with some ten a row
    const std::size_t last_start = std::min(end + kStartsAhead, a_entries_);
    for (fetched_starts_ = std::max(fetched_starts_, end); fetched_starts_ < last_start; ++fetched_starts_)
      __builtin_prefetch(b_start_ + a_columns_[fetched_starts_]);
    const std::size_t last_row = std::min(end + kRowsAhead, a_entries_);
    for (fetched_rows_ = std::max(fetched_rows_, end); fetched_rows_ < last_row; ++fetched_rows_) {
      const auto from = first(a_columns_[fetched_rows_]), to = first(a_columns_[fetched_rows_] + 1);
      // Of an empty row too: a branch would be foreseen badly where some are.
      __builtin_prefetch(b_columns_ + from);
      __builtin_prefetch(b_columns_ + to);
      __builtin_prefetch(b_values_ + from);
      __builtin_prefetch(b_values_ + to);
    }
  }

  // The row with `n` products, as products() found; `columns` has room for n entries and kShortRow more, `values` for
  // n. Returns how many there are.
  std::size_t row(std::size_t begin, std::size_t end, std::size_t n, I* columns, T* values) {
    if (n == 0) return 0;
    if (end - begin > 1 && takes_array(n))
      return has_few_bits(begin, n) ? by_all_words(begin, end - begin, columns, values)
                                    : by_array<1>(begin, end - begin, columns, values);
    if (n > kShortRow) return by_hash(begin, end, n, columns, values);
    return by_sort(begin, end, n, columns, values);
  }

  // The same for kEqualRows rows with the same columns, one after another from `begin` on, each with `n` products; room
  // for those of all. How many entries each has, or none if rows are better taken one by one.
  static constexpr std::size_t kEqualRows = 4;
  std::optional<std::size_t> equal_rows(std::size_t begin, std::size_t length, std::size_t n, I* columns, T* values) {
    if (n == 0) return 0;
    if (!takes_array(n)) return std::nullopt;
    return by_array<kEqualRows>(begin, length, columns, values);
  }

 private:
  static constexpr std::size_t kFewColumns = 4096;

  std::size_t first(I row) const { return static_cast<std::size_t>(b_start_[row]); }

  // Whether the array is faster than a table or a sort for the row that products() has looked at: where looking through
  // the bits costs less than the products, and few columns or many products to come pay for setting it up.
  bool takes_array(std::size_t n) const {
    constexpr std::size_t kColumnsPerLook = 4096;
    const std::size_t window = high_ - low_ + 1;
    return window / kColumnsPerLook <= n && window <= std::max(kFewColumns, most_columns_);
  }

  template <class Add>
  void for_each_product(std::size_t begin, std::size_t end, Add add) {
    for (std::size_t k = begin; k < end; ++k) {
      const T factor = a_values_[k];
      for (std::size_t i = first(a_columns_[k]), last = first(a_columns_[k] + 1); i < last; ++i)
        add(b_columns_[i], factor * b_values_[i]);
    }
  }

  std::size_t by_sort(std::size_t begin, std::size_t end, std::size_t n, I* columns, T* values) {
    if (end - begin == 1) {  // already sorted
      std::size_t out = 0;
      for_each_product(begin, end, [&](I column, T value) {
        columns[out] = column;
        values[out++] = value;
      });
      return n;
    }
    std::size_t out = 0;
    for_each_product(begin, end, [&](I column, T value) {
      unsorted_columns_[out] = column;
      unsorted_values_[out++] = value;
    });
    return sorter_.sort(unsorted_columns_, unsorted_values_, n, columns, values);
  }

  // Rows of `b` of this length or more whose columns leave no gap are added as vectors (dense blocks, full triangles).
  static constexpr std::size_t kStretch = 16;
  static void add_stretch(T* __restrict__ sums, const T* __restrict__ values, T factor, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) sums[i] += factor * values[i];
  }

  // Sums, all -0, and bits, all 0.
  void prepare(std::size_t sums, std::size_t words) {
    if (sums_.size() < sums) {
      sums_ = Array<T>(sums + sums / 2);
      std::fill_n(sums_.data(), sums_.size(), T(-0.0));
    }
    if (bits_.size() < words) bits_.resize(words, 0);
  }

  // Sums at their columns, and a bit for each column that has one, and one for each word of such bits: what has come to
  // something is then in ascending order by itself. Between rows all bits are 0 and all sums -0, the value to which
  // adding x gives x, whatever x is. `kRows` rows of `length` entries with the same columns go together, their sums
  // beside each other; the rows of the result follow each other.
  template <std::size_t kRows>
  std::size_t by_array(std::size_t begin, std::size_t length, I* columns, T* values) {
    const std::size_t window = high_ - low_ + 1, words = window / 64 + 1, groups = words / 64 + 1;
    prepare(kRows * window, words);
    if (words_.size() < groups) words_.resize(groups, 0);
    const auto low = static_cast<I>(low_);
    T* const sums = sums_.data();
    std::uint64_t *const bits = bits_.data(), *const used = words_.data();
    const auto mark = [=](std::size_t word, std::uint64_t mask) {
      bits[word] |= mask;
      used[word / 64] |= std::uint64_t{1} << (word % 64);
    };
    for (std::size_t k = begin; k < begin + length; ++k) {
      T factor[kRows];
      for (std::size_t i = 0; i < kRows; ++i) factor[i] = a_values_[k + i * length];
      std::size_t from = first(a_columns_[k]);
      const std::size_t last = first(a_columns_[k] + 1);
      if (from == last) continue;
      if constexpr (kRows == 1) {
        const auto c = static_cast<std::size_t>(b_columns_[from] - low), n = last - from;
        if (n >= kStretch && static_cast<std::size_t>(b_columns_[last - 1] - low) == c + n - 1) {
          add_stretch(sums + c, b_values_ + from, factor[0], n);
          for (std::size_t w = c / 64; w <= (c + n - 1) / 64; ++w) {
            const std::uint64_t from_c = w == c / 64 ? ~std::uint64_t{0} << (c % 64) : ~std::uint64_t{0};
            const std::uint64_t to_c =
                w == (c + n - 1) / 64 ? ~std::uint64_t{0} >> (63 - (c + n - 1) % 64) : ~std::uint64_t{0};
            mark(w, from_c & to_c);
          }
          continue;
        }
      }
      // Bits are gathered while the columns stay in one word: one after another through memory they would wait for each
      // other (band of 11: 5.6 cycles per product).
      std::size_t word = static_cast<std::size_t>(b_columns_[from] - low) / 64;
      std::uint64_t mask = 0;
      for (; from < last; ++from) {
        const auto c = static_cast<std::size_t>(b_columns_[from] - low);
        const T value = b_values_[from];
        for (std::size_t i = 0; i < kRows; ++i) sums[kRows * c + i] += factor[i] * value;
        if (c / 64 != word) {
          mark(word, mask);
          mask = 0;
          word = c / 64;
        }
        mask |= std::uint64_t{1} << (c % 64);
      }
      mark(word, mask);
    }
    std::size_t out = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      for (std::uint64_t words_left = std::exchange(used[g], 0); words_left != 0; words_left &= words_left - 1) {
        const std::size_t w = 64 * g + static_cast<std::size_t>(std::countr_zero(words_left));
        for (std::uint64_t left = std::exchange(bits[w], 0); left != 0; left &= left - 1) {
          const std::size_t c = 64 * w + static_cast<std::size_t>(std::countr_zero(left));
          columns[out] = static_cast<I>(low_ + c);
          if constexpr (kRows == 1) {
            values[out] = sums[c];
            sums[c] = T(-0.0);
          }
          ++out;
        }
      }
    }
    if constexpr (kRows > 1) {
      for (std::size_t s = 0; s < out; ++s) {
        T* const at = sums + kRows * (static_cast<std::size_t>(columns[s]) - low_);
        for (std::size_t i = 0; i < kRows; ++i) {
          values[i * out + s] = at[i];
          at[i] = T(-0.0);
        }
      }
      for (std::size_t i = 1; i < kRows; ++i) std::copy_n(columns, out, columns + i * out);
    }
    return out;
  }

  // Whether each word of bits is looked at: where most have a few, as far as the first row of `b` tells.
  bool has_few_bits(std::size_t begin, std::size_t products) const {
    constexpr std::size_t kFewProducts = 32, kFewBits = 3, kManyBits = 16, kApart = 24;
    const std::size_t words = (high_ - low_) / 64 + 1;
    if (products < kFewProducts || products < kFewBits * words || products > kManyBits * words) return false;
    const auto from = first(a_columns_[begin]), to = first(a_columns_[begin] + 1);
    return from == to || static_cast<std::size_t>(b_columns_[to - 1] - b_columns_[from]) >= kApart * (to - from - 1);
  }

  // As by_array(), but no word says that it is used, and neither a column's word nor how many bits a word has decides a
  // branch, which would be foreseen badly: 8 entries in each of 1000 rows and columns take half of the time (Zen 5).
  [[gnu::noinline]] std::size_t by_all_words(std::size_t begin, std::size_t length, I* columns, T* values) {
    const std::size_t window = high_ - low_ + 1, words = window / 64 + 1;
    prepare(window, words);
    const auto low = static_cast<I>(low_);
    T* const sums = sums_.data();
    std::uint64_t* const bits = bits_.data();
    for_each_product(begin, begin + length, [=](I column, T value) {
      const auto c = static_cast<std::size_t>(column - low);
      sums[c] += value;
      bits[c / 64] |= std::uint64_t{1} << (c % 64);
    });
    constexpr std::size_t kAtOnce = 4;  // up to kAtOnce - 1 columns behind the last are written
    static_assert(kAtOnce <= kShortRow);
    std::size_t out = 0;
    for (std::size_t w = 0; w < words; ++w) {
      std::uint64_t left = std::exchange(bits[w], 0);
      const auto base = static_cast<I>(low_ + 64 * w);
      const std::size_t end = out + count_of(left);
      for (; out < end; out += kAtOnce)
        for (std::size_t i = 0; i < kAtOnce; ++i, left &= left - 1)
          columns[out + i] = static_cast<I>(base + std::countr_zero(left | std::uint64_t{1} << 63));
      out = end;
    }
    for (std::size_t s = 0; s < out; ++s)
      values[s] = std::exchange(sums[static_cast<std::size_t>(columns[s] - low)], T(-0.0));
    return out;
  }

  // The bits that are 1, without the instruction that not every x86-64 has: there a call of a function.
  static std::size_t count_of(std::uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return static_cast<std::size_t>(x * 0x0101010101010101u >> 56);
  }

  std::size_t by_hash(std::size_t begin, std::size_t end, std::size_t n, I* columns, T* values) {
    const unsigned bits = static_cast<unsigned>(std::bit_width(2 * n - 1));
    const std::size_t size = std::size_t{1} << bits;
    if (slots_.size() < size) {
      slots_.assign(size, -1);
      found_columns_ = Array<I>(size);
      found_values_ = Array<T>(size);
      sorter_.reserve(size, cols_);
    }
    std::size_t out = 0;
    std::int64_t* const slots = slots_.data();
    for_each_product(begin, end, [&](I column, T value) {
      // Fibonacci hashing: the high bits of a product with 2^64 / golden ratio.
      std::size_t at =
          static_cast<std::size_t>((static_cast<std::uint64_t>(column) * 0x9e3779b97f4a7c15u) >> (64 - bits));
      for (;; at = (at + 1) & (size - 1)) {
        const std::int64_t place = slots[at];
        if (place < 0) {
          slots[at] = static_cast<std::int64_t>(out);
          found_columns_[out] = column;
          found_values_[out++] = value;
          return;
        }
        if (found_columns_[static_cast<std::size_t>(place)] == column) {
          found_values_[static_cast<std::size_t>(place)] += value;
          return;
        }
      }
    });
    std::fill_n(slots, size, -1);
    return sorter_.sort(found_columns_.data(), found_values_.data(), out, columns, values);
  }

  const I *a_columns_, *b_columns_, *b_start_;
  const T *a_values_, *b_values_;
  std::size_t cols_, a_entries_, most_columns_ = 0, low_ = 0, high_ = 0, fetched_starts_ = 0, fetched_rows_ = 0;
  I unsorted_columns_[kShortRow];
  T unsorted_values_[kShortRow];
  RowSorter<T, I> sorter_;
  Array<T> sums_;
  std::vector<std::uint64_t> bits_, words_;
  std::vector<std::int64_t> slots_;
  Array<I> found_columns_;
  Array<T> found_values_;
};

}  // namespace pawl::sparse
