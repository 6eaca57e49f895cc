// axis_loops.hpp -- the strides of a view and an axis -> loops over rows or columns that need no copy of it.
#pragma once
#include <array>
#include <cstddef>

#include "pawl/view.hpp"

namespace pawl::detail {

/// How a reduction along one axis runs over a view: `length` terms that are `step` apart, for `side` results that lie
/// side by side and start `side_step` apart, for every index of the outer dimensions.
struct AxisLoops {
  struct Dimension {
    std::size_t extent;
    std::ptrdiff_t step;
  };
  enum class Form : unsigned char {
    rows,     ///< the terms of a result are neighbours
    columns,  ///< terms of neighbouring results are neighbours
    neither,  ///< the view has to be copied
  };

  std::size_t length = 1, side = 1, outer = 1;  ///< outer: product of the extents of `dimensions`
  std::ptrdiff_t step = 1, side_step = 1;
  Form form = Form::rows;
  std::array<Dimension, kMaxRank> dimensions;  ///< outermost first; those from rank on are nobody's
  std::size_t rank = 0;

  /// Distance of the first term of outer index `o` from the first element.
  std::ptrdiff_t offset(std::size_t o) const noexcept {
    if (rank <= 1) return rank == 0 ? 0 : static_cast<std::ptrdiff_t>(o) * dimensions[0].step;
    std::ptrdiff_t sum = 0;
    for (std::size_t d = rank; d-- > 0; o /= dimensions[d].extent)
      sum += static_cast<std::ptrdiff_t>(o % dimensions[d].extent) * dimensions[d].step;
    return sum;
  }
};

/// Dimensions that step as one are one; those of extent 1 are none. axis < rank; no extent is 0.
inline AxisLoops axis_loops(const Shape& shape, const Strides& strides, std::size_t axis) noexcept {
  AxisLoops loops;
  loops.length = shape[axis];
  loops.step = strides[axis];
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    if (d == axis || shape[d] == 1) continue;
    const AxisLoops::Dimension next{shape[d], strides[d]};
    if (loops.rank > 0) {
      AxisLoops::Dimension& last = loops.dimensions[loops.rank - 1];
      if (last.step == next.step * static_cast<std::ptrdiff_t>(next.extent)) {
        last = {last.extent * next.extent, next.step};
        continue;
      }
    }
    loops.dimensions[loops.rank++] = next;
  }
  if (loops.rank > 0) {
    const AxisLoops::Dimension side = loops.dimensions[--loops.rank];
    loops.side = side.extent;
    loops.side_step = side.step;
  }
  for (std::size_t d = 0; d < loops.rank; ++d) loops.outer *= loops.dimensions[d].extent;
  using enum AxisLoops::Form;
  // One term each: whatever the step says, neighbouring results are the longer run.
  if (loops.side > 1 && loops.side_step == 1 && (loops.length == 1 || loops.step != 1))
    loops.form = columns;
  else
    loops.form = loops.length == 1 || loops.step == 1 ? rows : neither;
  return loops;
}

}  // namespace pawl::detail
