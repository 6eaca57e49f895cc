// norm.kernel.hpp -- rows -> layernorm and rmsnorm of each, written once for every ISA.
//
// A row stays in L1 between its passes: the sum; the squares of the distances from the mean (two passes, since the
// difference of two large sums would lose the digits); the scaling.
#pragma once
#include "kernels/simd/elementwise.kernel.hpp"
#include "kernels/simd/reduce.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
PAWL_INLINE T root(T x) {
  if constexpr (sizeof(T) == 4)
    return __builtin_sqrtf(x);
  else
    return __builtin_sqrt(x);
}

// sum of (x - centre)^2
template <class T>
PAWL_INLINE T sum_of_squares(const T* x, std::size_t n, T centre) {
  const Vec<T> c(centre);
  return sum_terms<T>(
      n,
      [=](std::size_t i, Vec<T> s) PAWL_INLINE_LAMBDA {
        const Vec<T> d = load<T>(x + i) - c;
        return fma<T>(d, d, s);
      },
      [=](std::size_t i, std::size_t count, Vec<T> s) PAWL_INLINE_LAMBDA {
        const Vec<T> d = keep_first<T>(load_first<T>(x + i, count) - c, count);
        return fma<T>(d, d, s);
      });
}

// out = (x - centre) * scale * gain + shift; gain and shift may be null.
template <class T>
PAWL_INLINE void normalize(const T* x, const T* gain, const T* shift, T centre, T scale, T* out, std::size_t n) {
  constexpr std::size_t W = lanes<T>;
  const Vec<T> c(centre), s(scale);
  const auto whole = [&](std::size_t i) PAWL_INLINE_LAMBDA {
    Vec<T> y = (load<T>(x + i) - c) * s;
    if (gain && shift)
      y = fma<T>(y, load<T>(gain + i), load<T>(shift + i));
    else if (gain)
      y = y * load<T>(gain + i);
    else if (shift)
      y = y + load<T>(shift + i);
    store<T>(out + i, y);
  };
  std::size_t i = 0;
  for (; i + 2 * W <= n; i += 2 * W) {
    whole(i);
    whole(i + W);
  }
  for (; i < n; i += W) {
    const std::size_t count = n - i < W ? n - i : W;
    Vec<T> y = (load_first<T>(x + i, count) - c) * s;
    if (gain) y = y * load_first<T>(gain + i, count);
    if (shift) y = y + load_first<T>(shift + i, count);
    store_first<T>(out + i, y, count);
  }
}

template <class T>
static void layernorm(const T* x, const T* gain, const T* shift, T epsilon, T* out, std::size_t rows,
                      std::size_t columns) noexcept {
  for (std::size_t r = 0; r < rows; ++r, x += columns, out += columns) {
    const T mean = sum<T>(x, columns) / static_cast<T>(columns);
    const T variance = sum_of_squares<T>(x, columns, mean) / static_cast<T>(columns);
    normalize<T>(x, gain, shift, mean, T(1) / root<T>(variance + epsilon), out, columns);
  }
}

template <class T>
static void rmsnorm(const T* x, const T* gain, T epsilon, T* out, std::size_t rows, std::size_t columns) noexcept {
  for (std::size_t r = 0; r < rows; ++r, x += columns, out += columns) {
    const T square = sum_of_squares<T>(x, columns, T(0)) / static_cast<T>(columns);
    normalize<T>(x, gain, nullptr, T(0), T(1) / root<T>(square + epsilon), out, columns);
  }
}

}  // namespace pawl::PAWL_ISA_NS
