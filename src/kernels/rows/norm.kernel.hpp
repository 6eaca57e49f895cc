// norm.kernel.hpp -- rows -> layernorm and rmsnorm of each, written once for every ISA.
//
// A row stays in L1 between its passes: the sum; the squares of the distances from the mean (two passes, since the
// difference of two large sums would lose the digits); the scaling. Of short rows a vector has one lane for each, so
// that what follows a sum, which is a chain of folds, a division, a root and another division, is done for all at once.
#pragma once
#include "kernels/reduce/rows.kernel.hpp"
#include "kernels/simd/elementwise.kernel.hpp"
#include "kernels/simd/reduce.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
PAWL_INLINE T root(T x) {
  if constexpr (sizeof(T) == 4)
    return __builtin_sqrtf(x);
  else
    return __builtin_sqrt(x);
}

// A vector whose lanes add up to the sum of (x - centre)^2.
template <class T>
PAWL_INLINE Vec<T> squares_vector(const T* x, std::size_t n, T centre) {
  const Vec<T> c(centre);
  return sum_of_terms<T>(
      n,
      [=](std::size_t i, Vec<T> s) PAWL_INLINE_LAMBDA {
        const Vec<T> d = load<T>(x + i) - c;
        return fma<T>(d, d, s);
      },
      [=](std::size_t i, std::size_t count, Vec<T> s) PAWL_INLINE_LAMBDA {
        const Vec<T> d = keep_first<T>(load_first<T>(x + i, count) - c, count);
        return fma<T>(d, d, s);
      });
}

// out = (x - centre) * scale * gain + shift; gain and shift are read if there are any. kPast: past the caches, and not
// fenced here; what lies `ahead` elements further in x is asked for meanwhile.
template <class T, bool kPast, bool kGain, bool kShift>
PAWL_INLINE void normalize_with(const T* x, const T* gain, const T* shift, T centre, T scale, T* out, std::size_t n,
                                [[maybe_unused]] std::size_t ahead) {
  const auto at = [c = Vec<T>(centre), s = Vec<T>(scale)](Vec<T> v, [[maybe_unused]] auto g, [[maybe_unused]] auto b)
                      PAWL_INLINE_LAMBDA {
                        v = (v - c) * s;
                        if constexpr (kGain && kShift)
                          return fma<T>(v, g(), b());
                        else if constexpr (kGain)
                          return v * g();
                        else if constexpr (kShift)
                          return v + b();
                        else
                          return v;
                      };
  fill<T, false>(
      out, n, kPast,
      // It lives in registers. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
      [=](std::size_t i) PAWL_INLINE_LAMBDA {
        if constexpr (kPast) prefetch<T>(x + ahead + i);
        return at(
            load<T>(x + i), [=]() PAWL_INLINE_LAMBDA { return load<T>(gain + i); },
            [=]() PAWL_INLINE_LAMBDA { return load<T>(shift + i); });
      },
      [=](std::size_t i, std::size_t count) PAWL_INLINE_LAMBDA {
        return at(
            load_first<T>(x + i, count), [=]() PAWL_INLINE_LAMBDA { return load_first<T>(gain + i, count); },
            [=]() PAWL_INLINE_LAMBDA { return load_first<T>(shift + i, count); });
      });
}

// The same with gain and shift that may be null.
template <class T, bool kPast>
PAWL_INLINE void normalize(const T* x, const T* gain, const T* shift, T centre, T scale, T* out, std::size_t n,
                           std::size_t ahead) {
  if (gain && shift)
    normalize_with<T, kPast, true, true>(x, gain, shift, centre, scale, out, n, ahead);
  else if (gain)
    normalize_with<T, kPast, true, false>(x, gain, shift, centre, scale, out, n, ahead);
  else if (shift)
    normalize_with<T, kPast, false, true>(x, gain, shift, centre, scale, out, n, ahead);
  else
    normalize_with<T, kPast, false, false>(x, gain, shift, centre, scale, out, n, ahead);
}

// As many rows as a vector has lanes are taken together while they fill a quarter of the smallest L1 at most.
template <class T>
PAWL_INLINE bool rows_fit_together(std::size_t columns) {
  constexpr std::size_t kTogetherBytes = 8192;
  return columns <= kTogetherBytes / sizeof(T) / lanes<T>;
}

