// few_rows.kernel.hpp -- products of few rows, which read B once where it lies: packing it would cost more than it
// gains.
//
// A strip of C is computed at a time. Rows of B go by in chunks, and each chunk from left to right in tiles as wide as
// the registers allow, so that each element of A serves many FMAs; while a tile computes it asks for one that comes
// later. Between chunks the sums wait in a scratch, tile after tile, where no leading dimension that is a power of two
// makes them fall on the same sets of the cache.
//
// Measured on a Zen 5 (8 x 4096, GFLOP/s with B in L3 and in memory): 218 and 131 with the tile to the right; asking
// for the chunk below instead 143 and 108, for nothing 187 and 70. Fewer rows on a Zen 4: plan.cpp.
#pragma once
#include "kernels/matmul/one_row_lines.kernel.hpp"
#include "kernels/matmul/rows_side_by_side.kernel.hpp"
#include "kernels/matmul/tile.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// One chunk of rows of B for M rows of A and a strip of C.
template <class T>
struct FewRowsChunk {
  const T* a;  // rows a_stride apart
  std::size_t a_stride, depth;
  const T* b;
  std::size_t ldb;
  const T* next;  // where the chunk that comes next begins
  FewRowsAhead ahead;
  T* scratch;  // M rows by `cols` sums
  T* c;
  std::size_t ldc, cols;
  T alpha, beta;
  bool first, last;
};

// Columns [j, j + V * lanes) of the strip. `ahead`: what to ask for, ldb apart.
template <class T, std::size_t M, std::size_t V, bool kTail, Fetch kFetch>
PAWL_INLINE void few_rows_tile(const FewRowsChunk<T>& x, std::size_t j, std::size_t tail, const T* ahead_at) {
  constexpr std::size_t W = lanes<T>;
  T* const scratch = x.scratch + j * M;
  Vec<T> sum[M][V];
  if (x.first) {
    clear_sums<T, M, V>(sum);
  } else {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < M; ++i) {
#pragma GCC unroll 16
      for (std::size_t v = 0; v < V; ++v) sum[i][v] = load<T>(scratch + (i * V + v) * W);
    }
  }
  const Ahead<T> ahead{ahead_at, x.ldb, x.depth};
  accumulate<T, M, V, LeftLayout::rows, kTail, kFetch, false, 1>(sum, true, x.depth, x.a, x.a_stride, x.b + j, x.ldb,
                                                                 tail, &ahead, nullptr);
  if (x.last) return write_sums<T, M, V, kTail>(sum, x.alpha, x.beta, x.c + j, x.ldc, tail);
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i) {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) store<T>(scratch + (i * V + v) * W, sum[i][v]);
  }
}

// Vectors of the tiles for M rows: M x V sums, V vectors of B and one element of A fit into the registers, and more
// than 8 chains gain nothing. One row has enough registers for 16, which reads B in longer runs.
template <std::size_t M>
inline constexpr std::size_t kFewRowsVectors = M == 1                           ? kRegisters / 2
                                               : (kRegisters - 1) / (M + 1) < 8 ? (kRegisters - 1) / (M + 1)
                                                                                : 8;

template <class T>
using FewRowsPart = void (*)(const FewRowsChunk<T>& x, std::size_t j) noexcept;

// V vectors from column j on, the last of which need not be whole.
template <class T, std::size_t M, std::size_t V>
static void few_rows_part(const FewRowsChunk<T>& x, std::size_t j) noexcept {
  constexpr std::size_t W = lanes<T>, kBefore = (V - 1) * W;
  const std::size_t left = x.cols - j - kBefore, tail = left < W ? left : W;
  if constexpr (chain_steps(M * V) > 1) {
    if (x.first && x.last) {
      Vec<T> sum[M][V];
      clear_sums<T, M, V>(sum);
      add_by_short_chains<T, M, V, LeftLayout::rows, true>(sum, x.depth, x.a, x.a_stride, x.b + j, x.ldb, tail);
      return write_sums<T, M, V, true>(sum, x.alpha, x.beta, x.c + j, x.ldc, tail);
    }
  }
  few_rows_tile<T, M, V, true, Fetch::nothing>(x, j, tail, nullptr);
}

// By vectors - 1, up to those of a wide tile.
template <class T, std::size_t M>
struct FewRowsParts {
  FewRowsPart<T> of[kFewRowsVectors<M>];
};

template <class T, std::size_t M, std::size_t V = kFewRowsVectors<M>>
constexpr void fill_few_rows_parts(FewRowsParts<T, M>& parts) {
  parts.of[V - 1] = few_rows_part<T, M, V>;
  if constexpr (V > 1) fill_few_rows_parts<T, M, V - 1>(parts);
}

template <class T, std::size_t M>
constexpr FewRowsParts<T, M> make_few_rows_parts() {
  FewRowsParts<T, M> parts{};
  fill_few_rows_parts<T, M>(parts);
  return parts;
}

template <class T, std::size_t M>
inline constexpr FewRowsParts<T, M> kFewRowsParts = make_few_rows_parts<T, M>();

