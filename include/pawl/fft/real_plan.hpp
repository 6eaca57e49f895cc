// real_plan.hpp -- a length -> what transforms of that many real numbers need, made once and shared.
#pragma once
#include <complex>
#include <cstddef>
#include <memory>
#include <span>

#include "pawl/detail/byte_ranges.hpp"
#include "pawl/fft/normalization.hpp"
#include "pawl/isa.hpp"

namespace pawl::fft {

template <class T>
class RealLine;

/// Transforms of real numbers of one length, both directions. T is float or double.
///
/// Of the n results of real input, X[n - k] is the conjugate of X[k]; so only X[0] to X[n / 2] are kept: results()
/// pairs, n / 2 + 1 rounded down. As Plan: a shared, immutable handle for any number of threads.
///
/// Accuracy   that of Plan, eps more.
/// Cost       half of Plan(n), for even and odd n; all of it for odd n that have a prime factor above 127 and others.
/// Errors     std::invalid_argument if n is 0 or above Plan's max_size(); std::bad_alloc.
/// Reference  pawl::reference::dft in src/reference/fft_ref.hpp
template <class T>
class RealPlan {
 public:
  explicit RealPlan(std::size_t n);

  std::size_t size() const noexcept { return n_; }
  std::size_t results() const noexcept { return n_ / 2 + 1; }
  Isa isa() const noexcept { return isa_; }
  /// Threads that a run uses: those of Plan(n / 2) for even n, else 1.
  int threads() const noexcept { return threads_; }
  /// Bytes of workspace that a run wants, room to align it to 64 included.
  std::size_t workspace_bytes() const noexcept { return workspace_bytes_; }

  /// out[k] = f * sum of in[j] exp(-2 pi i j k / n) for k <= n / 2, f being normalization's factor for n.
  ///
  /// Shapes     in [n], out [results()]; they may start at the same address (out then reaches further), but not overlap
  ///            otherwise. Workspace as in Plan.
  /// Errors     as in Plan.
  void forward(std::span<const T> in, std::span<std::complex<T>> out, std::span<std::byte> workspace,
               Normalization normalization = Normalization::none) const {
    run_forward(in, out, &workspace, normalization);
  }
  /// out[j] = f * sum over all n results of X[k] exp(2 pi i j k / n), those above n / 2 being conjugates of the others.
  /// The imaginary parts of X[0] and, for even n, of X[n / 2] are taken as 0.
  void inverse(std::span<const std::complex<T>> in, std::span<T> out, std::span<std::byte> workspace,
               Normalization normalization = Normalization::none) const {
    run_inverse(in, out, &workspace, normalization);
  }

  /// The same with memory that the calling thread keeps from call to call.
  void forward(std::span<const T> in, std::span<std::complex<T>> out,
               Normalization normalization = Normalization::none) const {
    run_forward(in, out, nullptr, normalization);
  }
  void inverse(std::span<const std::complex<T>> in, std::span<T> out,
               Normalization normalization = Normalization::none) const {
    run_inverse(in, out, nullptr, normalization);
  }

 private:
  using Reals = std::span<const T>;
  using Results = std::span<std::complex<T>>;
  using ConstResults = std::span<const std::complex<T>>;

  // What is short and in order is one call of its function from the caller's own code, as in Plan.
  [[gnu::always_inline]] void run_forward(Reals in, Results out, const std::span<std::byte>* workspace,
                                          Normalization normalization) const {
    if (forward_at_once_ && normalization == Normalization::none && in.size() == n_ && out.size() == results() &&
        detail::fits({in.data(), in.size_bytes()}, {out.data(), out.size_bytes()}, true, workspace, workspace_bytes_))
        [[likely]]
      return forward_at_once_(in.data(), table_, reinterpret_cast<T*>(out.data()), T(1));
    if (workspace)
      forward_line(in, out, *workspace, normalization);
    else
      forward_line(in, out, normalization);
  }
  [[gnu::always_inline]] void run_inverse(ConstResults in, std::span<T> out, const std::span<std::byte>* workspace,
                                          Normalization normalization) const {
    if (inverse_at_once_ && normalization == Normalization::none && in.size() == results() && out.size() == n_ &&
        detail::fits({in.data(), in.size_bytes()}, {out.data(), out.size_bytes()}, true, workspace, workspace_bytes_))
        [[likely]]
      return inverse_at_once_(reinterpret_cast<const T*>(in.data()), table_, out.data(), T(1));
    if (workspace)
      inverse_line(in, out, *workspace, normalization);
    else
      inverse_line(in, out, normalization);
  }
  void forward_in(const T* in, T* out, T* workspace, Normalization normalization) const;
  void inverse_in(const T* in, T* out, T* workspace, Normalization normalization) const;
  void forward_line(Reals in, Results out, std::span<std::byte> workspace, Normalization normalization) const;
  void forward_line(Reals in, Results out, Normalization normalization) const;
  void inverse_line(ConstResults in, std::span<T> out, std::span<std::byte> workspace,
                    Normalization normalization) const;
  void inverse_line(ConstResults in, std::span<T> out, Normalization normalization) const;

  std::size_t n_, workspace_bytes_;
  int threads_ = 1;
  // All of a short line, with a table of its own; else null.
  void (*forward_at_once_)(const T* in, const T* table, T* out, T scale) noexcept = nullptr;
  void (*inverse_at_once_)(const T* in, const T* table, T* out, T scale) noexcept = nullptr;
  const T* table_ = nullptr;
  Isa isa_;
  std::shared_ptr<const RealLine<T>> line_;
};

extern template class RealPlan<float>;
extern template class RealPlan<double>;

}  // namespace pawl::fft
