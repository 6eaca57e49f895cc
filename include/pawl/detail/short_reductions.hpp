// short_reductions.hpp -- sums of so few elements that a call would cost more than the work, and what is made of them.
//
// Compiled into the caller, in vectors of 16 bytes (short_spans.hpp). The order of summation depends on the number of
// elements alone; products are rounded before they are added unless the caller's flags allow multiply-adds.
#pragma once
#include <cstddef>
#include <limits>
#include <span>

#include "pawl/detail/short_spans.hpp"

namespace pawl::detail {

/// Whether n elements are few enough to be summed in the caller.
template <class T>
[[gnu::always_inline]] constexpr bool is_short(std::size_t n) noexcept {
  return n <= kShortBytes / sizeof(T);
}

/// x[i], or the vector at i, as the first argument is.
template <class T>
[[gnu::always_inline]] inline T short_take(T, const T* p) noexcept {
  return *p;
}
template <class V, class T>
[[gnu::always_inline]] inline V short_take(V, const T* p) noexcept {
  return load_short<V>(p);
}

/// The sum of the lanes of s, by halves.
template <class T, class V>
[[gnu::always_inline]] inline T sum_of_lanes(V s) noexcept {
  if constexpr (ShortVector<T>::lanes == 4) s += __builtin_shufflevector(s, s, 2, 3, 0, 1);
  return s[0] + s[1];
}

/// K sums over i < n: terms(V{}, i, t) sets t[k] to the vectors of terms at i, terms(T{}, i, t) to the terms at i. Each
/// element goes through at most eight additions.
template <class T, std::size_t K, class Terms>
[[gnu::always_inline]] inline void short_sums(std::size_t n, T (&out)[K], Terms terms) noexcept {
  using V = typename ShortVector<T>::type;
  constexpr std::size_t W = ShortVector<T>::lanes;
  const auto four = [&](std::size_t at, V(&to)[K]) __attribute__((always_inline)) {
    V a[K], b[K], c[K], d[K];
    terms(V{}, at, a);
    terms(V{}, at + W, b);
    terms(V{}, at + 2 * W, c);
    terms(V{}, at + 3 * W, d);
    for (std::size_t k = 0; k < K; ++k) to[k] = (a[k] + b[k]) + (c[k] + d[k]);
  };
  if (n == 4 * W) [[likely]] {
    V s[K];
    four(0, s);
    for (std::size_t k = 0; k < K; ++k) out[k] = sum_of_lanes<T>(s[k]);
    return;
  }
  V s[K] = {};
  std::size_t i = 0;
  for (; i + 4 * W <= n; i += 4 * W) {
    V t[K];
    four(i, t);
    for (std::size_t k = 0; k < K; ++k) s[k] += t[k];
  }
  for (; i + W <= n; i += W) {
    V t[K];
    terms(V{}, i, t);
    for (std::size_t k = 0; k < K; ++k) s[k] += t[k];
  }
  // Without a loop, which the compiler would take for one that is worth vectors.
  T rest[K] = {};
  if (W == 4 && n % 4 >= 2) {
    T a[K], b[K];
    terms(T{}, i, a);
    terms(T{}, i + 1, b);
    for (std::size_t k = 0; k < K; ++k) rest[k] = a[k] + b[k];
    i += 2;
  }
  if (i < n) {
    T t[K];
    terms(T{}, i, t);
    for (std::size_t k = 0; k < K; ++k) rest[k] += t[k];
  }
  for (std::size_t k = 0; k < K; ++k) out[k] = sum_of_lanes<T>(s[k]) + rest[k];
}

template <class T>
[[gnu::always_inline]] inline T short_sum(const T* x, std::size_t n) noexcept {
  T s[1];
  short_sums<T, 1>(n, s, [x](auto kind, std::size_t i, auto& t) { t[0] = short_take(kind, x + i); });
  return s[0];
}

template <class T>
[[gnu::always_inline]] inline T short_dot(const T* x, const T* y, std::size_t n) noexcept {
  T s[1];
  short_sums<T, 1>(
      n, s, [x, y](auto kind, std::size_t i, auto& t) { t[0] = short_take(kind, x + i) * short_take(kind, y + i); });
  return s[0];
}

/// Sum of (x - mean)^2. The mean is off by a few roundings of the largest element, which so few elements forgive.
template <class T>
[[gnu::always_inline]] inline T short_squared_distances(const T* x, std::size_t n) noexcept {
  const T mean = short_sum(x, n) / static_cast<T>(n);
  T s[1];
  short_sums<T, 1>(n, s, [x, mean](auto kind, std::size_t i, auto& t) {
    const auto d = short_take(kind, x + i) - mean;
    t[0] = d * d;
  });
  return s[0];
}

/// Sums of x y, x x and y y.
template <class T>
[[gnu::always_inline]] inline void short_cosine_sums(const T* x, const T* y, std::size_t n, T (&sums)[3]) noexcept {
  short_sums<T, 3>(n, sums, [x, y](auto kind, std::size_t i, auto& t) {
    const auto a = short_take(kind, x + i), b = short_take(kind, y + i);
    t[0] = a * b;
    t[1] = a * a;
    t[2] = b * b;
  });
}

/// Whether a sum of n squares has neither overflowed nor lost anything that shows to denormal numbers: each term loses
/// at most half of denorm_min = min eps.
template <class T, class Sum>
[[gnu::always_inline]] inline bool safe_squares(Sum squares, std::size_t n) noexcept {
  return squares >= static_cast<Sum>(n) * static_cast<Sum>(std::numeric_limits<T>::min()) &&
         squares <= static_cast<Sum>(std::numeric_limits<T>::max());
}

[[gnu::always_inline]] inline float short_root(float x) noexcept { return __builtin_sqrtf(x); }
[[gnu::always_inline]] inline double short_root(double x) noexcept { return __builtin_sqrt(x); }

/// Sets *out to x y / (|x| |y|), within [-1, 1], and returns true; or false where the sizes or the elements need more.
template <class T>
[[gnu::always_inline]] inline bool short_cosine(std::span<const T> x, std::span<const T> y, T* out) noexcept {
  if (!is_short<T>(x.size()) || x.size() != y.size() || x.empty()) return false;
  T s[3];
  short_cosine_sums(x.data(), y.data(), x.size(), s);
  const T product = s[1] * s[2];
  if (!safe_squares<T>(s[1], x.size()) || !safe_squares<T>(s[2], x.size()) || !safe_squares<T>(product, 1))
    return false;
  const T cosine = s[0] / short_root(product);
  *out = cosine < T(-1) ? T(-1) : cosine > T(1) ? T(1) : cosine;
  return true;
}

}  // namespace pawl::detail
