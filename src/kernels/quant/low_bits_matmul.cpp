// low_bits_matmul.cpp -- include/pawl/quant/low_bits_matmul.hpp: packing, and products on threads.
#include "pawl/quant/low_bits_matmul.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa/active.hpp"
#include "kernels/matmul/workspace.hpp"
#include "kernels/quant/int8_product.hpp"
#include "kernels/quant/panel_memory.hpp"
#include "pawl/parallel.hpp"

namespace pawl {

struct PackedLowBits::Storage {
  const Int8Ops* ops;
  WeightFormat format;
  PanelMemory panels;
  std::size_t group;           // codes of x with a scale of their own; k for ternary
  std::size_t groups;          // of scales of w; 1 for ternary
  std::size_t bytes_in_depth;  // of a column in a group
  std::size_t panel_bytes, bytes;
  std::uint32_t constant_zero = 0;
  std::vector<float> col_scales;
};

namespace {

[[noreturn, gnu::cold]] void refuse(const char* function, const std::string& why) {
  throw std::invalid_argument(std::string(function) + ": " + why);
}

std::size_t rounded(std::size_t n, std::size_t step) noexcept { return (n + step - 1) / step * step; }

void check_size(std::size_t size, std::size_t n, std::size_t per_row, const char* what) {
  if (per_row == 0 ? size != 0 : size / per_row != n || size % per_row != 0)
    refuse("PackedLowBits",
           std::to_string(size) + " " + what + " are not " + std::to_string(n) + " rows of " + std::to_string(per_row));
}

// Codes of weights in a byte, by format.
std::size_t slots_of(WeightFormat format) noexcept {
  switch (format) {
    case WeightFormat::group8:
      return 1;
    case WeightFormat::group4:
      return 2;
    case WeightFormat::ternary2:
      return 4;
    default:
      return 5;
  }
}

std::uint8_t byte_of(WeightFormat format, const std::uint8_t* codes) noexcept {
  switch (format) {
    case WeightFormat::group8:
      return codes[0];
    case WeightFormat::group4:
      return static_cast<std::uint8_t>(codes[0] | codes[1] << 4);
    case WeightFormat::ternary2:
      return static_cast<std::uint8_t>(codes[0] | codes[1] << 2 | codes[2] << 4 | codes[3] << 6);
    default:
      return static_cast<std::uint8_t>(
          (256u * (81u * codes[0] + 27u * codes[1] + 9u * codes[2] + 3u * codes[3] + codes[4]) + 242) / 243);
  }
}

std::unique_ptr<PackedLowBits::Storage> make_storage(WeightFormat format, std::size_t n, std::size_t k,
                                                     std::size_t group) {
  auto s = std::make_unique<PackedLowBits::Storage>();
  s->ops = &int8_ops(detail::active_isa_inline());
  s->format = format;
  const std::size_t slots = slots_of(format), width = s->ops->low_bits.tile_cols;
  const bool grouped = slots <= 2;
  s->group = group;
  s->groups = grouped ? k / group : 1;
  s->bytes_in_depth = grouped ? group / slots : rounded(k, 4 * slots) / slots;
  // Scales and zero points of a group go before its codes.
  s->panel_bytes = s->groups * width * (s->bytes_in_depth + (grouped ? 3 : 0));
  s->bytes = s->panel_bytes * (rounded(n, width) / width);
  s->panels = PanelMemory(s->bytes);
  return s;
}

// Writes one column of codes. codes: [k rounded up to whole steps]; scales and zero points: by group.
void put_column(const PackedLowBits::Storage& s, std::size_t j, const std::uint8_t* codes, const f16* scales,
                const std::uint8_t* zeros) noexcept {
  const std::size_t width = s.ops->low_bits.tile_cols, slots = slots_of(s.format), c = j % width;
  const bool grouped = slots <= 2;
  std::uint8_t* at = s.panels.data() + j / width * s.panel_bytes;
  for (std::size_t g = 0; g < s.groups; ++g) {
    if (grouped) {
      std::memcpy(at + 2 * c, &scales[g], 2);
      at[2 * width + c] = zeros[g];
      at += 3 * width;
    }
    for (std::size_t step = 0; step < s.bytes_in_depth / 4; ++step, at += 4 * width)
      for (std::size_t i = 0; i < 4; ++i) {
        std::uint8_t slot_codes[5] = {};
        for (std::size_t t = 0; t < slots; ++t) slot_codes[t] = codes[4 * t + i];
        at[4 * c + i] = byte_of(s.format, slot_codes);
        if (i == 3) codes += 4 * slots;
      }
  }
}

// Columns beyond n: zero scales, so that what they compute is finite.
void clear_rest(const PackedLowBits::Storage& s, std::size_t n, std::size_t k) {
  const std::size_t width = s.ops->low_bits.tile_cols;
  const std::vector<std::uint8_t> codes(k + 20), zeros(s.groups);
  const std::vector<f16> scales(s.groups, f16{0});
  for (std::size_t j = n; j < rounded(n, width); ++j) put_column(s, j, codes.data(), scales.data(), zeros.data());
}

// Below this a second thread costs more than it brings: starting one takes some 2 us.
constexpr double kThreadOperations = 4194304;

struct Quantized {
  std::int8_t* codes;
  float* scales;
  std::int32_t *zeros, *sums;
  char* prepared;
  std::size_t stride_bytes, bytes;
};

// The parts of a workspace for m rows.
Quantized divide(char* workspace, const PackedLowBits::Storage& s, std::size_t m, std::size_t k) {
  const std::size_t per_row = k == 0 ? 0 : (k + s.group - 1) / s.group;
  const std::size_t numbers = rounded(4 * m * per_row, 64);
  Quantized q{};
  // Whole steps of 20 codes at most, and an odd number of lines between rows.
  q.stride_bytes = (rounded((k + 32) * s.ops->bytes_per_code, 64) / 64 | 1) * 64;
  std::size_t at = 0;
  const auto take = [&](std::size_t bytes) {
    char* const part = workspace ? workspace + at : nullptr;
    at += bytes;
    return part;
  };
  q.codes = reinterpret_cast<std::int8_t*>(take(rounded(m * k, 64)));
  q.scales = reinterpret_cast<float*>(take(numbers));
  q.zeros = reinterpret_cast<std::int32_t*>(take(numbers));
  q.sums = reinterpret_cast<std::int32_t*>(take(numbers));
  q.prepared = take(m * q.stride_bytes);
  q.bytes = at;
  return q;
}

}  // namespace

PackedLowBits::PackedLowBits(std::span<const Q8_0> blocks, std::size_t n, std::size_t k) : n_(n), k_(k) {
  if (k % 32) refuse("PackedLowBits", "depth " + std::to_string(k) + " is no multiple of 32");
  check_size(blocks.size(), n, k / 32, "blocks");
  storage_ = make_storage(WeightFormat::group8, n, k, 32);
  storage_->constant_zero = 128;
  std::vector<std::uint8_t> codes(k);
  std::vector<f16> scales(k / 32);
  const std::vector<std::uint8_t> zeros(k / 32, 128);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t b = 0; b < k / 32; ++b) {
      const Q8_0& block = blocks[j * (k / 32) + b];
      scales[b] = block.scale;
      for (std::size_t i = 0; i < 32; ++i) codes[32 * b + i] = static_cast<std::uint8_t>(block.codes[i] ^ 0x80);
    }
    put_column(*storage_, j, codes.data(), scales.data(), zeros.data());
  }
  clear_rest(*storage_, n, k);
}

