// few_rows.kernel.hpp -- products of few rows, which read B once where it lies: packing it would cost more than it
// gains.
//
// A strip of C is computed at a time. Rows of B go by in chunks; between chunks the sums wait in a scratch, tile after
// tile, where no leading dimension that is a power of two makes them fall on the same sets of the cache.
#pragma once
#include "kernels/matmul/tile.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// One chunk of rows of B for M rows of A and a strip of C.
template <class T>
struct FewRowsChunk {
  const T* a;  // rows a_stride apart
  std::size_t a_stride, depth;
  const T* b;
  std::size_t ldb;
  const T* ahead;  // the chunk that comes next, in the matrix of B
  T* scratch;      // M rows by `cols` sums
  T* c;
  std::size_t ldc, cols;
  T alpha, beta;
  bool first, last;
};

// Columns [j, j + V * lanes) of the strip.
template <class T, std::size_t M, std::size_t V, bool kTail, Fetch kFetch>
PAWL_INLINE void few_rows_tile(const FewRowsChunk<T>& x, std::size_t j, std::size_t tail) {
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
  const Ahead<T> ahead{x.ahead + j, x.ldb, x.depth};
  accumulate<T, M, V, LeftLayout::rows, kTail, kFetch, false>(sum, x.depth, x.a, x.a_stride, x.b + j, x.ldb, tail,
                                                              &ahead, nullptr);
  if (x.last) return write_sums<T, M, V, kTail>(sum, x.alpha, x.beta, x.c + j, x.ldc, tail);
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i) {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) store<T>(scratch + (i * V + v) * W, sum[i][v]);
  }
}

// What does not fill a wide tile, one vector at a time.
template <class T, std::size_t M>
[[gnu::noinline]] static void few_rows_rest(const FewRowsChunk<T>& x, std::size_t j) noexcept {
  constexpr std::size_t W = lanes<T>;
  for (; j + W <= x.cols; j += W) few_rows_tile<T, M, 1, false, Fetch::nothing>(x, j, W);
  if (j < x.cols) few_rows_tile<T, M, 1, true, Fetch::nothing>(x, j, x.cols - j);
}

template <class T, std::size_t M, std::size_t V, Fetch kFetch>
static void few_rows_chunk(const FewRowsChunk<T>& x) noexcept {
  constexpr std::size_t kWide = V * lanes<T>;
  std::size_t j = 0;
  for (; j + kWide <= x.cols; j += kWide) few_rows_tile<T, M, V, false, kFetch>(x, j, lanes<T>);
  if (j < x.cols) few_rows_rest<T, M>(x, j);
}

template <class T>
using FewRowsFunction = void (*)(const FewRowsChunk<T>&) noexcept;

// Functions by rows - 1, for a B that a cache holds and for one that comes from memory.
//
// Cached: tiles as wide as the registers allow, so that each element of A serves many FMAs. From memory: narrow ones,
// which spread the loads over the rows of a chunk, and each asks for its own columns of the next chunk. Up to 7 rows
// that chunk goes to L1; with more there is time to fetch it from L2. One row leaves nothing to overlap with.
template <class T>
struct FewRowsTable {
  FewRowsFunction<T> cached[kTileRows], from_memory[kTileRows];
};

template <class T, std::size_t M = kTileRows>
constexpr void fill_few_rows(FewRowsTable<T>& table) {
  // M x V sums, V vectors of B and one element of A; more than 8 chains gain nothing.
  constexpr std::size_t kMost = (kRegisters - 1) / (M + 1), kWidest = kMost < 8 ? kMost : 8;
  table.cached[M - 1] = few_rows_chunk<T, M, kWidest, Fetch::nothing>;
  if constexpr (M == 1) {
    table.from_memory[M - 1] = table.cached[M - 1];
  } else {
    table.from_memory[M - 1] = few_rows_chunk < T, M, kTileVectors, M < 8 ? Fetch::into_l1 : Fetch::into_l2 > ;
    fill_few_rows<T, M - 1>(table);
  }
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
  const auto& functions = plan.from_memory ? kFewRows<T>.from_memory : kFewRows<T>.cached;
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
      if (x.rows > 1 || x.a_layout == LeftLayout::columns) {
        copy_left<T>(x, p, chunk.depth, copy, plan.copy_stride);
        chunk.a = copy;
        chunk.a_stride = plan.copy_stride;
      }
      chunk.b = x.b + p * x.b_stride + j;
      chunk.ldb = x.b_stride;
      chunk.first = p == 0;
      chunk.last = p + chunk.depth == x.depth;
      // The last chunk has none to ask for: it asks for itself, which is there already.
      chunk.ahead = p + 2 * plan.chunk <= x.depth ? chunk.b + plan.chunk * x.b_stride : chunk.b;
      chunk.scratch = scratch;
      chunk.c = x.c + j;
      chunk.ldc = x.ldc;
      chunk.cols = cols;
      chunk.alpha = x.alpha;
      chunk.beta = x.beta;
      for (std::size_t g = 0; g < groups; ++g) {
        const std::size_t rows = height + (g < higher ? 1 : 0);
        functions[rows - 1](chunk);
        chunk.a += rows * chunk.a_stride;
        chunk.scratch += rows * plan.strip;
        chunk.c += rows * x.ldc;
      }
    }
  }
}

}  // namespace pawl::PAWL_ISA_NS
