// nd_plan.hpp -- a shape and some of its axes -> what transforms along these axes need: 2-D, 3-D, n-D, batches,
// strides.
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
class DenseAxis;
template <class T>
class Line;

/// Complex transforms along chosen axes of an array of one shape, both directions. T is float or double.
///
/// All axes of [n0, n1] are a 2-D transform; axis 1 of [batch, n] is a batch of transforms; a column of a matrix is
/// axis 0 of a view [n, 1] with its stride. Immutable: any number of threads may use one plan at once, each call with a
/// workspace of its own.
///
/// Accuracy   that of Plan for each axis, added up.
/// Cost       as Plan for each axis; where a dimension of the view has stride 1, by whole vectors.
/// Errors     std::invalid_argument if the shape has an extent of 0, or axes are none, repeated or beyond the rank;
///            std::bad_alloc.
/// Reference  pawl::reference::dft along each axis, in src/reference/fft_ref.hpp
template <class T>
class NdPlan {
 public:
  NdPlan(const Shape& shape, std::span<const std::size_t> axes);
  NdPlan(const Shape& shape, std::initializer_list<std::size_t> axes)
      : NdPlan(shape, std::span(axes.begin(), axes.size())) {}
  /// Along all axes.
  explicit NdPlan(const Shape& shape);

  const Shape& shape() const noexcept { return shape_; }
  Isa isa() const noexcept { return isa_; }
  /// Threads that a run uses: what num_threads() was when the plan was made, fewer for small arrays.
  int threads() const noexcept { return threads_; }
  /// Bytes of workspace that a run wants.
  std::size_t workspace_bytes() const noexcept { return workspace_bytes_; }

  /// Forward along every axis of the plan; the factor is normalization's for the product of their lengths.
  ///
  /// Shapes     in and out have the plan's shape and any strides. They may be the same view; else the address ranges
  ///            they span must not overlap. Workspace: apart from both; contents are undefined afterwards.
  /// Alignment  any.
  /// Cost       as above; allocates nothing.
  /// Errors     std::invalid_argument, before anything is touched, if shapes differ, a view is null, out has a stride
  ///            of 0, or views and workspace overlap or are too small.
  void forward(const View<const std::complex<T>>& in, const View<std::complex<T>>& out, std::span<std::byte> workspace,
               Normalization normalization = Normalization::none) const {
    run<false>(in, out, &workspace, normalization);
  }
  /// The same with exp(+2 pi i j k / n).
  void inverse(const View<const std::complex<T>>& in, const View<std::complex<T>>& out, std::span<std::byte> workspace,
               Normalization normalization = Normalization::none) const {
    run<true>(in, out, &workspace, normalization);
  }

  /// The same with memory that the calling thread keeps from call to call. Errors: std::bad_alloc too.
  void forward(const View<const std::complex<T>>& in, const View<std::complex<T>>& out,
               Normalization normalization = Normalization::none) const {
    run<false>(in, out, nullptr, normalization);
  }
  void inverse(const View<const std::complex<T>>& in, const View<std::complex<T>>& out,
               Normalization normalization = Normalization::none) const {
    run<true>(in, out, nullptr, normalization);
  }

 private:
  struct Step {
    std::size_t axis;
    std::shared_ptr<const Axis<T>> transform;
    std::shared_ptr<const DenseAxis<T>> dense;  // of row-major arrays, where dense_
  };
  // What one call does is that call from the caller's own code. All else goes by run_steps().
  template <bool kInverse>
  [[gnu::always_inline]] void run(const View<const std::complex<T>>& in, const View<std::complex<T>>& out,
                                  const std::span<std::byte>* workspace, Normalization normalization) const {
    if (whole_ && normalization == Normalization::none &&
        detail::both_row_major(in, shape_, row_major_, out, shape_, row_major_) &&
        detail::fits({in.data(), bytes_}, {out.data(), bytes_}, true, workspace, workspace_bytes_)) [[likely]]
      return whole_(reinterpret_cast<const T*>(in.data()), distance_, reinterpret_cast<T*>(out.data()), distance_,
                    count_, kInverse, T(1));
    run_steps(in, out, workspace, kInverse, normalization);
  }
  void run_steps(const View<const std::complex<T>>& in, const View<std::complex<T>>& out,
                 const std::span<std::byte>* workspace, bool inverse, Normalization normalization) const;
  void run_strided(const View<const std::complex<T>>& in, const View<std::complex<T>>& out,
                   const std::span<std::byte>* workspace, bool inverse, Normalization normalization) const;
  void run_dense(const T* in, T* out, T* workspace, bool inverse, T scale) const noexcept;

  Shape shape_;
  Strides row_major_;
  // Where dense_ and one call does all of it: that call, and the distance and number of its lines or columns.
  void (*whole_)(const T*, std::ptrdiff_t, T*, std::ptrdiff_t, std::size_t, bool, T) noexcept = nullptr;
  std::ptrdiff_t distance_ = 0;
  std::size_t count_ = 0;
  const Line<T>* line_ = nullptr;  // where dense_ and there is but one
  Isa isa_;
  int threads_ = 1;
  std::size_t points_ = 1, workspace_bytes_ = 0, thread_elements_ = 0, bytes_ = 0;
  std::vector<Step> steps_;  // in the order in which they run
  // The first slab_steps_ of them are along dimensions from slab_ on, whose elements fit in a cache: each such slab is
  // done with before the next. 0: every step goes through the whole array.
  std::size_t slab_ = 0, slab_steps_ = 0;
  bool dense_ = false;  // the whole array is a slab, of one thread
  Shape slab_shape_;
};

extern template class NdPlan<float>;
extern template class NdPlan<double>;

}  // namespace pawl::fft
