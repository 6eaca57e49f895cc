// rows_ref.hpp -- the specification of include/pawl/rows.hpp: naive loops over one row in long double, sharing no code
// with the kernels.
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

namespace pawl::reference {

template <class T>
long double largest(const T* x, std::size_t n) {
  long double m = x[0];
  for (std::size_t i = 0; i < n; ++i) m = x[i] > m ? x[i] : m;
  return m;
}

template <class T>
std::vector<long double> softmax(const T* x, std::size_t n) {
  const long double m = largest(x, n);
  long double sum = 0;
  std::vector<long double> out(n);
  for (std::size_t i = 0; i < n; ++i) sum += out[i] = std::exp(x[i] - m);
  for (long double& v : out) v /= sum;
  return out;
}

template <class T>
std::vector<long double> log_softmax(const T* x, std::size_t n) {
  const long double m = largest(x, n);
  long double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::exp(x[i] - m);
  std::vector<long double> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] - m - std::log(sum);
  return out;
}

/// (x - mean) / s and s; gain and shift are the caller's.
template <class T>
struct Normalized {
  std::vector<long double> y;
  long double s = 0;
};

template <class T>
Normalized<T> layernorm(const T* x, std::size_t n, T epsilon) {
  long double sum = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i];
  const long double mean = sum / static_cast<long double>(n);
  for (std::size_t i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
  Normalized<T> out{std::vector<long double>(n), std::sqrt(squares / static_cast<long double>(n) + epsilon)};
  for (std::size_t i = 0; i < n; ++i) out.y[i] = (x[i] - mean) / out.s;
  return out;
}

template <class T>
std::vector<long double> rmsnorm(const T* x, std::size_t n, T epsilon) {
  long double squares = 0;
  for (std::size_t i = 0; i < n; ++i) squares += static_cast<long double>(x[i]) * x[i];
  std::vector<long double> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] / std::sqrt(squares / static_cast<long double>(n) + epsilon);
  return out;
}

template <class T>
long double batchnorm(T x, T mean, T variance, T gain, T shift, T epsilon) {
  return (static_cast<long double>(x) - mean) / std::sqrt(static_cast<long double>(variance) + epsilon) * gain + shift;
}

}  // namespace pawl::reference
