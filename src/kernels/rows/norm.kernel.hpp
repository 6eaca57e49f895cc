// norm.kernel.hpp -- rows -> layernorm and rmsnorm of each, written once for every ISA.
//
// A row stays in L1 between its passes: its moments (of long rows the sum, then the squares of the distances from the
// mean, since the difference of two large sums would lose the digits); the scaling. Of short rows a vector has one lane
// for each, so that what follows a sum, which is a chain of folds, a division, a root and another division, is done for
// all at once.
#pragma once
#include "kernels/reduce/rows.kernel.hpp"
#include "kernels/rows/row_scale.kernel.hpp"
#include "kernels/rows/rows_table.hpp"
#include "kernels/simd/elementwise.kernel.hpp"
#include "kernels/simd/reduce.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// How a row is written. past: past the caches, and not fenced here.
enum class RowWay : std::uint8_t { any, few_vectors, past };

// out = (x - centre) * scale * gain + shift; gain and shift are read if there are any. On the way past the caches what
// lies `ahead` elements further in x is asked for meanwhile.
template <class T, RowWay kWay, bool kGain, bool kShift>
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
  // They live in registers. NOLINTBEGIN(clang-analyzer-optin.performance.Padding)
  const auto whole = [=](std::size_t i) PAWL_INLINE_LAMBDA {
    if constexpr (kWay == RowWay::past) prefetch<T>(x + ahead + i);
    return at(
        load<T>(x + i), [=]() PAWL_INLINE_LAMBDA { return load<T>(gain + i); },
        [=]() PAWL_INLINE_LAMBDA { return load<T>(shift + i); });
  };
  const auto first = [=](std::size_t i, std::size_t count) PAWL_INLINE_LAMBDA {
    return at(
        load_first<T>(x + i, count), [=]() PAWL_INLINE_LAMBDA { return load_first<T>(gain + i, count); },
        [=]() PAWL_INLINE_LAMBDA { return load_first<T>(shift + i, count); });
  };
  // NOLINTEND(clang-analyzer-optin.performance.Padding)
  if constexpr (kWay == RowWay::few_vectors)
    fill_short<T>(out, n, whole, first);
  else
    fill<T, false>(out, n, kWay == RowWay::past, whole, first);
}

// The same with gain and shift that may be null.
template <class T, RowWay kWay>
PAWL_INLINE void normalize(const T* x, const T* gain, const T* shift, T centre, T scale, T* out, std::size_t n,
                           std::size_t ahead) {
  if (gain && shift)
    normalize_with<T, kWay, true, true>(x, gain, shift, centre, scale, out, n, ahead);
  else if (gain)
    normalize_with<T, kWay, true, false>(x, gain, shift, centre, scale, out, n, ahead);
  else if (shift)
    normalize_with<T, kWay, false, true>(x, gain, shift, centre, scale, out, n, ahead);
  else
    normalize_with<T, kWay, false, false>(x, gain, shift, centre, scale, out, n, ahead);
}

// Two rows of whole vectors, `columns` apart: each vector of gain and shift is loaded once for both. Loads are what
// bounds the scaling of rows in L1: 3 a vector of one row, 2 of two.
template <class T, bool kGain, bool kShift>
PAWL_INLINE void normalize_two_with(const T* x, const T* gain, const T* shift, const T (&centres)[2],
                                    const T (&scales)[2], T* out, std::size_t columns) {
  constexpr std::size_t W = lanes<T>;
  const Vec<T> c[2] = {Vec<T>(centres[0]), Vec<T>(centres[1])}, s[2] = {Vec<T>(scales[0]), Vec<T>(scales[1])};
  const auto both = [&](std::size_t i) PAWL_INLINE_LAMBDA {
    [[maybe_unused]] const Vec<T> g = kGain ? load<T>(gain + i) : Vec<T>(T(1)),
                                  b = kShift ? load<T>(shift + i) : Vec<T>(T(0));
    unroll<2>([&](auto r) PAWL_INLINE_LAMBDA {
      Vec<T> v = (load<T>(x + r * columns + i) - c[r]) * s[r];
      if constexpr (kGain && kShift)
        v = fma<T>(v, g, b);
      else if constexpr (kGain)
        v = v * g;
      else if constexpr (kShift)
        v = v + b;
      store<T>(out + r * columns + i, v);
    });
  };
  std::size_t i = 0;
  for (; i + 2 * W <= columns; i += 2 * W) unroll<2>([&](auto k) PAWL_INLINE_LAMBDA { both(i + k * W); });
  if (i < columns) both(i);
}

