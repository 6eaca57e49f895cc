// real_nd_plan.cpp -- argument checks and the order of the axes of include/pawl/fft/real_nd_plan.hpp.
#include "pawl/fft/real_nd_plan.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "isa/core_distance.hpp"
#include "kernels/fft/all_axes.hpp"
#include "kernels/fft/arguments.hpp"
#include "kernels/fft/isa_choice.hpp"
#include "kernels/fft/panels.hpp"
#include "kernels/fft/real_axis.hpp"
#include "kernels/fft/real_dense.hpp"
#include "kernels/fft/real_rows.hpp"
#include "kernels/fft/strided_copy.hpp"
#include "kernels/fft/sweep.hpp"
#include "kernels/fft/threads.hpp"
#include "kernels/matmul/workspace.hpp"
#include "pawl/parallel.hpp"
#include "tensor/shape_text.hpp"
#include "tensor/with_extent.hpp"

namespace pawl::fft {
namespace {

// Whether rows along `axis` are contiguous and, for real numbers (unit 2), all begin at pairs: then `strides` of pairs.
bool contiguous_rows(const Shape& shape, const Strides& from, std::size_t axis, std::ptrdiff_t unit, Strides& strides) {
  strides = from;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    if (d == axis || shape[d] == 1) continue;
    if (from[d] % unit != 0) return false;
    strides[d] /= unit;
  }
  return from[axis] == 1;
}

// Where pairs lie between the axes: in the place of the target if the results are large, else in `padded`. Beyond the
// L2 a third array costs more than rows of the target that do not begin at a boundary: on a Zen 4 1000 x 1000 points
// forward took 0.82 (f32) and 0.9 (f64) of the time in the place of the results, 128^3 0.8 and 0.9, but 32 x 32 of f32
// 1.07 times as long.
template <class T>
Pairs<T> between_axes(const Shape& results, const Pairs<T>& target, const Pairs<T>& padded) {
  constexpr std::size_t kInPlaceBytes = std::size_t{1} << 20;
  return results.elements() * 2 * sizeof(T) >= kInPlaceBytes ? target : padded;
}

// Pairs in a row of what lies between the axes: rows whose distance is a multiple of 512 bytes share few places of L1.
template <class T>
std::size_t pairs_in_row(std::size_t h) {
  constexpr std::size_t kLine = 64 / (2 * sizeof(T)), kShared = 512 / (2 * sizeof(T));
  return h % kShared == 0 ? h + kLine : h;
}

// Copies of arrays whose contiguous dimensions differ stay in half of a 1 MiB L2.
constexpr std::size_t kCopiesBytes = std::size_t{512} << 10;

}  // namespace

template <class T>
RealNdPlan<T>::RealNdPlan(const Shape& shape) : RealNdPlan(shape, all_axes(shape)) {}

