// tile.kernel.hpp -- the register tile: C[M x V vectors] from M rows of A and V vectors of B, written once for every
// ISA.
#pragma once
#include "kernels/matmul/matmul_table.hpp"
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

// Rows and vectors of the register tile. Rows x vectors accumulators, `vectors` registers for B and one or two for the
// broadcast elements of A must fit into the registers, and each loaded element should serve as many FMAs as possible
// (Goto and van de Geijn 2008, section 6).
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PAWL_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(PAWL_SANITIZED)
// Every access to the sums is checked before they become registers: 14 rows took g++ 12 ten minutes and 2.5 GB. The
// code is the same with three.
inline constexpr std::size_t kTileRows = 3, kTileVectors = 2;
#elif defined(PAWL_ISA_IS_avx512)
inline constexpr std::size_t kTileRows = 14, kTileVectors = 2;  // 28 + 2 + 2 of 32 registers
#elif defined(PAWL_ISA_IS_avx2)
inline constexpr std::size_t kTileRows = 6, kTileVectors = 2;  // 12 + 2 + 2 of 16
#elif defined(PAWL_ISA_IS_neon)
inline constexpr std::size_t kTileRows = 12, kTileVectors = 2;  // 24 + 2 + 2 of 32
#else
inline constexpr std::size_t kTileRows = 5, kTileVectors = 2;  // 10 + 2 + 1, and 1 for a product: no FMA; of 16
#endif

#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_neon)
inline constexpr std::size_t kRegisters = 32;
#else
inline constexpr std::size_t kRegisters = 16;
#endif

template <class T>
inline constexpr std::size_t kTileCols = kTileVectors* lanes<T>;

// What a tile does to C: c = alpha * sum + beta * c, and how many lanes of its last vector exist.
template <class T>
struct TileEnd {
  T alpha, beta;
  std::size_t tail;  // 1 .. lanes
};

// Whether the rows of B that come next are asked for, and how near.
enum class Ahead : std::uint8_t { nothing, into_l2, into_l1 };

template <class T, std::size_t M, std::size_t V>
PAWL_INLINE void clear_sums(Vec<T> (&sum)[M][V]) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i) {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) sum[i][v] = Vec<T>(T(0));
  }
}

// sum[i][v] += A[i, p] * B[p, v-th vector] for p < depth.
//
// Row i of A at depth p is a[i * a_stride + p] or, by columns, a[p * a_stride + i]. kTail: only `tail` lanes of the
// last vector of B exist. `ahead` lies in the matrix of B.
template <class T, std::size_t M, std::size_t V, LeftLayout kLayout, bool kTail, Ahead kAhead = Ahead::nothing>
PAWL_INLINE void accumulate(Vec<T> (&sum)[M][V], std::size_t depth, const T* a, std::size_t a_stride, const T* b,
                            std::size_t b_stride, std::size_t tail, const T* ahead = nullptr) {
  constexpr std::size_t W = lanes<T>;
  // One pointer per kGroup rows of A: row 4 g + r is then one register plus 0, 1, 2 or 3 strides, an address that costs
  // nothing. Hidden from g++ 12, which would fold all into one pointer and keep 14 multiples of the stride, in memory.
  constexpr std::size_t kGroup = 4, kGroups = kLayout == LeftLayout::rows ? (M + kGroup - 1) / kGroup : 1;
  const T* group[kGroups];
#pragma GCC unroll 16
  for (std::size_t g = 0; g < kGroups; ++g) {
    group[g] = a + g * kGroup * a_stride;
    asm("" : "+r"(group[g]));
  }
  const std::size_t a_step = kLayout == LeftLayout::rows ? 1 : a_stride;
  for (std::size_t p = 0; p < depth; ++p) {
    Vec<T> row[V];
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) {
      row[v] = kTail && v == V - 1 ? load_first<T>(b + v * W, tail) : load<T>(b + v * W);
      if constexpr (kAhead == Ahead::into_l1) __builtin_prefetch(ahead + v * W, 0, 3);
      if constexpr (kAhead == Ahead::into_l2) __builtin_prefetch(ahead + v * W, 0, 2);
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < M; ++i) {
      const Vec<T> x(kLayout == LeftLayout::rows ? group[i / kGroup][i % kGroup * a_stride] : group[0][i]);
#pragma GCC unroll 16
      for (std::size_t v = 0; v < V; ++v) sum[i][v] = fma<T>(x, row[v], sum[i][v]);
    }
#pragma GCC unroll 16
    for (std::size_t g = 0; g < kGroups; ++g) group[g] += a_step;
    b += b_stride;
    if constexpr (kAhead != Ahead::nothing) ahead += b_stride;
  }
}

