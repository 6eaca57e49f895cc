// plan.hpp -- a length -> what transforms of that length need, made once and shared.
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
class Line;

/// Complex transforms of one length, both directions. T is float or double.
///
/// A plan is a handle to tables that are made once per length, type and variant and kept for the life of the process;
/// making a plan again costs a look-up, copying it an atomic increment. It runs the variant that was active when it was
/// made. Immutable: any number of threads may use one plan at once, each with a workspace of its own.
///
/// Accuracy   relative error in the 2-norm at most 0.6 eps log2(n) + 2 eps (lengths with a prime factor above 13: 3
///            times that), every variant; eps is 2^-24 (f32) or 2^-53 (f64). The growth seen is that of
///            eps sqrt(log n) (Gentleman and Sande, 1966; Schatzman, SIAM J. Sci. Comput. 17, 1996).
/// Cost       about 5 n log2 n flop for lengths with prime factors up to 13; 4 n p more for each prime factor p up to
///            127; for others two transforms of n - 1 or of more than 2 n points.
/// Errors     std::invalid_argument if n is 0 or above max_size(); std::bad_alloc.
/// Reference  pawl::reference::dft in src/reference/fft_ref.hpp
template <class T>
class Plan {
 public:
  explicit Plan(std::size_t n);

  std::size_t size() const noexcept { return n_; }
  Isa isa() const noexcept { return isa_; }

  /// Threads that a run uses: 1, but for long lengths, from 2^16 or 2^18 points on by their factors, the ISA and the
  /// CPU, what num_threads() was when the plan was made.
  int threads() const noexcept { return threads_; }

  /// Bytes of workspace that a run wants, room to align it to 64 included.
  std::size_t workspace_bytes() const noexcept { return workspace_bytes_; }

  /// Largest n: 2^40, far beyond what memory holds.
  static constexpr std::size_t max_size() noexcept { return std::size_t{1} << 40; }

  /// out[k] = f * sum of in[j] exp(-2 pi i j k / n), f being normalization's factor.
  ///
  /// Shapes     in [n], out [n]; they may be the same array, but not overlap shifted. Workspace: workspace_bytes(),
  ///            apart from both; contents are undefined afterwards.
  /// Alignment  any; 64 bytes is fastest.
  /// Cost       as above; allocates nothing.
  /// Errors     std::invalid_argument, before anything is touched, if sizes differ from n, an array is null or overlaps
  ///            another one shifted, or the workspace is too small. NaN and infinity spread over all results.
  void forward(std::span<const std::complex<T>> in, std::span<std::complex<T>> out, std::span<std::byte> workspace,
               Normalization normalization = Normalization::none) const {
    run<false>(in, out, &workspace, normalization);
  }
  /// The same with exp(+2 pi i j k / n).
  void inverse(std::span<const std::complex<T>> in, std::span<std::complex<T>> out, std::span<std::byte> workspace,
               Normalization normalization = Normalization::none) const {
    run<true>(in, out, &workspace, normalization);
  }

  /// The same with memory that the calling thread keeps from call to call: only a call that needs more than every one
  /// before allocates. Errors: std::bad_alloc too.
  void forward(std::span<const std::complex<T>> in, std::span<std::complex<T>> out,
               Normalization normalization = Normalization::none) const {
    run<false>(in, out, nullptr, normalization);
  }
  void inverse(std::span<const std::complex<T>> in, std::span<std::complex<T>> out,
               Normalization normalization = Normalization::none) const {
    run<true>(in, out, nullptr, normalization);
  }

 private:
  using In = std::span<const std::complex<T>>;
  using Out = std::span<std::complex<T>>;

  // What is one function and in order is one call of it from the caller's own code: 2 to 8 points take no longer than
  // another call does. All else goes by run_line().
  template <bool kInverse>
  [[gnu::always_inline]] void run(In in, Out out, const std::span<std::byte>* workspace,
                                  Normalization normalization) const {
    if (is_one_call_ && normalization == Normalization::none && in.size() == n_ && out.size() == n_ &&
        detail::fits({in.data(), in.size_bytes()}, {out.data(), out.size_bytes()}, true, workspace, workspace_bytes_))
        [[likely]] {
      const T* const from = reinterpret_cast<const T*>(in.data());
      T* const to = reinterpret_cast<T*>(out.data());
      return at_once_ ? at_once_(from, to, kInverse, T(1)) : whole_(from, to, twiddles_[kInverse], kInverse, T(1));
    }
    if (workspace)
      run_line(in, out, *workspace, kInverse, normalization);
    else
      run_line(in, out, kInverse, normalization);
  }
  void run_line(In in, Out out, std::span<std::byte> workspace, bool inverse, Normalization normalization) const;
  void run_line(In in, Out out, bool inverse, Normalization normalization) const;
  void run_in(const T* in, T* out, T* workspace, bool inverse, Normalization normalization) const;

  std::size_t n_, workspace_bytes_;
  void (*at_once_)(const T* in, T* out, bool inverse, T scale) noexcept = nullptr;  // all of a short line
  void (*whole_)(const T* in, T* out, const T* twiddles, bool inverse, T scale) noexcept = nullptr;  // of a longer one
  const T* twiddles_[2] = {};                                                                        // there and back
  bool is_one_call_ = false;
  Isa isa_;
  int threads_ = 1;
  std::shared_ptr<const Line<T>> line_;
};

extern template class Plan<float>;
extern template class Plan<double>;

}  // namespace pawl::fft
