// csr.kernel.hpp -- one row of CSR times x, and rows of differing lengths by a buffer of products.
//
// The gather instructions of Zen 4 and 5 deliver less than one element in two cycles, four scalar loads and three
// shuffles two a cycle, so x is read by scalar loads. Measured on Zen 5, entries per ns (f64, rows of 11, in L3):
// plain loop 2.7, gather instructions 1.1, this 3.6.
#pragma once
#include "kernels/sparse/quad.hpp"
#include "kernels/sparse/row_piece.hpp"
#include "kernels/sparse/sparse_table.hpp"

namespace pawl::PAWL_ISA_NS {

// How far ahead of its use the matrix is fetched, in entries. The hardware's prefetcher follows two streams with
// scattered reads between them badly: beyond L3 this doubles the speed (1.5 to 3.1 entries per ns on a 5-point stencil
// of 10^6 rows; 512 gives 2.7), within the caches it costs a tenth.
inline constexpr std::size_t kFetchAhead = 1024;
// The same where L3 keeps the matrix and x is read at random beyond L2: what answers sooner is asked for later (Zen 4,
// random columns, 10^5 rows, ns per entry: 0.77 by 256, 0.88 by 1024, 0.94 without).
inline constexpr std::size_t kFetchNear = 256;

// kLevel: 3 for all caches, 2 for all but L1.
template <std::size_t kAhead, int kLevel = 3, class T, class I>
PAWL_INLINE void fetch_ahead(const I* columns, const T* values) {
  // Addresses as numbers: a pointer so far behind the end of its array must not be formed.
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(values) + kAhead * sizeof(T)), 0,
                     kLevel);
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(columns) + kAhead * sizeof(I)), 0,
                     kLevel);
}

// The sum of the first n / 16 * 16 products of a row, four sums at a time, since one would wait for itself.
template <std::size_t kAhead, class T, class I>
[[gnu::noinline]] static Quad<T> long_row(const I* columns, const T* values, std::size_t n, const T* x) noexcept {
  Quad<T> a = quad_zero<T>(), b = a, c = a, d = a;
  for (std::size_t k = 0; k + 16 <= n; k += 16) {
    if constexpr (kAhead > 0) {  // 16 entries are two lines of f64
      fetch_ahead<kAhead>(columns + k, values + k);
      fetch_ahead<kAhead>(columns + k + 8, values + k + 8);
    }
    a = quad_fma<T>(quad_load(values + k), quad_gather(x, columns + k), a);
    b = quad_fma<T>(quad_load(values + k + 4), quad_gather(x, columns + k + 4), b);
    c = quad_fma<T>(quad_load(values + k + 8), quad_gather(x, columns + k + 8), c);
    d = quad_fma<T>(quad_load(values + k + 12), quad_gather(x, columns + k + 12), d);
  }
  return quad_add<T>(quad_add<T>(a, b), quad_add<T>(c, d));
}

template <std::size_t kAhead, class T, class I>
static T row_by_pieces(const I* columns, const T* values, std::size_t n, const T* x) noexcept;

// A row's product.
template <std::size_t kAhead, class T, class I>
PAWL_INLINE T row_product(const I* columns, const T* values, std::size_t n, const T* x) {
  Quad<T> s = quad_zero<T>();
  std::size_t k = 0;
  if (__builtin_expect(n >= 32, 0)) {
    if (n > kRowPiece) return row_by_pieces<kAhead>(columns, values, n, x);
    s = long_row<kAhead>(columns, values, n, x);
    k = n / 16 * 16;
  }
  for (; k + 4 <= n; k += 4) {
    if constexpr (kAhead > 0) fetch_ahead<kAhead>(columns + k, values + k);
    s = quad_fma<T>(quad_load(values + k), quad_gather(x, columns + k), s);
  }
  // Three at most; as a loop the compiler would make vectors of it. Not added to `s` before the end: that would wait.
  T rest = 0;
  for (; k < n; ++k) rest += values[k] * x[columns[k]];
  return rest + quad_sum<T>(s);
}

template <std::size_t kAhead, class T, class I>
[[gnu::noinline]] static T row_by_pieces(const I* columns, const T* values, std::size_t n, const T* x) noexcept {
  T sum = 0;
  for (std::size_t k = 0; k < n; k += kRowPiece)
    sum += row_product<kAhead>(columns + k, values + k, n - k < kRowPiece ? n - k : kRowPiece, x);
  return sum;
}

// The same for a row that most often has fewer than four entries.
inline constexpr std::size_t kShortRows = 4;
template <std::size_t kAhead, class T, class I>
PAWL_INLINE T short_row(const I* columns, const T* values, std::size_t n, const T* x) {
  if (__builtin_expect(n >= kShortRows, 0)) return row_product<kAhead>(columns, values, n, x);
  if constexpr (kAhead > 0) fetch_ahead<kAhead>(columns, values);
  T sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += values[k] * x[columns[k]];
  return sum;
}