// The same with gain and shift that may be null.
template <class T>
PAWL_INLINE void normalize_two(const T* x, const T* gain, const T* shift, const T (&centres)[2], const T (&scales)[2],
                               T* out, std::size_t columns) {
  if (gain && shift)
    normalize_two_with<T, true, true>(x, gain, shift, centres, scales, out, columns);
  else if (gain)
    normalize_two_with<T, true, false>(x, gain, shift, centres, scales, out, columns);
  else if (shift)
    normalize_two_with<T, false, true>(x, gain, shift, centres, scales, out, columns);
  else
    normalize_two_with<T, false, false>(x, gain, shift, centres, scales, out, columns);
}

// Whether rows go by normalize_two: they are whole vectors, written without crossing lines. rmsnorm, which has less to
// wait for in between, gains from 1.5 to below 4 KiB (1.04 to 1.38); 1 KiB took up to 1.2 times as long, 4 KiB (rows at
// the same place of their pages) and 8 KiB too, where two rows with their results leave L1 (Zen 4).
template <class T, bool kCentred>
PAWL_INLINE bool rows_pair(const T* gain, const T* shift, const T* out, std::size_t columns) {
  const std::size_t bytes = columns * sizeof(T);
  return (gain || shift) && columns % lanes<T> == 0 &&
         reinterpret_cast<std::uintptr_t>(out) % (lanes<T> * sizeof(T)) == 0 &&
         (kCentred || (bytes >= 1536 && bytes < 4096));
}

// count <= lanes rows: means[r] and scales[r] = 1 / sqrt(variance + epsilon) of each, or 0 and of the mean of squares.
template <class T, bool kCentred>
PAWL_INLINE void statistics(const T* x, std::size_t count, std::size_t columns, T epsilon, T (&means)[lanes<T>],
                            T (&scales)[lanes<T>]) {
  constexpr std::size_t W = lanes<T>;
  const auto plus = [](Vec<T> a, Vec<T> b) PAWL_INLINE_LAMBDA { return a + b; };
  const Vec<T> zero(T(0)), n(static_cast<T>(columns)), part(T(1) / static_cast<T>(columns));
  Vec<T> v[W], mean = zero;
  if constexpr (kCentred) {
    for (std::size_t k = 0; k < count; ++k) v[k] = sum_vector<T>(x + k * columns, columns);
    for (std::size_t k = count; k < W; ++k) v[k] = zero;
    mean = fold_lanes<T>(v, plus) / n;
  }
  store<T>(means, mean);
  for (std::size_t k = 0; k < count; ++k) v[k] = squares_vector<T>(x + k * columns, columns, means[k]);
  for (std::size_t k = count; k < W; ++k) v[k] = zero;
  store<T>(scales, Vec<T>(T(1)) / square_root<T>(fold_lanes<T>(v, plus) * part + Vec<T>(epsilon)));
}

// Groups of as many rows as a vector has lanes -> how many rows are done. Out of line: one row of 128 f32 took 1.2
// times as long beside it.
template <class T, bool kCentred, bool kPast, bool kPair>
[[gnu::noinline]] static std::size_t normalize_together(const T* x, const T* gain, const T* shift, T epsilon, T* out,
                                                        std::size_t rows, std::size_t columns) noexcept {
  constexpr std::size_t W = lanes<T>;
  std::size_t r = 0;
  const auto together = [&](std::size_t count) PAWL_INLINE_LAMBDA {
    alignas(64) T means[W], scales[W];
    statistics<T, kCentred>(x + r * columns, count, columns, epsilon, means, scales);
    std::size_t k = 0;
    if constexpr (kPair && W > 1)
      for (; k + 2 <= count; k += 2)
        normalize_two<T>(x + (r + k) * columns, gain, shift, {means[k], means[k + 1]}, {scales[k], scales[k + 1]},
                         out + (r + k) * columns, columns);
    for (; k < count; ++k)  // 2000 x 64 f32 row by row: 0.94 of the time of rows of any length (Emerald Rapids)
      normalize<T, kPast ? RowWay::past : RowWay::few_vectors>(x + (r + k) * columns, gain, shift, means[k], scales[k],
                                                               out + (r + k) * columns, columns, count * columns);
    r += count;
  };
  while (r + W <= rows) together(W);
#if !defined(PAWL_ISA_IS_avx512)  // whose reduce_add adds in the order of fold_lanes
  if (r < rows) together(rows - r);
#endif
  return r;
}

