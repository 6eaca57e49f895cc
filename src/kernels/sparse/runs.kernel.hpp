// runs.kernel.hpp -- runs of rows, each of which is the row before it moved by one column: where they end, and their
// products with vectors, eight rows at a time.
//
// Stencils and bands are made of such runs. Within one, x is read by whole vectors, and no row is added up across its
// lanes; what remains of CSR's order is a transposition of four columns of eight rows, 12 shuffles for 32 entries.
// Indices are read once, to see that the run goes on. Measured on Zen 5, f64, 5-point stencil of 10^4 rows, entries per
// ns: row by row 2.8, by runs 4.0 (of the time a half to find them), by diagonals, which a plan makes beforehand, 8.
#pragma once
#include "kernels/sparse/csr.kernel.hpp"
#include "kernels/sparse/sparse_table.hpp"

namespace pawl::PAWL_ISA_NS {

inline constexpr std::size_t kRunRows = 8;   // rows at a time: a vector of f64
inline constexpr std::size_t kLongRun = 48;  // entries of a row; longer ones lose nothing by being taken alone

#if defined(PAWL_ISA_IS_avx512)
// How many of n columns, from the first on, are one more than those of `before`: n if all are.
PAWL_INLINE std::size_t count_moved(const std::int32_t* before, const std::int32_t* columns, std::size_t n) {
  const __m512i one = _mm512_set1_epi32(1);
  for (std::size_t k = 0; k < n; k += 16) {
    const auto mask = static_cast<__mmask16>(n - k < 16 ? (1u << (n - k)) - 1 : 0xffffu);
    const __m512i moved = _mm512_add_epi32(_mm512_maskz_loadu_epi32(mask, before + k), one);
    const unsigned differ = _mm512_mask_cmpneq_epi32_mask(mask, moved, _mm512_maskz_loadu_epi32(mask, columns + k));
    if (differ != 0) return k + static_cast<std::size_t>(__builtin_ctz(differ));
  }
  return n;
}
PAWL_INLINE std::size_t count_moved(const std::int64_t* before, const std::int64_t* columns, std::size_t n) {
  const __m512i one = _mm512_set1_epi64(1);
  for (std::size_t k = 0; k < n; k += 8) {
    const auto mask = static_cast<__mmask8>(n - k < 8 ? (1u << (n - k)) - 1 : 0xffu);
    const __m512i moved = _mm512_add_epi64(_mm512_maskz_loadu_epi64(mask, before + k), one);
    const unsigned differ = _mm512_mask_cmpneq_epi64_mask(mask, moved, _mm512_maskz_loadu_epi64(mask, columns + k));
    if (differ != 0) return k + static_cast<std::size_t>(__builtin_ctz(differ));
  }
  return n;
}
// Whether all n are: no count, so no branch within 16 columns, and the last ones are looked at twice.
PAWL_INLINE bool all_moved(const std::int32_t* before, const std::int32_t* columns, std::size_t n) {
  if (n < 16) return count_moved(before, columns, n) == n;
  const __m512i one = _mm512_set1_epi32(1);
  const auto differ = [&](std::size_t k) PAWL_INLINE_LAMBDA {
    return _mm512_xor_si512(_mm512_add_epi32(_mm512_loadu_si512(before + k), one), _mm512_loadu_si512(columns + k));
  };
  __m512i any = differ(n - 16);
  for (std::size_t k = 0; k + 16 < n; k += 16) any = _mm512_or_si512(any, differ(k));
  return _mm512_test_epi32_mask(any, any) == 0;
}
PAWL_INLINE bool all_moved(const std::int64_t* before, const std::int64_t* columns, std::size_t n) {
  if (n < 8) return count_moved(before, columns, n) == n;
  const __m512i one = _mm512_set1_epi64(1);
  const auto differ = [&](std::size_t k) PAWL_INLINE_LAMBDA {
    return _mm512_xor_si512(_mm512_add_epi64(_mm512_loadu_si512(before + k), one), _mm512_loadu_si512(columns + k));
  };
  __m512i any = differ(n - 8);
  for (std::size_t k = 0; k + 8 < n; k += 8) any = _mm512_or_si512(any, differ(k));
  return _mm512_test_epi64_mask(any, any) == 0;
}
// Of start[0 .. 8], how many lengths from the first on are n: 8 if all are.
PAWL_INLINE std::size_t count_lengths(const std::int32_t* start, std::size_t n) {
  const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(start));
  const __m256i next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(start + 1));
  const unsigned differ =
      _mm256_cmpneq_epi32_mask(_mm256_sub_epi32(next, first), _mm256_set1_epi32(static_cast<int>(n)));
  return static_cast<std::size_t>(__builtin_ctz(differ | 0x100u));
}
PAWL_INLINE std::size_t count_lengths(const std::int64_t* start, std::size_t n) {
  const __m512i first = _mm512_loadu_si512(start), next = _mm512_loadu_si512(start + 1);
  const unsigned differ =
      _mm512_cmpneq_epi64_mask(_mm512_sub_epi64(next, first), _mm512_set1_epi64(static_cast<std::int64_t>(n)));
  return static_cast<std::size_t>(__builtin_ctz(differ | 0x100u));
}
#elif defined(PAWL_ISA_IS_avx2)
// All bits of the lanes of the vectors at p and q that are one apart.
PAWL_INLINE __m256i lanes_moved(const std::int32_t* p, const std::int32_t* q) {
  const __m256i before = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q));
  return _mm256_cmpeq_epi32(_mm256_sub_epi32(here, before), _mm256_set1_epi32(1));
}
PAWL_INLINE __m256i lanes_moved(const std::int64_t* p, const std::int64_t* q) {
  const __m256i before = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q));
  return _mm256_cmpeq_epi64(_mm256_sub_epi64(here, before), _mm256_set1_epi64x(1));
}
template <class I>
PAWL_INLINE std::size_t count_moved(const I* before, const I* columns, std::size_t n) {
  constexpr std::size_t W = 32 / sizeof(I);
  std::size_t k = 0;
  for (; k + W <= n; k += W) {
    const auto differ = ~static_cast<unsigned>(_mm256_movemask_epi8(lanes_moved(before + k, columns + k)));
    if (differ != 0) return k + static_cast<std::size_t>(__builtin_ctz(differ)) / sizeof(I);
  }
  while (k < n && columns[k] == before[k] + 1) ++k;
  return k;
}
// Whether all n are, the last ones looked at twice.
template <class I>
PAWL_INLINE bool all_moved(const I* before, const I* columns, std::size_t n) {
  constexpr std::size_t W = 32 / sizeof(I);
  if (n < W) return count_moved(before, columns, n) == n;
  __m256i all = lanes_moved(before + n - W, columns + n - W);
  for (std::size_t k = 0; k + W < n; k += W) all = _mm256_and_si256(all, lanes_moved(before + k, columns + k));
  return static_cast<unsigned>(_mm256_movemask_epi8(all)) == ~0u;
}
PAWL_INLINE std::size_t count_lengths(const std::int32_t* start, std::size_t n) {
  const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(start));
  const __m256i next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(start + 1));
  const __m256i equal = _mm256_cmpeq_epi32(_mm256_sub_epi32(next, first), _mm256_set1_epi32(static_cast<int>(n)));
  const auto differ = ~static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
  return static_cast<std::size_t>(__builtin_ctz(differ | 0x100u));
}
PAWL_INLINE std::size_t count_lengths(const std::int64_t* start, std::size_t n) {
  const auto equal = [&](std::size_t i) PAWL_INLINE_LAMBDA {
    const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(start + i));
    const __m256i next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(start + i + 1));
    const __m256i same =
        _mm256_cmpeq_epi64(_mm256_sub_epi64(next, first), _mm256_set1_epi64x(static_cast<std::int64_t>(n)));
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(same)));
  };
  return static_cast<std::size_t>(__builtin_ctz(~(equal(0) | equal(4) << 4) | 0x100u));
}
#else
template <class I>
PAWL_INLINE std::size_t count_moved(const I* before, const I* columns, std::size_t n) {
  std::size_t k = 0;
  while (k < n && columns[k] == before[k] + 1) ++k;
  return k;
}
template <class I>
PAWL_INLINE bool all_moved(const I* before, const I* columns, std::size_t n) {
  return count_moved(before, columns, n) == n;
}
template <class I>
PAWL_INLINE std::size_t count_lengths(const I* start, std::size_t n) {
  std::size_t i = 0;
  while (i < kRunRows && static_cast<std::size_t>(start[i + 1] - start[i]) == n) ++i;
  return i;
}
#endif

