// plan.cpp -- the shape of a product, and the sizes of the caches -> how one thread computes it.
#include "kernels/matmul/plan.hpp"

#include <algorithm>
#include <array>

#include "isa/datapath.hpp"
#include "isa/row_streams.hpp"
#include "isa/store_misses.hpp"

namespace pawl {
namespace {

bool count_lines_in_sets(std::size_t apart, std::size_t rows, std::size_t lines) noexcept {
  constexpr std::size_t kMost = 8, kLine = 64, kSets = kPage / kLine;
  std::array<std::uint16_t, kSets> in_set{};
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t l = 0; l < lines; ++l)
      if (++in_set[(i * apart / kLine + l) % kSets] > kMost) return true;
  return false;
}

struct SetsAnswer {
  std::size_t apart = 0, rows = 0, lines = 0;
  bool shared = false;
};
constexpr std::size_t kAnswers = 8;
thread_local SetsAnswer t_answers[kAnswers];

}  // namespace

bool share_sets_of_l1(std::size_t apart, std::size_t rows, std::size_t lines) noexcept {
  SetsAnswer& latest = t_answers[(apart / 64 + rows + 3 * lines) % kAnswers];
  if (latest.apart != apart || latest.rows != rows || latest.lines != lines)
    latest = {apart, rows, lines, count_lines_in_sets(apart, rows, lines)};
  return latest.shared;
}

std::size_t copied_stride(std::size_t kc, std::size_t element_bytes) noexcept {
  const std::size_t line = 64 / element_bytes, lines = (kc + line - 1) / line;
  return (lines | 1) * line;
}

