// elementwise.kernel.hpp -- out[i] = op(x[i], y[i]) over contiguous elements, written once for every ISA.
#pragma once
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

// Four vectors a turn: in L1 the loads and stores are the limit, and fewer turns leave their ports free.
template <class T, class Op>
PAWL_INLINE void map1(const T* x, T* out, std::size_t n, Op op) {
  constexpr std::size_t W = lanes<T>;
  std::size_t i = 0;
  for (; i + 4 * W <= n; i += 4 * W) {
    const Vec<T> a = op(load<T>(x + i)), b = op(load<T>(x + i + W));
    const Vec<T> c = op(load<T>(x + i + 2 * W)), d = op(load<T>(x + i + 3 * W));
    store<T>(out + i, a);
    store<T>(out + i + W, b);
    store<T>(out + i + 2 * W, c);
    store<T>(out + i + 3 * W, d);
  }
  for (; i + W <= n; i += W) store<T>(out + i, op(load<T>(x + i)));
  if (i < n) store_first<T>(out + i, op(load_first<T>(x + i, n - i)), n - i);
}

template <class T, class Op>
PAWL_INLINE void map2(const T* x, const T* y, T* out, std::size_t n, Op op) {
  constexpr std::size_t W = lanes<T>;
  std::size_t i = 0;
  for (; i + 4 * W <= n; i += 4 * W) {
    const Vec<T> a = op(load<T>(x + i), load<T>(y + i)), b = op(load<T>(x + i + W), load<T>(y + i + W));
    const Vec<T> c = op(load<T>(x + i + 2 * W), load<T>(y + i + 2 * W));
    const Vec<T> d = op(load<T>(x + i + 3 * W), load<T>(y + i + 3 * W));
    store<T>(out + i, a);
    store<T>(out + i + W, b);
    store<T>(out + i + 2 * W, c);
    store<T>(out + i + 3 * W, d);
  }
  for (; i + W <= n; i += W) store<T>(out + i, op(load<T>(x + i), load<T>(y + i)));
  if (i < n) store_first<T>(out + i, op(load_first<T>(x + i, n - i), load_first<T>(y + i, n - i)), n - i);
}

template <class T>
static void add(const T* x, const T* y, T* out, std::size_t n) noexcept {
  map2<T>(x, y, out, n, [](Vec<T> a, Vec<T> b) { return a + b; });
}

template <class T>
static void sub(const T* x, const T* y, T* out, std::size_t n) noexcept {
  map2<T>(x, y, out, n, [](Vec<T> a, Vec<T> b) { return a - b; });
}

template <class T>
static void mul(const T* x, const T* y, T* out, std::size_t n) noexcept {
  map2<T>(x, y, out, n, [](Vec<T> a, Vec<T> b) { return a * b; });
}

template <class T>
static void div(const T* x, const T* y, T* out, std::size_t n) noexcept {
  map2<T>(x, y, out, n, [](Vec<T> a, Vec<T> b) { return a / b; });
}

template <class T>
static void axpy(T alpha, const T* x, T* y, std::size_t n) noexcept {
  map2<T>(x, y, y, n, [a = Vec<T>(alpha)](Vec<T> b, Vec<T> c) { return fma<T>(a, b, c); });
}

// max(0, x) in this order hands a NaN in x through.
template <class T>
static void relu(const T* x, T* out, std::size_t n) noexcept {
  map1<T>(x, out, n, [zero = Vec<T>(T(0))](Vec<T> a) { return max<T>(zero, a); });
}

// In this order a NaN in x is handed through, as in relu.
template <class T>
static void clamp(T low, T high, const T* x, T* out, std::size_t n) noexcept {
  map1<T>(x, out, n, [low = Vec<T>(low), high = Vec<T>(high)](Vec<T> a) { return min<T>(high, max<T>(low, a)); });
}

template <class T>
static void sqrt(const T* x, T* out, std::size_t n) noexcept {
  map1<T>(x, out, n, [](Vec<T> a) { return square_root<T>(a); });
}

}  // namespace pawl::PAWL_ISA_NS
