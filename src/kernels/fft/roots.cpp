// roots.cpp -- see roots.hpp.
#include "kernels/fft/roots.hpp"

#include <cmath>
#include <numbers>
#include <type_traits>
#include <utility>

namespace pawl::fft {
namespace {

template <class Wide>
struct Root {
  Wide re, im;
};

// exp(-2 pi i k / n). Angles are brought into the first eighth of the circle in whole numbers, where sine and cosine
// keep all their digits and the exact values 0, 1 and sqrt(1/2) come out as such.
template <class Wide>
Root<Wide> root(std::size_t k, std::size_t n) {
  std::size_t k8 = 8 * k;  // the angle is k8 eighths of a circle over n
  bool negate_im = true, negate_re = false, exchange = false;
  if (k8 > 4 * n) {  // lower half: mirror at the real axis
    k8 = 8 * n - k8;
    negate_im = false;
  }
  if (k8 > 2 * n) {
    k8 = 4 * n - k8;
    negate_re = true;
  }
  if (k8 > n) {
    k8 = 2 * n - k8;
    exchange = true;
  }
  const Wide angle = std::numbers::pi_v<Wide> / 4 * static_cast<Wide>(k8) / static_cast<Wide>(n);
  Wide c = std::cos(angle), s = std::sin(angle);
  if (exchange) std::swap(c, s);
  return {negate_re ? -c : c, negate_im ? -s : s};
}

// Entries of the low table are of angles up to 1 / 32 of the circle: what rounding adds to the correction is then small
// beside what it adds to the root. (With sqrt(n) of them, 5 or 6 of 34, transforms of f64 had 1.3 times the error.)
constexpr std::size_t kLeastHigh = 32;

}  // namespace

template <class T>
Roots<T>::Roots(std::size_t n) {
  using Wide = std::conditional_t<sizeof(T) == 8, long double, double>;
  while ((n >> (2 * shift_)) > 1 && (n >> (shift_ + 1)) >= kLeastHigh) ++shift_;
  const std::size_t count = std::size_t{1} << shift_;
  mask_ = count - 1;
  low_.reserve(count);
  for (std::size_t k = 0; k < count && k < n; ++k) {
    const double half = std::numbers::pi * static_cast<double>(k) / static_cast<double>(n), s = std::sin(half);
    low_.push_back({-2 * s * s, -2 * s * std::cos(half)});
  }
  // Each is one of every eighth times one of the first eight: a product in long double takes a tenth of a sine's time,
  // and its error is far below that of a double.
  const std::size_t size = ((n - 1) >> shift_) + 1;
  std::vector<Root<Wide>> exact(size);
  high_.reserve(size);
  for (std::size_t j = 0, eighths = 0; j < size; ++j) {
    const std::size_t k = j * count, rest = j % 8;
    while (eighths < 8 * k) eighths += n;
    const bool has_exact_parts = eighths == 8 * k;
    if (j < 8 || rest == 0 || has_exact_parts) {
      exact[j] = root<Wide>(k, n);
    } else {
      const Root<Wide>&x = exact[j - rest], &y = exact[rest];
      exact[j] = {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
    }
    const double re = static_cast<double>(exact[j].re), im = static_cast<double>(exact[j].im);
    high_.push_back({re, im, static_cast<double>(exact[j].re - static_cast<Wide>(re)),
                     static_cast<double>(exact[j].im - static_cast<Wide>(im))});
  }
}

template class Roots<float>;
template class Roots<double>;

}  // namespace pawl::fft
