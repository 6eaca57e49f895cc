// elementwise.kernel.hpp -- out[i] = op(x[i], y[i]) over contiguous elements, written once for every ISA.
#pragma once
#include "isa/streaming.hpp"
#include "kernels/simd/boundary.kernel.hpp"
#include "kernels/simd/quotients.kernel.hpp"
#include "kernels/simd/roots.kernel.hpp"
#include "parallel/sharers.hpp"
#include "pawl/isa.hpp"

namespace pawl::PAWL_ISA_NS {

// Whether a pass of which this thread moves `bytes`, none of which is read again soon, should leave the caches alone.
PAWL_INLINE bool worth_streaming(std::size_t bytes) {
  constexpr std::size_t kNever = std::size_t{1} << 20;  // no need to ask how many threads there are
  return bytes >= kNever && worth_streaming_bytes(bytes * detail::sharers);
}

// The same of rows of `columns` elements, one after the other, that go from x to out.
template <class T>
PAWL_INLINE bool rows_go_past(const T* x, const T* out, std::size_t rows, std::size_t columns) {
  return worth_streaming(2 * rows * columns * sizeof(T)) && rows_suit_streaming(out, columns * sizeof(T)) && x != out;
}

// out[i] = at(i) with whole(i) for a vector and first(i, count) for part of one; whole.four(i, v), if there is one,
// sets v to the four vectors from i on. `streaming` needs out apart from all inputs: a line that was just read is in
// the caches, and going past them would cost more. kFence: whether the caller leaves stream_end() to this.
template <class T, bool kFence = true, class Whole, class First>
PAWL_INLINE void fill(T* out, std::size_t n, bool streaming, Whole whole, First first) {
  constexpr std::size_t W = lanes<T>;
  constexpr bool kTogether = requires(Vec<T>(&v)[4]) { whole.four(n, v); };
  std::size_t i = 0;
  if (streaming) [[unlikely]] {
    // Up to the vectors' boundary; memory wants whole lines of 64 bytes at once.
    const std::size_t beyond = reinterpret_cast<std::uintptr_t>(out) % 64 / sizeof(T);
    for (const std::size_t head = beyond == 0 ? 0 : 64 / sizeof(T) - beyond; i < head;) {
      const std::size_t count = head - i < W ? head - i : W;
      store_first<T>(out + i, first(i, count), count);
      i += count;
    }
    for (; i + 4 * W <= n; i += 4 * W) {
      if constexpr (kTogether) {
        Vec<T> v[4];
        whole.four(i, v);
        unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { stream<T>(out + i + k * W, v[k]); });
      } else {
        unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { stream<T>(out + i + k * W, whole(i + k * W)); });
      }
    }
    constexpr std::size_t kLine = 64 / sizeof(T);
    for (; i + kLine <= n; i += kLine)
      unroll<kLine / W>([&](auto k) PAWL_INLINE_LAMBDA { stream<T>(out + i + k * W, whole(i + k * W)); });
    if constexpr (kFence) stream_end();
  } else if (const std::size_t head = to_boundary<T>(out, n); head > 0) {
    store_first<T>(out, first(0, head), head);
    i = head;
  }
  // Four vectors a turn: in L1 the loads and stores are the limit, and fewer turns leave their ports free.
  for (; i + 4 * W <= n; i += 4 * W) {
    if constexpr (kTogether) {
      Vec<T> v[4];
      whole.four(i, v);
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { store<T>(out + i + k * W, v[k]); });
    } else {
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { store<T>(out + i + k * W, whole(i + k * W)); });
    }
  }
  for (; i + W <= n; i += W) store<T>(out + i, whole(i));
  if (i < n) store_first<T>(out + i, first(i, n - i), n - i);
}

// The same for rows of a few vectors: one a turn, since what would have to be found out first takes as long as they do.
template <class T, class Whole, class First>
PAWL_INLINE void fill_short(T* out, std::size_t n, Whole whole, First first) {
  constexpr std::size_t W = lanes<T>;
  std::size_t i = 0;
  for (; i + W <= n; i += W) store<T>(out + i, whole(i));
  if (i < n) store_first<T>(out + i, first(i, n - i), n - i);
}

