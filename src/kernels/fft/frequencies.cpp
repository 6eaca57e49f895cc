// frequencies.cpp -- see include/pawl/fft/frequencies.hpp.
#include "pawl/fft/frequencies.hpp"

#include <array>
#include <cmath>
#include <string>

#include "kernels/fft/arguments.hpp"

namespace pawl::fft {
namespace {

void check_spacing(const char* function, double spacing) {
  if (spacing == 0 || !std::isfinite(spacing))
    refuse(function, "spacing " + std::to_string(spacing) + " is no distance between samples");
}

template <class T>
void fill_frequencies(double spacing, std::span<T> out) {
  check_spacing("frequencies", spacing);
  const std::size_t n = out.size(), positive = (n + 1) / 2;
  for (std::size_t k = 0; k < n; ++k) {
    const double cycles = k < positive ? static_cast<double>(k) : -static_cast<double>(n - k);
    out[k] = static_cast<T>(cycles / (static_cast<double>(n) * spacing));
  }
}

template <class T>
void fill_real_frequencies(std::size_t n, double spacing, std::span<T> out) {
  check_spacing("real_frequencies", spacing);
  if (n == 0) refuse("real_frequencies", "length 0");
  check_array("real_frequencies", "out", out.data(), out.size(), n / 2 + 1);
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = static_cast<T>(static_cast<double>(k) / (static_cast<double>(n) * spacing));
}

// Element i of a chosen axis of n goes to (i + n / 2) or (i + (n + 1) / 2), mod n.
template <class T>
void rotate(const char* function, const View<const T>& in, const View<T>& out, std::span<const std::size_t> axes,
            bool up) {
  const Shape& shape = in.shape();
  std::array<std::size_t, kMaxRank> by{};
  std::array<bool, kMaxRank> chosen{};
  for (std::size_t axis : axes) {
    if (axis >= shape.rank()) refuse(function, "axis " + std::to_string(axis) + " is beyond the rank");
    if (chosen[axis]) refuse(function, "axis " + std::to_string(axis) + " twice");
    chosen[axis] = true;
    by[axis] = up ? (shape[axis] + 1) / 2 : shape[axis] / 2;
  }
  if (shape.elements() == 0 && out.shape() == shape) return;
  const ByteRange to = checked_range(function, "out", out, shape, false);
  const ByteRange from = checked_range(function, "in", in, shape, false);
  check_overlap(function, from.begin, from.size, to.begin, to.size, false, "in and out");
  std::array<std::size_t, kMaxRank> index{};
  for (std::size_t count = shape.elements(); count > 0; --count) {
    std::ptrdiff_t source = 0, target = 0;
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      source += static_cast<std::ptrdiff_t>(index[d]) * in.strides()[d];
      target += static_cast<std::ptrdiff_t>((index[d] + by[d]) % shape[d]) * out.strides()[d];
    }
    out.data()[target] = in.data()[source];
    for (std::size_t d = shape.rank(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

}  // namespace

void frequencies(double spacing, std::span<float> out) { fill_frequencies(spacing, out); }
void frequencies(double spacing, std::span<double> out) { fill_frequencies(spacing, out); }
void real_frequencies(std::size_t n, double spacing, std::span<float> out) { fill_real_frequencies(n, spacing, out); }
void real_frequencies(std::size_t n, double spacing, std::span<double> out) { fill_real_frequencies(n, spacing, out); }

template <class T>
void shift(View<const T> in, View<T> out, std::span<const std::size_t> axes) {
  rotate("shift", in, out, axes, false);
}
template <class T>
void unshift(View<const T> in, View<T> out, std::span<const std::size_t> axes) {
  rotate("unshift", in, out, axes, true);
}

#define PAWL_FFT_SHIFT(T)                                                    \
  template void shift(View<const T>, View<T>, std::span<const std::size_t>); \
  template void unshift(View<const T>, View<T>, std::span<const std::size_t>);
PAWL_FFT_SHIFT(float)
PAWL_FFT_SHIFT(double)
PAWL_FFT_SHIFT(std::complex<float>)
PAWL_FFT_SHIFT(std::complex<double>)
#undef PAWL_FFT_SHIFT

}  // namespace pawl::fft
