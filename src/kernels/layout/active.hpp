// active.hpp -- an element type -> the active, or another, variant's entries of the category `layout`.
#pragma once
#include "isa/active.hpp"
#include "kernels/tables.hpp"

namespace pawl::detail {

template <class T>
const LayoutOps<T>& layout_ops(Isa isa = active_isa_inline()) noexcept {
  const LayoutTable& table = layout_table(isa);
  if constexpr (sizeof(T) == sizeof(float)) {
    return table.f32;
  } else {
    return table.f64;
  }
}

}  // namespace pawl::detail
