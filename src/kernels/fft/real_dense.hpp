// real_dense.hpp -- transforms of small row-major arrays of real numbers, and of any along one axis.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/dense_axis.hpp"
#include "kernels/fft/real_axis.hpp"
#include "pawl/view.hpp"

namespace pawl::fft {

/// Rows of even length are pairs: these are transformed along all axes, and then all rows at once become those of the
/// real numbers in them (FftOps::split_all). Others, columns and short rows alone go through RealAxis first.
template <class T>
class RealDense {
 public:
  /// Whether what lies between the axes and the results stay in L1, or there is but one axis.
  static bool can(const Shape& reals, std::span<const std::size_t> others) noexcept;

  /// halved: the axis of which half of the results are kept. others: those before it, any number.
  RealDense(const Shape& reals, std::size_t halved, std::span<const std::size_t> others, Isa isa);

  /// One call for all of it: of short lines, or of columns; distances in real numbers.
  struct Whole {
    typename FftReals<T>::Lines forward = nullptr, inverse = nullptr;
    std::ptrdiff_t reals = 0, results = 0;
    std::size_t count = 0;
  };
  /// If there is one, else its calls are null.
  Whole whole() const noexcept;
  /// The only line, else null.
  const RealLine<T>* line() const noexcept { return outer_ == 1 ? line_.get() : nullptr; }

  std::size_t workspace_elements() const noexcept { return between_ + inner_; }
  /// in and out row-major and apart.
  void forward(const T* in, T* out, T* workspace, T scale) const noexcept;
  void inverse(const T* in, T* out, T* workspace, T scale) const noexcept;

 private:
  void halved_forward(const T* in, T* out, T* workspace, T scale) const noexcept;
  void halved_inverse(const T* in, T* out, T* workspace, T scale) const noexcept;

  std::size_t n_, outer_, columns_;            // extents: of the axis, before and behind it
  std::size_t between_ = 0, inner_ = 0;        // elements of a copy, and of what the axes want
  std::vector<DenseAxis<T>> axes_;             // of pairs, or else of results; the others first
  std::shared_ptr<const RealLine<T>> line_;    // where lines go one by one and there is no more to do
  std::shared_ptr<const RealAxis<T>> halves_;  // where rows are not pairs
  typename RealAxis<T>::Short short_;          // what it would call, if lanes is not 0
  const FftOps<T>* ops_ = nullptr;             // of rows that are
  std::vector<std::uint32_t> mirror_;          // the row that is the mirror image of each along the other axes
  AlignedArray<T> table_;
};

extern template class RealDense<float>;
extern template class RealDense<double>;

}  // namespace pawl::fft
