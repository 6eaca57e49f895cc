// half_matmul.cpp -- include/pawl/quant/half_matmul.hpp: packing, and products in bf16 or widened to f32.
#include "pawl/quant/half_matmul.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa/active.hpp"
#include "kernels/matmul/workspace.hpp"
#include "kernels/quant/bf16_table.hpp"
#include "kernels/quant/panel_memory.hpp"
#include "pawl/isa.hpp"
#include "pawl/packed_matrix.hpp"
#include "pawl/parallel.hpp"

namespace pawl {

#if defined(__x86_64__)
namespace avx512 {
extern const Bf16Ops bf16_ops;
}
#endif

struct PackedHalf::Storage {
  const Bf16Ops* dots = nullptr;  // or, if null, as f32:
  std::optional<PackedMatrix<float>> wide;
  PanelMemory panels;
  std::size_t bytes = 0;
};

namespace {

[[noreturn, gnu::cold]] void refuse(const std::string& why) { throw std::invalid_argument("matmul: " + why); }

std::size_t rounded(std::size_t n, std::size_t step) noexcept { return (n + step - 1) / step * step; }

const Bf16Ops* bf16_ops() noexcept {
#if defined(__x86_64__)
  if (detail::active_isa_inline() == Isa::avx512 && cpu_features().avx512bf16) return &avx512::bf16_ops;
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

constexpr std::size_t kLine = 64, kPage = 4096, kAliasedRows = 8;
constexpr double kThreadOperations = 2097152;  // below this a second thread costs more than it brings

void multiply_dots(std::span<const bf16> a, const PackedHalf& b, std::size_t m, const float* bias, bool relu,
                   float* c) {
  const std::size_t k = b.rows(), n = b.cols();
  const Bf16Ops& ops = *b.storage().dots;
  const auto* codes = reinterpret_cast<const char*>(a.data());
  std::size_t stride = 2 * k;
  // An odd depth is filled up; rows a whole number of pages apart would fall on the same sets of L1.
  if (k % 2 || (stride % kPage == 0 && m > kAliasedRows)) {
    stride = (rounded(2 * k + 2, kLine) / kLine | 1) * kLine;
    char* const copy = static_cast<char*>(thread_workspace(m * stride));
    for (std::size_t i = 0; i < m; ++i) {
      std::memcpy(copy + i * stride, codes + 2 * i * k, 2 * k);
      std::memset(copy + i * stride + 2 * k, 0, 2);
    }
    codes = copy;
  }
  const std::size_t pairs = (k + 1) / 2, l2 = cache_sizes().l2_bytes ? cache_sizes().l2_bytes : std::size_t{1} << 20;
  // Rows that stay in L2 while a panel of weights after the other passes by.
  const std::size_t step =
      std::max<std::size_t>(l2 / 2 / std::max<std::size_t>(stride, 1) / ops.tile_rows, 1) * ops.tile_rows;
  const double operations = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const int threads = operations < kThreadOperations
                          ? 1
                          : static_cast<int>(std::min<double>(num_threads(), operations / kThreadOperations * 2));
  const bool by_columns = n >= 2 * ops.tile_cols * static_cast<std::size_t>(threads);
  on_threads(threads, [&](int thread, int count) {
    const Range cols = by_columns ? share(n, thread, count, ops.tile_cols) : Range{0, n};
    const Range rows = by_columns ? Range{0, m} : share(m, thread, count, ops.tile_rows);
    if (cols.begin == cols.end) return;
    for (std::size_t i = rows.begin; i < rows.end; i += step) {
      Bf16Block block{};
      block.rows = std::min(step, rows.end - i);
      block.cols = cols.end - cols.begin;
      block.pairs = pairs;
      block.a = codes + i * stride;
      block.a_stride_bytes = stride;
      block.b = b.storage().panels.data() + cols.begin * pairs * 4;
      block.bias = bias ? bias + cols.begin : nullptr;
      block.relu = relu;
      block.c = c + i * n + cols.begin;
      block.ldc = n;
      ops.multiply(block);
    }
  });
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
  if constexpr (std::is_same_v<Half, bf16>)
    if (b.uses_dot_products())
      return multiply_dots(a, b, m, bias.empty() ? nullptr : bias.data(), activation == Activation::relu, c.data());
  if (b.uses_dot_products()) refuse("a is f16 and b was packed from bf16");
  std::vector<float> wide(a.size());
  convert(a, std::span<float>(wide));
  matmul_bias(View<const float>(wide.data(), Shape{m, k}), *b.storage().wide, bias, View<float>(c.data(), Shape{m, n}),
              activation);
}

}  // namespace

PackedHalf::PackedHalf(std::span<const bf16> weights, std::size_t k, std::size_t n, bool transposed) : k_(k), n_(n) {
  const auto storage = std::make_shared<Storage>();
  storage_ = storage;
  check_weights(weights.size(), k, n);
  Storage& s = *storage;
  s.dots = bf16_ops();
  if (!s.dots) {
    pack_wide(s, weights, k, n, transposed);
    return;
  }
  const std::size_t width = s.dots->tile_cols, pairs = (k + 1) / 2;
  s.bytes = rounded(n, width) * pairs * 4;
  s.panels = PanelMemory(s.bytes);
  auto* to = reinterpret_cast<bf16*>(s.panels.data());
  for (std::size_t j = 0; j < n; j += width)
    for (std::size_t p = 0; p < 2 * pairs; p += 2)
      for (std::size_t col = j; col < j + width; ++col)
        for (std::size_t row = p; row < p + 2; ++row)
          *to++ = col < n && row < k ? weights[transposed ? col * k + row : row * n + col] : bf16{0};
}

PackedHalf::PackedHalf(std::span<const f16> weights, std::size_t k, std::size_t n, bool transposed) : k_(k), n_(n) {
  const auto storage = std::make_shared<Storage>();
  storage_ = storage;
  check_weights(weights.size(), k, n);
  pack_wide(*storage, weights, k, n, transposed);
}

std::size_t PackedHalf::size_bytes() const noexcept { return storage_->bytes; }
bool PackedHalf::uses_dot_products() const noexcept { return storage_->dots != nullptr; }

void matmul(std::span<const bf16> a, const PackedHalf& b, std::span<float> c, std::span<const float> bias,
            Activation activation) {
  call_matmul(a, b, c, bias, activation);
}
void matmul(std::span<const f16> a, const PackedHalf& b, std::span<float> c, std::span<const float> bias,
            Activation activation) {
  call_matmul(a, b, c, bias, activation);
}

}  // namespace pawl
