// spmv_plan.hpp -- a sparse matrix prepared for many products with vectors.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "pawl/sparse.hpp"
#include "pawl/sparse/bsr.hpp"
#include "pawl/sparse/diagonal_slot.hpp"
#include "pawl/sparse/sell.hpp"

namespace pawl::sparse {

enum class SpmvFormat : unsigned char {
  csr,        ///< the matrix as it is
  diagonals,  ///< slices of 64 bytes of rows; per diagonal that a slice meets a vector of values and one index
  blocks,     ///< Bsr with blocks of 4 x 4, all of them full
  slices      ///< Sell, rows sorted by length within 256
};

/// Chooses the form in which a matrix is multiplied fastest, and holds it.
///
/// Entries on diagonals (bands, stencils on grids) need no index each and no gather: 8 instead of 12 bytes for an f64.
/// (Those of f64 that the last-level cache does not hold stay in CSR, which reads them at the speed of memory.)
/// Entries in full blocks of 4 x 4 at multiples of 4 share an index among 16, and the elements of x among 4 rows.
/// Large matrices of f64 whose rows differ in length, or are very short, lie as slices of rows of like length beside
/// each other, so that no loop ends at an unforeseen place; not those where a few long rows would leave lanes empty. On
/// CPUs of Intel with AVX-512 also those of f32 and smaller ones, from 2000 rows on, and short rows from 256 on.
/// Any other matrix stays in CSR, which costs the look at some hundred rows and no memory.
/// The matrix must outlive the plan; a plan holds a copy of the values, so after a change of them make another one.
///
/// Cost       of the plan: reads the matrix once, writes a copy; 1 thread. After how many products it has paid back is
///            the counter `break_even` of sparse_bench's rows spmv_make_plan.
/// Accuracy   as spmv: error <= n u sum |value x|; diagonals are added from left to right.
/// Infinities and NaN in x reach exactly the rows that have an entry in their column.
template <class T, class I = std::int32_t>
class SpmvPlan {
 public:
  explicit SpmvPlan(const Csr<T, I>& a);

  /// y = A x, as spmv(a, x, y). Errors: std::invalid_argument if a length differs. May run in several threads at once.
  void multiply(std::span<const T> x, std::span<T> y) const;

  SpmvFormat format() const noexcept { return format_; }
  /// Memory beyond the matrix.
  std::size_t bytes() const noexcept;

 private:
  const Csr<T, I>* matrix_;
  SpmvFormat format_ = SpmvFormat::csr;
  Array<std::size_t> slot_start_;
  Array<DiagonalSlot<I>> slots_;
  Array<T> values_;
  std::optional<Bsr<T, I>> blocks_;
  std::optional<Sell<T, I>> sliced_;
};

}  // namespace pawl::sparse
