// long_butterfly.kernel.hpp -- R complex vectors, R from 21 to 64 -> their transforms of R points.
//
// More than registers hold, so that half of the numbers wait on the stack; what that costs is less than one more pass
// through memory: with avx2 on a Zen 3 512 points as 16 x 32 took 0.72 of the time of passes over columns.
#pragma once
#include "kernels/fft/butterfly.kernel.hpp"
#include "kernels/fft/circle_points.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

template <class N>
struct Butterfly<N, 21> : CoprimeButterfly<N, 3, 7> {};
template <class N>
struct Butterfly<N, 22> : CoprimeButterfly<N, 2, 11> {};
template <class N>
struct Butterfly<N, 26> : CoprimeButterfly<N, 2, 13> {};
template <class N>
struct Butterfly<N, 27> : PlainButterfly<N, 27> {};
template <class N>
struct Butterfly<N, 28> : CoprimeButterfly<N, 4, 7> {};
template <class N>
struct Butterfly<N, 30> : CoprimeButterfly<N, 6, 5> {};
template <class N>
struct Butterfly<N, 32> : PlainButterfly<N, 32> {};
template <class N>
struct Butterfly<N, 35> : CoprimeButterfly<N, 5, 7> {};
template <class N>
struct Butterfly<N, 36> : CoprimeButterfly<N, 4, 9> {};
template <class N>
struct Butterfly<N, 40> : CoprimeButterfly<N, 8, 5> {};
template <class N>
struct Butterfly<N, 42> : CoprimeButterfly<N, 6, 7> {};
template <class N>
struct Butterfly<N, 45> : CoprimeButterfly<N, 9, 5> {};
template <class N>
struct Butterfly<N, 48> : CoprimeButterfly<N, 16, 3> {};
template <class N>
struct Butterfly<N, 50> : CoprimeButterfly<N, 2, 25> {};
template <class N>
struct Butterfly<N, 54> : CoprimeButterfly<N, 2, 27> {};
template <class N>
struct Butterfly<N, 56> : CoprimeButterfly<N, 8, 7> {};
template <class N>
struct Butterfly<N, 60> : CoprimeButterfly<N, 4, 15> {};
template <class N>
struct Butterfly<N, 64> : PlainButterfly<N, 64> {};

}  // namespace pawl::PAWL_ISA_NS
