// low_bits.kernel.hpp -- products of rows of codes with weights of 8, 4, 2 or 1.6 bits, written once for every ISA.
//
// Codes of several groups in depth share a byte. A mask cuts one of them out in place: what is left is the code times a
// power of 2, which is taken off the sum in the end instead of from each code by a shift.
#pragma once
#include <utility>

#include "kernels/quant/half_lanes.hpp"
#include "kernels/quant/int8_tile.kernel.hpp"
#include "kernels/quant/low_bits_table.hpp"

namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS {

inline constexpr std::size_t kPanelBytes = 4 * kTileCols;  // of one step: 4 codes (or slots of codes) of each column

#if defined(PAWL_ISA_IS_avx512)
inline constexpr std::size_t kLowBitsRows = 4;
#else
inline constexpr std::size_t kLowBitsRows = 2;
#endif

PAWL_INLINE U32 masked(U32 bytes, std::uint8_t mask) { return bytes & (0x01010101u * mask); }
PAWL_INLINE U32 shifted_right(U32 v, int bits) { return as<U32>(as<I32>(v) >> bits); }

// v * x, v below 2^15 and |x| too: one instruction that adds products of pairs, where one of 32 bits takes two.
PAWL_INLINE U32 low_products(U32 v, std::uint32_t x) {
#if defined(PAWL_ISA_IS_avx512)
  return as<U32>(_mm512_madd_epi16(as<__m512i>(v), _mm512_set1_epi32(static_cast<int>(x))));
#elif defined(PAWL_ISA_IS_avx2)
  return as<U32>(_mm256_madd_epi16(as<__m256i>(v), _mm256_set1_epi32(static_cast<int>(x))));
#elif defined(PAWL_ISA_IS_sse2)
  return as<U32>(_mm_madd_epi16(as<__m128i>(v), _mm_set1_epi32(static_cast<int>(x))));
#else
  return v * x;
#endif
}

// Where row i of x has group `group` of codes.
PAWL_INLINE const char* row_at(const LowBitsBlock& block, std::size_t i, std::size_t group) {
  return static_cast<const char*>(block.x) + i * block.x_stride_bytes + group * kGroupBytes;
}

template <std::size_t V>
PAWL_INLINE void finish_row(const LowBitsBlock& block, F32 (&y)[V], float* to) {
#pragma GCC unroll 4
  for (std::size_t v = 0; v < V; ++v) {
    const std::size_t at = (v / kVectors * block.panels_apart * kVectors + v % kVectors) * kLanes;
    if (block.bias) y[v] += get<F32>(block.bias + at);
    if (block.relu) y[v] = greatest(F32{}, y[v]);
    put(to + at, y[v]);
  }
}

// Bytes ahead at which weights are asked for. What is done with a byte of 2 or 4 codes takes so many instructions that
// too few loads are under way at once: from L3 91 GB/s without this, 108 to 111 with 1 to 8 KiB (groups of 128, one
// row, Zen 5). From memory 2 rows and more take 1.1 to 1.3 times as long without it (Zen 4).
inline constexpr std::size_t kAhead = 8192;

// A vector of bytes of several codes, loaded once: g++ 12 would read it again for each mask.
template <bool kAsks>
PAWL_INLINE U32 load_once(const std::uint8_t* w) {
  if constexpr (kAsks) __builtin_prefetch(w + kAhead);
  U32 bytes = get<U32>(w);
#if defined(__x86_64__) && !defined(PAWL_ONE_LANE)
  asm("" : "+v"(bytes));
#endif
  return bytes;
}

// Slots: codes in a byte, of 8 / slots bits each. Sums begin with what zero points take off: x_sums, or, with kZeros,
// where groups have zero points of their own, these times x_sums. P panels side by side. kAsks: for weights
// ahead.
template <std::size_t kSlots, bool kZeros, std::size_t M, std::size_t P, bool kAsks>
static void group_tile(const LowBitsBlock& block, std::size_t row, float* c, std::size_t ldc) noexcept {
  constexpr int kBits = 8 / int{kSlots};
  constexpr std::uint8_t kMask = kSlots == 1 ? 0xff : 0x0f;
  constexpr std::size_t V = P * kVectors;
  // Up to two rows each slot has its own sums, which are shifted in the end; with more rows, which share them, the
  // codes are shifted.
  constexpr std::size_t kSets = M <= 2 ? kSlots : 1;
  F32 y[M][V];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < M; ++i)
#pragma GCC unroll 4
    for (std::size_t v = 0; v < V; ++v) y[i][v] = F32{};
  const std::size_t steps = block.bytes_in_depth / 4, groups = block.groups, stride = block.x_stride_groups;
  const std::size_t apart = P > 1 ? block.panels_apart * block.panel_bytes : 0;
  // Where vector v begins, if the first one does at `at` and a panel has `each` bytes for a vector.
  const auto vector_at = [=](const std::uint8_t* at, std::size_t v, std::size_t each)
                             PAWL_INLINE_LAMBDA { return at + v / kVectors * apart + v % kVectors * each; };
  const std::uint8_t* zeros = block.w;
  const std::uint8_t* w = block.w + (kZeros ? (groups * kTileCols + 63) / 64 * 64 : 0);
  const std::int32_t* const x_sums = block.x_sums + row * stride;
  const float* const x_scales = block.x_scales + row * stride;
  const char* x[M];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < M; ++i) x[i] = row_at(block, row + i, 0);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::uint8_t* const scales = w;
    w += 2 * kTileCols;
    U32 sum[kSets][M][V];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < V; ++v) {
      U32 zero{};
      if constexpr (kZeros) zero = as<U32>(wide_codes(vector_at(zeros, v, kLanes)));
#pragma GCC unroll 4
      for (std::size_t i = 0; i < M; ++i) {
        const std::uint32_t x_sum = static_cast<std::uint32_t>(x_sums[i * stride + g]);
        sum[0][i][v] = kZeros ? low_products(zero, x_sum) : U32{} + x_sum;
        if constexpr (kSets == 2) sum[1][i][v] = U32{};
      }
    }
    for (std::size_t s = 0; s < steps; ++s, w += kPanelBytes) {
#pragma GCC unroll 4
      for (std::size_t v = 0; v < V; ++v) {
        const std::uint8_t* const from = vector_at(w, v, 4 * kLanes);
        const U32 bytes = kSlots == 1 ? get<U32>(from) : load_once<kAsks>(from);
#pragma GCC unroll 2
        for (std::size_t t = 0; t < kSlots; ++t) {
          const Weights codes =
              weights_of(kSets == kSlots ? masked(bytes, static_cast<std::uint8_t>(kMask << (t * kBits % 8)))
                                         : masked(bytes >> static_cast<unsigned>(t * kBits % 8), kMask));
#pragma GCC unroll 4
          for (std::size_t i = 0; i < M; ++i)
            sum[t % kSets][i][v] = add_products(sum[t % kSets][i][v], codes, x[i] + t * kGroupBytes);
        }
      }
#pragma GCC unroll 4
      for (std::size_t i = 0; i < M; ++i) x[i] += kSlots * kGroupBytes;
    }
#pragma GCC unroll 4
    for (std::size_t v = 0; v < V; ++v) {
      const F32 scale = load_f16(reinterpret_cast<const std::uint16_t*>(vector_at(scales, v, 2 * kLanes)));
#pragma GCC unroll 4
      for (std::size_t i = 0; i < M; ++i) {
        U32 total = sum[0][i][v];
        if constexpr (kSets == 2) total += shifted_right(sum[1][i][v], kBits);
        y[i][v] += convert_lanes<F32>(as<I32>(total)) * scale * x_scales[i * stride + g];
      }
    }
    if constexpr (kZeros) zeros += kTileCols;
  }
#pragma GCC unroll 4
  for (std::size_t i = 0; i < M; ++i) finish_row(block, y[i], c + i * ldc);
}

// Of the panel that is `columns` columns behind that of the block.
template <std::size_t M>
PAWL_INLINE void finish_ternary(const LowBitsBlock& block, std::size_t columns, std::size_t row,
                                const U32 (&sum)[M][kVectors], float* c, std::size_t ldc) {
  LowBitsBlock panel = block;
  panel.col_scales += columns;
  if (panel.bias) panel.bias += columns;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < M; ++i) {
    const std::size_t at = (row + i) * block.x_stride_groups;
    F32 y[kVectors];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v)
      y[v] = convert_lanes<F32>(as<I32>(sum[i][v] - static_cast<std::uint32_t>(block.x_sums[at]))) *
             block.x_scales[at] * get<F32>(panel.col_scales + v * kLanes);
    finish_row(panel, y, c + columns + i * ldc);
  }
}

// P panels side by side. kAsks: for weights ahead.
template <std::size_t M, std::size_t P, bool kAsks>
static void ternary2_tile(const LowBitsBlock& block, std::size_t row, float* c, std::size_t ldc) noexcept {
  constexpr std::size_t V = P * kVectors;
  const std::uint8_t* w = block.w;
  const std::size_t apart = P > 1 ? block.panels_apart * block.panel_bytes : 0;
  // Up to two rows each slot has its own sums, which are shifted in the end; with more rows these would not fit into
  // the registers, and the codes are shifted, which more rows share.
  constexpr std::size_t kSets = M <= 2 ? 4 : 1;
  U32 sum[kSets][M][V];
#pragma GCC unroll 4
  for (std::size_t t = 0; t < kSets; ++t) clear<M>(sum[t]);
  const char* x[M];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < M; ++i) x[i] = row_at(block, row + i, 0);
  for (std::size_t s = 0; s < block.bytes_in_depth / 4; ++s, w += kPanelBytes) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < V; ++v) {
      const U32 bytes = load_once<kAsks>(w + v / kVectors * apart + v % kVectors * 4 * kLanes);
#pragma GCC unroll 4
      for (std::size_t t = 0; t < 4; ++t) {
        const Weights codes = weights_of(kSets > 1 ? masked(bytes, static_cast<std::uint8_t>(3u << (2 * t)))
                                                   : masked(bytes >> static_cast<unsigned>(2 * t), 3));
#pragma GCC unroll 4
        for (std::size_t i = 0; i < M; ++i)
          sum[t % kSets][i][v] = add_products(sum[t % kSets][i][v], codes, x[i] + t * kGroupBytes);
      }
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < M; ++i) x[i] += 4 * kGroupBytes;
  }
#pragma GCC unroll 2
  for (std::size_t p = 0; p < P; ++p) {
    U32 total[M][kVectors];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < M; ++i)
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t of = p * kVectors + v;
        total[i][v] = sum[0][i][of];
        if constexpr (kSets > 1)
          total[i][v] +=
              shifted_right(sum[1][i][of], 2) + shifted_right(sum[2][i][of], 4) + shifted_right(sum[3][i][of], 6);
      }
    finish_ternary<M>(block, p * block.panels_apart * kTileCols, row, total, c, ldc);
  }
}

