// plan.cpp -- argument checks, the cache and the dispatch of include/pawl/fft/plan.hpp.
#include "pawl/fft/plan.hpp"

#include <cmath>
#include <cstdint>
#include <string>

#include "kernels/fft/arguments.hpp"
#include "kernels/fft/lines.hpp"
#include "kernels/matmul/workspace.hpp"
#include "pawl/parallel.hpp"

namespace pawl::fft {

double factor(Normalization normalization, std::size_t n) noexcept {
  switch (normalization) {
    case Normalization::none:
      return 1.0;
    case Normalization::by_n:
      return 1.0 / static_cast<double>(n);
    case Normalization::orthonormal:
      break;
  }
  return 1.0 / std::sqrt(static_cast<double>(n));
}

template <class T>
Plan<T>::Plan(std::size_t n) : n_(n), isa_(active_isa()) {
  if (n == 0 || n > max_size())
    refuse("Plan", "length " + std::to_string(n) + " is not from 1 to " + std::to_string(max_size()));
  line_ = shared_line<T>(n, isa_);
  at_once_ = line_->at_once();
  const typename Line<T>::Whole whole = line_->whole();
  whole_ = whole.run;
  twiddles_[0] = whole.twiddles[0];
  twiddles_[1] = whole.twiddles[1];
  is_one_call_ = at_once_ || whole_;
  if (n >= line_->least_on_threads()) threads_ = num_threads();
  workspace_bytes_ = line_->workspace_elements_on(threads_) * sizeof(T) + kAlignment;
}

namespace {

template <class T>
void check(const char* function, std::span<const std::complex<T>> in, std::span<std::complex<T>> out, std::size_t n) {
  check_array(function, "in", in.data(), in.size(), n);
  check_array(function, "out", out.data(), out.size(), n);
  check_overlap(function, in.data(), in.size_bytes(), out.data(), out.size_bytes(), true, "in and out");
}

const char* name_of(bool inverse) noexcept { return inverse ? "inverse" : "forward"; }

}  // namespace

template <class T>
inline void Plan<T>::run_in(const T* in, T* out, T* workspace, bool inverse, Normalization normalization) const {
  const T scale = normalization == Normalization::none ? T(1) : static_cast<T>(factor(normalization, n_));
  if (threads_ == 1)
    line_->run(in, out, workspace, inverse, scale);
  else
    line_->run_on(threads_, in, out, workspace, inverse, scale);
}

template <class T>
void Plan<T>::run_line(In in, Out out, std::span<std::byte> workspace, bool inverse,
                       Normalization normalization) const {
  check(name_of(inverse), in, out, n_);
  check_workspace(name_of(inverse), in, out, workspace, workspace_bytes_);
  run_in(reinterpret_cast<const T*>(in.data()), reinterpret_cast<T*>(out.data()), aligned_start<T>(workspace), inverse,
         normalization);
}
template <class T>
void Plan<T>::run_line(In in, Out out, bool inverse, Normalization normalization) const {
  check(name_of(inverse), in, out, n_);
  run_in(reinterpret_cast<const T*>(in.data()), reinterpret_cast<T*>(out.data()),
         static_cast<T*>(thread_workspace(workspace_bytes_)), inverse, normalization);
}

template class Plan<float>;
template class Plan<double>;

}  // namespace pawl::fft
