// roots.hpp -- n -> the n-th roots of unity, each by one product of two tables of about sqrt(n) entries.
#pragma once
#include <complex>
#include <cstddef>
#include <vector>

namespace pawl::fft {

/// Roots<T>(n)(k) = exp(-2 pi i k / n) for k < n.
///
/// Accuracy   f64: some 0.6 ulp of 1. With the low table as (cos - 1, sin), a root is an entry of the high table and a
///            small correction; entries of the high table have a second double for what the first rounds away. (0.5 ulp
///            more where long double is no wider than double.)
/// Cost       making it: about sqrt(n) sines of double and sqrt(n) / 8 of long double (a table of all n by sines alone
///            would take some 40 n ns, more than a plan may); each root: a complex product.
template <class T>
class Roots {
 public:
  explicit Roots(std::size_t n);

  std::complex<T> operator()(std::size_t k) const noexcept {
    const Low low = low_[k & mask_];
    const High high = high_[k >> shift_];
    const double re = high.re * low.re_less_1 - high.im * low.im, im = high.re * low.im + high.im * low.re_less_1;
    return {static_cast<T>(high.re + (high.re_rest + re)), static_cast<T>(high.im + (high.im_rest + im))};
  }

 private:
  struct Low {
    double re_less_1, im;
  };
  struct High {
    double re, im, re_rest, im_rest;
  };
  unsigned shift_ = 0;
  std::size_t mask_ = 0;
  std::vector<Low> low_;
  std::vector<High> high_;
};

extern template class Roots<float>;
extern template class Roots<double>;

}  // namespace pawl::fft
