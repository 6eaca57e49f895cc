// active_ops.hpp -- the kernels of the active ISA for one type of values and one of indices.
#pragma once
#include "isa/active.hpp"
#include "kernels/tables.hpp"

namespace pawl::sparse {

/// The entries of the active ISA's table for values T and indices I.
template <class T, class I>
const SparseOps<T, I>& sparse_ops() noexcept {
  const SparseTable& table = sparse_table(pawl::detail::active_isa_inline());
  if constexpr (sizeof(T) == 4 && sizeof(I) == 4)
    return table.f32_i32;
  else if constexpr (sizeof(T) == 4)
    return table.f32_i64;
  else if constexpr (sizeof(I) == 4)
    return table.f64_i32;
  else
    return table.f64_i64;
}

}  // namespace pawl::sparse
