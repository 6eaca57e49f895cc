// active.hpp -- an element type -> the entries that reductions call, the active variant's or another's for long arrays.
#pragma once
#include "kernels/of_type.hpp"
#include "kernels/simd/whole_spans.hpp"
#include "kernels/tables.hpp"

namespace pawl::detail {

template <class T>
const ReduceOps<T>& reduce_ops(Isa isa = active_isa_inline()) noexcept {
  return of_type<T>(reduce_table(isa));
}

}  // namespace pawl::detail
