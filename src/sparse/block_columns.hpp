// block_columns.hpp -- the columns of blocks that a few neighbouring rows touch, each once and in order.
//
// Each entry sets its bit among the block columns and the bit of that word; then the words are met in order. No branch
// depends on where entries lie: a merge of the rows takes 10 to 25 ns for a scattered entry (Zen 4), this 2 to 4. Where
// the bits would be more to look at than the entries the rows are merged.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "pawl/sparse.hpp"

namespace pawl::sparse {

template <class T, class I, std::size_t kBlock>
class BlockColumns {
 public:
  explicit BlockColumns(const Csr<T, I>& a)
      : start_(a.row_start().data()), columns_(a.columns().data()), rows_(a.rows()) {
    constexpr std::size_t kFewWords = 64;
    const std::size_t words = a.cols() / kBlock / kBits + 1;
    if (words > a.nonzeros() + kFewWords) return;
    words_ = zeros(words);
    groups_ = zeros(words / kBits + 1);
  }

  /// Calls found(column) for each column of blocks of the rows from block_row * kBlock on.
  template <class Found>
  void operator()(std::size_t block_row, Found found) {
    const std::size_t row = block_row * kBlock, end_row = std::min(row + kBlock, rows_);
    const auto begin = static_cast<std::size_t>(start_[row]), end = static_cast<std::size_t>(start_[end_row]);
    constexpr std::size_t kGroupsAnEntry = 4;
    if (groups_.size() == 0 || groups_.size() > kGroupsAnEntry * (end - begin)) return merge(row, end_row - row, found);
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t column = static_cast<std::size_t>(columns_[k]) / kBlock, word = column / kBits;
      words_[word] |= std::uint64_t{1} << (column % kBits);
      groups_[word / kBits] |= std::uint64_t{1} << (word % kBits);
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (std::uint64_t group = groups_[g]; group != 0; group &= group - 1) {
        const std::size_t word = g * kBits + static_cast<std::size_t>(std::countr_zero(group));
        for (std::uint64_t bits = words_[word]; bits != 0; bits &= bits - 1)
          found(word * kBits + static_cast<std::size_t>(std::countr_zero(bits)));
        words_[word] = 0;
      }
      groups_[g] = 0;
    }
  }

 private:
  static constexpr std::size_t kBits = 64;

  static Array<std::uint64_t> zeros(std::size_t n) {
    Array<std::uint64_t> words(n);
    std::fill_n(words.data(), n, 0);
    return words;
  }

  template <class Found>
  void merge(std::size_t row, std::size_t count, Found found) const {
    std::size_t next[kBlock] = {}, last[kBlock] = {};
    for (std::size_t i = 0; i < count; ++i) {
      next[i] = static_cast<std::size_t>(start_[row + i]);
      last[i] = static_cast<std::size_t>(start_[row + i + 1]);
    }
    constexpr std::size_t kNone = std::size_t(-1);
    for (;;) {
      std::size_t column = kNone;
      for (std::size_t i = 0; i < count; ++i)
        if (next[i] < last[i]) column = std::min(column, static_cast<std::size_t>(columns_[next[i]]) / kBlock);
      if (column == kNone) return;
      found(column);
      for (std::size_t i = 0; i < count; ++i)
        while (next[i] < last[i] && static_cast<std::size_t>(columns_[next[i]]) / kBlock == column) ++next[i];
    }
  }

  const I *start_, *columns_;
  std::size_t rows_;
  Array<std::uint64_t> words_, groups_;  // bit c of the words: block column c; bit w of the groups: word w
};

}  // namespace pawl::sparse
