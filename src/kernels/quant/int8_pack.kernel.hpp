// int8_pack.kernel.hpp -- rows of codes and matrices of weights -> the order in which integer tiles read them.
#pragma once
#include "kernels/quant/int8_transpose.kernel.hpp"

namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS {

// One group of 4 codes as the tiles want it.
PAWL_INLINE void put_group(char* out, const std::int8_t* a) {
  if constexpr (kCodeBytes == 1) {
    __builtin_memcpy(out, a, 4);
  } else {
    const std::int16_t wide[] = {a[0], a[2], a[1], a[3]};
    __builtin_memcpy(out, wide, 8);
  }
}

#if defined(PAWL_ISA_IS_avx512) && defined(__AVX512VNNI__)
// Four rows: their sums, and their codes where `copies`.
template <bool copies>
PAWL_INLINE void prepare_four_rows(const std::uint8_t* a, std::size_t lda, std::size_t depth, std::uint8_t flip,
                                   char* out, std::size_t out_stride, std::int32_t* sums) {
  const __m512i ones = _mm512_set1_epi8(1), signs = _mm512_set1_epi8(static_cast<char>(flip));
  __m512i s[4] = {};
  std::size_t p = 0;
  for (; p + 64 <= depth; p += 64) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < 4; ++i) {
      const __m512i codes = _mm512_xor_si512(get<__m512i>(a + i * lda + p), signs);
      s[i] = _mm512_dpbusd_epi32(s[i], ones, codes);
      if constexpr (copies) put(out + i * out_stride + p, codes);
    }
  }
  if (p < depth) {
    const __mmask64 exist = (std::uint64_t{1} << (depth - p)) - 1;
    const auto groups = static_cast<__mmask16>((1u << ((depth - p + 3) / 4)) - 1);
#pragma GCC unroll 4
    for (std::size_t i = 0; i < 4; ++i) {
      const __m512i codes =
          _mm512_maskz_mov_epi8(exist, _mm512_xor_si512(_mm512_maskz_loadu_epi8(exist, a + i * lda + p), signs));
      s[i] = _mm512_dpbusd_epi32(s[i], ones, codes);
      if constexpr (copies) _mm512_mask_storeu_epi32(out + i * out_stride + p, groups, codes);
    }
  }
  const __m512i s01 = _mm512_add_epi32(_mm512_unpacklo_epi32(s[0], s[1]), _mm512_unpackhi_epi32(s[0], s[1]));
  const __m512i s23 = _mm512_add_epi32(_mm512_unpacklo_epi32(s[2], s[3]), _mm512_unpackhi_epi32(s[2], s[3]));
  const __m512i all = _mm512_add_epi32(_mm512_unpacklo_epi64(s01, s23), _mm512_unpackhi_epi64(s01, s23));
  const __m256i half = _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
  put(sums, _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1)));
}
#endif

