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
// Each of these is a function of its own: g++ mixes what is in one, and the values of two ways, of four vectors each,
// do not fit the registers.
template <class F>
[[gnu::noinline]] static void ordinary_four(Vec<float> (&v)[4]) {
  unroll<4>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = F{}.of_ordinary(v[k]); });
}
template <class F>
[[gnu::noinline]] static Vec<float> any_one(Vec<float> v) {
  return F{}.template of<float>(v);
}

// f of four vectors some of whose lanes are not ordinary: each lane goes the way of its own argument, whatever its
// neighbours are. The others are usually few: moved together, those of four vectors mostly fit into one.
template <class F>
[[gnu::noinline]] static void evaluate_mixed(Vec<float> (&v)[4]) {
  constexpr std::size_t W = 16;
  alignas(64) float others[5 * W];
  __mmask16 rest[4];
  std::size_t count = 0;
  unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
    rest[k] = static_cast<__mmask16>(~ordinary_lanes<F>(order_of<F>(v[k])));
    _mm512_storeu_ps(others + count, _mm512_maskz_compress_ps(rest[k], v[k]));
    count += static_cast<std::size_t>(__builtin_popcount(rest[k]));
    v[k] = Vec<float>(_mm512_maskz_mov_ps(static_cast<__mmask16>(~rest[k]), v[k]));
  });
  _mm512_storeu_ps(others + count, _mm512_setzero_ps());
  ordinary_four<F>(v);
  for (std::size_t i = 0; i < count; i += W) {
    const Vec<float> y = any_one<F>(Vec<float>(_mm512_load_ps(others + i)));
    _mm512_store_ps(others + i, y);
  }
  const float* from = others;
  unroll<4>([&](auto k) PAWL_INLINE_LAMBDA {
    v[k] = Vec<float>(_mm512_mask_expand_ps(v[k], rest[k], _mm512_loadu_ps(from)));
    from += __builtin_popcount(rest[k]);
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
