// bias.kernel.hpp -- rows -> rows with a bias and an activation, in one pass.
#pragma once
#include "kernels/math/gelu.kernel.hpp"
#include "kernels/math/map.kernel.hpp"
#include "kernels/simd/elementwise.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static void bias_relu(const T* x, const T* bias, T* out, std::size_t rows, std::size_t columns) noexcept {
  const bool past = worth_streaming(2 * rows * columns * sizeof(T)) && x != out;
  const Vec<T> zero(T(0));
  for (std::size_t r = 0; r < rows; ++r, x += columns, out += columns) {
    if (past) prefetch_shared_line<T>(out + columns);
    // max in this order hands a NaN through.
    fill<T, false>(
        out, columns, past,
        [=](std::size_t j) PAWL_INLINE_LAMBDA { return max<T>(zero, load<T>(x + j) + load<T>(bias + j)); },
        [=](std::size_t j, std::size_t count)
            PAWL_INLINE_LAMBDA { return max<T>(zero, load_first<T>(x + j, count) + load_first<T>(bias + j, count)); });
  }
  if (past) stream_end();
}

template <class F, class T>
static void bias_map(const T* x, const T* bias, T* out, std::size_t rows, std::size_t columns) noexcept {
  const F f{};
  for (std::size_t r = 0; r < rows; ++r, x += columns, out += columns)
    map_four<F, T>(
        out, columns, f, [=](std::size_t j) PAWL_INLINE_LAMBDA { return load<T>(x + j) + load<T>(bias + j); },
        [=](std::size_t j, std::size_t count)
            PAWL_INLINE_LAMBDA { return load_first<T>(x + j, count) + load_first<T>(bias + j, count); });
}

}  // namespace pawl::PAWL_ISA_NS
