// real_rows.kernel.hpp -- two rows of a transform of pairs along all axes <-> the same of the real numbers in them.
//
// As real.kernel.hpp, where results k and h - k of one line need each other. Of an array they are in rows that are each
// other's mirror image along the other axes. Vectors hold pairs as memory does, which takes half as many shuffles as
// parts in vectors of their own.
#pragma once
#include <cstdint>
#include <type_traits>

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

#if !defined(PAWL_ISA_IS_scalar)
/// Number 0 of `first`, the others of `rest`.
template <class T>
PAWL_INLINE Px<T> first_and_rest(Px<T> first, Px<T> rest) {
#if defined(PAWL_ISA_IS_avx512)
  return {(Reg<T>)_mm512_mask_blend_pd(sizeof(T) == 4 ? 1 : 3, (Reg<double>)rest.v, (Reg<double>)first.v)};
#elif defined(PAWL_ISA_IS_avx2)
  return {(Reg<T>)_mm256_blend_pd((Reg<double>)rest.v, (Reg<double>)first.v, sizeof(T) == 4 ? 1 : 3)};
#elif defined(PAWL_ISA_IS_sse2)
  if constexpr (sizeof(T) == 4)
    return {(Reg<T>)_mm_move_sd((Reg<double>)rest.v, (Reg<double>)first.v)};
  else
    return first;
#else
  if constexpr (sizeof(T) == 4)
    return {vcombine_f32(vget_low_f32(first.v), vget_high_f32(rest.v))};
  else
    return first;
#endif
}

#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
// For each count up to pair_lanes the numbers (from_last ? count - 1 - i : -i) mod count, as indices of the parts that
// a permutation moves.
template <class T, bool from_last>
struct MirrorIndices {
  using Part = std::conditional_t<sizeof(Reg<T>) == 64, std::uint64_t, std::uint32_t>;
  static constexpr std::size_t P = pair_lanes<T>, kParts = 2 * sizeof(T) / sizeof(Part);  // of a number
  alignas(64) Part parts[P + 1][P * kParts] = {};
  constexpr MirrorIndices() {
    for (std::size_t count = 1; count <= P; ++count)
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t part = 0; part < kParts; ++part)
          parts[count][i * kParts + part] =
              static_cast<Part>((from_last ? count - 1 - i : (count - i) % count) * kParts + part);
  }
};
template <class T, bool from_last>
static constexpr MirrorIndices<T, from_last> kMirrorIndices{};
#endif