static void prepare_s8(const std::uint8_t* a, std::size_t lda, std::size_t rows, std::size_t depth, std::uint8_t flip,
                       void* out, std::size_t out_stride_bytes, std::int32_t* sums) noexcept {
  std::size_t i = 0;
#if defined(PAWL_ISA_IS_avx512) && defined(__AVX512VNNI__)
  if (out) {
    auto* const to = static_cast<char*>(out);
    for (; i + 4 <= rows; i += 4)
      prepare_four_rows<true>(a + i * lda, lda, depth, flip, to + i * out_stride_bytes, out_stride_bytes, sums + i);
  } else {
    for (; i + 4 <= rows; i += 4) prepare_four_rows<false>(a + i * lda, lda, depth, flip, nullptr, 0, sums + i);
  }
#endif
  for (; i < rows; ++i) {
    const std::uint8_t* const from = a + i * lda;
    char* const to = out ? static_cast<char*>(out) + i * out_stride_bytes : nullptr;
    std::int32_t sum = 0;
    std::size_t p = 0;
#if defined(PAWL_ISA_IS_avx512)
    if (depth >= 64 || depth % 16 != 0) {
      __m512i total = _mm512_setzero_si512();
      const __m512i signs = _mm512_set1_epi8(static_cast<char>(flip)), top = _mm512_set1_epi8(char(0x80));
      for (; p + 64 <= depth; p += 64) {
        const __m512i codes = _mm512_xor_si512(get<__m512i>(from + p), signs);
        // Differences to 0 of bytes that have 128 added, in sums of 8.
        total = _mm512_add_epi64(total, _mm512_sad_epu8(_mm512_xor_si512(codes, top), _mm512_setzero_si512()));
        if (!to) continue;
        if constexpr (kCodeBytes == 1) {
          put(to + p, codes);
        } else {
          // 16-bit values 0, 2, 1, 3 of each group.
          const auto ordered = [](__m512i v) PAWL_INLINE_LAMBDA {
            return _mm512_shufflehi_epi16(_mm512_shufflelo_epi16(v, 0xd8), 0xd8);
          };
          put(to + 2 * p, ordered(_mm512_cvtepi8_epi16(_mm512_castsi512_si256(codes))));
          put(to + 2 * p + 64, ordered(_mm512_cvtepi8_epi16(_mm512_extracti64x4_epi64(codes, 1))));
        }
      }
      std::int32_t added = static_cast<std::int32_t>(p);
      if constexpr (kCodeBytes == 1) {
        if (p < depth) {
          const __mmask64 rest = (std::uint64_t{1} << (depth - p)) - 1;
          const __m512i codes =
              _mm512_maskz_mov_epi8(rest, _mm512_xor_si512(_mm512_maskz_loadu_epi8(rest, from + p), signs));
          total = _mm512_add_epi64(total, _mm512_sad_epu8(_mm512_xor_si512(codes, top), _mm512_setzero_si512()));
          if (to) _mm512_mask_storeu_epi32(to + p, static_cast<__mmask16>((1u << ((depth - p + 3) / 4)) - 1), codes);
          added += 64;
          p = depth;
        }
      }
      sum = static_cast<std::int32_t>(_mm512_reduce_add_epi64(total)) - 128 * added;
    }
#endif
#if defined(__x86_64__) && !defined(PAWL_ONE_LANE)
    if (p + 16 <= depth) {
      const std::size_t begin = p;
      __m128i total = _mm_setzero_si128();
      const __m128i signs = _mm_set1_epi8(static_cast<char>(flip)), top = _mm_set1_epi8(char(0x80));
      for (; p + 16 <= depth; p += 16) {
        const __m128i codes = _mm_xor_si128(get<__m128i>(from + p), signs);
        total = _mm_add_epi64(total, _mm_sad_epu8(_mm_xor_si128(codes, top), _mm_setzero_si128()));
        if (!to) continue;
        if constexpr (kCodeBytes == 1) {
          put(to + p, codes);
        } else {
          const auto ordered = [](__m128i v) PAWL_INLINE_LAMBDA {
            return _mm_shufflehi_epi16(_mm_shufflelo_epi16(_mm_srai_epi16(v, 8), 0xd8), 0xd8);
          };
          put(to + 2 * p, ordered(_mm_unpacklo_epi8(codes, codes)));
          put(to + 2 * p + 16, ordered(_mm_unpackhi_epi8(codes, codes)));
        }
      }
      sum += _mm_cvtsi128_si32(_mm_add_epi64(total, _mm_unpackhi_epi64(total, total))) -
             128 * static_cast<std::int32_t>(p - begin);
    }
#endif
    for (; p < depth; p += 4) {
      std::int8_t group[4] = {};
      for (std::size_t g = 0; g < 4 && p + g < depth; ++g) {
        group[g] = static_cast<std::int8_t>(from[p + g] ^ flip);
        sum += group[g];
      }
      if (to) put_group(to + p * kCodeBytes, group);
    }
    sums[i] = sum;
  }
}

