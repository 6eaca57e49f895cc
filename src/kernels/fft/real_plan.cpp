// real_plan.cpp -- argument checks and workspaces of include/pawl/fft/real_plan.hpp.
#include "pawl/fft/real_plan.hpp"

#include <string>

#include "kernels/fft/arguments.hpp"
#include "kernels/fft/real_line.hpp"
#include "kernels/matmul/workspace.hpp"
#include "pawl/fft/plan.hpp"

namespace pawl::fft {
namespace {

// Refuses what does not fit. The arrays may share their first address.
template <class In, class Out>
void check(const char* function, std::span<const In> in, std::size_t in_size, std::span<Out> out, std::size_t out_size,
           const std::span<std::byte>* workspace, std::size_t workspace_bytes) {
  check_array(function, "in", in.data(), in.size(), in_size);
  check_array(function, "out", out.data(), out.size(), out_size);
  if (static_cast<const void*>(in.data()) != static_cast<const void*>(out.data()))
    check_overlap(function, in.data(), in.size_bytes(), out.data(), out.size_bytes(), false, "in and out");
  if (workspace) check_workspace(function, in, out, *workspace, workspace_bytes);
}

// Whether it would refuse nothing, in one condition.
template <class In, class Out>
bool is_in_order(std::span<const In> in, std::size_t in_size, std::span<Out> out, std::size_t out_size,
                 const std::span<std::byte>* workspace, std::size_t workspace_bytes) noexcept {
  return in.size() == in_size && out.size() == out_size &&
         fits({in.data(), in.size_bytes()}, {out.data(), out.size_bytes()}, true, workspace, workspace_bytes);
}

template <class T>
T* memory_of(const std::span<std::byte>* workspace, std::size_t bytes) {
  return workspace ? aligned_start<T>(*workspace) : static_cast<T*>(thread_workspace(bytes));
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
  workspace_bytes_ = line_->workspace_elements() * sizeof(T) + kAlignment;
}

template <class T>
void RealPlan<T>::run_forward(std::span<const T> in, std::span<std::complex<T>> out,
                              const std::span<std::byte>* workspace, Normalization normalization) const {
  check("forward", in, n_, out, results(), workspace, workspace_bytes_);
  line_->forward(in.data(), reinterpret_cast<T*>(out.data()), memory_of<T>(workspace, workspace_bytes_),
                 scale_of<T>(normalization, n_));
}
template <class T>
void RealPlan<T>::run_inverse(std::span<const std::complex<T>> in, std::span<T> out,
                              const std::span<std::byte>* workspace, Normalization normalization) const {
  check("inverse", in, results(), out, n_, workspace, workspace_bytes_);
  line_->inverse(reinterpret_cast<const T*>(in.data()), out.data(), memory_of<T>(workspace, workspace_bytes_),
                 scale_of<T>(normalization, n_));
}

// What is short and in order is one jump away; all else goes by the functions above, inlined as in plan.cpp.
template <class T>
void RealPlan<T>::forward(std::span<const T> in, std::span<std::complex<T>> out, std::span<std::byte> workspace,
                          Normalization normalization) const {
  if (forward_at_once_ && normalization == Normalization::none &&
      is_in_order(in, n_, out, results(), &workspace, workspace_bytes_)) [[likely]]
    return forward_at_once_(in.data(), table_, reinterpret_cast<T*>(out.data()), T(1));
  run_forward(in, out, &workspace, normalization);
}
template <class T>
void RealPlan<T>::inverse(std::span<const std::complex<T>> in, std::span<T> out, std::span<std::byte> workspace,
                          Normalization normalization) const {
  if (inverse_at_once_ && normalization == Normalization::none &&
      is_in_order(in, results(), out, n_, &workspace, workspace_bytes_)) [[likely]]
    return inverse_at_once_(reinterpret_cast<const T*>(in.data()), table_, out.data(), T(1));
  run_inverse(in, out, &workspace, normalization);
}
template <class T>
void RealPlan<T>::forward(std::span<const T> in, std::span<std::complex<T>> out, Normalization normalization) const {
  if (forward_at_once_ && normalization == Normalization::none &&
      is_in_order(in, n_, out, results(), nullptr, workspace_bytes_)) [[likely]]
    return forward_at_once_(in.data(), table_, reinterpret_cast<T*>(out.data()), T(1));
  run_forward(in, out, nullptr, normalization);
}
template <class T>
void RealPlan<T>::inverse(std::span<const std::complex<T>> in, std::span<T> out, Normalization normalization) const {
  if (inverse_at_once_ && normalization == Normalization::none &&
      is_in_order(in, results(), out, n_, nullptr, workspace_bytes_)) [[likely]]
    return inverse_at_once_(reinterpret_cast<const T*>(in.data()), table_, out.data(), T(1));
  run_inverse(in, out, nullptr, normalization);
}

template class RealPlan<float>;
template class RealPlan<double>;

}  // namespace pawl::fft
