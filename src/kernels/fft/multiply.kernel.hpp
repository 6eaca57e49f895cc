// multiply.kernel.hpp -- two arrays of pairs -> their products, element by element.
#pragma once
#include "kernels/fft/interleave.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static void multiply(const T* x, const T* y, T* out, std::size_t n, bool swapped_in, bool swapped_out,
                     T scale) noexcept {
  constexpr std::size_t W = lanes<T>;
  const Reg<T> s = broadcast<T>(scale);
  const auto scaled = [&](Cx<T> z) PAWL_INLINE_LAMBDA { return Cx<T>{z.re * s, z.im * s}; };
  std::size_t i = 0;
  for (; i + W <= n; i += W)
    store_pairs<T>(out + 2 * i, scaled(load_pairs<T>(x + 2 * i, swapped_in) * load_pairs<T>(y + 2 * i, false)),
                   swapped_out);
  if (i < n)
    store_pairs_first<T>(
        out + 2 * i,
        scaled(load_pairs_first<T>(x + 2 * i, n - i, swapped_in) * load_pairs_first<T>(y + 2 * i, n - i, false)), n - i,
        swapped_out);
}

}  // namespace pawl::PAWL_ISA_NS
