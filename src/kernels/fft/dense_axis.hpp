// dense_axis.hpp -- an axis of a small row-major array -> the calls that transform along it, fixed when the plan is
// made.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>

#include "kernels/fft/axis.hpp"
#include "kernels/fft/side_by_side.hpp"
#include "pawl/isa.hpp"

namespace pawl::fft {

/// What sweep() does, for arrays whose strides follow from their shape: nothing is left to find out in a call, which
/// took half of the time of 4 x 4 x 4 points.
template <class T>
class DenseAxis {
 public:
  /// outer, inner: products of the extents before and behind the axis.
  DenseAxis(std::size_t outer, std::size_t n, std::size_t inner, Isa isa);

  std::size_t workspace_elements() const noexcept {
    return std::max(axis_->workspace_elements(), halves_.workspace_elements());
  }
  /// in and out: outer x n x inner pairs; they may be the same array.
  void run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept;

 private:
  std::size_t outer_, n_, inner_, at_once_;  // at_once_: columns of one Axis::run()
  typename FftPairs<T>::Lines lines_ = nullptr;
  typename FftPairs<T>::Across across_ = nullptr;
  SideBySide<T> halves_;
  std::shared_ptr<const Axis<T>> axis_;
};

extern template class DenseAxis<float>;
extern template class DenseAxis<double>;

}  // namespace pawl::fft
