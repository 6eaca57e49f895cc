// half_matmul.hpp -- products of bf16 or f16 matrices, summed in f32.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "pawl/activation.hpp"
#include "pawl/quant/half.hpp"

namespace pawl {

/// Weights [k, n] of bf16 or f16, packed once for many products. `transposed`: they lie as [n, k].
///
/// Both stay 16 bits where the active variant is avx2 or avx512. avx512 with AVX512-BF16 multiplies bf16 as such, in
/// pairs; otherwise weights are widened to f32 as they are loaded, which is exact. Lower variants keep them as f32.
///
/// Errors     std::invalid_argument if weights.size() is not k * n; std::bad_alloc.
class PackedHalf {
 public:
  PackedHalf(std::span<const bf16> weights, std::size_t k, std::size_t n, bool transposed = false);
  PackedHalf(std::span<const f16> weights, std::size_t k, std::size_t n, bool transposed = false);

  std::size_t rows() const noexcept { return k_; }
  std::size_t cols() const noexcept { return n_; }
  std::size_t size_bytes() const noexcept;
  bool uses_dot_products() const noexcept;

  struct Storage;
  const Storage& storage() const noexcept { return *storage_; }

 private:
  std::size_t k_, n_;
  std::shared_ptr<const Storage> storage_;
};

/// c[i, j] = activation(sum over p of a[i, p] * b[p, j] + bias[j]).
///
/// Shapes     a [m, k], c [m, n] row-major, bias [n] or empty; m = c.size() / n.
/// Types      a bf16 or f16, sums and c f32. Products of two bf16 (f16) are exact in f32.
/// Accuracy   |c - exact| <= (k + 3) * 2^-23 * (sum over p of |a[i, p] * b[p, j]| + |bias[j]|) + k * 2^-124. Where b
///            uses dot products, the last part is times the largest |a[i, p]| or |b[p, j]| if that is above 1, and
///            infinity times a denormal is NaN: the instruction takes denormals, of its operands and of its sums, as 0.
/// Cost       2 m n k flop.
/// Errors     std::invalid_argument if the sizes do not fit, a is f16 and b was packed from bf16 for dot products
///            (uses_dot_products), or activation is neither none nor relu; std::bad_alloc.
/// Reference  a sum in double of the products of the values.
void matmul(std::span<const bf16> a, const PackedHalf& b, std::span<float> c, std::span<const float> bias = {},
            Activation activation = Activation::none);
void matmul(std::span<const f16> a, const PackedHalf& b, std::span<float> c, std::span<const float> bias = {},
            Activation activation = Activation::none);

}  // namespace pawl
