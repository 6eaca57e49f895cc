// gauss_sums.hpp -- transforms of the roots of unity in the order of Rader, as computed -> the same with the absolute
// values that they have.
#pragma once
#include <cmath>
#include <cstddef>

namespace pawl::fft {

/// The transform of exp(-2 pi i g^-q / p) over q < p - 1 consists of Gauss sums: all but element 0 have the absolute
/// value sqrt(p) (Ireland and Rosen, A Classical Introduction to Modern Number Theory, 1990, section 8.2). Setting it
/// takes away half of the variance of what rounding left in them. `count` pairs, times scale.
inline void gauss_sums(double* pairs, std::size_t count, std::size_t p, double scale) noexcept {
  const double square = static_cast<double>(p) * scale * scale;
  for (std::size_t i = 0; i < count; ++i, pairs += 2) {
    // They are off by some 1e-16 of their value, so that one step of Newton's for the square root is exact.
    const double excess = std::fma(pairs[0], pairs[0], std::fma(pairs[1], pairs[1], -square)) / square;
    pairs[0] -= pairs[0] * (excess / 2);
    pairs[1] -= pairs[1] * (excess / 2);
  }
}

}  // namespace pawl::fft
