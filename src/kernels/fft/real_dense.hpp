// real_dense.hpp -- transforms of small row-major arrays of real numbers along the last axis and any others.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/dense_axis.hpp"
#include "kernels/fft/real_line.hpp"
#include "pawl/view.hpp"

namespace pawl::fft {

/// Rows of even length are pairs: these are transformed along all axes, and then all rows at once become those of the
/// real numbers in them (FftOps::split_all). Rows of odd length are transformed one by one.
template <class T>
class RealDense {
 public:
  /// Whether an array is small enough: what lies between the axes and the results stay in L1.
  static bool can(const Shape& reals) noexcept;

  /// reals: at least one dimension, the last of which is transformed. others: the other axes, any number.
  RealDense(const Shape& reals, std::span<const std::size_t> others, Isa isa);

  std::size_t workspace_elements() const noexcept { return between_ + inner_; }
  /// in and out row-major and apart.
  void forward(const T* in, T* out, T* workspace, T scale) const noexcept;
  void inverse(const T* in, T* out, T* workspace, T scale) const noexcept;

 private:
  std::size_t n_, rows_, between_ = 0, inner_ = 0;  // elements of a copy, and of what the axes want
  std::vector<DenseAxis<T>> axes_;                  // of pairs, for odd n of results; the others first
  std::shared_ptr<const RealLine<T>> line_;         // of odd n
  const FftOps<T>* ops_ = nullptr;                  // of even n
  std::vector<std::uint32_t> mirror_;               // the row that is the mirror image of each along the other axes
  AlignedArray<T> table_;
};

extern template class RealDense<float>;
extern template class RealDense<double>;

}  // namespace pawl::fft