PackedLowBits::PackedLowBits(std::span<const Q4_0> blocks, std::size_t n, std::size_t k) : n_(n), k_(k) {
  if (k % 32) refuse("PackedLowBits", "depth " + std::to_string(k) + " is no multiple of 32");
  check_size(blocks.size(), n, k / 32, "blocks");
  storage_ = make_storage(WeightFormat::group4, n, k, 32);
  storage_->constant_zero = 8;
  std::vector<std::uint8_t> codes(k);
  std::vector<f16> scales(k / 32);
  const std::vector<std::uint8_t> zeros(k / 32, 8);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t b = 0; b < k / 32; ++b) {
      const Q4_0& block = blocks[j * (k / 32) + b];
      scales[b] = block.scale;
      for (std::size_t i = 0; i < 16; ++i) {
        codes[32 * b + i] = block.codes[i] & 15;
        codes[32 * b + 16 + i] = block.codes[i] >> 4;
      }
    }
    put_column(*storage_, j, codes.data(), scales.data(), zeros.data());
  }
  clear_rest(*storage_, n, k);
}

PackedLowBits::PackedLowBits(std::span<const std::uint8_t> packed, std::size_t group, std::span<const f16> scales,
                             std::span<const std::uint8_t> zero_points, std::size_t n, std::size_t k)
    : n_(n), k_(k) {
  if ((group != 32 && group != 64 && group != 128) || k % group)
    refuse("PackedLowBits",
           "group " + std::to_string(group) + " is not 32, 64 or 128, or does not divide " + std::to_string(k));
  check_size(packed.size(), n, k / 2, "bytes");
  check_size(scales.size(), n, k / group, "scales");
  if (!zero_points.empty()) check_size(zero_points.size(), n, k / group, "zero points");
  if (std::ranges::any_of(zero_points, [](std::uint8_t zero) { return zero > 15; }))
    refuse("PackedLowBits", "a zero point is no code of 4 bits");
  storage_ = make_storage(WeightFormat::group4, n, k, group);
  storage_->constant_zero = zero_points.empty() ? 8 : 0;
  const std::size_t groups = k / group;
  std::vector<std::uint8_t> codes(k);
  const std::vector<std::uint8_t> eights(groups, 8);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < k; ++i) {
      const std::uint8_t byte = packed[j * (k / 2) + i / 32 * 16 + i % 16];
      codes[i] = i % 32 < 16 ? byte & 15 : byte >> 4;
    }
    put_column(*storage_, j, codes.data(), scales.data() + j * groups,
               zero_points.empty() ? eights.data() : zero_points.data() + j * groups);
  }
  clear_rest(*storage_, n, k);
}

