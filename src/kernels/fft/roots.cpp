// roots.cpp -- see roots.hpp.
#include "kernels/fft/roots.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "kernels/fft/lines.hpp"

namespace pawl::fft {
namespace {

// A root as the sum of two doubles, of which the second is what the first rounds away.
struct Root {
  double re, im, re_rest, im_rest;
};

// Every 64th of the circle, and the first once more at its end. Angles are brought into the first eighth, where sine
// and cosine keep all their digits and the exact values 0, 1 and sqrt(1/2) come out as such.
constexpr std::size_t kCorners = 64;
std::array<Root, kCorners + 1> make_corners() {
  std::array<Root, kCorners + 1> corners;
  const auto split = [](long double x, double& first, double& rest) {
    first = static_cast<double>(x);
    rest = static_cast<double>(x - static_cast<long double>(first));
  };
  for (std::size_t j = 0; j <= kCorners; ++j) {
    std::size_t at = j % kCorners;
    const bool lower = at > kCorners / 2;
    if (lower) at = kCorners - at;
    const bool left = at > kCorners / 4;
    if (left) at = kCorners / 2 - at;
    const bool exchange = at > kCorners / 8;
    if (exchange) at = kCorners / 4 - at;
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(at) / kCorners;
    const long double a = std::cos(angle), b = std::sin(angle), c = exchange ? b : a, s = exchange ? a : b;
    split(left ? -c : c, corners[j].re, corners[j].re_rest);
    split(lower ? s : -s, corners[j].im, corners[j].im_rest);
  }
  return corners;
}

// Of x = sqrt(square) up to a 32nd of the circle: what these leave out is below 2^-62.
double cos_less_1(double square) noexcept {
  return square *
         (-1.0 / 2 +
          square * (1.0 / 24 + square * (-1.0 / 720 + square * (1.0 / 40320 + square * (-1.0 / 3628800 +
                                                                                        square * (1.0 / 479001600))))));
}
double sine_of(double x, double square) noexcept {
  return x + x * square *
                 (-1.0 / 6 +
                  square * (1.0 / 120 + square * (-1.0 / 5040 + square * (1.0 / 362880 - square * (1.0 / 39916800)))));
}

// exp(-2 pi i k / n) from the nearest corner, at most 1 / 128 of the circle away, so that rounding what lies between
// adds 0.05 ulp of 1.
class Exact {
 public:
  explicit Exact(std::size_t n)
      : n_(n),
        corners_per_step_(double{kCorners} / static_cast<double>(n)),
        angle_(2 * std::numbers::pi / double{kCorners} / static_cast<double>(n)) {}

  Root operator()(std::size_t k) const noexcept {
    // Which of two as near, or nearly, does not matter.
    const auto j = static_cast<std::size_t>((2 * static_cast<double>(k) * corners_per_step_ + 1) / 2);
    const double x = static_cast<double>(static_cast<std::int64_t>(kCorners * k - j * n_)) * angle_;
    const double square = x * x;
    const double less_1 = cos_less_1(square), sine = sine_of(x, square);
    const Root& corner = corners()[j];
    Root root;
    add(corner.re, corner.re_rest + (corner.re * less_1 + corner.im * sine), root.re, root.re_rest);
    add(corner.im, corner.im_rest + (corner.im * less_1 - corner.re * sine), root.im, root.im_rest);
    return root;
  }

 private:
  static const std::array<Root, kCorners + 1>& corners() noexcept {
    static const std::array<Root, kCorners + 1> made = make_corners();
    return made;
  }
  // a + b = sum + rest (Knuth, The Art of Computer Programming, volume 2, section 4.2.2).
  static void add(double a, double b, double& sum, double& rest) noexcept {
    sum = a + b;
    const double b_there = sum - a;
    rest = (a - (sum - b_there)) + (b - b_there);
  }

  std::size_t n_;
  double corners_per_step_, angle_;
};

// Entries of the low table are of angles up to 1 / 32 of the circle: what rounding adds to the correction is then small
// beside what it adds to the root. (With sqrt(n) of them, 5 or 6 of 34, transforms of f64 had 1.3 times the error.)
constexpr std::size_t kLeastHigh = 32;

}  // namespace

Roots::Roots(std::size_t n) {
  while ((n >> (2 * shift_)) > 1 && (n >> (shift_ + 1)) >= kLeastHigh) ++shift_;
  const FftOps<double>& ops = fft_ops<double>(active_isa());  // all variants make the same numbers
  const std::size_t count = std::size_t{1} << shift_, padded = std::max(count, ops.lanes),
                    size = ((n - 1) >> shift_) + 1;
  mask_ = count - 1;
  const Exact exact(n);
  low_ = AlignedArray<double>(2 * padded, Unset{});
  const double angle = -2 * std::numbers::pi / static_cast<double>(n);
  for (std::size_t k = 0; k < padded; ++k) {  // to 0.2
    const double x = angle * static_cast<double>(static_cast<int>(k)), square = x * x;
    low_[k] = cos_less_1(square);
    low_[padded + k] = sine_of(x, square);
  }
  high_ = AlignedArray<double>(4 * size, Unset{});
  for (std::size_t j = 0; j < size; ++j) {
    const Root root = exact(j << shift_);
    double* const to = high_.data() + 4 * j;
    to[0] = root.re;
    to[1] = root.im;
    to[2] = root.re_rest;
    to[3] = root.im_rest;
  }
  if (n > kMostKept) return;
  all_ = AlignedArray<double>(2 * ((size - 1) * count + padded), Unset{});
  ops.products_of_roots(high_.data(), size, low_.data(), padded, count, all_.data());
}

}  // namespace pawl::fft
