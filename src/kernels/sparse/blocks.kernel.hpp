// blocks.kernel.hpp -- y = A x for blocks of 2, 3, 4 or 8 rows and columns (BSR).
#pragma once
#include "kernels/sparse/csr.kernel.hpp"
#include "kernels/sparse/quad.hpp"
#include "kernels/sparse/sparse_table.hpp"

namespace pawl::PAWL_ISA_NS {

// Any block size: B sums, each block's x once.
template <std::size_t B, class T, class I>
static void block_rows_of(const I* start, const I* columns, const T* values, const T* x, const T* x_last, I last, T* y,
                          std::size_t begin, std::size_t end) noexcept {
  for (std::size_t r = begin; r < end; ++r) {
    T sum[B] = {};
    for (auto k = static_cast<std::size_t>(start[r]); k < static_cast<std::size_t>(start[r + 1]); ++k) {
      const T* const from = columns[k] == last ? x_last : x + static_cast<std::size_t>(columns[k]) * B;
      const T* const block = values + k * B * B;
      for (std::size_t i = 0; i < B; ++i)
        for (std::size_t j = 0; j < B; ++j) sum[i] += block[i * B + j] * from[j];
    }
    for (std::size_t i = 0; i < B; ++i) y[r * B + i] = sum[i];
  }
}

#if defined(PAWL_ISA_IS_avx2) || defined(PAWL_ISA_IS_avx512)
// 4 x 4: a sum of four lanes per row, which are added at the end.
template <class T, class I>
static void block_rows_of_4(const I* start, const I* columns, const T* values, const T* x, const T* x_last, I last,
                            T* y, std::size_t begin, std::size_t end) noexcept {
  for (std::size_t r = begin; r < end; ++r) {
#if defined(PAWL_ISA_IS_avx512)
    if constexpr (sizeof(T) == 8) {
      __m512d upper = _mm512_setzero_pd(), lower = upper;
      for (auto k = static_cast<std::size_t>(start[r]); k < static_cast<std::size_t>(start[r + 1]); ++k) {
        const T* const from = columns[k] == last ? x_last : x + static_cast<std::size_t>(columns[k]) * 4;
        const T* const block = values + k * 16;
        prefetch(reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(block) + kFetchAhead * sizeof(T)));
        prefetch(reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(block + 8) + kFetchAhead * sizeof(T)));
        const __m512d both = _mm512_broadcast_f64x4(_mm256_loadu_pd(from));
        upper = _mm512_fmadd_pd(_mm512_loadu_pd(block), both, upper);
        lower = _mm512_fmadd_pd(_mm512_loadu_pd(block + 8), both, lower);
      }
      y[r * 4 + 0] = quad_sum<T>(_mm512_castpd512_pd256(upper));
      y[r * 4 + 1] = quad_sum<T>(_mm512_extractf64x4_pd(upper, 1));
      y[r * 4 + 2] = quad_sum<T>(_mm512_castpd512_pd256(lower));
      y[r * 4 + 3] = quad_sum<T>(_mm512_extractf64x4_pd(lower, 1));
      continue;
    }
#endif
    Quad<T> sum[4] = {quad_zero<T>(), quad_zero<T>(), quad_zero<T>(), quad_zero<T>()};
    for (auto k = static_cast<std::size_t>(start[r]); k < static_cast<std::size_t>(start[r + 1]); ++k) {
      const T* const from = columns[k] == last ? x_last : x + static_cast<std::size_t>(columns[k]) * 4;
      const T* const block = values + k * 16;
      const Quad<T> four = quad_load(from);
      unroll<4>([&](auto i) PAWL_INLINE_LAMBDA { sum[i] = quad_fma<T>(quad_load(block + 4 * i), four, sum[i]); });
    }
    unroll<4>([&](auto i) PAWL_INLINE_LAMBDA { y[r * 4 + i] = quad_sum<T>(sum[i]); });
  }
}
#endif

#if defined(PAWL_ISA_IS_avx2) || defined(PAWL_ISA_IS_avx512)
// x[0], x[1], x[0], x[1].
PAWL_INLINE Quad<double> pair_twice(const double* x) {
  return _mm256_broadcast_pd(reinterpret_cast<const __m128d*>(x));
}
PAWL_INLINE Quad<float> pair_twice(const float* x) {
  const __m128 pair = _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x)));
  return _mm_movelh_ps(pair, pair);
}

// 2 x 2: both rows in one vector, one sum for every other block, since one would wait for itself.
template <class T, class I>
static void block_rows_of_2(const I* start, const I* columns, const T* values, const T* x, const T* x_last, I last,
                            T* y, std::size_t begin, std::size_t end) noexcept {
  for (std::size_t r = begin; r < end; ++r) {
    Quad<T> even = quad_zero<T>(), odd = even;
    auto k = static_cast<std::size_t>(start[r]);
    const auto to = static_cast<std::size_t>(start[r + 1]);
    const auto x_of = [=](std::size_t block) PAWL_INLINE_LAMBDA {
      return pair_twice(columns[block] == last ? x_last : x + static_cast<std::size_t>(columns[block]) * 2);
    };
    for (; k + 2 <= to; k += 2) {
      even = quad_fma<T>(quad_load(values + k * 4), x_of(k), even);
      odd = quad_fma<T>(quad_load(values + k * 4 + 4), x_of(k + 1), odd);
    }
    if (k < to) even = quad_fma<T>(quad_load(values + k * 4), x_of(k), even);
    alignas(32) T sum[4];
    quad_store<T>(sum, quad_add<T>(even, odd));
    y[r * 2] = sum[0] + sum[1];
    y[r * 2 + 1] = sum[2] + sum[3];
  }
}
#endif

