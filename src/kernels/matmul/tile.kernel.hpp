// tile.kernel.hpp -- the register tile: C[M x V vectors] from M rows of A and V vectors of B, written once for every
// ISA.
#pragma once
#include "kernels/kept.hpp"
#include "kernels/matmul/ahead.kernel.hpp"
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
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PAWL_SANITIZED 1
#endif
#if defined(PAWL_SANITIZED)
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

// What all tiles of one panel of B share.
template <class T>
struct TileCall {
  std::size_t depth;
  std::size_t a_stride;
  const T* b;  // row p at b + p * b_stride
  std::size_t b_stride;
  T* packed;  // tiles that pack write row p to packed + p * kTileCols
  std::size_t ldc;
  T alpha, beta;     // c = alpha * sum + beta * c
  bool adds;         // alpha = beta = 1: C is where the sums start
  bool plain;        // alpha = 1, and beta = 0 or 1: the sums are the result
  std::size_t tail;  // lanes of the last vector that exist in C and in B where it is not packed, 1 .. lanes
};

// What every panel or strip of a block has in common; b, packed and tail are left to them.
template <class T>
PAWL_INLINE TileCall<T> tile_call_of(const MatmulBlock<T>& block) {
  TileCall<T> call{};
  call.depth = block.depth;
  call.a_stride = block.a_stride;
  call.b_stride = block.b_stride;
  call.ldc = block.ldc;
  call.alpha = block.alpha;
  call.beta = block.beta;
  call.adds = block.alpha == T(1) && block.beta == T(1);
  call.plain = call.adds || (block.alpha == T(1) && block.beta == T(0));
  return call;
}

template <class T, std::size_t M, std::size_t V>
PAWL_INLINE void clear_sums(Vec<T> (&sum)[M][V]) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i) {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) sum[i][v] = Vec<T>(T(0));
  }
}

// Steps of depth that a tile of so few sums adds up apart: 8 chains of FMAs hide their latency.
constexpr std::size_t chain_steps(std::size_t sums) { return sums <= 1 ? 8 : sums <= 2 ? 4 : sums <= 4 ? 2 : 1; }

// sum[i][v] += A[i, p] * B[p, v-th vector] for p < depth, of a tile with too few sums for one chain of FMAs each.
template <class T, std::size_t M, std::size_t V, LeftLayout kLayout, bool kTail>
PAWL_INLINE void add_by_short_chains(Vec<T> (&sum)[M][V], std::size_t depth, const T* a, std::size_t a_stride,
                                     const T* b, std::size_t b_stride, std::size_t tail) {
  constexpr std::size_t W = lanes<T>, kSteps = chain_steps(M * V);
  constexpr bool kByRows = kLayout == LeftLayout::rows;
  Vec<T> part[kSteps * M * V];
  unroll<kSteps * M * V>([&](auto s)
                             PAWL_INLINE_LAMBDA { part[s] = s < M * V ? sum[s % (M * V) / V][s % V] : Vec<T>(T(0)); });
  const std::size_t a_step = kByRows ? 1 : a_stride, a_row = kByRows ? a_stride : 1;
  const auto step = [&](auto to, const T* left, const T* row) PAWL_INLINE_LAMBDA {
    unroll<V>([&](auto v) PAWL_INLINE_LAMBDA {
      Vec<T> y = kTail && v == V - 1 ? load_first<T>(row + v * W, tail) : load<T>(row + v * W);
      if constexpr (M > 1) y = kept<T>(y);
      unroll<M>([&](auto i) PAWL_INLINE_LAMBDA {
        Vec<T>& one = part[(to * M + i) * V + v];
        one = fma<T>(Vec<T>(left[i * a_row]), y, one);
      });
    });
  };
  for (; depth >= kSteps; depth -= kSteps, a += kSteps * a_step, b += kSteps * b_stride)
    unroll<kSteps>([&](auto u) PAWL_INLINE_LAMBDA { step(u, a + u * a_step, b + u * b_stride); });
  for (; depth != 0; --depth, a += a_step, b += b_stride) step(std::integral_constant<std::size_t, 0>{}, a, b);
  unroll<M>([&](auto i) PAWL_INLINE_LAMBDA {
    unroll<V>([&](auto v) PAWL_INLINE_LAMBDA {
      sum[i][v] = part[i * V + v];
      unroll<kSteps - 1>([&](auto u) PAWL_INLINE_LAMBDA { sum[i][v] = sum[i][v] + part[((u + 1) * M + i) * V + v]; });
    });
  });
}

