// boundary.kernel.hpp -- an address -> elements up to the next one from which vectors lie within lines.
//
// A vector that crosses a line takes two turns of its port, and every second one does where the first begins within
// half of one. Arrays that begin so are the rule: a std::vector of more than 128 KiB begins 16 bytes beyond a page.
#pragma once
#include "isa/datapath.hpp"
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

// Elements from which it pays to begin at a boundary. Where only the result begins within a line, vectors of the inputs
// cross lines instead: 300 f32 lost by that (0.75 of the speed), with 1000 neither won (1.0 to 1.1; Zen 4).
template <class T>
inline constexpr std::size_t kWorthAligning = 2048 / sizeof(T);

// The distance of boundaries, in bytes.
PAWL_INLINE std::size_t boundary_distance() {
#if defined(PAWL_ISA_IS_avx512)
  return detail::splits_512_bits ? 32 : 64;
#else
  return sizeof(Vec<float>);
#endif
}

// Elements from the last boundary to p, fewer than a vector has; 0 if n is too small for that to matter.
template <class T>
PAWL_INLINE std::size_t beyond_boundary(const T* p, std::size_t n) {
  return n < kWorthAligning<T> ? 0 : reinterpret_cast<std::uintptr_t>(p) % boundary_distance() / sizeof(T);
}

// Elements from p to the next boundary, 0 if p is one or n too small.
template <class T>
PAWL_INLINE std::size_t to_boundary(const T* p, std::size_t n) {
  const std::size_t beyond = beyond_boundary<T>(p, n);
  return beyond == 0 ? 0 : boundary_distance() / sizeof(T) - beyond;
}

}  // namespace pawl::PAWL_ISA_NS
