// all_axes.hpp -- a shape -> the numbers of its axes, all of them.
#pragma once
#include <cstddef>
#include <numeric>
#include <vector>

#include "pawl/view.hpp"

namespace pawl::fft {

inline std::vector<std::size_t> all_axes(const Shape& shape) {
  std::vector<std::size_t> axes(shape.rank());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

}  // namespace pawl::fft
