// run_matrix.kernel.hpp -- eight moved rows times the moved rows they name, to eight rows of a sparse product: no
// column is looked up.
//
// Lanes are rows. The values of `a` and `b` are transposed as they come, the sums wait in L1, one vector for each entry
// that a row of the result has, and go back to the order of rows at the end.
#pragma once
#include "kernels/sparse/runs.kernel.hpp"
#include "kernels/sparse/sparse_table.hpp"

namespace pawl::PAWL_ISA_NS {

// columns[i * width + s] = first[s] + i.
template <class I>
PAWL_INLINE void moved_columns(const I* first, std::size_t width, std::size_t rows, I* columns) {
  for (std::size_t i = 0; i < rows; ++i) {
    const I by = static_cast<I>(i);
    for (std::size_t s = 0; s < width; ++s) columns[s] = static_cast<I>(first[s] + by);
    columns += width;
  }
}

// One row. Sums begin at -0, to which adding x gives x, whatever x is.
template <class T>
PAWL_INLINE void multiply_run_row(const T* a, std::size_t n, const RunFactor<T>* factors, std::size_t row,
                                  std::size_t width, T* out) {
  for (std::size_t s = 0; s < width; ++s) out[s] = T(-0.0);
  for (std::size_t k = 0; k < n; ++k) {
    const RunFactor<T>& f = factors[k];
    const T *const b = f.values + row * f.entries, factor = a[k];
    for (std::size_t m = 0; m < f.entries; ++m) out[f.slots[m]] += factor * b[m];
  }
}

#if defined(PAWL_ISA_IS_avx512)
template <class T>
struct RunLanes;
template <>
struct RunLanes<double> {
  using Value = __m512d;
  PAWL_INLINE static Value negative_zero() { return _mm512_set1_pd(-0.0); }
  PAWL_INLINE static Value add_product(Value sum, Value a, Value b) {
    return _mm512_add_pd(sum, _mm512_mul_pd(a, b));  // not fused: the result is that of any other way
  }
  // Lane i of sums[0 .. M) to out[i * width ..].
  template <std::size_t M>
  PAWL_INLINE static void store_rows(const Value* sums, double* out, std::size_t width) {
    constexpr auto mask = static_cast<__mmask8>((1u << M) - 1);
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                  high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    const Value a = sums[0], b = M > 1 ? sums[1] : a, c = M > 2 ? sums[2] : a, d = M > 3 ? sums[3] : a;
    const auto two_rows = [&](Value rows, std::size_t i) PAWL_INLINE_LAMBDA {
      const __m256d first = _mm512_castpd512_pd256(rows), second = _mm512_extractf64x4_pd(rows, 1);
      if constexpr (M == 4) {
        _mm256_storeu_pd(out + i * width, first);
        _mm256_storeu_pd(out + (i + 2) * width, second);
      } else {
        _mm256_mask_storeu_pd(out + i * width, mask, first);
        _mm256_mask_storeu_pd(out + (i + 2) * width, mask, second);
      }
    };
    const Value ab_even = _mm512_unpacklo_pd(a, b), cd_even = _mm512_unpacklo_pd(c, d);
    const Value ab_odd = _mm512_unpackhi_pd(a, b), cd_odd = _mm512_unpackhi_pd(c, d);
    two_rows(_mm512_permutex2var_pd(ab_even, low, cd_even), 0);
    two_rows(_mm512_permutex2var_pd(ab_odd, low, cd_odd), 1);
    two_rows(_mm512_permutex2var_pd(ab_even, high, cd_even), 4);
    two_rows(_mm512_permutex2var_pd(ab_odd, high, cd_odd), 5);
  }
};
template <>
struct RunLanes<float> {
  using Value = __m256;
  PAWL_INLINE static Value negative_zero() { return _mm256_set1_ps(-0.0F); }
  PAWL_INLINE static Value add_product(Value sum, Value a, Value b) { return _mm256_add_ps(sum, _mm256_mul_ps(a, b)); }
  template <std::size_t M>
  PAWL_INLINE static void store_rows(const Value* sums, float* out, std::size_t width) {
    constexpr auto mask = static_cast<__mmask8>((1u << M) - 1);
    const Value a = sums[0], b = M > 1 ? sums[1] : a, c = M > 2 ? sums[2] : a, d = M > 3 ? sums[3] : a;
    const auto two_rows = [&](Value rows, std::size_t i) PAWL_INLINE_LAMBDA {
      const __m128 first = _mm256_castps256_ps128(rows), second = _mm256_extractf128_ps(rows, 1);
      if constexpr (M == 4) {
        _mm_storeu_ps(out + i * width, first);
        _mm_storeu_ps(out + (i + 4) * width, second);
      } else {
        _mm_mask_storeu_ps(out + i * width, mask, first);
        _mm_mask_storeu_ps(out + (i + 4) * width, mask, second);
      }
    };
    const auto pairs = [](Value p, Value q) PAWL_INLINE_LAMBDA {
      return _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(p), _mm256_castps_pd(q)));
    };
    const auto other_pairs = [](Value p, Value q) PAWL_INLINE_LAMBDA {
      return _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(p), _mm256_castps_pd(q)));
    };
    const Value ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);
    const Value ab_high = _mm256_unpackhi_ps(a, b), cd_high = _mm256_unpackhi_ps(c, d);
    two_rows(pairs(ab, cd), 0);
    two_rows(other_pairs(ab, cd), 1);
    two_rows(pairs(ab_high, cd_high), 2);
    two_rows(other_pairs(ab_high, cd_high), 3);
  }
};

