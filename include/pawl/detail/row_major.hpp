// row_major.hpp -- the two arrays of a call -> whether both have the shapes that are wanted and are row-major.
//
// Compiled into the caller and always inlined, as byte_ranges.hpp. Extent by extent: a comparison of whole arrays would
// wait for those that have just been stored, which took a sixth of the time of 4 x 4 points.
#pragma once
#include <cstddef>

#include "pawl/view.hpp"

namespace pawl::detail {

/// Whether a view has this shape and is row-major, whose strides these are.
template <class T>
[[gnu::always_inline]] inline bool is_row_major(const View<T>& view, const Shape& shape,
                                                const Strides& strides) noexcept {
  if (view.rank() != shape.rank()) return false;
  for (std::size_t d = 0; d < shape.rank(); ++d)
    if (view.shape()[d] != shape[d] || view.strides()[d] != strides[d]) return false;
  return true;
}

/// The same of both arrays of a call, whose shapes have the same rank, in one way through the dimensions.
template <class In, class Out>
[[gnu::always_inline]] inline bool both_row_major(const View<In>& in, const Shape& in_shape, const Strides& in_strides,
                                                  const View<Out>& out, const Shape& out_shape,
                                                  const Strides& out_strides) noexcept {
  const std::size_t rank = in_shape.rank();
  if (in.rank() != rank || out.rank() != rank) return false;
  for (std::size_t d = 0; d < rank; ++d)
    if (in.shape()[d] != in_shape[d] || in.strides()[d] != in_strides[d] || out.shape()[d] != out_shape[d] ||
        out.strides()[d] != out_strides[d])
      return false;
  return true;
}

}  // namespace pawl::detail
