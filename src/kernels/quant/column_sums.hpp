// column_sums.hpp -- int8 weights as they lie -> sums of their columns, and what zero points of rows take off by them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/quant/int8_table.hpp"

namespace pawl {

/// out[j] = sum over p of weights[p * stride + j]: the product of a row of ones, by the kernels that multiply weights
/// as they lie. `ones`: depth and 3 bytes more to write. Loops compiled for any CPU took 10 times as long.
inline void sum_columns(const Int8Ops& ops, const std::int8_t* weights, std::size_t stride, std::size_t depth,
                        std::size_t cols, bool streamed, char* ones, std::int32_t* out) noexcept {
  std::fill_n(ones, depth, char{1});
  std::fill_n(ones + depth, 3, char{0});
  const auto count = static_cast<std::int32_t>(depth);
  const auto multiply = streamed ? ops.multiply_streamed : ops.multiply_unpacked;
  multiply({.rows = 1,
            .cols = cols,
            .depth = depth,
            .a = ones,
            .a_stride_bytes = depth,
            .b = weights,
            .ldb = stride,
            .row_sums = &count,
            .c = out,
            .ldc = cols,
            .asks = false});
}

/// c[i, j] -= zeros[i] * sums[j], modulo 2^32.
inline void take_off_zeros(const std::int32_t* zeros, const std::int32_t* sums, std::size_t rows, std::size_t cols,
                           std::int32_t* c, std::size_t ldc) noexcept {
  for (std::size_t i = 0; i < rows; ++i) {
    const auto zero = static_cast<std::uint32_t>(zeros[i]);
    if (zero == 0) continue;
    for (std::size_t j = 0; j < cols; ++j) {
      const std::uint32_t off = zero * static_cast<std::uint32_t>(sums[j]);
      c[i * ldc + j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(c[i * ldc + j]) - off);
    }
  }
}

}  // namespace pawl
