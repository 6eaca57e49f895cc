// quantize_matrix.kernel.hpp -- rows of f32 -> 8-bit codes, many rows in one call: with a scale for each row, with a
// scale for each column, and with the largest magnitudes of the next rows found on the way.
#pragma once
#include "kernels/quant/low_bits_quantize.kernel.hpp"
#include "kernels/quant/quantize.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// One zero point for all: it is added where the codes are packed, as for one scale.
template <class Q>
static void quantize_columns(const float* x, std::size_t rows, std::size_t cols, const float* reciprocals,
                             std::int32_t zero_point, Q* q) noexcept {
  // Columns whose factors (16 KiB) stay in L1 while all rows meet them.
  constexpr std::size_t kCols = 4096;
  const auto block = [=](const float* from, const float* r, Q* to) PAWL_INLINE_LAMBDA {
    quantize_block_by(
        from, [=](std::size_t v) PAWL_INLINE_LAMBDA { return get<F32>(r + v * kLanes); }, zero_point, to);
  };
  for (std::size_t first = 0; first < cols; first += kCols) {
    const std::size_t n = cols - first < kCols ? cols - first : kCols;
    const float* const r = reciprocals + first;
    for (std::size_t i = 0; i < rows; ++i) {
      const float* const from = x + i * cols + first;
      Q* const to = q + i * cols + first;
      std::size_t j = 0;
      for (; j + kBlock <= n; j += kBlock) block(from + j, r + j, to + j);
      if (j == n) continue;
      if (n >= kBlock) {
        block(from + n - kBlock, r + n - kBlock, to + n - kBlock);
      } else {
        float part[kBlock] = {}, factors[kBlock] = {};
        Q codes[kBlock];
        __builtin_memcpy(part, from, n * sizeof(float));
        __builtin_memcpy(factors, r, n * sizeof(float));
        block(part, factors, codes);
        __builtin_memcpy(to, codes, n * sizeof(Q));
      }
    }
  }
}

template <class Q>
static void quantize_rows(const float* x, std::size_t rows, std::size_t cols, const float* reciprocals,
                          const std::int32_t* zero_points, Q* q) noexcept {
  for (std::size_t i = 0; i < rows; ++i)
    quantize(x + i * cols, cols, reciprocals[i], zero_points[i], q + i * cols, false);
}

/// Lane by lane the larger magnitude. NaN is left out, or becomes NaN.
PAWL_INLINE F32 larger_magnitude(F32 most, F32 x) {
#if defined(PAWL_ISA_IS_avx512)
  return _mm512_range_ps(most, x, 0x0b);  // the larger of absolute values, without its sign: one instruction
#else
  return greatest(as<F32>(as<U32>(x) & 0x7fffffffu), most);
#endif
}

// One row's codes, and the largest magnitudes of another of the same length, in each lane. `codes` or `finds` may be
// false.
template <bool codes, bool finds, class Q>
PAWL_INLINE F32 quantize_row_and_find(const float* x, std::size_t n, float reciprocal, std::int32_t zero_point, Q* q,
                                      const float* next) {
  const F32 factor = splat(reciprocal);
  // Four names and no array, which g++ 12 would clear in memory first, at the cost of half a row.
  F32 first{}, second{}, third{}, fourth{};
  const auto find = [&](const float* from) PAWL_INLINE_LAMBDA {
    first = larger_magnitude(first, get<F32>(from));
    second = larger_magnitude(second, get<F32>(from + kLanes));
    third = larger_magnitude(third, get<F32>(from + 2 * kLanes));
    fourth = larger_magnitude(fourth, get<F32>(from + 3 * kLanes));
  };
  std::size_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    if constexpr (codes) quantize_block(x + i, factor, zero_point, q + i);
    if constexpr (finds) find(next + i);
  }
  if (i < n) {
    // The last whole block, some of which has been done, where there is one.
    const std::size_t begin = n >= kBlock ? n - kBlock : 0, count = n - begin;
    if constexpr (codes) quantize(x + begin, count, reciprocal, zero_point, q + begin, false);
    if constexpr (finds) {
      if (count == kBlock) {
        find(next + begin);
      } else {
        float part[kBlock] = {};
        __builtin_memcpy(part, next, count * sizeof(float));
        find(part);
      }
    }
  }
  return larger_magnitude(larger_magnitude(first, second), larger_magnitude(third, fourth));
}

template <class Q>
static void quantize_and_find(const float* x, std::size_t rows, std::size_t cols, const float* reciprocals,
                              std::int32_t zero_point, Q* q, const float* next, std::size_t next_rows,
                              float* magnitudes) noexcept {
  const std::size_t most = rows > next_rows ? rows : next_rows;
  for (std::size_t first = 0; first < most; first += kLanes) {
    const std::size_t count = most - first < kLanes ? most - first : kLanes;
    F32 parts[kLanes];
    for (std::size_t g = 0; g < count; ++g) {
      const std::size_t i = first + g, at = i * cols;
      if (i < rows && i < next_rows) {
        parts[g] = quantize_row_and_find<true, true>(x + at, cols, reciprocals[i], zero_point, q + at, next + at);
      } else if (i < rows) {
        quantize_row_and_find<true, false>(x + at, cols, reciprocals[i], zero_point, q + at, next);
      } else {
        parts[g] = quantize_row_and_find<false, true>(x, cols, 0, 0, q, next + at);
      }
    }
    if (first >= next_rows) continue;
    const std::size_t found = next_rows - first < count ? next_rows - first : count;
#if defined(PAWL_ISA_IS_avx512)
    // A tree over all rows at once, where it saves more than it costs; NaN keeps out or stays.
    if (found > 4) {
      for (std::size_t g = found; g < kLanes; ++g) parts[g] = F32{};
      float all[kLanes];
      put(all, fold_each(parts, [](F32 a, F32 b) PAWL_INLINE_LAMBDA { return larger_magnitude(a, b); }));
      __builtin_memcpy(magnitudes + first, all, found * sizeof(float));
      continue;
    }
#endif
    for (std::size_t g = 0; g < found; ++g) magnitudes[first + g] = greatest_lane(parts[g]);
  }
}

}  // namespace pawl::PAWL_ISA_NS
