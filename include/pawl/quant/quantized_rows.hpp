// quantized_rows.hpp -- the rows of codes that integer products take as activations.
#pragma once
#include <cstdint>
#include <span>

namespace pawl {

/// Row-major [rows, k] of codes with the meaning x = scale * (code - zero_point), per row or one for all.
template <class Q>
struct QuantizedRows {
  std::span<const Q> codes;
  std::span<const float> scales;              ///< 1 or `rows`; not read for products in i32
  std::span<const std::int32_t> zero_points;  ///< none (0; uint8: 128), 1 or `rows`
};

}  // namespace pawl
