// transposed.kernel.hpp -- y += A^T x for rows in CSR: two entries at a time, by eight moved rows, or by four with
// equal columns.
//
// Within a run of rows, the entries of one diagonal are added to y as one vector. Diagonals that lie beside each other
// overlap there, and a load from what two stores have just written waits for both; so they are added up in registers
// first, each moved by a lane against the one before, and what reaches beyond the eight rows is kept for the next
// eight.
#pragma once
#include "kernels/sparse/pair.hpp"
#include "kernels/sparse/quad.hpp"
#include "kernels/sparse/runs.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

PAWL_INLINE double multiply_add(double a, double b, double c) {
#if defined(PAWL_ISA_IS_avx2) || defined(PAWL_ISA_IS_avx512)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}
PAWL_INLINE float multiply_add(float a, float b, float c) {
#if defined(PAWL_ISA_IS_avx2) || defined(PAWL_ISA_IS_avx512)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

// kPairs: two entries at a time, whose columns differ.
template <bool kPairs, class T, class I>
PAWL_INLINE void add_row(const I* columns, const T* values, std::size_t n, T factor, T* y) {
  const Pair<T> factors = Pair<T>::set(factor);
  std::size_t k = 0;
  for (; kPairs && k + 2 <= n; k += 2) {
    const TwoIndices at = two_indices(columns + k);
    T *const a = y + at.first, *const b = y + at.second;
    Pair<T>::multiply_add(factors, Pair<T>::load(values + k), Pair<T>::load(a, b)).store(a, b);
  }
  for (; k < n; ++k) y[columns[k]] = multiply_add(factor, values[k], y[columns[k]]);
}

#if defined(PAWL_ISA_IS_avx512)
// Eight lanes of f64 or f32 with masks.
template <class T>
struct Lanes8;
template <>
struct Lanes8<double> {
  using Value = __m512d;
  PAWL_INLINE static Value zero() { return _mm512_setzero_pd(); }
  PAWL_INLINE static Value load(const double* p) { return _mm512_loadu_pd(p); }
  PAWL_INLINE static Value load(const double* p, __mmask8 mask) { return _mm512_maskz_loadu_pd(mask, p); }
  PAWL_INLINE static void store(double* p, Value v) { _mm512_storeu_pd(p, v); }
  PAWL_INLINE static void store(double* p, __mmask8 mask, Value v) { _mm512_mask_storeu_pd(p, mask, v); }
  PAWL_INLINE static Value multiply(Value a, Value b) { return _mm512_mul_pd(a, b); }
  PAWL_INLINE static Value add(Value a, Value b) { return _mm512_add_pd(a, b); }
  PAWL_INLINE static Value add(Value a, Value b, __mmask8 mask) { return _mm512_mask_add_pd(a, mask, a, b); }
  // Lane i becomes lane i + by, modulo 8.
  PAWL_INLINE static Value rotate(Value v, std::size_t by) {
    const __m512i from =
        _mm512_sub_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(static_cast<std::int64_t>(by)));
    return _mm512_permutexvar_pd(from, v);
  }
};
template <>
struct Lanes8<float> {
  using Value = __m256;
  PAWL_INLINE static Value zero() { return _mm256_setzero_ps(); }
  PAWL_INLINE static Value load(const float* p) { return _mm256_loadu_ps(p); }
  PAWL_INLINE static Value load(const float* p, __mmask8 mask) { return _mm256_maskz_loadu_ps(mask, p); }
  PAWL_INLINE static void store(float* p, Value v) { _mm256_storeu_ps(p, v); }
  PAWL_INLINE static void store(float* p, __mmask8 mask, Value v) { _mm256_mask_storeu_ps(p, mask, v); }
  PAWL_INLINE static Value multiply(Value a, Value b) { return _mm256_mul_ps(a, b); }
  PAWL_INLINE static Value add(Value a, Value b) { return _mm256_add_ps(a, b); }
  PAWL_INLINE static Value add(Value a, Value b, __mmask8 mask) { return _mm256_mask_add_ps(a, mask, a, b); }
  PAWL_INLINE static Value rotate(Value v, std::size_t by) {
    const __m256i from =
        _mm256_sub_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(static_cast<std::int32_t>(by)));
    return _mm256_permutexvar_ps(from, v);
  }
};