PackedLowBits::PackedLowBits(std::span<const float> weights, TernaryPacking packing, std::size_t n, std::size_t k)
    : n_(n), k_(k) {
  check_size(weights.size(), n, k, "weights");
  if (k > kMaxTernaryDepth)
    refuse("PackedLowBits", "depth " + std::to_string(k) + " is more than " + std::to_string(kMaxTernaryDepth));
  const bool two_bits = packing == TernaryPacking::two_bits;
  storage_ =
      make_storage(two_bits ? WeightFormat::ternary2 : WeightFormat::ternary3, n, k, std::max<std::size_t>(k, 1));
  std::vector<std::uint8_t> packed(ternary_bytes(weights.size(), TernaryPacking::two_bits));
  const float scale = quantize_ternary(weights, TernaryPacking::two_bits, packed);
  storage_->col_scales.assign(rounded(n, storage_->ops->low_bits.tile_cols), scale);
  std::vector<std::uint8_t> codes(k + 20);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < k; ++i) {
      const std::size_t at = j * k + i;
      codes[i] = packed[at / 64 * 16 + at % 16] >> (2 * (at % 64 / 16)) & 3;
    }
    put_column(*storage_, j, codes.data(), nullptr, nullptr);
  }
  clear_rest(*storage_, n, k);
}

PackedLowBits::PackedLowBits(PackedLowBits&&) noexcept = default;
PackedLowBits& PackedLowBits::operator=(PackedLowBits&&) noexcept = default;
PackedLowBits::~PackedLowBits() = default;

