// map.kernel.hpp -- a function of a vector -> a loop over contiguous elements that takes four vectors at a time.
#pragma once
#include "kernels/vec_bits.hpp"

namespace pawl::PAWL_ISA_NS {

// Whether no lane of the four is NaN or at `bound` or beyond in magnitude. Bit patterns of magnitudes are ordered as
// the numbers are, NaN above all.
#if defined(PAWL_ISA_IS_avx512)
template <std::size_t N>
PAWL_INLINE bool all_ordinary(const Vec<float> (&v)[N], float bound) {
  const auto size = [](Vec<float> a) PAWL_INLINE_LAMBDA { return _mm512_castps_si512(magnitude<float>(a)); };
  __m512i largest = size(v[0]);
  unroll<N - 1>([&](auto k) PAWL_INLINE_LAMBDA { largest = _mm512_max_epu32(largest, size(v[k + 1])); });
  return _mm512_cmplt_epu32_mask(largest, _mm512_castps_si512(_mm512_set1_ps(bound))) == 0xffff;
}
#endif

template <class F, class T>
concept HasOrdinaryWay = requires(F f, Vec<T> v) {
  f.of_ordinary(v);
};

// f of each of four vectors, by the ordinary way in the lanes that allow it: an element's result must not depend on its
// neighbours.
template <class F, class T>
PAWL_INLINE void evaluate_four(F f, Vec<T> (&v)[4]) {
  if constexpr (HasOrdinaryWay<F, T>) {
    if (all_ordinary(v, F::kOrdinary)) [[likely]]
      return unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = f.of_ordinary(v[k]); });
    const Vec<T> bound(F::kOrdinary);
    for (Vec<T>& each : v) {
      const Vec<T> size = magnitude<T>(each);
      const Vec<T> ordinary = f.of_ordinary(select_less<T>(size, bound, each, Vec<T>(T(0))));
      each = select_less<T>(size, bound, ordinary, f.template of<T>(each));
    }
  } else {
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = f.template of<T>(v[k]); });
  }
}

// out[i] = f(at(i)); first(i, count) is part of a vector, the rest of which is 0. Four vectors a turn, whose operations
// the compiler mixes (CMakeLists.txt): each is a long chain of multiply-adds, and one chain after the other fills the
// CPU's schedulers with instructions that wait. The last turn takes four too: it costs little more than one, which
// would wait for itself.
template <class F, class T, class Whole, class First>
PAWL_INLINE void map_four(T* out, std::size_t n, F f, Whole whole, First first) {
  constexpr std::size_t W = lanes<T>;
  for (std::size_t i = 0; i < n; i += 4 * W) {
    Vec<T> v[4];
    if (i + 4 * W <= n) [[likely]] {
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = whole(i + k * W); });
      evaluate_four<F, T>(f, v);
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { store<T>(out + i + k * W, v[k]); });
    } else {
      const auto count = [&](std::size_t k) PAWL_INLINE_LAMBDA {
        const std::size_t at = i + k * W;
        return at >= n ? 0 : n - at < W ? n - at : W;
      };
      unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = first(count(k) > 0 ? i + k * W : i, count(k)); });
      evaluate_four<F, T>(f, v);
      unroll<4>([&](auto k)
                    PAWL_INLINE_LAMBDA { store_first<T>(count(k) > 0 ? out + i + k * W : out, v[k], count(k)); });
    }
  }
}

}  // namespace pawl::PAWL_ISA_NS
