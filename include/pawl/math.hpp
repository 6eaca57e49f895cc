// math.hpp -- elementary functions over contiguous elements: exp, log, pow, tanh, sigmoid, gelu, for f32 and f64.
//
// Every function picks the active variant (isa.hpp) once per call. out may be x itself, but not overlap it shifted.
// Lengths that differ: std::invalid_argument before any element is touched. No function allocates. Alignment: any; 64
// bytes is fastest. Variants may differ in the last bits; one variant never differs from itself, and an element's
// result depends neither on its place nor on the number of threads. Rounding: to nearest; denormals are not flushed.
//
// An ulp is the distance of the two numbers of the type around the exact result (denormal numbers included).
#pragma once
#include <span>

namespace pawl {

/// out[i] = e^x[i].
///
/// Accuracy   2 ulp, every variant. Infinity above 88.72 (f32), 709.78 (f64); 0 below -103.98, -745.14; NaN stays NaN.
/// Cost       about 15 (f32), 20 (f64) multiply-adds per element; reads n, writes n elements.
/// Errors     std::invalid_argument if lengths differ.
/// Reference  pawl::reference::exp in src/reference/math_ref.hpp
void exp(std::span<const float> x, std::span<float> out);
void exp(std::span<const double> x, std::span<double> out);

/// out[i] = natural logarithm of x[i].
///
/// Accuracy   2 ulp, every variant, denormal x included. -infinity for 0 and -0, NaN below 0, infinity for infinity.
/// Cost       about 20 (f32), 25 (f64) multiply-adds per element; reads n, writes n elements.
/// Errors     std::invalid_argument if lengths differ.
/// Reference  pawl::reference::log
void log(std::span<const float> x, std::span<float> out);
void log(std::span<const double> x, std::span<double> out);

/// out[i] = hyperbolic tangent of x[i].
///
/// Accuracy   2 ulp, every variant; odd to the bit, and -0 for -0.
/// Cost       about 20 (f32), 25 (f64) multiply-adds and a division per element; reads n, writes n elements.
/// Errors     std::invalid_argument if lengths differ. NaN stays NaN.
/// Reference  pawl::reference::tanh
void tanh(std::span<const float> x, std::span<float> out);
void tanh(std::span<const double> x, std::span<double> out);

/// Logistic function: out[i] = 1 / (1 + e^-x[i]).
///
/// Accuracy   2 ulp, every variant, in the far tail too (where 1 / (1 + exp(-x)) overflows).
/// Cost       about 18 (f32), 23 (f64) multiply-adds and a division per element; reads n, writes n elements.
/// Errors     std::invalid_argument if lengths differ. NaN stays NaN.
/// Reference  pawl::reference::sigmoid
void sigmoid(std::span<const float> x, std::span<float> out);
void sigmoid(std::span<const double> x, std::span<double> out);

/// Gaussian error linear unit: out[i] = x[i] Phi(x[i]) = x[i] / 2 (1 + erf(x[i] / sqrt 2)).
///
/// Accuracy   2 ulp, every variant, in the far negative tail too. 0 for -infinity.
/// Cost       about 35 (f32), 65 (f64) multiply-adds and a division per element; reads n, writes n elements.
/// Errors     std::invalid_argument if lengths differ. NaN stays NaN.
/// Reference  pawl::reference::gelu
void gelu(std::span<const float> x, std::span<float> out);
void gelu(std::span<const double> x, std::span<double> out);

/// The approximation of gelu that many networks are trained with:
/// out[i] = x[i] / 2 (1 + tanh(sqrt(2 / pi) (x[i] + 0.044715 x[i]^3))).
///
/// Accuracy   2 ulp of this formula (f32 in the variants without FMA: 2.1), in the far negative tail too. 0 for
///            -infinity.
/// Cost       about 35 (f32), 40 (f64) multiply-adds and a division per element; reads n, writes n elements.
/// Errors     std::invalid_argument if lengths differ. NaN stays NaN.
/// Reference  pawl::reference::gelu_tanh
void gelu_tanh(std::span<const float> x, std::span<float> out);
void gelu_tanh(std::span<const double> x, std::span<double> out);

/// out[i] = x[i]^y for one exponent y.
///
/// Accuracy   1 ulp (f32), 2 ulp (f64), every variant. Special values as C's pow has them: x^0 = 1 and 1^y = 1 whatever
///            the other is; NaN for x < 0 and y not whole; signed zeros and infinities by the parity of y.
/// Cost       f32: a logarithm and an exponential of f64 to half its digits per element; f64: a logarithm in two
///            numbers (about 60 flop) and an exponential. An element of f64 that is 0, denormal, infinite or NaN costs
///            a call of the C library beside that. Reads n, writes n elements.
/// Errors     std::invalid_argument if lengths differ.
/// Reference  pawl::reference::pow
void pow(std::span<const float> x, float y, std::span<float> out);
void pow(std::span<const double> x, double y, std::span<double> out);

}  // namespace pawl
