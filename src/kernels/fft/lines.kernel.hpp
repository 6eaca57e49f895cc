// lines.kernel.hpp -- contiguous user lines <-> the columns of a block.
#pragma once
#include "kernels/fft/turn.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static void load_lines(const T* user, std::ptrdiff_t distance, std::size_t count, std::size_t n, T* out,
                       std::size_t out_row, bool swapped) noexcept {
  constexpr std::size_t W = lanes<T>;
  for (std::size_t e = 0; e < n; e += W, out += W * out_row) {
    const std::size_t elements = n - e < W ? n - e : W;
    Cx<T> x[W];
    if (count == W && elements == W)
      unroll<W>([&](auto i) PAWL_INLINE_LAMBDA {
        x[i] = load_pairs<T>(user + static_cast<std::ptrdiff_t>(i) * distance + 2 * e, swapped);
      });
    else
      unroll<W>([&](auto i) PAWL_INLINE_LAMBDA {
        x[i] = i < count
                   ? load_pairs_first<T>(user + static_cast<std::ptrdiff_t>(i) * distance + 2 * e, elements, swapped)
                   : Cx<T>{broadcast<T>(T(0)), broadcast<T>(T(0))};
      });
    transpose_cx<T>(x);
    unroll<W>([&](auto i) PAWL_INLINE_LAMBDA {
      if (i < elements) store_cx<T>(out + i * out_row, x[i]);
    });
  }
}

template <class T>
static void store_lines(const T* in, std::size_t in_row, std::size_t n, std::size_t count, T* user,
                        std::ptrdiff_t distance, bool swapped, T scale) noexcept {
  constexpr std::size_t W = lanes<T>;
  const Reg<T> s = broadcast<T>(scale);
  for (std::size_t e = 0; e < n; e += W, in += W * in_row) {
    const std::size_t elements = n - e < W ? n - e : W;
    Cx<T> x[W];
    unroll<W>([&](auto i) PAWL_INLINE_LAMBDA {
      const Cx<T> z = load_cx<T>(in + (i < elements ? i : 0) * in_row);
      x[i] = {z.re * s, z.im * s};
    });
    transpose_cx<T>(x);
    if (count == W && elements == W)
      unroll<W>([&](auto i) PAWL_INLINE_LAMBDA {
        store_pairs<T>(user + static_cast<std::ptrdiff_t>(i) * distance + 2 * e, x[i], swapped);
      });
    else
      unroll<W>([&](auto i) PAWL_INLINE_LAMBDA {
        if (i < count)
          store_pairs_first<T>(user + static_cast<std::ptrdiff_t>(i) * distance + 2 * e, x[i], elements, swapped);
      });
  }
}

}  // namespace pawl::PAWL_ISA_NS
