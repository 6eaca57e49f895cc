// nd_plan.cpp -- argument checks and the order of the axes of include/pawl/fft/nd_plan.hpp.
#include "pawl/fft/nd_plan.hpp"

#include <algorithm>
#include <string>

#include "isa/core_distance.hpp"
#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/all_axes.hpp"
#include "kernels/fft/arguments.hpp"
#include "kernels/fft/dense_axis.hpp"
#include "kernels/fft/strided_copy.hpp"
#include "kernels/fft/sweep.hpp"
#include "kernels/fft/threads.hpp"
#include "kernels/matmul/workspace.hpp"
#include "pawl/parallel.hpp"
#include "tensor/shape_text.hpp"

namespace pawl::fft {
namespace {

// A slab of input and one of output together stay in a 1 MiB L2.
constexpr std::size_t kSlabBytes = std::size_t{256} << 10;

// Where slab number `slab` begins, in elements.
std::ptrdiff_t slab_offset(const Shape& shape, const std::ptrdiff_t* strides, std::size_t first,
                           std::size_t slab) noexcept {
  std::ptrdiff_t offset = 0;
  for (std::size_t d = first; d-- > 0; slab /= shape[d])
    offset += static_cast<std::ptrdiff_t>(slab % shape[d]) * strides[d];
  return offset;
}

}  // namespace

template <class T>
NdPlan<T>::NdPlan(const Shape& shape) : NdPlan(shape, all_axes(shape)) {}

template <class T>
NdPlan<T>::NdPlan(const Shape& shape, std::span<const std::size_t> axes)
    : shape_(shape), row_major_(row_major(shape)), isa_(active_isa()) {
  if (shape.elements() == 0) refuse("NdPlan", "shape " + shape_text(shape) + " has an extent of 0");
  if (axes.empty()) refuse("NdPlan", "no axes to transform along");
  std::vector<std::size_t> order(axes.begin(), axes.end());
  std::sort(order.begin(), order.end(), std::greater<>());  // the innermost first: it reads `in` in its own order
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= shape.rank())
      refuse("NdPlan", "axis " + std::to_string(order[i]) + " of an array of shape " + shape_text(shape));
    if (i > 0 && order[i] == order[i - 1]) refuse("NdPlan", "axis " + std::to_string(order[i]) + " twice");
    points_ *= shape[order[i]];
    const bool wanted = shape[order[i]] > 1 || (steps_.empty() && i + 1 == order.size());
    if (!wanted) continue;  // one point is its own transform
    steps_.push_back({order[i], shared_axis<T>(shape[order[i]], isa_), nullptr});
    thread_elements_ = std::max(thread_elements_, up_to_line<T>(steps_.back().transform->workspace_elements()));
  }
  slab_ = shape.rank();
  for (std::size_t bytes = 2 * sizeof(T); slab_ > 0 && bytes * shape[slab_ - 1] <= kSlabBytes;) bytes *= shape[--slab_];
  for (const Step& s : steps_) slab_steps_ += s.axis >= slab_;
  if (slab_ == 0 || slab_steps_ < 2) slab_steps_ = 0;
  slab_shape_ = Shape(std::span<const std::size_t>(shape.begin() + slab_, shape.end()));
  // Slabs that are all there is to do are a batch.
  const bool batch = slab_ > 0 && slab_steps_ == steps_.size();
  threads_ = worthwhile_threads<T>(Elements::complex, shape.elements(), batch ? 1 : steps_.size(), num_threads(),
                                   pawl::detail::cores_are_near);
  dense_ = slab_ == 0 && threads_ == 1;
  bytes_ = shape.elements() * sizeof(std::complex<T>);
  for (Step& s : steps_) {
    if (!dense_) break;
    const auto inner = static_cast<std::size_t>(row_major_[s.axis]), n = shape[s.axis];
    s.dense = std::make_shared<const DenseAxis<T>>(shape.elements() / inner / n, n, inner, isa_);
    thread_elements_ = std::max(thread_elements_, up_to_line<T>(s.dense->workspace_elements()));
  }
  if (dense_ && steps_.size() == 1) {
    const typename DenseAxis<T>::Whole whole = steps_[0].dense->whole();
    whole_ = whole.call;
    distance_ = whole.distance;
    count_ = whole.count;
    line_ = steps_[0].dense->line();
  }
  // Behind what the axes want, a copy.
  const std::size_t copy = dense_ ? up_to_line<T>(2 * shape.elements()) : 0;
  workspace_bytes_ = (static_cast<std::size_t>(threads_) * thread_elements_ + copy) * sizeof(T) + kAlignment;
}

template <class T>
void NdPlan<T>::run_dense(const T* in, T* out, T* workspace, bool inverse, T scale) const noexcept {
  const std::size_t last = steps_.size() - 1;
  for (std::size_t i = 0; i < last; ++i, in = out) steps_[i].dense->run(in, out, workspace, inverse, T(1));
  steps_[last].dense->run(in, out, workspace, inverse, scale);
}

