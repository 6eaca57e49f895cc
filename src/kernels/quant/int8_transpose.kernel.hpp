// int8_transpose.kernel.hpp -- weights that lie as [n, k] -> panels of columns: 4 bytes in depth of each column are one
// lane, so that a panel is a transposed matrix of 32-bit lanes.
#pragma once
#include "kernels/quant/int8_dot.hpp"

namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS {

#if defined(PAWL_ISA_IS_avx512)
// Lane c of v[g] becomes lane g of v[c].
PAWL_INLINE void transpose_lanes(__m512i (&v)[16]) {
  __m512i w[16];
  // Within each 128 bits: pairs of rows, then fours.
#pragma GCC unroll 8
  for (std::size_t i = 0; i < 16; i += 2) {
    w[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
    w[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
  }
#pragma GCC unroll 4
  for (std::size_t i = 0; i < 16; i += 4) {
    v[i] = _mm512_unpacklo_epi64(w[i], w[i + 2]);
    v[i + 1] = _mm512_unpackhi_epi64(w[i], w[i + 2]);
    v[i + 2] = _mm512_unpacklo_epi64(w[i + 1], w[i + 3]);
    v[i + 3] = _mm512_unpackhi_epi64(w[i + 1], w[i + 3]);
  }
  // v[4 r + l] has, in its 128 bits q, lane 4 q + l of rows 4 r .. 4 r + 3.
#pragma GCC unroll 4
  for (std::size_t l = 0; l < 4; ++l) {
    const __m512i low01 = _mm512_shuffle_i32x4(v[l], v[4 + l], 0x44),
                  high01 = _mm512_shuffle_i32x4(v[l], v[4 + l], 0xee);
    const __m512i low23 = _mm512_shuffle_i32x4(v[8 + l], v[12 + l], 0x44),
                  high23 = _mm512_shuffle_i32x4(v[8 + l], v[12 + l], 0xee);
    w[l] = _mm512_shuffle_i32x4(low01, low23, 0x88);
    w[4 + l] = _mm512_shuffle_i32x4(low01, low23, 0xdd);
    w[8 + l] = _mm512_shuffle_i32x4(high01, high23, 0x88);
    w[12 + l] = _mm512_shuffle_i32x4(high01, high23, 0xdd);
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < 16; ++i) v[i] = w[i];
}

// use(p, c, v, count) for each 64 bytes of depth from p on of columns c .. c + 15 of a panel: v[g], g < count, has byte
// p + 4 g on of each column. Columns are `depth` bytes from b + c * ldb on; what does not exist is `none`.
template <class Use>
PAWL_INLINE void for_transposed(const void* b, std::size_t ldb, std::size_t depth, std::size_t width, __m512i none,
                                Use use) {
  const auto* const from = static_cast<const char*>(b);
  const std::size_t groups = (depth + 3) / 4;
  for (std::size_t p = 0; p < depth; p += 64) {
    const __mmask64 exist = depth - p >= 64 ? ~__mmask64{0} : (__mmask64{1} << (depth - p)) - 1;
    const std::size_t count = groups - p / 4 < 16 ? groups - p / 4 : 16;
    for (std::size_t c = 0; c < kTileCols; c += 16) {
      __m512i v[16];
#pragma GCC unroll 16
      for (std::size_t i = 0; i < 16; ++i)
        v[i] = c + i < width ? _mm512_mask_loadu_epi8(none, exist, from + (c + i) * ldb + p) : none;
      transpose_lanes(v);
      use(p, c, v, count);
    }
  }
}
#endif

// One panel of `width` columns, each of them `depth` weights from b + c * ldb on; plus 128, beyond depth and width 0.
PAWL_INLINE void pack_transposed_panel(const std::int8_t* b, std::size_t ldb, std::size_t depth, std::size_t width,
                                       std::uint8_t* out) {
#if defined(PAWL_ISA_IS_avx512)
  const __m512i top = _mm512_set1_epi8(char(0x80));  // -128 becomes 0
  for_transposed(b, ldb, depth, width, top,
                 [=](std::size_t p, std::size_t c, const __m512i(&v)[16], std::size_t count) PAWL_INLINE_LAMBDA {
                   std::uint8_t* const to = out + p * kTileCols + 4 * c;
#pragma GCC unroll 16
                   for (std::size_t g = 0; g < 16; ++g)
                     if (g < count) put(to + g * 4 * kTileCols, _mm512_xor_si512(v[g], top));
                 });
#else
  for (std::size_t p = 0; p < depth; p += 4, out += 4 * kTileCols)
    for (std::size_t c = 0; c < kTileCols; ++c) {
      std::uint32_t lane = 0x80808080u;
      if (c < width) __builtin_memcpy(&lane, b + c * ldb + p, depth - p < 4 ? depth - p : 4);
      lane ^= 0x80808080u;
      __builtin_memcpy(out + 4 * c, &lane, 4);
    }
#endif
}

}  // namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS
