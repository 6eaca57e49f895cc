// rows.hpp -- operations on each row of a matrix by itself: softmax and log-softmax (along any axis), layernorm,
// rmsnorm, cross-entropy, batchnorm, bias with activation, for f32 and f64.
//
// x and out hold rows of `columns` elements one after the other, without gaps; out may be x itself, but not overlap it
// shifted. Every function picks the active variant (isa.hpp) once per call; many rows are shared among num_threads()
// threads. Nothing is allocated, but for rows of 512 KiB and more: two elements for each 16 KiB of a row and thread,
// before any work (std::bad_alloc). No element at all is fine. Bad arguments: std::invalid_argument before any work.
//
// In the bounds, eps is 2^-23 (f32) or 2^-52 (f64) and n is `columns`.
#pragma once
#include <cstddef>
#include <span>

#include "pawl/activation.hpp"

namespace pawl {

/// out[i] = exp(x[i] - m) / sum of exp(x[j] - m) over the row, m being the row's largest element.
///
/// Accuracy   |out - exact| <= eps (n + 4 + m - min x) out + the smallest normal number, below which results are 0;
///            every variant. A row with NaN or +infinity, or of -infinity only, gives NaN; single -infinities give 0.
/// Cost       an exponential, 2 additions, a comparison and a multiplication per element; three passes over each row,
///            two over one of 512 KiB and more, which threads share if there are fewer rows than threads.
/// Errors     std::invalid_argument if lengths differ or are no multiple of columns.
/// Reference  pawl::reference::softmax in src/reference/rows_ref.hpp
void softmax(std::span<const float> x, std::size_t columns, std::span<float> out);
void softmax(std::span<const double> x, std::size_t columns, std::span<double> out);

/// out[i] = x[i] - m - log(sum of exp(x[j] - m)) over the row, m being the row's largest element.
///
/// Accuracy   |out - exact| <= eps (n + 4 + 2 (m - min x)), every variant. NaN as in softmax; single -infinities give
///            -infinity.
/// Cost       an exponential and 4 additions per element, a logarithm per row; passes and threads as for softmax.
/// Errors     std::invalid_argument if lengths differ or are no multiple of columns.
/// Reference  pawl::reference::log_softmax
void log_softmax(std::span<const float> x, std::size_t columns, std::span<float> out);
void log_softmax(std::span<const double> x, std::size_t columns, std::span<double> out);

/// softmax and log_softmax along an axis that is not the last: over the middle one of x [any number][columns][inner].
///
/// Shapes     inner is the number of elements behind one of the axis; 1 is the functions above.
/// Accuracy   as above; the sum's order is that of the axis.
/// Cost       as above; three passes over `columns` strips of 64 elements, which L2 keeps up to some thousand columns.
/// Errors     std::invalid_argument if lengths differ or are no multiple of columns inner.
/// Reference  pawl::reference::softmax, log_softmax of the elements along the axis.
void softmax(std::span<const float> x, std::size_t columns, std::size_t inner, std::span<float> out);
void softmax(std::span<const double> x, std::size_t columns, std::size_t inner, std::span<double> out);
void log_softmax(std::span<const float> x, std::size_t columns, std::size_t inner, std::span<float> out);
void log_softmax(std::span<const double> x, std::size_t columns, std::size_t inner, std::span<double> out);

/// out[i] = y[i] gain[i] + shift[i], y = (x - mean) / s, s = sqrt(variance + epsilon), mean and variance (divided by n)
/// being the row's.
///
/// Shapes     gain and shift [columns], or empty for 1 and 0.
/// Accuracy   |out - exact| <= eps (|gain| ((n + 2) max|x| / s + |y| (n + 6)) + |out|), every variant, as long as
///            n eps max|x| < s / 8 (distances from a mean or a guess of it: a large mean costs no more than this).
/// Cost       about 7 flop per element; two passes over each row, three over short and odd ones. Rows of 512 KiB and
///            more go by blocks, and the threads share one of these.
/// Errors     std::invalid_argument if lengths do not fit or epsilon is negative or NaN. NaN and infinity in a row make
///            all of it NaN.
/// Reference  pawl::reference::layernorm
void layernorm(std::span<const float> x, std::size_t columns, std::span<const float> gain, std::span<const float> shift,
               float epsilon, std::span<float> out);
void layernorm(std::span<const double> x, std::size_t columns, std::span<const double> gain,
               std::span<const double> shift, double epsilon, std::span<double> out);

/// out[i] = x[i] gain[i] / sqrt(mean of x^2 over the row + epsilon).
///
/// Shapes     gain [columns], or empty for 1.
/// Accuracy   |out - exact| <= eps (n + 6) |out|, every variant. Squares must not overflow or vanish: |x| between
///            1e-18 and 1e18 (f32), 1e-150 and 1e150 (f64), or 0.
/// Cost       about 4 flop per element; two passes over each row, long ones as above.
/// Errors     std::invalid_argument if lengths do not fit or epsilon is negative or NaN. NaN in a row makes all of it
///            NaN.
/// Reference  pawl::reference::rmsnorm
void rmsnorm(std::span<const float> x, std::size_t columns, std::span<const float> gain, float epsilon,
             std::span<float> out);
void rmsnorm(std::span<const double> x, std::size_t columns, std::span<const double> gain, double epsilon,
             std::span<double> out);

/// losses[r] = log(sum of exp(x[r][j])) - x[r][targets[r]]: minus the logarithm of the softmax at the target.
///
/// Shapes     targets and losses one element per row.
/// Accuracy   |out - exact| <= eps (n + 4 + 2 (m - min x)), every variant. NaN as in softmax; infinity where the
///            element at the target is -infinity and others are not.
/// Cost       an exponential and 3 additions per element, a logarithm per row; two passes over each row.
/// Errors     std::invalid_argument if numbers do not fit, or a target is no column.
/// Reference  pawl::reference::log_softmax
void cross_entropy(std::span<const float> x, std::size_t columns, std::span<const std::size_t> targets,
                   std::span<float> losses);
void cross_entropy(std::span<const double> x, std::size_t columns, std::span<const std::size_t> targets,
                   std::span<double> losses);

/// What batchnorm knows of each channel; gain and shift may be empty for 1 and 0.
template <class T>
struct ChannelStatistics {
  std::span<const T> mean, variance, gain, shift;
};

/// Batch normalization with statistics that are given (inference): out = (x - mean) / sqrt(variance + epsilon) gain +
/// shift, folded into one factor f = gain / sqrt(variance + epsilon) and one offset shift - mean f per channel.
///
/// Shapes     x [any number][channels][inner]: inner is 1 where channels are last, height times width where they come
///            before them; out the same, and may be x.
/// Accuracy   |out - exact| <= 4 eps (|x f| + |mean f| + |shift|), every variant.
/// Cost       2 flop per element; reads and writes each element once; allocates nothing.
/// Errors     std::invalid_argument if numbers do not fit or epsilon is negative or NaN.
/// Reference  pawl::reference::batchnorm
void batchnorm(std::span<const float> x, std::size_t channels, std::size_t inner,
               const ChannelStatistics<float>& statistics, float epsilon, std::span<float> out);
void batchnorm(std::span<const double> x, std::size_t channels, std::size_t inner,
               const ChannelStatistics<double>& statistics, double epsilon, std::span<double> out);

/// out = activation(x + bias) in one pass, bias [columns]; x + bias is rounded once.
///
/// Accuracy   that of relu (simd.hpp), gelu, gelu_tanh (math.hpp) at the rounded x + bias.
/// Cost       that of the activation, and one addition per element.
/// Errors     std::invalid_argument if lengths do not fit, or the activation is none.
/// Reference  pawl::reference::gelu, gelu_tanh, relu
void bias_activation(std::span<const float> x, std::size_t columns, std::span<const float> bias, Activation activation,
                     std::span<float> out);
void bias_activation(std::span<const double> x, std::size_t columns, std::span<const double> bias,
                     Activation activation, std::span<double> out);

}  // namespace pawl
