// roots.kernel.hpp -- places on the circle -> roots of unity, a vector of them at once, and tables of their products.
//
// Products and sums apart, no multiply-adds: so every variant makes the same numbers.
#pragma once
#include <numbers>

#include "kernels/fft/fft_making.hpp"
#include "kernels/fft/interleave.kernel.hpp"
#include "kernels/fft/store_as.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// Of x = sqrt(square) up to a 32nd of the circle: what these leave out is below 2^-64.
PAWL_INLINE Reg<double> polynomial(Reg<double>, double last) { return broadcast<double>(last); }
template <class... Rest>
PAWL_INLINE Reg<double> polynomial(Reg<double> x, double first, Rest... rest) {
  return broadcast<double>(first) + x * polynomial(x, rest...);
}
PAWL_INLINE Reg<double> cos_less_1(Reg<double> square) {
  return square * polynomial(square, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600,
                             -1.0 / 87178291200);
}
PAWL_INLINE Reg<double> sine_of(Reg<double> x, Reg<double> square) {
  return x + x * square *
                 polynomial(square, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800);
}

// 0, 1, 2 and on.
PAWL_INLINE Reg<double> lane_numbers() {
  alignas(64) static constexpr double kNumbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  static_assert(lanes<double> <= 8);
  return load_reg<double>(kNumbers);
}

// A part of ExactRoot of all corners.
class CornerPart {
 public:
#if defined(PAWL_ISA_IS_avx512)
  PAWL_INLINE explicit CornerPart(const double* part) : eights_{at(part, 0), at(part, 8), at(part, 16), at(part, 24)} {}
  // Of the corner whose number the last bits of `number` are. From registers: a vector of numbers from anywhere takes
  // as many loads, and as many shuffles again.
  PAWL_INLINE Reg<double> operator()(Reg<double> number) const {
    const __m512i bits = _mm512_castpd_si512(number);
    return _mm512_mask_blend_pd(_mm512_test_epi64_mask(bits, _mm512_set1_epi64(16)),
                                _mm512_permutex2var_pd(eights_[0], bits, eights_[1]),
                                _mm512_permutex2var_pd(eights_[2], bits, eights_[3]));
  }

 private:
  static_assert(kRootCorners == 32);
  PAWL_INLINE static Reg<double> at(const double* part, std::size_t first) {
    const double* const p = part + 4 * first;
    return _mm512_set_pd(p[28], p[24], p[20], p[16], p[12], p[8], p[4], p[0]);
  }
  Reg<double> eights_[4];
#else
  PAWL_INLINE explicit CornerPart(const double* part) : part_(part) {}
  PAWL_INLINE Reg<double> operator()(Reg<double> number) const {
    std::uint64_t bits[lanes<double>];
    double values[lanes<double>];
    __builtin_memcpy(bits, &number, sizeof bits);
    unroll<lanes<double> >([&](auto lane) PAWL_INLINE_LAMBDA { values[lane] = part_[bits[lane] % kRootCorners * 4]; });
    return load_reg<double>(values);
  }

 private:
  const double* part_;
#endif
};

// a + b = sum + rest (Knuth, The Art of Computer Programming, volume 2, section 4.2.2).
PAWL_INLINE void add_exactly(Reg<double> a, Reg<double> b, Reg<double>& sum, Reg<double>& rest) {
  sum = a + b;
  const Reg<double> b_there = sum - a;
  rest = (a - (sum - b_there)) + (b - b_there);
}

struct Roots {
  Cx<double> first, rest;
};

// Roots of n points from the nearest corner, at most 1 / 64 of the circle away, so that rounding what lies between adds
// some 0.1 ulp of 1.
class CornerRoots {
 public:
  PAWL_INLINE CornerRoots(const ExactRoot* corners, std::size_t n)
      : re_(&corners->re),
        im_(&corners->im),
        re_rest_(&corners->re_rest),
        im_rest_(&corners->im_rest),
        n_(static_cast<double>(n)),
        corners_per_step_(double{kRootCorners} / n_),
        angle_(2 * std::numbers::pi / double{kRootCorners} / n_) {}

