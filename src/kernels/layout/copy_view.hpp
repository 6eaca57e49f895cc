// copy_view.hpp -- the elements of a view of any strides -> another one.
#pragma once
#include "pawl/view.hpp"

namespace pawl::detail {

/// to[index] = from[index] for every index; shapes are equal, and the two do not overlap. Allocates nothing.
template <class T>
void copy_view(const View<const T>& from, const View<T>& to) noexcept;
extern template void copy_view(const View<const float>&, const View<float>&) noexcept;
extern template void copy_view(const View<const double>&, const View<double>&) noexcept;

/// The same into the part of an array that begins at `to` and has these strides.
template <class T>
void copy_view(const View<const T>& from, T* to, const Strides& strides) noexcept;
extern template void copy_view(const View<const float>&, float*, const Strides&) noexcept;
extern template void copy_view(const View<const double>&, double*, const Strides&) noexcept;

}  // namespace pawl::detail
