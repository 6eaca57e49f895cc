// short_spans.hpp -- elementwise operations on so few elements that a call would cost more than the work.
//
// Compiled into the caller, for the caller's own target: vectors of 16 bytes, which every CPU of x86-64 and aarch64
// has, or of 32 or 64 where the caller's flags promise AVX or AVX-512. What IEEE 754 rounds once has the same bits
// whoever computes it; axpy has an FMA where the caller's flags allow one, and else rounds twice.
//
// All of it is in an inline namespace named after the width: files compiled for different targets share no function, so
// that the linker never keeps a wide one for a caller whose CPU may not have it.
#pragma once
#include <cstddef>
#include <cstring>
#include <span>

#if defined(__AVX512F__) && defined(__AVX512VL__)
#define PAWL_CALLER_BYTES 64
#define PAWL_CALLER_TARGET caller_of_64_bytes
#elif defined(__AVX__)
#define PAWL_CALLER_BYTES 32
#define PAWL_CALLER_TARGET caller_of_32_bytes
#else
#define PAWL_CALLER_BYTES 16
#define PAWL_CALLER_TARGET caller_of_16_bytes
#endif

namespace pawl::detail {
inline namespace PAWL_CALLER_TARGET {

/// Spans of at most this many bytes are worked on in the caller. A call through the table of variants costs 2 to 3 ns,
/// as much as eight vectors of 16 bytes do.
inline constexpr std::size_t kShortBytes = 128;

template <class T, std::size_t kBytes = PAWL_CALLER_BYTES>
struct ShortVector {
  typedef T type __attribute__((vector_size(kBytes)));
  static constexpr std::size_t lanes = kBytes / sizeof(T);
};

/// *p, or the vector at p, as the first argument is.
template <class V, class T>
[[gnu::always_inline]] inline V short_take(V, const T* p) noexcept {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

/// at(V{}, i) and those behind it to to[i], 64 bytes in all: computed before any is written.
template <class T, class At>
[[gnu::always_inline]] inline void store_64_bytes(T* to, std::size_t i, At at) {
  using V = typename ShortVector<T>::type;
  constexpr std::size_t W = ShortVector<T>::lanes;
  const V a = at(V{}, i);
  if constexpr (sizeof(V) == 64) {
    std::memcpy(to + i, &a, sizeof a);
  } else {
    const V b = at(V{}, i + W);
    if constexpr (sizeof(V) == 16) {
      const V c = at(V{}, i + 2 * W), d = at(V{}, i + 3 * W);
      std::memcpy(to + i + 2 * W, &c, sizeof c);  // one copy of all four would go by way of the stack
      std::memcpy(to + i + 3 * W, &d, sizeof d);
    }
    std::memcpy(to + i, &a, sizeof a);
    std::memcpy(to + i + W, &b, sizeof b);
  }
}

template <class V, class T, class At>
[[gnu::always_inline]] inline void store_one(T* to, std::size_t i, At at) {
  const V v = at(V{}, i);
  std::memcpy(to + i, &v, sizeof v);
}

/// to[i] = at(T{}, i) for i < n; at(V{}, i) is the vector from i on.
template <class T, class At>
[[gnu::always_inline]] inline void short_store(T* to, std::size_t n, At at) {
  constexpr std::size_t kBlock = 64 / sizeof(T);
  if (n == kBlock) return store_64_bytes(to, 0, at);
  std::size_t i = 0;
  for (; i + kBlock <= n; i += kBlock) store_64_bytes(to, i, at);
  if constexpr (PAWL_CALLER_BYTES >= 32) {
    using Half = ShortVector<T, 32>;
    if (i + Half::lanes <= n) {
      store_one<typename Half::type>(to, i, at);
      i += Half::lanes;
    }
  }
  using Least = ShortVector<T, 16>;
  for (; i + Least::lanes <= n; i += Least::lanes) store_one<typename Least::type>(to, i, at);
  for (; i < n; ++i) to[i] = at(T{}, i);
}

/// out[i] = op(x[i], y[i]) and true if the spans are short and of equal lengths; else false, and nothing is done.
template <class T, class Op>
[[gnu::always_inline]] inline bool short_map(std::span<const T> x, std::span<const T> y, std::span<T> out, Op op) {
  const std::size_t n = x.size();
  if (n > kShortBytes / sizeof(T) || y.size() != n || out.size() != n) [[unlikely]]
    return false;
  const T *a = x.data(), *b = y.data();
  short_store(
      out.data(), n, [=](auto kind, std::size_t i) __attribute__((always_inline)) {
        return static_cast<decltype(kind)>(op(short_take(kind, a + i), short_take(kind, b + i)));
      });
  return true;
}

/// The same with one operand: out[i] = op(x[i]).
template <class T, class Op>
[[gnu::always_inline]] inline bool short_map(std::span<const T> x, std::span<T> out, Op op) {
  const std::size_t n = x.size();
  if (n > kShortBytes / sizeof(T) || out.size() != n) [[unlikely]]
    return false;
  const T* a = x.data();
  short_store(
      out.data(), n, [=](auto kind, std::size_t i) __attribute__((always_inline)) {
        return static_cast<decltype(kind)>(op(short_take(kind, a + i)));
      });
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

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define PAWL_SHORT_ROOTS
/// Square roots. By the compiler's names for the instructions: the intrinsics' header has 100 times as many lines as
/// this one.
struct ShortRoots {
  [[gnu::always_inline]] float operator()(float v) const noexcept {
    return __builtin_ia32_sqrtps(ShortVector<float, 16>::type{v})[0];
  }
  [[gnu::always_inline]] double operator()(double v) const noexcept {
    return __builtin_ia32_sqrtpd(ShortVector<double, 16>::type{v})[0];
  }
  [[gnu::always_inline]] auto operator()(ShortVector<float, 16>::type v) const noexcept {
    return __builtin_ia32_sqrtps(v);
  }
  [[gnu::always_inline]] auto operator()(ShortVector<double, 16>::type v) const noexcept {
    return __builtin_ia32_sqrtpd(v);
  }
#if PAWL_CALLER_BYTES >= 32
  [[gnu::always_inline]] auto operator()(ShortVector<float, 32>::type v) const noexcept {
    return __builtin_ia32_sqrtps256(v);
  }
  [[gnu::always_inline]] auto operator()(ShortVector<double, 32>::type v) const noexcept {
    return __builtin_ia32_sqrtpd256(v);
  }
#endif
#if PAWL_CALLER_BYTES >= 64
  // All lanes; 4 is the rounding mode of the thread.
  [[gnu::always_inline]] auto operator()(ShortVector<float, 64>::type v) const noexcept {
    return __builtin_ia32_sqrtps512_mask(v, v, -1, 4);
  }
  [[gnu::always_inline]] auto operator()(ShortVector<double, 64>::type v) const noexcept {
    return __builtin_ia32_sqrtpd512_mask(v, v, -1, 4);
  }
#endif
};
#endif

/// Whether quotients of f64 are worth inlining: vectors of 16 bytes take longer than a call and wide ones.
inline constexpr bool kShortQuotients = PAWL_CALLER_BYTES >= 32;

}  // namespace PAWL_CALLER_TARGET
}  // namespace pawl::detail
