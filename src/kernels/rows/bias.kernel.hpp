// bias.kernel.hpp -- rows -> rows with a bias and an activation, in one pass.
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

template <class F, class T>
static void bias_map(const T* x, const T* bias, T* out, std::size_t rows, std::size_t columns) noexcept {
  const F f{};
  const bool past = rows_go_past<T>(x, out, rows, columns);
  for (std::size_t r = 0; r < rows; ++r, x += columns, out += columns) {
    const auto first = [=](std::size_t j, std::size_t count)
                           PAWL_INLINE_LAMBDA { return load_first<T>(x + j, count) + load_first<T>(bias + j, count); };
    if (past) {
      prefetch_shared_line<T>(out + columns);
      map_past<F, T, false>(
          out, columns, f,
          [=](std::size_t j) PAWL_INLINE_LAMBDA {
            prefetch<T>(x + kAskedAhead<T> + j);
            return load<T>(x + j) + load<T>(bias + j);
          },
          first);
    } else {
      map_four<F, T>(
          out, columns, f, [=](std::size_t j) PAWL_INLINE_LAMBDA { return load<T>(x + j) + load<T>(bias + j); }, first);
    }
  }
  if (past) stream_end();
}

// The last whole lines of a row go past the caches too, of which bias_map takes four vectors a turn.
template <class T>
static void bias_relu(const T* x, const T* bias, T* out, std::size_t rows, std::size_t columns) noexcept {
  if (!rows_go_past<T>(x, out, rows, columns)) return bias_map<Relu, T>(x, bias, out, rows, columns);
  const Relu f{};
  for (std::size_t r = 0; r < rows; ++r, x += columns, out += columns) {
    prefetch_shared_line<T>(out + columns);
    fill<T, false>(
        out, columns, true,
        [=](std::size_t j) PAWL_INLINE_LAMBDA { return f.of<T>(load<T>(x + j) + load<T>(bias + j)); },
        [=](std::size_t j, std::size_t count)
            PAWL_INLINE_LAMBDA { return f.of<T>(load_first<T>(x + j, count) + load_first<T>(bias + j, count)); });
  }
  stream_end();
}

}  // namespace pawl::PAWL_ISA_NS
