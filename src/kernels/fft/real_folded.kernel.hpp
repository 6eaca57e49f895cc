// real_folded.kernel.hpp -- half of the transform of n real numbers, n odd, from 9 to 15 -> the numbers, by sums.
//
// x[j] = even[j] + odd[j] and x[n - j] = even[j] - odd[j], with even[j] = re[0] + the sum over k of 2 re[k] cos(2 pi j
// k / n) and odd[j] that of -2 im[k] sin(2 pi j k / n): eight j fill vectors, none of which is cut, since x is periodic
// and what is stored twice is the same. A butterfly of 15 points has a third of the products, but one number in a
// vector: on a Zen 4 it took 1.6 times as long.
#pragma once
#include "kernels/fft/real.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if !defined(PAWL_ISA_IS_scalar)
template <class T, std::size_t N>
inline constexpr bool has_folded = is_folded(N) && lanes<T> <= kFoldedResults;

/// table: for each k from 1 to N / 2 two rows of kFoldedResults elements, 2 cos(2 pi j k / N) and -2 sin(2 pi j k / N)
/// for j = 1 .. kFoldedResults. out may be in.
template <class T, std::size_t N>
PAWL_INLINE void real_folded_inverse(const T* in, const T* table, T* out, T scale) noexcept {
  constexpr std::size_t W = lanes<T>, V = kFoldedResults / W, H = N / 2;
  const T first = in[0];
  T sum = 0, other_sum = 0;  // of the parts of x[0]
  Reg<T> even[V], odd[V];
  unroll<H>([&](auto i) PAWL_INLINE_LAMBDA {
    const T* const row = table + 2 * kFoldedResults * i;
    const T re_part = in[2 * i + 2];
    const Reg<T> re = broadcast<T>(re_part), im = broadcast<T>(in[2 * i + 3]);
    (i % 2 == 0 ? sum : other_sum) += re_part;
    unroll<V>([&](auto v) PAWL_INLINE_LAMBDA {
      const Reg<T> cosine = load_reg<T>(row + v * W), sine = load_reg<T>(row + kFoldedResults + v * W);
      even[v] = mul_add<T>(re, cosine, i == 0 ? broadcast<T>(first) : even[v]);
      odd[v] = i == 0 ? im * sine : mul_add<T>(im, sine, odd[v]);
    });
  });
  const Reg<T> s = broadcast<T>(scale);
  unroll<V>([&](auto v)
                PAWL_INLINE_LAMBDA { store_reg<T>(out + N - (v + 1) * W, reversed<T>((even[v] - odd[v]) * s)); });
  unroll<V>([&](auto v) PAWL_INLINE_LAMBDA { store_reg<T>(out + 1 + v * W, (even[v] + odd[v]) * s); });
  out[0] = (first + 2 * (sum + other_sum)) * scale;
}
#endif

}  // namespace pawl::PAWL_ISA_NS