// sum[i][v] (+)= A[i, p] * B[p, v-th vector] for p < depth, depth >= 1.
//
// Without `adds` the first products are the sums: zeros to add them to cost a tile of 14 x 2 vectors some 35 cycles on
// a Zen 4 (32 deep, in a trial program, 49 to 55 cycles more than its FMAs take against 10 to 23; without the stores at
// its end zeros cost 8).
//
// Row i of A at depth p is a[i * a_stride + p] or, by columns, a[p * a_stride + i]. kTail: only `tail` lanes of the
// last vector of B exist. kPacks: B is written to `packed` as well, in rows of kTileCols. `ahead`: what to ask for, one
// after another, at least `depth` steps in all; not read if kFetch is nothing.
//
// kTurn steps share the instructions that move the pointers, and mostly one row that is asked for. A core that runs
// another thread beside this one gives it half of the six instructions a cycle that it can take: the 14 x 2 tile had 57
// a step, of which 28 are FMAs and fill 14 cycles, and has 49. Beside such a neighbour on an Emerald Rapids a trial
// program with such loops went from 0.65 to 0.72 of the FMA peak, alone from 0.975 to 0.986.
template <class T, std::size_t M, std::size_t V, LeftLayout kLayout, bool kTail, Fetch kFetch, bool kPacks,
          std::size_t kTurn>
