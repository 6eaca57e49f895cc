// random_numbers.hpp -- a length and a seed -> numbers in [-1, 1), and the error that transforms of them may have.
#pragma once
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace pawl::fft {

template <class T>
using Numbers = std::vector<std::complex<T>>;

template <class T>
Numbers<T> random_numbers(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Numbers<T> x(n);
  for (auto& z : x) z = {static_cast<T>(uniform(random)), static_cast<T>(uniform(random))};
  return x;
}

inline bool has_large_factor(std::size_t n) {
  for (std::size_t r : {2U, 3U, 5U, 7U, 11U, 13U})
    while (n % r == 0) n /= r;
  return n > 1;
}

/// The bound of plan.hpp.
template <class T>
long double bound(std::size_t n) {
  const long double eps = std::numeric_limits<T>::epsilon() / 2, depth = std::log2(static_cast<long double>(n));
  return (has_large_factor(n) ? 3 : 1) * eps * (0.6L * depth + 2);
}

}  // namespace pawl::fft
