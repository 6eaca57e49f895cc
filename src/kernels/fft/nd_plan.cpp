// nd_plan.cpp -- argument checks and the order of the axes of include/pawl/fft/nd_plan.hpp.
#include "pawl/fft/nd_plan.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "kernels/fft/arguments.hpp"
#include "kernels/fft/sweep.hpp"
#include "kernels/matmul/workspace.hpp"
#include "pawl/parallel.hpp"
#include "tensor/shape_text.hpp"

namespace pawl::fft {
namespace {

// A thread has to have this many elements, or waking it costs more than it does.
constexpr std::size_t kElementsOfAThread = 16384;

std::vector<std::size_t> all_axes(const Shape& shape) {
  std::vector<std::size_t> axes(shape.rank());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

}  // namespace

template <class T>
NdPlan<T>::NdPlan(const Shape& shape) : NdPlan(shape, all_axes(shape)) {}

template <class T>
NdPlan<T>::NdPlan(const Shape& shape, std::span<const std::size_t> axes) : shape_(shape), isa_(active_isa()) {
  if (shape.elements() == 0) refuse("NdPlan", "shape " + shape_text(shape) + " has an extent of 0");
  if (axes.empty()) refuse("NdPlan", "no axes to transform along");
  std::vector<std::size_t> order(axes.begin(), axes.end());
  std::sort(order.begin(), order.end(), std::greater<>());  // the innermost first: it reads `in` in its own order
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= shape.rank())
      refuse("NdPlan", "axis " + std::to_string(order[i]) + " of an array of shape " + shape_text(shape));
    if (i > 0 && order[i] == order[i - 1]) refuse("NdPlan", "axis " + std::to_string(order[i]) + " twice");
    steps_.push_back({order[i], shared_axis<T>(shape[order[i]], isa_)});
    points_ *= shape[order[i]];
    thread_elements_ = std::max(thread_elements_, up_to_line<T>(steps_.back().transform->workspace_elements()));
  }
  const std::size_t most = std::max<std::size_t>(1, shape.elements() / kElementsOfAThread);
  threads_ = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(num_threads()), most));
  workspace_bytes_ = static_cast<std::size_t>(threads_) * thread_elements_ * sizeof(T) + kAlignment;
}

template <class T>
void NdPlan<T>::run(const char* function, const View<const std::complex<T>>& in, const View<std::complex<T>>& out,
                    const std::span<std::byte>* workspace, bool inverse, Normalization normalization) const {
  check_view(function, "in", in.data(), in.shape(), shape_);
  check_view(function, "out", out.data(), out.shape(), shape_);
  for (std::size_t d = 0; d < shape_.rank(); ++d)
    if (out.strides()[d] == 0 && shape_[d] > 1) refuse(function, "out has a stride of 0");
  const ByteRange from = byte_range(in), to = byte_range(out);
  if (static_cast<const void*>(in.data()) != static_cast<const void*>(out.data()) || in.strides() != out.strides())
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
  Pairs<T> target{reinterpret_cast<T*>(out.data()), out.strides()};
  Pairs<const T> source{reinterpret_cast<const T*>(in.data()), in.strides()};
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const bool last = i + 1 == steps_.size();
    sweep<T>(*steps_[i].transform, shape_, steps_[i].axis, source, target, memory, thread_elements_, threads_, inverse,
             last ? static_cast<T>(factor(normalization, points_)) : T(1));
    source = {target.data, target.strides};
  }
}

template <class T>
void NdPlan<T>::forward(View<const std::complex<T>> in, View<std::complex<T>> out, std::span<std::byte> workspace,
                        Normalization normalization) const {
  run("forward", in, out, &workspace, false, normalization);
}
template <class T>
void NdPlan<T>::inverse(View<const std::complex<T>> in, View<std::complex<T>> out, std::span<std::byte> workspace,
                        Normalization normalization) const {
  run("inverse", in, out, &workspace, true, normalization);
}
template <class T>
void NdPlan<T>::forward(View<const std::complex<T>> in, View<std::complex<T>> out, Normalization normalization) const {
  run("forward", in, out, nullptr, false, normalization);
}
template <class T>
void NdPlan<T>::inverse(View<const std::complex<T>> in, View<std::complex<T>> out, Normalization normalization) const {
  run("inverse", in, out, nullptr, true, normalization);
}

template class NdPlan<float>;
template class NdPlan<double>;

}  // namespace pawl::fft