// How many rows from `row` on, at most 8 and before `last`, are each the row before moved by one column. 1 for empty
// rows and for those of more than kLongRun entries.
template <class I>
PAWL_INLINE std::size_t rows_of_run(const I* start, const I* columns, std::size_t row, std::size_t last) {
  const auto k = static_cast<std::size_t>(start[row]), n = static_cast<std::size_t>(start[row + 1]) - k;
  if (n == 0 || n > kLongRun) return 1;
  std::size_t rows = 1;
  if (last - row >= kRunRows) {
    rows = count_lengths(start + row, n);
  } else {
    while (rows < last - row && static_cast<std::size_t>(start[row + rows + 1] - start[row + rows]) == n) ++rows;
  }
  if (__builtin_expect(rows == kRunRows && all_moved(columns + k, columns + k + n, (kRunRows - 1) * n), 1))
    return kRunRows;
  return count_moved(columns + k, columns + k + n, (rows - 1) * n) / n + 1;
}

// How many rows from `row` on, at most 8 and before `last`, are each the row before moved by one column, the first one
// too, where the row before `row` has n entries.
template <class I>
PAWL_INLINE std::size_t rows_moved_on(const I* start, const I* columns, std::size_t row, std::size_t last,
                                      std::size_t n) {
  const auto k = static_cast<std::size_t>(start[row]);
  std::size_t rows = 0;
  if (last - row >= kRunRows) {
    rows = count_lengths(start + row, n);
    if (__builtin_expect(rows == kRunRows && all_moved(columns + k - n, columns + k, kRunRows * n), 1)) return kRunRows;
  } else {
    while (rows < last - row && static_cast<std::size_t>(start[row + rows + 1] - start[row + rows]) == n) ++rows;
  }
  return count_moved(columns + k - n, columns + k, rows * n) / n;
}