#if defined(PAWL_ISA_IS_avx512)
// The lanes of p[0 ..] in `mask`; others are not read and 0.
template <class T>
PAWL_INLINE Vec<T> load_masked(const T* p, std::uint64_t mask) {
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), p));
  else
    return Vec<T>(_mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), p));
}
// The sum of p[0 .. n), up to 24 (f64) or 32 (f32) without a branch: how many vectors a row has is not to be foreseen.
template <class T>
PAWL_INLINE T sum_of_row(const T* p, std::size_t left) {
  constexpr std::size_t W = lanes<T>, kVectors = W == 8 ? 3 : 2;
  const std::uint64_t mask = left < kVectors * W ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
  Vec<T> s = load_masked<T>(p, mask);
  unroll<kVectors - 1>([&](auto v)
                           PAWL_INLINE_LAMBDA { s = s + load_masked<T>(p + (v + 1) * W, mask >> ((v + 1) * W)); });
  while (left > kVectors * W) {
    p += W;
    left -= W;
    s = s + load_first<T>(p + (kVectors - 1) * W, left - (kVectors - 1) * W < W ? left - (kVectors - 1) * W : W);
  }
  return reduce_add<T>(s);
}
#elif defined(PAWL_ISA_IS_avx2)
// All bits for the first 24 of 48 lanes: from 24 - n on they are a mask of n.
template <class T>
struct RowMask {
  using Word = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  static constexpr std::size_t kMost = 24;
  alignas(32) Word words[2 * kMost] = {};
  constexpr RowMask() {
    for (std::size_t i = 0; i < kMost; ++i) words[i] = -1;
  }
};
template <class T>
inline constexpr RowMask<T> kRowMask;

// The sum of p[0 .. n), up to 24 without a branch; whole vectors behind the last can be read.
template <class T>
PAWL_INLINE T sum_of_row(const T* p, std::size_t n) {
  constexpr std::size_t W = lanes<T>, kMost = RowMask<T>::kMost;
  const auto* const mask = reinterpret_cast<const T*>(kRowMask<T>.words) + (kMost - (n < kMost ? n : kMost));
  const auto lanes_of = [&](std::size_t i) PAWL_INLINE_LAMBDA {
    if constexpr (sizeof(T) == 4)
      return Vec<T>(_mm256_and_ps(_mm256_loadu_ps(p + i), _mm256_loadu_ps(mask + i)));
    else
      return Vec<T>(_mm256_and_pd(_mm256_loadu_pd(p + i), _mm256_loadu_pd(mask + i)));
  };
  Vec<T> s = lanes_of(0), t = lanes_of(W);
  unroll<kMost / W - 2>([&](auto v) PAWL_INLINE_LAMBDA {
    if constexpr (v % 2 == 0)
      s = s + lanes_of((v + 2) * W);
    else
      t = t + lanes_of((v + 2) * W);
  });
  for (std::size_t k = kMost; k < n; k += W) s = s + load_first<T>(p + k, n - k < W ? n - k : W);
  return reduce_add<T>(s + t);
}
#endif

#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
// Rows of differing lengths: all products first, without a branch, then each row's sum by masked loads. A loop that
// ends at an unforeseeable place costs more than the row (power law, 10^5 rows: 1.0 entries per ns by loops, 1.65 by
// this).
inline constexpr std::size_t kProducts = 4096;  // 32 KiB of f64 in a 48 KiB L1

template <std::size_t kAhead, class T, class I>
PAWL_INLINE void rows_by_products(const I* start, const I* columns, const T* values, const T* x, T* y, std::size_t rows,
                                  T* products) {
  const auto first = static_cast<std::size_t>(start[0]), n = static_cast<std::size_t>(start[rows]) - first;
  columns += first;
  values += first;
  std::size_t k = 0;
  for (; k + 8 <= n; k += 8) {
    if constexpr (kAhead > 0) fetch_ahead<kAhead>(columns + k, values + k);
    quad_store<T>(products + k, quad_mul<T>(quad_load(values + k), quad_gather(x, columns + k)));
    quad_store<T>(products + k + 4, quad_mul<T>(quad_load(values + k + 4), quad_gather(x, columns + k + 4)));
  }
  for (; k < n; ++k) products[k] = values[k] * x[columns[k]];
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t length = static_cast<std::size_t>(start[r + 1]) - static_cast<std::size_t>(start[r]);
    y[r] = sum_of_row<T>(products, length);
    products += length;
  }
}

// Whether the lengths of neighbouring rows differ so often that loops over them would be mispredicted; one row in four
// is looked at.
template <class I>
PAWL_INLINE bool lengths_differ(const I* start, std::size_t rows) {
  std::size_t changes = 0;
  for (std::size_t r = 1; r < rows; r += 4) changes += start[r + 1] - start[r] != start[r] - start[r - 1];
  return changes > rows / 16;
}
#endif

}  // namespace pawl::PAWL_ISA_NS
