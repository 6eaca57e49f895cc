// roots.cpp -- see roots.hpp.
#include "kernels/fft/roots.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "kernels/fft/fft_table.hpp"
#include "kernels/tables.hpp"

namespace pawl::fft {
namespace {

// Every 32nd of the circle. Angles are brought into the first eighth, where sine and cosine keep all their digits and
// the exact values 0, 1 and sqrt(1/2) come out as such.
std::array<ExactRoot, kRootCorners> make_corners() {
  std::array<ExactRoot, kRootCorners> corners;
  const auto split = [](long double x, double& first, double& rest) {
    first = static_cast<double>(x);
    rest = static_cast<double>(x - static_cast<long double>(first));
  };
  for (std::size_t j = 0; j < kRootCorners; ++j) {
    std::size_t at = j;
    const bool lower = at > kRootCorners / 2;
    if (lower) at = kRootCorners - at;
    const bool left = at > kRootCorners / 4;
    if (left) at = kRootCorners / 2 - at;
    const bool exchange = at > kRootCorners / 8;
    if (exchange) at = kRootCorners / 4 - at;
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(at) / kRootCorners;
    const long double a = std::cos(angle), b = std::sin(angle), c = exchange ? b : a, s = exchange ? a : b;
    split(left ? -c : c, corners[j].re, corners[j].re_rest);
    split(lower ? s : -s, corners[j].im, corners[j].im_rest);
  }
  return corners;
}

// Entries of the low table are of angles up to 1 / 32 of the circle: what rounding adds to the correction is then small
// beside what it adds to the root. (With sqrt(n) of them, 5 or 6 of 34, transforms of f64 had 1.3 times the error.)
constexpr std::size_t kLeastHigh = 32;

}  // namespace

const ExactRoot* root_corners() noexcept {
  static const std::array<ExactRoot, kRootCorners> corners = make_corners();
  return corners.data();
}

Roots::Roots(std::size_t n) {
  while ((n >> (2 * shift_)) > 1 && (n >> (shift_ + 1)) >= kLeastHigh) ++shift_;
  const FftRoots& make = fft_table(active_isa()).roots;  // all variants make the same numbers
  const std::size_t count = std::size_t{1} << shift_, padded = std::max(count, make.lanes),
                    size = ((n - 1) >> shift_) + 1;
  mask_ = count - 1;
  low_ = AlignedArray<double>(2 * padded, Unset{});
  make.small(n, padded, low_.data());
  high_ = AlignedArray<ExactRoot>(size, Unset{});
  make.exact(root_corners(), n, count, size, high_.data());
  if (n > kMostKept) return;
  all_ = AlignedArray<double>(2 * ((size - 1) * count + padded), Unset{});
  make.products(high_.data(), size, low_.data(), padded, count, all_.data());
}

}  // namespace pawl::fft
