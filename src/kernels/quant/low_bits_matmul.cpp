// low_bits_matmul.cpp -- include/pawl/quant/low_bits_matmul.hpp: codes of activations, and products on threads.
#include "pawl/quant/low_bits_matmul.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "kernels/matmul/workspace.hpp"
#include "kernels/quant/low_bits_storage.hpp"
#include "kernels/quant/threads.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"

namespace pawl {
namespace {

[[noreturn, gnu::cold]] void refuse(const char* function, const std::string& why) {
  throw std::invalid_argument(std::string(function) + ": " + why);
}

std::size_t rounded(std::size_t n, std::size_t step) noexcept { return (n + step - 1) / step * step; }

// What goes into a product beside its activations, checked.
struct Call {
  const PackedLowBits& w;
  std::size_t m, groups;  // of a row of x
  const float* bias;
  bool relu;
  float* c;
};

Call checked(const char* function, std::size_t x, const PackedLowBits& w, std::span<float> c,
             std::span<const float> bias, Activation activation) {
  const std::size_t n = w.cols(), k = w.rows(), m = n ? c.size() / n : k ? x / k : 0;
  if (n ? c.size() % n != 0 : !c.empty())
    refuse(function, "c has " + std::to_string(c.size()) + " elements, not whole rows of " + std::to_string(n));
  if (k == 0 ? x != 0 : x / k != m || x % k != 0)
    refuse(function,
           "x has " + std::to_string(x) + " elements, not " + std::to_string(m) + " rows of " + std::to_string(k));
  if (!bias.empty() && bias.size() != n)
    refuse(function, std::to_string(bias.size()) + " elements of bias for " + std::to_string(n) + " columns");
  if (activation != Activation::none && activation != Activation::relu)
    refuse(function, "the activation must be none or relu");
  return {.w = w,
          .m = m,
          .groups = k / w.storage().group,
          .bias = bias.empty() ? nullptr : bias.data(),
          .relu = activation == Activation::relu,
          .c = c.data()};
}

// Nothing in depth: the bias alone.
void put_bias(const Call& call) noexcept {
  const std::size_t n = call.w.cols();
  for (std::size_t i = 0; i < call.m * n; ++i) {
    const float y = call.bias ? call.bias[i % n] : 0.0f;
    call.c[i] = call.relu && y < 0 ? 0.0f : y;
  }
}

// The parts of a workspace for m rows of activations.
struct Quantized {
  std::int8_t* codes;
  float* scales;
  std::int32_t *zeros, *sums;
  char* prepared;
  std::size_t stride_bytes, bytes;
};

Quantized divide(char* workspace, const Call& call) {
  const std::size_t k = call.w.rows(), numbers = rounded(4 * call.m * call.groups, 64);
  Quantized q{};
  // Whole steps of 20 codes at most, and an odd number of lines between rows.
  q.stride_bytes = (rounded((k + 32) * call.w.storage().ops->bytes_per_code, 64) / 64 | 1) * 64;
  std::size_t at = 0;
  const auto take = [&](std::size_t bytes) {
    char* const part = workspace ? workspace + at : nullptr;
    at += bytes;
    return part;
  };
  q.codes = reinterpret_cast<std::int8_t*>(take(rounded(call.m * k, 64)));
  q.scales = reinterpret_cast<float*>(take(numbers));
  q.zeros = reinterpret_cast<std::int32_t*>(take(numbers));
  q.sums = reinterpret_cast<std::int32_t*>(take(numbers));
  q.prepared = take(call.m * q.stride_bytes);
  q.bytes = at;
  return q;
}

Quantized workspace_for(const Call& call) {
  return divide(static_cast<char*>(thread_workspace(divide(nullptr, call).bytes)), call);
}

// Rows of codes in the order in which products read them, and the sums of their groups.
void prepare(const Call& call, const std::int8_t* codes, const Quantized& q) noexcept {
  const PackedLowBits::Storage& s = call.w.storage();
  const std::size_t k = call.w.rows(), code_bytes = s.ops->bytes_per_code;
  for (std::size_t i = 0; i < call.m; ++i) {
    char* const row = q.prepared + i * q.stride_bytes;
    std::memset(row + k * code_bytes, 0, q.stride_bytes - k * code_bytes);
    // The groups of a row are rows of their own to what prepares them. Where codes of a byte are multiplied as they
    // are, a copy and the sums of four groups at a time take 0.2 of the time (groups of 32, Zen 4).
    const auto* const from = reinterpret_cast<const std::uint8_t*>(codes) + i * k;
    if (code_bytes == 1) std::memcpy(row, from, k);
    s.ops->prepare(from, s.group, call.groups, s.group, 0, code_bytes == 1 ? nullptr : row, s.group * code_bytes,
                   q.sums + i * call.groups);
  }
  // Zero points are taken off by what the sums begin with.
  if (!s.is_ternary())
    for (std::size_t i = 0; i < call.m * call.groups; ++i) q.sums[i] *= -s.common_zero();
}

// Whether one row of activations asks for weights ahead. On a Zen 4 (AVX-512 without AVX-VNNI) its loop is faster where
// it does not: codes of 4 bits from L3 1.15 (groups of 32) to 1.3 times (128), from memory 1.0 to 1.1. On a Zen 5,
// which has AVX-VNNI, they were 1.2 times as fast where it does.
bool one_row_asks() noexcept {
  const CpuFeatures& cpu = cpu_features();
  return !cpu.avx512vnni || cpu.avxvnni;
}

void multiply(const Call& call, const Quantized& q) {
  const PackedLowBits::Storage& s = call.w.storage();
  const std::size_t n = call.w.cols();
  constexpr double kWorthThread = 1 << 20;  // operations
  const auto [threads, wake] = product_threads(call.m, n, call.w.rows(), kWorthThread);
  const std::size_t width = s.ops->low_bits.tile_cols;
  on_threads(
      threads,
      [&](int thread, int thread_count) {
        const Range cols = share(n, thread, thread_count, width);
        if (cols.begin == cols.end) return;
        LowBitsBlock block{};
        block.rows = call.m;
        block.cols = cols.end - cols.begin;
        block.groups = s.groups;
        block.bytes_in_depth = s.bytes_in_depth;
        block.x = q.prepared;
        block.x_stride_bytes = q.stride_bytes;
        block.x_sums = q.sums;
        block.x_scales = q.scales;
        block.x_stride_groups = call.groups;
        block.w = s.panels.data() + cols.begin / width * s.panel_bytes;
        block.panel_bytes = s.panel_bytes;
        block.col_scales = s.col_scales.empty() ? nullptr : s.col_scales.data() + cols.begin;
        block.bias = call.bias ? call.bias + cols.begin : nullptr;
        block.relu = call.relu;
        block.one_row_asks = one_row_asks();
        block.c = call.c + cols.begin;
        block.ldc = n;
        s.ops->low_bits.multiply[static_cast<std::size_t>(s.format)](block);
      },
      wake);
}

}  // namespace

void linear(std::span<const float> x, const PackedLowBits& w, std::span<float> c, std::span<const float> bias,
            Activation activation) {
  const Call call = checked("linear", x.size(), w, c, bias, activation);
  if (call.m == 0 || w.cols() == 0) return;
  if (w.rows() == 0) return put_bias(call);
  const Quantized q = workspace_for(call);
  const std::size_t count = call.m * call.groups;
  quantize_dynamic_rows(x, QuantScheme::symmetric, std::span(q.codes, x.size()), std::span(q.scales, count),
                        std::span(q.zeros, count));
  prepare(call, q.codes, q);
  multiply(call, q);
}

void matmul(const QuantizedRows<std::int8_t>& a, const PackedLowBits& w, std::span<float> c,
            std::span<const float> bias, Activation activation) {
  const Call call = checked("matmul", a.codes.size(), w, c, bias, activation);
  if (a.scales.size() != 1 && a.scales.size() != call.m)
    refuse("matmul", std::to_string(a.scales.size()) + " scales for " + std::to_string(call.m) + " rows");
  for (const float scale : a.scales)
    if (!(scale > 0) || std::isinf(scale))
      refuse("matmul", "scale " + std::to_string(scale) + " is not finite and positive");
  if (std::ranges::any_of(a.zero_points, [](std::int32_t zero) { return zero != 0; }))
    refuse("matmul", "a zero point of a is not 0");
  if (call.m == 0 || w.cols() == 0) return;
  if (w.rows() == 0) return put_bias(call);
  const Quantized q = workspace_for(call);
  for (std::size_t i = 0; i < call.m; ++i)
    std::fill_n(q.scales + i * call.groups, call.groups, a.scales[a.scales.size() == 1 ? 0 : i]);
  prepare(call, a.codes.data(), q);
  multiply(call, q);
}

}  // namespace pawl
