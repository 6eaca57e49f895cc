// tile_sums.hpp -- the entries of a block of rows in any order to CSR, where there are few columns: added up in a dense
// tile that L2 holds, whose bits say which places it has.
//
// Nothing is counted, moved to its row or sorted, and entries of one place are added where they meet: what is left is a
// look at the bits of each row.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "pawl/sparse/array.hpp"
#include "sparse/active_ops.hpp"

namespace pawl::sparse {

template <class T, class I>
class TileSums {
 public:
  /// Whether all rows are one tile: ns per entry of 10^4 x 8, 2 and 8 entries a row, 4.0 and 2.2, in blocks 5.4 and 3.8
  /// (640 KiB; Zen 4).
  static bool is_one_tile(std::size_t rows, std::size_t cols) {
    return rows <= kOneTileBytes / sizeof(T) / stride_of(cols);
  }

  /// Rows of a block of a larger matrix.
  static std::size_t block_rows(std::size_t cols) { return kBlockBytes / sizeof(T) / stride_of(cols); }

  /// For blocks of at most `rows` rows of `cols` columns; to be called before anything else.
  void reserve(std::size_t rows, std::size_t cols) {
    stride_ = stride_of(cols);
    words_ = (cols + kWordBits - 1) / kWordBits;
    sums_ = Array<T>(rows * stride_ + kSliceRows<T>);  // whole vectors are read behind a row
    bits_ = Array<std::uint64_t>(rows * words_);
    std::fill_n(sums_.data(), sums_.size(), T(-0.0));  // to which adding x gives x, whatever x is
    std::fill_n(bits_.data(), bits_.size(), std::uint64_t{0});
  }

  /// The n entries source(k), a Triplet each, whose rows begin at row_begin, to `rows` rows of a result with room for n
  /// entries: start[r] becomes base + the entries before row r. Returns how many are left.
  template <class Source>
  std::size_t sort(std::size_t n, Source source, std::size_t row_begin, std::size_t rows, I* start, std::size_t base,
                   I* columns, T* values) {
    T* const sums = sums_.data();
    std::uint64_t* const bits = bits_.data();
    const std::size_t stride = stride_, words = words_;
    const auto add_all = [=](const auto word_of) {
      for (std::size_t k = 0; k < n; ++k) {
        const auto t = source(k);
        const std::size_t row = static_cast<std::size_t>(t.row) - row_begin,
                          column = static_cast<std::size_t>(t.column);
        sums[row * stride + column] += t.value;
        bits[word_of(row, column)] |= std::uint64_t{1} << (column % kWordBits);
      }
    };
    if (words == 1)
      add_all([](std::size_t row, std::size_t) { return row; });
    else
      add_all([words](std::size_t row, std::size_t column) { return row * words + column / kWordBits; });
    TileRows<T, I> tile{.sums = sums,
                        .stride = stride,
                        .bits = bits,
                        .words = words,
                        .rows = rows,
                        .start = start,
                        .base = base,
                        .columns = columns,
                        .values = values,
                        .room = n};
    return sparse_ops<T, I>().take_tile(tile);
  }

 private:
  static constexpr std::size_t kOneTileBytes = std::size_t{1} << 20, kBlockBytes = std::size_t{1} << 16;
  static constexpr std::size_t kWordBits = 64;

  // Rows of few columns lie within a line, others begin at one.
  static std::size_t stride_of(std::size_t cols) {
    constexpr std::size_t kLanes = kSliceRows<T>;
    return cols < kLanes ? std::bit_ceil(cols) : (cols + kLanes - 1) / kLanes * kLanes;
  }

  std::size_t stride_ = 0, words_ = 0;
  Array<T> sums_;
  Array<std::uint64_t> bits_;
};

}  // namespace pawl::sparse