template <class T>
void NdPlan<T>::run_steps(const View<const std::complex<T>>& in, const View<std::complex<T>>& out,
                          const std::span<std::byte>* workspace, bool inverse, Normalization normalization) const {
  if (dense_ && both_row_major(in, shape_, row_major_, out, shape_, row_major_) &&
      fits({in.data(), bytes_}, {out.data(), bytes_}, true, workspace, workspace_bytes_)) [[likely]] {
    const T scale = normalization == Normalization::none ? T(1) : static_cast<T>(factor(normalization, points_));
    const T* const from = reinterpret_cast<const T*>(in.data());
    T* const to = reinterpret_cast<T*>(out.data());
    if (whole_) return whole_(from, distance_, to, distance_, count_, inverse, scale);
    T* const memory = workspace ? aligned_start<T>(*workspace) : static_cast<T*>(thread_workspace(workspace_bytes_));
    return line_ ? line_->run(from, to, memory, inverse, scale) : run_dense(from, to, memory, inverse, scale);
  }
  run_strided(in, out, workspace, inverse, normalization);
}

// Whatever run_steps() leaves, also arguments that are refused.
template <class T>
void NdPlan<T>::run_strided(const View<const std::complex<T>>& in, const View<std::complex<T>>& out,
                            const std::span<std::byte>* workspace, bool inverse, Normalization normalization) const {
  const char* const function = inverse ? "inverse" : "forward";
  const ByteRange from = checked_range(function, "in", in, shape_, false);
  const ByteRange to = checked_range(function, "out", out, shape_, true);
  if (static_cast<const void*>(in.data()) != static_cast<const void*>(out.data()) ||
      !same_strides(in.strides(), out.strides(), shape_.rank()))
    check_overlap(function, from.begin, from.size, to.begin, to.size, false, "in and out");
  T* memory;
  if (workspace) {
    check_workspace(function, *workspace, workspace_bytes_);
    check_overlap(function, from.begin, from.size, workspace->data(), workspace->size(), false, "in and workspace");
    check_overlap(function, to.begin, to.size, workspace->data(), workspace->size(), false, "out and workspace");
    memory = aligned_start<T>(*workspace);
  } else {
    memory = static_cast<T*>(thread_workspace(workspace_bytes_));
  }
  const auto scale = [&](std::size_t step) {
    return step + 1 == steps_.size() && normalization != Normalization::none
               ? static_cast<T>(factor(normalization, points_))
               : T(1);
  };
  if (dense_ && goes_by_copies(shape_, in.strides().data(), out.strides().data())) {
    const bool in_dense = is_row_major(in, shape_, row_major_), out_dense = is_row_major(out, shape_, row_major_);
    const T* pairs = reinterpret_cast<const T*>(in.data());
    T* const target = reinterpret_cast<T*>(out.data());
    T* const results = out_dense ? target : memory + thread_elements_;
    if (!in_dense) {
      StridedCopy<T>(isa_).pairs(shape_, pairs, in.strides().data(), results, row_major_.data());
      pairs = results;
    }
    run_dense(pairs, results, memory, inverse, scale(steps_.size() - 1));
    if (!out_dense) StridedCopy<T>(isa_).pairs(shape_, results, row_major_.data(), target, out.strides().data());
    return;
  }
  Pairs<T> target{reinterpret_cast<T*>(out.data()), out.strides().data()};
  Pairs<const T> source{reinterpret_cast<const T*>(in.data()), in.strides().data()};
  if (slab_steps_ > 0) {
    const std::size_t slabs = shape_.elements() / slab_shape_.elements();
    on_threads(
        static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads_), slabs)),
        [&](int thread, int count) {
          const Range mine = share(slabs, thread, count);
          T* const own = memory + static_cast<std::size_t>(thread) * thread_elements_;
          for (std::size_t slab = mine.begin; slab < mine.end; ++slab) {
            const Pairs<T> slab_out{target.data + 2 * slab_offset(shape_, target.strides, slab_, slab),
                                    target.strides + slab_};
            Pairs<const T> slab_in{source.data + 2 * slab_offset(shape_, source.strides, slab_, slab),
                                   source.strides + slab_};
            for (std::size_t i = 0; i < slab_steps_; ++i) {
              sweep<T>(*steps_[i].transform, slab_shape_, steps_[i].axis - slab_, slab_in, slab_out, own,
                       thread_elements_, 1, inverse, scale(i));
              slab_in = {slab_out.data, slab_out.strides};
            }
          }
        },
        wake_for(shape_.elements()));
    source = {target.data, target.strides};
  }
  for (std::size_t i = slab_steps_; i < steps_.size(); ++i) {
    sweep<T>(*steps_[i].transform, shape_, steps_[i].axis, source, target, memory, thread_elements_, threads_, inverse,
             scale(i));
    source = {target.data, target.strides};
  }
}

template class NdPlan<float>;
template class NdPlan<double>;

}  // namespace pawl::fft
