// short_reductions.hpp -- sums and extremes of so few elements that a call would cost more than the work, and what is
// made of them.
//
// Compiled into the caller, in vectors of 16 bytes, or 32 where the caller has AVX (short_spans.hpp; 64 would need
// another step to fold). The order of summation depends on the number of elements and on that width alone; products are
// rounded before they are added unless the caller's flags allow multiply-adds.
#pragma once
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "pawl/detail/short_spans.hpp"

namespace pawl::detail {
inline namespace PAWL_CALLER_TARGET {

/// Whether n elements are few enough to be summed in the caller.
template <class T>
[[gnu::always_inline]] constexpr bool is_short(std::size_t n) noexcept {
  return n <= kShortBytes / sizeof(T);
}

template <class T>
using SumVector = ShortVector<T, (PAWL_CALLER_BYTES < 32 ? PAWL_CALLER_BYTES : 32)>;

/// The sum of the lanes of s, by halves.
template <class T, class V>
[[gnu::always_inline]] inline T sum_of_lanes(V s) noexcept {
  if constexpr (sizeof(V) == 32) {
    using Half = typename ShortVector<T, 16>::type;
    Half low, high;
    std::memcpy(&low, &s, sizeof low);
    std::memcpy(&high, reinterpret_cast<const char*>(&s) + sizeof low, sizeof high);
    return sum_of_lanes<T>(low + high);
  } else {
    if constexpr (sizeof(T) == 4) s += __builtin_shufflevector(s, s, 2, 3, 0, 1);
    return s[0] + s[1];
  }
}

template <class Body, std::size_t... I>
[[gnu::always_inline]] inline void with_each(std::index_sequence<I...>, Body body) {
  (body(std::integral_constant<std::size_t, I>{}), ...);
}

/// body(0), ..., body(K - 1) with constant indices: a loop over a small array of vectors would keep it in memory.
template <std::size_t K, class Body>
[[gnu::always_inline]] inline void each_of(Body body) {
  with_each(std::make_index_sequence<K>{}, body);
}

/// K sums over i < n: terms(V{}, i, t) sets t[k] to the vectors of terms at i, terms(T{}, i, t) to the terms at i. Each
/// element goes through at most eight additions.
template <class T, std::size_t K, class Terms>
[[gnu::always_inline]] inline void short_sums(std::size_t n, T (&out)[K], Terms terms) noexcept {
  using V = typename SumVector<T>::type;
  constexpr std::size_t W = SumVector<T>::lanes, kBlock = 64 / sizeof(T);
  const auto block = [&](std::size_t at, V(&to)[K]) __attribute__((always_inline)) {
    V a[K], b[K];
    terms(V{}, at, a);
    terms(V{}, at + W, b);
    if constexpr (kBlock == 2 * W) {
      each_of<K>([&](auto k) __attribute__((always_inline)) { to[k] = a[k] + b[k]; });
    } else {
      V c[K], d[K];
      terms(V{}, at + 2 * W, c);
      terms(V{}, at + 3 * W, d);
      each_of<K>([&](auto k) __attribute__((always_inline)) { to[k] = (a[k] + b[k]) + (c[k] + d[k]); });
    }
  };
  if (n == kBlock) [[likely]] {
    V s[K];
    block(0, s);
    each_of<K>([&](auto k) __attribute__((always_inline)) { out[k] = sum_of_lanes<T>(s[k]); });
    return;
  }
  V s[K] = {};
  std::size_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    V t[K];
    block(i, t);
    each_of<K>([&](auto k) __attribute__((always_inline)) { s[k] += t[k]; });
  }
  for (; i + W <= n; i += W) {
    V t[K];
    terms(V{}, i, t);
    each_of<K>([&](auto k) __attribute__((always_inline)) { s[k] += t[k]; });
  }
  // Without a loop, which the compiler would take for one that is worth vectors: at most W - 1 are left.
  T rest[K] = {};
  const auto some = [&](auto count) __attribute__((always_inline)) {
    constexpr std::size_t kCount = decltype(count)::value;
    if ((n - i) < kCount) return;
    for (std::size_t k = 0; k < kCount; k += 2) {
      T a[K], b[K];
      terms(T{}, i + k, a);
      terms(T{}, i + k + 1, b);
      each_of<K>([&](auto j) __attribute__((always_inline)) { rest[j] += a[j] + b[j]; });
    }
    i += kCount;
  };
  if constexpr (W == 8) some(std::integral_constant<std::size_t, 4>{});
  if constexpr (W >= 4) some(std::integral_constant<std::size_t, 2>{});
  if (i < n) {
    T t[K];
    terms(T{}, i, t);
    each_of<K>([&](auto k) __attribute__((always_inline)) { rest[k] += t[k]; });
  }
  each_of<K>([&](auto k) __attribute__((always_inline)) { out[k] = sum_of_lanes<T>(s[k]) + rest[k]; });
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

/// The smaller (larger) of a and b, lane by lane; b where one is NaN.
template <bool kSmallest, class V>
[[gnu::always_inline]] inline V short_pick(V a, V b) noexcept {
  return kSmallest ? (a < b ? a : b) : (a > b ? a : b);
}

/// The smallest (largest) lane of v.
template <bool kSmallest, class T, class V>
[[gnu::always_inline]] inline T short_pick_of_lanes(V v) noexcept {
  if constexpr (sizeof(V) == 32) {
    using Half = typename ShortVector<T, 16>::type;
    Half low, high;
    std::memcpy(&low, &v, sizeof low);
    std::memcpy(&high, reinterpret_cast<const char*>(&v) + sizeof low, sizeof high);
    return short_pick_of_lanes<kSmallest, T>(short_pick<kSmallest>(low, high));
  } else {
    if constexpr (sizeof(T) == 4) v = short_pick<kSmallest>(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
    return short_pick<kSmallest, T>(v[0], v[1]);
  }
}

/// fold(at) for vectors of W elements from each of which on the elements are taken: all n >= W of them but for the
/// first W, some twice.
template <std::size_t W, class Fold>
[[gnu::always_inline]] inline void short_fold(std::size_t n, Fold fold) noexcept {
  std::size_t i = W;
  for (; i + W <= n; i += W) fold(i);
  if (i < n) fold(n - W);
}

/// Vectors of this many bytes for n elements; fewer than the least one holds are taken one by one.
template <class T, class Body>
[[gnu::always_inline]] inline auto with_short_vector(std::size_t n, Body body) {
  using Least = ShortVector<T, 16>;
  if constexpr (SumVector<T>::lanes > Least::lanes)
    if (n < SumVector<T>::lanes) return body(Least{});
  return body(SumVector<T>{});
}

/// Sets *out to the smallest (largest) element and returns true; or false where there are too many elements, or none,
/// or one that is not finite, which their sum tells.
template <bool kSmallest, class T>
[[gnu::always_inline]] inline bool short_extreme(std::span<const T> x, T* out) noexcept {
  const std::size_t n = x.size();
  const T* p = x.data();
  if (!is_short<T>(n) || n == 0) return false;
  if (n < ShortVector<T, 16>::lanes) {
    // The first, the middle and the last of three are all.
    static_assert(ShortVector<T, 16>::lanes <= 4);
    const T a = p[0], b = p[n / 2], c = p[n - 1], total = a + b + c;
    *out = short_pick<kSmallest>(c, short_pick<kSmallest>(b, a));
    return total - total == T(0);
  }
  return with_short_vector<T>(
      n, [=](auto kind) __attribute__((always_inline)) {
        using V = typename decltype(kind)::type;
        V best = short_take(V{}, p), sum = best;
        short_fold<decltype(kind)::lanes>(
            n, [&](std::size_t i) __attribute__((always_inline)) {
              const V v = short_take(V{}, p + i);
              best = short_pick<kSmallest>(v, best);
              sum += v;
            });
        const T total = sum_of_lanes<T>(sum);
        *out = short_pick_of_lanes<kSmallest, T>(best);
        return total - total == T(0);  // not so of infinities and NaN
      });
}

/// 0, 1, 2, ... as elements.
template <class T>
struct ShortPlaces {
  T place[kShortBytes / sizeof(T)];
  constexpr ShortPlaces() : place{} {
    for (std::size_t i = 0; i < kShortBytes / sizeof(T); ++i) place[i] = static_cast<T>(i);
  }
};
template <class T>
inline constexpr ShortPlaces<T> kShortPlaces;

/// The place of the first smallest (largest) element, under the same conditions.
template <bool kSmallest, class T>
[[gnu::always_inline]] inline bool short_place(std::span<const T> x, std::size_t* out) noexcept {
  const std::size_t n = x.size();
  const T* p = x.data();
  T extreme;
  if (!short_extreme<kSmallest>(x, &extreme)) return false;
  if (n < ShortVector<T, 16>::lanes) {
    *out = p[0] == extreme ? 0 : p[n / 2] == extreme ? n / 2 : n - 1;
    return true;
  }
  with_short_vector<T>(
      n, [=](auto kind) __attribute__((always_inline)) {
        using V = typename decltype(kind)::type;
        const V wanted = V{} + extreme, beyond = V{} + static_cast<T>(n);
        const auto at = [&](std::size_t i) __attribute__((always_inline)) {
          return short_take(V{}, p + i) == wanted ? short_take(V{}, kShortPlaces<T>.place + i) : beyond;
        };
        V first = at(0);
        short_fold<decltype(kind)::lanes>(
            n, [&](std::size_t i) __attribute__((always_inline)) { first = short_pick<true>(at(i), first); });
        *out = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(short_pick_of_lanes<true, T>(first)));
      });
  return true;
}

/// Whether a sum of n squares has neither overflowed nor lost anything that shows to denormal numbers: each term loses
/// at most half of denorm_min = min eps.
template <class T, class Sum>
[[gnu::always_inline]] inline bool safe_squares(Sum squares, std::size_t n) noexcept {
  return squares >= static_cast<Sum>(n) * static_cast<Sum>(std::numeric_limits<T>::min()) &&
         squares <= static_cast<Sum>(std::numeric_limits<T>::max());
}

/// The same of two sums, of few elements, and of their product.
template <class T>
[[gnu::always_inline]] inline bool safe_product(T a, T b) noexcept {
  constexpr T kMost = sizeof(T) == 4 ? static_cast<T>(0x1p60) : static_cast<T>(0x1p500), kLeast = 1 / kMost;
  return (a >= kLeast) & (b >= kLeast) & (a <= kMost) & (b <= kMost);
}

[[gnu::always_inline]] inline float short_root(float x) noexcept { return __builtin_sqrtf(x); }
[[gnu::always_inline]] inline double short_root(double x) noexcept { return __builtin_sqrt(x); }

/// Sets *out to x y / (|x| |y|), within [-1, 1], and returns true; or false where the sizes or the elements need more.
template <class T>
[[gnu::always_inline]] inline bool short_cosine(std::span<const T> x, std::span<const T> y, T* out) noexcept {
  if (!is_short<T>(x.size()) || x.size() != y.size() || x.empty()) return false;
  T s[3];
  short_cosine_sums(x.data(), y.data(), x.size(), s);
  if (!safe_product(s[1], s[2])) [[unlikely]]
    return false;
  const T cosine = s[0] / short_root(s[1] * s[2]), raised = cosine < T(-1) ? T(-1) : cosine;
  *out = raised > T(1) ? T(1) : raised;
  return true;
}

}  // namespace PAWL_CALLER_TARGET
}  // namespace pawl::detail