// The first row behind `row`, at most `last`, that is not the row before it moved by one column.
template <class I>
static std::size_t end_of_run(const I* start, const I* columns, std::size_t row, std::size_t last) noexcept {
  for (;;) {
    const std::size_t rows = rows_of_run(start, columns, row, last);
    if (__builtin_expect(rows < kRunRows, 0)) return row + rows;
    row += kRunRows - 1;  // the last of them is the first of the next
  }
}

#if defined(PAWL_ISA_IS_avx512)
// Lane i of columns[k]: the value k < M of the row i, which begins at values[i * stride]; rows after the last are that
// again.
template <std::size_t M, bool kWhole>
PAWL_INLINE void columns_of_rows(const double* values, std::size_t stride, std::size_t last, __m512d (&columns)[4]) {
  constexpr auto mask = static_cast<__mmask8>((1u << M) - 1);
  const auto two = [&](std::size_t i) PAWL_INLINE_LAMBDA {
    const double* const low = values + (kWhole || i < last ? i : last) * stride;
    const double* const high = values + (kWhole || i + 4 < last ? i + 4 : last) * stride;
    if constexpr (M == 4)
      return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(low)), _mm256_loadu_pd(high), 1);
    else
      return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_maskz_loadu_pd(mask, low)),
                                _mm256_maskz_loadu_pd(mask, high), 1);
  };
  const __m512d a = two(0), b = two(1), c = two(2), d = two(3);
  const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  const __m512d ab = _mm512_unpacklo_pd(a, b), cd = _mm512_unpacklo_pd(c, d);
  columns[0] = _mm512_permutex2var_pd(ab, even, cd);
  if constexpr (M > 2) columns[2] = _mm512_permutex2var_pd(ab, odd, cd);
  if constexpr (M > 1) {
    const __m512d ba = _mm512_unpackhi_pd(a, b), dc = _mm512_unpackhi_pd(c, d);
    columns[1] = _mm512_permutex2var_pd(ba, even, dc);
    if constexpr (M > 3) columns[3] = _mm512_permutex2var_pd(ba, odd, dc);
  }
}
template <std::size_t M, bool kWhole>
PAWL_INLINE void columns_of_rows(const float* values, std::size_t stride, std::size_t last, __m256 (&columns)[4]) {
  constexpr auto mask = static_cast<__mmask8>((1u << M) - 1);
  const auto two = [&](std::size_t i) PAWL_INLINE_LAMBDA {
    const float* const low = values + (kWhole || i < last ? i : last) * stride;
    const float* const high = values + (kWhole || i + 4 < last ? i + 4 : last) * stride;
    if constexpr (M == 4)
      return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
    else
      return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_maskz_loadu_ps(mask, low)), _mm_maskz_loadu_ps(mask, high),
                                  1);
  };
  const auto pairs_low = [](__m256 p, __m256 q) PAWL_INLINE_LAMBDA {
    return _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(p), _mm256_castps_pd(q)));
  };
  const auto pairs_high = [](__m256 p, __m256 q) PAWL_INLINE_LAMBDA {
    return _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(p), _mm256_castps_pd(q)));
  };
  const __m256 a = two(0), b = two(1), c = two(2), d = two(3);
  const __m256 ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);
  columns[0] = pairs_low(ab, cd);
  if constexpr (M > 1) columns[1] = pairs_high(ab, cd);
  if constexpr (M > 2) {
    const __m256 ba = _mm256_unpackhi_ps(a, b), dc = _mm256_unpackhi_ps(c, d);
    columns[2] = pairs_low(ba, dc);
    if constexpr (M > 3) columns[3] = pairs_high(ba, dc);
  }
}