PAWL_INLINE void accumulate(Vec<T> (&sum)[M][V], bool adds, std::size_t depth, const T* a, std::size_t a_stride,
                            const T* b, std::size_t b_stride, std::size_t tail, const Ahead<T>* ahead, T* packed) {
  constexpr std::size_t W = lanes<T>;
  constexpr bool kByRows = kLayout == LeftLayout::rows;
  // One pointer per kGroup rows of A: row 4 g + r is then one register plus 0, 1, 2 or 3 strides, an address that costs
  // nothing. Hidden from g++ 12, which would fold all into one pointer and keep 14 multiples of the stride, in memory.
  constexpr std::size_t kGroup = 4, kGroups = kByRows ? (M + kGroup - 1) / kGroup : 1;
  const T* group[kGroups];
#pragma GCC unroll 16
  for (std::size_t g = 0; g < kGroups; ++g) {
    group[g] = a + g * kGroup * a_stride;
    asm("" : "+r"(group[g]));
  }
  std::size_t a_three = 3 * a_stride, b_three = 3 * b_stride;
  // One step of depth, the at-th of those that share their pointers.
  const auto step = [&](auto at, auto starts) PAWL_INLINE_LAMBDA {
    // Hidden at each step, or g++ 12 keeps stride + 1, stride + 2 and so on in memory.
    if constexpr (kTurn > 1) {
      asm("" : "+r"(a_stride), "+r"(a_three));
      asm("" : "+r"(b_stride), "+r"(b_three));
    }
    const auto strides = [&](std::size_t n, std::size_t one, std::size_t three)
                             PAWL_INLINE_LAMBDA { return n == 3 ? three : n * one; };
    Vec<T> row[V];
    const T* const from = b + strides(at, b_stride, b_three);
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) {
      row[v] = kTail && v == V - 1 ? load_first<T>(from + v * W, tail) : load<T>(from + v * W);
      if constexpr (M > 1) row[v] = kept<T>(row[v]);
      if constexpr (kPacks) store<T>(packed + at * kTileCols<T> + v * W, row[v]);
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < M; ++i) {
      const Vec<T> x(kByRows ? group[i / kGroup][strides(i % kGroup, a_stride, a_three) + at]
                             : group[0][strides(at, a_stride, a_three) + i]);
#pragma GCC unroll 16
      for (std::size_t v = 0; v < V; ++v) sum[i][v] = starts ? x * row[v] : fma<T>(x, row[v], sum[i][v]);
    }
  };
  const auto advance = [&](std::size_t steps) PAWL_INLINE_LAMBDA {
#pragma GCC unroll 16
    for (std::size_t g = 0; g < kGroups; ++g) {
      group[g] += kByRows ? steps : steps * a_stride;
      asm("" : "+r"(group[g]));
    }
    b += steps * b_stride;
    // Hidden, or g++ 12 keeps second copies in memory and brings them up to date after the loop: the sums of a tile
    // fill most of a core's queue of stores, and the next tile waits for room in it.
    asm("" : "+r"(b));
    if constexpr (kPacks) packed += steps * kTileCols<T>;
  };
  if (!adds) {
    step(std::integral_constant<std::size_t, 0>{}, std::true_type{});
    advance(1);
    --depth;
  }
  // Loops within one loop, and not one for each thing asked for: so there are few copies of the code of the tile. The
  // ends of the inner loops cost little, since they are known long before the sums before them.
  Ahead<T> rows_ahead{nullptr, 0, depth};
  const auto fetch = [&]() PAWL_INLINE_LAMBDA {
    fetch_row<T, V, kFetch>(rows_ahead.at);
    if constexpr (kFetch != Fetch::nothing) rows_ahead.at += rows_ahead.step;
  };
  while (depth != 0) {
    if constexpr (kFetch != Fetch::nothing) rows_ahead = *ahead++;
    std::size_t steps = rows_ahead.turns < depth ? rows_ahead.turns : depth;
    if constexpr (kTurn > 1) {
      if (!rows_ahead.hurried && depth >= kTurn) {
        std::size_t turns = rows_ahead.turns < depth / kTurn ? rows_ahead.turns : depth / kTurn;
        depth -= turns * kTurn;
        const auto each_turn = [&](auto ask) PAWL_INLINE_LAMBDA {
          for (; turns != 0; --turns) {
            ask();
            unroll<kTurn>([&](auto at) PAWL_INLINE_LAMBDA { step(at, std::false_type{}); });
            advance(kTurn);
          }
        };
        if (rows_ahead.rows == Ahead<T>::Rows::none)
          each_turn([]() PAWL_INLINE_LAMBDA {});
        else if (rows_ahead.rows == Ahead<T>::Rows::written)
          each_turn([&]() PAWL_INLINE_LAMBDA {
            unroll<kWrittenRows>([&](auto) PAWL_INLINE_LAMBDA {
              fetch_written_row<T, V>(rows_ahead.at);
              rows_ahead.at += rows_ahead.step;
            });
          });
        else
          each_turn(fetch);
        steps = depth < kTurn ? depth : 0;
      }
    }
    depth -= steps;
    for (; steps != 0; --steps) {
      fetch();
      step(std::integral_constant<std::size_t, 0>{}, std::false_type{});
      advance(1);
    }
  }
}

// sum += beta * C. All rows of it before one is written: a load waits for a masked store before it if the whole vectors
// overlap, as those of rows of a few columns do, 8 ns a row (Emerald Rapids).
template <class T, std::size_t M, std::size_t V>
PAWL_INLINE void add_to_sums(Vec<T> (&sum)[M][V], Vec<T> beta, const T* c, std::size_t ldc, std::size_t tail) {
  constexpr std::size_t W = lanes<T>;
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i) {
    asm("" : "+r"(c));  // as above
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v)
      sum[i][v] = fma<T>(beta, v == V - 1 ? load_first<T>(c + v * W, tail) : load<T>(c + v * W), sum[i][v]);
    c += ldc;
  }
}

