// real_single.kernel.hpp -- a few real numbers <-> half of their transform, all of it in registers.
//
// Of even length n = 2 h a butterfly of h points, one number in a vector each, and then what real.kernel.hpp does, of
// single numbers; of odd length a butterfly of all n whose other half is never computed. A matrix
// (real_direct.kernel.hpp) has more operations, and two halves in memory wait for what the first has just stored.
#pragma once
#include "kernels/fft/butterfly.kernel.hpp"
#include "kernels/fft/pairs.kernel.hpp"
#include "kernels/fft/real_butterfly.kernel.hpp"
#include "kernels/fft/real_folded.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if !defined(PAWL_ISA_IS_scalar)
/// re + i im, the other numbers undefined. Never by way of memory: a load of what two stores have left would wait.
template <class T>
PAWL_INLINE Px<T> one_number(T re, T im) {
#if defined(PAWL_ISA_IS_neon)
  if constexpr (sizeof(T) == 4)
    return {float32x4_t{re, im, 0, 0}};
  else
    return {float64x2_t{re, im}};
#else
  if constexpr (sizeof(T) == 4) {
    const __m128 pair = _mm_setr_ps(re, im, 0, 0);
#if defined(PAWL_ISA_IS_avx512)
    return {_mm512_castps128_ps512(pair)};
#elif defined(PAWL_ISA_IS_avx2)
    return {_mm256_castps128_ps256(pair)};
#else
    return {pair};
#endif
  } else {
    const __m128d pair = _mm_setr_pd(re, im);
#if defined(PAWL_ISA_IS_avx512)
    return {_mm512_castpd128_pd512(pair)};
#elif defined(PAWL_ISA_IS_avx2)
    return {_mm256_castpd128_pd256(pair)};
#else
    return {pair};
#endif
  }
#endif
}

// Odd lengths whose complex butterfly would do twice as much go by the real one of many lines, as the first of them.
template <std::size_t N>
inline constexpr bool is_alone_in_lanes = N == 15;

template <class T, std::size_t N>
static void real_single(const T* in, [[maybe_unused]] const T* table, T* out, T scale) noexcept {
  const Direction<Px<T>> d = direction<T>(false);
  if constexpr (is_alone_in_lanes<N>) {
    Reg<T> x[N];
    Cx<T> y[N / 2 + 1];
    unroll<N>([&](auto j) PAWL_INLINE_LAMBDA { x[j] = broadcast<T>(in[j]); });
    RealButterfly<T, N>::forward(x, y);
    const Reg<T> s = broadcast<T>(scale);
    unroll<N / 2 + 1>([&](auto k) PAWL_INLINE_LAMBDA {
      out[2 * k] = (y[k].re * s)[0];
      out[2 * k + 1] = k == 0 ? T(0) : (y[k].im * s)[0];
    });
    return;
  }
  if constexpr (N % 2 != 0) {
    const Reg<T> s = broadcast<T>(scale);
    Px<T> x[N];
    unroll<N>([&](auto j) PAWL_INLINE_LAMBDA { x[j] = one_number<T>(in[j], T(0)); });
    Butterfly<Px<T>, N>::run(x, d);
    unroll<N / 2 + 1>([&](auto k) PAWL_INLINE_LAMBDA { store_one<T>(out + 2 * k, Px<T>{x[k].v * s}); });
    out[1] = T(0);
  } else {
    constexpr std::size_t h = N / 2;
    const T* const second = table + 2 * (h + 1);
    const Reg<T> s = broadcast<T>(scale / 2), s_conjugate = s * d.sign;
    Px<T> x[h];
    unroll<h>([&](auto j) PAWL_INLINE_LAMBDA { x[j] = load_one<T>(in + 2 * j); });
    Butterfly<Px<T>, h>::run(x, d);
    const T re = x[0].v[0], im = x[0].v[1];
    if constexpr (h > 1)
      unroll<h / 2>([&](auto i) PAWL_INLINE_LAMBDA {
        constexpr std::size_t k = i + 1, mirror = h - k;
        if constexpr (k == mirror) {
          store_one<T>(out + 2 * k, Px<T>{(x[k].v + x[k].v) * s_conjugate});  // w^k is -i
        } else {
          const Px<T> e{mul_add<T>(x[mirror].v, d.sign, x[k].v)}, o{sub_mul<T>(x[k].v, x[mirror].v, d.sign)};
          const Reg<T> turned =
              mul_add<T>(parts_exchanged(o).v, load_one<T>(second + 2 * k).v, o.v * load_one<T>(table + 2 * k).v);
          store_one<T>(out + 2 * k, Px<T>{(e.v + turned) * s});
          store_one<T>(out + 2 * mirror, Px<T>{(e.v - turned) * s_conjugate});
        }
      });
    out[0] = (re + im) * scale;
    out[2 * h] = (re - im) * scale;
    out[1] = out[2 * h + 1] = T(0);
  }
}

