// active.hpp -- an element type -> the active variant's entries that reductions call.
#pragma once
#include "isa/active.hpp"
#include "kernels/simd/whole_spans.hpp"
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

}  // namespace pawl::detail