// The diagonals of a run: those beside each other, at most eight, are a group.
struct DiagonalGroup {
  std::size_t first, width;
};
template <class I>
PAWL_INLINE std::size_t groups_of(const I* columns, std::size_t n, DiagonalGroup* groups) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < n; k += groups[count++].width) {
    std::size_t width = 1;
    while (width < 8 && k + width < n && columns[k + width] == columns[k] + static_cast<I>(width)) ++width;
    groups[count] = {k, width};
  }
  return count;
}

// products[k], lane i: the value k of row i times factor i.
template <class T>
PAWL_INLINE void run_products(const T* values, std::size_t n, typename Lanes8<T>::Value factors,
                              typename Lanes8<T>::Value* products) {
  typename Lanes8<T>::Value column[4];
  std::size_t k = 0;
  const auto some = [&]<std::size_t M>(std::integral_constant<std::size_t, M>) PAWL_INLINE_LAMBDA {
    columns_of_rows<M, true>(values + k, n, kRunRows - 1, column);
    unroll<M>([&](auto c) PAWL_INLINE_LAMBDA { products[k + c] = Lanes8<T>::multiply(column[c], factors); });
  };
  for (; k + 4 <= n; k += 4) some(std::integral_constant<std::size_t, 4>());
  switch (n % 4) {
    case 1:
      return some(std::integral_constant<std::size_t, 1>());
    case 2:
      return some(std::integral_constant<std::size_t, 2>());
    case 3:
      return some(std::integral_constant<std::size_t, 3>());
    default:
      return;
  }
}

// `rows` moved rows of n entries, a multiple of 8, of which the first has these columns.
template <class T, class I>
static void add_run(const I* columns, const T* values, std::size_t n, const T* x, T* y, std::size_t rows) noexcept {
  using L = Lanes8<T>;
  DiagonalGroup groups[kLongRun];
  const std::size_t count = groups_of(columns, n, groups);
  typename L::Value products[kLongRun], carried[kLongRun];
  for (std::size_t g = 0; g < count; ++g) carried[g] = L::zero();
  for (std::size_t row = 0; row < rows; row += kRunRows, y += kRunRows) {
    run_products(values + row * n, n, L::load(x + row), products);
    for (std::size_t g = 0; g < count; ++g) {
      const auto [first, width] = groups[g];
      T* const to = y + columns[first];
      auto low = products[first];
      if (width > 1) {
        low = L::add(low, carried[g]);
        auto high = L::zero();
        for (std::size_t j = 1; j < width; ++j) {
          const auto moved = L::rotate(products[first + j], j);
          const auto stays = static_cast<__mmask8>(0xffu << j);
          low = L::add(low, moved, stays);
          high = L::add(high, moved, static_cast<__mmask8>(~stays));
        }
        carried[g] = high;
      }
      L::store(to, L::add(L::load(to), low));
    }
  }
  for (std::size_t g = 0; g < count; ++g) {
    const auto beyond = static_cast<__mmask8>((1u << (groups[g].width - 1)) - 1);
    T* const to = y + columns[groups[g].first];
    if (beyond != 0) L::store(to, beyond, L::add(L::load(to, beyond), carried[g]));
  }
}

// Four rows with the same columns: their products are added up before y is touched.
template <class T, class I>
PAWL_INLINE void add_equal_rows(const I* columns, const T* values, std::size_t n, const T* x, T* y) {
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4) {
    Quad<T> sum = quad_mul<T>(quad_load(values + k), quad_set(x[0]));
    sum = quad_fma<T>(quad_load(values + n + k), quad_set(x[1]), sum);
    sum = quad_fma<T>(quad_load(values + 2 * n + k), quad_set(x[2]), sum);
    sum = quad_fma<T>(quad_load(values + 3 * n + k), quad_set(x[3]), sum);
    alignas(32) T sums[4];
    quad_store<T>(sums, sum);
    for (std::size_t i = 0; i < 4; ++i) y[columns[k + i]] += sums[i];
  }
  for (; k < n; ++k)
    y[columns[k]] += x[0] * values[k] + x[1] * values[n + k] + x[2] * values[2 * n + k] + x[3] * values[3 * n + k];
}