template <class T>
RealNdPlan<T>::RealNdPlan(const Shape& shape, std::span<const std::size_t> axes) : shape_(shape), isa_(active_isa()) {
  if (shape.elements() == 0) refuse("RealNdPlan", "shape " + shape_text(shape) + " has an extent of 0");
  if (axes.empty()) refuse("RealNdPlan", "no axes to transform along");
  std::vector<std::size_t> order(axes.begin(), axes.end());
  std::sort(order.begin(), order.end(), std::greater<>());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= shape.rank())
      refuse("RealNdPlan", "axis " + std::to_string(order[i]) + " of an array of shape " + shape_text(shape));
    if (i > 0 && order[i] == order[i - 1]) refuse("RealNdPlan", "axis " + std::to_string(order[i]) + " twice");
    points_ *= shape[order[i]];
    if (i == 0) continue;
    steps_.push_back({order[i], shared_axis<T>(shape[order[i]], isa_)});
    thread_elements_ = std::max(thread_elements_, up_to_line<T>(steps_.back().transform->workspace_elements()));
  }
  halved_ = order[0];
  results_shape_ = with_extent(shape, halved_, shape[halved_] / 2 + 1);
  const auto neighbours = static_cast<std::size_t>(row_major(shape)[halved_]);
  halves_ = shared_real_axis<T>(shape[halved_], neighbours == 1 ? isa_ : isa_for_real_columns<T>(neighbours, isa_));
  thread_elements_ = std::max(thread_elements_, up_to_line<T>(halves_->workspace_elements()));
  threads_ = worthwhile_threads<T>(Elements::real, shape.elements(), 1 + steps_.size(), num_threads(),
                                   pawl::detail::cores_are_near);
  const std::size_t n = shape[halved_];
  bool last = true;
  for (std::size_t d = halved_ + 1; d < shape.rank(); ++d) last = last && shape[d] == 1;
  // What lies between the axes.
  std::size_t between = steps_.empty() ? 0 : up_to_line<T>(2 * results_shape_.elements());
  if (last && !steps_.empty() && RealRows<T>::can(n, isa_)) {
    std::vector<std::size_t> others;
    for (const Step& s : steps_) others.push_back(s.axis);
    rows_ = std::make_shared<const RealRows<T>>(results_shape_, halved_, others, isa_);
    thread_elements_ = std::max(thread_elements_, up_to_line<T>(rows_->workspace_elements()));
    pairs_shape_ = with_extent(shape, halved_, n / 2);
    const Shape padded = with_extent(shape, halved_, pairs_in_row<T>(n / 2));
    pairs_strides_ = row_major(padded);
    between = std::max(between, up_to_line<T>(2 * padded.elements()));
  }
  row_major_ = row_major(shape);
  results_row_major_ = row_major(results_shape_);
  bytes_ = shape.elements() * sizeof(T);
  results_bytes_ = 2 * results_shape_.elements() * sizeof(T);
  std::vector<std::size_t> others;
  for (const Step& step : steps_) others.push_back(step.axis);
  if (threads_ == 1 && RealDense<T>::can(shape, others)) {
    dense_ = std::make_shared<const RealDense<T>>(shape, halved_, others, isa_);
    thread_elements_ = std::max(thread_elements_, up_to_line<T>(dense_->workspace_elements()));
    const typename RealDense<T>::Whole whole = dense_->whole();
    whole_forward_ = whole.forward;
    whole_inverse_ = whole.inverse;
    distance_ = whole.reals;
    results_distance_ = whole.results;
    count_ = whole.count;
    line_ = dense_->line();
  }
  const std::size_t one = up_to_line<T>(shape.elements()), copies = one + up_to_line<T>(2 * results_shape_.elements());
  compact_ = dense_ && copies * sizeof(T) <= kCopiesBytes;
  const std::size_t behind = compact_ ? std::max(between, copies) : between;
  workspace_bytes_ = (static_cast<std::size_t>(threads_) * thread_elements_ + behind) * sizeof(T) + kAlignment;
}

// Checks what forward and inverse share and returns the workspace.
template <class T, class In, class Out>
static T* checked(const char* function, const View<In>& in, const Shape& in_shape, const View<Out>& out,
                  const Shape& out_shape, const std::span<std::byte>* workspace, std::size_t wanted) {
  const ByteRange from = checked_range(function, "in", in, in_shape, false);
  const ByteRange to = checked_range(function, "out", out, out_shape, true);
  check_overlap(function, from.begin, from.size, to.begin, to.size, false, "in and out");
  if (!workspace) return static_cast<T*>(thread_workspace(wanted));
  check_workspace(function, *workspace, wanted);
  check_overlap(function, from.begin, from.size, workspace->data(), workspace->size(), false, "in and workspace");
  check_overlap(function, to.begin, to.size, workspace->data(), workspace->size(), false, "out and workspace");
  return aligned_start<T>(*workspace);
}

