// runs_of_quads.kernel.hpp -- products of rows that are each the row before moved by one column, four or eight rows at
// a time, by AVX2.
//
// As runs.kernel.hpp has them by vectors of eight: x is read by whole vectors, no row is added up across its lanes, and
// no index is read but to see that the run goes on.
#pragma once
#include "kernels/sparse/csr.kernel.hpp"
#include "kernels/sparse/quad.hpp"

#if defined(PAWL_ISA_IS_avx2)
namespace pawl::PAWL_ISA_NS {

// Lane i of column c < M: the value c of row i, which begins at values[i * n].
template <std::size_t M>
PAWL_INLINE void quads_of_rows(const double* values, std::size_t n, __m256d* column) {
  const auto pairs = [&](std::size_t row, std::size_t at) PAWL_INLINE_LAMBDA {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(values + row * n + at)),
                                _mm_loadu_pd(values + (row + 2) * n + at), 1);
  };
  constexpr std::size_t kPairs = M / 2;
#pragma GCC unroll 2
  for (std::size_t p = 0; p < kPairs; ++p) {
    const __m256d a = pairs(0, 2 * p), b = pairs(1, 2 * p);
    column[2 * p] = _mm256_unpacklo_pd(a, b);
    column[2 * p + 1] = _mm256_unpackhi_pd(a, b);
  }
  if constexpr (M % 2 == 1) {
    const double* const at = values + M - 1;
    const __m128d low = _mm_loadh_pd(_mm_load_sd(at), at + n), high = _mm_loadh_pd(_mm_load_sd(at + 2 * n), at + 3 * n);
    column[M - 1] = _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
  }
}
template <std::size_t M>
PAWL_INLINE void quads_of_rows(const float* values, std::size_t n, __m128* column) {
  if constexpr (M == 4) {
    const __m128 a = _mm_loadu_ps(values), b = _mm_loadu_ps(values + n), c = _mm_loadu_ps(values + 2 * n),
                 d = _mm_loadu_ps(values + 3 * n);
    const __m128 ab = _mm_unpacklo_ps(a, b), cd = _mm_unpacklo_ps(c, d);
    const __m128 ba = _mm_unpackhi_ps(a, b), dc = _mm_unpackhi_ps(c, d);
    column[0] = _mm_movelh_ps(ab, cd);
    column[1] = _mm_movehl_ps(cd, ab);
    column[2] = _mm_movelh_ps(ba, dc);
    column[3] = _mm_movehl_ps(dc, ba);
  } else {
#pragma GCC unroll 3
    for (std::size_t c = 0; c < M; ++c) {
      const float* const at = values + c;
      column[c] = _mm_movelh_ps(_mm_unpacklo_ps(_mm_load_ss(at), _mm_load_ss(at + n)),
                                _mm_unpacklo_ps(_mm_load_ss(at + 2 * n), _mm_load_ss(at + 3 * n)));
    }
  }
}

// y[i] = sum over k < n of values[i * n + k] x[columns[k] + i] for i < 4 * Q.
template <std::size_t Q, std::size_t kAhead, class T, class I>
PAWL_INLINE void run_of_quads(const I* columns, const T* values, std::size_t n, const T* x, T* y) {
  if constexpr (kAhead > 0)
    for (std::size_t k = 0; k < 4 * Q * n; k += 8) fetch_ahead<kAhead>(columns + k, values + k);
  Quad<T> sum[Q];
  unroll<Q>([&](auto q) PAWL_INLINE_LAMBDA { sum[q] = quad_zero<T>(); });
  std::size_t k = 0;
  const auto add = [&]<std::size_t M>(std::integral_constant<std::size_t, M>) PAWL_INLINE_LAMBDA {
    unroll<Q>([&](auto q) PAWL_INLINE_LAMBDA {
      Quad<T> column[4];
      quads_of_rows<M>(values + 4 * q * n + k, n, column);
      unroll<M>([&](auto c) PAWL_INLINE_LAMBDA {
        sum[q] = quad_fma<T>(column[c], quad_load(x + columns[k + c] + 4 * q), sum[q]);
      });
    });
  };
  for (; k + 4 <= n; k += 4) add(std::integral_constant<std::size_t, 4>());
  switch (n % 4) {
    case 1:
      add(std::integral_constant<std::size_t, 1>());
      break;
    case 2:
      add(std::integral_constant<std::size_t, 2>());
      break;
    case 3:
      add(std::integral_constant<std::size_t, 3>());
      break;
    default:
      break;
  }
  unroll<Q>([&](auto q) PAWL_INLINE_LAMBDA { quad_store<T>(y + 4 * q, sum[q]); });
}

}  // namespace pawl::PAWL_ISA_NS
#endif
