// int8_matmul.cpp -- include/pawl/quant/int8_matmul.hpp: argument checks, packing, and the products.
#include "pawl/quant/int8_matmul.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa/active.hpp"
#include "kernels/matmul/workspace.hpp"
#include "kernels/quant/int8_product.hpp"
#include "kernels/quant/panel_memory.hpp"

namespace pawl {

struct PackedInt8::Storage {
  const Int8Ops* ops;
  PanelMemory panels;
  bool columns;                                        // a few of them, which the panels hold along the depth
  std::vector<std::int32_t> col_weights, col_offsets;  // up to a whole panel, as Int8Block says
  std::vector<float> col_scales;
  bool symmetric;
  std::size_t bytes;
};

namespace {

[[noreturn, gnu::cold]] void refuse(const char* function, const std::string& why) {
  throw std::invalid_argument(std::string(function) + ": " + why);
}

std::string text(std::size_t value) { return std::to_string(value); }

std::size_t rounded(std::size_t n, std::size_t step) noexcept { return (n + step - 1) / step * step; }

void check_depth(const char* function, std::size_t k) {
  if (k > kMaxInt8Depth)
    refuse(function, "depth " + text(k) + " is more than " + text(kMaxInt8Depth) + ": i32 would overflow");
}

// b.size() == k * n without overflow.
void check_weights(const char* function, std::size_t size, std::size_t k, std::size_t n) {
  if (k == 0 || n == 0 ? size != 0 : size / k != n || size % k != 0)
    refuse(function, text(size) + " weights are not " + text(k) + " x " + text(n));
}

template <class Q>
void check_zero_points(const char* function, std::span<const std::int32_t> zero_points, std::size_t count) {
  if (zero_points.size() > 1 && zero_points.size() != count)
    refuse(function, text(zero_points.size()) + " zero points for " + text(count));
  for (const std::int32_t zero : zero_points)
    if (zero < std::numeric_limits<Q>::min() || zero > std::numeric_limits<Q>::max())
      refuse(function, "zero point " + std::to_string(zero) + " is not a code");
}

void check_scales(const char* function, std::span<const float> scales, std::size_t count) {
  if (scales.size() > 1 && scales.size() != count) refuse(function, text(scales.size()) + " scales for " + text(count));
  for (const float scale : scales)
    if (!(scale > 0) || std::isinf(scale))
      refuse(function, "scale " + std::to_string(scale) + " is not finite and positive");
}

// The rows of c [m, n] for codes [m, k].
std::size_t check_rows(std::size_t codes, std::size_t k, std::size_t n, std::size_t c) {
  const std::size_t m = n ? c / n : k ? codes / k : 0;
  if (n ? c % n != 0 : c != 0) refuse("matmul", "c has " + text(c) + " elements, not whole rows of " + text(n));
  if (k == 0 || m == 0 ? codes != 0 : codes / k != m || codes % k != 0)
    refuse("matmul", text(codes) + " codes are not " + text(m) + " rows of " + text(k));
  return m;
}

template <class Q>
Int8Product product_of(const QuantizedRows<Q>& a, const PackedInt8& b, std::size_t c_elements) {
  const PackedInt8::Storage& s = b.storage();
  Int8Product x{};
  x.ops = s.ops;
  x.n = b.cols();
  x.k = b.rows();
  x.lda = x.k;
  x.m = check_rows(a.codes.size(), x.k, x.n, c_elements);
  check_zero_points<Q>("matmul", a.zero_points, x.m);
  x.a = reinterpret_cast<const std::uint8_t*>(a.codes.data());
  x.flip = std::numeric_limits<Q>::is_signed ? 0 : 0x80;
  x.a_zeros = a.zero_points.data();
  x.a_zero_count = a.zero_points.size();
  x.a_zero_default = std::numeric_limits<Q>::is_signed ? 0 : 128;
  x.b = s.panels.data();
  x.columns = s.columns ? reinterpret_cast<const std::int8_t*>(s.panels.data()) : nullptr;
  x.col_weights = s.col_weights.data();
  x.col_offsets = s.col_offsets.data();
  x.col_scales = s.col_scales.data();
  x.b_symmetric = s.symmetric;
  return x;
}

void run(const Int8Product& x) {
  if (x.m == 0 || x.n == 0) return;
  multiply(x, static_cast<char*>(thread_workspace(workspace_bytes(x))));
}

template <class Q>
void call_matmul(const QuantizedRows<Q>& a, const PackedInt8& b, std::span<std::int32_t> c) {
  Int8Product x = product_of(a, b, c.size());
  x.c_s32 = c.data();
  run(x);
}

void set_end(Int8Product& x, std::span<const float> bias, Activation activation, std::span<float> c) {
  if (!bias.empty() && bias.size() != x.n)
    refuse("matmul", text(bias.size()) + " elements of bias for " + text(x.n) + " columns");
  if (activation != Activation::none && activation != Activation::relu)
    refuse("matmul", "the activation must be none or relu");
  x.bias = bias.empty() ? nullptr : bias.data();
  x.relu = activation == Activation::relu;
  x.c_f32 = c.data();
}

template <class Q>
void call_matmul(const QuantizedRows<Q>& a, const PackedInt8& b, std::span<float> c, std::span<const float> bias,
                 Activation activation) {
  Int8Product x = product_of(a, b, c.size());
  if (a.scales.empty() && x.m > 0) refuse("matmul", "no scale of a");
  check_scales("matmul", a.scales, x.m);
  x.a_scales = a.scales.data();
  x.a_scale_count = a.scales.size();
  set_end(x, bias, activation, c);
  run(x);
}

}  // namespace

PackedInt8::PackedInt8(std::span<const std::int8_t> weights, std::size_t k, std::size_t n, bool transposed,
                       std::span<const float> scales, std::span<const std::int32_t> zero_points)
    : k_(k), n_(n) {
  constexpr const char* kFunction = "PackedInt8";
  check_weights(kFunction, weights.size(), k, n);
  check_depth(kFunction, k);
  check_scales(kFunction, scales, n);
  check_zero_points<std::int8_t>(kFunction, zero_points, n);
  const auto storage = std::make_shared<Storage>();
  Storage& s = *storage;
  s.ops = &int8_ops(detail::active_isa_inline());
  const std::size_t cols = rounded(n, s.ops->tile_cols);
  s.col_weights.assign(cols, 128);
  s.col_offsets.assign(cols, 0);
  s.col_scales.assign(cols, 1);
  s.symmetric = true;
  if (transposed) {
    s.ops->prepare(reinterpret_cast<const std::uint8_t*>(weights.data()), k, n, k, 0, nullptr, 0, s.col_offsets.data());
  } else {
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t j = 0; j < n; ++j) s.col_offsets[j] += weights[p * n + j];
  }
  for (std::size_t j = 0; j < n; ++j) {
    const std::int32_t zero = zero_points.empty() ? 0 : zero_points[zero_points.size() == 1 ? 0 : j];
    s.col_weights[j] += zero;
    s.col_offsets[j] -= static_cast<std::int32_t>(k) * zero;
    s.symmetric = s.symmetric && zero == 0;
    if (!scales.empty()) s.col_scales[j] = scales[scales.size() == 1 ? 0 : j];
  }
  s.columns = s.symmetric && takes_columns(*s.ops, n, k);
  s.bytes = s.columns ? n * column_stride(k) : cols * rounded(k, 4);
  s.panels = PanelMemory(s.bytes);
  if (!s.columns) {
    s.ops->pack(weights.data(), transposed ? k : n, transposed, k, n, s.panels.data());
  } else if (transposed) {
    for (std::size_t j = 0; j < n; ++j) {
      std::uint8_t* const column = s.panels.data() + j * column_stride(k);
      std::memcpy(column, weights.data() + j * k, k);
      std::memset(column + k, 0, column_stride(k) - k);
    }
  } else {
    s.ops->gather_columns(weights.data(), k, n, reinterpret_cast<std::int8_t*>(s.panels.data()), column_stride(k),
                          s.col_offsets.data());
  }
  storage_ = storage;
}

