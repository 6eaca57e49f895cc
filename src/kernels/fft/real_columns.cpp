// real_columns.cpp -- see real_columns.hpp.
#include "kernels/fft/real_columns.hpp"

#include "kernels/fft/factors.hpp"
#include "kernels/fft/roots.hpp"

namespace pawl::fft {
namespace {

std::size_t first_radix(std::size_t n) {
  if (n % 2 == 0) return 2;
  if (const std::size_t largest = largest_factor(n); largest > kLargestRadix) return largest;
  for (std::size_t r : {15U, 13U, 11U, 9U, 7U, 5U})
    if (n % r == 0) return r;
  return 3;
}

}  // namespace

template <class T>
RealColumns<T>::RealColumns(std::size_t n, const FftOps<T>& ops)
    : ops_(ops), n_(n), radix_(first_radix(n)), parts_((radix_ + 1) / 2), columns_(n / radix_, ops) {
  const std::size_t m = n / radix_, half = radix_ / 2;
  const Roots roots(n);
  const auto store = [](T*& to, auto root) {
    *to++ = static_cast<T>(root.real());
    *to++ = static_cast<T>(root.imag());
  };
  if (radix_ == 2) {
    twiddles_ = AlignedArray<T>(2 * m);
    T* to = twiddles_.data();
    for (std::size_t k = 0; k < m; ++k) store(to, roots(k));
    return;
  }
  twiddles_ = AlignedArray<T>(2 * half * (m - 1));
  T* to = twiddles_.data();
  for (std::size_t p = 1; p < m; ++p)
    for (std::size_t s = 1; s <= half; ++s) store(to, roots(p * s));
  if (radix_ <= kLargestRadix || radix_ == 15) return;
  circle_ = AlignedArray<T>(2 * half * half);
  const Roots circle(radix_);
  to = circle_.data();
  for (std::size_t k = 1; k <= half; ++k)
    for (std::size_t j = 1; j <= half; ++j) store(to, std::conj(circle(j * k % radix_)));
}

template <class T>
void RealColumns<T>::forward(const T* in, std::ptrdiff_t in_row, T* out, std::ptrdiff_t out_row, std::size_t count,
                             T* workspace, T scale) const noexcept {
  const FftReals<T>& reals = *ops_.reals;
  const std::size_t m = columns_.size(), wide = parts_ * vectors(count), row = wide * 2 * ops_.lanes;
  T *const a = workspace, *const b = workspace + block_elements(count);
  if (radix_ == 2)
    reals.load_twos(in, in_row, m, count, b, row);
  else if (circle_.data())
    reals.first_prime(radix_, circle_.data(), in, in_row, m, count, twiddles_.data(), b);
  else
    reals.first[radix_](in, in_row, m, count, twiddles_.data(), b);
  const T* const block = columns_.run(b, row, wide, a, b);
  if (radix_ == 2)
    reals.split_halves(block, row, m, twiddles_.data(), count, out, out_row, scale);
  else
    reals.keep_half(block, radix_, m, count, out, out_row, scale);
}

template <class T>
void RealColumns<T>::inverse(const T* in, std::ptrdiff_t in_row, T* out, std::ptrdiff_t out_row, std::size_t count,
                             T* workspace, T scale) const noexcept {
  const FftReals<T>& reals = *ops_.reals;
  const std::size_t m = columns_.size(), wide = parts_ * vectors(count), row = wide * 2 * ops_.lanes;
  T *const a = workspace, *const b = workspace + block_elements(count);
  if (radix_ == 2)
    reals.join_halves(in, in_row, m, twiddles_.data(), count, b, row);
  else
    reals.fill_half(in, in_row, radix_, m, count, b);
  const T* const block = columns_.run(b, row, wide, a, b);
  if (radix_ == 2)
    reals.store_twos(block, row, m, count, out, out_row, scale);
  else if (circle_.data())
    reals.last_prime(radix_, circle_.data(), block, m, count, twiddles_.data(), out, out_row, scale);
  else
    reals.last[radix_](block, m, count, twiddles_.data(), out, out_row, scale);
}

template class RealColumns<float>;
template class RealColumns<double>;

}  // namespace pawl::fft
