// store_as.kernel.hpp -- a vector of f64 -> as many elements of f32 or f64 in memory.
#pragma once
#include "kernels/fft/register.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if !defined(PAWL_ISA_IS_scalar)
typedef float Narrow __attribute__((vector_size(4 * lanes<double>)));
#endif

template <class T>
PAWL_INLINE void store_as(T* p, Reg<double> v) {
  if constexpr (sizeof(T) == 8) {
    store_reg<double>(p, v);
  } else {
#if defined(PAWL_ISA_IS_scalar)
    *p = static_cast<T>(v);
#else
    const Narrow rounded = __builtin_convertvector(v, Narrow);
    __builtin_memcpy(p, &rounded, sizeof rounded);
#endif
  }
}

}  // namespace pawl::PAWL_ISA_NS