std::size_t PackedLowBits::size_bytes() const noexcept { return storage_->bytes; }

void linear(std::span<const float> x, const PackedLowBits& w, std::span<float> c, std::span<const float> bias,
            Activation activation) {
  const PackedLowBits::Storage& s = w.storage();
  const std::size_t n = w.cols(), k = w.rows(), m = n ? c.size() / n : k ? x.size() / k : 0;
  if (n ? c.size() % n != 0 : !c.empty())
    refuse("linear", "c has " + std::to_string(c.size()) + " elements, not whole rows of " + std::to_string(n));
  if (k == 0 ? !x.empty() : x.size() / k != m || x.size() % k != 0)
    refuse("linear", "x has " + std::to_string(x.size()) + " elements, not " + std::to_string(m) + " rows of " +
                         std::to_string(k));
  if (!bias.empty() && bias.size() != n)
    refuse("linear", std::to_string(bias.size()) + " elements of bias for " + std::to_string(n) + " columns");
  if (activation != Activation::none && activation != Activation::relu)
    refuse("linear", "the activation must be none or relu");
  if (m == 0 || n == 0) return;
  if (k == 0) {
    for (std::size_t i = 0; i < c.size(); ++i) {
      const float y = bias.empty() ? 0.0f : bias[i % n];
      c[i] = activation == Activation::relu && !(y > 0) ? 0.0f : y;
    }
    return;
  }
  const std::size_t bytes = divide(nullptr, s, m, k).bytes;
  const Quantized q = divide(static_cast<char*>(thread_workspace(bytes)), s, m, k);
  const std::size_t per_row = k / s.group, count = m * per_row;
  quantize_dynamic_rows(x, QuantScheme::symmetric, std::span(q.codes, x.size()), std::span(q.scales, count),
                        std::span(q.zeros, count));
  const std::size_t code_bytes = s.ops->bytes_per_code;
  for (std::size_t i = 0; i < m; ++i) {
    char* const row = q.prepared + i * q.stride_bytes;
    std::memset(row + k * code_bytes, 0, q.stride_bytes - k * code_bytes);
    for (std::size_t g = 0; g < per_row; ++g)
      s.ops->prepare(reinterpret_cast<const std::uint8_t*>(q.codes) + i * k + g * s.group, s.group, 1, s.group, 0,
                     row + g * s.group * code_bytes, 0, q.sums + i * per_row + g);
  }
  const double operations = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const int threads = operations < kThreadOperations
                          ? 1
                          : static_cast<int>(std::min<double>(num_threads(), operations / kThreadOperations * 2));
  const std::size_t width = s.ops->low_bits.tile_cols;
  on_threads(threads, [&](int thread, int thread_count) {
    const Range cols = share(n, thread, thread_count, width);
    if (cols.begin == cols.end) return;
    LowBitsBlock block{};
    block.rows = m;
    block.cols = cols.end - cols.begin;
    block.groups = s.groups;
    block.bytes_in_depth = s.bytes_in_depth;
    block.x = q.prepared;
    block.x_stride_bytes = q.stride_bytes;
    block.x_sums = q.sums;
    block.x_scales = q.scales;
    block.x_stride_groups = per_row;
    block.w = s.panels.data() + cols.begin / width * s.panel_bytes;
    block.panel_bytes = s.panel_bytes;
    block.constant_zero = s.constant_zero;
    block.col_scales = s.col_scales.empty() ? nullptr : s.col_scales.data() + cols.begin;
    block.bias = bias.empty() ? nullptr : bias.data() + cols.begin;
    block.relu = activation == Activation::relu;
    block.c = c.data() + cols.begin;
    block.ldc = n;
    s.ops->low_bits.multiply[static_cast<std::size_t>(s.format)](block);
  });
}

}  // namespace pawl
