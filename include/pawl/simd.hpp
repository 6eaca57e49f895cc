// simd.hpp -- loops over contiguous elements: arithmetic, relu, clamp, sqrt, dot, sum, min, max, for f32 and f64.
//
// Every function picks the active variant (isa.hpp) once per call. Spans that must have equal lengths and do not: a
// std::invalid_argument before any element is touched. No function allocates. Alignment: any; 64 bytes is fastest.
// Arithmetic, relu and clamp of at most 128 bytes a span are done in the caller, by no variant: their bits are the
// same. (But for division of f64, unless the caller is compiled for AVX.) So are axpy, dot, sum, min and max, within
// the same bounds, and, compiled by g++ for x86, sqrt.
// Large spans take num_threads() threads; no bit depends on that.
#pragma once
#include <cstddef>
#include <span>

#include "pawl/detail/short_reductions.hpp"
#include "pawl/detail/short_spans.hpp"

namespace pawl {

// What the functions below call for longer spans, and to refuse lengths that differ.
namespace detail {
void add(std::span<const float> x, std::span<const float> y, std::span<float> out);
void add(std::span<const float> x, float y, std::span<float> out);
void add(float x, std::span<const float> y, std::span<float> out);
void add(std::span<const double> x, std::span<const double> y, std::span<double> out);
void add(std::span<const double> x, double y, std::span<double> out);
void add(double x, std::span<const double> y, std::span<double> out);
void sub(std::span<const float> x, std::span<const float> y, std::span<float> out);
void sub(std::span<const float> x, float y, std::span<float> out);
void sub(float x, std::span<const float> y, std::span<float> out);
void sub(std::span<const double> x, std::span<const double> y, std::span<double> out);
void sub(std::span<const double> x, double y, std::span<double> out);
void sub(double x, std::span<const double> y, std::span<double> out);
void mul(std::span<const float> x, std::span<const float> y, std::span<float> out);
void mul(std::span<const float> x, float y, std::span<float> out);
void mul(float x, std::span<const float> y, std::span<float> out);
void mul(std::span<const double> x, std::span<const double> y, std::span<double> out);
void mul(std::span<const double> x, double y, std::span<double> out);
void mul(double x, std::span<const double> y, std::span<double> out);
void div(std::span<const float> x, std::span<const float> y, std::span<float> out);
void div(std::span<const float> x, float y, std::span<float> out);
void div(float x, std::span<const float> y, std::span<float> out);
void div(std::span<const double> x, std::span<const double> y, std::span<double> out);
void div(std::span<const double> x, double y, std::span<double> out);
void div(double x, std::span<const double> y, std::span<double> out);
void relu(std::span<const float> x, std::span<float> out);
void relu(std::span<const double> x, std::span<double> out);
void axpy(float alpha, std::span<const float> x, std::span<float> y);
void clamp(std::span<const float> x, float low, float high, std::span<float> out);
void axpy(double alpha, std::span<const double> x, std::span<double> y);
void clamp(std::span<const double> x, double low, double high, std::span<double> out);
float dot(std::span<const float> x, std::span<const float> y);
double dot(std::span<const double> x, std::span<const double> y);
float sum(std::span<const float> x);
double sum(std::span<const double> x);
void sqrt(std::span<const float> x, std::span<float> out);
void sqrt(std::span<const double> x, std::span<double> out);
float min(std::span<const float> x);
double min(std::span<const double> x);
float max(std::span<const float> x);
double max(std::span<const double> x);
}  // namespace detail

/// Whether a call on n elements gains from vectors: the active variant is not `scalar` and n fills at least half of its
/// widest vectors of f32. Functions of this header are right for every n: this is for code that has a loop of its own
/// to choose.
///
/// Cost       a load and two comparisons.
bool should_use_simd(std::size_t n) noexcept;

/// out[i] = value for i < n.
///
/// Cost       writes n elements; more than the last-level cache holds go past it.
void fill(std::span<float> out, float value);
void fill(std::span<double> out, double value);

// In the caller, for its target (detail/short_spans.hpp).
inline namespace PAWL_CALLER_TARGET {

/// Elementwise arithmetic: out[i] = x[i] op y[i] for i < n.
///
/// Shapes     x [n], y [n], out [n], contiguous; out may be x or y themselves, but not overlap them shifted.
/// Types      f32 or f64 throughout.
/// Accuracy   rounded once per element, as IEEE 754 says: every variant gives the same bits.
/// Cost       n flop; reads 2 n, writes n elements.
/// Errors     std::invalid_argument if lengths differ. Division by zero and NaN as in IEEE 754.
/// Reference  pawl::reference::{add, sub, mul, div} in src/reference/simd_ref.hpp
[[gnu::always_inline]] inline void add(std::span<const float> x, std::span<const float> y, std::span<float> out) {
  if (!detail::short_map(x, y, out, [](auto a, auto b) { return a + b; })) detail::add(x, y, out);
}
[[gnu::always_inline]] inline void add(std::span<const double> x, std::span<const double> y, std::span<double> out) {
  if (!detail::short_map(x, y, out, [](auto a, auto b) { return a + b; })) detail::add(x, y, out);
}
[[gnu::always_inline]] inline void sub(std::span<const float> x, std::span<const float> y, std::span<float> out) {
  if (!detail::short_map(x, y, out, [](auto a, auto b) { return a - b; })) detail::sub(x, y, out);
}
[[gnu::always_inline]] inline void sub(std::span<const double> x, std::span<const double> y, std::span<double> out) {
  if (!detail::short_map(x, y, out, [](auto a, auto b) { return a - b; })) detail::sub(x, y, out);
}
[[gnu::always_inline]] inline void mul(std::span<const float> x, std::span<const float> y, std::span<float> out) {
  if (!detail::short_map(x, y, out, [](auto a, auto b) { return a * b; })) detail::mul(x, y, out);
}
[[gnu::always_inline]] inline void mul(std::span<const double> x, std::span<const double> y, std::span<double> out) {
  if (!detail::short_map(x, y, out, [](auto a, auto b) { return a * b; })) detail::mul(x, y, out);
}
[[gnu::always_inline]] inline void div(std::span<const float> x, std::span<const float> y, std::span<float> out) {
  if (!detail::short_map(x, y, out, [](auto a, auto b) { return a / b; })) detail::div(x, y, out);
}
[[gnu::always_inline]] inline void div(std::span<const double> x, std::span<const double> y, std::span<double> out) {
  if (!detail::kShortQuotients || !detail::short_map(x, y, out, [](auto a, auto b) { return a / b; }))
    detail::div(x, y, out);
}

/// The same between each element and one value, which may stand on either side: out[i] = x[i] op y, out[i] = x op y[i].
///
/// Shapes     the spans of equal lengths; out may be the other one itself, but not overlap it shifted.
/// Accuracy   rounded once per element, to nearest: every variant gives the same bits, those of a division.
/// Cost       n flop; reads n, writes n elements.
/// Errors     std::invalid_argument if lengths differ.
/// Reference  pawl::reference::{add, sub, mul, div}
[[gnu::always_inline]] inline void add(std::span<const float> x, float y, std::span<float> out) {
  if (!detail::short_map(x, out, [y](auto a) { return a + y; })) detail::add(x, y, out);
}
[[gnu::always_inline]] inline void add(float x, std::span<const float> y, std::span<float> out) {
  if (!detail::short_map(y, out, [x](auto b) { return x + b; })) detail::add(x, y, out);
}
[[gnu::always_inline]] inline void add(std::span<const double> x, double y, std::span<double> out) {
  if (!detail::short_map(x, out, [y](auto a) { return a + y; })) detail::add(x, y, out);
}
[[gnu::always_inline]] inline void add(double x, std::span<const double> y, std::span<double> out) {
  if (!detail::short_map(y, out, [x](auto b) { return x + b; })) detail::add(x, y, out);
}
[[gnu::always_inline]] inline void sub(std::span<const float> x, float y, std::span<float> out) {
  if (!detail::short_map(x, out, [y](auto a) { return a - y; })) detail::sub(x, y, out);
}
[[gnu::always_inline]] inline void sub(float x, std::span<const float> y, std::span<float> out) {
  if (!detail::short_map(y, out, [x](auto b) { return x - b; })) detail::sub(x, y, out);
}
[[gnu::always_inline]] inline void sub(std::span<const double> x, double y, std::span<double> out) {
  if (!detail::short_map(x, out, [y](auto a) { return a - y; })) detail::sub(x, y, out);
}
[[gnu::always_inline]] inline void sub(double x, std::span<const double> y, std::span<double> out) {
  if (!detail::short_map(y, out, [x](auto b) { return x - b; })) detail::sub(x, y, out);
}
[[gnu::always_inline]] inline void mul(std::span<const float> x, float y, std::span<float> out) {
  if (!detail::short_map(x, out, [y](auto a) { return a * y; })) detail::mul(x, y, out);
}
[[gnu::always_inline]] inline void mul(float x, std::span<const float> y, std::span<float> out) {
  if (!detail::short_map(y, out, [x](auto b) { return x * b; })) detail::mul(x, y, out);
}
[[gnu::always_inline]] inline void mul(std::span<const double> x, double y, std::span<double> out) {
  if (!detail::short_map(x, out, [y](auto a) { return a * y; })) detail::mul(x, y, out);
}
[[gnu::always_inline]] inline void mul(double x, std::span<const double> y, std::span<double> out) {
  if (!detail::short_map(y, out, [x](auto b) { return x * b; })) detail::mul(x, y, out);
}
[[gnu::always_inline]] inline void div(std::span<const float> x, float y, std::span<float> out) {
  if (!detail::short_map(x, out, [y](auto a) { return a / y; })) detail::div(x, y, out);
}
[[gnu::always_inline]] inline void div(float x, std::span<const float> y, std::span<float> out) {
  if (!detail::short_map(y, out, [x](auto b) { return x / b; })) detail::div(x, y, out);
}
[[gnu::always_inline]] inline void div(std::span<const double> x, double y, std::span<double> out) {
  detail::div(x, y, out);
}
[[gnu::always_inline]] inline void div(double x, std::span<const double> y, std::span<double> out) {
  detail::div(x, y, out);
}

/// y[i] = alpha * x[i] + y[i] for i < n.
///
/// Shapes     x [n], y [n], contiguous; x may be y itself, but not overlap it shifted.
/// Accuracy   |y - exact| <= eps * (|alpha x| + |y|), eps = 2^-23 (f32) or 2^-52 (f64): rounded once where the ISA has
///            FMA, twice where it has none, so that variants may differ in the last bit.
/// Cost       2n flop; reads 2 n, writes n elements.
/// Errors     std::invalid_argument if lengths differ. NaN and infinity propagate.
/// Reference  pawl::reference::axpy
[[gnu::always_inline]] inline void axpy(float alpha, std::span<const float> x, std::span<float> y) {
  if (!detail::short_map(x, std::span<const float>(y), y, [alpha](auto a, auto b) { return alpha * a + b; }))
    detail::axpy(alpha, x, y);
}
[[gnu::always_inline]] inline void axpy(double alpha, std::span<const double> x, std::span<double> y) {
  if (!detail::short_map(x, std::span<const double>(y), y, [alpha](auto a, auto b) { return alpha * a + b; }))
    detail::axpy(alpha, x, y);
}

/// Rectifier: out[i] = x[i] > 0 ? x[i] : 0; NaN stays NaN.
///
/// Shapes     x [n], out [n], contiguous; out may be x itself, but not overlap it shifted.
/// Accuracy   exact, every variant; -0 stays -0 and NaN stays NaN.
/// Cost       n comparisons; reads n, writes n elements.
/// Errors     std::invalid_argument if lengths differ.
/// Reference  pawl::reference::relu
[[gnu::always_inline]] inline void relu(std::span<const float> x, std::span<float> out) {
  if (!detail::short_map(x, out, detail::ShortRelu{})) detail::relu(x, out);
}
[[gnu::always_inline]] inline void relu(std::span<const double> x, std::span<double> out) {
  if (!detail::short_map(x, out, detail::ShortRelu{})) detail::relu(x, out);
}

/// out[i] = x[i], or the nearer of low and high where x[i] lies outside [low, high]; NaN stays NaN.
///
/// Shapes     x [n], out [n], contiguous; out may be x itself, but not overlap it shifted.
/// Accuracy   exact, every variant. Which of -0 and +0 is returned where both compare equal is not specified.
/// Cost       2n comparisons; reads n, writes n elements.
/// Errors     std::invalid_argument if lengths differ, if low > high, or if one of them is NaN.
/// Reference  pawl::reference::clamp
[[gnu::always_inline]] inline void clamp(std::span<const float> x, float low, float high, std::span<float> out) {
  if (!(low <= high) || !detail::short_map(x, out, detail::ShortClamp<float>{low, high}))
    detail::clamp(x, low, high, out);
}
[[gnu::always_inline]] inline void clamp(std::span<const double> x, double low, double high, std::span<double> out) {
  if (!(low <= high) || !detail::short_map(x, out, detail::ShortClamp<double>{low, high}))
    detail::clamp(x, low, high, out);
}

/// out[i] = square root of x[i].
///
/// Shapes     x [n], out [n], contiguous; out may be x itself, but not overlap it shifted.
/// Accuracy   correctly rounded (IEEE 754), so every variant gives the same bits; NaN below 0, -0 for -0.
/// Cost       n square roots; reads n, writes n elements.
/// Errors     std::invalid_argument if lengths differ.
/// Reference  pawl::reference::sqrt
[[gnu::always_inline]] inline void sqrt(std::span<const float> x, std::span<float> out) {
#if defined(PAWL_SHORT_ROOTS)
  if (detail::short_map(x, out, detail::ShortRoots{})) return;
#endif
  detail::sqrt(x, out);
}
[[gnu::always_inline]] inline void sqrt(std::span<const double> x, std::span<double> out) {
#if defined(PAWL_SHORT_ROOTS)
  // A divider takes some 8 ns for 8 f64, in which a kernel has found twice as many (roots.kernel.hpp).
  constexpr std::size_t kMost = 8;
  if (x.size() <= kMost && detail::short_map(x, out, detail::ShortRoots{})) return;
#endif
  detail::sqrt(x, out);
}

/// Dot product: s = sum of x[i] * y[i] for i < n.
///
/// Shapes     x [n], y [n], contiguous; may alias. n = 0 gives 0.
/// Accuracy   |s - exact| <= eps (min(n, 43) + eps (n / 512)^2) sum of |x[i] y[i]|, eps = 2^-23 (f32) or 2^-52 (f64),
///            every variant: chains of at most 64 terms, whose sums are added with compensation (Ogita, Rump and Oishi,
///            SIAM J. Sci. Comput. 26 (2005)). Variants may differ in the last bits (order of summation); one variant
///            never differs from itself.
/// Cost       2n flop; reads 2 n elements.
/// Errors     std::invalid_argument if lengths differ. NaN and infinity propagate.
/// Reference  pawl::reference::dot
[[gnu::always_inline]] inline float dot(std::span<const float> x, std::span<const float> y) {
  if (detail::is_short<float>(x.size()) && x.size() == y.size()) [[likely]]
    return detail::short_dot(x.data(), y.data(), x.size());
  return detail::dot(x, y);
}
[[gnu::always_inline]] inline double dot(std::span<const double> x, std::span<const double> y) {
  if (detail::is_short<double>(x.size()) && x.size() == y.size()) [[likely]]
    return detail::short_dot(x.data(), y.data(), x.size());
  return detail::dot(x, y);
}

/// Sum of x[i] for i < n; n = 0 gives 0.
///
/// Accuracy   |s - exact| <= eps (min(n, 42) + eps (n / 512)^2) sum of |x[i]|, every variant, as in dot.
/// Cost       n flop; reads n elements.
/// Errors     none. NaN and infinity propagate.
/// Reference  pawl::reference::sum
[[gnu::always_inline]] inline float sum(std::span<const float> x) {
  if (detail::is_short<float>(x.size())) [[likely]]
    return detail::short_sum(x.data(), x.size());
  return detail::sum(x);
}
[[gnu::always_inline]] inline double sum(std::span<const double> x) {
  if (detail::is_short<double>(x.size())) [[likely]]
    return detail::short_sum(x.data(), x.size());
  return detail::sum(x);
}

/// Smallest (largest) element; NaN if any element is NaN. Which of -0 and +0 is returned is not specified.
///
/// Accuracy   exact, every variant.
/// Cost       n comparisons; reads n elements, twice where one is NaN or infinite.
/// Errors     std::invalid_argument if x is empty.
/// Reference  pawl::reference::{min, max}
[[gnu::always_inline]] inline float min(std::span<const float> x) {
  float result;
  if (detail::short_extreme<true>(x, &result)) [[likely]]
    return result;
  return detail::min(x);
}
[[gnu::always_inline]] inline double min(std::span<const double> x) {
  double result;
  if (detail::short_extreme<true>(x, &result)) [[likely]]
    return result;
  return detail::min(x);
}
[[gnu::always_inline]] inline float max(std::span<const float> x) {
  float result;
  if (detail::short_extreme<false>(x, &result)) [[likely]]
    return result;
  return detail::max(x);
}
[[gnu::always_inline]] inline double max(std::span<const double> x) {
  double result;
  if (detail::short_extreme<false>(x, &result)) [[likely]]
    return result;
  return detail::max(x);
}

}  // namespace PAWL_CALLER_TARGET

}  // namespace pawl
