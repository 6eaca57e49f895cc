// plan.cpp -- argument checks, the cache and the dispatch of include/pawl/fft/plan.hpp.
#include "pawl/fft/plan.hpp"

#include <cmath>
#include <cstdint>
#include <stdexcept>
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
  // Below this what threads hand to each other costs more than they gain: 2^17 points of f32 took as long on two.
  constexpr std::size_t kLeastOnThreads = std::size_t{1} << 18;
  if (n >= kLeastOnThreads) threads_ = num_threads();
  workspace_bytes_ = line_->workspace_elements_on(threads_) * sizeof(T) + kAlignment;
}

template <class T>
void Plan<T>::run_line(const char* function, std::span<const std::complex<T>> in, std::span<std::complex<T>> out,
                       const std::span<std::byte>* workspace, bool inverse, Normalization normalization) const {
  check_array(function, "in", in.data(), in.size(), n_);
  check_array(function, "out", out.data(), out.size(), n_);
  check_overlap(function, in.data(), in.size_bytes(), out.data(), out.size_bytes(), true, "in and out");
  if (workspace) check_workspace(function, in, out, *workspace, workspace_bytes_);
  T* const memory = workspace ? aligned_start<T>(*workspace) : static_cast<T*>(thread_workspace(workspace_bytes_));
  const T* const from = reinterpret_cast<const T*>(in.data());
  T* const to = reinterpret_cast<T*>(out.data());
  const T scale = normalization == Normalization::none ? T(1) : static_cast<T>(factor(normalization, n_));
  if (threads_ == 1)
    line_->run(from, to, memory, inverse, scale);
  else
    line_->run_on(threads_, from, to, memory, inverse, scale);
}

// What is short and in order is one jump away; all else goes by the function above, inlined: one more call made 12
// points of f64 take 1.2 times as long (Zen 5).
template <class T>
template <bool kInverse>
void Plan<T>::run(std::span<const std::complex<T>> in, std::span<std::complex<T>> out,
                  const std::span<std::byte>* workspace, Normalization normalization) const {
  if (at_once_ && normalization == Normalization::none && in.size() == n_ && out.size() == n_ &&
      fits({in.data(), in.size_bytes()}, {out.data(), out.size_bytes()}, true, workspace, workspace_bytes_)) [[likely]]
    return at_once_(reinterpret_cast<const T*>(in.data()), reinterpret_cast<T*>(out.data()), kInverse, T(1));
  run_line(kInverse ? "inverse" : "forward", in, out, workspace, kInverse, normalization);
}

template <class T>
void Plan<T>::forward(std::span<const std::complex<T>> in, std::span<std::complex<T>> out,
                      std::span<std::byte> workspace, Normalization normalization) const {
  run<false>(in, out, &workspace, normalization);
}
template <class T>
void Plan<T>::inverse(std::span<const std::complex<T>> in, std::span<std::complex<T>> out,
                      std::span<std::byte> workspace, Normalization normalization) const {
  run<true>(in, out, &workspace, normalization);
}
template <class T>
void Plan<T>::forward(std::span<const std::complex<T>> in, std::span<std::complex<T>> out,
                      Normalization normalization) const {
  run<false>(in, out, nullptr, normalization);
}
template <class T>
void Plan<T>::inverse(std::span<const std::complex<T>> in, std::span<std::complex<T>> out,
                      Normalization normalization) const {
  run<true>(in, out, nullptr, normalization);
}

template class Plan<float>;
template class Plan<double>;

}  // namespace pawl::fft