// Of rows that go past the caches, the line that holds a row's end and the next one's beginning is written through
// them: it should be there by the time that the row is, since all later stores wait for it (rows of 4000 bytes,
// together with their last whole lines past the caches: 0.84 of the time).
template <class T>
PAWL_INLINE void prefetch_shared_line(T* end) {
  if (reinterpret_cast<std::uintptr_t>(end) % 64 != 0) __builtin_prefetch(end, 1, 3);
}

template <class T, class Op>
PAWL_INLINE void map1(const T* x, T* out, std::size_t n, Op op) {
  fill<T>(
      out, n, worth_streaming(2 * n * sizeof(T)) && x != out,
      [&](std::size_t i) PAWL_INLINE_LAMBDA { return op(load<T>(x + i)); },
      [&](std::size_t i, std::size_t count) PAWL_INLINE_LAMBDA { return op(load_first<T>(x + i, count)); });
}

#if defined(PAWL_ISA_IS_avx512)
// Half a vector, for CPUs that have the data path of one.
template <class T>
using Half = xsimd::batch<T, xsimd::avx2>;

// The part of out[i] = op(x[i], y[i]) that is whole turns of four halves; how many elements that is.
template <class T, class Op>
PAWL_INLINE std::size_t by_halves(const T* x, const T* y, T* out, std::size_t n, Op op) {
  constexpr std::size_t H = lanes<T> / 2;
  std::size_t i = 0;
  for (; i + 4 * H <= n; i += 4 * H)
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
      const std::size_t at = i + k * H;
      op(Half<T>::load_unaligned(x + at), Half<T>::load_unaligned(y + at)).store_unaligned(out + at);
    });
  return i;
}
#endif

template <class T, class Op>
PAWL_INLINE void map2(const T* x, const T* y, T* out, std::size_t n, Op op) {
  const bool streaming = worth_streaming(3 * n * sizeof(T)) && x != out && y != out;
#if defined(PAWL_ISA_IS_avx512)
  // A line in six halves of 256 bits takes 2 cycles of Zen 4's address generators, in three of 512 bits 2.5.
  if (detail::splits_512_bits && !streaming) {
    const std::size_t head = to_boundary<T>(out, n);
    if (head > 0) store_first<T>(out, op(load_first<T>(x, head), load_first<T>(y, head)), head);
    const std::size_t done = head + by_halves(x + head, y + head, out + head, n - head, op);
    x += done, y += done, out += done, n -= done;
  }
#endif
  fill<T>(
      out, n, streaming, [&](std::size_t i) PAWL_INLINE_LAMBDA { return op(load<T>(x + i), load<T>(y + i)); },
      [&](std::size_t i, std::size_t count)
          PAWL_INLINE_LAMBDA { return op(load_first<T>(x + i, count), load_first<T>(y + i, count)); });
}

template <class T>
static void add(const T* x, const T* y, T* out, std::size_t n) noexcept {
  map2<T>(x, y, out, n, [](auto a, auto b) PAWL_INLINE_LAMBDA { return a + b; });
}

template <class T>
static void sub(const T* x, const T* y, T* out, std::size_t n) noexcept {
  map2<T>(x, y, out, n, [](auto a, auto b) PAWL_INLINE_LAMBDA { return a - b; });
}

template <class T>
static void mul(const T* x, const T* y, T* out, std::size_t n) noexcept {
  map2<T>(x, y, out, n, [](auto a, auto b) PAWL_INLINE_LAMBDA { return a * b; });
}

template <class T>
static void div(const T* x, const T* y, T* out, std::size_t n) noexcept {
#if defined(PAWL_ISA_IS_avx512)
  if (const std::size_t bytes = 3 * n * sizeof(T); products_gain<T>(bytes))
    return fill<T>(out, n, worth_streaming(bytes) && x != out && y != out,
                   quotients<T>([=](std::size_t i) PAWL_INLINE_LAMBDA { return load<T>(x + i); },
                                [=](std::size_t i) PAWL_INLINE_LAMBDA { return load<T>(y + i); }),
                   [=](std::size_t i, std::size_t count)
                       PAWL_INLINE_LAMBDA { return load_first<T>(x + i, count) / load_first<T>(y + i, count); });
#endif
  map2<T>(x, y, out, n, [](auto a, auto b) PAWL_INLINE_LAMBDA { return a / b; });
}

template <class T>
static void add_value(const T* x, T y, T* out, std::size_t n) noexcept {
  map1<T>(x, out, n, [b = Vec<T>(y)](Vec<T> a) { return a + b; });
}

