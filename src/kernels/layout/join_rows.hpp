// join_rows.hpp -- parts that lie side by side in each row of the result -> the result, one row after the other.
#pragma once
#include <cstddef>
#include <span>

#include "pawl/view.hpp"

namespace pawl::detail {

/// Writes the parts beside each other along `axis` of out, whose shape is theirs together, all of a row before the
/// next one, and says true; or false, and nothing is written: where the parts' rows are no runs of at least 2 KiB,
/// where L2 holds everything, or where results go past the caches, part after part is as fast.
template <class T>
bool join_rows(std::span<const View<const T>> parts, std::size_t axis, const View<T>& out) noexcept;
extern template bool join_rows(std::span<const View<const float>>, std::size_t, const View<float>&) noexcept;
extern template bool join_rows(std::span<const View<const double>>, std::size_t, const View<double>&) noexcept;

}  // namespace pawl::detail
