// int8_product.hpp -- which entries multiply codes on this machine, and a checked product before it is divided.
#pragma once
#include <atomic>
#include <cstdint>

#include "kernels/quant/int8_table.hpp"
#include "pawl/isa.hpp"

namespace pawl {

/// Whether dot-product instructions may be used where the CPU has them: true, but for tests and benches that compare.
std::atomic<bool>& dot_products_allowed() noexcept;

/// The entries of `isa`, with dot-product instructions if the CPU has them and they are allowed.
const Int8Ops& int8_ops(Isa isa) noexcept;

/// A product whose arguments have been checked; zero points are those of the prepared (signed) codes.
struct Int8Product {
  const Int8Ops* ops;
  std::size_t m, n, k;
  const std::uint8_t* a;  ///< codes [m, k]
  std::size_t lda;
  std::uint8_t flip;      ///< 0x80 if they are unsigned
  const float* a_scales;  ///< [m] or [1]
  std::size_t a_scale_count;
  const std::int32_t* a_zeros;
  std::size_t a_zero_count;
  std::int32_t a_zero_default;
  const std::uint8_t* b;
  const std::int8_t* columns;  ///< or null: instead of b, a few columns of weights without zero points
  const std::int32_t *col_weights, *col_offsets;
  const float* col_scales;
  bool b_symmetric;
  const float* bias;
  bool relu;
  std::int32_t* c_s32;
  float* c_f32;
};

/// Bytes of workspace that multiply() needs, a multiple of 64.
std::size_t workspace_bytes(const Int8Product& x) noexcept;

/// Whether a product with so many columns of weights without zero points takes them along the depth, and the bytes from
/// one column to the next.
bool takes_columns(const Int8Ops& ops, std::size_t n, std::size_t k) noexcept;
std::size_t column_stride(std::size_t k) noexcept;

/// Computes it, on threads where it is large enough.
void multiply(const Int8Product& x, char* workspace);

/// The same with weights [k, n] as they lie, to i32: x.b, its arrays and those of its columns are not used.
std::size_t workspace_bytes_unpacked(const Int8Product& x) noexcept;
void multiply_unpacked(const Int8Product& x, const std::int8_t* weights, char* workspace);

}  // namespace pawl
