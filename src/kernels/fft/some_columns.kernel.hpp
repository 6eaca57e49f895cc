// some_columns.kernel.hpp -- rows of fewer columns than a vector has <-> vectors.
//
// In pieces (store_px): stores with a mask are slow with avx2, and wait where a piece is what the next load wants.
#pragma once
#include "kernels/fft/interleave.kernel.hpp"
#include "kernels/fft/pairs.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

/// The first 1 <= `count` <= W pairs of a complex vector.
template <class T>
PAWL_INLINE void store_some_pairs(T* p, Cx<T> x, std::size_t count) {
#if defined(PAWL_ISA_IS_scalar)
  store_pairs_first<T>(p, x, count, false);
#else
  constexpr std::size_t P = pair_lanes<T>;
  const Pairs<T> pairs = interleave<T>(x);
  store_px<T>(p, Px<T>{pairs.low}, count < P ? count : P);
  if (count > P) store_px<T>(p + 2 * P, Px<T>{pairs.high}, count - P);
#endif
}

/// The first `count` numbers of a vector.
template <class T>
PAWL_INLINE void store_some(T* p, Reg<T> v, std::size_t count) {
#if defined(PAWL_ISA_IS_scalar)
  if (count > 0) *p = v;
#else
  constexpr std::size_t P = pair_lanes<T>;
  const std::size_t pairs = count / 2;
  if (pairs > 0) store_px<T>(p, Px<T>{v}, pairs < P ? pairs : P);
  if (count % 2 == 1) {
    alignas(64) T memory[lanes<T>];
    store_reg<T>(memory, v);
    p[count - 1] = memory[count - 1];
  }
#endif
}

template <class T>
PAWL_INLINE Cx<T> load_some_pairs(const T* p, std::size_t count) {
#if defined(PAWL_ISA_IS_scalar)
  return load_pairs_first<T>(p, count, false);
#else
  constexpr std::size_t P = pair_lanes<T>;
  return deinterleave<T>(load_px<T>(p, count < P ? count : P).v,
                         count > P ? load_px<T>(p + 2 * P, count - P).v : broadcast<T>(T(0)));
#endif
}

}  // namespace pawl::PAWL_ISA_NS
