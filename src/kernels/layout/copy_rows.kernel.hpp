// copy_rows.kernel.hpp -- short rows -> the same rows elsewhere, in one call: one of memcpy for each costs more than
// they do.
#pragma once
#include "kernels/simd/elementwise.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// Rows of fewer lines are not worth going past the caches for.
inline constexpr std::size_t kLongRowBytes = 1024;

template <class T>
static void copy_rows(const T* x, std::ptrdiff_t x_stride, std::size_t m, std::size_t n, T* out,
                      std::ptrdiff_t out_stride) noexcept {
  constexpr std::size_t W = lanes<T>;
  // A store through the caches first reads the line that it overwrites, a third of the traffic of a copy.
  if (n * sizeof(T) >= kLongRowBytes && worth_streaming(2 * m * n * sizeof(T))) {
    for (std::size_t r = 0; r < m; ++r, x += x_stride, out += out_stride)
      fill<T, false>(
          out, n, true, [=](std::size_t i) PAWL_INLINE_LAMBDA { return load<T>(x + i); },
          [=](std::size_t i, std::size_t count) PAWL_INLINE_LAMBDA { return load_first<T>(x + i, count); });
    stream_end();
    return;
  }
  for (std::size_t r = 0; r < m; ++r, x += x_stride, out += out_stride) {
    std::size_t j = 0;
    // A first vector from the row's beginning, the others from where they cross no line of out; a last one that ends
    // with the row. What two of them write is the same (100 x 100 f32 side by side: 0.89 to 0.93 of Eigen, 0.74 to 0.84
    // by whole vectors and a masked rest).
    const std::size_t beyond = reinterpret_cast<std::uintptr_t>(out) % (W * sizeof(T)) / sizeof(T);
    if (n >= 2 * W && beyond != 0) {
      store<T>(out, load<T>(x));
      j = W - beyond;
    }
    for (; j + 4 * W <= n; j += 4 * W)
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { store<T>(out + j + k * W, load<T>(x + j + k * W)); });
    for (; j + W <= n; j += W) store<T>(out + j, load<T>(x + j));
    if (j == n) continue;
    if (n >= W)
      store<T>(out + n - W, load<T>(x + n - W));
    else
      store_first<T>(out + j, load_first<T>(x + j, n - j), n - j);
  }
}

}  // namespace pawl::PAWL_ISA_NS
