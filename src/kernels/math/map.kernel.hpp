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

#if defined(PAWL_ISA_IS_avx512)
template <class F>
concept HasWideWay = requires(F f, Vec<float> v) {
  f.of_wide(v);
};

// Each of these is a function of its own: g++ mixes what is in one, and the values of two ways, of four vectors each,
// do not fit the registers.
template <class F>
[[gnu::noinline]] static void ordinary_four(Vec<float> (&v)[4]) {
  unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = F{}.of_ordinary(v[k]); });
}
template <class F>
[[gnu::noinline]] static void wide_four(Vec<float> (&v)[4]) {
  unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = F{}.of_wide(v[k]); });
}
template <class F>
[[gnu::noinline]] static Vec<float> any_one(Vec<float> v) {
  return F{}.template of<float>(v);
}

// f of four vectors some of whose lanes are not ordinary: each lane goes the way of its own argument, whatever its
// neighbours are.
template <class F>
[[gnu::noinline]] static void evaluate_mixed(Vec<float> (&v)[4]) {
  Vec<float> result[4];
  __mmask16 done[4];
  unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
    done[k] = ordinary_lanes<F>(order_of<F>(v[k]));
    result[k] = Vec<float>(_mm512_maskz_mov_ps(done[k], v[k]));
  });
  ordinary_four<F>(result);
  if constexpr (HasWideWay<F>) {
    Vec<float> wide[4];
    __mmask16 others[4];
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
      const __mmask16 within = _mm512_cmp_ps_mask(magnitude<float>(v[k]), _mm512_set1_ps(F::kWide), _CMP_LT_OQ);
      others[k] = static_cast<__mmask16>(within & ~done[k]);
      wide[k] = Vec<float>(_mm512_maskz_mov_ps(others[k], v[k]));
    });
    wide_four<F>(wide);
    unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
      result[k] = Vec<float>(_mm512_mask_mov_ps(result[k], others[k], wide[k]));
      done[k] = static_cast<__mmask16>(done[k] | others[k]);
    });
  }
  unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
    if (done[k] != 0xffff) [[unlikely]]
      result[k] = Vec<float>(_mm512_mask_mov_ps(any_one<F>(v[k]), done[k], result[k]));
    v[k] = result[k];
  });
}
#endif

// f of each of four vectors, by the ordinary way where all lanes allow it.
template <class F, class T>
PAWL_INLINE void evaluate_four(F f, Vec<T> (&v)[4]) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (HasOrdinaryWay<F, T>) {
    __m512i highest = order_of<F>(v[0]);
    unroll<3>([&](auto k) PAWL_INLINE_LAMBDA { highest = _mm512_max_epu32(highest, order_of<F>(v[k + 1])); });
    if (ordinary_lanes<F>(highest) == 0xffff) [[likely]]
      return unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = f.of_ordinary(v[k]); });
    return evaluate_mixed<F>(v);
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