#if defined(__x86_64__) && !defined(PAWL_ONE_LANE)
// 4 rows of kCount (8 or 16) weights -> the 4 weights of each column, 4 kCount bytes.
template <std::size_t kCount>
PAWL_INLINE void interleave(const std::int8_t* b, std::size_t ldb, std::uint8_t* out) {
  const __m128i top = _mm_set1_epi8(char(0x80));
  __m128i row[4];
#pragma GCC unroll 4
  for (std::size_t r = 0; r < 4; ++r) {
    const std::int8_t* const from = b + r * ldb;
    row[r] = kCount == 16 ? get<__m128i>(from) : _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  }
  const __m128i low01 = _mm_unpacklo_epi8(row[0], row[1]), low23 = _mm_unpacklo_epi8(row[2], row[3]);
  put(out, _mm_xor_si128(_mm_unpacklo_epi16(low01, low23), top));
  put(out + 16, _mm_xor_si128(_mm_unpackhi_epi16(low01, low23), top));
  if constexpr (kCount == 16) {
    const __m128i high01 = _mm_unpackhi_epi8(row[0], row[1]), high23 = _mm_unpackhi_epi8(row[2], row[3]);
    put(out + 32, _mm_xor_si128(_mm_unpacklo_epi16(high01, high23), top));
    put(out + 48, _mm_xor_si128(_mm_unpackhi_epi16(high01, high23), top));
  }
}
#if defined(PAWL_ISA_IS_avx512)
// The same for 32 columns.
PAWL_INLINE void interleave32(__m256i row0, __m256i row1, __m256i row2, __m256i row3, std::uint8_t* out) {
  const __m256i top = _mm256_set1_epi8(char(0x80));
  const __m256i low01 = _mm256_unpacklo_epi8(row0, row1), low23 = _mm256_unpacklo_epi8(row2, row3);
  const __m256i high01 = _mm256_unpackhi_epi8(row0, row1), high23 = _mm256_unpackhi_epi8(row2, row3);
  // Unpacking works in lanes of 128 bits: each has columns 4 c .. 4 c + 3 below and 16 more above.
  const __m256i c0 = _mm256_unpacklo_epi16(low01, low23), c1 = _mm256_unpackhi_epi16(low01, low23);
  const __m256i c2 = _mm256_unpacklo_epi16(high01, high23), c3 = _mm256_unpackhi_epi16(high01, high23);
  put(out, _mm256_xor_si256(_mm256_permute2x128_si256(c0, c1, 0x20), top));
  put(out + 32, _mm256_xor_si256(_mm256_permute2x128_si256(c2, c3, 0x20), top));
  put(out + 64, _mm256_xor_si256(_mm256_permute2x128_si256(c0, c1, 0x31), top));
  put(out + 96, _mm256_xor_si256(_mm256_permute2x128_si256(c2, c3, 0x31), top));
}
#endif
#endif

#if defined(PAWL_ISA_IS_avx512)
// 4 rows of 64 weights -> the 4 weights of each column, plus 128, 16 columns in each of 4 vectors.
PAWL_INLINE void interleave_columns(__m512i b0, __m512i b1, __m512i b2, __m512i b3, __m512i (&out)[4]) {
  const __m512i top = _mm512_set1_epi8(char(0x80));
  // Unpacking works in lanes of 128 bits. So lane l gets 4 columns of each of the 4 vectors to be: 16 v + 4 l on.
  const __m512i turned = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const auto turn = [&](__m512i row) PAWL_INLINE_LAMBDA { return _mm512_permutexvar_epi32(turned, row); };
  const __m512i row0 = turn(b0), row1 = turn(b1), row2 = turn(b2), row3 = turn(b3);
  const __m512i low01 = _mm512_unpacklo_epi8(row0, row1), low23 = _mm512_unpacklo_epi8(row2, row3);
  const __m512i high01 = _mm512_unpackhi_epi8(row0, row1), high23 = _mm512_unpackhi_epi8(row2, row3);
  out[0] = _mm512_xor_si512(_mm512_unpacklo_epi16(low01, low23), top);
  out[1] = _mm512_xor_si512(_mm512_unpackhi_epi16(low01, low23), top);
  out[2] = _mm512_xor_si512(_mm512_unpacklo_epi16(high01, high23), top);
  out[3] = _mm512_xor_si512(_mm512_unpackhi_epi16(high01, high23), top);
}

// The same of rows in memory, into two panels of 32 columns.
PAWL_INLINE void interleave64(const std::int8_t* b, std::size_t ldb, std::uint8_t* left, std::uint8_t* right) {
  __m512i w[4];
  interleave_columns(get<__m512i>(b), get<__m512i>(b + ldb), get<__m512i>(b + 2 * ldb), get<__m512i>(b + 3 * ldb), w);
  put(left, w[0]);
  put(left + 64, w[1]);
  put(right, w[2]);
  put(right + 64, w[3]);
}
#endif

