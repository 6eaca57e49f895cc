// sweep.hpp -- an array and one of its axes -> all transforms along it, in panels, on several threads.
#pragma once
#include <cstddef>

#include "kernels/fft/axis.hpp"
#include "pawl/view.hpp"

namespace pawl::fft {

/// An array of pairs: element (i0, i1, ...) is data[2 (i0 * strides[0] + ...)].
template <class T>
struct Pairs {
  T* data;
  const std::ptrdiff_t* strides;  // not a copy: by vectors it would wait for strides that were just stored
};

/// Transforms along `axis` of an array of this shape, from `in` to `out` (the same array with the same strides, or
/// apart). workspace: thread_elements of T for each thread.
template <class T>
void sweep(const Axis<T>& transform, const Shape& shape, std::size_t axis, Pairs<const T> in, Pairs<T> out,
           T* workspace, std::size_t thread_elements, int threads, bool swapped, T scale) noexcept;

}  // namespace pawl::fft
