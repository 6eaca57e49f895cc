// copy_rows.kernel.hpp -- short rows -> the same rows elsewhere, in one call: one of memcpy for each costs more than
// they do.
#pragma once
#include <cstring>

#include "kernels/simd/elementwise.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// Rows of fewer lines are not worth going past the caches for.
inline constexpr std::size_t kLongRowBytes = 1024;

// Rows of kPart to 2 kPart bytes: the first kPart of them and, if kTwo, the last ones; what both write is the same. Of
// constant size each is one load and one store: rows of 12 bytes take 0.56 ns each, 1.45 by a masked vector (Zen 4).
template <std::size_t kPart, bool kTwo>
static void copy_tiny_rows(const char* x, std::ptrdiff_t x_stride, std::size_t m, std::size_t bytes, char* out,
                           std::ptrdiff_t out_stride) noexcept {
  struct Part {
    char bytes[kPart];
  };
  const std::size_t last = bytes - kPart;
  for (std::size_t r = 0; r < m; ++r, x += x_stride, out += out_stride) {
    Part begin, end;
    std::memcpy(&begin, x, kPart);
    if constexpr (kTwo) std::memcpy(&end, x + last, kPart);
    std::memcpy(out, &begin, kPart);
    if constexpr (kTwo) std::memcpy(out + last, &end, kPart);
  }
}

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
  if (const std::size_t bytes = n * sizeof(T); bytes >= 8 && bytes <= 64) {
    const auto tiny = bytes == 8    ? copy_tiny_rows<8, false>
                      : bytes < 16  ? copy_tiny_rows<8, true>
                      : bytes == 16 ? copy_tiny_rows<16, false>
                      : bytes <= 32 ? copy_tiny_rows<16, true>
                                    : copy_tiny_rows<32, true>;
    constexpr auto kSize = static_cast<std::ptrdiff_t>(sizeof(T));
    return tiny(reinterpret_cast<const char*>(x), x_stride * kSize, m, bytes, reinterpret_cast<char*>(out),
                out_stride * kSize);
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
