// formats.kernel.hpp -- y = A x for slices of rows side by side (SELL-C-sigma).
#pragma once
#include "kernels/sparse/csr.kernel.hpp"
#include "kernels/sparse/quad.hpp"
#include "kernels/sparse/sparse_table.hpp"

namespace pawl::PAWL_ISA_NS {

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
