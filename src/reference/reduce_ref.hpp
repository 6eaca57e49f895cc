// reduce_ref.hpp -- the specification of include/pawl/reduce.hpp: naive loops in long double over elements that lie
// `stride` apart, sharing no code with the kernels.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace pawl::reference {

/// A mean, and that of the magnitudes, which the bound is written in.
struct Mean {
  long double value = 0, magnitude = 0;
};

template <class T>
Mean mean(const T* x, std::size_t n, std::size_t stride = 1) {
  Mean m;
  for (std::size_t i = 0; i < n; ++i) {
    m.value += x[i * stride];
    m.magnitude += std::fabs(static_cast<long double>(x[i * stride]));
  }
  m.value /= static_cast<long double>(n);
  m.magnitude /= static_cast<long double>(n);
  return m;
}

template <class T>
long double variance(const T* x, std::size_t n, std::size_t ddof, std::size_t stride = 1) {
  // From the first element on, so that long double's own digits are not spent on a large mean.
  const long double first = x[0];
  long double centre = 0, squares = 0, off = 0;
  for (std::size_t i = 0; i < n; ++i) centre += x[i * stride] - first;
  centre /= static_cast<long double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    const long double d = (x[i * stride] - first) - centre;
    squares += d * d;
    off += d;
  }
  return (squares - off * off / static_cast<long double>(n)) / static_cast<long double>(n - ddof);
}

/// The bound of the docstring for variance().
template <class T>
long double variance_bound(const T* x, std::size_t n, long double exact, std::size_t stride = 1) {
  const long double eps = std::numeric_limits<T>::epsilon();
  long double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::fabs(static_cast<long double>(x[i * stride])));
  return eps * (160 * exact + 4 * std::sqrt(exact) * largest) + (64 * eps * largest) * (64 * eps * largest);
}

template <class T>
std::size_t argmin(const T* x, std::size_t n, std::size_t stride = 1) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(x[i * stride])) return i;
    if (x[i * stride] < x[at * stride]) at = i;
  }
  return at;
}

template <class T>
std::size_t argmax(const T* x, std::size_t n, std::size_t stride = 1) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(x[i * stride])) return i;
    if (x[i * stride] > x[at * stride]) at = i;
  }
  return at;
}

template <class T>
long double norm(const T* x, std::size_t n, std::size_t stride = 1) {
  long double squares = 0;  // its exponents hold the square of any double
  for (std::size_t i = 0; i < n; ++i) squares += static_cast<long double>(x[i * stride]) * x[i * stride];
  return std::sqrt(squares);
}

template <class T>
long double cosine_similarity(const T* x, const T* y, std::size_t n) {
  long double product = 0;
  for (std::size_t i = 0; i < n; ++i) product += static_cast<long double>(x[i]) * y[i];
  return product / (norm(x, n) * norm(y, n));
}

}  // namespace pawl::reference
