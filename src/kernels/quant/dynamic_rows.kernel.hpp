// dynamic_rows.kernel.hpp -- rows of f32 -> their ranges, and the codes of some rows while the ranges of the next are
// found.
#pragma once
#include <type_traits>

#include "kernels/quant/low_bits_quantize.kernel.hpp"
#include "kernels/quant/quantize_matrix.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// The last elements of a row, from j on, fewer than a vector, and zeros.
PAWL_INLINE F32 rest_of_row(const float* x, std::size_t j, std::size_t cols) {
#if defined(PAWL_ISA_IS_avx512)
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << (cols - j)) - 1), x + j);
#else
  float part[kLanes];
  load_part(part, x + j, cols - j);
  return get<F32>(part);
#endif
}

/// Lane by lane the larger magnitude. NaN is left out. (Not by vrangeps, one instruction: what it makes of a signalling
/// NaN hides what was found before.)
PAWL_INLINE F32 larger_magnitude(F32 most, F32 x) { return greatest(as<F32>(as<U32>(x) & 0x7fffffffu), most); }

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
  if (!codes && n >= kWorthAligning) {
    i = elements_to_boundary(next);
    if (i != 0) first = larger_magnitude(first, get<F32>(next));
  }
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
        float part[kBlock];
        load_part(part, next, count);
        find(part);
      }
    }
  }
  return larger_magnitude(larger_magnitude(first, second), larger_magnitude(third, fourth));
}

// The largest magnitudes of each lane of a row shorter than a block.
PAWL_INLINE F32 short_row_magnitudes(const float* x, std::size_t cols) {
  F32 most{};
  std::size_t j = 0;
  for (; j + kLanes <= cols; j += kLanes) most = larger_magnitude(most, get<F32>(x + j));
  return j < cols ? larger_magnitude(most, rest_of_row(x, j, cols)) : most;
}

#if defined(PAWL_ISA_IS_avx512)
// Vector v of row g of up to 16 rows of `vectors` vectors, the last of which may be cut; beyond row `last` that one
// again.
template <class Count>
struct ShortRows {
  const float* x;
  std::size_t cols, last;
  __mmask16 cut;
  Count vectors;
  PAWL_INLINE F32 operator()(std::size_t g, std::size_t v) const {
    const float* const from = x + (g < last ? g : last) * cols + v * kLanes;
    return v + 1 < vectors ? get<F32>(from) : F32(_mm512_maskz_loadu_ps(cut, from));
  }
};

// use(rows, first row, count) for 16 rows after the other, unless there are so few that one by one is faster; how many
// have been done.
template <class Use>
PAWL_INLINE std::size_t for_short_rows_16(const float* x, std::size_t rows, std::size_t cols, Use use) {
  constexpr std::size_t kFewRows = 6;
  if (cols == 0) return 0;
  const auto cut = static_cast<__mmask16>((1u << ((cols - 1) % kLanes + 1)) - 1);
  for (std::size_t first = 0; first < rows; first += kLanes) {
    const std::size_t count = rows - first < kLanes ? rows - first : kLanes;
    if (count < kFewRows) return first;
    const float* const from = x + first * cols;
    const auto with = [&](auto vectors) PAWL_INLINE_LAMBDA {
      use(ShortRows<decltype(vectors)>{from, cols, count - 1, cut, vectors}, first, count);
    };
    const std::size_t vectors = (cols + kLanes - 1) / kLanes;
    if (vectors == 1) {
      with(std::integral_constant<std::size_t, 1>{});
    } else if (vectors == 2) {
      with(std::integral_constant<std::size_t, 2>{});
    } else {
      with(vectors);
    }
  }
  return rows;
}

static void find_short_magnitudes(const float* x, std::size_t rows, std::size_t cols, float* magnitudes) noexcept {
  std::size_t i =
      for_short_rows_16(x, rows, cols, [=](const auto& load, std::size_t first, std::size_t count) PAWL_INLINE_LAMBDA {
        F32 parts[kLanes];
#pragma GCC unroll 16
        for (std::size_t g = 0; g < kLanes; ++g) {
          F32 most{};
          for (std::size_t v = 0; v < load.vectors; ++v) most = larger_magnitude(most, load(g, v));
          parts[g] = most;
        }
        const F32 all = fold_each(parts, [](F32 a, F32 b) PAWL_INLINE_LAMBDA { return larger_magnitude(a, b); });
        _mm512_mask_storeu_ps(magnitudes + first, static_cast<__mmask16>((1u << count) - 1), all);
      });
  for (; i < rows; ++i) magnitudes[i] = greatest_lane(short_row_magnitudes(x + i * cols, cols));
}
#endif

