// kept.hpp -- a vector that is used more than once -> the same, in a register from there on.
//
// g++ 12 makes each use of what was loaded a memory operand of its own. A loop that loads one vector a cycle at best
// then takes twice as long: extremes of columns, products of 2 and 3 rows. Whether it does so depends on the loop.
#pragma once
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
PAWL_INLINE Vec<T> kept(Vec<T> v) {
#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2) || defined(PAWL_ISA_IS_sse2)
  auto bits = static_cast<typename Vec<T>::register_type>(v);
#if defined(PAWL_ISA_IS_avx512)
  asm("" : "+v"(bits));
#else
  asm("" : "+x"(bits));
#endif
  return Vec<T>(bits);
#else
  return v;
#endif
}

}  // namespace pawl::PAWL_ISA_NS