// The sums of eight rows; lanes that are not in `mask` are neither read nor written.
template <bool kWhole>
struct Eight {
  PAWL_INLINE static __m512d zero(const double*) { return _mm512_setzero_pd(); }
  PAWL_INLINE static __m256 zero(const float*) { return _mm256_setzero_ps(); }
  PAWL_INLINE static __m512d add(__m512d values, const double* x, __m512d sum, __mmask8 mask) {
    return _mm512_fmadd_pd(values, kWhole ? _mm512_loadu_pd(x) : _mm512_maskz_loadu_pd(mask, x), sum);
  }
  PAWL_INLINE static __m256 add(__m256 values, const float* x, __m256 sum, __mmask8 mask) {
    return _mm256_fmadd_ps(values, kWhole ? _mm256_loadu_ps(x) : _mm256_maskz_loadu_ps(mask, x), sum);
  }
  PAWL_INLINE static void store(double* y, __m512d sum, __mmask8 mask) {
    kWhole ? _mm512_storeu_pd(y, sum) : _mm512_mask_storeu_pd(y, mask, sum);
  }
  PAWL_INLINE static void store(float* y, __m256 sum, __mmask8 mask) {
    kWhole ? _mm256_storeu_ps(y, sum) : _mm256_mask_storeu_ps(y, mask, sum);
  }
};

