// side_by_side.hpp -- a few columns of R C points, both with a butterfly -> their transforms, by two functions on
// vectors of pairs.
//
// As Way::pairs does a line (pairs_line.cpp). R transforms of C columns of the user's side by side are columns too, C
// times as many, so that few of them fill vectors in the first half; passes in blocks leave most lanes empty.
#pragma once
#include <cstddef>

#include "kernels/fft/fft_table.hpp"
#include "kernels/fft/row_twiddles.hpp"
#include "pawl/isa.hpp"

namespace pawl::fft {

template <class T>
class SideBySide {
 public:
  SideBySide() = default;  // can() is false
  /// n points, `columns` side by side.
  SideBySide(std::size_t n, std::size_t columns, Isa isa);

  /// Whether n has two such halves and their twiddles stay in L1.
  bool can() const noexcept { return first_ != nullptr; }
  std::size_t workspace_elements() const noexcept { return rows_ * row_; }
  /// in and out: n rows of `columns` pairs; they may be the same. workspace: at a 64-byte boundary.
  void run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept;

 private:
  typename FftPairs<T>::Rows first_ = nullptr;
  typename FftPairs<T>::Across second_ = nullptr;
  typename FftPairs<T>::AcrossHalves second_of_halves_ = nullptr;  // where columns fill half a vector
  std::size_t rows_ = 0, points_ = 0, columns_ = 0, row_ = 0;  // points_: of the second half; row_: elements between
  RowTwiddles<T> twiddles_;
};

extern template class SideBySide<float>;
extern template class SideBySide<double>;

}  // namespace pawl::fft
