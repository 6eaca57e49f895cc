// whole_line.hpp -- a function that does all of a line, and a table of twiddles -> the line.
#pragma once
#include <utility>

#include "kernels/fft/line.hpp"

namespace pawl::fft {

/// Twiddles: RowTwiddles or AcrossTwiddles, what the function takes.
template <class T, class Twiddles>
class WholeLine final : public Line<T> {
 public:
  using Run = decltype(Line<T>::Whole::run);
  WholeLine(Run function, Twiddles twiddles) : run_(function), twiddles_(std::move(twiddles)) {}
  std::size_t workspace_elements() const noexcept override { return 0; }
  void run(const T* in, T* out, T*, bool swapped, T scale) const noexcept override {
    run_(in, out, twiddles_.data(swapped), swapped, scale);
  }
  typename Line<T>::Whole whole() const noexcept override {
    return {run_, {twiddles_.data(false), twiddles_.data(true)}};
  }

 private:
  Run run_;
  Twiddles twiddles_;
};

}  // namespace pawl::fft
