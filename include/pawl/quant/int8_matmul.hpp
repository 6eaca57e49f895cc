// int8_matmul.hpp -- products of 8-bit codes and packed 8-bit weights, exact in i32 or scaled to f32.
//
// Every variant gives the same bits: sums are whole numbers, and what follows them is a fixed sequence of f32
// operations, each rounded once, none fused.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "pawl/activation.hpp"
#include "pawl/quant/affine.hpp"
#include "pawl/quant/quantized_rows.hpp"

namespace pawl {

/// Depth up to which a sum of products of codes fits into i32: 255 * 255 * 33025 < 2^31.
inline constexpr std::size_t kMaxInt8Depth = 33025;

/// Weights [k, n] of int8, with a scale and a zero point for all or per column, packed once for many products.
///
/// Packed for the variant that is active when it is made. Immutable: any number of threads may multiply with it, and
/// copies share what was packed. `transposed`: the weights lie as [n, k], as those of a linear layer do.
///
/// Cost       reads k n bytes and writes them, up to whole panels of columns and groups of 4 in depth.
/// Errors     std::invalid_argument if weights.size() is not k * n, k > kMaxInt8Depth, scales.size() is not 0 (all
///            1), 1 or n, zero_points.size() not 0 (all 0), 1 or n, a scale is not finite and positive, or a zero point
///            is no code; std::bad_alloc.
class PackedInt8 {
 public:
  PackedInt8(std::span<const std::int8_t> weights, std::size_t k, std::size_t n, bool transposed = false,
             std::span<const float> scales = {}, std::span<const std::int32_t> zero_points = {});

  std::size_t rows() const noexcept { return k_; }
  std::size_t cols() const noexcept { return n_; }
  std::size_t size_bytes() const noexcept;

  struct Storage;
  const Storage& storage() const noexcept { return *storage_; }

 private:
  std::size_t k_, n_;
  std::shared_ptr<const Storage> storage_;
};

/// Row-wise symmetric weights: f32 [k, n] -> PackedInt8 with one scale per column, max |w| / 127.
///
/// Errors     std::invalid_argument if weights.size() is not k * n; std::bad_alloc.
PackedInt8 quantize_weights(std::span<const float> weights, std::size_t k, std::size_t n, bool transposed = false);

/// c[i, j] = sum over p of (a[i, p] - zero point of a) * (b[p, j] - zero point of b).
///
/// Shapes     a [m, k], b [k, n], c [m, n] row-major; m = c.size() / n.
/// Accuracy   exact. No variant differs.
/// Cost       2 m n k operations; allocates nothing once the calling thread's workspace has grown.
/// Errors     std::invalid_argument if the sizes do not fit or a zero point is no code; std::bad_alloc.
/// Reference  pawl::reference::int8_product
void matmul(const QuantizedRows<std::int8_t>& a, const PackedInt8& b, std::span<std::int32_t> c);
void matmul(const QuantizedRows<std::uint8_t>& a, const PackedInt8& b, std::span<std::int32_t> c);

/// c[i, j] = max(f32(sum as above) * scale of row i * scale of column j + bias[j], 0 if relu), in this order.
///
/// Shapes     as above; bias [n] or empty.
/// Accuracy   the sum is exact; four roundings to f32 (conversion, two products, the bias): with y the result before
///            the bias, |c - exact| <= 2^-22 |y| + 2^-24 |y + bias|. Every variant gives the same bits.
/// Errors     as above; also if activation is neither none nor relu.
/// Reference  pawl::reference::int8_product
void matmul(const QuantizedRows<std::int8_t>& a, const PackedInt8& b, std::span<float> c,
            std::span<const float> bias = {}, Activation activation = Activation::none);
void matmul(const QuantizedRows<std::uint8_t>& a, const PackedInt8& b, std::span<float> c,
            std::span<const float> bias = {}, Activation activation = Activation::none);

/// A linear layer with activations in f32: each row of x is quantized on the way (quantize_dynamic_rows, symmetric),
/// multiplied, scaled, and finished as above.
///
/// Shapes     x [m, k], c [m, n], bias [n] or empty.
/// Accuracy   per element |c - x w| <= k * (max |x row| / 254 * max |w| + max |x row| * scale of the column / 2)
///            where w are the weights before they were quantized: half a step of each factor, and the smaller product
///            of both.
/// Errors     as above.
void linear(std::span<const float> x, const PackedInt8& b, std::span<float> c, std::span<const float> bias = {},
            Activation activation = Activation::none);

/// The same for weights that are used once: packed in the thread's workspace on the way. b [k, n] row-major, zero
/// points 0.
///
/// Errors     as above.
void matmul(const QuantizedRows<std::int8_t>& a, std::span<const std::int8_t> b, std::size_t k, std::size_t n,
            std::span<std::int32_t> c);

}  // namespace pawl
