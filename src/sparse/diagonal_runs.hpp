// diagonal_runs.hpp -- a matrix whose rows come in runs to the stretches of its columns in which it has the same
// diagonals.
//
// A run of rows that each are the row before moved by one column is a piece of some diagonals, at a fixed stride in the
// arrays. Walking along the columns, one finds stretches in which the same diagonals have entries at the same strides.
// There the transposed matrix is written from first to last, without counting, and without looking up a place for each
// entry.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/sparse/sparse_table.hpp"
#include "pawl/sparse.hpp"

namespace pawl::sparse {

/// The diagonals of a matrix and the runs of rows that have the same of them.
template <class T, class I>
class DiagonalRuns {
 public:
  /// `end_of_run(row)` is the first row behind `row` that is not the row before it moved by one column. None where the
  /// matrix has more than 64 diagonals or its runs have fewer than mean_length rows, so that nothing is gained.
  template <class EndOfRun>
  static std::optional<DiagonalRuns> find(const Csr<T, I>& a, std::size_t mean_length, EndOfRun end_of_run) {
    DiagonalRuns found(a);
    const I *const start = a.row_start().data(), *const columns = a.columns().data();
    constexpr std::size_t kMoreAtFirst = 16;  // runs that may be short before it is given up
    for (std::size_t row = 0; row < a.rows(); row = end_of_run(row)) {
      const auto first = static_cast<std::size_t>(start[row]), n = static_cast<std::size_t>(start[row + 1]) - first;
      if (n > kMostDiagonals || found.runs_.size() > row / mean_length + kMoreAtFirst ||
          !found.add_run(row, columns + first, n))
        return std::nullopt;
    }
    found.runs_.push_back({a.rows(), 0});
    if (!found.number_diagonals()) return std::nullopt;
    return found;
  }

  static constexpr std::size_t kMostDiagonals = 64, kMostPatterns = 64;
  static constexpr std::uint8_t kAbsent = 255;
  struct Run {
    std::size_t row, pattern;
  };
  /// The diagonals of a row; the place of each diagonal of the matrix among the row's entries, and the other way round.
  struct Pattern {
    std::vector<std::ptrdiff_t> offsets;
    std::array<std::uint8_t, kMostDiagonals> place, diagonal;
  };
  /// By rows; the last one begins behind the last row.
  const std::vector<Run>& runs() const { return runs_; }
  const std::vector<Pattern>& patterns() const { return patterns_; }

  /// Calls stretch(column, n, pieces, count) for the columns [begin, end) from left to right: n columns in which
  /// `count` pieces of diagonals have an entry each, from the upper rows to the lower ones.
  template <class Stretch>
  void walk(std::size_t begin, std::size_t end, Stretch stretch) const {
    const std::size_t rows = a_->rows(), count = diagonals_.size();
    const I* const start = a_->row_start().data();
    std::array<std::size_t, kMostDiagonals> current{};
    std::array<DiagonalPiece, kMostDiagonals> pieces;
    for (std::size_t d = 0; d < count; ++d) {
      const auto row = static_cast<std::ptrdiff_t>(begin) - diagonals_[d];
      if (row > 0 && static_cast<std::size_t>(row) < rows)
        current[d] =
            static_cast<std::size_t>(std::upper_bound(runs_.begin(), runs_.end(), static_cast<std::size_t>(row),
                                                      [](std::size_t r, const Run& run) { return r < run.row; }) -
                                     runs_.begin()) -
            1;
    }
    for (std::size_t column = begin; column < end;) {
      std::size_t n = end - column, used = 0;
      for (std::size_t d = 0; d < count; ++d) {
        const auto signed_row = static_cast<std::ptrdiff_t>(column) - diagonals_[d];
        if (signed_row < 0) {
          n = std::min(n, static_cast<std::size_t>(-signed_row));
          continue;
        }
        const auto row = static_cast<std::size_t>(signed_row);
        if (row >= rows) continue;
        std::size_t run = current[d];
        while (runs_[run + 1].row <= row) ++run;
        current[d] = run;
        n = std::min(n, runs_[run + 1].row - row);
        const Pattern& pattern = patterns_[runs_[run].pattern];
        if (pattern.place[d] != kAbsent)
          pieces[used++] = {row, static_cast<std::size_t>(start[row]) + pattern.place[d], pattern.offsets.size()};
      }
      stretch(column, n, pieces.data(), used);
      column += n;
    }
  }

 private:
  explicit DiagonalRuns(const Csr<T, I>& a) : a_(&a) {}

  bool add_run(std::size_t row, const I* columns, std::size_t n) {
    const auto is = [&](std::size_t pattern) {
      const std::vector<std::ptrdiff_t>& offsets = patterns_[pattern].offsets;
      if (offsets.size() != n) return false;
      for (std::size_t k = 0; k < n; ++k)
        if (static_cast<std::ptrdiff_t>(columns[k]) - static_cast<std::ptrdiff_t>(row) != offsets[k]) return false;
      return true;
    };
    // A line of a grid has a first row, inner ones and a last one: that of three runs before is most often the same.
    std::size_t pattern = runs_.size() < 3 ? patterns_.size() : runs_[runs_.size() - 3].pattern;
    if (pattern == patterns_.size() || !is(pattern)) {
      pattern = 0;
      while (pattern < patterns_.size() && !is(pattern)) ++pattern;
    }
    if (pattern == patterns_.size()) {
      if (pattern == kMostPatterns) return false;
      patterns_.emplace_back();
      for (std::size_t k = 0; k < n; ++k)
        patterns_.back().offsets.push_back(static_cast<std::ptrdiff_t>(columns[k]) - static_cast<std::ptrdiff_t>(row));
    }
    runs_.push_back({row, pattern});
    return true;
  }

  // From the one that meets a column in the uppermost row on.
  bool number_diagonals() {
    for (const Pattern& p : patterns_) diagonals_.insert(diagonals_.end(), p.offsets.begin(), p.offsets.end());
    std::sort(diagonals_.begin(), diagonals_.end(), std::greater<>());
    diagonals_.erase(std::unique(diagonals_.begin(), diagonals_.end()), diagonals_.end());
    if (diagonals_.size() > kMostDiagonals) return false;
    for (Pattern& p : patterns_) {
      p.place.fill(kAbsent);
      for (std::size_t k = 0; k < p.offsets.size(); ++k) {
        p.diagonal[k] = static_cast<std::uint8_t>(
            std::lower_bound(diagonals_.begin(), diagonals_.end(), p.offsets[k], std::greater<>()) -
            diagonals_.begin());
        p.place[p.diagonal[k]] = static_cast<std::uint8_t>(k);
      }
    }
    return true;
  }

  const Csr<T, I>* a_;
  std::vector<Run> runs_;
  std::vector<Pattern> patterns_;
  std::vector<std::ptrdiff_t> diagonals_;
};

}  // namespace pawl::sparse
