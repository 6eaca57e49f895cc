// low_bits_storage.hpp -- what PackedLowBits holds: panels of packed weights, and how they are laid out.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/quant/int8_product.hpp"
#include "kernels/quant/panel_memory.hpp"
#include "pawl/quant/low_bits_matmul.hpp"

namespace pawl {

struct PackedLowBits::Storage {
  const Int8Ops* ops;
  WeightFormat format;
  PanelMemory panels;
  std::size_t group;           ///< codes of x with a scale of their own; k for ternary
  std::size_t groups;          ///< of scales of w; 1 for ternary
  std::size_t bytes_in_depth;  ///< of a column in a group
  std::size_t panel_bytes, bytes;
  std::vector<float> col_scales;  ///< ternary only

  bool is_ternary() const noexcept { return format == WeightFormat::ternary2 || format == WeightFormat::ternary3; }
  /// The zero point that all groups have; 1 where they have their own, which are multiples of it.
  std::int32_t common_zero() const noexcept {
    return format == WeightFormat::group8 ? 128 : format == WeightFormat::group4 ? 8 : 1;
  }
};

}  // namespace pawl