template <class T, std::size_t M, Fetch kFetch>
PAWL_INLINE void few_rows_tiles(const FewRowsChunk<T>& x) {
  constexpr std::size_t W = lanes<T>, V = kFewRowsVectors<M>, kWide = V * W;
  const bool below = x.ahead == FewRowsAhead::below_into_l2;
  const T* const ahead = below ? x.next : x.b + kWide;
  std::size_t j = 0;
  for (; j + 2 * kWide <= x.cols; j += kWide) few_rows_tile<T, M, V, false, kFetch>(x, j, W, ahead + j);
  if (j + kWide == x.cols) return few_rows_tile<T, M, V, false, kFetch>(x, j, W, below ? x.next + j : x.next);
  // What is left fills two tiles at most, evenly: a narrow one has too few chains of FMAs to hide their latency.
  std::size_t vectors = (x.cols - j + W - 1) / W;
  if (vectors > V) {
    const std::size_t first = vectors / 2;
    kFewRowsParts<T, M>.of[first - 1](x, j);
    j += first * W;
    vectors -= first;
  }
  if (vectors != 0) kFewRowsParts<T, M>.of[vectors - 1](x, j);
}

// Only the ways that plan.cpp chooses for M rows are compiled.
template <class T, std::size_t M>
static void few_rows_chunk(const FewRowsChunk<T>& x) noexcept {
  if (x.ahead == FewRowsAhead::nothing) return few_rows_tiles<T, M, Fetch::nothing>(x);
  if constexpr (M > 1)
    if (x.ahead == FewRowsAhead::right_into_l1) return few_rows_tiles<T, M, Fetch::into_l1>(x);
  few_rows_tiles<T, M, Fetch::into_l2>(x);
}

template <class T>
using FewRowsFunction = void (*)(const FewRowsChunk<T>&) noexcept;

// By rows - 1.
template <class T>
struct FewRowsTable {
  FewRowsFunction<T> chunk[kTileRows];
  std::size_t cols[kTileRows];
};

template <class T, std::size_t M = kTileRows>
constexpr void fill_few_rows(FewRowsTable<T>& table) {
  table.chunk[M - 1] = few_rows_chunk<T, M>;
  table.cols[M - 1] = kFewRowsVectors<M> * lanes<T>;
  if constexpr (M > 1) fill_few_rows<T, M - 1>(table);
}

template <class T>
constexpr FewRowsTable<T> make_few_rows() {
  FewRowsTable<T> table{};
  fill_few_rows<T>(table);
  return table;
}

template <class T>
inline constexpr FewRowsTable<T> kFewRows = make_few_rows<T>();

// Row i of A at depth p0 .. p0 + depth -> copy[i * stride ..].
template <class T>
static void copy_left(const MatmulBlock<T>& x, std::size_t p0, std::size_t depth, T* copy, std::size_t stride) {
  constexpr std::size_t W = lanes<T>;
  for (std::size_t i = 0; i < x.rows; ++i) {
    T* const to = copy + i * stride;
    if (x.a_layout == LeftLayout::rows) {
      const T* from = x.a + i * x.a_stride + p0;
      std::size_t p = 0;
      for (; p + W <= depth; p += W) store<T>(to + p, load<T>(from + p));
      if (p < depth) store_first<T>(to + p, load_first<T>(from + p, depth - p), depth - p);
    } else {
      for (std::size_t p = 0; p < depth; ++p) to[p] = x.a[(p0 + p) * x.a_stride + i];
    }
  }
}

template <class T>
static void multiply_few_rows(const MatmulBlock<T>& x, const FewRowsPlan& plan, T* scratch) noexcept {
#if defined(PAWL_ISA_IS_avx512)
  if (x.rows == 1 && plan.ahead != FewRowsAhead::page_by_page && multiply_one_row_by_lines<T>(x)) return;
  if (multiplied_rows_beside<T>(x)) return;
#endif
  if (plan.ahead == FewRowsAhead::side_by_side) return multiply_one_row<T, kSideBySide>(x, plan.strip, scratch);
  if (plan.ahead == FewRowsAhead::page_by_page) return multiply_one_row<T, kPageByPage>(x, plan.strip, scratch);
  const std::size_t groups = (x.rows + kTileRows - 1) / kTileRows;
  const std::size_t height = x.rows / groups, higher = x.rows % groups;
  T* const copy = scratch + x.rows * plan.strip;
  for (std::size_t j = 0; j < x.cols; j += plan.strip) {
    const std::size_t cols = x.cols - j < plan.strip ? x.cols - j : plan.strip;
    for (std::size_t p = 0; p < x.depth; p += plan.chunk) {
      FewRowsChunk<T> chunk{};
      chunk.depth = x.depth - p < plan.chunk ? x.depth - p : plan.chunk;
      chunk.a = x.a + p;
      chunk.a_stride = x.a_stride;
      if (plan.copies_a && (x.rows > 1 || x.a_layout == LeftLayout::columns)) {
        copy_left<T>(x, p, chunk.depth, copy, plan.copy_stride);
        chunk.a = copy;
        chunk.a_stride = plan.copy_stride;
      }
      chunk.b = x.b + p * x.b_stride + j;
      chunk.ldb = x.b_stride;
      chunk.first = p == 0;
      chunk.last = p + chunk.depth == x.depth;
      // The last chunk has none to ask for: it asks for itself, which is there already.
      chunk.next = p + 2 * plan.chunk <= x.depth ? chunk.b + plan.chunk * x.b_stride : chunk.b;
      chunk.ahead = plan.ahead;
      chunk.scratch = scratch;
      chunk.c = x.c + j;
      chunk.ldc = x.ldc;
      chunk.cols = cols;
      chunk.alpha = x.alpha;
      chunk.beta = x.beta;
      for (std::size_t g = 0; g < groups; ++g) {
        const std::size_t rows = height + (g < higher ? 1 : 0);
        kFewRows<T>.chunk[rows - 1](chunk);
        chunk.a += rows * chunk.a_stride;
        chunk.scratch += rows * plan.strip;
        chunk.c += rows * x.ldc;
      }
    }
  }
}

}  // namespace pawl::PAWL_ISA_NS