template <class T>
static void sub_value(const T* x, T y, T* out, std::size_t n) noexcept {
  map1<T>(x, out, n, [b = Vec<T>(y)](Vec<T> a) { return a - b; });
}

template <class T>
static void value_sub(const T* x, T y, T* out, std::size_t n) noexcept {
  map1<T>(x, out, n, [b = Vec<T>(y)](Vec<T> a) { return b - a; });
}

template <class T>
static void mul_value(const T* x, T y, T* out, std::size_t n) noexcept {
  map1<T>(x, out, n, [b = Vec<T>(y)](Vec<T> a) { return a * b; });
}

template <class T>
static void div_value(const T* x, T y, T* out, std::size_t n) noexcept {
  const Vec<T> b(y);
#if defined(PAWL_ISA_IS_avx512)
  // Making the reciprocal takes as long as two divisions.
  if (constexpr std::size_t kWorthIt = 4 * lanes<T>; n >= kWorthIt)
    return fill<T>(out, n, worth_streaming(2 * n * sizeof(T)) && x != out,
                   quotients_by_value<T>([=](std::size_t i) PAWL_INLINE_LAMBDA { return load<T>(x + i); }, y),
                   [=](std::size_t i, std::size_t count)
                       PAWL_INLINE_LAMBDA { return load_first<T>(x + i, count) / b; });
#endif
  map1<T>(x, out, n, [b](Vec<T> a) { return a / b; });
}

template <class T>
static void value_div(const T* x, T y, T* out, std::size_t n) noexcept {
  const Vec<T> b(y);
#if defined(PAWL_ISA_IS_avx512)
  if (const std::size_t bytes = 2 * n * sizeof(T); products_gain<T>(bytes))
    return fill<T>(out, n, worth_streaming(bytes) && x != out,
                   quotients<T>([b](std::size_t) PAWL_INLINE_LAMBDA { return b; },
                                [=](std::size_t i) PAWL_INLINE_LAMBDA { return load<T>(x + i); }),
                   [=](std::size_t i, std::size_t count)
                       PAWL_INLINE_LAMBDA { return b / load_first<T>(x + i, count); });
#endif
  map1<T>(x, out, n, [b](Vec<T> a) { return b / a; });
}

template <class T>
struct TimesAlphaPlus {
  T alpha;
  PAWL_INLINE Vec<T> operator()(Vec<T> x, Vec<T> y) const { return fma<T>(Vec<T>(alpha), x, y); }
#if defined(PAWL_ISA_IS_avx512)
  PAWL_INLINE Half<T> operator()(Half<T> x, Half<T> y) const {
    if constexpr (sizeof(T) == 4)
      return Half<T>(_mm256_fmadd_ps(_mm256_set1_ps(alpha), x, y));
    else
      return Half<T>(_mm256_fmadd_pd(_mm256_set1_pd(alpha), x, y));
  }
#endif
};

template <class T>
static void axpy(T alpha, const T* x, T* y, std::size_t n) noexcept {
  map2<T>(x, y, y, n, TimesAlphaPlus<T>{alpha});
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
struct Roots {
  const T* x;
  PAWL_INLINE Vec<T> operator()(std::size_t i) const { return one_root<T>(load<T>(x + i), i / lanes<T>); }
  PAWL_INLINE void four(std::size_t i, Vec<T> (&v)[4]) const {
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = load<T>(x + i + k * lanes<T>); });
    four_roots<T>(v);
  }
};

template <class T>
static void fill_value(T value, T* out, std::size_t n) noexcept {
  const Vec<T> v(value);
  fill<T>(
      out, n, worth_streaming(2 * n * sizeof(T)), [v](std::size_t) PAWL_INLINE_LAMBDA { return v; },
      [v](std::size_t, std::size_t) PAWL_INLINE_LAMBDA { return v; });
}

template <class T>
static void sqrt(const T* x, T* out, std::size_t n) noexcept {
  fill<T>(out, n, worth_streaming(2 * n * sizeof(T)) && x != out, Roots<T>{x},
          [=](std::size_t i, std::size_t count)
              PAWL_INLINE_LAMBDA { return square_root<T>(load_first<T>(x + i, count)); });
}

}  // namespace pawl::PAWL_ISA_NS