// Whether the rows [row, row + 4) have the same columns.
template <class I>
PAWL_INLINE bool four_equal_rows(const I* start, const I* columns, std::size_t row) {
  const auto k = static_cast<std::size_t>(start[row]), n = static_cast<std::size_t>(start[row + 1]) - k;
  for (std::size_t i = 1; i < 4; ++i)
    if (static_cast<std::size_t>(start[row + i + 1]) != k + (i + 1) * n) return false;
  for (std::size_t i = 0; i < n; ++i)
    if (columns[k + i] != columns[k + n + i] || columns[k + i] != columns[k + 2 * n + i] ||
        columns[k + i] != columns[k + 3 * n + i])
      return false;
  return true;
}
#endif

template <class T, class I>
static void add_rows(const I* start, const I* columns, const T* values, const T* x, T* y, std::size_t begin,
                     std::size_t end, [[maybe_unused]] RowLikeness likeness, bool rewritten) noexcept {
  const auto entries = [&](std::size_t row) PAWL_INLINE_LAMBDA {
    return static_cast<std::size_t>(start[row + 1]) - static_cast<std::size_t>(start[row]);
  };
  const auto add = [&]<bool Pairs>(std::size_t row, std::bool_constant<Pairs>) PAWL_INLINE_LAMBDA {
    const auto k = static_cast<std::size_t>(start[row]);
    add_row<Pairs>(columns + k, values + k, entries(row), x[row], y);
  };
  // Where the row before has just written the sums of a row, each waits for one store, and as half of a pair for two,
  // which costs more than the row if that is short. Time one by one over time in pairs (Zen 4, f64, AVX2, 10^4 rows):
  // random 1.19, power law 1.09, band 1.16, 2D stencil 0.85.
  constexpr std::size_t kShort = 8;
  const auto alone = [&](std::size_t row) PAWL_INLINE_LAMBDA {
    if (rewritten && entries(row) < kShort)
      add(row, std::false_type());
    else
      add(row, std::true_type());
  };
  std::size_t row = begin;
#if defined(PAWL_ISA_IS_avx512)
  if (likeness == RowLikeness::moved) {
    while (row < end) {
      const auto k = static_cast<std::size_t>(start[row]);
      const std::size_t next = end_of_run(start, columns, row, end);
      const std::size_t whole = (next - row) / kRunRows * kRunRows;  // the rest is not worth a block
      if (whole > 0) add_run(columns + k, values + k, entries(row), x + row, y, whole);
      for (row += whole; row < next; ++row) alone(row);
    }
  } else if (likeness == RowLikeness::equal) {
    while (row < end) {
      if (end - row >= 4 && four_equal_rows(start, columns, row)) {
        const auto k = static_cast<std::size_t>(start[row]);
        add_equal_rows(columns + k, values + k, entries(row), x + row, y);
        row += 4;
      } else {
        alone(row++);
      }
    }
  }
#endif
  for (; row < end; ++row) alone(row);
}

// Rows of unlike lengths whose sums lie beyond L2: at the end of a row that was not foreseen the core drops the loads
// that it had begun, so the sums of entries to come are asked for, and the entries themselves, which keeps the stream
// of the matrix going meanwhile. 1.19 times as fast for 10^6 rows (Zen 4; 0.95 and 1.07 by requests for writing, with
// one for the matrix a row); rows of one length took 1.14 times as long. The first row that was not added.
template <class T, class I>
static std::size_t add_rows_ahead(const I* start, const I* columns, const T* values, const T* x, T* y,
                                  std::size_t begin, std::size_t end) noexcept {
  constexpr std::size_t kSumsAhead = 48, kEntriesAhead = 512;
  const auto last = static_cast<std::size_t>(start[end]);
  std::size_t row = begin;
  for (; row < end; ++row) {
    const auto k = static_cast<std::size_t>(start[row]), next = static_cast<std::size_t>(start[row + 1]);
    if (next + kSumsAhead > last) break;
    const T factor = x[row];
    for (std::size_t i = k; i < next; ++i) {
      prefetch(values + i + kEntriesAhead);
      prefetch(columns + i + kEntriesAhead);
      prefetch(y + columns[i + kSumsAhead]);
      y[columns[i]] = multiply_add(factor, values[i], y[columns[i]]);
    }
  }
  return row;
}