namespace {

// Rows of A a whole number of pages apart fall on the same sets of L1, which has a way for each page of its size: more
// rows at a time would push each other out before their lines are used up, and B and C want two ways. At 1024 x 16 x
// 1024, f32, on a Zen 5 (12 ways) tiles of 10 rows ran 1.04 times as fast as those of 8 and 1.25 times as those of 14.
std::size_t aliased_rows() noexcept {
  constexpr std::size_t kLeast = 8;  // chains of FMAs that hide its latency, one vector wide
  const std::size_t ways = assumed_cache_sizes().l1d_bytes / kPage;
  return std::max(kLeast, ways > 2 ? ways - 2 : 0);
}

// The same for rows of C that stores wait for, and as many others that are asked for meanwhile; room for A and B.
std::size_t aliased_rows_written() noexcept {
  const std::size_t ways = assumed_cache_sizes().l1d_bytes / kPage;
  return ways > 4 ? ways / 2 - 1 : 1;
}

// Sums of a strip that wait between chunks, beside B on its way through L2.
constexpr std::size_t kWaitingBytes = std::size_t{128} << 10;

// Rows of B at a time, and what to ask for.
struct FewRowsSteps {
  std::size_t chunk;
  FewRowsAhead ahead;
};
constexpr std::size_t kMiddleChunk = 64;

// The fewer rows A has, the sooner a tile is over, and the more pages B would be read from at once were the chunks
// deep; the more rows, the more loads and stores of sums shallow chunks cost. (Zen 5, B of 4096 columns in L3 and in
// memory; at twice or half the depth 2 to 10 % slower.) Where a tile of few rows is over before what it asked for has
// come to L1, L2 would be one more stop; one row reads so much at a time that it only gets slower by asking.
//
// CPUs of AMD before Zen 5 differ. B of 4096 x 4096 f32 in memory, 1 to 5 rows on a Zen 4, GB/s: 23, 18.5, 13, 11 and
// 11 as on a Zen 5; 27, 30, 28, 22 and 21 with chunks of 8 that ask for those below into L2. B of 1024 x 4096 in L3, 2
// to 5 rows: 48, 43, 43 and 40 as on a Zen 5; 66, 50, 56 and 45 with deep chunks that ask to their right into L2. Where
// each vector of B is loaded once for all rows (kept.hpp), 2 rows need not ask: 0.79 to 1.0 of the time, B of
// 0.1 to 9 MB. Nor does one row where L2 holds B: 0.83 to 1.07 of the time of rows side by side, B of 0.13 to 1 MB.
FewRowsSteps few_rows_steps(std::size_t rows, std::size_t b_bytes) noexcept {
  constexpr std::size_t kDeep = 128, kLessDeep = 32;
  if (rows >= kPatientRows) return {kDeep, FewRowsAhead::right_into_l2};
  if (detail::splits_512_bits) {
    // Half of L3: the other half is for what else is there, and for the other threads' parts of B.
    if (b_bytes > assumed_cache_sizes().l3_bytes / 2) return {8, FewRowsAhead::below_into_l2};
    if (rows > 2) return {kDeep, FewRowsAhead::right_into_l2};
    if (rows == 2 || b_bytes <= assumed_cache_sizes().l2_bytes) return {kDeep, FewRowsAhead::nothing};
  }
  if (rows == 1) return {8, FewRowsAhead::nothing};
  return {rows == 2 ? std::size_t{16} : kLessDeep, FewRowsAhead::right_into_l1};
}

// Chunks of B that L1 keeps, unless its rows share sets of L1.
template <class T>
bool keeps_in_l1(const Product<T>& x, std::size_t chunk, std::size_t width) noexcept {
  constexpr std::size_t kLine = 64;
  return !share_sets<T>(x.ldb, chunk, std::max(width * sizeof(T) / kLine, std::size_t{1}));
}

// The same on CPUs of Intel from two rows on: into L1 from wherever B is, in chunks that L1 keeps, unless rows of B
// share sets of L1. Time so over time the way of those that do, random products on an Emerald Rapids, AVX-512 and AVX2.
// 6 to 28 rows: B of up to 512 KiB 0.98 and 0.99, to 1 MiB 0.965 and 1.01, to 6 MiB 0.93, to 64 MiB 0.92 and 0.94; 4
// and 5 rows: in L2 1.0, beyond 0.94 and 0.92; 2 and 3: in L2 1.0, beyond 1.0 and 0.94. Where they do share sets, n =
// 512 to 4097, it would be 1.02 to 1.06 with 6 rows and more, B beyond 1 MiB, and up to 1.2 in L2. Chunks then: 8 x
// 4000, k = 1000 f32 in chunks of 128 took 1.13 times as long as in those of 48, 8 x 4096, k = 4096 1.0 to 1.2, but of
// 6 x 1000, k = 1000, 4 MB, 0.93.
template <class T>
FewRowsSteps few_rows_steps_by_sets(std::size_t rows, const Product<T>& x, std::size_t width) noexcept {
  constexpr std::size_t kDeep = 96, kFar = 48, kLessDeep = 32;
  const bool few = rows < kPatientRows;
  const std::size_t chunk = few ? kLessDeep : kMiddleChunk;
  if (keeps_in_l1(x, chunk, width)) return {chunk, FewRowsAhead::right_into_l1};
  const bool far = x.k * x.n * sizeof(T) > 2 * assumed_cache_sizes().l2_bytes;
  return {few ? kLessDeep : far ? kFar : kDeep, FewRowsAhead::right_into_l2};
}

// A Zen 5 gains by it from kPatientRows on. Time so over time in chunks of 128 that ask into L2, random products by
// AVX-512: 6 to 9 rows, B of 1 to 4 MiB 0.92 to 0.94, beyond 0.80 to 0.89; 10 to 14 1.0 and 0.93 to 0.98; 15 to 28 0.94
// to 0.98 and 0.92 to 0.97. In chunks of 48 and 96 0.98 to 1.06 of that. Where rows of B share sets 1.03 to 1.04; AVX2
// 1.0.
template <class T>
FewRowsSteps steps_of_few_rows(std::size_t rows, const Product<T>& x, std::size_t width) noexcept {
  if (detail::follows_rows_into_l2 && rows > 1) return few_rows_steps_by_sets(rows, x, width);
  if (!detail::splits_512_bits && rows >= kPatientRows && keeps_in_l1(x, kMiddleChunk, width))
    return {kMiddleChunk, FewRowsAhead::right_into_l1};
  return few_rows_steps(rows, x.k * x.n * sizeof(T));
}

// One row and B in L3 on CPUs of AMD before Zen 5: rows of B side by side. Rows a whole number of pages apart share
// their sets of L1: page by page. Time of tiles over time so, and Eigen's over it, f32: B of 1024 x 4096 1.12 and 1.04,
// 4096 x 1024 1.18 and 1.11, 768 x 3072 1.17 and 1.08, 1024 x 1024 1.16 and 1.09. Two threads stay with tiles: page by
// page they took 1.13 times as long.
//
// A Zen 5 gains by it from L2 on. Time of tiles over time so, f32: B of 295 x 488 1.05, 300 x 300 1.13, 1500 x
// 1001 1.13 to 1.39, 3000 x 3001 1.1 to 1.4; f64 300 x 300 1.03, 700 x 700 1.12, 3000 x 3001 1.2 to 1.35. Page by page
// 1024 x 1024 f32 0.96 to 1.12, f64 1.15, 1024 x 2048 1.15 and 1.16; 2048 x 4096 f32 0.86, f64 1.0.
//
// CPUs of Intel need no pages. GB/s of tiles, page by page and side by side on an Emerald Rapids, f32 (a loop that only
// reads): B of 1024 x 4096 28.5, 27.2 and 29.1 (30.1), 512 x 512 105, 84 and 109 (121), f64 512 x 2048 27.5 page by
// page and 28.4 (29.3).
template <class T>
bool suits_one_row(const Product<T>& x) noexcept {
  constexpr std::size_t kLeastDepth = 16, kMostByPage = 16;  // times L2
  const std::size_t b_bytes = x.k * x.n * sizeof(T), l2 = assumed_cache_sizes().l2_bytes;
  if (x.m != 1 || x.k < kLeastDepth || b_bytes > assumed_cache_sizes().l3_bytes / 2) return false;
  if (detail::splits_512_bits) return b_bytes > l2;
  return detail::follows_rows_into_l2 || x.ldb * sizeof(T) % kPage != 0 || b_bytes <= kMostByPage * l2;
}

template <class T>
FewRowsPlan plan_few_rows(const MatmulOps<T>& kernels, const Product<T>& x, bool alone) {
  const std::size_t groups = (x.m + kernels.tile_rows - 1) / kernels.tile_rows, height = (x.m + groups - 1) / groups;
  const std::size_t width = kernels.few_rows_cols[height - 1], lanes = kernels.tile_cols / 2;
  const FewRowsSteps steps = steps_of_few_rows(height, x, width);
  FewRowsPlan plan{};
  // No thin one is left over: the sums would wait for a few steps.
  const std::size_t chunks = std::max((x.k + steps.chunk / 2) / steps.chunk, std::size_t{1});
  plan.chunk = steps.chunk < 32 ? steps.chunk : (x.k + chunks - 1) / chunks;
  plan.ahead = steps.ahead;
  std::size_t most = kWaitingBytes / sizeof(T) / x.m;
  // The second group finds the chunk in L2.
  const std::size_t l2 = assumed_cache_sizes().l2_bytes;
  if (groups > 1) most = std::min(most, l2 / 2 / sizeof(T) / plan.chunk);
  plan.strip = std::min((x.n + lanes - 1) / lanes * lanes, std::max(most / width, std::size_t{1}) * width);
  if (suits_one_row(x)) {
    const bool aliased = x.ldb * sizeof(T) % kPage == 0 && !detail::follows_rows_into_l2;
    if (!aliased) plan.ahead = FewRowsAhead::side_by_side;
    if (aliased && alone) {
      plan.ahead = FewRowsAhead::page_by_page;
      plan.strip = std::min(plan.strip, kPage * 3 / 2 / sizeof(T));
    }
  }
  plan.copy_stride = plan.chunk <= 8 ? 8 : copied_stride(plan.chunk, sizeof(T));
  return plan;
}

// Whether few rows go over B at its whole depth, with A where it lies, and ask for nothing: what is in L2 anyway comes
// in time, and copies, sums that wait and prefetches are saved. Time so over time in chunks of 190 random products, B
// of 128 to 400 KiB, AVX-512 on an Emerald Rapids: 2 and 3 rows 0.97, 4 and 5 0.93, 6 to 9 0.91, 10 to 19 0.965, 20 to
// 28 1.01; where rows of B share sets of L1, n = 256 to 2048, 0.95, AVX2 0.98. From 400 KiB on 0.95 to 1.05.
//
// A Zen 5 (L2 of 1 MiB), by AVX-512, for B of 0.13 to 0.35, to 1, to 2.5 and to 4.5 MB: 2 and 3 rows 0.76 to 0.81, 0.80
// to 0.84, 0.84 to 0.89, 0.88 to 0.92; 4 and 5 0.81, 0.80, 0.85, 0.96; 6 to 9 0.90, 0.85 to 0.88, 0.85, 0.95; 10 to 28
// 0.95, 0.88 to 0.93, 0.88 to 0.95, 0.92 to 0.96. To 8 MB 0.91 to 0.98, 25 of 360 1.05 and more; beyond 1.05 to
// 2.5. Where rows of B share sets 0.70 to 0.97 up to 1 MB, 0.78 to 1.08 to 2.7. AVX2 0.91 to 0.99 up to 1 MB, to 4
// 0.94 to 1.08. One row of few columns, which side by side are too short, or of a B of less than 16 rows: 16 to 31
// columns of f32 0.55, to 63 0.76, to 95 0.82, 96 and more 0.99; k = 8 to 15 0.89, 16 to 19 1.25; AVX2 0.53 (0.34 up to
// 16 columns), 0.75 to 0.79 and 1.03.
template <class T>
bool suits_whole_depth(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kMostRows = 20, kShallow = 16;
  const std::size_t l2 = assumed_cache_sizes().l2_bytes, b_bytes = x.k * x.n * sizeof(T);
  if (detail::splits_512_bits || x.transpose_a || share_sets<T>(x.lda, x.m, 1)) return false;
  if (detail::follows_rows_into_l2) return x.m > 1 && x.m <= kMostRows && b_bytes <= l2 * 3 / 16;
  if (x.m == 1 && x.k >= kShallow && x.n >= 3 * kernels.tile_cols) return false;
  const bool is_long = kernels.tile_cols * sizeof(T) > 64;
  return b_bytes <= l2 || (is_long && b_bytes <= 4 * l2 && keeps_in_l1(x, kMiddleChunk, kernels.tile_cols));
}

// Whether tiles may read B where it lies: L2 keeps it beside A and C, and its rows do not fall on the same sets. On a
// Zen 5 (1 MiB) 128, 256 and 384 cubed then ran 1.7, 1.2 and 0.4 % faster than with packed panels. An Emerald Rapids (2
// MiB) gains by packing from 256 KiB of B on: 300 cubed f32 1.04, 380 cubed f64 1.06, 500 cubed f32 1.03.
//
// Tiles of a line's width, AVX2's, have as many lines of a panel as it has rows, no two of which are neighbours: what
// L1 does not keep between two tiles comes one by one from L2. Time in place over time packed on the same CPU: 256
// cubed f64 1.25, 380 cubed f64 1.2, 500 cubed f32 1.43, 512 cubed f32 1.26, 100 x 300, k = 500 f32 1.35; 200
// cubed 1.0.
template <class T>
bool stays_in_l2(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kKiB = 1024;
  const std::size_t l2 = assumed_cache_sizes().l2_bytes;
  const std::size_t most = kernels.tile_cols * sizeof(T) <= 64 ? 128 * kKiB
                           : l2 > 1024 * kKiB                  ? 256 * kKiB
                                                               : l2 * 3 / 5;
  return x.k * x.n * sizeof(T) <= std::min(most, l2 * 3 / 5) && !falls_on_same_sets<T>(x.ldb, x.k);
}

// Tiles of rows to a block where rows of C are a whole number of pages apart and a shallow product does little but
// write them: one column of tiles after another finds the lines of its rows on the same sets of the caches, and one row
// of tiles after another goes along the lines instead. C beyond L2; 0: as many rows as usual. Time of the usual blocks
// over time so on a Zen 5, 1024 squared f32 and 2048 squared f64: k = 4 and 8 1.6 and 1.5, k = 16 0.97 and 1.15, in
// huge pages 1.5 (f32), k = 32 0.99 and 1.24; k = 64 0.9 to 1.0, rows of 1000 0.93 to 1.06 at every k. Not measured on
// a CPU that takes two turns for 512 bits, whose FMAs hide more of the writing.
//
// Other rows of C: four, where tiles ask for what lies to their right (two on CPUs of Intel: 34 x 386, k = 6, f32 1.34
// times as fast as four, 439 x 64, k = 4 1.16, all others level). Time of the usual blocks that ask for nothing
// over time so on a Zen 5, f32 and f64: 2000 x 1000, k = 4 1.9 and 2.6; 3000 x 2001, k = 4 2.7 and 2.3; 1500 x 1000, k
// = 8 1.5 and 2.2; 1000 x 1500, k = 16 1.5 and 1.8. Rows a page apart gain by asking alone: 2048 squared, k = 8 1.2
// and 1.2.
template <class T>
std::size_t tiles_along_lines(const Product<T>& x, NextOfC next) noexcept {
  constexpr std::size_t kShallow = 32, kShallowest = 8;
  const std::size_t other_rows = detail::stores_wait_for_lines ? 2 : 4;
  if (x.ldc * sizeof(T) % kPage != 0) return next == NextOfC::right_into_l1 ? other_rows : 0;
  if (detail::splits_512_bits || x.k > kShallow || x.m * x.n * sizeof(T) <= assumed_cache_sizes().l2_bytes) return 0;
  return x.k <= kShallowest ? 1 : 2;
}

// Whether each tile asks into L1 for the lines of C below it. CPUs of Intel by AVX-512, whose tiles write 28 vectors at
// once: where these straddle lines in L2, a tile of 392 x 192, k = 63, f32 takes 344 ns, asking 335, and 328 where they
// do not (Emerald Rapids). Time so over time before of 550 random products on the same CPU, k = 32 to 63: C of up to
// 512 KiB 0.99, to 2 MiB 0.965, beyond 0.95; k = 64 to 127 0.995. AVX2 0.997. Not where L2 holds a C whose rows in a
// tile would push each other out of L1.
template <class T>
bool asks_below(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  constexpr std::size_t kLine = 64;
  const std::size_t c_bytes = x.m * x.n * sizeof(T), lines = kernels.tile_cols * sizeof(T) / kLine;
  if (!detail::stores_wait_for_lines || x.k < kWrittenDepth || lines < 2) return false;
  if (c_bytes <= assumed_cache_sizes().l1d_bytes) return false;
  return c_bytes > assumed_cache_sizes().l2_bytes || !share_sets<T>(x.ldc, kernels.tile_rows, lines);
}

template <class T>
NextOfC next_of_c(const MatmulOps<T>& kernels, const Product<T>& x) noexcept {
  if (asks_below(kernels, x)) return NextOfC::below_into_l1;
  return mostly_writes(x) ? NextOfC::right_into_l1 : NextOfC::below_into_l2;
}

// Whether A and B are so small that tiles need not ask for them: 392 x 192, k = 64 and 96, f32 take 0.98 and 0.99 of
// the time (Emerald Rapids).
template <class T>
bool has_near_operands(const Product<T>& x) noexcept {
  const std::size_t most = assumed_cache_sizes().l2_bytes / 4 / sizeof(T);
  return !x.transpose_a && x.m * x.k <= most && x.k * x.n <= most;
}

// The rows of a block when m of them are cut into as few blocks of at most `most` as possible.
std::size_t even_rows(std::size_t m, std::size_t most) noexcept {
  const std::size_t blocks = (m + most - 1) / most;
  return (m + blocks - 1) / blocks;
}

}  // namespace

