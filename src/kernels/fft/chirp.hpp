// chirp.hpp -- a length -> the tables that make its transform a convolution.
//
// j k = (j^2 + k^2 - (k - j)^2) / 2 turns the sum into chirp[k] * sum of (in[j] chirp[j]) conj(chirp[k - j]), a
// convolution that two transforms of m >= 2 n - 1 points do (Bluestein, "A linear filtering approach to the computation
// of discrete Fourier transform", 1970).
#pragma once
#include <cstddef>

#include "kernels/fft/aligned_array.hpp"
#include "kernels/fft/line.hpp"

namespace pawl::fft {

/// A length of at least `least` that transforms are fast for.
std::size_t convolution_length(std::size_t least) noexcept;

/// That of the convolution for n points of T: more than 2 n - 1, and fast.
template <class T>
std::size_t chirp_length(std::size_t n) noexcept;

/// Points of the line that the kernel for m points is made by.
template <class T>
constexpr std::size_t kernel_points(std::size_t m) noexcept {
  return sizeof(T) == 4 ? m / 2 : m;
}

/// factors: exp(-pi i j^2 / n) for j < n, pairs. kernel: the transform of the wrapped conjugates, over m, as pairs or
/// as a block; by `line`, which has kernel_points(m) and is of f64 for both types, so that a kernel of f32 is rounded
/// once.
template <class T>
struct Chirp {
  Chirp(std::size_t n, std::size_t m, const FftOps<T>& ops, const Line<double>& line, bool block);
  AlignedArray<T> factors, kernel;
};

extern template struct Chirp<float>;
extern template struct Chirp<double>;

}  // namespace pawl::fft
