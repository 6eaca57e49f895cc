// map.kernel.hpp -- a function of a vector -> a loop over contiguous elements that takes four vectors at a time.
#pragma once
#include "kernels/vec_bits.hpp"

namespace pawl::PAWL_ISA_NS {

template <class F, class T>
concept HasOrdinaryWay = requires(F f, Vec<T> v) {
  f.of_ordinary(v);
};

#if defined(PAWL_ISA_IS_avx512)
// Bit patterns of magnitudes are ordered as the numbers are, NaN above all; those of negative numbers are above those
// of all positive ones. So ordinary lanes (exp.kernel.hpp) are those whose pattern is below that of kOrdinary.
template <class F>
PAWL_INLINE __m512i order_of(Vec<float> v) {
  return _mm512_castps_si512(F::kOrdinary < 0 ? v : magnitude<float>(v));
}
template <class F>
PAWL_INLINE __mmask16 ordinary_lanes(__m512i order) {
  return _mm512_cmplt_epu32_mask(order, _mm512_castps_si512(_mm512_set1_ps(F::kOrdinary)));
}
#endif

// f of each of four vectors, by the ordinary way in the lanes that allow it: an element's result must not depend on its
// neighbours.
template <class F, class T>
PAWL_INLINE void evaluate_four(F f, Vec<T> (&v)[4]) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (HasOrdinaryWay<F, T>) {
    __m512i highest = order_of<F>(v[0]);
    unroll<3>([&](auto k) PAWL_INLINE_LAMBDA { highest = _mm512_max_epu32(highest, order_of<F>(v[k + 1])); });
    if (ordinary_lanes<F>(highest) == 0xffff) [[likely]]
      return unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = f.of_ordinary(v[k]); });
    for (Vec<T>& each : v) {
      const __mmask16 lanes = ordinary_lanes<F>(order_of<F>(each));
      const Vec<T> ordinary = f.of_ordinary(Vec<T>(_mm512_maskz_mov_ps(lanes, each)));
      each = lanes == 0xffff ? ordinary : Vec<T>(_mm512_mask_mov_ps(f.template of<T>(each), lanes, ordinary));
    }
    return;
  }
#endif
  unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = f.template of<T>(v[k]); });
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