// One group of 4 in depth of one panel; `width` columns and `depth` rows exist.
PAWL_INLINE void pack_group(const std::int8_t* b, std::size_t ldb, std::size_t depth, std::size_t width,
                            std::uint8_t* out) {
#if defined(PAWL_ISA_IS_avx512)
  // -128 becomes 0: weights that do not exist.
  const auto none = _mm256_set1_epi8(-128);
  const auto exist = static_cast<__mmask32>((std::uint64_t{1} << width) - 1);
  const auto row = [&](std::size_t r) PAWL_INLINE_LAMBDA {
    if (r >= depth) return none;
    return width == kTileCols ? get<__m256i>(b + r * ldb) : _mm256_mask_loadu_epi8(none, exist, b + r * ldb);
  };
  interleave32(row(0), row(1), row(2), row(3), out);
#elif defined(__x86_64__) && !defined(PAWL_ONE_LANE)
  constexpr std::size_t kStep = kTileCols < 16 ? 8 : 16;
  std::int8_t whole[4 * kTileCols];
  if (width < kTileCols || depth < 4) {
    // -128 becomes 0 below: weights that do not exist.
    __builtin_memset(whole, -128, sizeof whole);
    for (std::size_t r = 0; r < 4 && r < depth; ++r) __builtin_memcpy(whole + r * kTileCols, b + r * ldb, width);
    b = whole;
    ldb = kTileCols;
  }
#pragma GCC unroll 2
  for (std::size_t c = 0; c < kTileCols; c += kStep) interleave<kStep>(b + c, ldb, out + 4 * c);
#else
  for (std::size_t c = 0; c < kTileCols; ++c)
    for (std::size_t g = 0; g < 4; ++g)
      out[4 * c + g] = c < width && g < depth ? static_cast<std::uint8_t>(b[g * ldb + c] ^ 0x80) : std::uint8_t{0};
#endif
}

// A few rows of b at a time, across all panels: rows are read in a stream, and what is written stays in whole lines.
static void pack_s8(const std::int8_t* b, std::size_t ldb, bool transposed, std::size_t depth, std::size_t cols,
                    std::uint8_t* out) noexcept {
  const std::size_t groups = (depth + 3) / 4;
  if (transposed) {
    for (std::size_t j = 0; j < cols; j += kTileCols)
      pack_transposed_panel(b + j * ldb, ldb, depth, cols - j < kTileCols ? cols - j : kTileCols, out + j * groups * 4);
    return;
  }
  constexpr std::size_t step = 2;
  // 1.02 to 1.03 times as fast with 32 rows of activations and weights in L3; with whole rows 0.9 times (Zen 4).
  [[maybe_unused]] constexpr std::size_t kRowsAhead = 16;
  [[maybe_unused]] const bool parts = cols < ldb;
  for (std::size_t first = 0; first < groups; first += step)
    for (std::size_t j = 0; j < cols; j += kTileCols) {
#if defined(PAWL_ISA_IS_avx512)
      if (cols - j >= 2 * kTileCols && depth >= 4 * (first + step)) {
        std::uint8_t* const left = out + (j * groups + first * kTileCols) * 4;
        for (std::size_t g = 0; g < step; ++g) {
          const std::int8_t* const from = b + 4 * (first + g) * ldb + j;
          // Whole rows are streams that the CPU sees; of parts of rows the next are asked for.
          if (parts)
            for (std::size_t r = kRowsAhead; r < kRowsAhead + 4; ++r) __builtin_prefetch(from + r * ldb);
          interleave64(from, ldb, left + g * 4 * kTileCols, left + (groups + g) * 4 * kTileCols);
        }
        j += kTileCols;
        continue;
      }
#endif
      const std::size_t width = cols - j < kTileCols ? cols - j : kTileCols;
      for (std::size_t g = first; g < first + step && g < groups; ++g)
        pack_group(b + 4 * g * ldb + j, ldb, depth - 4 * g, width, out + (j * groups + g * kTileCols) * 4);
    }
}

}  // namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS
