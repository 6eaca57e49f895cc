// convolution.hpp -- two sequences -> their linear convolution or correlation, by Fourier transforms.
#pragma once
#include <span>

namespace pawl::fft {

/// out[k] = sum of x[j] y[k - j], the product of polynomials.
///
/// Shapes     x [n], y [m], both at least 1; out [n + m - 1], apart from both.
/// Accuracy   error in the 2-norm at most eps (1.8 log2(n + m) + 8) ||x|| ||y||, eps being 2^-24 (f32) or 2^-53 (f64).
///            That is a bound over the whole: elements far smaller than the largest have a larger relative error.
/// Cost       three real transforms of at least n + m - 1 points; if one is much longer than the other, of blocks of it
///            (overlap-add; Stockham, "High-speed convolution and correlation", 1966). Allocates scratch memory for the
///            blocks.
/// Errors     std::invalid_argument if a length is 0, out's does not fit, or out overlaps x or y; std::bad_alloc. NaN
///            and infinity spread over the whole block.
/// Reference  pawl::reference::convolution in src/reference/fft_ref.hpp
void convolve(std::span<const float> x, std::span<const float> y, std::span<float> out);
void convolve(std::span<const double> x, std::span<const double> y, std::span<double> out);

/// out[k] = sum of x[j + k - (m - 1)] y[j], taken where both exist: y against x shifted by k - (m - 1). As numpy's
/// correlate(x, y, "full"): the convolution with y reversed.
///
/// Everything else as in convolve(). Reference: pawl::reference::convolution of x and y reversed.
void correlate(std::span<const float> x, std::span<const float> y, std::span<float> out);
void correlate(std::span<const double> x, std::span<const double> y, std::span<double> out);

}  // namespace pawl::fft
