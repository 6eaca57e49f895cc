// simd.cpp -- argument checks and dispatch of include/pawl/simd.hpp.
#include "pawl/simd.hpp"

#include <stdexcept>
#include <string>

#include "kernels/tables.hpp"

namespace pawl {
namespace {

template <class T>
const SimdOps<T>& ops() noexcept {
  const SimdTable& table = simd_table(active_isa());
  if constexpr (sizeof(T) == sizeof(float)) {
    return table.f32;
  } else {
    return table.f64;
  }
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

template <class T>
void call_binary(const char* function, Binary<T> entry, std::span<const T> x, std::span<const T> y, std::span<T> out) {
  check_equal(function, x.size(), y.size());
  check_equal(function, x.size(), out.size());
  (ops<T>().*entry)(x.data(), y.data(), out.data(), x.size());
}

template <class T>
void call_axpy(T alpha, std::span<const T> x, std::span<T> y) {
  check_equal("axpy", x.size(), y.size());
  ops<T>().axpy(alpha, x.data(), y.data(), x.size());
}

template <class T>
void call_relu(std::span<const T> x, std::span<T> out) {
  check_equal("relu", x.size(), out.size());
  ops<T>().relu(x.data(), out.data(), x.size());
}

template <class T>
void call_clamp(std::span<const T> x, T low, T high, std::span<T> out) {
  check_equal("clamp", x.size(), out.size());
  if (!(low <= high)) throw std::invalid_argument("clamp: low is not at most high, or one of them is NaN");
  ops<T>().clamp(low, high, x.data(), out.data(), x.size());
}

template <class T>
void call_sqrt(std::span<const T> x, std::span<T> out) {
  check_equal("sqrt", x.size(), out.size());
  ops<T>().sqrt(x.data(), out.data(), x.size());
}

template <class T>
T call_dot(std::span<const T> x, std::span<const T> y) {
  check_equal("dot", x.size(), y.size());
  return ops<T>().dot(x.data(), y.data(), x.size());
}

template <class T>
T call_extreme(const char* function, T (*SimdOps<T>::*entry)(const T*, std::size_t) noexcept, std::span<const T> x) {
  if (x.empty()) throw std::invalid_argument(std::string(function) + ": no element, so there is none to return");
  return (ops<T>().*entry)(x.data(), x.size());
}

}  // namespace

using F = std::span<const float>;
using D = std::span<const double>;

void add(F x, F y, std::span<float> out) { call_binary<float>("add", &SimdOps<float>::add, x, y, out); }
void add(D x, D y, std::span<double> out) { call_binary<double>("add", &SimdOps<double>::add, x, y, out); }
void sub(F x, F y, std::span<float> out) { call_binary<float>("sub", &SimdOps<float>::sub, x, y, out); }
void sub(D x, D y, std::span<double> out) { call_binary<double>("sub", &SimdOps<double>::sub, x, y, out); }
void mul(F x, F y, std::span<float> out) { call_binary<float>("mul", &SimdOps<float>::mul, x, y, out); }
void mul(D x, D y, std::span<double> out) { call_binary<double>("mul", &SimdOps<double>::mul, x, y, out); }
void div(F x, F y, std::span<float> out) { call_binary<float>("div", &SimdOps<float>::div, x, y, out); }
void div(D x, D y, std::span<double> out) { call_binary<double>("div", &SimdOps<double>::div, x, y, out); }
void axpy(float alpha, F x, std::span<float> y) { call_axpy<float>(alpha, x, y); }
void axpy(double alpha, D x, std::span<double> y) { call_axpy<double>(alpha, x, y); }
void relu(F x, std::span<float> out) { call_relu<float>(x, out); }
void relu(D x, std::span<double> out) { call_relu<double>(x, out); }
void clamp(F x, float low, float high, std::span<float> out) { call_clamp<float>(x, low, high, out); }
void clamp(D x, double low, double high, std::span<double> out) { call_clamp<double>(x, low, high, out); }
void sqrt(F x, std::span<float> out) { call_sqrt<float>(x, out); }
void sqrt(D x, std::span<double> out) { call_sqrt<double>(x, out); }
float dot(F x, F y) { return call_dot<float>(x, y); }
double dot(D x, D y) { return call_dot<double>(x, y); }
float sum(F x) { return ops<float>().sum(x.data(), x.size()); }
double sum(D x) { return ops<double>().sum(x.data(), x.size()); }
float min(F x) { return call_extreme<float>("min", &SimdOps<float>::min, x); }
double min(D x) { return call_extreme<double>("min", &SimdOps<double>::min, x); }
float max(F x) { return call_extreme<float>("max", &SimdOps<float>::max, x); }
double max(D x) { return call_extreme<double>("max", &SimdOps<double>::max, x); }

}  // namespace pawl
