// real_nd_plan.hpp -- a shape of real numbers and some of its axes -> what transforms along these axes need.
#pragma once
#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "pawl/detail/byte_ranges.hpp"
#include "pawl/detail/row_major.hpp"
#include "pawl/fft/normalization.hpp"
#include "pawl/isa.hpp"
#include "pawl/view.hpp"

namespace pawl::fft {

template <class T>
class Axis;
template <class T>
class RealAxis;
template <class T>
class RealRows;
template <class T>
class RealDense;
template <class T>
class RealLine;

/// Transforms of real arrays along chosen axes, both directions. T is float or double.
///
/// The innermost of the chosen axes, whatever their order in the list, is transformed first, as by RealPlan, and keeps
/// n / 2 + 1 results; the others as by NdPlan. So [4, 6] along both axes becomes [4, 4]: results_shape(). Immutable,
/// for any number of threads.
///
/// Accuracy   that of RealPlan and Plan for each axis, added up. Transforms of one call are apart: the error of each is
///            a part of its own norm, and a NaN or infinity reaches only the results of its own.
/// Cost       half of NdPlan if the last axis is even.
/// Errors     std::invalid_argument if the shape has an extent of 0, or axes are none, repeated or beyond the rank;
///            std::bad_alloc.
/// Reference  pawl::reference::dft along each axis, in src/reference/fft_ref.hpp
template <class T>
class RealNdPlan {
 public:
  RealNdPlan(const Shape& shape, std::span<const std::size_t> axes);
  RealNdPlan(const Shape& shape, std::initializer_list<std::size_t> axes)
      : RealNdPlan(shape, std::span(axes.begin(), axes.size())) {}
  /// Along all axes.
  explicit RealNdPlan(const Shape& shape);

  const Shape& shape() const noexcept { return shape_; }
  const Shape& results_shape() const noexcept { return results_shape_; }
  Isa isa() const noexcept { return isa_; }
  int threads() const noexcept { return threads_; }
  std::size_t workspace_bytes() const noexcept { return workspace_bytes_; }

  /// Shapes     in: shape(), out: results_shape(), any strides. The address ranges they span must not overlap, nor the
  ///            workspace's.
  /// Cost       allocates nothing with a workspace given; without, only if the thread's own has to grow.
  /// Errors     as in NdPlan.
  void forward(const View<const T>& in, const View<std::complex<T>>& out, std::span<std::byte> workspace,
               Normalization normalization = Normalization::none) const {
    run_forward(in, out, &workspace, normalization);
  }
  void forward(const View<const T>& in, const View<std::complex<T>>& out,
               Normalization normalization = Normalization::none) const {
    run_forward(in, out, nullptr, normalization);
  }
  /// Back: in results_shape(), which is left as it is, out shape(). Imaginary parts that symmetry makes 0 are not read,
  /// as in RealPlan.
  void inverse(const View<const std::complex<T>>& in, const View<T>& out, std::span<std::byte> workspace,
               Normalization normalization = Normalization::none) const {
    run_inverse(in, out, &workspace, normalization);
  }
  void inverse(const View<const std::complex<T>>& in, const View<T>& out,
               Normalization normalization = Normalization::none) const {
    run_inverse(in, out, nullptr, normalization);
  }

 private:
  struct Step {
    std::size_t axis;
    std::shared_ptr<const Axis<T>> transform;
  };
  // What one call does is that call from the caller's own code. All else goes by steps_forward() and steps_inverse().
  [[gnu::always_inline]] void run_forward(const View<const T>& in, const View<std::complex<T>>& out,
                                          const std::span<std::byte>* workspace, Normalization normalization) const {
    if (whole_forward_ && normalization == Normalization::none &&
        detail::both_row_major(in, shape_, row_major_, out, results_shape_, results_row_major_) &&
        detail::fits({in.data(), bytes_}, {out.data(), results_bytes_}, false, workspace, workspace_bytes_)) [[likely]]
      return whole_forward_(in.data(), distance_, reinterpret_cast<T*>(out.data()), results_distance_, count_, T(1));
    steps_forward(in, out, workspace, normalization);
  }
  [[gnu::always_inline]] void run_inverse(const View<const std::complex<T>>& in, const View<T>& out,
                                          const std::span<std::byte>* workspace, Normalization normalization) const {
    if (whole_inverse_ && normalization == Normalization::none &&
        detail::both_row_major(in, results_shape_, results_row_major_, out, shape_, row_major_) &&
        detail::fits({in.data(), results_bytes_}, {out.data(), bytes_}, false, workspace, workspace_bytes_)) [[likely]]
      return whole_inverse_(reinterpret_cast<const T*>(in.data()), results_distance_, out.data(), distance_, count_,
                            T(1));
    steps_inverse(in, out, workspace, normalization);
  }
  void steps_forward(const View<const T>& in, const View<std::complex<T>>& out, const std::span<std::byte>* workspace,
                     Normalization normalization) const;
  void steps_inverse(const View<const std::complex<T>>& in, const View<T>& out, const std::span<std::byte>* workspace,
                     Normalization normalization) const;
  void strided_forward(const View<const T>& in, const View<std::complex<T>>& out, const std::span<std::byte>* workspace,
                       Normalization normalization) const;
  void strided_inverse(const View<const std::complex<T>>& in, const View<T>& out, const std::span<std::byte>* workspace,
                       Normalization normalization) const;

  using Whole = void (*)(const T*, std::ptrdiff_t, T*, std::ptrdiff_t, std::size_t, T) noexcept;

  Shape shape_, results_shape_;
  Strides row_major_, results_row_major_;
  // Where dense_ and one call does all of it: that call, and the distances and number of its lines or columns.
  Whole whole_forward_ = nullptr, whole_inverse_ = nullptr;
  std::ptrdiff_t distance_ = 0, results_distance_ = 0;
  std::size_t count_ = 0, bytes_ = 0, results_bytes_ = 0;  // bytes of both arrays
  const RealLine<T>* line_ = nullptr;                      // where dense_ and there is but one
  Isa isa_;
  int threads_ = 1;
  std::size_t halved_ = 0, points_ = 1, workspace_bytes_ = 0, thread_elements_ = 0;
  std::shared_ptr<const RealAxis<T>> halves_;
  std::vector<Step> steps_;  // of the other axes
  std::shared_ptr<const RealRows<T>> rows_;
  std::shared_ptr<const RealDense<T>> dense_;  // for small row-major arrays and for one axis
  bool compact_ = false;                       // other arrays may be copied to such ones first
  Shape pairs_shape_;                          // of the real numbers as pairs, where rows_ is
  Strides pairs_strides_{};
};

extern template class RealNdPlan<float>;
extern template class RealNdPlan<double>;

}  // namespace pawl::fft
