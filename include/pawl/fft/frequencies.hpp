// frequencies.hpp -- which frequency each result of a transform stands for, and the order with 0 in the middle.
#pragma once
#include <complex>
#include <cstddef>
#include <span>

#include "pawl/view.hpp"

namespace pawl::fft {

/// out[k] = k / (n spacing) for the first (n + 1) / 2 results, (k - n) / (n spacing) for the others: cycles per unit of
/// `spacing`, the distance of two samples.
///
/// Shapes     out [n]; n = 0 is fine.
/// Accuracy   half an ulp more than one division.
/// Errors     std::invalid_argument if spacing is 0, infinite or NaN.
void frequencies(double spacing, std::span<float> out);
void frequencies(double spacing, std::span<double> out);

/// The n / 2 + 1 frequencies of RealPlan(n): out[k] = k / (n spacing), never negative.
///
/// Shapes     out [n / 2 + 1]. Errors: std::invalid_argument also if n is 0 or out has another size.
void real_frequencies(std::size_t n, double spacing, std::span<float> out);
void real_frequencies(std::size_t n, double spacing, std::span<double> out);

/// Results in order of frequency, 0 in the middle: along every given axis, element i goes to (i + n / 2) mod n.
///
/// Shapes     in and out of one shape, any strides, apart from each other.
/// Errors     std::invalid_argument if shapes differ, axes repeat or are beyond the rank, a view with elements is null,
///            or the views overlap.
template <class T>
void shift(View<const T> in, View<T> out, std::span<const std::size_t> axes);
/// The inverse of shift(): element i goes to (i + (n + 1) / 2) mod n.
template <class T>
void unshift(View<const T> in, View<T> out, std::span<const std::size_t> axes);

#define PAWL_FFT_SHIFT(T)                                                           \
  extern template void shift(View<const T>, View<T>, std::span<const std::size_t>); \
  extern template void unshift(View<const T>, View<T>, std::span<const std::size_t>);
PAWL_FFT_SHIFT(float)
PAWL_FFT_SHIFT(double)
PAWL_FFT_SHIFT(std::complex<float>)
PAWL_FFT_SHIFT(std::complex<double>)
#undef PAWL_FFT_SHIFT

}  // namespace pawl::fft