  // Number k, a whole number, also below 0.
  PAWL_INLINE Roots operator()(Reg<double> k) const {
    // Added to this, numbers are rounded to whole ones, which their last bits then are. Which of two corners as near,
    // or nearly, does not matter.
    const Reg<double> round = broadcast<double>(0x1.8p52);
    const Reg<double> number = k * broadcast<double>(corners_per_step_) + round, j = number - round;
    const Reg<double> x = (k * broadcast<double>(kRootCorners) - j * broadcast<double>(n_)) * broadcast<double>(angle_);
    const Reg<double> square = x * x, less_1 = cos_less_1(square), sine = sine_of(x, square);
    const Reg<double> re = re_(number), im = im_(number);
    Roots root;
    add_exactly(re, re_rest_(number) + (re * less_1 + im * sine), root.first.re, root.rest.re);
    add_exactly(im, im_rest_(number) + (im * less_1 - re * sine), root.first.im, root.rest.im);
    return root;
  }

 private:
  CornerPart re_, im_, re_rest_, im_rest_;
  double n_, corners_per_step_, angle_;
};

/// x times the root that is less_1 + 1 + i sine.
PAWL_INLINE Cx<double> product_of_roots(const Roots& x, Reg<double> less_1, Reg<double> sine) {
  return {x.first.re + (x.rest.re + (x.first.re * less_1 - x.first.im * sine)),
          x.first.im + (x.rest.im + (x.first.re * sine + x.first.im * less_1))};
}

/// What the twiddles of `finish` are made of: a few steps of inner rows, each a small product away from an exact row.
/// Up to a 32nd of the circle what rounding adds to the correction is small beside what it adds to the root; of f32 the
/// polynomials alone are the limit.
template <class T>
static void row_twiddles(const ExactRoot* corners, std::size_t rows, T* out) noexcept {
  constexpr std::size_t W = lanes<T>, D = lanes<double>, kParts = W / D, kMostInner = 32;
  const std::size_t n = rows * W;
  std::size_t inner = 1;
  constexpr std::size_t kPart = sizeof(T) == 4 ? 8 : 32;
  while (inner < kMostInner && 2 * inner * W * kPart <= n) inner *= 2;
  Reg<double> number[kParts];
  unroll<kParts>([&](auto part) PAWL_INLINE_LAMBDA {
    number[part] = lane_numbers() + broadcast<double>(static_cast<double>(part * D));
  });
  Reg<double> low[2 * kMostInner * kParts];
  const Reg<double> angle = broadcast<double>(-2 * std::numbers::pi / static_cast<double>(n));
  for (std::size_t l = 0; l < inner; ++l)
    unroll<kParts>([&](auto part) PAWL_INLINE_LAMBDA {
      const Reg<double> x = broadcast<double>(static_cast<double>(l)) * number[part] * angle, square = x * x;
      low[2 * (l * kParts + part)] = cos_less_1(square);
      low[2 * (l * kParts + part) + 1] = sine_of(x, square);
    });
  const CornerRoots exact(corners, n);
  for (std::size_t k = 0; k < rows; k += inner)
    unroll<kParts>([&](auto part) PAWL_INLINE_LAMBDA {
      const Roots high = exact(broadcast<double>(static_cast<double>(k)) * number[part]);
      const std::size_t here = rows - k < inner ? rows - k : inner;
      T* to = out + k * 2 * W + part * D;
      for (std::size_t l = 0; l < here; ++l, to += 2 * W) {
        const Cx<double> root = product_of_roots(high, low[2 * (l * kParts + part)], low[2 * (l * kParts + part) + 1]);
        store_as<T>(to, root.re);
        store_as<T>(to + W, root.im);
      }
    });
}

}  // namespace pawl::PAWL_ISA_NS
