// folded_chirp.kernel.hpp -- a chirp of f64 -> the transform of it wrapped around, by one of half as many points.
//
// The wrapped chirp c of m points is even. With a[j] = c[2 j] and u[j] = c[2 j + 1] - c[2 j - 1] of half as many, the
// former even and the latter odd, the transform Z of a + u gives both apart, and with E = (Z[k] + Z[m/2 - k]) / 2 and
// U = (Z[k] - Z[m/2 - k]) / 2 elements k and m / 2 - k of what is wanted are E +- U / (2 i sin(2 pi k / m)) (Cooley,
// Lewis, Welch, "The fast Fourier transform algorithm: programming considerations in the calculation of sine, cosine
// and Laplace transforms", 1970). Small sines make errors of f64 that are nothing beside the rounding to f32.
#pragma once
#include "kernels/fft/chirp.kernel.hpp"
#include "kernels/fft/roots.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// Every other number of a and b one after the other.
PAWL_INLINE Reg<double> evens(Reg<double> a, Reg<double> b) { return deinterleave<double>(a, b).re; }
PAWL_INLINE double sum_of_lanes(Reg<double> x) {
  double part[lanes<double>], sum = 0;
  store_reg<double>(part, x);
  for (double p : part) sum += p;
  return sum;
}

// (j + step)^2 is j^2 + 2 j step + step^2, so each of kSteps vectors becomes the one so many further by two products.
// Of the second factor, which all numbers share, errors grow with each step, and so those of the chirp with their
// square: after 4096 steps to some 2^-30.
template <class T>
static void rough_chirp(const ExactRoot* corners, std::size_t n, std::size_t count, double* out) noexcept {
  constexpr std::size_t W = lanes<double>, kSteps = 16, step = kSteps * W;
  const std::size_t circle = 2 * n;
  const CornerRoots roots(corners, circle);
  const auto root = [&](Reg<double> place) PAWL_INLINE_LAMBDA { return conjugate<double>(roots(place).first); };
  const auto place = [&](std::size_t x) { return broadcast<double>(static_cast<double>(x % circle)); };
  Cx<double> here[kSteps], turn[kSteps];
  for (std::size_t s = 0; s < kSteps; ++s) {
    const Reg<double> j = broadcast<double>(static_cast<double>(s * W)) + lane_numbers();
    here[s] = root(j * j);
    turn[s] = root(j * broadcast<double>(static_cast<double>(2 * step)));
  }
  // Of the step from a to a + step what all numbers have in common: step^2 + 2 a step.
  Cx<double> common = root(place(step * step));
  const Cx<double> next = root(place(2 * step * step));
  for (std::size_t a = 0; a < count; a += step) {
    for (std::size_t s = 0; s < kSteps && a + s * W < count; ++s) {
      store_pairs<double>(out + 2 * (a + s * W), here[s], false);
      here[s] = here[s] * (turn[s] * common);
    }
    common = common * next;
  }
}

template <class T>
static void fold_chirp(double* chirp, std::size_t n, std::size_t m, double* folded, T* factors) noexcept {
  constexpr std::size_t W = lanes<double>;
  const std::size_t points = m / 2;
  complete_chirp<T>(chirp, n, factors);
  chirp[-2] = chirp[2];
  chirp[-1] = chirp[3];
  for (std::size_t i = 2 * n; i < 2 * (n + 2 * W); ++i) chirp[i] = 0;
  for (std::size_t i = n; i < 2 * (points - n / 2); ++i) folded[i] = 0;
  Cx<double> sum{broadcast<double>(0), broadcast<double>(0)};
  for (std::size_t j = 0; j <= n / 2; j += W) {
    const Cx<double> a = load_pairs<double>(chirp + 4 * j, false), b = load_pairs<double>(chirp + 4 * j + 2 * W, false);
    const double* const before = chirp + 4 * j - 2;
    const Cx<double> c = load_pairs<double>(before, false), d = load_pairs<double>(before + 2 * W, false);
    const Cx<double> even{evens(a.re, b.re), evens(a.im, b.im)}, last{evens(c.re, d.re), evens(c.im, d.im)};
#if defined(PAWL_ISA_IS_scalar)
    const Cx<double> next = b;
#else
    const Cx<double> next{deinterleave<double>(a.re, b.re).im, deinterleave<double>(a.im, b.im).im};
#endif
    const Cx<double> odd = next - last;
    sum = sum + next;
    store_pairs<double>(folded + 2 * j, even + odd, false);
    store_pairs<double>(folded + 2 * (points - j - W + 1), reversed_cx<double>(even - odd), false);
  }
  const double scale = 2 / static_cast<double>(m);  // both ends
  folded[2 * points] = scale * sum_of_lanes(sum.re);
  folded[2 * points + 1] = scale * sum_of_lanes(sum.im);
}

template <class T>
static void spectrum_of_folded(const ExactRoot* corners, double* folded, std::size_t m) noexcept {
  constexpr std::size_t W = lanes<double>;
  const std::size_t points = m / 2;
  // Places on the circle, each W from the one before: what this adds to the error is nothing beside the rest.
  const CornerRoots roots(corners, m);
  Cx<double> place = roots(lane_numbers() + broadcast<double>(1)).first;
  const Cx<double> step = roots(broadcast<double>(static_cast<double>(W))).first;
  const Reg<double> half = broadcast<double>(0.5), quarter = broadcast<double>(-0.25);
  for (std::size_t k = 1; k <= points / 2; k += W) {
    double *const low = folded + 2 * k, *const high = folded + 2 * (points - k - W + 1);
    const Cx<double> x = load_pairs<double>(low, false), y = reversed_cx<double>(load_pairs<double>(high, false));
    const Reg<double> factor = quarter / place.im;  // 1 / (4 sin)
    const Cx<double> even{(x.re + y.re) * half, (x.im + y.im) * half};
    const Cx<double> odd{(x.im - y.im) * factor, (y.re - x.re) * factor};
    store_pairs<double>(high, reversed_cx<double>(even - odd), false);
    store_pairs<double>(low, even + odd, false);
    place = place * step;
  }
  for (std::size_t part = 0; part < 2; ++part) {
    const double even = folded[part], odd = folded[2 * points + part];
    folded[part] = even + odd;
    folded[2 * points + part] = even - odd;
  }
}

template <class T>
static void round_even(const double* spectrum, std::size_t m, T* out, bool block) noexcept {
  round_spectrum<T>(m, out, block, [&](std::size_t k) PAWL_INLINE_LAMBDA {
    if (k < m / 2) return load_pairs<double>(spectrum + 2 * k, false);
    return reversed_cx<double>(load_pairs<double>(spectrum + 2 * (m + 1 - k - lanes<double>), false));
  });
}

}  // namespace pawl::PAWL_ISA_NS