std::size_t PackedInt8::size_bytes() const noexcept { return storage_->bytes; }

PackedInt8 quantize_weights(std::span<const float> weights, std::size_t k, std::size_t n, bool transposed) {
  check_weights("quantize_weights", weights.size(), k, n);
  check_depth("quantize_weights", k);
  std::vector<float> scales(n);
  std::vector<std::int8_t> codes(weights.size());
  if (transposed) {
    std::vector<std::int32_t> zeros(n);
    quantize_dynamic_rows(weights, QuantScheme::symmetric, codes, scales, zeros);
  } else {
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t j = 0; j < n; ++j) {
        const float w = std::fabs(weights[p * n + j]);
        scales[j] = std::max(scales[j], w <= std::numeric_limits<float>::max() ? w : 0.0f);
      }
    for (float& most : scales) most = choose_params_s8(-most, most, QuantScheme::symmetric).scale;
    quantize_columns(weights, scales, {}, std::span<std::int8_t>(codes));
  }
  return {codes, k, n, transposed, scales};
}

void matmul(const QuantizedRows<std::int8_t>& a, const PackedInt8& b, std::span<std::int32_t> c) {
  call_matmul(a, b, c);
}
void matmul(const QuantizedRows<std::uint8_t>& a, const PackedInt8& b, std::span<std::int32_t> c) {
  call_matmul(a, b, c);
}
void matmul(const QuantizedRows<std::int8_t>& a, const PackedInt8& b, std::span<float> c, std::span<const float> bias,
            Activation activation) {
  call_matmul(a, b, c, bias, activation);
}
void matmul(const QuantizedRows<std::uint8_t>& a, const PackedInt8& b, std::span<float> c, std::span<const float> bias,
            Activation activation) {
  call_matmul(a, b, c, bias, activation);
}