/// Of the first `count` numbers of x the one that is number -i mod `count` at place i, or the last ones first.
template <class T, bool from_last>
PAWL_INLINE Px<T> mirrored(Px<T> x, [[maybe_unused]] std::size_t count) {
#if defined(PAWL_ISA_IS_avx512)
  const __m512i indices = _mm512_load_si512(kMirrorIndices<T, from_last>.parts[count]);
  return {(Reg<T>)_mm512_permutexvar_pd(indices, (Reg<double>)x.v)};
#elif defined(PAWL_ISA_IS_avx2)
  const __m256i indices =
      _mm256_load_si256(reinterpret_cast<const __m256i*>(kMirrorIndices<T, from_last>.parts[count]));
  return {(Reg<T>)_mm256_permutevar8x32_ps((Reg<float>)x.v, indices)};
#else
  if constexpr (from_last && pair_lanes<T> == 2)
    return count == 2 ? reversed_px(x) : x;
  else
    return x;  // of one or two numbers -i is i
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

// All rows of a small array, `count` of h pairs each side by side, whose mirror images are rows mirror[i]: every row by
// itself, which takes half as many operations more than by twos but neither a copy of element 0 behind the last nor
// rows of P pairs.
template <class T>
static void split_all(const T* rows, const std::uint32_t* mirror, std::size_t count, std::size_t h, const T* table,
                      T* out, T scale) noexcept {
  const T* const second = table + 2 * (h + 1);
  const Reg<T> s = broadcast<T>(scale / 2);
  for (std::size_t i = 0; i < count; ++i, out += 2 * (h + 1)) {
    const T *const a = rows + 2 * h * i, *const b = rows + 2 * h * std::size_t{mirror[i]};
#if defined(PAWL_ISA_IS_scalar)
    for (std::size_t k = 0; k <= h; ++k) {
      const T *const x = a + 2 * (k % h), *const y = b + 2 * ((h - k) % h);
      const Cx<T> low = untangle<T, true>(Cx<T>{x[0], x[1]}, Cx<T>{y[0], y[1]}, Cx<T>{second[2 * k], table[2 * k]}).low;
      out[2 * k] = low.re * s;
      out[2 * k + 1] = low.im * s;
    }
#else
    constexpr std::size_t P = pair_lanes<T>;
    const Reg<T> conjugate = direction<T>(false).sign;
    const auto both = [&](Px<T> x, Px<T> y, std::size_t k, auto&& store) PAWL_INLINE_LAMBDA {
      const Px<T> e{mul_add<T>(y.v, conjugate, x.v)}, d{sub_mul<T>(x.v, y.v, conjugate)};
      const Reg<T> o = mul_add<T>(parts_exchanged(d).v, load_reg<T>(second + 2 * k), d.v * load_reg<T>(table + 2 * k));
      store(e.v, o);
    };
    const std::size_t first = h < P ? h : P;
    const Px<T> front = load_px<T>(b, first);
    const Px<T> y = h <= P ? mirrored<T, false>(front, h)
                           : first_and_rest<T>(front, mirrored<T, false>({load_reg<T>(b + 2 * (h - P))}, P));
    both(load_px<T>(a, first), y, 0, [&](Reg<T> e, Reg<T> o) PAWL_INLINE_LAMBDA {
      store_px<T>(out, Px<T>{(e + o) * s}, first);
      store_one<T>(out + 2 * h, Px<T>{(e - o) * s});  // w^h is -1
    });
    const auto rest = [&](std::size_t k) PAWL_INLINE_LAMBDA {
      both({load_reg<T>(a + 2 * k)}, reversed_px<T>({load_reg<T>(b + 2 * (h + 1 - k - P))}), k,
           [&](Reg<T> e, Reg<T> o) PAWL_INLINE_LAMBDA { store_reg<T>(out + 2 * k, (e + o) * s); });
    };
    for (std::size_t k = P; k + P <= h; k += P) rest(k);
    if (h > P && h % P != 0) rest(h - P);
#endif
  }
}

// Back, from rows of h + 1 pairs. Of elements 0 and h only what is symmetric counts.
template <class T>
static void join_all(const T* in, const std::uint32_t* mirror, std::size_t count, std::size_t h, const T* table,
                     T* rows, T scale) noexcept {
  const T* const second = table + 2 * (h + 1);
  const Reg<T> s = broadcast<T>(scale);
  for (std::size_t i = 0; i < count; ++i, rows += 2 * h) {
    const T *const a = in + 2 * (h + 1) * i, *const b = in + 2 * (h + 1) * std::size_t{mirror[i]};
#if defined(PAWL_ISA_IS_scalar)
    for (std::size_t k = 0; k < h; ++k) {
      const T *const x = a + 2 * k, *const y = b + 2 * (h - k);
      Cx<T> from{x[0], x[1]}, image{y[0], y[1]};
      if (k == 0) {
        from = {(x[0] + b[0]) / 2, (x[1] - b[1]) / 2};
        image = {(y[0] + a[2 * h]) / 2, (y[1] - a[2 * h + 1]) / 2};
      }
      const Cx<T> low = untangle<T, false>(from, image, Cx<T>{second[2 * k], table[2 * k]}).low;
      rows[2 * k] = low.re * s;
      rows[2 * k + 1] = low.im * s;
    }
#else
    constexpr std::size_t P = pair_lanes<T>;
    const Reg<T> conjugate = direction<T>(false).sign, half = broadcast<T>(T(0.5));
    const auto joined = [&](Px<T> x, Px<T> y, std::size_t k) PAWL_INLINE_LAMBDA {
      const Px<T> e{mul_add<T>(y.v, conjugate, x.v)}, d{sub_mul<T>(x.v, y.v, conjugate)};
      const Reg<T> o = sub_mul<T>(d.v * load_reg<T>(table + 2 * k), parts_exchanged(d).v, load_reg<T>(second + 2 * k));
      return Px<T>{(e.v + o) * s};
    };
    const auto symmetric = [&](Px<T> x, Px<T> image) PAWL_INLINE_LAMBDA {  // number 0
      return first_and_rest<T>({mul_add<T>(image.v, conjugate, x.v) * half}, x);
    };
    const std::size_t first = h < P ? h : P;
    const Px<T> y =
        h < P ? mirrored<T, true>(load_px<T>(b + 2, h), h) : reversed_px<T>({load_reg<T>(b + 2 * (h + 1 - P))});
    store_px<T>(rows,
                joined(symmetric(load_px<T>(a, first), load_px<T>(b, first)), symmetric(y, load_one<T>(a + 2 * h)), 0),
                first);
    const auto rest = [&](std::size_t k) PAWL_INLINE_LAMBDA {
      store_reg<T>(rows + 2 * k,
                   joined({load_reg<T>(a + 2 * k)}, reversed_px<T>({load_reg<T>(b + 2 * (h + 1 - k - P))}), k).v);
    };
    for (std::size_t k = P; k + P <= h; k += P) rest(k);
    if (h > P && h % P != 0) rest(h - P);
#endif
  }
}

}  // namespace pawl::PAWL_ISA_NS
