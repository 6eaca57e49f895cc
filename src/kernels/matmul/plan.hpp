// plan.hpp -- how one thread computes a product, or its part of one: which kernel, which blocks, which copies.
#pragma once
#include <cstddef>
#include <cstdint>

#include "isa/row_streams.hpp"
#include "kernels/matmul/blocking.hpp"
#include "kernels/matmul/product.hpp"

namespace pawl {

// How blocks of B are read.
enum class RightSide : std::uint8_t {
  in_place,
  packed_on_the_way,  // copied by the first row of tiles that uses it
  transposed,         // packed before it is used
  packed,             // by the caller, once for many products
};

/// Rows this far apart, or a multiple of it, fall on the same sets of L1.
inline constexpr std::size_t kPage = 4096;

/// Whether `rows` rows, ld elements apart, push each other out of the caches before they are used up.
template <class T>
constexpr bool falls_on_same_sets(std::size_t ld, std::size_t rows) noexcept {
  constexpr std::size_t kFew = 8;
  return ld * sizeof(T) % kPage == 0 && rows > kFew;
}

/// Whether the first `lines` lines of so many rows, `apart` bytes apart, are more than a set of L1 keeps beside what
/// else is there. A thread keeps its latest answers: one product asks up to four times, 0.2 us each for 200 rows (20 x
/// 104, k = 192 f32 took 1.11 times as long without).
bool share_sets_of_l1(std::size_t apart, std::size_t rows, std::size_t lines) noexcept;

/// The same of rows ld elements apart. Those of 1023 f32 share their sets as those of 1024 do.
template <class T>
bool share_sets(std::size_t ld, std::size_t rows, std::size_t lines) noexcept {
  return share_sets_of_l1(ld * sizeof(T), rows, lines);
}

struct Plan {
  bool dots = false, few_rows = false;
  FewRowsPlan few_rows_plan{};   // if few_rows
  std::size_t rows_at_once = 0;  // if few_rows; 0: all
  Blocking blocking{};           // else
  RightSide b = RightSide::in_place;
  bool copy_a = false;
  NextOfC next_of_c = NextOfC::below_into_l2;
  bool operands_are_near = false;  // see MatmulBlock
  std::size_t tile_rows = 0;
  std::size_t panel_elements = 0, other_elements = 0;  // of workspace
};

/// The plan for x, which has at least one row, column and step of depth; `alone`: no other thread computes meanwhile.
template <class T>
Plan make_plan(const MatmulOps<T>& kernels, const Product<T>& x, bool alone);
extern template Plan make_plan(const MatmulOps<float>&, const Product<float>&, bool);
extern template Plan make_plan(const MatmulOps<double>&, const Product<double>&, bool);

/// Elements of workspace that the plan for any part of x needs at most.
template <class T>
std::size_t most_workspace(const MatmulOps<T>& kernels, const Product<T>& x);
extern template std::size_t most_workspace(const MatmulOps<float>&, const Product<float>&);
extern template std::size_t most_workspace(const MatmulOps<double>&, const Product<double>&);

/// Up to so many rows, B is used too rarely to be worth packing: two tiles, three of variants narrower than AVX-512.
/// OpenBLAS's and oneDNN's time over ours with two and three of AVX2's tiles, of six rows, on an Emerald Rapids, f32:
/// 16 x 1024, k = 1024 1.08, 0.81 and 1.24, 0.93; 13 x 500, k = 700 1.60, 0.91 and 1.91, 1.06; f64 16 x 1024, k =
/// 1024 1.07 and 1.31.
template <class T>
std::size_t most_few_rows(const MatmulOps<T>& kernels) noexcept {
  return (kernels.tile_cols * sizeof(T) <= 64 ? 3 : 2) * kernels.tile_rows;
}

/// Whether x has so few rows that tiles wider than the usual ones are worth it: with 1, 2 or 3 rows these have too few
/// chains of FMAs to hide their latency.
template <class T>
bool suits_wide_tiles(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kFewSums = 4, kLongSums = 16;
  if (x.packed || x.transpose_a || x.transpose_b || x.m > kernels.tile_rows) return false;
  return x.n > kernels.tile_cols ? kernels.few_rows_cols[x.m - 1] > kernels.tile_cols
                                 : x.m <= kFewSums && x.k >= kLongSums;
}

/// Rows at a time of a C three vectors wide whose B L1 does not hold, else 0. Tiles go over B in one panel of two
/// vectors and one of one, whose FMAs wait for loads; tiles of nine rows meet all three at once. Time so over time by
/// tiles on an Emerald Rapids, AVX-512, f32 48 and f64 24 columns: 54 rows, k = 400 0.95 and 0.84, 300 rows, k =
/// 300 1.00 and 0.97, k = 600 0.89 and 0.84, k = 1000 0.89 and 0.82, 1000 rows, k = 1300 0.87; 44 and 22 columns, 45
/// rows, k = 1000 0.86 and 0.83; 20 rows, k = 300 1.03.
template <class T>
std::size_t rows_of_three_vectors(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kRows = 9, kLeastRows = 3 * kRows;
  const std::size_t lanes = kernels.tile_cols / 2;
  if (x.packed || x.transpose_a || x.transpose_b || x.m < kLeastRows || x.n <= 2 * lanes || x.n > 3 * lanes) return 0;
  if (kernels.tile_rows < kRows || kernels.few_rows_cols[kRows - 1] < x.n) return 0;
  if (4 * x.k * x.n * sizeof(T) <= 5 * assumed_cache_sizes().l1d_bytes || falls_on_same_sets<T>(x.ldb, x.k)) return 0;
  const std::size_t groups = (x.m + kRows - 1) / kRows;
  return (x.m + groups - 1) / groups;
}

/// Steps of depth at a time if x, deep with few rows and a C of few vectors, goes by tiles that read B where it lies,
/// chunk after chunk, which L1 keeps from one tile to the next; else 0. Tiles of few rows (few_rows.kernel.hpp) are as
/// wide as such a C, or wider, and dot products (narrow.hpp) turn B over first.
///
/// Time so over time before of 900 random products with 4 to 28 rows, k = 100 to 4000 and B up to 2 MiB, by bytes of a
/// row of C, on an Emerald Rapids, AVX-512 f32 and f64: up to 128, 0.79 to 0.91 and 0.68 to 0.80; 256 0.81 to 0.99 and
/// 0.72 to 1.0; 512 0.91 to 0.99 and 0.89 to 0.93; AVX2 0.78 to 1.03, 0.94 to 1.0, 0.92 to 1.0. A by columns, C of 256
/// to 1024 bytes a row 0.86 to 0.98 and 0.80 to 1.03, AVX2 0.85 to 1.0.
template <class T>
std::size_t depth_of_chunks(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kLeastDepth = 128, kMostRows = 28, kLeastRows = 9, kLeastRowsNarrow = 6;
  constexpr std::size_t kNarrow = 128, kLeast = 32, kMost = 512, kMostByColumns = 1024;
  constexpr std::size_t kLeastByColumns = sizeof(T) == 4 ? 256 : 512;
  const std::size_t bytes = x.n * sizeof(T), lanes = kernels.tile_cols / 2, rest = x.n % lanes;
  if (x.packed || x.transpose_b || x.k < kLeastDepth || x.m > kMostRows || bytes > kMostByColumns) return 0;
  if (x.transpose_a) {
    if (x.m < kLeastRows || bytes <= kLeastByColumns) return 0;
  } else {
    if (x.m < (bytes <= kNarrow ? kLeastRowsNarrow : kLeastRows) || bytes <= kLeast || bytes > kMost) return 0;
    // So little beyond whole vectors goes a way of its own.
    if (rest != 0 && rest <= (lanes * sizeof(T) == 64 ? lanes / 4 : lanes / 2)) return 0;
  }
  const std::size_t most = x.transpose_a ? 120 : 180, chunks = (x.k + most / 2) / most;
  const std::size_t depth = chunks < 2 ? x.k : (x.k + chunks - 1) / chunks;
  return x.m > kernels.tile_rows && share_sets<T>(x.ldb, depth, 1) ? 0 : depth;
}

/// Up to so many rows a transposed B is not turned over, unless the sums are so short that folding their lanes costs as
/// much: deeper than 4 times the rows of f64, or of a C of few columns, and than 7 times those of f32. Time by turning
/// B over over time by dots, B of 100 and 1500 rows on a Zen 4, f32 at 7 and 12 times 3, 4, 8, 16 and 32 rows: 1.14 and
/// 0.99, 1.47 and 1.37; 1.12 and 1.04, 1.53 and 1.46; 1.08 and 1.16, 1.38 and 1.31; 1.13 and 1.09, 1.25 and 1.14; 1.13
/// and 1.05, 1.32 and 1.13; f64 at 4 and 9 times: 1.15 and 1.30, 1.68 and 1.87; 1.09 and 1.14, 1.12 and 1.45; 1.28
/// and 1.15, 1.48 and 1.52; 1.10 and 1.15, 1.22 and 1.40; 1.09 and 1.08, 1.21 and 1.22.
///
/// CPUs of Intel do as many loads of 64 bytes as FMAs and turn panel after panel (plan.cpp): time by dots over time by
/// turning B over on an Emerald Rapids, B of 218, 1000 and 2000 rows, k = 300, 1000 and 300, 16, 20 and 24 rows of f32:
/// 0.77, 0.83 and 0.86, 0.93, 0.94 and 1.05, 0.83, 0.87 and 0.89; of f64 0.99, 1.03 and 1.19, 1.06, 1.10 and 1.20,
/// 0.92, 0.96 and 1.07; 31 rows of 218 and 76, k = 1201 and 1287, f32 1.13 and 1.26.
template <class T>
bool wants_dots(const Product<T>& x) noexcept {
  constexpr std::size_t kLeastDepth = 8, kFewColumns = 8;
  const std::size_t most_rows = !detail::follows_rows_into_l2 ? 32 : sizeof(T) == 8 ? 18 : 24;
  if (x.packed || !x.transpose_b || x.transpose_a || x.m > most_rows || x.k < kLeastDepth) return false;
  return x.k >= x.m * (sizeof(T) == 8 || x.n <= kFewColumns ? 4 : 7);
}

/// Whether tiles should not read A by columns where it lies: each of the few elements that a tile takes of a row in
/// memory is a line of its own, and L1 does not keep those lines until the next tile wants them. Its blocks are turned
/// over then. OpenBLAS's time over ours before and since on an Emerald Rapids, one thread: AVX-512 f32 400 cubed 0.96
/// and 1.06, 1000 cubed 0.79 and 1.00, f64 500 cubed 0.92 and 1.12; AVX2 f32 256 cubed 0.90 and 1.03, 1000 cubed 0.73
/// and 1.01, f64 500 cubed 0.74 and 1.03. 100 cubed would lose 0.1 to 0.2.
template <class T>
bool is_large_left_by_columns(const Product<T>& x) noexcept {
  constexpr std::size_t kLarge = (std::size_t{256} << 10) / sizeof(T);
  return x.transpose_a && x.m * x.k >= kLarge;
}

/// Whether a shallow product that does not go in strips (strips.hpp) does little but write a C that no cache near
/// holds, so that its tiles ask for the lines to their right. From 4.5 times L2 on, 1 MiB, Zen 5; not measured on a CPU
/// that takes two turns for 512 bits.
///
/// CPUs of Intel, whose stores wait for one another's lines: from L2 on, and where rows of C begin anywhere, so that
/// most stores want two lines, from three quarters of it, and down to 10 deep from L1 on. Time before over time so on
/// an Emerald Rapids (L2 2 MiB), f32 at k = 2, 8, 16, 32 and 50: 1000 x 1008 in whole lines 1.9, 1.5, 1.3, 1.08
/// and 1.04, 1001 x 1001 1.7, 2.3, 2.0, 1.4 and 1.1; f64 2.0, 1.6, 1.3, 1.1 and 1.06, 3.1, 2.7, 2.2, 1.5 and 1.15. In
/// L2 at k = 1, 3, 5, 8, 10 and 12: f32 300 x 500 1.4, 1.7, 1.4, 1.2, 1.2 and 1.05, 150 x 200 1.2, 1.2, 1.1, 1.0, 0.94
/// and 0.9; f64 300 x 300 1.4, 1.5, 1.1, 0.95, 0.94 and 0.94; in whole lines f32 191 x 320 1.0, 1.05, 0.91, 0.79, 0.84
/// and 0.87.
///
/// From kWrittenDepth on tiles of AVX-512 ask for lines below them instead.
///
/// Where rows of C are whole pages apart, lines of more rows than L1 has ways push each other out (1024 squared f32, k
/// = 8 and 16 0.78 and 0.83): the shallowest alone, in tiles of few rows. 1024 squared f32, k = 2 and 4 2.2 and 1.25,
/// 500 x 1024, k = 4 1.95, 200 x 1024, k = 8 1.13; f64 300 x 512, k = 8 1.5.
template <class T>
bool mostly_writes(const Product<T>& x) noexcept;
extern template bool mostly_writes(const Product<float>&) noexcept;
extern template bool mostly_writes(const Product<double>&) noexcept;

/// A copy of a block of A has rows that are this many elements apart: an odd number of cache lines, so that the rows of
/// a tile fall into different sets of L1.
std::size_t copied_stride(std::size_t kc, std::size_t element_bytes) noexcept;

/// A B of at most so many bytes is read where it lies: copying would cost more than it saves.
inline constexpr std::size_t kDirectBytes = std::size_t{128} << 10;

}  // namespace pawl