template <class T, std::size_t M, std::size_t V, bool kTail, bool kReadsC>
PAWL_INLINE void write_sums(const Vec<T> (&sum)[M][V], Vec<T> beta, T* c, std::size_t ldc, std::size_t tail) {
  constexpr std::size_t W = lanes<T>;
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i) {
    asm("" : "+r"(c));  // as above: else g++ 12 computes 28 addresses first
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v) {
      T* const to = c + v * W;
      if (kTail && v == V - 1) {
        static_assert(!(kTail && kReadsC));
        store_first<T>(to, sum[i][v], tail);
      } else {
        store<T>(to, kReadsC ? fma<T>(beta, load<T>(to), sum[i][v]) : sum[i][v]);
      }
    }
    c += ldc;
  }
}

// c = alpha * sum + beta * c; beta = 0 does not read c, alpha = 1 and beta = 0 cost no arithmetic.
template <class T, std::size_t M, std::size_t V, bool kTail>
PAWL_INLINE void write_sums(Vec<T> (&sum)[M][V], T alpha, T beta, T* c, std::size_t ldc, std::size_t tail) {
  if (alpha != T(1)) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < M; ++i) {
#pragma GCC unroll 16
      for (std::size_t v = 0; v < V; ++v) sum[i][v] = Vec<T>(alpha) * sum[i][v];
    }
  }
  if constexpr (kTail) {
    if (beta != T(0)) add_to_sums<T, M, V>(sum, Vec<T>(beta), c, ldc, tail);
    write_sums<T, M, V, true, false>(sum, Vec<T>(beta), c, ldc, tail);
  } else if (beta == T(0)) {
    write_sums<T, M, V, false, false>(sum, Vec<T>(beta), c, ldc, tail);
  } else {
    write_sums<T, M, V, false, true>(sum, Vec<T>(beta), c, ldc, tail);
  }
}

template <class T, std::size_t M, std::size_t V, bool kTail>
PAWL_INLINE void read_sums(Vec<T> (&sum)[M][V], const T* c, std::size_t ldc, std::size_t tail) {
  constexpr std::size_t W = lanes<T>;
#pragma GCC unroll 16
  for (std::size_t i = 0; i < M; ++i) {
    asm("" : "+r"(c));
#pragma GCC unroll 16
    for (std::size_t v = 0; v < V; ++v)
      sum[i][v] = kTail && v == V - 1 ? load_first<T>(c + v * W, tail) : load<T>(c + v * W);
    c += ldc;
  }
}

template <class T, std::size_t M, std::size_t V, bool kTail>
PAWL_INLINE void write_tile(Vec<T> (&sum)[M][V], const TileCall<T>& call, T* c) {
  if (call.plain) return write_sums<T, M, V, kTail, false>(sum, Vec<T>(T(0)), c, call.ldc, call.tail);
  write_sums<T, M, V, kTail>(sum, call.alpha, call.beta, c, call.ldc, call.tail);
}

// From so deep on a tile of few sums splits its chains, if it reads A by columns. By rows every tile adds up in the
// order of the depth, whatever its height: products of 16-bit floats promise the same bits on any number of threads.
inline constexpr std::size_t kShortChains = 16;
template <std::size_t M, std::size_t V, LeftLayout kLayout, bool kPacks>
inline constexpr bool kSplitsChains = kLayout == LeftLayout::columns && !kPacks && chain_steps(M * V) > 1;

