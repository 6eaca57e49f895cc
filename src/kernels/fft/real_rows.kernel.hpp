// real_rows.kernel.hpp -- two rows of a transform of pairs along all axes <-> the same of the real numbers in them.
//
// As real.kernel.hpp, where results k and h - k of one line need each other. Of an array they are in rows that are each
// other's mirror image along the other axes. Vectors hold pairs as memory does, which takes half as many shuffles as
// parts in vectors of their own.
#pragma once
#include "kernels/fft/pairs.kernel.hpp"
#include "kernels/fft/real.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if !defined(PAWL_ISA_IS_scalar)
/// Numbers in reverse.
template <class T>
PAWL_INLINE Px<T> reversed_px(Px<T> x) {
  if constexpr (sizeof(T) == 4)  // as numbers of twice the size
    return {(Reg<T>)reversed<double>((Reg<double>)x.v)};
  else
#if defined(PAWL_ISA_IS_avx512)
    return {_mm512_shuffle_f64x2(x.v, x.v, 0x1B)};
#elif defined(PAWL_ISA_IS_avx2)
    return {_mm256_permute2f128_pd(x.v, x.v, 1)};
#else
    return x;
#endif
}
#endif

// The rows may be the same. table: (im, im) and then (re, -re) of exp(-2 pi i k / (2 h)), k = 0 .. h.
template <class T, bool forward>
PAWL_INLINE void untangle_rows(const T* a, const T* b, const T* table, T* out_a, T* out_b, std::size_t h, T scale) {
  const T* const second = table + 2 * (h + 1);
#if defined(PAWL_ISA_IS_scalar)
  const auto number = [](const T* p) PAWL_INLINE_LAMBDA { return Cx<T>{broadcast<T>(p[0]), broadcast<T>(p[1])}; };
  const Reg<T> s = broadcast<T>(scale);
  const auto store = [&](T* p, Cx<T> z) PAWL_INLINE_LAMBDA {
    store_pairs_first<T>(p, Cx<T>{z.re * s, z.im * s}, 1, false);
  };
  for (std::size_t k = 0; k <= h; ++k) {
    const Both<T> r = untangle<T, forward>(number(a + 2 * k), number(b + 2 * (h - k)),
                                           Cx<T>{broadcast<T>(second[2 * k]), broadcast<T>(table[2 * k])});
    store(out_a + 2 * k, r.low);
    store(out_b + 2 * (h - k), r.high);
  }
#else
  constexpr std::size_t P = pair_lanes<T>;
  const Reg<T> conjugate = direction<T>(false).sign, s = broadcast<T>(scale), s_conjugate = s * conjugate;
  for (std::size_t step = 0; step <= h / 2; step += P) {
    // The last vectors step back to stay between 0 and h: what they do twice they do from the inputs twice.
    const std::size_t k = step + P <= h + 1 ? step : h + 1 - P, mirror = h + 1 - P - k;
    const Reg<T> re = load_reg<T>(table + 2 * k), im = load_reg<T>(second + 2 * k);
    const auto one = [&](const T* low, const T* high, T* out_low, T* out_high) PAWL_INLINE_LAMBDA {
      const Px<T> x{load_once<T>(low + 2 * k)}, y = reversed_px<T>({load_reg<T>(high + 2 * mirror)});
      const Px<T> e{mul_add<T>(y.v, conjugate, x.v)}, d{sub_mul<T>(x.v, y.v, conjugate)};
      Reg<T> o;  // -i w d, or i conj(w) d
      if constexpr (forward)
        o = mul_add<T>(parts_exchanged(d).v, im, d.v * re);
      else
        o = sub_mul<T>(d.v * re, parts_exchanged(d).v, im);
      store_reg<T>(out_low + 2 * k, (e.v + o) * s);
      store_reg<T>(out_high + 2 * mirror, reversed_px<T>({(e.v - o) * s_conjugate}).v);
    };
    one(a, b, out_a, out_b);
    if (a != b) one(b, a, out_b, out_a);
  }
#endif
}

template <class T>
static void split_rows(const T* a, const T* b, const T* table, T* out_a, T* out_b, std::size_t h, T scale) noexcept {
  untangle_rows<T, true>(a, b, table, out_a, out_b, h, scale / 2);
}
template <class T>
static void join_rows(const T* a, const T* b, const T* table, T* out_a, T* out_b, std::size_t h, T scale) noexcept {
  untangle_rows<T, false>(a, b, table, out_a, out_b, h, scale);
}

}  // namespace pawl::PAWL_ISA_NS
