// real_plan.cpp -- argument checks and workspaces of include/pawl/fft/real_plan.hpp.
#include "pawl/fft/real_plan.hpp"

#include <string>

#include "kernels/fft/arguments.hpp"
#include "kernels/fft/real_line.hpp"
#include "kernels/matmul/workspace.hpp"
#include "pawl/fft/plan.hpp"
#include "pawl/parallel.hpp"

namespace pawl::fft {
namespace {

// Refuses what does not fit. The arrays may share their first address.
template <class In, class Out>
void check(const char* function, std::span<const In> in, std::size_t in_size, std::span<Out> out,
           std::size_t out_size) {
  check_array(function, "in", in.data(), in.size(), in_size);
  check_array(function, "out", out.data(), out.size(), out_size);
  if (static_cast<const void*>(in.data()) != static_cast<const void*>(out.data()))
    check_overlap(function, in.data(), in.size_bytes(), out.data(), out.size_bytes(), false, "in and out");
}

template <class T>
T scale_of(Normalization normalization, std::size_t n) noexcept {
  return normalization == Normalization::none ? T(1) : static_cast<T>(factor(normalization, n));
}

}  // namespace

template <class T>
RealPlan<T>::RealPlan(std::size_t n) : n_(n), isa_(active_isa()) {
  if (n == 0 || n > Plan<T>::max_size())
    refuse("RealPlan", "length " + std::to_string(n) + " is not from 1 to " + std::to_string(Plan<T>::max_size()));
  line_ = shared_real_line<T>(n, isa_);
  const auto at_once = line_->at_once();
  forward_at_once_ = at_once.forward;
  inverse_at_once_ = at_once.inverse;
  table_ = at_once.table;
  if (line_->some_on_threads()) threads_ = num_threads();
  workspace_bytes_ = line_->workspace_elements_on(threads_) * sizeof(T) + kAlignment;
}

template <class T>
void RealPlan<T>::forward_in(const T* in, T* out, T* workspace, Normalization normalization) const {
  const T scale = scale_of<T>(normalization, n_);
  if (threads_ == 1)
    line_->forward(in, out, workspace, scale);
  else
    line_->forward_on(threads_, in, out, workspace, scale);
}
template <class T>
void RealPlan<T>::inverse_in(const T* in, T* out, T* workspace, Normalization normalization) const {
  const T scale = scale_of<T>(normalization, n_);
  if (threads_ == 1)
    line_->inverse(in, out, workspace, scale);
  else
    line_->inverse_on(threads_, in, out, workspace, scale);
}

template <class T>
void RealPlan<T>::forward_line(Reals in, Results out, std::span<std::byte> workspace,
                               Normalization normalization) const {
  check("forward", in, n_, out, results());
  check_workspace("forward", in, out, workspace, workspace_bytes_);
  forward_in(in.data(), reinterpret_cast<T*>(out.data()), aligned_start<T>(workspace), normalization);
}
template <class T>
void RealPlan<T>::forward_line(Reals in, Results out, Normalization normalization) const {
  check("forward", in, n_, out, results());
  forward_in(in.data(), reinterpret_cast<T*>(out.data()), static_cast<T*>(thread_workspace(workspace_bytes_)),
             normalization);
}
template <class T>
void RealPlan<T>::inverse_line(ConstResults in, std::span<T> out, std::span<std::byte> workspace,
                               Normalization normalization) const {
  check("inverse", in, results(), out, n_);
  check_workspace("inverse", in, out, workspace, workspace_bytes_);
  inverse_in(reinterpret_cast<const T*>(in.data()), out.data(), aligned_start<T>(workspace), normalization);
}
template <class T>
void RealPlan<T>::inverse_line(ConstResults in, std::span<T> out, Normalization normalization) const {
  check("inverse", in, results(), out, n_);
  inverse_in(reinterpret_cast<const T*>(in.data()), out.data(), static_cast<T*>(thread_workspace(workspace_bytes_)),
             normalization);
}

template class RealPlan<float>;
template class RealPlan<double>;

}  // namespace pawl::fft