// M rows of C, V vectors wide. kTail: only call.tail lanes of the last vector exist in B and C. kPacks: B is copied to
// call.packed on its way through the registers, and the last vector filled up with zeros. Tiles of few rows or of
// one vector have no loads to spare and ask for nothing.
//
// C + A B starts with C as the sums and needs no additions at the end; C must have come near by then: the tile before
// has asked for it.
template <class T, std::size_t M, std::size_t V, LeftLayout kLayout, bool kTail, bool kPacks>
static void tile(const TileCall<T>& call, const T* a, T* c, const Ahead<T>* ahead) noexcept {
  Vec<T> sum[M][V];
  if constexpr (kSplitsChains<M, V, kLayout, kPacks>) {
    if (call.depth >= kShortChains) {
      if (call.adds)
        read_sums<T, M, V, kTail>(sum, c, call.ldc, call.tail);
      else
        clear_sums<T, M, V>(sum);
      add_by_short_chains<T, M, V, kLayout, kTail>(sum, call.depth, a, call.a_stride, call.b, call.b_stride, call.tail);
      return write_tile<T, M, V, kTail>(sum, call, c);
    }
  }
  if (call.adds) read_sums<T, M, V, kTail>(sum, c, call.ldc, call.tail);
  constexpr bool kLarge = V > 1 && M > kTileRows / 2;
  accumulate<T, M, V, kLayout, kTail, kLarge ? Fetch::into_l2 : Fetch::nothing, kPacks, kLarge ? kMostTurn : 1>(
      sum, call.adds, call.depth, a, call.a_stride, call.b, call.b_stride, call.tail, ahead, call.packed);
  write_tile<T, M, V, kTail>(sum, call, c);
}

template <class T>
using TileFunction = void (*)(const TileCall<T>&, const T*, T*, const Ahead<T>*) noexcept;

// The tile functions by [vectors - 1][rows - 1].
template <class T>
struct TileTable {
  TileFunction<T> at[kTileVectors][kTileRows];
};

// A block of three tiles or more, cut evenly, has none below this height; only such blocks pack.
inline constexpr std::size_t kLeastPackingRows = (2 * kTileRows + 1 + 2) / 3;

template <class T, LeftLayout kLayout, bool kTail, bool kPacks, std::size_t V, std::size_t M = kTileRows>
constexpr void fill_tile_row(TileTable<T>& table) {
  table.at[V - 1][M - 1] = tile<T, M, V, kLayout, kTail, kPacks>;
  if constexpr (M > (kPacks ? kLeastPackingRows : 1)) fill_tile_row<T, kLayout, kTail, kPacks, V, M - 1>(table);
}

template <class T, LeftLayout kLayout, bool kTail, bool kPacks, std::size_t V = kTileVectors>
constexpr void fill_tiles(TileTable<T>& table) {
  fill_tile_row<T, kLayout, kTail, kPacks, V>(table);
  if constexpr (V > 1) fill_tiles<T, kLayout, kTail, kPacks, V - 1>(table);
}

template <class T, LeftLayout kLayout, bool kTail, bool kPacks>
constexpr TileTable<T> make_tiles() {
  TileTable<T> table{};
  fill_tiles<T, kLayout, kTail, kPacks>(table);
  return table;
}

template <class T, LeftLayout kLayout, bool kTail, bool kPacks>
inline constexpr TileTable<T> kTiles = make_tiles<T, kLayout, kTail, kPacks>();

// The same, chosen at run time: [by columns][cut][packs].
template <class T>
PAWL_INLINE const TileTable<T>& tiles(LeftLayout layout, bool tail, bool packs) {
  constexpr LeftLayout R = LeftLayout::rows, C = LeftLayout::columns;
  static constexpr const TileTable<T>* kAll[2][2][2] = {{{&kTiles<T, R, false, false>, &kTiles<T, R, false, true>},
                                                         {&kTiles<T, R, true, false>, &kTiles<T, R, true, true>}},
                                                        {{&kTiles<T, C, false, false>, &kTiles<T, C, false, true>},
                                                         {&kTiles<T, C, true, false>, &kTiles<T, C, true, true>}}};
  return *kAll[layout == C][tail][packs];
}

}  // namespace pawl::PAWL_ISA_NS
