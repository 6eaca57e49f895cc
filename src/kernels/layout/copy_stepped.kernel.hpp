// copy_stepped.kernel.hpp -- every k-th element of a row -> neighbours; every second, third and fourth by shuffles of
// whole vectors.
#pragma once
#include <utility>

#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

#if !defined(PAWL_ISA_IS_scalar)
// Lane i of the result is lane Place{}(i) of a and b, counted on from a's to b's.
template <class T, class Place, std::size_t... I>
PAWL_INLINE Vec<T> picked(Vec<T> a, Vec<T> b, Place, std::index_sequence<I...>) {
  using R = typename Vec<T>::register_type;
  return Vec<T>((R)__builtin_shufflevector((R)a, (R)b, static_cast<int>(Place{}(I))...));
}

// Elements 0, kStep, 2 kStep, ... of the kStep vectors from x on.
template <std::size_t kStep, class T>
PAWL_INLINE Vec<T> every(const T* x) {
  constexpr std::size_t W = lanes<T>;
  constexpr auto all = std::make_index_sequence<W>{};
  if constexpr (kStep == 2) {
    return picked<T>(
        load<T>(x), load<T>(x + W), [](std::size_t i) constexpr { return 2 * i; }, all);
  } else if constexpr (kStep == 3) {
    const Vec<T> first = picked<T>(
        load<T>(x), load<T>(x + W), [](std::size_t i) constexpr { return 3 * i < 2 * lanes<T> ? 3 * i : 0; }, all);
    return picked<T>(
        first, load<T>(x + 2 * W), [](std::size_t i) constexpr { return 3 * i < 2 * lanes<T> ? i : 3 * i - lanes<T>; },
        all);
  } else {
    static_assert(kStep == 4);
    return picked<T>(
        every<2, T>(x), every<2, T>(x + 2 * W), [](std::size_t i) constexpr { return 2 * i; }, all);
  }
}

// Returns how many elements were done: those after which there is another one, so that nothing behind it is read.
template <std::size_t kStep, class T>
PAWL_INLINE std::size_t whole_vectors(const T* x, std::size_t n, T* out) {
  constexpr std::size_t W = lanes<T>;
  std::size_t j = 0;
  for (; j + W < n; j += W) store<T>(out + j, every<kStep, T>(x + j * kStep));
  return j;
}
#endif

template <class T>
static void copy_stepped(const T* x, std::ptrdiff_t x_stride, std::ptrdiff_t step, std::size_t m, std::size_t n, T* out,
                         std::ptrdiff_t out_stride) noexcept {
  for (std::size_t r = 0; r < m; ++r, x += x_stride, out += out_stride) {
    std::size_t j = 0;
#if !defined(PAWL_ISA_IS_scalar)
    if (step == 2)
      j = whole_vectors<2, T>(x, n, out);
    else if (step == 3)
      j = whole_vectors<3, T>(x, n, out);
    else if (step == 4)
      j = whole_vectors<4, T>(x, n, out);
#endif
    const T* from = x + static_cast<std::ptrdiff_t>(j) * step;
    for (; j + 4 <= n; j += 4, from += 4 * step) {
      const T a = from[0], b = from[step], c = from[2 * step], d = from[3 * step];
      out[j] = a, out[j + 1] = b, out[j + 2] = c, out[j + 3] = d;
    }
    for (; j < n; ++j, from += step) out[j] = *from;
  }
}

}  // namespace pawl::PAWL_ISA_NS
