// active.hpp -- an element type -> the entries that reductions call, the active variant's or another's for long arrays.
#pragma once
#include "kernels/simd/whole_spans.hpp"
#include "kernels/tables.hpp"

namespace pawl::detail {

template <class T>
const ReduceOps<T>& reduce_ops(Isa isa = active_isa_inline()) noexcept {
  const ReduceTable& table = reduce_table(isa);
  if constexpr (sizeof(T) == sizeof(float)) {
    return table.f32;
  } else {
    return table.f64;
  }
}

}  // namespace pawl::detail
