// with_extent.hpp -- a Shape, one of its axes and an extent -> the Shape with that extent there.
#pragma once
#include <array>
#include <cstddef>
#include <span>

#include "pawl/view.hpp"

namespace pawl {

inline Shape with_extent(const Shape& shape, std::size_t axis, std::size_t extent) {
  std::array<std::size_t, kMaxRank> extents{};
  for (std::size_t d = 0; d < shape.rank(); ++d) extents[d] = d == axis ? extent : shape[d];
  return Shape(std::span<const std::size_t>(extents.data(), shape.rank()));
}

}  // namespace pawl
