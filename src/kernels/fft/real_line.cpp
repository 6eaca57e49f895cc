// real_line.cpp -- see real_line.hpp.
#include "kernels/fft/real_line.hpp"

#include <algorithm>
#include <utility>

#include "kernels/fft/cache.hpp"
#include "kernels/fft/lines.hpp"
#include "kernels/fft/roots.hpp"

namespace pawl::fft {

template <class T>
RealLine<T>::RealLine(std::size_t n, Isa isa)
    : ops_(fft_ops<T>(isa)), n_(n), points_(n % 2 == 0 ? n / 2 : n), line_(shared_line<T>(points_, isa)) {
  if (n % 2 != 0) return;
  twiddles_ = AlignedArray<T>(n);
  const Roots<T> roots(n);
  for (std::size_t k = 0; k < n / 2; ++k) {
    const auto root = roots(k);
    twiddles_[2 * k] = static_cast<T>(root.real());
    twiddles_[2 * k + 1] = static_cast<T>(root.imag());
  }
}

template <class T>
void RealLine<T>::forward(const T* in, T* out, T* workspace, T scale) const noexcept {
  T *const z = workspace, *const inner = workspace + up_to_line<T>(2 * points_);
  if (n_ % 2 == 0) {
    line_->run(in, z, inner, false, T(1));
    ops_.split_real(z, twiddles_.data(), out, points_, scale);
    return;
  }
  for (std::size_t j = 0; j < n_; ++j) {
    z[2 * j] = in[j];
    z[2 * j + 1] = 0;
  }
  line_->run(z, z, inner, false, scale);
  std::copy_n(z, n_ + 1, out);  // (n + 1) / 2 pairs
  out[1] = 0;
}

template <class T>
void RealLine<T>::inverse(const T* in, T* out, T* workspace, T scale) const noexcept {
  T *const z = workspace, *const inner = workspace + up_to_line<T>(2 * points_);
  if (n_ % 2 == 0) {
    ops_.join_real(in, twiddles_.data(), z, points_, scale);
    line_->run(z, out, inner, true, T(1));
    return;
  }
  z[0] = in[0];
  z[1] = 0;
  for (std::size_t k = 1; k <= n_ / 2; ++k) {
    z[2 * k] = z[2 * (n_ - k)] = in[2 * k];
    z[2 * k + 1] = in[2 * k + 1];
    z[2 * (n_ - k) + 1] = -in[2 * k + 1];
  }
  line_->run(z, z, inner, true, scale);
  for (std::size_t j = 0; j < n_; ++j) out[j] = z[2 * j];
}

template <class T>
std::shared_ptr<const RealLine<T>> shared_real_line(std::size_t n, Isa isa) {
  static auto& cache = *new Cache<std::pair<std::size_t, Isa>, RealLine<T>>;  // never destroyed, as in lines.cpp
  return cache.get({n, isa}, [&] { return std::make_shared<const RealLine<T>>(n, isa); });
}

template class RealLine<float>;
template class RealLine<double>;
template std::shared_ptr<const RealLine<float>> shared_real_line(std::size_t, Isa);
template std::shared_ptr<const RealLine<double>> shared_real_line(std::size_t, Isa);

}  // namespace pawl::fft
