// bsr.hpp -- block compressed sparse rows: dense square blocks, one index each.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "pawl/sparse.hpp"

namespace pawl::sparse {

/// Blocks of block x block values, row-major each. Block row R holds the blocks block_row_start[R] <= k <
/// block_row_start[R + 1], whose block columns ascend strictly; the values of block k begin at k * block * block.
/// Where the block size does not divide rows or cols, the last blocks reach beyond the matrix; what is stored there is
/// 0 and is not part of it.
template <class T, class I = std::int32_t>
class Bsr {
 public:
  /// All blocks of `a` that hold an entry; what is no entry of `a` is 0 in them.
  ///
  /// Cost       O(entries + blocks block^2), and memory for cols / block indices meanwhile, of which only those of
  ///            blocks are touched; 1 thread.
  /// Errors     std::invalid_argument unless block is 2, 3, 4 or 8, or if there are more values than I holds;
  ///            std::bad_alloc.
  Bsr(const Csr<T, I>& a, std::size_t block);

  std::size_t rows() const noexcept { return rows_; }
  std::size_t cols() const noexcept { return cols_; }
  std::size_t block() const noexcept { return block_; }
  std::size_t blocks() const noexcept { return block_columns_.size(); }
  std::span<const I> block_row_start() const noexcept { return {block_row_start_.data(), block_row_start_.size()}; }
  std::span<const I> block_columns() const noexcept { return {block_columns_.data(), block_columns_.size()}; }
  std::span<const T> values() const noexcept { return {values_.data(), values_.size()}; }

  /// y = A x. Zeros within blocks are multiplied like other values: an infinity in x makes NaN of them.
  ///
  /// Shapes     x: cols, y: rows; any alignment. x and y must not overlap.
  /// Accuracy   error <= n u sum |value x| for a row of n stored values (u = 2^-24, 2^-53).
  /// Cost       2 flops per stored value; one index per block is read instead of one per entry. Threads: num_threads().
  /// Errors     std::invalid_argument if a length differs.
  /// Reference  pawl::reference::spmv
  void multiply(std::span<const T> x, std::span<T> y) const;

 private:
  std::size_t rows_, cols_, block_;
  Array<I> block_row_start_, block_columns_;
  Array<T> values_;
};

/// The entries of the blocks that are not 0 (NaN is not), as CSR. Explicit zeros of the matrix that the blocks were
/// made of are not told from filling and are lost.
template <class T, class I>
Csr<T, I> to_csr(const Bsr<T, I>& a);

/// Stored values per entry that blocks of this size would have: 1 if all blocks are full. Reads the whole matrix.
/// Errors     std::invalid_argument unless block is 2, 3, 4 or 8.
template <class T, class I>
double block_fill(const Csr<T, I>& a, std::size_t block);

}  // namespace pawl::sparse
