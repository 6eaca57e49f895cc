// int8_product.cpp -- a checked product of codes -> prepared rows, blocks and threads.
#include "kernels/quant/int8_product.hpp"

#include <algorithm>

#include "isa/isa_list.hpp"
#include "kernels/quant/column_sums.hpp"
#include "kernels/quant/threads.hpp"
#include "kernels/quant/unpacked_choice.hpp"
#include "pawl/parallel.hpp"

namespace pawl {

#define PAWL_DECLARE_INT8(isa)   \
  namespace isa {                \
  extern const Int8Ops int8_ops; \
  }
PAWL_FOR_EACH_ISA(PAWL_DECLARE_INT8)
#undef PAWL_DECLARE_INT8
#if defined(__x86_64__)
namespace avx512 {
extern const Int8Ops int8_vnni_ops;
}
#ifdef PAWL_HAS_AVX_VNNI
namespace avx2 {
extern const Int8Ops int8_avx_vnni_ops;
}
#endif
#endif

std::atomic<bool>& dot_products_allowed() noexcept {
  static std::atomic<bool> allowed{true};
  return allowed;
}

const Int8Ops& int8_ops(Isa isa) noexcept {
#if defined(__x86_64__)
  const CpuFeatures& cpu = cpu_features();
  const bool dots = dot_products_allowed().load(std::memory_order_relaxed);
  if (isa == Isa::avx512 && cpu.avx512vnni && dots) return avx512::int8_vnni_ops;
#ifdef PAWL_HAS_AVX_VNNI
  if (isa == Isa::avx2 && cpu.avxvnni && dots) return avx2::int8_avx_vnni_ops;
#endif
#endif
#define PAWL_INT8_CASE(each) \
  case Isa::each:            \
    return each::int8_ops;
  switch (isa) {
    PAWL_FOR_EACH_ISA(PAWL_INT8_CASE)
    default:
      return scalar::int8_ops;
  }
#undef PAWL_INT8_CASE
}

namespace {

constexpr std::size_t kLine = 64, kPage = 4096;

std::size_t rounded(std::size_t n, std::size_t step) noexcept { return (n + step - 1) / step * step; }

// Rows a whole number of pages apart fall on the same sets of L1, which has 8 or 12 ways.
constexpr std::size_t kAliasedRows = 8;

struct Preparation {
  bool copies;
  std::size_t stride_bytes;
};

Preparation preparation(const Int8Product& x) noexcept {
  if (x.columns) return {false, x.lda};
  const bool aliased = x.lda % kPage == 0 && x.m > kAliasedRows;
  if (x.ops->in_place && x.flip == 0 && x.k % 4 == 0 && !aliased) return {false, x.lda};
  // Short rows without gaps, others an odd number of lines apart, so that the rows of a tile fall on different sets.
  const std::size_t bytes = rounded(x.k, 4) * x.ops->bytes_per_code;
  return {true, bytes < kLine ? bytes : (rounded(bytes, kLine) / kLine | 1) * kLine};
}

// Rows of A that stay in L2 while a panel of weights after the other passes by.
std::size_t rows_per_block(const Int8Product& x, std::size_t stride_bytes) noexcept {
  const std::size_t l2 = assumed_cache_sizes().l2_bytes;
  const std::size_t fits = l2 / 2 / std::max<std::size_t>(stride_bytes, 1);
  return std::max<std::size_t>(fits / x.ops->tile_rows, 1) * x.ops->tile_rows;
}

// Panels of weights that stay in L2 while a tile of rows after the other meets them.
std::size_t panels_at_once(const Int8Product& x, std::size_t groups) noexcept {
  const std::size_t panel_bytes = std::max<std::size_t>(x.ops->tile_cols * groups * 4, 1);
  return std::max<std::size_t>(assumed_cache_sizes().l2_bytes / 2 / panel_bytes, 1);
}

struct Arrays {
  char* codes;
  std::int32_t *sums, *zeros, *no_sums;
  float* scales;           // for results in f32
  bool symmetric;          // all zero points are 0: `zeros` may be unset
  std::int32_t* col_sums;  // of weights that are not packed, by a kernel: null where strips add them up
};

void prepare_rows(const Int8Product& x, const Arrays& arrays, const Preparation& prepared, Range rows) noexcept {
  x.ops->prepare(x.a + rows.begin * x.lda, x.lda, rows.end - rows.begin, x.k, x.flip,
                 prepared.copies ? arrays.codes + rows.begin * prepared.stride_bytes : nullptr, prepared.stride_bytes,
                 arrays.sums + rows.begin);
}

// These rows and columns; `prepares`: the rows of each block just before they are used, while L2 has them.
void multiply_part(const Int8Product& x, const Arrays& arrays, const Preparation& prepared, Range rows, Range cols,
                   bool prepares) noexcept {
  const std::size_t groups = (x.k + 3) / 4, step = rows_per_block(x, prepared.stride_bytes);
  for (std::size_t i = rows.begin; i < rows.end; i += step) {
    Int8Block block{};
    block.rows = std::min(step, rows.end - i);
    if (prepares) prepare_rows(x, arrays, prepared, {i, i + block.rows});
    block.cols = cols.end - cols.begin;
    block.groups = groups;
    block.panels_at_once = panels_at_once(x, groups);
    block.a = (prepared.copies ? arrays.codes : reinterpret_cast<const char*>(x.a)) + i * prepared.stride_bytes;
    block.a_stride_bytes = prepared.stride_bytes;
    block.b = x.b + cols.begin * groups * 4;
    block.row_sums = arrays.sums + i;
    block.row_zeros = arrays.zeros + i;
    block.row_scales = arrays.scales + i;
    block.col_weights = x.col_weights + cols.begin;
    block.col_offsets = x.col_offsets + cols.begin;
    block.col_scales = x.col_scales ? x.col_scales + cols.begin : nullptr;
    block.symmetric = arrays.symmetric;
    block.bias = x.bias ? x.bias + cols.begin : nullptr;
    block.relu = x.relu;
    block.c_s32 = x.c_s32 ? x.c_s32 + i * x.n + cols.begin : nullptr;
    block.c_f32 = x.c_f32 ? x.c_f32 + i * x.n + cols.begin : nullptr;
    block.ldc = x.n;
    x.ops->multiply(block);
  }
}

// The arrays that stand before everything else in the workspace, and what is written there of the rows as a whole.
Arrays arrays_of(const Int8Product& x, const Preparation& prepared, char* workspace) {
  Arrays arrays{};
  arrays.codes = workspace;
  char* rest = workspace + (prepared.copies ? x.m * prepared.stride_bytes : 0);
  const std::size_t each = rounded(x.m * 4, kLine);
  arrays.sums = reinterpret_cast<std::int32_t*>(rest);
  arrays.zeros = reinterpret_cast<std::int32_t*>(rest + each);
  arrays.scales = reinterpret_cast<float*>(rest + 2 * each);
  const std::int32_t shift = x.flip ? 128 : 0;  // prepared codes are the unsigned ones less 128
  if (x.a_zero_count > 1) {
    arrays.symmetric = x.b_symmetric;
    for (std::size_t i = 0; i < x.m; ++i) {
      arrays.zeros[i] = x.a_zeros[i] - shift;
      arrays.symmetric = arrays.symmetric && arrays.zeros[i] == 0;
    }
  } else {
    const std::int32_t zero = (x.a_zero_count == 0 ? x.a_zero_default : x.a_zeros[0]) - shift;
    arrays.symmetric = x.b_symmetric && zero == 0;
    if (!arrays.symmetric || x.columns) std::fill_n(arrays.zeros, x.m, zero);
  }
  if (x.c_f32) {
    if (x.a_scale_count > 1) {
      std::copy_n(x.a_scales, x.m, arrays.scales);
    } else {
      std::fill_n(arrays.scales, x.m, x.a_scale_count == 0 ? 1.0f : x.a_scales[0]);
    }
  }
  return arrays;
}

ProductThreads threads_for(const Int8Product& x) noexcept {
  constexpr double kWorthThread = 1 << 20;  // operations
  return product_threads(x.m, x.n, x.k, kWorthThread);
}

// How much of weights that lie as they are is packed at a time, in whole panels and groups.
struct StripSize {
  std::size_t cols, depth;
};

StripSize strip_size(const Int8Product& x) noexcept {
  const std::size_t cols = rounded(x.n, x.ops->tile_cols), depth = std::max<std::size_t>(rounded(x.k, 4), 4);
  // With very few rows, or weights that are far away, reading them is most of the work: whole rows of them, in one
  // stream, as many as L2 holds beside the sums; with more rows the sums would travel more often than the packed
  // weights, which then may lie in L3. (4096 x 4096, Zen 5: with 16 rows 499 GOP/s, by strips 256; 128 rows 820 and
  // 640.)
  constexpr std::size_t kVeryFewRows = 12, kFewRows = 24, kManyRows = 512, kLeastDepth = 32;
  const std::size_t l3 = assumed_cache_sizes().l3_bytes;
  if (x.m < kVeryFewRows || (x.m < kManyRows && x.k * x.n > l3 / 5)) {
    const std::size_t chunk_bytes = std::size_t{x.m < kFewRows ? 256u : 4096u} << 10;
    return {cols, std::min(depth, std::max(chunk_bytes / cols / 8 * 8, kLeastDepth))};
  }
  // Where the results are more than L2 holds and the weights are not, tiles that go along rows of C are worth more.
  const std::size_t l2 = assumed_cache_sizes().l2_bytes;
  if (cols * depth <= l2 / 2 && x.m * x.n * sizeof(std::int32_t) > l2) return {cols, depth};
  // Otherwise the sums should be finished at once: all of the depth, of columns as wide as two cache lines, stays in L2
  // while all rows meet it. (32 x 768 x 768, Zen 5: 849 GOP/s; one line 823, four 802.)
  constexpr std::size_t kStripCols = 128, kStripDepth = 2048;
  return {std::min(cols, kStripCols), std::min(depth, kStripDepth)};
}

// Where it is packed, and the numbers of its columns.
struct Strip {
  StripSize size;
  std::uint8_t* panels;
  std::int32_t *weights, *offsets;
};

std::size_t strip_bytes(StripSize size) noexcept {
  return rounded(size.cols * size.depth, kPage) + 2 * rounded(4 * size.cols, kLine);
}

Strip strip_at(StripSize size, char* memory) noexcept {
  char* const weights = memory + rounded(size.cols * size.depth, kPage);
  return {size, reinterpret_cast<std::uint8_t*>(memory), reinterpret_cast<std::int32_t*>(weights),
          reinterpret_cast<std::int32_t*>(weights + rounded(4 * size.cols, kLine))};
}

void multiply_strips(const Int8Product& x, const Arrays& arrays, const Preparation& prepared,
                     const std::int8_t* weights, Range cols, const Strip& strip) noexcept {
  std::fill_n(strip.weights, strip.size.cols, 128);
  std::fill_n(strip.offsets, strip.size.cols, 0);
  for (std::size_t j = cols.begin; j < cols.end; j += strip.size.cols) {
    const std::size_t width = std::min(strip.size.cols, cols.end - j);
    if (arrays.col_sums) {
      std::copy_n(arrays.col_sums + j, width, strip.offsets);
    } else if (!arrays.symmetric) {
      std::fill_n(strip.offsets, strip.size.cols, 0);
      for (std::size_t p = 0; p < x.k; ++p)
        for (std::size_t i = 0; i < width; ++i) strip.offsets[i] += weights[p * x.n + j + i];
    }
    for (std::size_t p = 0; p == 0 || p < x.k; p += strip.size.depth) {
      const std::size_t depth = std::min(strip.size.depth, x.k - p);
      x.ops->pack(weights + p * x.n + j, x.n, false, depth, width, strip.panels);
      const std::size_t step = rows_per_block(x, prepared.stride_bytes);
      for (std::size_t i = 0; i < x.m; i += step) {
        Int8Block block{};
        block.rows = std::min(step, x.m - i);
        block.cols = width;
        block.groups = (depth + 3) / 4;
        block.panels_at_once = panels_at_once(x, block.groups);
        block.a = (prepared.copies ? arrays.codes : reinterpret_cast<const char*>(x.a)) + i * prepared.stride_bytes +
                  p * (prepared.copies ? x.ops->bytes_per_code : 1);
        block.a_stride_bytes = prepared.stride_bytes;
        block.b = strip.panels;
        // All that the sums of rows and columns take off goes with the first part.
        block.row_sums = (p == 0 ? arrays.sums : arrays.no_sums) + i;
        block.row_zeros = arrays.zeros + i;
        block.col_weights = strip.weights;
        block.col_offsets = strip.offsets;
        block.symmetric = arrays.symmetric || p > 0;
        block.accumulates = p > 0;
        block.c_s32 = x.c_s32 + i * x.n + j;
        block.ldc = x.n;
        x.ops->multiply(block);
      }
    }
  }
}

void multiply_unpacked_part(const Int8Product& x, const Arrays& arrays, const Preparation& prepared,
                            const std::int8_t* weights, Range cols, bool streamed) noexcept {
  const auto multiply = streamed ? x.ops->multiply_streamed : x.ops->multiply_unpacked;
  multiply({.rows = x.m,
            .cols = cols.end - cols.begin,
            .depth = x.k,
            .a = prepared.copies ? arrays.codes : reinterpret_cast<const char*>(x.a),
            .a_stride_bytes = prepared.stride_bytes,
            .b = weights + cols.begin,
            .ldb = x.n,
            .row_sums = arrays.sums,
            .c = x.c_s32 + cols.begin,
            .ldc = x.n,
            .asks = x.k * x.n > assumed_cache_sizes().l3_bytes / 2});
  if (!arrays.symmetric)
    take_off_zeros(arrays.zeros, arrays.col_sums + cols.begin, x.m, cols.end - cols.begin, x.c_s32 + cols.begin, x.n);
}

// What sums of columns take: those, and a row of ones for each thread.
std::size_t ones_bytes(const Int8Product& x) noexcept { return rounded(x.k + 3, kLine); }
std::size_t col_sums_bytes(const Int8Product& x) noexcept {
  if (x.a_zero_count == 0) return 0;
  return rounded(4 * x.n, kLine) + ones_bytes(x) * static_cast<std::size_t>(threads_for(x).count);
}

[[gnu::noinline]] void multiply_by_columns(const Int8Product& x, const Arrays& arrays) {
  constexpr std::size_t kRows = 16;  // of a whole number of tiles, whatever the columns are
  const auto [threads, wake] = threads_for(x);
  on_threads(
      threads,
      [&](int thread, int count) {
        const Range rows = share(x.m, thread, count, kRows);
        if (rows.begin == rows.end) return;
        const std::size_t at = rows.begin;
        x.ops->multiply_columns({.rows = rows.end - at,
                                 .cols = x.n,
                                 .depth_bytes = x.k,
                                 .a = x.a + at * x.lda,
                                 .a_stride_bytes = x.lda,
                                 .flip = static_cast<std::uint8_t>(x.flip ^ 0x80),
                                 .columns = reinterpret_cast<const char*>(x.columns),
                                 .column_stride_bytes = column_stride(x.k),
                                 .row_zeros = arrays.zeros + at,
                                 .col_offsets = x.col_offsets,
                                 .row_scales = arrays.scales + at,
                                 .col_scales = x.col_scales,
                                 .bias = x.bias,
                                 .relu = x.relu,
                                 .c_s32 = x.c_s32 ? x.c_s32 + at * x.n : nullptr,
                                 .c_f32 = x.c_f32 ? x.c_f32 + at * x.n : nullptr});
      },
      wake);
}

bool gathers_columns(const Int8Product& x) noexcept { return x.n <= 8 && takes_columns(*x.ops, x.n, x.k); }

// The columns of weights that lie as rows, and their sums.
std::size_t gathered_bytes(const Int8Product& x) noexcept { return x.n * column_stride(x.k) + rounded(4 * x.n, kLine); }

}  // namespace

bool takes_columns(const Int8Ops& ops, std::size_t n, std::size_t k) noexcept {
  return ops.multiply_columns && column_dots_pay(n, k);
}
std::size_t column_stride(std::size_t k) noexcept { return rounded(k, kLine); }

std::size_t workspace_bytes(const Int8Product& x) noexcept {
  const Preparation prepared = preparation(x);
  return (prepared.copies ? x.m * prepared.stride_bytes : 0) + 3 * rounded(x.m * 4, kLine);
}

void multiply(const Int8Product& x, char* workspace) {
  const Preparation prepared = preparation(x);
  const Arrays arrays = arrays_of(x, prepared, workspace);
  if (x.columns) return multiply_by_columns(x, arrays);
  const auto [threads, wake] = threads_for(x);
  const std::size_t panels = (x.n + x.ops->tile_cols - 1) / x.ops->tile_cols;
  if (threads > 1 && panels >= 2 * static_cast<std::size_t>(threads)) {
    prepare_rows(x, arrays, prepared, {0, x.m});
    on_threads(
        threads,
        [&](int thread, int count) {
          const Range cols = share(x.n, thread, count, x.ops->tile_cols);
          if (cols.begin < cols.end) multiply_part(x, arrays, prepared, {0, x.m}, cols, false);
        },
        wake);
  } else {
    on_threads(
        threads,
        [&](int thread, int count) {
          const Range rows = share(x.m, thread, count, x.ops->tile_rows);
          if (rows.begin < rows.end) multiply_part(x, arrays, prepared, rows, {0, x.n}, true);
        },
        wake);
  }
}

std::size_t workspace_bytes_unpacked(const Int8Product& x) noexcept {
  if (gathers_columns(x)) return gathered_bytes(x) + workspace_bytes(x);
  return workspace_bytes(x) + rounded(x.m * 4, kLine) + col_sums_bytes(x) +
         strip_bytes(strip_size(x)) * static_cast<std::size_t>(threads_for(x).count);
}

void multiply_unpacked(const Int8Product& x, const std::int8_t* weights, char* workspace) {
  if (gathers_columns(x)) {
    Int8Product gathered = x;
    auto* const columns = reinterpret_cast<std::int8_t*>(workspace);
    auto* const sums = reinterpret_cast<std::int32_t*>(workspace + x.n * column_stride(x.k));
    x.ops->gather_columns(weights, x.k, x.n, columns, column_stride(x.k), sums);
    gathered.columns = columns;
    gathered.col_offsets = sums;
    return multiply(gathered, workspace + gathered_bytes(x));
  }
  const Preparation prepared = preparation(x);
  const StripSize size = strip_size(x);
  const auto [threads, wake] = threads_for(x);
  char* const rest = workspace + strip_bytes(size) * static_cast<std::size_t>(threads);
  Arrays arrays = arrays_of(x, prepared, rest);
  arrays.no_sums = reinterpret_cast<std::int32_t*>(rest + workspace_bytes(x));
  std::fill_n(arrays.no_sums, x.m, 0);
  char* const after = rest + workspace_bytes(x) + rounded(x.m * 4, kLine);
  char* const ones = after + rounded(4 * x.n, kLine);
  if (!arrays.symmetric && x.ops->multiply_streamed && x.k > 0)
    arrays.col_sums = reinterpret_cast<std::int32_t*>(after);
  prepare_rows(x, arrays, prepared, {0, x.m});
  // Where zero points are taken off by sums of columns that strips add up, weights have to be packed.
  const bool may = x.ops->multiply_streamed && x.k > 0 && (arrays.symmetric || arrays.col_sums);
  const bool streamed = may && streams_weights(x), unpacked = streamed || (may && multiplies_unpacked(x));
  on_threads(
      threads,
      [&](int thread, int count) {
        const Range cols = share(x.n, thread, count, x.ops->tile_cols);
        if (cols.begin == cols.end) return;
        if (arrays.col_sums)
          sum_columns(*x.ops, weights + cols.begin, x.n, x.k, cols.end - cols.begin,
                      x.n >= kLongRow || lines_come_slowly(x), ones + ones_bytes(x) * static_cast<std::size_t>(thread),
                      arrays.col_sums + cols.begin);
        if (unpacked)
          multiply_unpacked_part(x, arrays, prepared, weights, cols, streamed);
        else
          multiply_strips(x, arrays, prepared, weights, cols,
                          strip_at(size, workspace + strip_bytes(size) * static_cast<std::size_t>(thread)));
      },
      wake);
}

}  // namespace pawl
