// int8_unpacked.kernel.hpp -- rows of codes times weights as they lie: 4 rows of 64 weights are interleaved in
// registers and multiplied at once, so that nothing is packed. For AVX-512 with VNNI.
#pragma once
#include "kernels/quant/int8_pack.kernel.hpp"
#include "kernels/quant/int8_table.hpp"

namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS {

// 24 sums, 4 vectors of weights, the one that is added to them, one of codes: 30 of 32 registers.
inline constexpr std::size_t kUnpackedRows = 6;

// Columns j .. j + 63, those of `mask`.
template <std::size_t M, bool kMasked>
static void unpacked_tile(const Int8Unpacked& x, std::size_t row, std::size_t j, __mmask64 mask) noexcept {
  __m512i sum[M][4];
#pragma GCC unroll 6
  for (std::size_t i = 0; i < M; ++i)
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) sum[i][v] = _mm512_set1_epi32(-128 * x.row_sums[row + i]);
  const std::int8_t* const b = x.b + j;
  const char* const a = x.a + row * x.a_stride_bytes;
  const std::size_t last = x.depth - 1;
  for (std::size_t p = 0; p < x.depth; p += 4) {
    // Rows that do not exist meet codes of 0: any weights will do.
    const auto weights = [&](std::size_t r) PAWL_INLINE_LAMBDA {
      const std::int8_t* const from = b + (p + r < last ? p + r : last) * x.ldb;
      __builtin_prefetch(from + 16 * x.ldb);  // rows of 64 bytes are no stream that the CPU sees
      return kMasked ? _mm512_maskz_loadu_epi8(mask, from) : get<__m512i>(from);
    };
    __m512i w[4];
    interleave_columns(weights(0), weights(1), weights(2), weights(3), w);
#pragma GCC unroll 6
    for (std::size_t i = 0; i < M; ++i) {
      const __m512i codes = _mm512_set1_epi32(get<int>(a + i * x.a_stride_bytes + p));
#pragma GCC unroll 4
      for (std::size_t v = 0; v < 4; ++v) sum[i][v] = _mm512_dpbusd_epi32(sum[i][v], w[v], codes);
    }
  }
#pragma GCC unroll 6
  for (std::size_t i = 0; i < M; ++i)
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) {
      std::int32_t* const to = x.c + (row + i) * x.ldc + j + 16 * v;
      if constexpr (kMasked) {
        _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(mask >> (16 * v)), sum[i][v]);
      } else {
        put(to, sum[i][v]);
      }
    }
}

using UnpackedTile = void (*)(const Int8Unpacked&, std::size_t row, std::size_t j, __mmask64 mask) noexcept;

// All rows meet 64 columns before the next ones.
static void multiply_unpacked(const Int8Unpacked& x) noexcept {
  static constexpr UnpackedTile kTiles[2][kUnpackedRows] = {
      {unpacked_tile<1, false>, unpacked_tile<2, false>, unpacked_tile<3, false>, unpacked_tile<4, false>,
       unpacked_tile<5, false>, unpacked_tile<6, false>},
      {unpacked_tile<1, true>, unpacked_tile<2, true>, unpacked_tile<3, true>, unpacked_tile<4, true>,
       unpacked_tile<5, true>, unpacked_tile<6, true>}};
  const std::size_t count = (x.rows + kUnpackedRows - 1) / kUnpackedRows, height = x.rows / count,
                    higher = x.rows % count;
  for (std::size_t j = 0; j < x.cols; j += 64) {
    const bool cut = x.cols - j < 64;
    const __mmask64 mask = cut ? (std::uint64_t{1} << (x.cols - j)) - 1 : ~std::uint64_t{0};
    for (std::size_t t = 0, row = 0; t < count; ++t) {
      const std::size_t rows = height + (t < higher ? 1 : 0);
      kTiles[cut][rows - 1](x, row, j, mask);
      row += rows;
    }
  }
}

}  // namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS
