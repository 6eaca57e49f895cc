// strips.kernel.hpp -- a shallow product -> C in strips as wide as the registers allow, so that its rows are written in
// runs of many lines.
//
// A product that is not deep takes as long as its C takes to write. The tile that suits FMAs best, 14 x 2 vectors with
// AVX-512, writes two lines of each of 14 rows and goes down all rows before it comes to the two to their right. Tiles
// of 5 x 5 need fewer loads for each FMA, 10 for 25 instead of 16 for 28, and write five lines of each of five rows;
// the loop over their rows is within the function, so that a tile of few FMAs has no call of its own.
#pragma once
#include "kernels/line_parts.kernel.hpp"
#include "kernels/matmul/tile.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// Rows and vectors of a tile. Rows x vectors sums, the vectors of B and one element of A fit into the registers: 25 + 5
// + 1 of 32 and 8 + 4 + 1 of 16. AVX2 by 3 x 3, whose 96 bytes are no whole lines, took 1.04 times as long. Others have
// no masks: the last vector of a strip is read lane by lane, and strips took up to three times as long as tiles.
#if defined(PAWL_ISA_IS_avx512) && defined(PAWL_SANITIZED)
inline constexpr std::size_t kStripRows = 2, kStripVectors = 3;  // see kTileRows
#elif defined(PAWL_ISA_IS_avx512)
inline constexpr std::size_t kStripRows = 5, kStripVectors = 5;
#elif defined(PAWL_ISA_IS_avx2)
inline constexpr std::size_t kStripRows = 2, kStripVectors = 4;
#else
inline constexpr std::size_t kStripRows = 0, kStripVectors = 0;
#endif

// Up to so many rows the lines of the strip to the right are asked for, and stay in L1 until they are written; else
// those of the rows below. Time so over time by the rows below on an Emerald Rapids: f64 25 x 1913, k = 4 0.70, f32 36
// x 1844, k = 4 0.91; 60 rows of f32 542 x 896, k = 11 1.09 and 1710 x 57, k = 9 1.15.
inline constexpr std::size_t kRowsAskedRight = 30;

template <class T>
struct StripCall {
  TileCall<T> tile;
  bool asks, right;  // for lines of C, to write them; for those to the right
};

// `groups` times M rows of a strip V vectors wide, the last of which need not be whole.
template <class T, std::size_t M, std::size_t V, LeftLayout kLayout>
static void strip_rows(const StripCall<T>& call, const T* a, T* c, std::size_t groups) noexcept {
  constexpr std::size_t W = lanes<T>, kLine = 64 / sizeof(T), kLines = V * W > kLine ? V * W / kLine : 1;
  const TileCall<T>& x = call.tile;
  const std::size_t a_step = M * (kLayout == LeftLayout::rows ? x.a_stride : 1);
  for (; groups != 0; --groups, a += a_step) {
    T* const below = c + M * x.ldc;
    if (call.asks) {
      const T* at = (call.right ? c + V * W : below) + kLine - 1;
      unroll<M>([&](auto) PAWL_INLINE_LAMBDA {
        unroll<kLines>([&](auto l) PAWL_INLINE_LAMBDA { __builtin_prefetch(at + l * kLine, 1, 3); });
        at += x.ldc;
      });
    }
    Vec<T> sum[M][V];
    if (x.adds) read_sums<T, M, V, true>(sum, c, x.ldc, x.tail);
    accumulate<T, M, V, kLayout, true, Fetch::nothing, false, 1>(sum, x.adds, x.depth, a, x.a_stride, x.b, x.b_stride,
                                                                 x.tail, nullptr, nullptr);
    write_tile<T, M, V, true>(sum, x, c);
    c = below;
  }
}

template <class T>
using StripFunction = void (*)(const StripCall<T>&, const T*, T*, std::size_t) noexcept;

#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
// By [vectors - 1][rows - 1].
template <class T>
struct StripTable {
  StripFunction<T> at[kStripVectors][kStripRows];
};

template <class T, LeftLayout kLayout, std::size_t V = kStripVectors, std::size_t M = kStripRows>
constexpr void fill_strips(StripTable<T>& table) {
  table.at[V - 1][M - 1] = strip_rows<T, M, V, kLayout>;
  if constexpr (M > 1)
    fill_strips<T, kLayout, V, M - 1>(table);
  else if constexpr (V > 1)
    fill_strips<T, kLayout, V - 1, kStripRows>(table);
}

template <class T, LeftLayout kLayout>
constexpr StripTable<T> make_strips() {
  StripTable<T> table{};
  fill_strips<T, kLayout>(table);
  return table;
}

template <class T>
inline constexpr StripTable<T> kStrips[2] = {make_strips<T, LeftLayout::rows>(), make_strips<T, LeftLayout::columns>()};

// Columns of C before the first line, if its rows begin at the same place of a line and are long: they are a strip of
// their own, so that no store wants two lines. Time so over time without, C 16 bytes beyond a line (where malloc puts
// it), on an Emerald Rapids: f32 402 x 256, k = 7 0.67, 1000 x 1024, k = 16 0.83, f64 1079 x 512, k = 10 0.80; f64 681
// x 64, k = 29 1.1, hence the depth.
template <class T>
PAWL_INLINE std::size_t columns_to_line([[maybe_unused]] const MatmulBlock<T>& block) {
#if defined(PAWL_ISA_IS_avx512)
  constexpr std::size_t kLeastLines = 6, kLine = LineParts<T>::kLine;
  const std::size_t lines = block.depth > kLeastLines ? block.depth : kLeastLines;
  if (block.ldc % kLine == 0 && block.cols >= lines * kLine) return LineParts<T>::elements_to_line(block.c);
#endif
  return 0;
}

// The groups of rows of a strip from the last to the first, of which the first `higher` have a row more. Apart, and
// with a call for each: a loop that goes both ways, or this in the place of the two calls, makes all strips of k = 1 to
// 3 take 1.03 times as long.
template <class T>
[[gnu::noinline]] static void strip_upwards(const StripCall<T>& call, const MatmulBlock<T>& block,
                                            const StripFunction<T>* rows, std::size_t height, std::size_t higher,
                                            std::size_t groups, T* c) noexcept {
  const std::size_t a_row = block.a_layout == LeftLayout::columns ? 1 : block.a_stride;
  while (groups-- != 0) {
    const std::size_t i = groups * height + (groups < higher ? groups : higher);
    rows[groups < higher ? height : height - 1](call, block.a + i * a_row, c + i * block.ldc, 1);
  }
}

template <class T>
static void multiply_strips(const MatmulBlock<T>& block) noexcept {
  constexpr std::size_t W = lanes<T>;
  StripCall<T> call{tile_call_of(block), block.next_of_c != NextOfC::below_into_l2,
                    block.rows <= kRowsAskedRight || block.upwards};
  TileCall<T>& x = call.tile;
  const bool by_columns = block.a_layout == LeftLayout::columns;
  // Rows and vectors dealt out evenly.
  const std::size_t groups = (block.rows + kStripRows - 1) / kStripRows, height = block.rows / groups;
  const std::size_t higher = block.rows - height * groups, done = higher * (height + 1);
  const auto strip = [&](std::size_t j, std::size_t width, std::size_t tail) {
    x.b = block.b + j;
    x.tail = tail;
    const StripFunction<T>* const rows = kStrips<T>[by_columns].at[width - 1];
    T* const c = block.c + j;
    if (block.upwards) [[unlikely]]
      return strip_upwards(call, block, rows, height, higher, groups, c);
    if (higher != 0) rows[height](call, block.a, c, higher);
    rows[height - 1](call, block.a + done * (by_columns ? 1 : block.a_stride), c + done * block.ldc, groups - higher);
  };
  std::size_t j = columns_to_line<T>(block);
  if (j != 0) strip(0, 1, j);
  std::size_t vectors = (block.cols - j + W - 1) / W;
  for (std::size_t strips = (vectors + kStripVectors - 1) / kStripVectors; strips != 0; --strips) {
    const std::size_t width = (vectors + strips - 1) / strips, left = block.cols - j - (width - 1) * W;
    strip(j, width, left < W ? left : W);
    j += width * W;
    vectors -= width;
  }
}
#else
template <class T>
inline constexpr auto multiply_strips = nullptr;
#endif

}  // namespace pawl::PAWL_ISA_NS
