// copy_rows.kernel.hpp -- short rows -> the same rows elsewhere, in one call: one of memcpy for each costs more than
// they do.
#pragma once
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static void copy_rows(const T* x, std::ptrdiff_t x_stride, std::size_t m, std::size_t n, T* out,
                      std::ptrdiff_t out_stride) noexcept {
  constexpr std::size_t W = lanes<T>;
  for (std::size_t r = 0; r < m; ++r, x += x_stride, out += out_stride) {
    std::size_t j = 0;
    for (; j + 4 * W <= n; j += 4 * W)
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { store<T>(out + j + k * W, load<T>(x + j + k * W)); });
    for (; j + W <= n; j += W) store<T>(out + j, load<T>(x + j));
    if (j < n) store_first<T>(out + j, load_first<T>(x + j, n - j), n - j);
  }
}

}  // namespace pawl::PAWL_ISA_NS
