// short_spans.hpp -- reductions of so few elements that going to a variant would cost more than the work.
//
// In vectors of 16 bytes, which every CPU of x86-64 and aarch64 has; two chains are enough for eight of them.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstring>

#include "pawl/detail/short_spans.hpp"

namespace pawl::detail {

/// Eight vectors: a call of a variant's kernel, and the sums of its eight chains, cost more.
template <class T>
inline bool is_short(std::size_t n) noexcept {
  return n <= 128 / sizeof(T);
}

/// K sums at once: add(whole vectors at i, sums) and add(the values at i, sums).
template <class T, std::size_t K, class Add>
inline void short_sums(std::size_t n, T (&out)[K], Add add) noexcept {
  using V = typename ShortVector<T>::type;
  constexpr std::size_t W = ShortVector<T>::lanes;
  V even[K] = {}, odd[K] = {};
  std::size_t i = 0;
  for (; i + 2 * W <= n; i += 2 * W) {
    add(V{}, i, even);
    add(V{}, i + W, odd);
  }
  if (i + W <= n) {
    add(V{}, i, even);
    i += W;
  }
  T rest[K] = {};
  for (; i < n; ++i) add(T{}, i, rest);
  for (std::size_t k = 0; k < K; ++k) {
    const V s = even[k] + odd[k];
    if constexpr (W == 4)
      out[k] = ((s[0] + s[1]) + (s[2] + s[3])) + rest[k];
    else
      out[k] = (s[0] + s[1]) + rest[k];
  }
}

/// x[i], or the vector at i, as the first argument is.
template <class T>
inline T take(T, const T* p) noexcept {
  return *p;
}
template <class V, class T>
inline V take(V, const T* p) noexcept {
  return load_short<V>(p);
}

template <class T>
inline T short_squares(const T* x, std::size_t n) noexcept {
  T s[1];
  short_sums<T, 1>(n, s, [x](auto kind, std::size_t i, auto& to) {
    const auto v = take(kind, x + i);
    to[0] += v * v;
  });
  return s[0];
}

/// Sum of (x - mean)^2. The mean is off by a few roundings of the largest element, which so few elements forgive.
template <class T>
inline T short_squared_distances(const T* x, std::size_t n) noexcept {
  T sum[1], s[1];
  short_sums<T, 1>(n, sum, [x](auto kind, std::size_t i, auto& to) { to[0] += take(kind, x + i); });
  const T mean = sum[0] / static_cast<T>(n);
  short_sums<T, 1>(n, s, [x, mean](auto kind, std::size_t i, auto& to) {
    const auto d = take(kind, x + i) - mean;
    to[0] += d * d;
  });
  return s[0];
}

/// Sums of x y, x x and y y.
template <class T>
inline void short_cosine_sums(const T* x, const T* y, std::size_t n, T (&sums)[3]) noexcept {
  short_sums<T, 3>(n, sums, [x, y](auto kind, std::size_t i, auto& to) {
    const auto a = take(kind, x + i), b = take(kind, y + i);
    to[0] += a * b;
    to[1] += a * a;
    to[2] += b * b;
  });
}

}  // namespace pawl::detail
