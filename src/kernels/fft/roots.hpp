// roots.hpp -- n -> the n-th roots of unity, each by one product of two tables of about sqrt(n) entries.
#pragma once
#include <complex>
#include <cstddef>
#include <vector>

namespace pawl::fft {

/// Roots(n)(k) = exp(-2 pi i k / n) for k < n.
///
/// Accuracy   2.5 * 2^-53 of absolute error: half an ulp of each table and the product.
/// Cost       making it: about 2 sqrt(n) sines; each root: a complex product. A table of all n by sines alone would
/// take
///            some 40 n ns, more than a plan may.
class Roots {
 public:
  explicit Roots(std::size_t n);

  std::complex<double> operator()(std::size_t k) const noexcept {
    const Pair low = low_[k & mask_], high = high_[k >> shift_];
    return {high.re * low.re - high.im * low.im, high.re * low.im + high.im * low.re};
  }

 private:
  struct Pair {
    double re, im;
  };
  static Pair root(std::size_t k, std::size_t n);
  unsigned shift_ = 0;
  std::size_t mask_ = 0;
  std::vector<Pair> low_, high_;
};

}  // namespace pawl::fft
