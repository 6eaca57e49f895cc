// active.hpp -- an element type -> the active, or another, variant's entries of the category `layout`.
#pragma once
#include <cstddef>

#include "isa/active.hpp"
#include "kernels/of_type.hpp"
#include "kernels/tables.hpp"

namespace pawl::detail {

template <class T>
const LayoutOps<T>& layout_ops(Isa isa = active_isa_inline()) noexcept {
  return of_type<T>(layout_table(isa));
}

/// A matrix of rows `ld` elements apart -> its transpose, whose rows are `to_ld` apart, by the active variant.
template <class T>
void turn_over(const T* from, std::size_t ld, std::size_t rows, std::size_t columns, T* to,
               std::size_t to_ld) noexcept {
  layout_ops<T>().transpose(from, static_cast<std::ptrdiff_t>(ld), rows, columns, to,
                            static_cast<std::ptrdiff_t>(to_ld));
}

}  // namespace pawl::detail
