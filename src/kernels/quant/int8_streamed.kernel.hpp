// int8_streamed.kernel.hpp -- a few rows of codes times weights as they lie, 16 rows of weights after the other along
// all columns: weights come in streams, and sums travel. For AVX-512 with VNNI.
//
// 64 columns at a time down to the depth, as int8_unpacked.kernel.hpp goes, each line is in another page where rows are
// long, and what the CPU asks for by itself is lost: 2048 x 2048 weights from L3 came at 26 GB/s, here at 65 (Zen 4).
#pragma once
#include "kernels/quant/int8_table.hpp"
#include "kernels/quant/int8_unpacked.kernel.hpp"

namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS {

// Groups of 4 rows of weights whose products are added to sums while these are in registers.
inline constexpr std::size_t kStreamedGroups = 4;

// As interleave_columns() of int8_pack.kernel.hpp, but with 4 columns of each 16 in a vector: of vector v lane l (of
// 128 bits) has columns 16 l + 4 v on. Sums stay so until the last pass, which saves a third of the shuffles.
PAWL_INLINE void interleave_lanes(__m512i b0, __m512i b1, __m512i b2, __m512i b3, __m512i (&out)[4]) {
  const __m512i top = _mm512_set1_epi8(char(0x80));
  const __m512i low01 = _mm512_unpacklo_epi8(b0, b1), low23 = _mm512_unpacklo_epi8(b2, b3);
  const __m512i high01 = _mm512_unpackhi_epi8(b0, b1), high23 = _mm512_unpackhi_epi8(b2, b3);
  out[0] = _mm512_xor_si512(_mm512_unpacklo_epi16(low01, low23), top);
  out[1] = _mm512_xor_si512(_mm512_unpackhi_epi16(low01, low23), top);
  out[2] = _mm512_xor_si512(_mm512_unpacklo_epi16(high01, high23), top);
  out[3] = _mm512_xor_si512(_mm512_unpackhi_epi16(high01, high23), top);
}

// Sums of 64 columns from those lanes to the order of columns.
PAWL_INLINE void order_columns(__m512i (&sum)[4]) {
  const __m512i low01 = _mm512_shuffle_i32x4(sum[0], sum[1], 0x44), low23 = _mm512_shuffle_i32x4(sum[2], sum[3], 0x44);
  const __m512i high01 = _mm512_shuffle_i32x4(sum[0], sum[1], 0xee),
                high23 = _mm512_shuffle_i32x4(sum[2], sum[3], 0xee);
  sum[0] = _mm512_shuffle_i32x4(low01, low23, 0x88);
  sum[1] = _mm512_shuffle_i32x4(low01, low23, 0xdd);
  sum[2] = _mm512_shuffle_i32x4(high01, high23, 0x88);
  sum[3] = _mm512_shuffle_i32x4(high01, high23, 0xdd);
}

// Products of G groups from row p of the weights on, columns j .. j + 63 (those of `mask`), added to `sums`, whose rows
// are `stride` apart, or, in the first pass, stored there.
template <std::size_t G, bool kFirst, bool kMasked>
PAWL_INLINE void add_streamed(const Int8Unpacked& x, std::size_t p, std::size_t j, __mmask64 mask, std::int32_t* sums,
                              std::size_t stride) {
  const std::int8_t* const b = x.b + j;
  __m512i w[G][4];
#pragma GCC unroll 4
  for (std::size_t g = 0; g < G; ++g) {
    const auto weights = [&](std::size_t r) PAWL_INLINE_LAMBDA {
      // Rows that do not exist meet codes of 0: any weights will do. Only a group alone may have such.
      const std::size_t at = G > 1 || p + r < x.depth ? p + 4 * g + r : x.depth - 1;
      const std::int8_t* const from = b + at * x.ldb;
      if (x.asks) __builtin_prefetch(from + 16 * x.ldb, 0, 2);
      return kMasked ? _mm512_maskz_loadu_epi8(mask, from) : get<__m512i>(from);
    };
    interleave_lanes(weights(0), weights(1), weights(2), weights(3), w[g]);
  }
  for (std::size_t i = 0; i < x.rows; ++i) {
    const char* const a = x.a + i * x.a_stride_bytes + p;
    __m512i codes[G];
#pragma GCC unroll 4
    for (std::size_t g = 0; g < G; ++g) codes[g] = _mm512_set1_epi32(get<int>(a + 4 * g));
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) {
      std::int32_t* const at = sums + i * stride + 16 * v;
      __m512i sum = kFirst ? _mm512_set1_epi32(-128 * x.row_sums[i]) : get<__m512i>(at);
#pragma GCC unroll 4
      for (std::size_t g = 0; g < G; ++g) sum = _mm512_dpbusd_epi32(sum, w[g][v], codes[g]);
      put(at, sum);
    }
  }
}

struct StreamedTail {
  std::size_t begin;  // the first column of a part of 64
  __mmask64 mask;     // its columns; 0: there is none
  alignas(64) std::int32_t sums[kStreamedRows][64];
};

template <std::size_t G, bool kFirst>
static void streamed_pass(const Int8Unpacked& x, std::size_t p, StreamedTail& tail) noexcept {
  for (std::size_t j = 0; j < tail.begin; j += 64) add_streamed<G, kFirst, false>(x, p, j, 0, x.c + j, x.ldc);
  if (tail.mask) add_streamed<G, kFirst, true>(x, p, tail.begin, tail.mask, tail.sums[0], 64);
}

static void multiply_streamed(const Int8Unpacked& x) noexcept {
  StreamedTail tail;
  tail.begin = x.cols / 64 * 64;
  tail.mask = (std::uint64_t{1} << x.cols % 64) - 1;
  std::size_t p = 0;
  if (x.depth >= 4 * kStreamedGroups) {
    streamed_pass<kStreamedGroups, true>(x, 0, tail);
    for (p = 4 * kStreamedGroups; p + 4 * kStreamedGroups <= x.depth; p += 4 * kStreamedGroups)
      streamed_pass<kStreamedGroups, false>(x, p, tail);
  } else {
    streamed_pass<1, true>(x, 0, tail);
    p = 4;
  }
  for (; p < x.depth; p += 4) streamed_pass<1, false>(x, p, tail);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t j = 0; j < x.cols; j += 64) {
      const bool cut = j == tail.begin;
      std::int32_t* const to = x.c + i * x.ldc + j;
      const std::int32_t* const from = cut ? tail.sums[i] : to;
      __m512i sum[4];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < 4; ++v) sum[v] = get<__m512i>(from + 16 * v);
      order_columns(sum);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < 4; ++v) {
        const auto lanes = static_cast<__mmask16>(cut ? tail.mask >> (16 * v) : 0xffff);
        _mm512_mask_storeu_epi32(to + 16 * v, lanes, sum[v]);
      }
    }
  }
}

}  // namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS
