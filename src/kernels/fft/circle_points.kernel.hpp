// circle_points.kernel.hpp -- k and n -> the cosine and the sine of 2 pi k / n, when compiled.
#pragma once
#include <cstddef>

namespace pawl::PAWL_ISA_NS {

// k < n. To all digits of a double: the series up to a quarter of the circle.
constexpr double cosine_of(std::size_t k, std::size_t n) {
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
  return static_cast<double>(left ? -sum : sum);
}
constexpr double sine_of(std::size_t k, std::size_t n) { return cosine_of((4 * k + 3 * n) % (4 * n), 4 * n); }

}  // namespace pawl::PAWL_ISA_NS
