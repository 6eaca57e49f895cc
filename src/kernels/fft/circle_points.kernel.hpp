// circle_points.kernel.hpp -- k and n -> the cosine and the sine of 2 pi k / n, when compiled; those of an eighth, a
// sixteenth and a third of the circle.
#pragma once
#include <cstddef>

namespace pawl::PAWL_ISA_NS {

// k < n. To all digits of a long double: the series up to a quarter of the circle.
constexpr long double long_cosine_of(std::size_t k, std::size_t n) {
  constexpr long double kPi = 3.14159265358979323846264338327950288L;
  constexpr int kTerms = 16;  // the next is below (pi / 2)^32 / 32! = 7e-30
  if (2 * k > n) k = n - k;
  const bool left = 4 * k > n;
  const long double x = kPi * static_cast<long double>(left ? n - 2 * k : 2 * k) / static_cast<long double>(n);
  long double term = 1, sum = 1;
  for (int i = 1; i < kTerms; ++i) {
    term *= -x * x / ((2 * i - 1) * (2 * i));
    sum += term;
  }
  return left ? -sum : sum;
}
constexpr long double long_sine_of(std::size_t k, std::size_t n) {
  return long_cosine_of((4 * k + 3 * n) % (4 * n), 4 * n);
}
constexpr double cosine_of(std::size_t k, std::size_t n) { return static_cast<double>(long_cosine_of(k, n)); }
constexpr double sine_of(std::size_t k, std::size_t n) { return static_cast<double>(long_sine_of(k, n)); }

inline constexpr double kSqrtHalf = 0.70710678118654752440;
inline constexpr double kCos16 = 0.92387953251128675613, kSin16 = 0.38268343236508977173;  // of 2 pi / 16

// Rounded constants make results too small or too large in common: a quarter of the squared error of 729 points of f64
// was the sine of a third of the circle, the nearest of f64 to which is 0.9 of half a unit below it. So where the
// nearest number is about as far as the one on the other side and both are used alike, half of the uses take that one.
// 729 points had 0.89 of the error by it, before other factors waited (factor.kernel.hpp). (Of sqrt(1/2) in f64 8 to 32
// points had 1.03 of the error, 512 and more 0.98, and some primes 1.1, whose convolutions have 12 points of other
// sign.)
inline constexpr double kSinThirdAbove = 0.86602540378443870761;  // f32: the nearest
template <class T>
inline constexpr double kCos16Above = sizeof(T) == 4 ? 0.92387956380844116 : kCos16;

}  // namespace pawl::PAWL_ISA_NS