template <class T, std::size_t M, std::size_t V, bool kTail, bool kReadsC>
PAWL_INLINE void write_sums(const Vec<T> (&sum)[M][V], Vec<T> alpha, Vec<T> beta, T* c, std::size_t ldc,
                            std::size_t tail) {
  constexpr std::size_t W = lanes<T>;
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i) {
    asm("" : "+r"(c));  // as above: else g++ 12 computes 28 addresses first
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) {
      T* const to = c + v * W;
      Vec<T> result = alpha * sum[i][v];
      if (kTail && v == V - 1) {
        if constexpr (kReadsC) result = fma<T>(beta, load_first<T>(to, tail), result);
        store_first<T>(to, result, tail);
      } else {
        if constexpr (kReadsC) result = fma<T>(beta, load<T>(to), result);
        store<T>(to, result);
      }
    }
    c += ldc;
  }
}

// c = alpha * sum + beta * c; beta = 0 does not read c.
template <class T, std::size_t M, std::size_t V, bool kTail>
PAWL_INLINE void write_sums(const Vec<T> (&sum)[M][V], T alpha, T beta, T* c, std::size_t ldc, std::size_t tail) {
  if (beta == T(0)) {
    write_sums<T, M, V, kTail, false>(sum, Vec<T>(alpha), Vec<T>(beta), c, ldc, tail);
  } else {
    write_sums<T, M, V, kTail, true>(sum, Vec<T>(alpha), Vec<T>(beta), c, ldc, tail);
  }
}

// M rows of C, V vectors wide. kTail: only end.tail lanes of the last vector exist in B and C.
template <class T, std::size_t M, std::size_t V, LeftLayout kLayout, bool kTail>
static void tile(std::size_t depth, const T* a, std::size_t a_stride, const T* b, std::size_t b_stride, T* c,
                 std::size_t ldc, const TileEnd<T>& end) noexcept {
  Vec<T> sum[M][V];
  unroll<M>([&](auto i)
                PAWL_INLINE_LAMBDA { unroll<V>([&](auto v) PAWL_INLINE_LAMBDA { sum[i][v] = Vec<T>(T(0)); }); });
  accumulate<T, M, V, kLayout, kTail>(sum, depth, a, a_stride, b, b_stride, end.tail);
  write_sums<T, M, V, kTail>(sum, end.alpha, end.beta, c, ldc, end.tail);
}

template <class T>
using TileFunction = void (*)(std::size_t, const T*, std::size_t, const T*, std::size_t, T*, std::size_t,
                              const TileEnd<T>&) noexcept;

// The tile functions by [vectors - 1][rows - 1].
template <class T>
struct TileTable {
  TileFunction<T> at[kTileVectors][kTileRows];
};

template <class T, LeftLayout kLayout, bool kTail, std::size_t V, std::size_t M = kTileRows>
constexpr void fill_tile_row(TileTable<T>& table) {
  table.at[V - 1][M - 1] = tile<T, M, V, kLayout, kTail>;
  if constexpr (M > 1) fill_tile_row<T, kLayout, kTail, V, M - 1>(table);
}

template <class T, LeftLayout kLayout, bool kTail, std::size_t V = kTileVectors>
constexpr void fill_tiles(TileTable<T>& table) {
  fill_tile_row<T, kLayout, kTail, V>(table);
  if constexpr (V > 1) fill_tiles<T, kLayout, kTail, V - 1>(table);
}

template <class T, LeftLayout kLayout, bool kTail>
constexpr TileTable<T> make_tiles() {
  TileTable<T> table{};
  fill_tiles<T, kLayout, kTail>(table);
  return table;
}

template <class T, LeftLayout kLayout, bool kTail>
inline constexpr TileTable<T> kTiles = make_tiles<T, kLayout, kTail>();

}  // namespace pawl::PAWL_ISA_NS
