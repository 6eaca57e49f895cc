// roots.hpp -- n -> the n-th roots of unity, each by one product of two tables of about sqrt(n) entries.
#pragma once
#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

namespace pawl::fft {

/// Roots<T>(n)(k) = exp(-2 pi i k / n) for k < n.
///
/// Accuracy   0.51 ulp of 1: tables and product are of a wider type, which is rounded once. 2.5 * 2^-53 of absolute
/// error
///            for f64 where long double is no wider or too slow, being made by software.
/// Cost       making it: about 2 sqrt(n) sines; each root: a complex product. A table of all n by sines alone would
///            take some 40 n ns, more than a plan may.
template <class T>
class Roots {
 public:
  explicit Roots(std::size_t n);

  std::complex<T> operator()(std::size_t k) const noexcept {
    const Pair low = low_[k & mask_], high = high_[k >> shift_];
    return {static_cast<T>(high.re * low.re - high.im * low.im), static_cast<T>(high.re * low.im + high.im * low.re)};
  }

 private:
  // 64 bits are those of the x87.
  using Wide =
      std::conditional_t<sizeof(T) == 8 && std::numeric_limits<long double>::digits == 64, long double, double>;
  struct Pair {
    Wide re, im;
  };
  static Pair root(std::size_t k, std::size_t n);
  unsigned shift_ = 0;
  std::size_t mask_ = 0;
  std::vector<Pair> low_, high_;
};

extern template class Roots<float>;
extern template class Roots<double>;

}  // namespace pawl::fft
