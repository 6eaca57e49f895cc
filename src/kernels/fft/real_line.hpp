// real_line.hpp -- one transform of real numbers, to and from the half of the results that says all.
#pragma once
#include <cstddef>
#include <memory>

#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/line.hpp"
#include "pawl/isa.hpp"

namespace pawl::fft {

/// n real numbers <-> results 0 .. n / 2 of their transform, n / 2 + 1 pairs; the others are the conjugates of these.
template <class T>
class RealLine {
 public:
  RealLine(std::size_t n, Isa isa);

  std::size_t workspace_elements() const noexcept { return up_to_line<T>(2 * points_) + line_->workspace_elements(); }
  /// All of `in` is read before any of `out` is written. workspace: at a 64-byte boundary.
  void forward(const T* in, T* out, T* workspace, T scale) const noexcept;
  /// Results 0 and, for even n, n / 2 count as real: their imaginary parts are not read.
  void inverse(const T* in, T* out, T* workspace, T scale) const noexcept;

 private:
  const FftOps<T>& ops_;
  std::size_t n_, points_;  // points_: those of line_, n / 2 if n is even
  std::shared_ptr<const Line<T>> line_;
  AlignedArray<T> twiddles_;  // exp(-2 pi i k / n) for k < n / 2, if n is even
};

template <class T>
std::shared_ptr<const RealLine<T>> shared_real_line(std::size_t n, Isa isa);

extern template class RealLine<float>;
extern template class RealLine<double>;

}  // namespace pawl::fft