// Calls with(integral constant of how many, k) for n elements four at a time, then those that are left.
template <class With>
PAWL_INLINE void by_fours(std::size_t n, With with) {
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4) with(std::integral_constant<std::size_t, 4>(), k);
  switch (n - k) {
    case 1:
      return with(std::integral_constant<std::size_t, 1>(), k);
    case 2:
      return with(std::integral_constant<std::size_t, 2>(), k);
    case 3:
      return with(std::integral_constant<std::size_t, 3>(), k);
    default:
      return;
  }
}

template <class T>
PAWL_INLINE void multiply_eight_rows(const T* a, std::size_t n, const RunFactor<T>* factors, std::size_t row,
                                     std::size_t width, T* out) {
  using L = RunLanes<T>;
  typename L::Value sums[kRunProductWidth], column[4], factor[4];
  for (std::size_t s = 0; s < width; ++s) sums[s] = L::negative_zero();
  by_fours(n, [&](auto count, std::size_t k) PAWL_INLINE_LAMBDA {
    columns_of_rows<count, true>(a + k, n, kRunRows - 1, factor);
    for (std::size_t c = 0; c < count; ++c) {
      const RunFactor<T>& f = factors[k + c];
      const auto by = factor[c];
      by_fours(f.entries, [&](auto some, std::size_t m) PAWL_INLINE_LAMBDA {
        columns_of_rows<some, true>(f.values + row * f.entries + m, f.entries, kRunRows - 1, column);
        unroll<some>([&](auto i) PAWL_INLINE_LAMBDA {
          auto& sum = sums[f.slots[m + i]];
          sum = L::add_product(sum, by, column[i]);
        });
      });
    }
  });
  by_fours(width, [&](auto count, std::size_t s)
                      PAWL_INLINE_LAMBDA { L::template store_rows<count>(sums + s, out + s, width); });
}
#endif

template <class T, class I>
static void run_matrix_product(const T* a, std::size_t n, const RunFactor<T>* factors, std::size_t rows, const I* first,
                               std::size_t width, I* columns, T* values) noexcept {
  moved_columns(first, width, rows, columns);
  std::size_t row = 0;
#if defined(PAWL_ISA_IS_avx512)
  for (; row + kRunRows <= rows; row += kRunRows)
    multiply_eight_rows(a + row * n, n, factors, row, width, values + row * width);
#endif
  for (; row < rows; ++row) multiply_run_row(a + row * n, n, factors, row, width, values + row * width);
}

}  // namespace pawl::PAWL_ISA_NS
