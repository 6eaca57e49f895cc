// bias.kernel.hpp -- rows -> rows with a bias and an activation, or with a factor and an offset, each in one pass.
#pragma once
#include "kernels/math/gelu.kernel.hpp"
#include "kernels/math/map.kernel.hpp"
#include "kernels/simd/elementwise.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

struct Relu {
  template <class T>
  PAWL_INLINE Vec<T> of(Vec<T> x) const {
    return max<T>(Vec<T>(T(0)), x);  // in this order a NaN goes through
  }
};

// out[r][j] = op(x[r][j], at column j): op(v, j) for whole vectors, first(v, j, count) for the last ones.
template <class T, class Whole, class First>
PAWL_INLINE void map_rows(const T* x, T* out, std::size_t rows, std::size_t columns, Whole whole, First first) {
  constexpr std::size_t W = lanes<T>;
  for (std::size_t r = 0; r < rows; ++r, x += columns, out += columns) {
    std::size_t j = 0;
    for (; j + 2 * W <= columns; j += 2 * W) {
      const Vec<T> a = whole(load<T>(x + j), j), b = whole(load<T>(x + j + W), j + W);
      store<T>(out + j, a);
      store<T>(out + j + W, b);
    }
    for (; j < columns; j += W) {
      const std::size_t count = columns - j < W ? columns - j : W;
      store_first<T>(out + j, first(load_first<T>(x + j, count), j, count), count);
    }
  }
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

template <class T>
static void scale_columns(const T* x, const T* factor, const T* offset, T* out, std::size_t rows,
                          std::size_t columns) noexcept {
  map_rows<T>(
      x, out, rows, columns,
      [=](Vec<T> v, std::size_t j) PAWL_INLINE_LAMBDA { return fma<T>(v, load<T>(factor + j), load<T>(offset + j)); },
      [=](Vec<T> v, std::size_t j, std::size_t count)
          PAWL_INLINE_LAMBDA { return fma<T>(v, load_first<T>(factor + j, count), load_first<T>(offset + j, count)); });
}

template <class T>
static void scale_row(const T* x, T factor, T offset, T* out, std::size_t columns) noexcept {
  map1<T>(x, out, columns,
          [f = Vec<T>(factor), o = Vec<T>(offset)](Vec<T> v) PAWL_INLINE_LAMBDA { return fma<T>(v, f, o); });
}

}  // namespace pawl::PAWL_ISA_NS