#if defined(PAWL_ISA_IS_avx512)
// 3 x 3: a block is one vector, and of f64 one value more.
template <class T, class I>
static void block_rows_of_3(const I* start, const I* columns, const T* values, const T* x, const T* x_last, I last,
                            T* y, std::size_t begin, std::size_t end) noexcept {
  for (std::size_t r = begin; r < end; ++r) {
    T sum[16] = {}, ninth = 0;
    Vec<T> sums(T(0));
    for (auto k = static_cast<std::size_t>(start[r]); k < static_cast<std::size_t>(start[r + 1]); ++k) {
      const T* const from = columns[k] == last ? x_last : x + static_cast<std::size_t>(columns[k]) * 3;
      const T* const block = values + k * 9;
      prefetch(reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(block) + kFetchAhead * sizeof(T)));
      if constexpr (sizeof(T) == 8) {
        const __m512i order = _mm512_set_epi64(1, 0, 2, 1, 0, 2, 1, 0);
        const __m512d three = _mm512_permutexvar_pd(order, _mm512_maskz_loadu_pd(7, from));
        sums = Vec<T>(_mm512_fmadd_pd(_mm512_loadu_pd(block), three, sums));
        ninth += block[8] * from[2];
      } else {
        const __m512i order = _mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0);
        const __m512 three = _mm512_permutexvar_ps(order, _mm512_maskz_loadu_ps(7, from));
        sums = Vec<T>(_mm512_mask3_fmadd_ps(_mm512_maskz_loadu_ps(0x1ff, block), three, sums, 0x1ff));
      }
    }
    store<T>(sum, sums);
    y[r * 3] = sum[0] + sum[1] + sum[2];
    y[r * 3 + 1] = sum[3] + sum[4] + sum[5];
    y[r * 3 + 2] = sum[6] + sum[7] + (sizeof(T) == 8 ? ninth : sum[8]);
  }
}

// 8 x 8: a vector of sums for each row (f64) or two rows (f32).
template <class T, class I>
static void block_rows_of_8(const I* start, const I* columns, const T* values, const T* x, const T* x_last, I last,
                            T* y, std::size_t begin, std::size_t end) noexcept {
  constexpr std::size_t kVectors = 64 / lanes<T>;
  for (std::size_t r = begin; r < end; ++r) {
    Vec<T> sums[kVectors];
    unroll<kVectors>([&](auto v) PAWL_INLINE_LAMBDA { sums[v] = Vec<T>(T(0)); });
    for (auto k = static_cast<std::size_t>(start[r]); k < static_cast<std::size_t>(start[r + 1]); ++k) {
      const T* const from = columns[k] == last ? x_last : x + static_cast<std::size_t>(columns[k]) * 8;
      const T* const block = values + k * 64;
      Vec<T> eight;
      if constexpr (sizeof(T) == 8)
        eight = load(from);
      else
        eight = Vec<T>(_mm512_broadcast_f32x8(_mm256_loadu_ps(from)));
      unroll<kVectors>([&](auto v)
                           PAWL_INLINE_LAMBDA { sums[v] = fma<T>(load(block + v * lanes<T>), eight, sums[v]); });
    }
    unroll<kVectors>([&](auto v) PAWL_INLINE_LAMBDA {
      if constexpr (sizeof(T) == 8) {
        y[r * 8 + v] = reduce_add<T>(sums[v]);
      } else {
        const __m512d both = _mm512_castps_pd(sums[v]);
        const __m256 low = _mm512_castps512_ps256(sums[v]), high = _mm256_castpd_ps(_mm512_extractf64x4_pd(both, 1));
        const auto sum = [](__m256 h) PAWL_INLINE_LAMBDA {
          return quad_sum<T>(_mm_add_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1)));
        };
        y[r * 8 + 2 * v] = sum(low);
        y[r * 8 + 2 * v + 1] = sum(high);
      }
    });
  }
}
#endif

template <class T, class I>
static void block_rows(std::size_t block, const I* start, const I* columns, const T* values, const T* x,
                       const T* x_last, I last, T* y, std::size_t begin, std::size_t end) noexcept {
  auto rows = block_rows_of<8, T, I>;
  if (block == 2) rows = block_rows_of<2, T, I>;
  if (block == 3) rows = block_rows_of<3, T, I>;
  if (block == 4) rows = block_rows_of<4, T, I>;
#if defined(PAWL_ISA_IS_avx2) || defined(PAWL_ISA_IS_avx512)
  if (block == 2) rows = block_rows_of_2<T, I>;
  if (block == 4) rows = block_rows_of_4<T, I>;
#endif
#if defined(PAWL_ISA_IS_avx512)
  if (block == 3) rows = block_rows_of_3<T, I>;
  if (block == 8) rows = block_rows_of_8<T, I>;
#endif
  rows(start, columns, values, x, x_last, last, y, begin, end);
}

}  // namespace pawl::PAWL_ISA_NS
