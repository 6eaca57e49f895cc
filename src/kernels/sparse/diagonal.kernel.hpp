// diagonal.kernel.hpp -- y = A x for slices of rows whose entries lie on common diagonals: no index per entry, no
// gather.
#pragma once
#include "kernels/sparse/runs.kernel.hpp"
#include "kernels/sparse/sparse_table.hpp"
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

// acc += value * x[base + lane] for the lanes in `mask`; other lanes of x are not read.
#if defined(PAWL_ISA_IS_avx512)
template <class T>
PAWL_INLINE Vec<T> add_slot(Vec<T> acc, const T* values, const T* x, std::ptrdiff_t base, unsigned mask) {
  // As a number: the address of a lane outside x must not be formed as a pointer.
  const auto* from =
      reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(x) + static_cast<std::uintptr_t>(base) * sizeof(T));
  if constexpr (sizeof(T) == 4)
    return fma<T>(load(values), Vec<T>(_mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), from)), acc);
  else
    return fma<T>(load(values), Vec<T>(_mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), from)), acc);
}
#elif defined(PAWL_ISA_IS_avx2)
// The same for the vector of lanes whose first is the bit First of `mask`.
template <std::size_t First>
PAWL_INLINE Vec<double> add_slot(Vec<double> acc, const double* values, std::uintptr_t x, unsigned mask) {
  const __m256i bits = _mm256_setr_epi64x(1 << First, 2 << First, 4 << First, 8 << First);
  const __m256i lanes = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(mask), bits), bits);
  const auto* const from = reinterpret_cast<const double*>(x + First * sizeof(double));
  return fma<double>(load(values + First), Vec<double>(_mm256_maskload_pd(from, lanes)), acc);
}
template <std::size_t First>
PAWL_INLINE Vec<float> add_slot(Vec<float> acc, const float* values, std::uintptr_t x, unsigned mask) {
  const __m256i bits = _mm256_setr_epi32(1 << First, 2 << First, 4 << First, 8 << First, 16 << First, 32 << First,
                                         64 << First, 128 << First);
  const __m256i lanes = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(mask)), bits), bits);
  const auto* const from = reinterpret_cast<const float*>(x + First * sizeof(float));
  return fma<float>(load(values + First), Vec<float>(_mm256_maskload_ps(from, lanes)), acc);
}
#endif

template <class T>
static void slice_values(const T* values, std::size_t n, T* out) noexcept {
  constexpr std::size_t R = kSliceRows<T>;
  std::size_t k = 0;
#if defined(PAWL_ISA_IS_avx512)
  for (; k + 4 <= n; k += 4)
    for (std::size_t row = 0; row < R; row += kRunRows) {
      decltype(Eight<true>::zero(values)) column[4];
      columns_of_rows<4, true>(values + row * n + k, n, kRunRows - 1, column);
      unroll<4>([&](auto c) PAWL_INLINE_LAMBDA { Eight<true>::store(out + (k + c) * R + row, column[c], 0xff); });
    }
#endif
  for (; k < n; ++k)
    for (std::size_t i = 0; i < R; ++i) out[k * R + i] = values[i * n + k];
}

template <class T, class I>
static void diagonal_slices(const std::size_t* slot_start, const DiagonalSlot<I>* slots, const T* values, const T* x,
                            T* y, std::size_t rows, std::size_t begin, std::size_t end) noexcept {
  constexpr std::size_t R = kSliceRows<T>;
  [[maybe_unused]] constexpr unsigned kFull = (1u << R) - 1;
  for (std::size_t slice = begin; slice < end; ++slice) {
    const std::size_t row = slice * R, count = rows - row < R ? rows - row : R;
#if defined(PAWL_ISA_IS_avx512)
    static_assert(R == lanes<T>);
    Vec<T> sum(T(0));
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(slots + slot_start[slice]) +
                                                     kFetchAhead * sizeof(DiagonalSlot<I>) / R));
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(y + row) + 1024), 1);
    for (std::size_t s = slot_start[slice]; s < slot_start[slice + 1]; ++s) {
      __builtin_prefetch(
          reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(values + s * R) + kFetchAhead * sizeof(T)));
      sum = add_slot<T>(sum, values + s * R, x, static_cast<std::ptrdiff_t>(slots[s].base), slots[s].mask);
    }
    count == R ? store<T>(y + row, sum) : store_first<T>(y + row, sum, count);
#elif defined(PAWL_ISA_IS_avx2)
    constexpr std::size_t W = lanes<T>;
    static_assert(R == 2 * W);
    Vec<T> low(T(0)), high(T(0));
    for (std::size_t s = slot_start[slice]; s < slot_start[slice + 1]; ++s) {
      const T* const value = values + s * R;
      prefetch(reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(value) + kFetchAhead * sizeof(T)));
      // As a number: the address of a lane outside x must not be formed as a pointer.
      const auto from = reinterpret_cast<std::uintptr_t>(x) +
                        static_cast<std::uintptr_t>(static_cast<std::ptrdiff_t>(slots[s].base)) * sizeof(T);
      if (__builtin_expect(slots[s].mask == kFull, 1)) {
        const auto* const all = reinterpret_cast<const T*>(from);
        low = fma<T>(load<T>(value), load<T>(all), low);
        high = fma<T>(load<T>(value + W), load<T>(all + W), high);
      } else {
        low = add_slot<0>(low, value, from, slots[s].mask);
        high = add_slot<W>(high, value, from, slots[s].mask);
      }
    }
    if (count == R) {
      store<T>(y + row, low);
      store<T>(y + row + W, high);
    } else {
      T sum[R];
      store<T>(sum, low);
      store<T>(sum + W, high);
      for (std::size_t i = 0; i < count; ++i) y[row + i] = sum[i];
    }
#else
    T sum[R] = {};
    for (std::size_t s = slot_start[slice]; s < slot_start[slice + 1]; ++s) {
      const T* value = values + s * R;
      const auto base = static_cast<std::ptrdiff_t>(slots[s].base);
      if (slots[s].mask == kFull) {
        for (std::size_t i = 0; i < R; i += lanes<T>)
          store<T>(sum + i,
                   fma<T>(load<T>(value + i), load<T>(x + base + static_cast<std::ptrdiff_t>(i)), load<T>(sum + i)));
      } else {
        for (std::size_t i = 0; i < R; ++i)
          if ((slots[s].mask >> i & 1u) != 0) sum[i] += value[i] * x[base + static_cast<std::ptrdiff_t>(i)];
      }
    }
    for (std::size_t i = 0; i < count; ++i) y[row + i] = sum[i];
#endif
  }
}

}  // namespace pawl::PAWL_ISA_NS
