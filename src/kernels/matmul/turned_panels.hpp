// turned_panels.hpp -- a B by columns -> the panels that tiles read.
#pragma once
#include <algorithm>

#include "kernels/layout/active.hpp"
#include "kernels/matmul/matmul_table.hpp"

namespace pawl {

/// What MatmulOps::pack_b writes of B[depth, cols], element (p, j) of which is b[j * ldb + p]: panel after panel by the
/// kernels that transpose, which do parts of vectors well and ask for what they will read. By kernels of its own that
/// turned whole tiles in registers f32 46 x 2309 (columns by depth) took 2.4 times as long on an Emerald Rapids, 193 x
/// 628 1.7 and 1000 x 1000 1.3 times, f64 1.7, 1.6 and 1.3 times, AVX2 1.5 to 1.6 times.
template <class T>
void pack_turned(const MatmulOps<T>& kernels, const T* b, std::size_t ldb, std::size_t depth, std::size_t cols,
                 T* out) noexcept {
  const std::size_t width = kernels.tile_cols;
  for (std::size_t j = 0; j < cols; j += width, out += depth * width) {
    const std::size_t there = std::min(width, cols - j);
    detail::turn_over(b + j * ldb, ldb, there, depth, out, width);
    if (there < width) kernels.scale(T(0), depth, width - there, out + there, width);
  }
}

}  // namespace pawl