// A byte is 256 times a fraction in base 3. Times 3, what overflows the byte is the next digit: 256 digit = 3 y - y',
// with y' = 3 y mod 256. So digits need not be taken out: their products are 3 (sum of x y) - (sum of x y'), over 256,
// and both sums are dot products of bytes as they stand.
template <std::size_t M>
static void ternary3_tile(const LowBitsBlock& block, std::size_t row, float* c, std::size_t ldc) noexcept {
  const std::uint8_t* w = block.w;
  // One row takes even and odd digits apart: 4 chains would wait for each other.
  constexpr std::size_t kSets = M == 1 ? 2 : 1;
  U32 before[kSets][M][kVectors], after[kSets][M][kVectors];
#pragma GCC unroll 2
  for (std::size_t u = 0; u < kSets; ++u) {
    clear<M>(before[u]);
    clear<M>(after[u]);
  }
  const char* x[M];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < M; ++i) x[i] = row_at(block, row + i, 0);
  for (std::size_t s = 0; s < block.bytes_in_depth / 4; ++s, w += kPanelBytes) {
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) {
      U32 bytes = get<U32>(w + v * 4 * kLanes);
      Weights y = weights_of(bytes);
#pragma GCC unroll 5
      for (std::size_t t = 0; t < 5; ++t) {
        bytes = tripled_bytes(bytes);
        const Weights next = weights_of(bytes);
#pragma GCC unroll 4
        for (std::size_t i = 0; i < M; ++i) {
          U32& y_sum = before[t % kSets][i][v];
          U32& next_sum = after[t % kSets][i][v];
          y_sum = add_products(y_sum, y, x[i] + t * kGroupBytes);
          next_sum = add_products(next_sum, next, x[i] + t * kGroupBytes);
        }
        y = next;
      }
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < M; ++i) x[i] += 5 * kGroupBytes;
  }
  U32 sum[M][kVectors];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < M; ++i)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v)
      sum[i][v] = shifted_right(3u * (before[0][i][v] + (kSets > 1 ? before[kSets - 1][i][v] : U32{})) -
                                    (after[0][i][v] + (kSets > 1 ? after[kSets - 1][i][v] : U32{})),
                                8);
  finish_ternary<M>(block, 0, row, sum, c, ldc);
}

using LowBitsTile = void (*)(const LowBitsBlock&, std::size_t row, float* c, std::size_t ldc) noexcept;

// Rows that meet two panels at once. These share the loads of activations, which take as many cycles as those of
// weights do, and have twice as many chains of sums under way: one row of weights of 4 bits takes 0.86 to 0.97 of the
// time, of ternary ones 0.91 to 0.94, two rows of 8 bits 0.87 to 0.96. Two rows of 4 bits took 1.02 to 1.15 times as
// long (Zen 4).
template <std::size_t kSlots>
#if defined(__AVX512VNNI__)
inline constexpr std::size_t kPairRows = kSlots == 1 ? 2 : 1;
#else
inline constexpr std::size_t kPairRows = 0;
#endif

// Tiles by their rows, null where there is none; [0] is for one row that does not ask for weights ahead.
struct LowBitsTiles {
  LowBitsTile of_panel[kLowBitsRows + 1], of_pair[kLowBitsRows + 1];
};

// The panel at column j, or a pair of them.
PAWL_INLINE LowBitsBlock part_at(const LowBitsBlock& block, std::size_t j) {
  LowBitsBlock part = block;
  part.w = block.w + j / kTileCols * block.panel_bytes;
  part.col_scales = block.col_scales ? block.col_scales + j : nullptr;
  part.bias = block.bias ? block.bias + j : nullptr;
  part.c = block.c + j;
  return part;
}

PAWL_INLINE void multiply_panel(const LowBitsBlock& part, std::size_t cols, const LowBitsTile* tiles) {
  LowBitsBlock cut = part;
  float bias[kTileCols] = {}, whole[kLowBitsRows * kTileCols];
  if (cols < kTileCols && part.bias) {
    __builtin_memcpy(bias, part.bias, cols * sizeof(float));
    cut.bias = bias;
  }
  for (std::size_t row = 0; row < part.rows;) {
    const std::size_t rows = part.rows - row < kLowBitsRows ? part.rows - row : kLowBitsRows;
    const std::size_t at = rows == 1 && !part.one_row_asks ? 0 : rows;
    float* const c = part.c + row * part.ldc;
    if (cols == kTileCols) {
      tiles[at](part, row, c, part.ldc);
    } else {
      tiles[at](cut, row, whole, kTileCols);
      for (std::size_t i = 0; i < rows; ++i)
        __builtin_memcpy(c + i * part.ldc, whole + i * kTileCols, cols * sizeof(float));
    }
    row += rows;
  }
}

