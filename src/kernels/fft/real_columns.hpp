// real_columns.hpp -- rows of real numbers, a transform in each column, <-> the rows of pairs that are half of the
// results.
#pragma once
#include <cstddef>

#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/columns.hpp"

namespace pawl::fft {

/// Real columns of n >= 3 numbers side by side in lanes, each by itself. Of even n elements 2 j and 2 j + 1 are a
/// complex number (real_halves.kernel.hpp), so that half of a complex transform is done; of odd n a first pass of radix
/// r leaves (r + 1) / 2 complex columns of n / r (real_pass.kernel.hpp), r the largest prime factor if it has no
/// butterfly, else the largest odd radix that has one.
template <class T>
class RealColumns {
 public:
  /// n smooth (factors.hpp).
  RealColumns(std::size_t n, const FftOps<T>& ops);

  /// What `count` columns want, at most.
  std::size_t workspace_elements(std::size_t count) const noexcept { return 2 * block_elements(count); }

  /// n rows of `count` numbers -> n / 2 + 1 rows of as many pairs, times scale; distances in elements of T. in and out
  /// apart.
  void forward(const T* in, std::ptrdiff_t in_row, T* out, std::ptrdiff_t out_row, std::size_t count, T* workspace,
               T scale) const noexcept;
  /// Back. The imaginary parts of rows 0 and, for even n, n / 2 are not read.
  void inverse(const T* in, std::ptrdiff_t in_row, T* out, std::ptrdiff_t out_row, std::size_t count, T* workspace,
               T scale) const noexcept;

 private:
  std::size_t vectors(std::size_t count) const noexcept { return (count + ops_.lanes - 1) / ops_.lanes; }
  std::size_t block_elements(std::size_t count) const noexcept {
    return columns_.size() * parts_ * vectors(count) * 2 * ops_.lanes;
  }

  const FftOps<T>& ops_;
  std::size_t n_, radix_, parts_;  // radix 2 of even n; complex columns of one real column
  Columns<T> columns_;
  AlignedArray<T> twiddles_, circle_;  // circle_: where radix_ has no butterfly
};

extern template class RealColumns<float>;
extern template class RealColumns<double>;

}  // namespace pawl::fft
