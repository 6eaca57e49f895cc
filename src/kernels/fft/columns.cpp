// columns.cpp -- see columns.hpp.
#include "kernels/fft/columns.hpp"

#include <utility>

#include "kernels/fft/factors.hpp"
#include "kernels/fft/roots.hpp"

namespace pawl::fft {

template <class T>
Columns<T>::Columns(std::size_t n, const FftOps<T>& ops) : n_(n), vector_(2 * ops.lanes) {
  const std::vector<std::size_t> sequence = radices(n);
  if (sequence.empty()) return;
  first_ = ops.first_pass[sequence[0]];
  std::size_t length = n, stride = 1, count = 0;
  for (std::size_t r : sequence) {
    const std::size_t m = length / r;
    steps_.push_back({ops.pass[r], m, stride, count});
    count += 2 * (m - 1) * (r - 1);
    stride *= r;
    length = m;
  }
  twiddles_ = AlignedArray<T>(count);
  const Roots roots(n);
  T* w = twiddles_.data();
  for (std::size_t i = 0; i < sequence.size(); ++i)
    for (std::size_t p = 1; p < steps_[i].m; ++p)
      for (std::size_t j = 1; j < sequence[i]; ++j) {
        const auto root = roots(p * j * steps_[i].stride);
        *w++ = static_cast<T>(root.real());
        *w++ = static_cast<T>(root.imag());
      }
}

template <class T>
const T* Columns<T>::finish_passes(std::size_t step, std::size_t vectors, T* from, T* to) const noexcept {
  for (; step < steps_.size(); ++step) {
    const Step& s = steps_[step];
    const std::size_t inner = s.stride * vectors, row = inner * vector_;
    s.pass(from, row, to, row, s.m, inner, twiddles_.data() + s.twiddles);
    std::swap(from, to);
  }
  return from;
}

template <class T>
const T* Columns<T>::run(const T* in, std::size_t in_row, std::size_t vectors, T* a, T* b) const noexcept {
  if (steps_.empty()) return in;
  const Step& s = steps_[0];
  s.pass(in, in_row, a, vectors * vector_, s.m, vectors, twiddles_.data() + s.twiddles);
  return finish_passes(1, vectors, a, b);
}

template <class T>
const T* Columns<T>::run_user(const T* user, std::size_t user_row, std::size_t vectors, T* a, T* b,
                              bool swapped) const noexcept {
  const Step& s = steps_[0];
  first_(user, user_row, a, vectors * vector_, s.m, vectors, twiddles_.data() + s.twiddles, swapped);
  return finish_passes(1, vectors, a, b);
}

template class Columns<float>;
template class Columns<double>;

}  // namespace pawl::fft
