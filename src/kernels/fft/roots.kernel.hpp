// roots.kernel.hpp -- the two tables of Roots (roots.hpp) -> all roots.
#pragma once
#include "kernels/fft/interleave.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// Products and sums apart, no multiply-adds: so every variant makes the same numbers.
template <class T>
static void products_of_roots(const T* high, std::size_t size, const T* low, std::size_t padded, std::size_t count,
                              T* out) noexcept {
  constexpr std::size_t W = lanes<T>;
  for (std::size_t j = 0; j < size; ++j, high += 4, out += 2 * count) {
    const Reg<T> re = broadcast<T>(high[0]), im = broadcast<T>(high[1]);
    const Reg<T> re_rest = broadcast<T>(high[2]), im_rest = broadcast<T>(high[3]);
    for (std::size_t k = 0; k < count; k += W) {
      const Reg<T> less_1 = load_reg<T>(low + k), sine = load_reg<T>(low + padded + k);
      store_pairs<T>(out + 2 * k,
                     Cx<T>{re + (re_rest + (re * less_1 - im * sine)), im + (im_rest + (re * sine + im * less_1))},
                     false);
    }
  }
}

}  // namespace pawl::PAWL_ISA_NS
