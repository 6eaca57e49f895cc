// isa_list.hpp -- the variants of this architecture as a list that code can be generated from.
//
// The same list as PAWL_ISAS in tools/cmake/IsaSources.cmake; a variant joins in both and in enum Isa.
#pragma once

#if defined(__x86_64__)
#define PAWL_FOR_EACH_ISA(X) X(scalar) X(sse2) X(avx2) X(avx512)
#elif defined(__aarch64__)
#define PAWL_FOR_EACH_ISA(X) X(scalar) X(neon)
#else
#define PAWL_FOR_EACH_ISA(X) X(scalar)
#endif