template <class T>
bool mostly_writes(const Product<T>& x) noexcept {
  constexpr std::size_t kShallow = 10, kShallowByPage = 8, kLine = 64;
  if (detail::splits_512_bits || x.k >= kErrandsDepth) return false;
  const std::size_t c_bytes = x.m * x.n * sizeof(T), row = x.ldc * sizeof(T), l2 = assumed_cache_sizes().l2_bytes;
  if (!detail::stores_wait_for_lines) return c_bytes > l2 * 9 / 2;
  const std::size_t l1 = assumed_cache_sizes().l1d_bytes;
  if (row % kPage == 0) return c_bytes > l1 && x.k <= (c_bytes > l2 ? kShallowByPage / 2 : kShallowByPage);
  const bool whole_lines = (reinterpret_cast<std::uintptr_t>(x.c) | row) % kLine == 0;
  if (whole_lines) return c_bytes > l2;
  return c_bytes > (x.k <= kShallow ? l1 * 4 / 3 : l2 * 3 / 4);
}
template bool mostly_writes(const Product<float>&) noexcept;
template bool mostly_writes(const Product<double>&) noexcept;

template <class T>
Plan make_plan(const MatmulOps<T>& kernels, const Product<T>& x, bool alone) {
  Plan plan;
  plan.dots = wants_dots(x);
  if (plan.dots) return plan;
  if (const std::size_t depth = depth_of_chunks(kernels, x); depth != 0) {
    plan.blocking = {x.m, x.n, depth};
    plan.tile_rows = kernels.tile_rows;
    return plan;
  }
  const std::size_t b_bytes = x.k * x.n * sizeof(T);
  if (!x.packed && !x.transpose_b && x.m <= most_few_rows(kernels) && b_bytes > kDirectBytes) {
    plan.few_rows = true;
    if (suits_whole_depth(kernels, x)) {
      plan.few_rows_plan = whole_plan(kernels, x.n, x.k);
      return plan;
    }
    plan.few_rows_plan = plan_few_rows(kernels, x, alone);
    plan.other_elements = plan.few_rows_plan.scratch_elements(x.m);
    return plan;
  }
  if (suits_wide_tiles(kernels, x)) {
    plan.few_rows = true;
    plan.few_rows_plan = whole_plan(kernels, x.n, x.k);
    return plan;
  }
  if (const std::size_t rows = rows_of_three_vectors(kernels, x); rows != 0) {
    plan.few_rows = true;
    plan.rows_at_once = rows;
    plan.few_rows_plan = whole_plan(kernels, x.n, x.k);
    return plan;
  }
  plan.blocking =
      choose_blocking(x.m, x.n, x.k, sizeof(T), kernels.tile_rows, kernels.tile_cols, assumed_cache_sizes());
  plan.next_of_c = next_of_c(kernels, x);
  plan.operands_are_near = has_near_operands(x);
  if (const std::size_t tiles = tiles_along_lines(x, plan.next_of_c); tiles != 0)
    plan.blocking.mc = even_rows(x.m, std::min(plan.blocking.mc, tiles * kernels.tile_rows));
  const bool pages_asked =
      plan.next_of_c == NextOfC::right_into_l1 && detail::stores_wait_for_lines && x.ldc * sizeof(T) % kPage == 0;
  if (x.packed) plan.blocking.kc = x.pack_depth;
  const bool few_tiles = x.m <= most_few_rows(kernels);
  const bool aliased = !x.transpose_a && x.lda * sizeof(T) % kPage == 0;
  plan.copy_a = (aliased || is_large_left_by_columns(x)) && x.n > 2 * kernels.tile_cols;
  const bool short_tiles = pages_asked || (aliased && !plan.copy_a);
  plan.tile_rows = kernels.tile_rows;
  if (short_tiles) plan.tile_rows = std::min(pages_asked ? aliased_rows_written() : aliased_rows(), plan.tile_rows);
  if (pages_asked) plan.blocking.mc = plan.tile_rows;
  plan.b = x.packed                                              ? RightSide::packed
           : x.transpose_b                                       ? RightSide::transposed
           : few_tiles || short_tiles || stays_in_l2(kernels, x) ? RightSide::in_place
                                                                 : RightSide::packed_on_the_way;
  // One block of rows uses each panel once: turned over just before, it is still in L2. Time of all panels of a block
  // at once over time so on an Emerald Rapids, AVX-512 f32, f64 and AVX2 f32, f64: 31 x 218, k = 1201 1.13, 1.4, 1.05
  // and 1.12; 40 x 1000, k = 1000 1.22, 1.25, 1.07 and 1.07; 40 x 2000, k = 300 1.26, 1.3, 1.12 and 1.11; 128 x 3072, k
  // = 768 1.07, 1.09, 1.02 and 1.01. Not where A would be copied for each.
  const bool copies_again = plan.copy_a && x.k > plan.blocking.kc;
  if (plan.b == RightSide::transposed && x.m <= plan.blocking.mc && !copies_again)
    plan.blocking.nc = std::min(plan.blocking.nc, kernels.tile_cols);
  // Not of this product's blocks but of the largest ones, so that no part of it needs more than the whole.
  const Blocking most = largest_blocking(x.k, sizeof(T), kernels.tile_rows, kernels.tile_cols, assumed_cache_sizes());
  const std::size_t cols = (std::min(x.n, most.nc) + kernels.tile_cols - 1) / kernels.tile_cols * kernels.tile_cols;
  const bool in_place = plan.b == RightSide::in_place || plan.b == RightSide::packed;
  plan.panel_elements = in_place ? 0 : cols * most.kc;
  plan.other_elements = plan.copy_a ? std::min(x.m, most.mc) * copied_stride(most.kc, sizeof(T)) : 0;
  return plan;
}

template Plan make_plan(const MatmulOps<float>&, const Product<float>&, bool);
template Plan make_plan(const MatmulOps<double>&, const Product<double>&, bool);

template <class T>
std::size_t most_workspace(const MatmulOps<T>& kernels, const Product<T>& x) {
  // No part needs more than the whole, but that it may have few rows: then the sums that wait, and a chunk of A.
  constexpr std::size_t kDeepest = 128 * 3 / 2 + 64 / sizeof(T);
  const Plan whole = make_plan(kernels, x, false);
  return whole.panel_elements + whole.other_elements + kWaitingBytes / sizeof(T) +
         most_few_rows(kernels) * (kDeepest + 8 * kernels.tile_cols);
}
template std::size_t most_workspace(const MatmulOps<float>&, const Product<float>&);
template std::size_t most_workspace(const MatmulOps<double>&, const Product<double>&);

}  // namespace pawl
