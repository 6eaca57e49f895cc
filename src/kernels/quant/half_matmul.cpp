// half_matmul.cpp -- include/pawl/quant/half_matmul.hpp: packing, and products in bf16 or widened to f32.
#include "pawl/quant/half_matmul.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "isa/active.hpp"
#include "isa/datapath.hpp"
#include "kernels/matmul/workspace.hpp"
#include "kernels/quant/half_table.hpp"
#include "kernels/quant/panel_memory.hpp"
#include "kernels/quant/threads.hpp"
#include "pawl/isa.hpp"
#include "pawl/packed_matrix.hpp"
#include "pawl/parallel.hpp"

namespace pawl {

#if defined(__x86_64__)
namespace avx2 {
extern const HalfProductOps bf16_wide_ops, f16_wide_ops;
}
namespace avx512 {
extern const HalfProductOps bf16_dot_ops, bf16_as_f32_ops, bf16_wide_ops, f16_wide_ops;
}
#endif

struct PackedHalf::Storage {
  const HalfProductOps* ops = nullptr;  // or, if null, as f32:
  std::optional<PackedMatrix<float>> wide;
  PanelMemory panels;
  bool columns = false;  // a few of them, which the panels hold along the depth
  std::size_t bytes = 0;
};

namespace {

[[noreturn, gnu::cold]] void refuse(const std::string& why) { throw std::invalid_argument("matmul: " + why); }

std::size_t rounded(std::size_t n, std::size_t step) noexcept { return (n + step - 1) / step * step; }

// The entries for weights of Half, or null where the active variant keeps them as f32.
template <class Half>
const HalfProductOps* half_ops() noexcept {
#if defined(__x86_64__)
  constexpr bool kBf16 = std::is_same_v<Half, bf16>;
  const Isa isa = detail::active_isa_inline();
  if (isa == Isa::avx2) return kBf16 ? &avx2::bf16_wide_ops : &avx2::f16_wide_ops;
  if (isa == Isa::avx512)
    return !kBf16                                                                             ? &avx512::f16_wide_ops
           : cpu_features().avx512bf16 && bf16_dots_allowed().load(std::memory_order_relaxed) ? &avx512::bf16_dot_ops
                                                                                              : &avx512::bf16_wide_ops;
#endif
  return nullptr;
}

void check_weights(std::size_t size, std::size_t k, std::size_t n) {
  if (k == 0 || n == 0 ? size != 0 : size / k != n || size % k != 0)
    throw std::invalid_argument("PackedHalf: " + std::to_string(size) + " weights are not " + std::to_string(k) +
                                " x " + std::to_string(n));
}

template <class Half>
void pack_wide(PackedHalf::Storage& s, std::span<const Half> weights, std::size_t k, std::size_t n, bool transposed) {
  std::vector<float> wide(weights.size());
  convert(weights, std::span<float>(wide));
  const Shape shape{k, n};
  Strides strides = row_major(shape);
  if (transposed) {
    strides[0] = 1;
    strides[1] = static_cast<std::ptrdiff_t>(k);
  }
  s.wide.emplace(View<const float>(wide.data(), shape, strides));
  s.bytes = s.wide->size_bytes();
}

// Whole steps of a panel whose columns all exist, from depth p up to `end`. each: values of a column in a step.
template <std::size_t each, class Half>
void pack_whole_steps(const Half* weights, std::size_t ld, bool transposed, std::size_t width, std::size_t p,
                      std::size_t end, Half* to) {
  if (transposed) {
    for (std::size_t c = 0; c < width; ++c)
      for (std::size_t row = p; row < end; row += each)
        std::memcpy(to + (row - p) * width + each * c, weights + c * ld + row, each * sizeof(Half));
    return;
  }
  for (; p < end; p += each, to += each * width) {
    const Half* const from = weights + p * ld;
    if constexpr (each == 1) {
      std::memcpy(to, from, width * sizeof(Half));
    } else {
      for (std::size_t c = 0; c < width; ++c) {
        to[2 * c] = from[c];
        to[2 * c + 1] = from[ld + c];
      }
    }
  }
}

// The weights as panels of columns: for each step in depth the values of each column, and zeros where there are none.
template <class Half>
void pack_panels(PackedHalf::Storage& s, std::span<const Half> weights, std::size_t k, std::size_t n, bool transposed) {
  const std::size_t width = s.ops->tile_cols, each = s.ops->depth_of_step, depth = rounded(k, each);
  s.bytes = rounded(n, width) * depth * sizeof(Half);
  s.panels = PanelMemory(s.bytes);
  if (s.ops->pack) {
    s.ops->pack(reinterpret_cast<const std::uint16_t*>(weights.data()), transposed ? k : n, transposed, k, n,
                s.panels.data());
    return;
  }
  const auto pack = [&](std::size_t j, std::size_t p, std::size_t end) {
    Half* to = reinterpret_cast<Half*>(s.panels.data()) + j * depth + p * width;
    if (j + width <= n) {
      const std::size_t whole = std::min(end, k / each * each);
      const Half* const from = weights.data() + (transposed ? j * k : j);
      if (each == 2) {
        pack_whole_steps<2>(from, transposed ? k : n, transposed, width, p, whole, to);
      } else {
        pack_whole_steps<1>(from, transposed ? k : n, transposed, width, p, whole, to);
      }
      to += (whole - p) * width;
      p = whole;
    }
    for (; p < end; p += each)
      for (std::size_t col = j; col < j + width; ++col)
        for (std::size_t row = p; row < p + each; ++row)
          *to++ = col < n && row < k ? weights[transposed ? col * k + row : row * n + col] : Half{0};
  };
  // Columns as the weights lie: a panel after the other, a cache line of each column at a time. Rows as they lie: some
  // rows across all panels, so that rows are read in streams and whole lines are written.
  constexpr std::size_t kLineHalves = 32, kRows = 16;
  if (transposed) {
    for (std::size_t j = 0; j < n; j += width)
      for (std::size_t p = 0; p < depth; p += kLineHalves) pack(j, p, std::min(p + kLineHalves, depth));
  } else {
    for (std::size_t p = 0; p < depth; p += kRows)
      for (std::size_t j = 0; j < n; j += width) pack(j, p, std::min(p + kRows, depth));
  }
}

// A few columns along the depth, zeros up to whole vectors.
std::size_t column_stride(std::size_t k) noexcept { return rounded(2 * k, 64); }

template <class Half>
void pack_columns(PackedHalf::Storage& s, std::span<const Half> weights, std::size_t k, std::size_t n,
                  bool transposed) {
  const std::size_t stride = column_stride(k);
  s.columns = true;
  s.bytes = n * stride;
  s.panels = PanelMemory(s.bytes);
  for (std::size_t j = 0; j < n; ++j) {
    auto* const column = reinterpret_cast<Half*>(s.panels.data() + j * stride);
    for (std::size_t p = 0; p < k; ++p) column[p] = weights[transposed ? j * k + p : p * n + j];
    std::memset(static_cast<void*>(column + k), 0, stride - k * sizeof(Half));
  }
}

template <class Half>
std::shared_ptr<const PackedHalf::Storage> packed_storage(std::span<const Half> weights, std::size_t k, std::size_t n,
                                                          bool transposed) {
  const auto storage = std::make_shared<PackedHalf::Storage>();
  check_weights(weights.size(), k, n);
  storage->ops = half_ops<Half>();
  constexpr std::size_t kMostColumns = 12;  // with 13 and 14 a panel is 1.2 times as fast (Zen 4)
  if (storage->ops && storage->ops->multiply_columns && n <= kMostColumns && column_dots_pay(n, 2 * k)) {
    pack_columns(*storage, weights, k, n, transposed);
  } else if (storage->ops) {
    pack_panels(*storage, weights, k, n, transposed);
  } else {
    pack_wide(*storage, weights, k, n, transposed);
  }
  return storage;
}

constexpr std::size_t kLine = 64, kPage = 4096, kAliasedRows = 8;
constexpr double kWorthThread = 1 << 19;  // operations

// A as the kernels read it: f32, or bf16 filled up to whole pairs; in rows that fall on different sets of L1.
struct Left {
  const char* rows;
  std::size_t stride;
};

template <class Half>
Left prepare(std::span<const Half> a, std::size_t m, std::size_t k, const HalfProductOps& ops) {
  const bool widens = ops.left_bytes == 4, whole_steps = k % ops.depth_of_step == 0;
  const auto* const codes = reinterpret_cast<const char*>(a.data());
  if (!widens && whole_steps && (2 * k % kPage != 0 || m <= kAliasedRows)) return {codes, 2 * k};
  if (widens && whole_steps && (4 * k % kPage != 0 || m <= kAliasedRows)) {
    // One after another, in one call: of rows of 4 elements that takes a tenth of the time of a call for each (Zen 4).
    auto* const copy = static_cast<float*>(thread_workspace(4 * a.size()));
    convert(a, std::span<float>(copy, a.size()));
    return {reinterpret_cast<const char*>(copy), 4 * k};
  }
  const std::size_t stride = (rounded(ops.left_bytes * (k + 1), kLine) / kLine | 1) * kLine;
  char* const copy = static_cast<char*>(thread_workspace(m * stride));
  constexpr std::size_t kShort = kLine / 2;  // bytes of a row that are copied at once, with some of the next rows
  for (std::size_t i = 0; i < m; ++i) {
    char* const to = copy + i * stride;
    const char* const from = codes + 2 * i * k;
    if (widens) {
      convert(a.subspan(i * k, k), std::span<float>(reinterpret_cast<float*>(to), k));
      std::memset(to + 4 * k, 0, 4);
      continue;
    }
    if (2 * k < kShort && 2 * i * k + kShort <= a.size_bytes()) {
      std::memcpy(to, from, kShort);
    } else {
      std::memcpy(to, from, 2 * k);
    }
    std::memset(to + 2 * k, 0, 2);
  }
  return {copy, stride};
}

template <class Half>
void multiply_by_columns(std::span<const Half> a, const PackedHalf& b, std::size_t m, const float* bias, bool relu,
                         float* c) {
  constexpr std::size_t kRows = 16;  // of a whole number of tiles, whatever the columns are
  const std::size_t k = b.rows(), n = b.cols();
  const auto [threads, wake] = product_threads(m, n, k, kWorthThread);
  on_threads(
      threads,
      [&](int thread, int count) {
        const Range rows = share(m, thread, count, kRows);
        if (rows.begin == rows.end) return;
        ColumnDots x{};
        x.rows = rows.end - rows.begin;
        x.cols = n;
        x.depth_bytes = 2 * k;
        x.a = a.data() + rows.begin * k;
        x.a_stride_bytes = 2 * k;
        x.columns = reinterpret_cast<const char*>(b.storage().panels.data());
        x.column_stride_bytes = column_stride(k);
        x.bias = bias;
        x.relu = relu;
        x.c_f32 = c + rows.begin * n;
        b.storage().ops->multiply_columns(x);
      },
      wake);
}

// What multiplies panels by so many rows. GFLOP/s by dot products and by FMAs of f32 on an Emerald Rapids: 1 x 512, k =
// 512 91 and 78, 2 x 1024, k = 1024 87 and 89, 4 x 512, k = 512 108 and 145, 8 x 4096, k = 4096 89 and 168, 64 cubed 94
// and 153, 512 cubed 95 and 168 (f32, packed: 175), 256 x 16, k = 256 89 and 111.
const HalfProductOps& ops_for_rows(const HalfProductOps& packed_for, std::size_t m) noexcept {
#if defined(__x86_64__)
  constexpr std::size_t kFewRows = 2;
  if (&packed_for == &avx512::bf16_dot_ops && detail::bf16_dots_take_two_turns && m > kFewRows)
    return avx512::bf16_as_f32_ops;
#endif
  return packed_for;
}

template <class Half>
void multiply_halves(std::span<const Half> a, const PackedHalf& b, std::size_t m, const float* bias, bool relu,
                     float* c) {
  const std::size_t k = b.rows(), n = b.cols();
  const HalfProductOps& ops = ops_for_rows(*b.storage().ops, m);
  const Left left = prepare(a, m, k, ops);
  const std::size_t steps = rounded(k, ops.depth_of_step) / ops.depth_of_step, panel_depth = steps * ops.depth_of_step;
  const std::size_t l2 = assumed_cache_sizes().l2_bytes;
  // Rows that stay in L2 while a panel of weights after the other passes by.
  const std::size_t step =
      std::max<std::size_t>(l2 / 2 / std::max<std::size_t>(left.stride, 1) / ops.tile_rows, 1) * ops.tile_rows;
  const auto [threads, wake] = product_threads(m, n, k, kWorthThread);
  const bool by_columns = n >= 2 * ops.tile_cols * static_cast<std::size_t>(threads);
  on_threads(
      threads,
      [&](int thread, int count) {
        const Range cols = by_columns ? share(n, thread, count, ops.tile_cols) : Range{0, n};
        const Range rows = by_columns ? Range{0, m} : share(m, thread, count, ops.tile_rows);
        if (cols.begin == cols.end) return;
        for (std::size_t i = rows.begin; i < rows.end; i += step) {
          HalfBlock block{};
          block.rows = std::min(step, rows.end - i);
          block.cols = cols.end - cols.begin;
          block.steps = steps;
          // What stays in L2 while a tile of rows after the other meets it.
          block.panels_at_once =
              std::max<std::size_t>(l2 / 2 / std::max<std::size_t>(ops.tile_cols * panel_depth * 2, 1), 1);
          block.a = left.rows + i * left.stride;
          block.a_stride_bytes = left.stride;
          block.b = b.storage().panels.data() + cols.begin * panel_depth * 2;
          block.bias = bias ? bias + cols.begin : nullptr;
          block.relu = relu;
          block.c = c + i * n + cols.begin;
          block.ldc = n;
          ops.multiply(block);
        }
      },
      wake);
}

template <class Half>
void call_matmul(std::span<const Half> a, const PackedHalf& b, std::span<float> c, std::span<const float> bias,
                 Activation activation) {
  const std::size_t n = b.cols(), k = b.rows(), m = n ? c.size() / n : k ? a.size() / k : 0;
  if (n ? c.size() % n != 0 : !c.empty())
    refuse("c has " + std::to_string(c.size()) + " elements, not whole rows of " + std::to_string(n));
  if (k == 0 ? !a.empty() : a.size() / k != m || a.size() % k != 0)
    refuse("a has " + std::to_string(a.size()) + " elements, not " + std::to_string(m) + " rows of " +
           std::to_string(k));
  if (!bias.empty() && bias.size() != n)
    refuse(std::to_string(bias.size()) + " elements of bias for " + std::to_string(n) + " columns");
  if (activation != Activation::none && activation != Activation::relu) refuse("the activation must be none or relu");
  if (m == 0 || n == 0) return;
  if (b.storage().ops) {
    if (!std::is_same_v<Half, bf16> && b.uses_dot_products()) refuse("a is f16 and b was packed from bf16");
    return (b.storage().columns ? multiply_by_columns<Half>
                                : multiply_halves<Half>)(a, b, m, bias.empty() ? nullptr : bias.data(),
                                                         activation == Activation::relu, c.data());
  }
  std::vector<float> wide(a.size());
  convert(a, std::span<float>(wide));
  matmul_bias(View<const float>(wide.data(), Shape{m, k}), *b.storage().wide, bias, View<float>(c.data(), Shape{m, n}),
              activation);
}

}  // namespace

std::atomic<bool>& bf16_dots_allowed() noexcept {
  static std::atomic<bool> allowed{true};
  return allowed;
}

PackedHalf::PackedHalf(std::span<const bf16> weights, std::size_t k, std::size_t n, bool transposed)
    : k_(k), n_(n), storage_(packed_storage(weights, k, n, transposed)) {}
PackedHalf::PackedHalf(std::span<const f16> weights, std::size_t k, std::size_t n, bool transposed)
    : k_(k), n_(n), storage_(packed_storage(weights, k, n, transposed)) {}

std::size_t PackedHalf::size_bytes() const noexcept { return storage_->bytes; }
bool PackedHalf::uses_dot_products() const noexcept { return storage_->ops && storage_->ops->depth_of_step == 2; }

void matmul(std::span<const bf16> a, const PackedHalf& b, std::span<float> c, std::span<const float> bias,
            Activation activation) {
  call_matmul(a, b, c, bias, activation);
}
void matmul(std::span<const f16> a, const PackedHalf& b, std::span<float> c, std::span<const float> bias,
            Activation activation) {
  call_matmul(a, b, c, bias, activation);
}

}  // namespace pawl