template <class T>
void RealNdPlan<T>::steps_forward(const View<const T>& in, const View<std::complex<T>>& out,
                                  const std::span<std::byte>* workspace, Normalization normalization) const {
  if (dense_ && both_row_major(in, shape_, row_major_, out, results_shape_, results_row_major_) &&
      fits({in.data(), bytes_}, {out.data(), results_bytes_}, false, workspace, workspace_bytes_)) [[likely]] {
    const T scale = normalization == Normalization::none ? T(1) : static_cast<T>(factor(normalization, points_));
    T* const to = reinterpret_cast<T*>(out.data());
    if (whole_forward_) return whole_forward_(in.data(), distance_, to, results_distance_, count_, scale);
    T* const memory = workspace ? aligned_start<T>(*workspace) : static_cast<T*>(thread_workspace(workspace_bytes_));
    return line_ ? line_->forward(in.data(), to, memory, scale) : dense_->forward(in.data(), to, memory, scale);
  }
  strided_forward(in, out, workspace, normalization);
}

template <class T>
void RealNdPlan<T>::steps_inverse(const View<const std::complex<T>>& in, const View<T>& out,
                                  const std::span<std::byte>* workspace, Normalization normalization) const {
  if (dense_ && both_row_major(in, results_shape_, results_row_major_, out, shape_, row_major_) &&
      fits({in.data(), results_bytes_}, {out.data(), bytes_}, false, workspace, workspace_bytes_)) [[likely]] {
    const T scale = normalization == Normalization::none ? T(1) : static_cast<T>(factor(normalization, points_));
    const T* const from = reinterpret_cast<const T*>(in.data());
    T* const to = out.data();
    if (whole_inverse_) return whole_inverse_(from, results_distance_, to, distance_, count_, scale);
    T* const memory = workspace ? aligned_start<T>(*workspace) : static_cast<T*>(thread_workspace(workspace_bytes_));
    return line_ ? line_->inverse(from, to, memory, scale) : dense_->inverse(from, to, memory, scale);
  }
  strided_inverse(in, out, workspace, normalization);
}

// Whatever steps_forward() leaves, also arguments that are refused.
template <class T>
void RealNdPlan<T>::strided_forward(const View<const T>& in, const View<std::complex<T>>& out,
                                    const std::span<std::byte>* workspace, Normalization normalization) const {
  T* const memory = checked<T>("forward", in, shape_, out, results_shape_, workspace, workspace_bytes_);
  if (compact_ && goes_by_copies(shape_, in.strides().data(), out.strides().data())) {
    const bool in_dense = is_row_major(in, shape_, row_major_);
    const bool out_dense = is_row_major(out, results_shape_, results_row_major_);
    const T* reals = in.data();
    T* const target = reinterpret_cast<T*>(out.data());
    T* const results = out_dense ? target : memory + thread_elements_;
    const StridedCopy<T> copy(isa_);
    if (!in_dense) {
      T* const row_major = memory + thread_elements_ + up_to_line<T>(2 * results_shape_.elements());
      copy.reals(shape_, reals, in.strides().data(), row_major, row_major_.data());
      reals = row_major;
    }
    dense_->forward(reals, results, memory, static_cast<T>(factor(normalization, points_)));
    if (!out_dense) copy.pairs(results_shape_, results, results_row_major_.data(), target, out.strides().data());
    return;
  }
  if (Strides strides;
      rows_ && out.strides()[halved_] == 1 && contiguous_rows(shape_, in.strides(), halved_, 2, strides)) {
    const Pairs<T> target{reinterpret_cast<T*>(out.data()), out.strides().data()};
    const Pairs<T> between =
        between_axes<T>(results_shape_, target,
                        {memory + static_cast<std::size_t>(threads_) * thread_elements_, pairs_strides_.data()});
    Pairs<const T> source{in.data(), strides.data()};
    for (std::size_t i = steps_.size(); i-- > (rows_->takes_columns() ? 1U : 0U);) {
      sweep<T>(*steps_[i].transform, pairs_shape_, steps_[i].axis, source, between, memory, thread_elements_, threads_,
               false, T(1));
      source = {between.data, between.strides};
    }
    rows_->forward(between, target, memory, thread_elements_, threads_, static_cast<T>(factor(normalization, points_)));
    return;
  }
  T* const results = reinterpret_cast<T*>(out.data());
  const T scale = static_cast<T>(factor(normalization, points_));
  for_panels(
      shape_, halved_, in.strides().data(), out.strides().data(), halves_->panel(),
      [&](const Places& from, const Places& to) { return halves_->takes_all(from, to); },
      [](const Places&, const Places&) { return false; }, threads_,
      [&](std::ptrdiff_t from, const Places& reals, std::ptrdiff_t to, const Places& places, std::size_t count,
          int thread) {
        halves_->forward(in.data() + from, reals, results + 2 * to, places, count,
                         memory + static_cast<std::size_t>(thread) * thread_elements_, scale);
      });
  const Pairs<T> target{results, out.strides().data()};
  for (const Step& s : steps_)
    sweep<T>(*s.transform, results_shape_, s.axis, {target.data, target.strides}, target, memory, thread_elements_,
             threads_, false, T(1));
}

