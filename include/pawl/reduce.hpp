// reduce.hpp -- many elements -> few: mean, variance, extremes and their places, norm, cosine similarity, along an
// axis.
//
// Every function picks the active variant (isa.hpp) once per call; functions of spans allocate nothing. Alignment: any.
// sum, dot, min and max of spans are in simd.hpp. Large inputs take num_threads() threads; no bit depends on that.
// Spans of at most 128 bytes are mostly done in the caller, by no variant.
//
// In the bounds, eps is 2^-23 (f32) or 2^-52 (f64), n the number of elements reduced into one; sums have chains of at
// most 64 terms, whose sums are added with compensation, so that bounds hardly grow with n. They hold for n < 2^25
// (f32), 2^56 (f64); beyond, add eps (n / 512)^2 to the factor.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "pawl/detail/short_reductions.hpp"
#include "pawl/tensor.hpp"
#include "pawl/view.hpp"

namespace pawl {

// What the functions below call for longer spans, and to refuse what cannot be reduced.
namespace detail {
float mean(std::span<const float> x);
double mean(std::span<const double> x);
float variance(std::span<const float> x, std::size_t ddof);
double variance(std::span<const double> x, std::size_t ddof);
float stddev(std::span<const float> x, std::size_t ddof);
double stddev(std::span<const double> x, std::size_t ddof);
float norm(std::span<const float> x);
double norm(std::span<const double> x);
float cosine_similarity(std::span<const float> x, std::span<const float> y);
double cosine_similarity(std::span<const double> x, std::span<const double> y);
std::size_t argmin(std::span<const float> x);
std::size_t argmin(std::span<const double> x);
std::size_t argmax(std::span<const float> x);
std::size_t argmax(std::span<const double> x);
}  // namespace detail

// In the caller, for its target (detail/short_spans.hpp).
inline namespace PAWL_CALLER_TARGET {

/// Arithmetic mean of x.
///
/// Accuracy   |out - exact| <= 45 eps mean of |x|, every variant.
/// Cost       n flop; reads n elements once.
/// Errors     std::invalid_argument if x is empty. NaN propagates, and so does an infinity, also that of a sum that
///            overflows.
/// Reference  pawl::reference::mean in src/reference/reduce_ref.hpp
[[gnu::always_inline]] inline float mean(std::span<const float> x) {
  if (detail::is_short<float>(x.size()) && !x.empty()) [[likely]]
    return detail::short_sum(x.data(), x.size()) / static_cast<float>(x.size());
  return detail::mean(x);
}
[[gnu::always_inline]] inline double mean(std::span<const double> x) {
  if (detail::is_short<double>(x.size()) && !x.empty()) [[likely]]
    return detail::short_sum(x.data(), x.size()) / static_cast<double>(x.size());
  return detail::mean(x);
}

/// Sum of (x - mean)^2, divided by n - ddof: ddof = 0 is the variance of these elements, 1 the unbiased estimate for
/// what they were drawn from.
///
/// Accuracy   |out - exact| <= eps (160 v + 4 sqrt(v) max|x|) + (64 eps max|x|)^2, v = exact, every variant: a large
///            mean costs no digits but those that it took from the elements themselves.
/// Cost       about 5 flop per element; reads n elements from memory once (some blocks of 16 KiB twice from L1).
/// Errors     std::invalid_argument unless n > ddof. NaN and infinity give NaN. Squares must not overflow:
///            |x| < 1e18 (f32), 1e150 (f64). Those of distances below 1e-18 (1e-150) from the mean may vanish, to
///            nothing or to less than they are: scale such elements by a power of two first.
/// Reference  pawl::reference::variance
[[gnu::always_inline]] inline float variance(std::span<const float> x, std::size_t ddof = 0) {
  if (detail::is_short<float>(x.size()) && x.size() > ddof) [[likely]]
    return detail::short_squared_distances(x.data(), x.size()) / static_cast<float>(x.size() - ddof);
  return detail::variance(x, ddof);
}
[[gnu::always_inline]] inline double variance(std::span<const double> x, std::size_t ddof = 0) {
  if (detail::is_short<double>(x.size()) && x.size() > ddof) [[likely]]
    return detail::short_squared_distances(x.data(), x.size()) / static_cast<double>(x.size() - ddof);
  return detail::variance(x, ddof);
}

/// Square root of variance(x, ddof).
///
/// Accuracy   that of the variance, halved, and eps |out|.
/// Errors     as for variance.
/// Reference  pawl::reference::variance
[[gnu::always_inline]] inline float stddev(std::span<const float> x, std::size_t ddof = 0) {
  if (detail::is_short<float>(x.size()) && x.size() > ddof) [[likely]]
    return detail::short_root(variance(x, ddof));
  return detail::stddev(x, ddof);
}
[[gnu::always_inline]] inline double stddev(std::span<const double> x, std::size_t ddof = 0) {
  if (detail::is_short<double>(x.size()) && x.size() > ddof) [[likely]]
    return detail::short_root(variance(x, ddof));
  return detail::stddev(x, ddof);
}

/// Index of the first smallest (largest) element; of the first NaN if there is one. -0 and +0 are equal.
///
/// Accuracy   exact, every variant.
/// Cost       n comparisons; reads n elements once, and 16 KiB of them a second time.
/// Errors     std::invalid_argument if x is empty.
/// Reference  pawl::reference::{argmin, argmax}
[[gnu::always_inline]] inline std::size_t argmin(std::span<const float> x) {
  std::size_t place;
  if (detail::short_place<true>(x, &place)) [[likely]]
    return place;
  return detail::argmin(x);
}
[[gnu::always_inline]] inline std::size_t argmin(std::span<const double> x) {
  std::size_t place;
  if (detail::short_place<true>(x, &place)) [[likely]]
    return place;
  return detail::argmin(x);
}
[[gnu::always_inline]] inline std::size_t argmax(std::span<const float> x) {
  std::size_t place;
  if (detail::short_place<false>(x, &place)) [[likely]]
    return place;
  return detail::argmax(x);
}
[[gnu::always_inline]] inline std::size_t argmax(std::span<const double> x) {
  std::size_t place;
  if (detail::short_place<false>(x, &place)) [[likely]]
    return place;
  return detail::argmax(x);
}

/// Euclidean norm: square root of the sum of x^2; 0 for no element.
///
/// Accuracy   |out - exact| <= 24 eps exact, every variant, also where squares overflow or vanish: then, and only then,
///            the elements are read again, scaled by a power of two.
/// Cost       2n flop; reads n elements once.
/// Errors     none. NaN propagates; infinity without NaN gives infinity.
/// Reference  pawl::reference::norm
[[gnu::always_inline]] inline float norm(std::span<const float> x) {
  if (detail::is_short<float>(x.size())) [[likely]] {
    const float squares = detail::short_dot(x.data(), x.data(), x.size());
    if (detail::safe_squares<float>(squares, detail::kShortBytes / sizeof(float))) [[likely]]
      return detail::short_root(squares);
  }
  return detail::norm(x);
}
[[gnu::always_inline]] inline double norm(std::span<const double> x) {
  if (detail::is_short<double>(x.size())) [[likely]] {
    const double squares = detail::short_dot(x.data(), x.data(), x.size());
    if (detail::safe_squares<double>(squares, detail::kShortBytes / sizeof(double))) [[likely]]
      return detail::short_root(squares);
  }
  return detail::norm(x);
}

/// Sum of x y / (norm(x) norm(y)), within [-1, 1].
///
/// Accuracy   |out - exact| <= 90 eps, every variant, of any size of the elements.
/// Cost       6n flop; reads 2n elements once.
/// Errors     std::invalid_argument if lengths differ. NaN where x or y is zero, empty, or not finite.
/// Reference  pawl::reference::cosine_similarity
[[gnu::always_inline]] inline float cosine_similarity(std::span<const float> x, std::span<const float> y) {
  float result;
  if (detail::short_cosine(x, y, &result)) [[likely]]
    return result;
  return detail::cosine_similarity(x, y);
}
[[gnu::always_inline]] inline double cosine_similarity(std::span<const double> x, std::span<const double> y) {
  double result;
  if (detail::short_cosine(x, y, &result)) [[likely]]
    return result;
  return detail::cosine_similarity(x, y);
}

}  // namespace PAWL_CALLER_TARGET

/// The same along one axis: out[..., ...] = reduction of x[..., :, ...].
///
/// Shapes     x any rank >= 1, any strides; the result lacks dimension `axis`, or has it with extent 1 if keepdims.
/// Accuracy   as for spans, every axis; norm: only where squares neither overflow nor vanish (1e-15 < |x| < 1e15 for
///            f32, 1e-140 < |x| < 1e140 for f64, or 0).
/// Cost       as for spans; an axis that is not the last is reduced a vector of neighbours at a time, without a
///            transposition. variance, stddev of such an axis read x twice. Slices and exchanged axes are read where
///            they are; a view is copied first only if neighbours of neither the axis nor the result's last dimension
///            are neighbours in memory.
/// Errors     std::invalid_argument if there is no such axis, or if it is empty (fine for sum and norm, which give 0),
///            or not longer than ddof.
/// Reference  those of the functions of spans
Tensor<float> sum(const View<const float>& x, std::size_t axis, bool keepdims = false);
Tensor<double> sum(const View<const double>& x, std::size_t axis, bool keepdims = false);
Tensor<float> mean(const View<const float>& x, std::size_t axis, bool keepdims = false);
Tensor<double> mean(const View<const double>& x, std::size_t axis, bool keepdims = false);
Tensor<float> variance(const View<const float>& x, std::size_t axis, std::size_t ddof = 0, bool keepdims = false);
Tensor<double> variance(const View<const double>& x, std::size_t axis, std::size_t ddof = 0, bool keepdims = false);
Tensor<float> stddev(const View<const float>& x, std::size_t axis, std::size_t ddof = 0, bool keepdims = false);
Tensor<double> stddev(const View<const double>& x, std::size_t axis, std::size_t ddof = 0, bool keepdims = false);
Tensor<float> norm(const View<const float>& x, std::size_t axis, bool keepdims = false);
Tensor<double> norm(const View<const double>& x, std::size_t axis, bool keepdims = false);
Tensor<float> min(const View<const float>& x, std::size_t axis, bool keepdims = false);
Tensor<double> min(const View<const double>& x, std::size_t axis, bool keepdims = false);
Tensor<float> max(const View<const float>& x, std::size_t axis, bool keepdims = false);
Tensor<double> max(const View<const double>& x, std::size_t axis, bool keepdims = false);

/// The same into `out`, in the row-major order of the other dimensions; nothing is allocated where x is read where it
/// is.
///
/// Aliasing   none with x
/// Errors     also std::invalid_argument if `out` has not as many elements as there are results
void sum(const View<const float>& x, std::size_t axis, std::span<float> out);
void sum(const View<const double>& x, std::size_t axis, std::span<double> out);
void mean(const View<const float>& x, std::size_t axis, std::span<float> out);
void mean(const View<const double>& x, std::size_t axis, std::span<double> out);
void variance(const View<const float>& x, std::size_t axis, std::span<float> out, std::size_t ddof = 0);
void variance(const View<const double>& x, std::size_t axis, std::span<double> out, std::size_t ddof = 0);
void stddev(const View<const float>& x, std::size_t axis, std::span<float> out, std::size_t ddof = 0);
void stddev(const View<const double>& x, std::size_t axis, std::span<double> out, std::size_t ddof = 0);
void norm(const View<const float>& x, std::size_t axis, std::span<float> out);
void norm(const View<const double>& x, std::size_t axis, std::span<double> out);
void min(const View<const float>& x, std::size_t axis, std::span<float> out);
void min(const View<const double>& x, std::size_t axis, std::span<double> out);
void max(const View<const float>& x, std::size_t axis, std::span<float> out);
void max(const View<const double>& x, std::size_t axis, std::span<double> out);

/// Places of the extremes along one axis, in the row-major order of the other dimensions.
std::vector<std::size_t> argmin(const View<const float>& x, std::size_t axis);
std::vector<std::size_t> argmin(const View<const double>& x, std::size_t axis);
std::vector<std::size_t> argmax(const View<const float>& x, std::size_t axis);
std::vector<std::size_t> argmax(const View<const double>& x, std::size_t axis);
void argmin(const View<const float>& x, std::size_t axis, std::span<std::size_t> out);
void argmin(const View<const double>& x, std::size_t axis, std::span<std::size_t> out);
void argmax(const View<const float>& x, std::size_t axis, std::span<std::size_t> out);
void argmax(const View<const double>& x, std::size_t axis, std::span<std::size_t> out);

}  // namespace pawl
