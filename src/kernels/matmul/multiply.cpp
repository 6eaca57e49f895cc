// multiply.cpp -- a checked product -> blocks, copies and threads, and the kernels that compute them.
#include <algorithm>
#include <limits>

#include "isa/datapath.hpp"
#include "kernels/matmul/blocking.hpp"
#include "kernels/matmul/product.hpp"
#include "kernels/matmul/workspace.hpp"

namespace pawl {
namespace {

// A copy of a block of A has rows that are this many elements apart: an odd number of cache lines, so that the rows of
// a tile fall into different sets of L1.
std::size_t copied_stride(std::size_t kc, std::size_t element_bytes) noexcept {
  const std::size_t line = 64 / element_bytes, lines = (kc + line - 1) / line;
  return (lines | 1) * line;
}

// How blocks of B are read.
enum class RightSide : std::uint8_t {
  in_place,
  packed_on_the_way,  // copied by the first row of tiles that uses it
  transposed,         // packed before it is used
  packed,             // by the caller, once for many products
};

constexpr std::size_t kPage = 4096;

// Rows of A a whole number of pages apart fall on the same sets of L1, which has a way for each page of its size: more
// rows at a time would push each other out before their lines are used up, and B and C want two ways. At 1024 x 16 x
// 1024, f32, on a Zen 5 (12 ways) tiles of 10 rows ran 1.04 times as fast as those of 8 and 1.25 times as those of 14.
std::size_t aliased_rows() noexcept {
  constexpr std::size_t kLeast = 8;  // chains of FMAs that hide its latency, one vector wide
  const std::size_t ways = assumed_cache_sizes().l1d_bytes / kPage;
  return std::max(kLeast, ways > 2 ? ways - 2 : 0);
}

// How one thread computes its part.
struct Plan {
  bool dots = false, few_rows = false;
  FewRowsPlan few_rows_plan{};  // if few_rows
  Blocking blocking{};          // else
  RightSide b = RightSide::in_place;
  bool copy_a = false;
  std::size_t tile_rows = 0;
  std::size_t panel_elements = 0, other_elements = 0;  // of workspace
};

// Below these sizes the matrices are read where they lie: copying would cost more than it saves.
constexpr std::size_t kDirectBytes = std::size_t{128} << 10;

// Up to so many tiles of rows, B is used too rarely to be worth packing.
constexpr std::size_t kFewTiles = 2;

// Up to so many rows a transposed B is not turned over, unless the sums are so short that adding up their vectors would
// cost as much. On a Zen 5 24 rows ran 1.2 times, one row 9 times as fast as by packing.
constexpr std::size_t kDotRows = 32, kShortDots = 64;

// Sums of a strip that wait between chunks, beside B on its way through L2.
constexpr std::size_t kWaitingBytes = std::size_t{128} << 10;

// Rows of B at a time, and what to ask for.
struct FewRowsSteps {
  std::size_t chunk;
  FewRowsAhead ahead;
};

// The fewer rows A has, the sooner a tile is over, and the more pages B would be read from at once were the chunks
// deep; the more rows, the more loads and stores of sums shallow chunks cost. (Zen 5, B of 4096 columns in L3 and in
// memory; at twice or half the depth 2 to 10 % slower.) Where a tile of few rows is over before what it asked for has
// come to L1, L2 would be one more stop; one row reads so much at a time that it only gets slower by asking.
//
// CPUs of AMD before Zen 5 differ. B of 4096 x 4096 f32 in memory, 1 to 5 rows on a Zen 4, GB/s: 23, 18.5, 13, 11 and
// 11 as on a Zen 5; 27, 30, 28, 22 and 21 with chunks of 8 that ask for those below into L2. B of 1024 x 4096 in L3, 2
// to 5 rows: 48, 43, 43 and 40 as on a Zen 5; 66, 50, 56 and 45 with deep chunks that ask to their right into L2.
FewRowsSteps few_rows_steps(std::size_t rows, std::size_t b_bytes) noexcept {
  constexpr std::size_t kDeep = 128;
  if (rows >= kFewRowsIntoL2) return {kDeep, FewRowsAhead::right_into_l2};
  if (detail::splits_512_bits) {
    // Half of L3: the other half is for what else is there, and for the other threads' parts of B.
    if (b_bytes > assumed_cache_sizes().l3_bytes / 2) return {8, FewRowsAhead::below_into_l2};
    if (rows > 1) return {kDeep, FewRowsAhead::right_into_l2};
  }
  if (rows == 1) return {8, FewRowsAhead::nothing};
  return {rows == 2 ? std::size_t{16} : std::size_t{32}, FewRowsAhead::right_into_l1};
}

template <class T>
FewRowsPlan plan_few_rows(const MatmulOps<T>& kernels, const Product<T>& x) {
  const std::size_t groups = (x.m + kernels.tile_rows - 1) / kernels.tile_rows, height = (x.m + groups - 1) / groups;
  const std::size_t width = kernels.few_rows_cols(height), lanes = kernels.tile_cols / 2;
  const FewRowsSteps steps = few_rows_steps(height, x.k * x.n * sizeof(T));
  FewRowsPlan plan{};
  plan.chunk = steps.chunk;
  plan.ahead = steps.ahead;
  std::size_t most = kWaitingBytes / sizeof(T) / x.m;
  // The second group finds the chunk in L2.
  const std::size_t l2 = assumed_cache_sizes().l2_bytes;
  if (groups > 1) most = std::min(most, l2 / 2 / sizeof(T) / plan.chunk);
  plan.strip = std::min((x.n + lanes - 1) / lanes * lanes, std::max(most / width, std::size_t{1}) * width);
  const std::size_t line = 64 / sizeof(T);
  plan.copy_stride = plan.chunk <= 8 ? 8 : (plan.chunk / line | 1) * line;
  return plan;
}

// At least scratch_elements() of a plan for any part of x.
template <class T>
std::size_t few_rows_most(const MatmulOps<T>& kernels) {
  constexpr std::size_t kDeepest = 128 + 64;
  return kWaitingBytes / sizeof(T) + kFewTiles * kernels.tile_rows * (kDeepest + 8 * kernels.tile_cols);
}

// Whether tiles may read B where it lies: L2 keeps it beside A and C, and its rows do not fall on the same sets. On a
// Zen 5 (1 MiB) 128, 256 and 384 cubed then ran 1.7, 1.2 and 0.4 % faster than with packed panels.
template <class T>
bool stays_in_l2(const Product<T>& x) noexcept {
  const std::size_t l2 = assumed_cache_sizes().l2_bytes;
  return x.k * x.n * sizeof(T) <= l2 * 3 / 5 && (x.ldb * sizeof(T) % kPage != 0 || x.k <= 8);
}

template <class T>
Plan make_plan(const MatmulOps<T>& kernels, const Product<T>& x) {
  Plan plan;
  plan.dots = !x.packed && x.transpose_b && !x.transpose_a && x.m <= kDotRows && x.k >= kShortDots;
  if (plan.dots) return plan;
  const std::size_t b_bytes = x.k * x.n * sizeof(T);
  if (!x.packed && !x.transpose_b && x.m <= kFewTiles * kernels.tile_rows && b_bytes > kDirectBytes) {
    plan.few_rows = true;
    plan.few_rows_plan = plan_few_rows(kernels, x);
    plan.other_elements = plan.few_rows_plan.scratch_elements(x.m);
    return plan;
  }
  plan.blocking =
      choose_blocking(x.m, x.n, x.k, sizeof(T), kernels.tile_rows, kernels.tile_cols, assumed_cache_sizes());
  if (x.packed) plan.blocking.kc = x.pack_depth;
  const bool few_tiles = x.m <= kFewTiles * kernels.tile_rows;
  const bool aliased = !x.transpose_a && x.lda * sizeof(T) % kPage == 0;
  plan.copy_a = aliased && x.n > 2 * kernels.tile_cols;
  const bool short_tiles = aliased && !plan.copy_a;
  plan.tile_rows = short_tiles ? std::min(aliased_rows(), kernels.tile_rows) : kernels.tile_rows;
  plan.b = x.packed                                     ? RightSide::packed
           : x.transpose_b                              ? RightSide::transposed
           : few_tiles || short_tiles || stays_in_l2(x) ? RightSide::in_place
                                                        : RightSide::packed_on_the_way;
  // Not of this product's blocks but of the largest ones, so that no part of it needs more than the whole.
  const Blocking most = largest_blocking(x.k, sizeof(T), kernels.tile_rows, kernels.tile_cols, assumed_cache_sizes());
  const std::size_t cols = (std::min(x.n, most.nc) + kernels.tile_cols - 1) / kernels.tile_cols * kernels.tile_cols;
  const bool in_place = plan.b == RightSide::in_place || plan.b == RightSide::packed;
  plan.panel_elements = in_place ? 0 : cols * most.kc;
  plan.other_elements = plan.copy_a ? std::min(x.m, most.mc) * copied_stride(most.kc, sizeof(T)) : 0;
  return plan;
}

// Every member is set by hand: zeroed first, g++ 12 clears the whole by `rep stos`, a tenth of a product of 16 cubed.
template <class T>
MatmulBlock<T> block_of(const Product<T>& x) {
  MatmulBlock<T> block;
  block.rows = x.m;
  block.cols = x.n;
  block.depth = x.k;
  block.a = x.a;
  block.a_stride = x.lda;
  block.a_layout = x.transpose_a ? LeftLayout::columns : LeftLayout::rows;
  block.tile_rows = 0;
  block.b = x.b;
  block.b_stride = x.ldb;
  block.b_panel = 0;
  block.packed = nullptr;
  block.packed_panel = 0;
  block.c = x.c;
  block.ldc = x.ldc;
  block.alpha = x.alpha;
  block.beta = x.beta;
  return block;
}

template <class T>
void ask_for_next_left(MatmulBlock<T>& block, const Product<T>& x, std::size_t i, std::size_t p, const Blocking& step) {
  const std::size_t rows = std::min(step.mc, x.m - i), depth = std::min(step.kc, x.k - p);
  block.next_a = x.a_at(i, p);
  block.next_stride = x.lda;
  block.next_rows = x.transpose_a ? depth : rows;
  block.next_cols = x.transpose_a ? rows : depth;
}

template <class T>
void multiply_serial(const MatmulOps<T>& kernels, const Product<T>& x, const Plan& plan, T* panels, T* copy) noexcept {
  const bool finishes = x.bias || x.activation != Activation::none;
  if (plan.dots) {
    kernels.multiply_dots(block_of(x));
    if (finishes) kernels.finish(x.m, x.n, x.c, x.ldc, x.bias, x.activation);
    return;
  }
  if (plan.few_rows) {
    kernels.multiply_few_rows(block_of(x), plan.few_rows_plan, copy);
    if (finishes) kernels.finish(x.m, x.n, x.c, x.ldc, x.bias, x.activation);
    return;
  }
  const Blocking& step = plan.blocking;
  const std::size_t stride = copied_stride(step.kc, sizeof(T));
  for (std::size_t j = 0; j < x.n; j += step.nc) {
    const std::size_t cols = std::min(step.nc, x.n - j);
    for (std::size_t p = 0; p < x.k; p += step.kc) {
      const std::size_t depth = std::min(step.kc, x.k - p);
      if (plan.b == RightSide::transposed) kernels.pack_b(x.b_at(p, j), x.ldb, true, depth, cols, panels);
      for (std::size_t i = 0; i < x.m; i += step.mc) {
        const std::size_t rows = std::min(step.mc, x.m - i);
        MatmulBlock<T> block = block_of(x);
        block.rows = rows;
        block.cols = cols;
        block.depth = depth;
        block.a = x.a_at(i, p);
        block.tile_rows = plan.tile_rows;
        if (plan.copy_a) {
          kernels.copy_rows(block.a, x.lda, rows, depth, copy, stride);
          block.a = copy;
          block.a_stride = stride;
        }
        block.b = plan.b == RightSide::packed ? nullptr : x.b_at(p, j);
        block.b_panel = kernels.tile_cols;
        const bool packs = plan.b == RightSide::packed_on_the_way;
        if (packs && i == 0) {
          block.packed = panels;
          block.packed_panel = step.mc < x.m ? depth * kernels.tile_cols : 0;
        } else if (plan.b == RightSide::packed) {
          block.b = x.packed + p * x.packed_cols + (x.first_col + j) * depth;
          block.b_stride = kernels.tile_cols;
          block.b_panel = depth * kernels.tile_cols;
        } else if (packs || plan.b == RightSide::transposed) {
          block.b = panels;
          block.b_stride = kernels.tile_cols;
          block.b_panel = depth * kernels.tile_cols;
        }
        // The block of A that comes after this one: below it, else to its right at the top, else that of the next
        // columns.
        const std::size_t next_i = i + rows < x.m ? i + rows : 0;
        const std::size_t next_p = next_i != 0 ? p : p + depth < x.k ? p + depth : 0;
        if (next_i != 0 || next_p != 0 || j + cols < x.n) ask_for_next_left(block, x, next_i, next_p, step);
        block.c = x.c + i * x.ldc + j;
        block.beta = p == 0 ? x.beta : T(1);
        kernels.multiply(block);
        if (finishes && p + depth == x.k)
          kernels.finish(rows, cols, block.c, x.ldc, x.bias ? x.bias + j : nullptr, x.activation);
      }
    }
  }
}

// Threads form a grid over C, and each computes its part on its own: nothing is shared but what is read.
struct Grid {
  int rows, cols;
};

// The grid whose parts have the smallest m + n, so that the least is read and packed twice.
Grid choose_grid(int threads, std::size_t m, std::size_t n) noexcept {
  Grid best{1, threads};
  double best_cost = std::numeric_limits<double>::infinity();
  for (int rows = 1; rows <= threads; ++rows) {
    if (threads % rows) continue;
    const int cols = threads / rows;
    const double cost = static_cast<double>(m) / rows + static_cast<double>(n) / cols;
    if (cost < best_cost) {
      best_cost = cost;
      best = {rows, cols};
    }
  }
  return best;
}

// Below this a second thread costs more than it brings: starting one takes some 2 us.
constexpr double kThreadFlops = 2097152;

int wanted_threads(std::size_t m, std::size_t n, std::size_t k) noexcept {
  const double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  if (flops < kThreadFlops) return 1;
  return static_cast<int>(std::min<double>(num_threads(), flops / kThreadFlops * 2));
}

template <class T>
void multiply_threaded(const MatmulOps<T>& kernels, const Product<T>& x, int threads) {
  // Which part each thread has depends on how many there are in the end; no part needs more than the whole.
  const Plan whole = make_plan(kernels, x);
  const std::size_t bytes_each =
      ((whole.panel_elements + whole.other_elements + few_rows_most(kernels)) * sizeof(T) + 4095) / 4096 * 4096 + 64;
  char* const workspace = static_cast<char*>(thread_workspace(bytes_each * static_cast<std::size_t>(threads)));
  on_threads(threads, [&](int thread, int count) {
    const Grid grid = choose_grid(count, x.m, x.n);
    const Range rows = share(x.m, thread / grid.cols, grid.rows, kernels.tile_rows);
    const Range cols = share(x.n, thread % grid.cols, grid.cols, kernels.tile_cols);
    if (rows.begin == rows.end || cols.begin == cols.end) return;
    const Product<T> part = x.part(rows, cols);
    const Plan plan = make_plan(kernels, part);
    T* const panels = reinterpret_cast<T*>(workspace + bytes_each * static_cast<std::size_t>(thread));
    multiply_serial(kernels, part, plan, panels, panels + plan.panel_elements);
  });
}

// Whether a product is so small that planning would take longer than it gains: its operands are then read where they
// lie, in one block. Sums of sizes below 2^20 cannot overflow.
template <class T>
bool is_small(const Product<T>& x) noexcept {
  constexpr std::size_t kLimit = std::size_t{1} << 20, kMostProducts = 64 * 64 * 64;
  if (x.packed || x.transpose_b || (x.m | x.n | x.k | x.ldb) >= kLimit || x.m * x.n * x.k > kMostProducts) return false;
  // Rows of B a whole number of pages apart fall on the same sets of L1, and B is read m / tile_rows times.
  return x.k * x.n * sizeof(T) <= kDirectBytes && (x.ldb * sizeof(T) % kPage != 0 || x.k <= 8);
}

}  // namespace

namespace {

// A matrix times a column is a row times the transposed matrix, which leaves no lane of a vector without work. Worth it
// for products that are not over before.
template <class T>
bool is_column(const Product<T>& x) noexcept {
  constexpr std::size_t kWorthIt = 1024;
  return x.n == 1 && !x.packed && x.ldc == 1 && (x.transpose_b || x.ldb == 1 || x.k == 1) && x.m > 1 &&
         x.m * x.k >= kWorthIt;
}

template <class T>
Product<T> turned(const Product<T>& x) noexcept {
  Product<T> y = x;
  y.transpose_a = false;
  y.transpose_b = !x.transpose_a;
  y.m = 1;
  y.n = x.m;
  y.a = x.b;
  y.lda = x.k;
  y.b = x.a;
  y.ldb = x.lda;
  y.ldc = x.m;
  y.bias = nullptr;
  y.activation = Activation::none;
  return y;
}

}  // namespace

template <class T>
void multiply(const MatmulOps<T>& kernels, const Product<T>& x) {
  if (is_column(x)) {
    multiply(kernels, turned(x));
    if (x.bias || x.activation != Activation::none) kernels.finish(x.m, x.n, x.c, x.ldc, x.bias, x.activation);
    return;
  }
  if (x.k == 0 || x.alpha == T(0)) {
    if (x.beta != T(1)) kernels.scale(x.beta, x.m, x.n, x.c, x.ldc);
    if (x.bias || x.activation != Activation::none) kernels.finish(x.m, x.n, x.c, x.ldc, x.bias, x.activation);
    return;
  }
  if (is_small(x)) {
    MatmulBlock<T> block = block_of(x);
    block.tile_rows = kernels.tile_rows;
    block.b_panel = kernels.tile_cols;
    kernels.multiply(block);
    if (x.bias || x.activation != Activation::none) kernels.finish(x.m, x.n, x.c, x.ldc, x.bias, x.activation);
    return;
  }
  if (const int threads = wanted_threads(x.m, x.n, x.k); threads > 1) return multiply_threaded(kernels, x, threads);
  const Plan plan = make_plan(kernels, x);
  const std::size_t elements = plan.panel_elements + plan.other_elements;
  T* const workspace = elements ? static_cast<T*>(thread_workspace(elements * sizeof(T))) : nullptr;
  multiply_serial(kernels, x, plan, workspace, workspace + plan.panel_elements);
}

template void multiply(const MatmulOps<float>&, const Product<float>&);
template void multiply(const MatmulOps<double>&, const Product<double>&);

}  // namespace pawl
