// simd_ref.hpp -- the specification of include/pawl/simd.hpp: naive loops in double, sharing no code with the kernels.
#pragma once
#include <cmath>
#include <cstddef>

namespace pawl::reference {

template <class T>
T add(T x, T y) {
  return static_cast<T>(x + y);
}
template <class T>
T sub(T x, T y) {
  return static_cast<T>(x - y);
}
template <class T>
T mul(T x, T y) {
  return static_cast<T>(x * y);
}
template <class T>
T div(T x, T y) {
  return static_cast<T>(x / y);
}
template <class T>
T relu(T x) {
  return x > 0 || std::isnan(x) ? x : T(0);
}

template <class T>
T clamp(T x, T low, T high) {
  if (x < low) return low;
  if (x > high) return high;
  return x;
}

template <class T>
T sqrt(T x) {
  return std::sqrt(x);
}

/// alpha x + y in a wider type than T.
template <class T>
long double axpy(T alpha, T x, T y) {
  return static_cast<long double>(alpha) * x + y;
}

/// Sum of term(i), and of its magnitudes, which the error bounds are written in.
struct Sum {
  long double value = 0, magnitude = 0;
};

template <class T>
Sum dot(const T* x, const T* y, std::size_t n) {
  Sum s;
  for (std::size_t i = 0; i < n; ++i) {
    const long double term = static_cast<long double>(x[i]) * y[i];
    s.value += term;
    s.magnitude += std::fabs(term);
  }
  return s;
}

template <class T>
Sum sum(const T* x, std::size_t n) {
  Sum s;
  for (std::size_t i = 0; i < n; ++i) {
    s.value += x[i];
    s.magnitude += std::fabs(static_cast<long double>(x[i]));
  }
  return s;
}

template <class T>
T min(const T* x, std::size_t n) {
  T result = x[0];
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(x[i])) return x[i];
    if (x[i] < result) result = x[i];
  }
  return result;
}

template <class T>
T max(const T* x, std::size_t n) {
  T result = x[0];
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(x[i])) return x[i];
    if (x[i] > result) result = x[i];
  }
  return result;
}

}  // namespace pawl::reference