// count <= lanes rows: means[r] and scales[r] = 1 / sqrt(variance + epsilon) of each, or 0 and of the mean of squares.
template <class T, bool kCentred>
PAWL_INLINE void statistics(const T* x, std::size_t count, std::size_t columns, T epsilon, T (&means)[lanes<T>],
                            T (&scales)[lanes<T>]) {
  constexpr std::size_t W = lanes<T>;
  const auto plus = [](Vec<T> a, Vec<T> b) PAWL_INLINE_LAMBDA { return a + b; };
  const Vec<T> zero(T(0)), n(static_cast<T>(columns));
  Vec<T> v[W], mean = zero;
  if constexpr (kCentred) {
    for (std::size_t k = 0; k < count; ++k) v[k] = sum_vector<T>(x + k * columns, columns);
    for (std::size_t k = count; k < W; ++k) v[k] = zero;
    mean = fold_lanes<T>(v, plus) / n;
  }
  store<T>(means, mean);
  for (std::size_t k = 0; k < count; ++k) v[k] = squares_vector<T>(x + k * columns, columns, means[k]);
  for (std::size_t k = count; k < W; ++k) v[k] = zero;
  store<T>(scales, Vec<T>(T(1)) / square_root<T>(fold_lanes<T>(v, plus) / n + Vec<T>(epsilon)));
}

// kPast: results go past the caches, and the rows that come next are asked for while these are written. Written through
// the caches, or asked for while the squares are summed, rows of 1000 from memory took 1.4 times as long on Zen 4.
template <class T, bool kCentred, bool kPast>
PAWL_INLINE void normalize_each(const T* x, const T* gain, const T* shift, T epsilon, T* out, std::size_t rows,
                                std::size_t columns) {
  constexpr std::size_t W = lanes<T>;
  std::size_t r = 0;
  if (rows_fit_together<T>(columns)) {
    const auto together = [&](std::size_t count) PAWL_INLINE_LAMBDA {
      alignas(64) T means[W], scales[W];
      statistics<T, kCentred>(x + r * columns, count, columns, epsilon, means, scales);
      for (std::size_t k = 0; k < count; ++k)
        normalize<T, kPast>(x + (r + k) * columns, gain, shift, means[k], scales[k], out + (r + k) * columns, columns,
                            count * columns);
      r += count;
    };
    while (r + W <= rows) together(W);
#if !defined(PAWL_ISA_IS_avx512)  // whose reduce_add below adds in the order of fold_lanes
    if (r < rows) together(rows - r);
#endif
  }
  for (; r < rows; ++r) {
    const T* from = x + r * columns;
    if constexpr (kPast) prefetch_shared_line<T>(out + (r + 1) * columns);
    const T mean = kCentred ? sum<T>(from, columns) / static_cast<T>(columns) : T(0);
    const T square = reduce_add<T>(squares_vector<T>(from, columns, mean)) / static_cast<T>(columns);
    normalize<T, kPast>(from, gain, shift, mean, T(1) / root<T>(square + epsilon), out + r * columns, columns, columns);
  }
  if constexpr (kPast) stream_end();
}

template <class T, bool kCentred>
PAWL_INLINE void normalize_rows(const T* x, const T* gain, const T* shift, T epsilon, T* out, std::size_t rows,
                                std::size_t columns) {
  if (rows_go_past<T>(x, out, rows, columns))
    normalize_each<T, kCentred, true>(x, gain, shift, epsilon, out, rows, columns);
  else
    normalize_each<T, kCentred, false>(x, gain, shift, epsilon, out, rows, columns);
}

template <class T>
static void layernorm(const T* x, const T* gain, const T* shift, T epsilon, T* out, std::size_t rows,
                      std::size_t columns) noexcept {
  normalize_rows<T, true>(x, gain, shift, epsilon, out, rows, columns);
}

template <class T>
static void rmsnorm(const T* x, const T* gain, T epsilon, T* out, std::size_t rows, std::size_t columns) noexcept {
  normalize_rows<T, false>(x, gain, nullptr, epsilon, out, rows, columns);
}

}  // namespace pawl::PAWL_ISA_NS