template <class T>
void RealNdPlan<T>::strided_inverse(const View<const std::complex<T>>& in, const View<T>& out,
                                    const std::span<std::byte>* workspace, Normalization normalization) const {
  T* const memory = checked<T>("inverse", in, results_shape_, out, shape_, workspace, workspace_bytes_);
  const T scale = static_cast<T>(factor(normalization, points_));
  if (compact_ && goes_by_copies(shape_, in.strides().data(), out.strides().data())) {
    const bool in_dense = is_row_major(in, results_shape_, results_row_major_);
    const bool out_dense = is_row_major(out, shape_, row_major_);
    const T* results = reinterpret_cast<const T*>(in.data());
    T* const reals = out_dense ? out.data() : memory + thread_elements_ + up_to_line<T>(2 * results_shape_.elements());
    const StridedCopy<T> copy(isa_);
    if (!in_dense) {
      copy.pairs(results_shape_, results, in.strides().data(), memory + thread_elements_, results_row_major_.data());
      results = memory + thread_elements_;
    }
    dense_->inverse(results, reals, memory, scale);
    if (!out_dense) copy.reals(shape_, reals, row_major_.data(), out.data(), out.strides().data());
    return;
  }
  Pairs<const T> source{reinterpret_cast<const T*>(in.data()), in.strides().data()};
  if (Strides strides;
      rows_ && in.strides()[halved_] == 1 && contiguous_rows(shape_, out.strides(), halved_, 2, strides)) {
    const Pairs<T> target{out.data(), strides.data()};
    const Pairs<T> between =
        between_axes<T>(results_shape_, target,
                        {memory + static_cast<std::size_t>(threads_) * thread_elements_, pairs_strides_.data()});
    rows_->inverse(source, between, memory, thread_elements_, threads_, scale);
    for (std::size_t i = rows_->takes_columns() ? 1 : 0; i < steps_.size(); ++i)
      sweep<T>(*steps_[i].transform, pairs_shape_, steps_[i].axis, {between.data, between.strides},
               i + 1 == steps_.size() ? target : between, memory, thread_elements_, threads_, true, T(1));
    return;
  }
  const Pairs<T> between{memory + static_cast<std::size_t>(threads_) * thread_elements_, results_row_major_.data()};
  for (std::size_t i = steps_.size(); i-- > 0;) {
    sweep<T>(*steps_[i].transform, results_shape_, steps_[i].axis, source, between, memory, thread_elements_, threads_,
             true, T(1));
    source = {between.data, between.strides};
  }
  for_panels(
      shape_, halved_, source.strides, out.strides().data(), halves_->panel(),
      [&](const Places& from, const Places& to) { return halves_->takes_all(to, from); },
      [](const Places&, const Places&) { return false; }, threads_,
      [&](std::ptrdiff_t from, const Places& places, std::ptrdiff_t to, const Places& reals, std::size_t count,
          int thread) {
        halves_->inverse(source.data + 2 * from, places, out.data() + to, reals, count,
                         memory + static_cast<std::size_t>(thread) * thread_elements_, scale);
      });
}

template class RealNdPlan<float>;
template class RealNdPlan<double>;

}  // namespace pawl::fft
