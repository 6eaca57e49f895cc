// active.hpp -- an element type -> the active variant's entries that reductions call.
#pragma once
#include "isa/active.hpp"
#include "kernels/tables.hpp"

namespace pawl::detail {

template <class T>
const ReduceOps<T>& reduce_ops() noexcept {
  const ReduceTable& table = reduce_table(active_isa_inline());
  if constexpr (sizeof(T) == sizeof(float)) {
    return table.f32;
  } else {
    return table.f64;
  }
}

template <class T>
const SimdOps<T>& simd_ops() noexcept {
  const SimdTable& table = simd_table(active_isa_inline());
  if constexpr (sizeof(T) == sizeof(float)) {
    return table.f32;
  } else {
    return table.f64;
  }
}

}  // namespace pawl::detail
