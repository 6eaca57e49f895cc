// sell.hpp -- SELL-C-sigma: slices of C rows side by side, rows of like length brought together.
//
// Kreutzer, Hager, Wellein, Fehske and Bishop, "A unified sparse matrix data format for efficient general sparse
// matrix-vector multiplication on modern processors with wide SIMD units", SIAM J. Sci. Comput. 36 (2014).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "pawl/sparse.hpp"

namespace pawl::sparse {

/// Slices of C = 64 / sizeof(T) rows. Slice s has the slots slot_start[s] <= k < slot_start[s + 1]; slot k holds, for
/// lane i < lanes[k], the column columns[k * C + i] and the value values[k * C + i]. Lane i of slice s is row
/// order[s * C + i] of the matrix. Other lanes are filled with column 0 and value 0 and never multiplied.
template <class T, class I = std::int32_t>
class Sell {
 public:
  static constexpr std::size_t C = 64 / sizeof(T);

  /// Rows are sorted by falling length within windows of `sigma` rows, and in any case within each slice.
  ///
  /// Cost       O(entries + filling) and a sort of the windows; 1 thread.
  /// Errors     std::invalid_argument if sigma is 0.
  explicit Sell(const Csr<T, I>& a, std::size_t sigma = 1024);

  std::size_t rows() const noexcept { return order_.size(); }
  std::size_t cols() const noexcept { return cols_; }
  std::size_t nonzeros() const noexcept { return nonzeros_; }
  std::span<const I> order() const noexcept { return {order_.data(), order_.size()}; }
  std::span<const std::size_t> slot_start() const noexcept { return {slot_start_.data(), slot_start_.size()}; }
  std::span<const std::uint8_t> lanes() const noexcept { return {lanes_.data(), lanes_.size()}; }
  std::span<const I> columns() const noexcept { return {columns_.data(), columns_.size()}; }
  std::span<const T> values() const noexcept { return {values_.data(), values_.size()}; }
  /// Memory of all arrays.
  std::size_t bytes() const noexcept;

  /// y = A x. An empty row gives 0; infinities and NaN in x reach exactly the rows that have an entry in their column.
  ///
  /// Shapes     x: cols, y: rows; any alignment. x and y must not overlap.
  /// Accuracy   error <= n u sum |value x| for a row of n entries, added from left to right (with FMA where the ISA
  ///            has it).
  /// Cost       2 nnz flops. Threads: num_threads(), slices divided by their slots.
  /// Errors     std::invalid_argument if a length differs.
  /// Reference  pawl::reference::spmv
  void multiply(std::span<const T> x, std::span<T> y) const;

 private:
  std::size_t cols_, nonzeros_;
  Array<I> order_, columns_;
  Array<std::size_t> slot_start_;
  Array<std::uint8_t> lanes_;
  Array<T> values_;
};

/// The same entries as CSR, explicit zeros included.
template <class T, class I>
Csr<T, I> to_csr(const Sell<T, I>& a);

}  // namespace pawl::sparse