template <class T, std::size_t N>
static void real_single_inverse(const T* in, [[maybe_unused]] const T* table, T* out, T scale) noexcept {
  const Direction<Px<T>> d = direction<T>(true);
  const Reg<T> s = broadcast<T>(scale), conjugate = direction<T>(false).sign;
  if constexpr (has_folded<T, N>) return real_folded_inverse<T, N>(in, table, out, scale);
  if constexpr (is_alone_in_lanes<N>) {
    Reg<T> x[N];
    Cx<T> y[N / 2 + 1];
    y[0] = real_cx<T>(broadcast<T>(in[0]));
    unroll<N / 2>([&](auto i) PAWL_INLINE_LAMBDA {
      constexpr std::size_t k = i + 1;
      y[k] = {broadcast<T>(in[2 * k]), broadcast<T>(in[2 * k + 1])};
    });
    RealButterfly<T, N>::inverse(y, x);
    unroll<N>([&](auto j) PAWL_INLINE_LAMBDA { out[j] = (x[j] * s)[0]; });
    return;
  }
  if constexpr (N % 2 != 0) {
    Px<T> x[N];
    x[0] = one_number<T>(in[0], T(0));
    unroll<N / 2>([&](auto i) PAWL_INLINE_LAMBDA {
      constexpr std::size_t k = i + 1;
      x[k] = load_one<T>(in + 2 * k);
      x[N - k] = {x[k].v * conjugate};
    });
    Butterfly<Px<T>, N>::run(x, d);
    unroll<N>([&](auto j) PAWL_INLINE_LAMBDA { out[j] = x[j].v[0] * scale; });
  } else {
    constexpr std::size_t h = N / 2;
    const T* const second = table + 2 * (h + 1);
    Px<T> x[h];
    x[0] = one_number<T>(in[0] + in[2 * h], in[0] - in[2 * h]);
    if constexpr (h > 1)
      unroll<h / 2>([&](auto i) PAWL_INLINE_LAMBDA {
        constexpr std::size_t k = i + 1, mirror = h - k;
        const Px<T> a = load_one<T>(in + 2 * k);
        if constexpr (k == mirror) {
          x[k] = {(a.v + a.v) * conjugate};
        } else if constexpr (k < mirror) {
          const Px<T> b = load_one<T>(in + 2 * mirror);
          const Px<T> e{mul_add<T>(b.v, conjugate, a.v)}, o{sub_mul<T>(a.v, b.v, conjugate)};
          const Reg<T> turned =
              sub_mul<T>(o.v * load_one<T>(table + 2 * k).v, parts_exchanged(o).v, load_one<T>(second + 2 * k).v);
          x[k] = {e.v + turned};
          x[mirror] = {(e.v - turned) * conjugate};
        }
      });
    Butterfly<Px<T>, h>::run(x, d);
    unroll<h>([&](auto j) PAWL_INLINE_LAMBDA { store_one<T>(out + 2 * j, Px<T>{x[j].v * s}); });
  }
}
#endif

}  // namespace pawl::PAWL_ISA_NS
