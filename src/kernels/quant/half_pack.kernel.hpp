// half_pack.kernel.hpp -- weights of 16 bits -> panels of 32 columns: for each step in depth the values of each column.
// For AVX-512, where a step is a pair of values (dot products of bf16) or one (weights that are widened).
#pragma once
#include "kernels/quant/half_table.hpp"
#include "kernels/quant/int8_transpose.kernel.hpp"

namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS {

#if defined(PAWL_DOT_IS_BF16)
inline constexpr std::size_t kStepDepth = 2;
#else
inline constexpr std::size_t kStepDepth = 1;
#endif
inline constexpr std::size_t kRowBytes = 2 * kTileCols;  // of a panel, of one value of each column: a line

// Columns as the weights lie. Pairs of values are the 32-bit lanes that are transposed.
PAWL_INLINE void pack_half_columns(const std::uint16_t* b, std::size_t ldb, std::size_t depth, std::size_t width,
                                   std::uint8_t* out) {
  const __m512i none = _mm512_setzero_si512();
#if defined(PAWL_DOT_IS_BF16)
  for_transposed(b, 2 * ldb, 2 * depth, width, none,
                 [=](std::size_t p, std::size_t c, const __m512i(&v)[16], std::size_t count) PAWL_INLINE_LAMBDA {
                   std::uint8_t* const to = out + p / 2 * kRowBytes + 4 * c;
#pragma GCC unroll 16
                   for (std::size_t g = 0; g < 16; ++g)
                     if (g < count) put(to + g * 2 * kRowBytes, v[g]);
                 });
#else
  // The first values of the pairs of all columns are one row, the second ones the next.
  alignas(64) std::int16_t even[32], odd[32];
  for (std::int16_t l = 0; l < 32; ++l) {
    even[l] = static_cast<std::int16_t>(2 * l);
    odd[l] = static_cast<std::int16_t>(2 * l + 1);
  }
  const auto firsts = get<__m512i>(even), seconds = get<__m512i>(odd);
  __m512i left[16];
  for_transposed(b, 2 * ldb, 2 * depth, width, none,
                 [&](std::size_t p, std::size_t c, const __m512i(&v)[16], std::size_t count) PAWL_INLINE_LAMBDA {
                   if (c == 0) {
                     for (std::size_t g = 0; g < 16; ++g) left[g] = v[g];
                     return;
                   }
                   std::uint8_t* to = out + p / 2 * kRowBytes;
#pragma GCC unroll 16
                   for (std::size_t g = 0; g < 16; ++g, to += 2 * kRowBytes) {
                     if (g >= count) continue;
                     put(to, _mm512_permutex2var_epi16(left[g], firsts, v[g]));
                     if (p / 2 + 2 * g + 1 < depth)
                       put(to + kRowBytes, _mm512_permutex2var_epi16(left[g], seconds, v[g]));
                   }
                 });
#endif
}

// One step of rows as the weights lie; `depth` of them and `width` columns exist.
PAWL_INLINE void pack_half_step(const std::uint16_t* b, std::size_t ldb, std::size_t depth, std::size_t width,
                                std::uint8_t* out) {
  const auto exist = static_cast<__mmask32>((std::uint64_t{1} << width) - 1);
  const auto row = [&](std::size_t r) PAWL_INLINE_LAMBDA {
    return r < depth ? _mm512_maskz_loadu_epi16(exist, b + r * ldb) : _mm512_setzero_si512();
  };
#if defined(PAWL_DOT_IS_BF16)
  // Unpacking works in lanes of 128 bits: the lower ones of both results are the first 16 columns.
  const __m512i first = row(0), second = row(1);
  const __m512i low = _mm512_unpacklo_epi16(first, second), high = _mm512_unpackhi_epi16(first, second);
  put(out, _mm512_permutex2var_epi64(low, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high));
  put(out + 64, _mm512_permutex2var_epi64(low, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), high));
#else
  put(out, row(0));
#endif
}

static void pack_halves(const std::uint16_t* b, std::size_t ldb, bool transposed, std::size_t depth, std::size_t cols,
                        std::uint8_t* out) noexcept {
  const std::size_t panel_bytes = (depth + kStepDepth - 1) / kStepDepth * kStepDepth * kRowBytes;
  const auto width_at = [&](std::size_t j) { return cols - j < kTileCols ? cols - j : kTileCols; };
  if (transposed) {
    for (std::size_t j = 0; j < cols; j += kTileCols)
      pack_half_columns(b + j * ldb, ldb, depth, width_at(j), out + j / kTileCols * panel_bytes);
    return;
  }
  // Some rows across all panels, so that rows are read in streams and whole lines are written.
  constexpr std::size_t kRows = 16;
  for (std::size_t first = 0; first < depth; first += kRows)
    for (std::size_t j = 0; j < cols; j += kTileCols) {
      const std::size_t end = depth - first < kRows ? depth : first + kRows;
      std::uint8_t* const panel = out + j / kTileCols * panel_bytes;
      for (std::size_t p = first; p < end; p += kStepDepth)
        pack_half_step(b + p * ldb + j, ldb, depth - p, width_at(j), panel + p * kRowBytes);
    }
}

}  // namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS
