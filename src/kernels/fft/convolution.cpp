// convolution.cpp -- include/pawl/fft/convolution.hpp: products of spectra, block by block.
#include "pawl/fft/convolution.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/fft/arguments.hpp"
#include "kernels/fft/chirp.hpp"
#include "kernels/fft/lines.hpp"
#include "kernels/fft/real_line.hpp"

namespace pawl::fft {
namespace {

// Transforms of blocks of `longer` that each give m - shorter + 1 results: m is what takes the fewest operations per
// result, m log m / (m - shorter + 1), among 2, 4, 8, ... times the shorter length and the whole.
std::size_t block_points(std::size_t longer, std::size_t shorter) {
  const std::size_t whole = longer + shorter - 1;
  std::size_t best = convolution_length(whole + whole % 2);
  const auto cost = [&](std::size_t m) {
    const std::size_t step = m - shorter + 1, blocks = (longer + step - 1) / step;
    return static_cast<double>(blocks * m) * std::log2(static_cast<double>(m));
  };
  for (std::size_t least = std::max<std::size_t>(2 * shorter, 256); least < whole; least *= 2) {
    const std::size_t m = convolution_length(least);
    if (cost(m) < cost(best)) best = m;
  }
  return std::max<std::size_t>(best, 2);
}

template <class T>
void convolve_blocks(const char* function, std::span<const T> x, std::span<const T> y, std::span<T> out,
                     bool reverse_y) {
  if (x.empty() || y.empty()) refuse(function, "x and y must have at least 1 element");
  check_array(function, "x", x.data(), x.size(), x.size());
  check_array(function, "y", y.data(), y.size(), y.size());
  if (out.size() != x.size() + y.size() - 1)
    refuse(function, "out has " + std::to_string(out.size()) + " elements, not " + std::to_string(x.size()) + " + " +
                         std::to_string(y.size()) + " - 1");
  check_array(function, "out", out.data(), out.size(), out.size());
  check_overlap(function, x.data(), x.size_bytes(), out.data(), out.size_bytes(), false, "x and out");
  check_overlap(function, y.data(), y.size_bytes(), out.data(), out.size_bytes(), false, "y and out");

  const Isa isa = active_isa();
  const bool y_longer = y.size() > x.size();
  const std::span<const T> longer = y_longer ? y : x, shorter = y_longer ? x : y;
  const std::size_t m = block_points(longer.size(), shorter.size()), step = m - shorter.size() + 1;
  const auto line = shared_real_line<T>(m, isa);
  const auto& ops = fft_ops<T>(isa);
  AlignedArray<T> block(m), kernel(m + 2), spectrum(m + 2), workspace(line->workspace_elements());
  // The part of `from` that starts at `begin`, zeros behind it.
  const auto fill = [&](std::span<const T> from, std::size_t begin, std::size_t count, bool reverse) {
    for (std::size_t i = 0; i < count; ++i) block[i] = from[reverse ? from.size() - 1 - begin - i : begin + i];
    std::fill(block.data() + count, block.data() + m, T(0));
  };
  fill(shorter, 0, shorter.size(), reverse_y && !y_longer);
  line->forward(block.data(), kernel.data(), workspace.data(), T(1) / static_cast<T>(m));
  std::fill(out.begin(), out.end(), T(0));
  for (std::size_t begin = 0; begin < longer.size(); begin += step) {
    const std::size_t count = std::min(step, longer.size() - begin), results = count + shorter.size() - 1;
    fill(longer, begin, count, reverse_y && y_longer);
    line->forward(block.data(), spectrum.data(), workspace.data(), T(1));
    ops.multiply(spectrum.data(), kernel.data(), spectrum.data(), m / 2 + 1, false, false, T(1));
    line->inverse(spectrum.data(), block.data(), workspace.data(), T(1));
    for (std::size_t i = 0; i < results; ++i) out[begin + i] += block[i];
  }
}

}  // namespace

void convolve(std::span<const float> x, std::span<const float> y, std::span<float> out) {
  convolve_blocks("convolve", x, y, out, false);
}
void convolve(std::span<const double> x, std::span<const double> y, std::span<double> out) {
  convolve_blocks("convolve", x, y, out, false);
}
void correlate(std::span<const float> x, std::span<const float> y, std::span<float> out) {
  convolve_blocks("correlate", x, y, out, true);
}
void correlate(std::span<const double> x, std::span<const double> y, std::span<double> out) {
  convolve_blocks("correlate", x, y, out, true);
}

}  // namespace pawl::fft
