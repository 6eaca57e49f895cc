// roots.hpp -- n -> the n-th roots of unity, each by one product of two tables of about sqrt(n) entries.
#pragma once
#include <complex>
#include <cstddef>

#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/fft_making.hpp"

namespace pawl::fft {

/// Every kRootCorners-th of the circle, for the functions of FftRoots and FftMaking.
const ExactRoot* root_corners() noexcept;

/// Roots(n)(k) = exp(-2 pi i k / n) for k < n.
///
/// Accuracy   some 0.6 ulp of 1. With the low table as (cos - 1, sin), a root is an entry of the high table and a small
///            correction; entries of the high table have a second double for what the first rounds away. (0.5 ulp more
///            where long double is no wider than double.)
/// Cost       making it, by vectors: some 2 sqrt(n) polynomials of degree 9, and up to kMostKept roots all products at
///            once, 0.3 ns each; each root: a load, beyond a complex product.
class Roots {
 public:
  explicit Roots(std::size_t n);

  std::complex<double> operator()(std::size_t k) const noexcept {
    return all_.size() > 0 ? std::complex<double>(all_[2 * k], all_[2 * k + 1]) : product(k);
  }
  /// Roots 0, k, 2 k and on, `count` of them: their real parts and then the imaginary ones.
  template <class T>
  void powers(std::size_t k, std::size_t count, T* out) const noexcept {
    const auto all = [&](auto&& root) {
      for (std::size_t b = 0; b < count; ++b) {
        const std::complex<double> x = root(k * b);
        out[b] = static_cast<T>(x.real());
        out[count + b] = static_cast<T>(x.imag());
      }
    };
    const double* const pairs = all_.data();  // one question for all
    if (pairs)
      all([=](std::size_t i) { return std::complex<double>(pairs[2 * i], pairs[2 * i + 1]); });
    else
      all([this](std::size_t i) { return product(i); });
  }

 private:
  static constexpr std::size_t kMostKept = std::size_t{1} << 14;  // 256 KiB
  std::complex<double> product(std::size_t k) const noexcept {
    const ExactRoot& high = high_.data()[k >> shift_];
    const double *const low = low_.data() + (k & mask_), less_1 = low[0], im = low[low_.size() / 2];
    return {high.re + (high.re_rest + (high.re * less_1 - high.im * im)),
            high.im + (high.im_rest + (high.re * im + high.im * less_1))};
  }

  unsigned shift_ = 0;
  std::size_t mask_ = 0;
  AlignedArray<double> low_;  // all (cos - 1), then all sines
  AlignedArray<ExactRoot> high_;
  AlignedArray<double> all_;  // pairs
};

}  // namespace pawl::fft
