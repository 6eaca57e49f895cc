// short_spans.hpp -- elementwise operations on so few elements that a call would cost more than the work.
//
// Compiled into the caller, for the caller's own target, in vectors of 16 bytes, which every CPU of x86-64 and aarch64
// has. What IEEE 754 rounds once has the same bits whoever computes it; axpy has an FMA where the caller's flags allow
// one, and else rounds twice.
#pragma once
#include <cstddef>
#include <cstring>
#include <span>

namespace pawl::detail {

/// Spans of at most this many bytes are worked on in the caller. A call through the table of variants costs 2 to 3 ns,
/// as much as eight vectors of 16 bytes do.
inline constexpr std::size_t kShortBytes = 128;

template <class T>
struct ShortVector {
  typedef T type __attribute__((vector_size(16)));
  static constexpr std::size_t lanes = 16 / sizeof(T);
};

template <class V, class T>
[[gnu::always_inline]] inline V load_short(const T* p) noexcept {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <class V, class T>
[[gnu::always_inline]] inline void store_four(T* p, V a, V b, V c, V d) noexcept {
  constexpr std::size_t W = sizeof(V) / sizeof(T);  // one copy of all four would go by way of the stack
  std::memcpy(p, &a, sizeof a);
  std::memcpy(p + W, &b, sizeof b);
  std::memcpy(p + 2 * W, &c, sizeof c);
  std::memcpy(p + 3 * W, &d, sizeof d);
}

/// out[i] = op(x[i], y[i]) and true if the spans are short and of equal lengths; else false, and nothing is done.
template <class T, class Op>
[[gnu::always_inline]] inline bool short_map(std::span<const T> x, std::span<const T> y, std::span<T> out, Op op) {
  using V = typename ShortVector<T>::type;
  constexpr std::size_t W = ShortVector<T>::lanes;
  const std::size_t n = x.size();
  if (n > kShortBytes / sizeof(T) || y.size() != n || out.size() != n) [[unlikely]]
    return false;
  const T *a = x.data(), *b = y.data();
  T* to = out.data();
  const auto four = [&](std::size_t i) __attribute__((always_inline)) {
    const V v0 = op(load_short<V>(a + i), load_short<V>(b + i));
    const V v1 = op(load_short<V>(a + i + W), load_short<V>(b + i + W));
    const V v2 = op(load_short<V>(a + i + 2 * W), load_short<V>(b + i + 2 * W));
    const V v3 = op(load_short<V>(a + i + 3 * W), load_short<V>(b + i + 3 * W));
    store_four(to + i, v0, v1, v2, v3);
  };
  if (n == 4 * W) {
    four(0);
    return true;
  }
  std::size_t i = 0;
  for (; i + 4 * W <= n; i += 4 * W) four(i);
  for (; i + W <= n; i += W) {
    const V v = op(load_short<V>(a + i), load_short<V>(b + i));
    std::memcpy(to + i, &v, sizeof v);
  }
  for (; i < n; ++i) to[i] = op(a[i], b[i]);
  return true;
}

/// The same with one operand: out[i] = op(x[i]).
template <class T, class Op>
[[gnu::always_inline]] inline bool short_map(std::span<const T> x, std::span<T> out, Op op) {
  using V = typename ShortVector<T>::type;
  constexpr std::size_t W = ShortVector<T>::lanes;
  const std::size_t n = x.size();
  if (n > kShortBytes / sizeof(T) || out.size() != n) [[unlikely]]
    return false;
  const T* a = x.data();
  T* to = out.data();
  const auto four = [&](std::size_t i) __attribute__((always_inline)) {
    store_four(to + i, op(load_short<V>(a + i)), op(load_short<V>(a + i + W)), op(load_short<V>(a + i + 2 * W)),
               op(load_short<V>(a + i + 3 * W)));
  };
  if (n == 4 * W) {
    four(0);
    return true;
  }
  std::size_t i = 0;
  for (; i + 4 * W <= n; i += 4 * W) four(i);
  for (; i + W <= n; i += W) {
    const V v = op(load_short<V>(a + i));
    std::memcpy(to + i, &v, sizeof v);
  }
  for (; i < n; ++i) to[i] = op(a[i]);
  return true;
}

/// max(0, x) in this order hands a NaN in x through; it becomes one instruction of SSE.
struct ShortRelu {
  template <class V>
  [[gnu::always_inline]] V operator()(V v) const noexcept {
    return V{} > v ? V{} : v;
  }
};

/// x, or the bound that it lies beyond, for low <= high; NaN is handed through.
template <class T>
struct ShortClamp {
  T low, high;
  template <class V>
  [[gnu::always_inline]] V operator()(V v) const noexcept {
    const V bottom = V{} + low, top = V{} + high, raised = bottom > v ? bottom : v;
    return top < raised ? top : raised;
  }
};

}  // namespace pawl::detail