template <class Q>
static void quantize_and_find(const float* x, std::size_t rows, std::size_t cols, const float* reciprocals,
                              std::int32_t zero_point, Q* q, const float* next, std::size_t next_rows,
                              float* magnitudes) noexcept {
  // Short rows: all codes as one stretch, then the magnitudes.
  const bool in_a_stretch = cols < kBlock && cols > 0;
  if (in_a_stretch && rows > 0) {
    // Rows of whole vectors, several of which are a block.
    if (kLanes > 1 && cols % kLanes == 0 && kBlock % cols == 0) {
      const std::size_t at_once = kBlock / cols, row_of = cols / kLanes;  // 1 or 2 vectors each
      std::size_t i = 0;
      for (; i + at_once <= rows; i += at_once)
        quantize_block_by(
            x + i * cols,
            [=](std::size_t v) PAWL_INLINE_LAMBDA { return splat(reciprocals[i + (row_of == 1 ? v : v / 2)]); },
            zero_point, q + i * cols);
      x += i * cols;
      q += i * cols;
      reciprocals += i;
      rows -= i;
    }
    for_short_rows(rows, cols, reciprocals,
                   [=](std::size_t first, std::size_t count, const float* r) PAWL_INLINE_LAMBDA {
                     quantize_columns(x + first * cols, 1, count * cols, 0, r, zero_point, q + first * cols);
                   });
    rows = 0;
  }
#if defined(PAWL_ISA_IS_avx512)
  if (in_a_stretch) return find_short_magnitudes(next, next_rows, cols, magnitudes);
#endif
  const std::size_t most = rows > next_rows ? rows : next_rows;
  for (std::size_t first = 0; first < most; first += kLanes) {
    const std::size_t count = most - first < kLanes ? most - first : kLanes;
    F32 parts[kLanes];
    for (std::size_t g = 0; g < count; ++g) {
      const std::size_t i = first + g, at = i * cols;
      if (in_a_stretch) {
        parts[g] = short_row_magnitudes(next + at, cols);
      } else if (i < rows && i < next_rows) {
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

// Of each row of some, the range widened to hold 0 (NaN left out or making it NaN).
static void find_ranges(const float* x, std::size_t rows, std::size_t cols, float* lows, float* highs) noexcept {
  std::size_t i = 0;
#if defined(PAWL_ISA_IS_avx512)
  i = for_short_rows_16(x, rows, cols, [=](const auto& load, std::size_t first, std::size_t count) PAWL_INLINE_LAMBDA {
    F32 high[kLanes], low[kLanes];
#pragma GCC unroll 16
    for (std::size_t g = 0; g < kLanes; ++g) {
      WidenedRange range;
      for (std::size_t v = 0; v < load.vectors; ++v) range.add(load(g, v));
      high[g] = as<F32>(range.high);
      low[g] = as<F32>(range.low);
    }
    const auto all_high = as<__m512i>(fold_each(high, [](F32 a, F32 b) PAWL_INLINE_LAMBDA {
      return as<F32>(_mm512_max_epi32(as<__m512i>(a), as<__m512i>(b)));
    }));
    const auto all_low = as<__m512i>(fold_each(low, [](F32 a, F32 b) PAWL_INLINE_LAMBDA {
      return as<F32>(_mm512_max_epu32(as<__m512i>(a), as<__m512i>(b)));
    }));
    const auto exist = static_cast<__mmask16>((1u << count) - 1);
    // Where no element has a sign there is none below 0.
    _mm512_mask_storeu_epi32(lows + first, exist, _mm512_maskz_mov_epi32(_mm512_movepi32_mask(all_low), all_low));
    _mm512_mask_storeu_epi32(highs + first, exist, all_high);
  });
#endif
  for (; i < rows; ++i) {
    const float* const row = x + i * cols;
    WidenedRange range;
    std::size_t j = 0;
    for (; j + kLanes <= cols; j += kLanes) range.add(get<F32>(row + j));
    if (j < cols) range.add(rest_of_row(row, j, cols));
    float ends[2];
    range.store(ends);
    lows[i] = ends[0];
    highs[i] = ends[1];
  }
}

}  // namespace pawl::PAWL_ISA_NS