// All rows, a panel after the other. Where rows meet two panels at once, one is of the first half of them and the other
// of the second, so that weights come in two streams without end: with neighbours in pairs each pair began a stream,
// and weights from L3 with a depth below 1024 took 1.05 to 1.3 times as long as one panel after the other.
PAWL_INLINE void multiply_panels(const LowBitsBlock& block, const LowBitsTiles& tiles) {
  std::size_t j = 0;
  const std::size_t rows = block.rows == 1 && !block.one_row_asks ? 0 : block.rows;
  if (const std::size_t pairs = block.cols / kTileCols / 2; pairs > 0 && rows <= kLowBitsRows && tiles.of_pair[rows]) {
    const LowBitsTile tile = tiles.of_pair[rows];
    for (; j < pairs * kTileCols; j += kTileCols) {
      LowBitsBlock part = part_at(block, j);
      part.panels_apart = pairs;
      tile(part, 0, part.c, part.ldc);
    }
    j *= 2;
  }
  for (; j < block.cols; j += kTileCols)
    multiply_panel(part_at(block, j), block.cols - j < kTileCols ? block.cols - j : kTileCols, tiles.of_panel);
}

template <std::size_t kSlots, bool kZeros, std::size_t... I, std::size_t... J>
PAWL_INLINE void multiply_groups_by(const LowBitsBlock& block, std::index_sequence<I...>, std::index_sequence<J...>) {
  static constexpr LowBitsTiles kTiles{
      {group_tile<kSlots, kZeros, 1, 1, kZeros>, group_tile<kSlots, kZeros, I + 1, 1, true>...},
      {sizeof...(J) ? group_tile<kSlots, kZeros, 1, 2, false> : nullptr,
       group_tile<kSlots, kZeros, J + 1, 2, true>...}};
  multiply_panels(block, kTiles);
}
template <std::size_t... I>
PAWL_INLINE void multiply_ternary2_by(const LowBitsBlock& block, std::index_sequence<I...>) {
  static constexpr LowBitsTiles kTiles{{ternary2_tile<1, 1, true>, ternary2_tile<I + 1, 1, true>...},
                                       {kPairRows<4> > 0 ? ternary2_tile<1, 2, false> : nullptr}};
  multiply_panels(block, kTiles);
}
template <std::size_t... I>
PAWL_INLINE void multiply_ternary3_by(const LowBitsBlock& block, std::index_sequence<I...>) {
  static constexpr LowBitsTiles kTiles{{ternary3_tile<1>, ternary3_tile<I + 1>...}, {}};
  multiply_panels(block, kTiles);
}

using LowBitsHeights = std::make_index_sequence<kLowBitsRows>;
template <std::size_t kSlots, bool kZeros>
static void multiply_groups(const LowBitsBlock& block) noexcept {
  multiply_groups_by<kSlots, kZeros>(block, LowBitsHeights{}, std::make_index_sequence<kPairRows<kSlots>>{});
}
static void multiply_ternary2(const LowBitsBlock& block) noexcept { multiply_ternary2_by(block, LowBitsHeights{}); }
static void multiply_ternary3(const LowBitsBlock& block) noexcept { multiply_ternary3_by(block, LowBitsHeights{}); }

static constexpr LowBitsOps kLowBitsOps{.tile_cols = kTileCols,
                                        .bytes_per_code = kCodeBytes,
                                        .multiply = {multiply_groups<1, false>, multiply_groups<2, false>,
                                                     multiply_groups<2, true>, multiply_ternary2, multiply_ternary3}};

}  // namespace pawl::PAWL_ISA_NS::PAWL_INT8_NS
