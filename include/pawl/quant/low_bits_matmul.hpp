// low_bits_matmul.hpp -- linear layers with weights of 8, 4, 2 or 1.6 bits: packed once, multiplied with rows of f32.
//
// Activations are quantized on the way to int8, symmetric, with a scale per group of the weights (ternary: per row), so
// that products are sums of whole numbers. Every variant gives the same bits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "pawl/activation.hpp"
#include "pawl/quant/low_bits.hpp"
#include "pawl/quant/quantized_rows.hpp"

namespace pawl {

/// Depth up to which ternary sums fit into i32 together with the factor 256 of their packing.
inline constexpr std::size_t kMaxTernaryDepth = 32767;

/// Weights [n, k], each output's k weights one after another (as a linear layer has them), in the order in which
/// products read them. Immutable: any number of threads may multiply with it, and copies share what was packed. Packed
/// for the variant active when it is made.
///
/// Cost       reads the weights once; size_bytes() is what a product reads: per weight 1 + 2 / group bytes (8 bits),
///            1/2 + 2 / group (4 bits; with zero points 1/2 + 3 / group), 1/4 or 1/5 (ternary), columns rounded up to
///            whole panels.
/// Errors     std::invalid_argument if sizes do not fit, k is no multiple of the group, or ternary k is above
///            kMaxTernaryDepth; std::bad_alloc.
class PackedLowBits {
 public:
  /// Blocks [n, k / 32].
  PackedLowBits(std::span<const Q8_0> blocks, std::size_t n, std::size_t k);
  PackedLowBits(std::span<const Q4_0> blocks, std::size_t n, std::size_t k);
  /// Codes as quantize_int4() makes them of [n, k].
  PackedLowBits(std::span<const std::uint8_t> codes, std::size_t group, std::span<const f16> scales,
                std::span<const std::uint8_t> zero_points, std::size_t n, std::size_t k);
  /// f32 weights made ternary on the way as quantize_ternary() does, with one scale for all.
  PackedLowBits(std::span<const float> weights, TernaryPacking packing, std::size_t n, std::size_t k);

  std::size_t rows() const noexcept { return k_; }
  std::size_t cols() const noexcept { return n_; }
  std::size_t size_bytes() const noexcept;

  struct Storage;
  const Storage& storage() const noexcept { return *storage_; }

 private:
  std::size_t n_, k_;
  std::shared_ptr<const Storage> storage_;
};

/// c[i, j] = activation(sum over p of x[i, p] * w[j, p] + bias[j]), x quantized as said above.
///
/// Shapes     x [m, k], c [m, n], bias [n] or empty.
/// Accuracy   exact in the codes but for the f32 sum over groups; the quantization of x adds at most
///            sum over p of |w[j, p]| * max |x of the group (row)| / 254 * (1 + 2^-10).
/// Cost       2 m n k operations; reads the weights once per 4 rows of x.
/// Errors     std::invalid_argument if the sizes do not fit, or activation is neither none nor relu; std::bad_alloc.
/// Reference  pawl::reference::group_product, pawl::reference::int8_product
void linear(std::span<const float> x, const PackedLowBits& w, std::span<float> c, std::span<const float> bias = {},
            Activation activation = Activation::none);

/// The same with activations that are int8 already:
/// c[i, j] = activation(scale of row i * sum over p of a[i, p] * w[j, p] + bias[j]), their zero points 0.
///
/// Accuracy   exact in the codes but for the f32 sum over groups. Every variant gives the same bits.
/// Errors     as above; also if there is not one scale or one per row, one is not finite and positive, or a zero point
///            is not 0.
/// Reference  as above.
void matmul(const QuantizedRows<std::int8_t>& a, const PackedLowBits& w, std::span<float> c,
            std::span<const float> bias = {}, Activation activation = Activation::none);

}  // namespace pawl