// y[i + j * ldy] = sum over k < n of values[i * n + k] x[columns[k] + i + j * ldx] for i < rows <= 8 and j < W vectors.
// n % 4 == M. kWhole: rows is 8.
template <std::size_t M, std::size_t W, bool kWhole, std::size_t kAhead, class T, class I>
PAWL_INLINE void run_block(const I* columns, const T* values, std::size_t n, const T* x, std::size_t ldx, T* y,
                           std::size_t ldy, std::size_t rows) {
  using Lanes = Eight<kWhole>;
  using Sum = decltype(Lanes::zero(x));
  const auto mask = static_cast<__mmask8>((1u << rows) - 1);
  if constexpr (kAhead > 0) {
    for (std::size_t k = 0; k < kRunRows * n; k += 8) fetch_ahead<kAhead>(columns + k, values + k);
    // x as well, along the last diagonal: no load of it is far enough ahead of the matrix.
    constexpr std::size_t kBytesAhead = 1024;
    const auto at = reinterpret_cast<std::uintptr_t>(x + columns[n - 1]) + kBytesAhead;
    __builtin_prefetch(reinterpret_cast<const void*>(at));
  }
  Sum sum[W], column[4];
  unroll<W>([&](auto j) PAWL_INLINE_LAMBDA { sum[j] = Lanes::zero(x); });
  std::size_t k = 0;
  const auto add = [&]<std::size_t C>(std::integral_constant<std::size_t, C>) PAWL_INLINE_LAMBDA {
    columns_of_rows<C, kWhole>(values + k, n, rows - 1, column);
    unroll<C>([&](auto c) PAWL_INLINE_LAMBDA {
      const T* const at = x + columns[k + c];
      unroll<W>([&](auto j) PAWL_INLINE_LAMBDA { sum[j] = Lanes::add(column[c], at + j * ldx, sum[j], mask); });
    });
  };
  for (; k + 4 <= n; k += 4) add(std::integral_constant<std::size_t, 4>());
  if constexpr (M > 0) add(std::integral_constant<std::size_t, M>());
  unroll<W>([&](auto j) PAWL_INLINE_LAMBDA { Lanes::store(y + j * ldy, sum[j], mask); });
}

// The same for any n and rows.
template <std::size_t W, std::size_t kAhead, class T, class I>
PAWL_INLINE void run_product(const I* columns, const T* values, std::size_t n, const T* x, std::size_t ldx, T* y,
                             std::size_t ldy, std::size_t rows) {
  const auto by = [&]<std::size_t M>(std::integral_constant<std::size_t, M>) PAWL_INLINE_LAMBDA {
    rows == kRunRows ? run_block<M, W, true, kAhead>(columns, values, n, x, ldx, y, ldy, kRunRows)
                     : run_block<M, W, false, 0>(columns, values, n, x, ldx, y, ldy, rows);
  };
  switch (n % 4) {
    case 0:
      return by(std::integral_constant<std::size_t, 0>());
    case 1:
      return by(std::integral_constant<std::size_t, 1>());
    case 2:
      return by(std::integral_constant<std::size_t, 2>());
    default:
      return by(std::integral_constant<std::size_t, 3>());
  }
}
#endif

// Whether half of the rows of a chunk, or more, are in runs: up to four places are looked at. AVX2 gains less by runs
// than it loses where they end, so 16 rows have to be alike in length there (Emerald Rapids, f64, beside Eigen, by runs
// and row by row: 7 points, lines of 10 points 0.8 to 0.9 and 1.13, of 21 0.8 to 1.0 and 1.13; 5 points, lines of 100
// 1.37 and 1.13).
template <class I>
PAWL_INLINE bool has_runs(const I* start, const I* columns, std::size_t rows) {
#if defined(PAWL_ISA_IS_avx2)
  constexpr std::size_t kAlike = 2 * kRunRows;
#else
  constexpr std::size_t kAlike = 0;
#endif
  if (rows < 16 + kAlike) return false;
  std::size_t moved = 0;
  for (std::size_t p = 0; p < 4; ++p) {
    const std::size_t row = rows / 4 * p + rows / 8;
    const I* const at = start + (row + kAlike <= rows ? row : rows - kAlike);
    const auto k = static_cast<std::size_t>(at[0]), next = static_cast<std::size_t>(at[1]), n = next - k;
    bool alike = n > 0 && n <= kLongRun && static_cast<std::size_t>(at[2]) - next == n;
    if constexpr (kAlike > 0)
      alike = alike && count_lengths(at, n) == kRunRows && count_lengths(at + kRunRows, n) == kRunRows;
    moved += alike && count_moved(columns + k, columns + next, n) == n;
    if (moved == 2) return true;
  }
  return false;
}

}  // namespace pawl::PAWL_ISA_NS