void linear(std::span<const float> x, const PackedInt8& b, std::span<float> c, std::span<const float> bias,
            Activation activation) {
  // The product is set up before the codes are made, since both live in the thread's one workspace.
  Int8Product product = product_of<std::int8_t>({}, b, 0);
  product.m = check_rows(x.size(), product.k, product.n, c.size());
  set_end(product, bias, activation, c);
  if (product.m == 0 || product.n == 0) return;
  const std::size_t m = product.m, codes = rounded(x.size(), 64), numbers = rounded(4 * m, 64);
  product.a_scale_count = m;
  char* const workspace = static_cast<char*>(thread_workspace(codes + 2 * numbers + workspace_bytes(product)));
  const std::span<std::int8_t> q(reinterpret_cast<std::int8_t*>(workspace), x.size());
  const std::span<float> scales(reinterpret_cast<float*>(workspace + codes), m);
  const std::span<std::int32_t> zeros(reinterpret_cast<std::int32_t*>(workspace + codes + numbers), m);
  quantize_dynamic_rows(x, QuantScheme::symmetric, q, scales, zeros);
  product.a = reinterpret_cast<const std::uint8_t*>(q.data());
  product.a_scales = scales.data();
  multiply(product, workspace + codes + 2 * numbers);
}

void matmul(const QuantizedRows<std::int8_t>& a, std::span<const std::int8_t> b, std::size_t k, std::size_t n,
            std::span<std::int32_t> c) {
  check_weights("matmul", b.size(), k, n);
  check_depth("matmul", k);
  const Int8Ops& ops = int8_ops(detail::active_isa_inline());
  const std::size_t m = check_rows(a.codes.size(), k, n, c.size());
  check_zero_points<std::int8_t>("matmul", a.zero_points, m);
  if (m == 0 || n == 0) return;
  Int8Product x{};
  x.ops = &ops;
  x.m = m;
  x.n = n;
  x.k = k;
  x.lda = k;
  x.a = reinterpret_cast<const std::uint8_t*>(a.codes.data());
  x.a_zeros = a.zero_points.data();
  x.a_zero_count = a.zero_points.size();
  x.b_symmetric = true;
  x.c_s32 = c.data();
  multiply_unpacked(x, b.data(), static_cast<char*>(thread_workspace(workspace_bytes_unpacked(x))));
}

}  // namespace pawl
