// copy_view.hpp -- the elements of a view of any strides -> another one.
#pragma once
#include "pawl/view.hpp"

namespace pawl::detail {

/// to[index] = from[index] for every index; shapes are equal, and the two do not overlap. Allocates nothing.
template <class T>
void copy_view(View<const T> from, View<T> to) noexcept;
extern template void copy_view(View<const float>, View<float>) noexcept;
extern template void copy_view(View<const double>, View<double>) noexcept;

}  // namespace pawl::detail
