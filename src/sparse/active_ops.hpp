// active_ops.hpp -- the kernels of the active ISA, or of the one for long arrays, for one type of values and of
// indices.
#pragma once
#include "isa/long_array_isa.hpp"
#include "kernels/tables.hpp"

namespace pawl::sparse {

/// The entries of a table for values T and indices I.
template <class T, class I>
const SparseOps<T, I>& sparse_ops(Isa isa = pawl::detail::active_isa_inline()) noexcept {
  const SparseTable& table = sparse_table(isa);
  if constexpr (sizeof(T) == 4 && sizeof(I) == 4)
    return table.f32_i32;
  else if constexpr (sizeof(T) == 4)
    return table.f32_i64;
  else if constexpr (sizeof(I) == 4)
    return table.f64_i32;
  else
    return table.f64_i64;
}

/// The entries for a product with a vector that reads `entries` values and indices once. From memory f64 took 0.7 to
/// 0.95 of the time by vectors of 256 bits on a Zen 4 (CSR of 10^6 rows: band 0.69, 7 points 0.79, random 0.89, power
/// law level); f32 0.8 to 1.3, for which the active ISA's stay.
template <class T, class I>
const SparseOps<T, I>& sparse_ops_for(std::size_t entries) noexcept {
  if constexpr (sizeof(T) == 4) return sparse_ops<T, I>();
  return sparse_ops<T, I>(pawl::detail::long_array_isa(entries * (sizeof(T) + sizeof(I))));
}

}  // namespace pawl::sparse