// Rows of so few entries that what is done once a row takes most of the time: ns per entry of a tridiagonal matrix of
// 100 rows 1.7 by pairs, 0.7 by this, of one a row 1.0 and 0.76, of an arrow 1.6 and 1.4 (Zen 5).
template <class T, class I>
static void add_short_rows(const I* start, const I* columns, const T* values, const T* x, T* y, std::size_t begin,
                           std::size_t end) noexcept {
  auto k = static_cast<std::size_t>(start[begin]);
  for (std::size_t row = begin; row < end; ++row) {
    const T factor = x[row];
    for (const auto next = static_cast<std::size_t>(start[row + 1]); k < next; ++k)
      y[columns[k]] = multiply_add(factor, values[k], y[columns[k]]);
  }
}

#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
// Rows of unlike lengths: each entry gets its factor first, by whole vectors, so that no loop ends where a row does.
// The end of a row that is not foreseen costs as much as five entries (Emerald Rapids, 1 to 20 random columns, 10^4
// rows).
template <class T, class I>
static void add_unlike_rows(const I* start, const I* columns, const T* values, const T* x, T* y, std::size_t begin,
                            std::size_t end) noexcept {
  constexpr std::size_t kRows = 64, kEntries = 2048, W = lanes<T>, kAtOnce = 24;
  alignas(64) T factors[kEntries + kAtOnce + W];
  for (std::size_t row = begin; row < end;) {
    const std::size_t last = end - row < kRows ? end : row + kRows;
    auto k = static_cast<std::size_t>(start[row]);
    const std::size_t n = static_cast<std::size_t>(start[last]) - k;
    if (n > kEntries) {
      add_rows(start, columns, values, x, y, row, last, RowLikeness::none, false);
      row = last;
      continue;
    }
    T* to = factors;
    for (; row < last; ++row) {
      const std::size_t length = static_cast<std::size_t>(start[row + 1]) - static_cast<std::size_t>(start[row]);
      const Vec<T> factor(x[row]);
      unroll<kAtOnce / W>([&](auto v) PAWL_INLINE_LAMBDA { store<T>(to + v * W, factor); });
      if constexpr (kAtOnce % W != 0) store<T>(to + kAtOnce - W, factor);
      for (std::size_t i = kAtOnce; i < length; i += W) store<T>(to + i, factor);
      to += length;
    }
    const I* const column = columns + k;
    const T* const value = values + k;
    std::size_t i = 0;
    for (; i + 2 <= n; i += 2) {
      const TwoIndices at = two_indices(column + i);
      T *const a = y + at.first, *const b = y + at.second;
      if (__builtin_expect(a == b, 0)) {  // the last of a row and the first of the next
        *a = multiply_add(factors[i], value[i], *a);
        *a = multiply_add(factors[i + 1], value[i + 1], *a);
        continue;
      }
      Pair<T>::multiply_add(Pair<T>::load(factors + i), Pair<T>::load(value + i), Pair<T>::load(a, b)).store(a, b);
    }
    if (i < n) y[column[i]] = multiply_add(factors[i], value[i], y[column[i]]);
  }
}
#endif

template <class T, class I>
static void csr_transposed(const I* start, const I* columns, const T* values, const T* x, T* y, std::size_t begin,
                           std::size_t end, RowLikeness likeness, bool rewritten, bool ahead,
                           [[maybe_unused]] bool unlike) noexcept {
  constexpr std::size_t kFewEntries = 4;
  const auto entries = static_cast<std::size_t>(start[end]) - static_cast<std::size_t>(start[begin]);
  if (ahead)
    begin = add_rows_ahead(start, columns, values, x, y, begin, end);
  else if (likeness == RowLikeness::none && entries < kFewEntries * (end - begin))
    return add_short_rows(start, columns, values, x, y, begin, end);
#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
  if (unlike) return add_unlike_rows(start, columns, values, x, y, begin, end);
#endif
  add_rows(start, columns, values, x, y, begin, end, likeness, rewritten);
}

}  // namespace pawl::PAWL_ISA_NS
