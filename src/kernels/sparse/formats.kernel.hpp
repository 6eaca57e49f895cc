// formats.kernel.hpp -- y = A x for blocks (BSR) and for slices of rows side by side (SELL-C-sigma).
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

template <class T, class I>
static void block_rows(std::size_t block, const I* start, const I* columns, const T* values, const T* x,
                       const T* x_last, I last, T* y, std::size_t begin, std::size_t end) noexcept {
  switch (block) {
    case 2:
      return block_rows_of<2, T, I>(start, columns, values, x, x_last, last, y, begin, end);
    case 3:
      return block_rows_of<3, T, I>(start, columns, values, x, x_last, last, y, begin, end);
#if defined(PAWL_ISA_IS_avx2) || defined(PAWL_ISA_IS_avx512)
    case 4:
      return block_rows_of_4<T, I>(start, columns, values, x, x_last, last, y, begin, end);
#else
    case 4:
      return block_rows_of<4, T, I>(start, columns, values, x, x_last, last, y, begin, end);
#endif
    default:
      return block_rows_of<8, T, I>(start, columns, values, x, x_last, last, y, begin, end);
  }
}

template <class T, class I>
static void sell_slices(const std::size_t* slot_start, const std::uint8_t* active, const I* columns, const T* values,
                        const I* order, const T* x, T* y, std::size_t rows, std::size_t begin,
                        std::size_t end) noexcept {
  constexpr std::size_t C = kSliceRows<T>;
  for (std::size_t slice = begin; slice < end; ++slice) {
    const std::size_t row = slice * C, count = rows - row < C ? rows - row : C;
    alignas(64) T sum[C] = {};
#if defined(PAWL_ISA_IS_avx512)
    Vec<T> sums(T(0));
    for (std::size_t s = slot_start[slice]; s < slot_start[slice + 1]; ++s) {
      const I* const column = columns + s * C;
      const T* const value = values + s * C;
      prefetch(reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(value) + kFetchAhead * sizeof(T)));
      prefetch(reinterpret_cast<const I*>(reinterpret_cast<std::uintptr_t>(column) + kFetchAhead * sizeof(I)));
      const unsigned mask = (1u << active[s]) - 1;  // the others' column is 0, which can be read
      if constexpr (sizeof(T) == 8) {
        const __m512d gathered =
            _mm512_insertf64x4(_mm512_castpd256_pd512(quad_gather(x, column)), quad_gather(x, column + 4), 1);
        sums = Vec<T>(_mm512_mask3_fmadd_pd(load(value), gathered, sums, static_cast<__mmask8>(mask)));
      } else {
        __m512 gathered = _mm512_castps128_ps512(quad_gather(x, column));
        gathered = _mm512_insertf32x4(gathered, quad_gather(x, column + 4), 1);
        gathered = _mm512_insertf32x4(gathered, quad_gather(x, column + 8), 2);
        gathered = _mm512_insertf32x4(gathered, quad_gather(x, column + 12), 3);
        sums = Vec<T>(_mm512_mask3_fmadd_ps(load(value), gathered, sums, static_cast<__mmask16>(mask)));
      }
    }
    store<T>(sum, sums);
#else
    for (std::size_t s = slot_start[slice]; s < slot_start[slice + 1]; ++s)
      for (std::size_t i = 0; i < active[s]; ++i) sum[i] += values[s * C + i] * x[columns[s * C + i]];
#endif
    for (std::size_t i = 0; i < count; ++i) y[order[row + i]] = sum[i];
  }
}

}  // namespace pawl::PAWL_ISA_NS
