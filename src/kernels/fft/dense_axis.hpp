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

  /// One call for all of it: of short lines, or of columns.
  struct Whole {
    typename FftPairs<T>::Lines call = nullptr;
    std::ptrdiff_t distance = 0;
    std::size_t count = 0;
  };
  /// If there is one, else its call is null.
  const Whole& whole() const noexcept { return whole_; }
  /// The only line, else null.
  const Line<T>* line() const noexcept { return line_.get(); }

  std::size_t workspace_elements() const noexcept {
    return std::max(
        {axis_->workspace_elements(), halves_.workspace_elements(), line_ ? line_->workspace_elements() : 0});
  }
  /// in and out: outer x n x inner pairs; they may be the same array.
  void run(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept {
    if (whole_.call)
      whole_.call(in, whole_.distance, out, whole_.distance, whole_.count, swapped, scale);
    else
      run_parts(in, out, workspace, swapped, scale);
  }

 private:
  void run_parts(const T* in, T* out, T* workspace, bool swapped, T scale) const noexcept;

  Whole whole_;
  std::size_t outer_, n_, inner_, at_once_;  // at_once_: columns of one Axis::run()
  typename FftPairs<T>::Across across_ = nullptr;
  SideBySide<T> halves_;
  std::shared_ptr<const Line<T>> line_;  // where there is but one
  std::shared_ptr<const Axis<T>> axis_;
};

extern template class DenseAxis<float>;
extern template class DenseAxis<double>;

}  // namespace pawl::fft
