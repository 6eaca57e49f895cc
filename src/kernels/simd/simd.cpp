// simd.cpp -- argument checks and dispatch of include/pawl/simd.hpp.
#include "pawl/simd.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "isa/streaming.hpp"
#include "kernels/simd/whole_spans.hpp"

namespace pawl {
namespace {

using detail::for_parts;
using detail::kPartGrain;

template <class T>
const SimdOps<T>& ops() noexcept {
  return detail::simd_ops<T>();
}

// Out of line: the text is built only when it is thrown.
[[noreturn, gnu::cold]] void refuse_lengths(const char* function, std::size_t x, std::size_t y) {
  throw std::invalid_argument(std::string(function) + ": lengths differ (" + std::to_string(x) + " and " +
                              std::to_string(y) + ")");
}

inline void check_equal(const char* function, std::size_t x, std::size_t y) {
  if (x != y) [[unlikely]]
    refuse_lengths(function, x, y);
}

template <class T>
using Binary = void (*SimdOps<T>::*)(const T*, const T*, T*, std::size_t) noexcept;

// The entry is a constant of the template, so that the call is a load and a jump.
template <class T, Binary<T> entry>
inline void call_binary(const char* function, std::span<const T> x, std::span<const T> y, std::span<T> out) {
  check_equal(function, x.size(), y.size());
  check_equal(function, x.size(), out.size());
  const std::size_t bytes = 3 * x.size_bytes();
  const auto run = detail::simd_ops<T>(detail::long_array_isa(bytes)).*entry;
  for_parts(x.size(), bytes, kPartGrain,
            [=](std::size_t b, std::size_t e) { run(x.data() + b, y.data() + b, out.data() + b, e - b); });
}

template <class T, void (*SimdOps<T>::*entry)(const T*, T, T*, std::size_t) noexcept>
inline void call_with_value(const char* function, std::span<const T> x, T y, std::span<T> out) {
  check_equal(function, x.size(), out.size());
  const auto run = ops<T>().*entry;
  for_parts(x.size(), 2 * x.size_bytes(), kPartGrain,
            [=](std::size_t b, std::size_t e) { run(x.data() + b, y, out.data() + b, e - b); });
}

template <class T>
void call_axpy(T alpha, std::span<const T> x, std::span<T> y) {
  check_equal("axpy", x.size(), y.size());
  const auto run = ops<T>().axpy;
  for_parts(x.size(), 3 * x.size_bytes(), kPartGrain,
            [=](std::size_t b, std::size_t e) { run(alpha, x.data() + b, y.data() + b, e - b); });
}

template <class T>
void call_relu(std::span<const T> x, std::span<T> out) {
  check_equal("relu", x.size(), out.size());
  const auto run = ops<T>().relu;
  for_parts(x.size(), 2 * x.size_bytes(), kPartGrain,
            [=](std::size_t b, std::size_t e) { run(x.data() + b, out.data() + b, e - b); });
}

template <class T>
void call_clamp(std::span<const T> x, T low, T high, std::span<T> out) {
  check_equal("clamp", x.size(), out.size());
  if (!(low <= high)) throw std::invalid_argument("clamp: low is not at most high, or one of them is NaN");
  const auto run = ops<T>().clamp;
  for_parts(x.size(), 2 * x.size_bytes(), kPartGrain,
            [=](std::size_t b, std::size_t e) { run(low, high, x.data() + b, out.data() + b, e - b); });
}

// Zeros by memset(): `rep stosb` of zeros neither reads the lines nor fills memory at the speed of other stores (64 MB
// on Zen 4: 79 GB/s, any other value 28 by each of stosq, stores past the caches and through them).
template <class T>
void call_fill(std::span<T> out, T value) {
  if (out.empty()) return;  // its address may be null, which memset() must not get
  const bool zeros = value == T(0) && !std::signbit(value);
  if (zeros && (detail::memset_beats_stores || !worth_streaming_bytes(2 * out.size_bytes() * detail::sharers)))
    return for_parts(out.size(), out.size_bytes(), kPartGrain,
                     [=](std::size_t b, std::size_t e) { std::memset(out.data() + b, 0, (e - b) * sizeof(T)); });
  for_parts(out.size(), out.size_bytes(), kPartGrain,
            [=, run = ops<T>().fill](std::size_t b, std::size_t e) { run(value, out.data() + b, e - b); });
}

template <class T>
void call_sqrt(std::span<const T> x, std::span<T> out) {
  check_equal("sqrt", x.size(), out.size());
  const auto run = ops<T>().sqrt;
  for_parts(x.size(), 2 * x.size_bytes(), kPartGrain,
            [=](std::size_t b, std::size_t e) { run(x.data() + b, out.data() + b, e - b); });
}

template <class T>
T call_dot(std::span<const T> x, std::span<const T> y) {
  check_equal("dot", x.size(), y.size());
  return detail::dot_span(x.data(), y.data(), x.size());
}

template <class T>
T call_extreme(const char* function, T (*SimdOps<T>::*entry)(const T*, std::size_t) noexcept, std::span<const T> x) {
  if (x.empty()) throw std::invalid_argument(std::string(function) + ": no element, so there is none to return");
  return detail::extreme_span(entry, x.data(), x.size());
}

}  // namespace

using F = std::span<const float>;
using D = std::span<const double>;

// Half of a vector of f32, by variant (the order of enum class Isa): fewer elements are a masked rest only.
constexpr std::size_t kFewest[] = {SIZE_MAX, 2, 4, 8, 2};

bool should_use_simd(std::size_t n) noexcept {
  return n >= kFewest[static_cast<std::size_t>(detail::active_isa_inline())];
}

void fill(std::span<float> out, float value) { call_fill(out, value); }
void fill(std::span<double> out, double value) { call_fill(out, value); }

namespace detail {

void add(F x, F y, std::span<float> out) { call_binary<float, &SimdOps<float>::add>("add", x, y, out); }
void add(D x, D y, std::span<double> out) { call_binary<double, &SimdOps<double>::add>("add", x, y, out); }
void sub(F x, F y, std::span<float> out) { call_binary<float, &SimdOps<float>::sub>("sub", x, y, out); }
void sub(D x, D y, std::span<double> out) { call_binary<double, &SimdOps<double>::sub>("sub", x, y, out); }
void mul(F x, F y, std::span<float> out) { call_binary<float, &SimdOps<float>::mul>("mul", x, y, out); }
void mul(D x, D y, std::span<double> out) { call_binary<double, &SimdOps<double>::mul>("mul", x, y, out); }
void div(F x, F y, std::span<float> out) { call_binary<float, &SimdOps<float>::div>("div", x, y, out); }
void div(D x, D y, std::span<double> out) { call_binary<double, &SimdOps<double>::div>("div", x, y, out); }
void add(F x, float y, std::span<float> out) { call_with_value<float, &SimdOps<float>::add_value>("add", x, y, out); }
void add(float x, F y, std::span<float> out) { call_with_value<float, &SimdOps<float>::add_value>("add", y, x, out); }
void add(D x, double y, std::span<double> out) {
  call_with_value<double, &SimdOps<double>::add_value>("add", x, y, out);
}
void add(double x, D y, std::span<double> out) {
  call_with_value<double, &SimdOps<double>::add_value>("add", y, x, out);
}
void sub(F x, float y, std::span<float> out) { call_with_value<float, &SimdOps<float>::sub_value>("sub", x, y, out); }
void sub(float x, F y, std::span<float> out) { call_with_value<float, &SimdOps<float>::value_sub>("sub", y, x, out); }
void sub(D x, double y, std::span<double> out) {
  call_with_value<double, &SimdOps<double>::sub_value>("sub", x, y, out);
}
void sub(double x, D y, std::span<double> out) {
  call_with_value<double, &SimdOps<double>::value_sub>("sub", y, x, out);
}
void mul(F x, float y, std::span<float> out) { call_with_value<float, &SimdOps<float>::mul_value>("mul", x, y, out); }
void mul(float x, F y, std::span<float> out) { call_with_value<float, &SimdOps<float>::mul_value>("mul", y, x, out); }
void mul(D x, double y, std::span<double> out) {
  call_with_value<double, &SimdOps<double>::mul_value>("mul", x, y, out);
}
void mul(double x, D y, std::span<double> out) {
  call_with_value<double, &SimdOps<double>::mul_value>("mul", y, x, out);
}
void div(F x, float y, std::span<float> out) { call_with_value<float, &SimdOps<float>::div_value>("div", x, y, out); }
void div(float x, F y, std::span<float> out) { call_with_value<float, &SimdOps<float>::value_div>("div", y, x, out); }
void div(D x, double y, std::span<double> out) {
  call_with_value<double, &SimdOps<double>::div_value>("div", x, y, out);
}
void div(double x, D y, std::span<double> out) {
  call_with_value<double, &SimdOps<double>::value_div>("div", y, x, out);
}
void relu(F x, std::span<float> out) { call_relu<float>(x, out); }
void relu(D x, std::span<double> out) { call_relu<double>(x, out); }
void axpy(float alpha, F x, std::span<float> y) { call_axpy<float>(alpha, x, y); }
void axpy(double alpha, D x, std::span<double> y) { call_axpy<double>(alpha, x, y); }
void clamp(F x, float low, float high, std::span<float> out) { call_clamp<float>(x, low, high, out); }
void clamp(D x, double low, double high, std::span<double> out) { call_clamp<double>(x, low, high, out); }
float dot(F x, F y) { return call_dot<float>(x, y); }
double dot(D x, D y) { return call_dot<double>(x, y); }
float sum(F x) { return sum_span(x.data(), x.size()); }
double sum(D x) { return sum_span(x.data(), x.size()); }
void sqrt(F x, std::span<float> out) { call_sqrt<float>(x, out); }
void sqrt(D x, std::span<double> out) { call_sqrt<double>(x, out); }
float min(F x) { return call_extreme<float>("min", &SimdOps<float>::min, x); }
double min(D x) { return call_extreme<double>("min", &SimdOps<double>::min, x); }
float max(F x) { return call_extreme<float>("max", &SimdOps<float>::max, x); }
double max(D x) { return call_extreme<double>("max", &SimdOps<double>::max, x); }

}  // namespace detail

}  // namespace pawl