// One row. kPast: results go past the caches, and the row that comes next is asked for while this one is written.
// Written through the caches, or asked for while the squares are summed, rows of 1000 from memory took 1.4 times as
// long on Zen 4.
template <class T, bool kPast>
PAWL_INLINE void normalize_row(const T* x, const T* gain, const T* shift, T epsilon, T* out, std::size_t columns,
                               RowMoments<T> row) {
  if constexpr (kPast) prefetch_shared_line<T>(out + columns);
  normalize<T, kPast ? RowWay::past : RowWay::any>(x, gain, shift, row.mean, scale_of<T>(row, columns, epsilon), out,
                                                   columns, columns);
}

// Rows that do not fit together, by pairs where that can be.
template <class T, bool kCentred, bool kPast>
[[gnu::noinline]] static void normalize_long(const T* x, const T* gain, const T* shift, T epsilon, T* out,
                                             std::size_t rows, std::size_t columns) noexcept {
  std::size_t r = 0;
  if (!kPast && rows_pair<T, kCentred>(gain, shift, out, columns))
    for (; r + 2 <= rows; r += 2) {
      const T* from = x + r * columns;
      const RowMoments<T> a = moments_of_row<T, kCentred>(from, columns),
                          b = moments_of_row<T, kCentred>(from + columns, columns);
      normalize_two<T>(from, gain, shift, {a.mean, b.mean},
                       {scale_of<T>(a, columns, epsilon), scale_of<T>(b, columns, epsilon)}, out + r * columns,
                       columns);
    }
  for (; r < rows; ++r)
    normalize_row<T, kPast>(x + r * columns, gain, shift, epsilon, out + r * columns, columns,
                            moments_of_row<T, kCentred>(x + r * columns, columns));
}

// Rows that fit together. Those that are left go by the two passes of the others: no bit may depend on which rows stand
// together.
template <class T, bool kCentred, bool kPast>
PAWL_INLINE void normalize_short(const T* x, const T* gain, const T* shift, T epsilon, T* out, std::size_t rows,
                                 std::size_t columns) {
#if defined(PAWL_ISA_IS_avx512)
  constexpr std::size_t kFewest = lanes<T>;
#else
  constexpr std::size_t kFewest = 1;
#endif
  std::size_t r = 0;
  if (rows >= kFewest) {
    if (!kPast && rows_pair<T, kCentred>(gain, shift, out, columns))
      r = normalize_together<T, kCentred, false, true>(x, gain, shift, epsilon, out, rows, columns);
    else
      r = normalize_together<T, kCentred, kPast, false>(x, gain, shift, epsilon, out, rows, columns);
  }
  for (; r < rows; ++r)
    normalize_row<T, kPast>(x + r * columns, gain, shift, epsilon, out + r * columns, columns,
                            moments_in_two<T, kCentred>(x + r * columns, columns));
}

template <class T, bool kCentred, bool kPast>
PAWL_INLINE void normalize_each(const T* x, const T* gain, const T* shift, T epsilon, T* out, std::size_t rows,
                                std::size_t columns) {
  if (rows_fit_together<T>(columns))
    normalize_short<T, kCentred, kPast>(x, gain, shift, epsilon, out, rows, columns);
  else if (rows == 1)
    normalize_row<T, kPast>(x, gain, shift, epsilon, out, columns, moments_of_row<T, kCentred>(x, columns));
  else
    normalize_long<T, kCentred, kPast>(x, gain, shift, epsilon, out, rows, columns);
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

// The passes over a long row, of which several threads may have parts (long_row.hpp).
template <class T, bool kCentred>
static void moments_of_blocks(const T* x, std::size_t n, T* means, T* squares) noexcept {
  for (std::size_t begin = 0; begin < n; begin += kRowBlock<T>, ++means, ++squares) {
    const RowMoments<T> block =
        moments_of_row<T, kCentred>(x + begin, n - begin < kRowBlock<T> ? n - begin : kRowBlock<T>);
    *means = block.mean;
    *squares = block.squares;
  }
}

template <class T>
static void normalize_part(const T* x, const T* gain, const T* shift, T centre, T scale, T* out, std::size_t n,
                           bool past) noexcept {
  constexpr std::size_t kAhead = 4096 / sizeof(T);  // the next page, which hardware does not ask for
  if (!past) return normalize<T, RowWay::any>(x, gain, shift, centre, scale, out, n, 0);
  normalize<T, RowWay::past>(x, gain, shift, centre, scale, out, n, kAhead);
  stream_end();
}

}  // namespace pawl::PAWL_ISA_NS
