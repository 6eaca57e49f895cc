// interleave.kernel.hpp -- pairs (re, im) in memory <-> complex vectors; whole rows of them <-> blocks.
//
// An inverse transform is a forward one of numbers whose real and imaginary parts have changed places, before and after
// (Duhamel, Piron, Etcheto, "On computing the inverse DFT", 1988). The exchange happens here and costs nothing where
// shuffles take their pattern from a register.
#pragma once
#include "kernels/fft/complex.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

/// Two vectors of pairs -> a complex vector, lanes in order.
template <class T>
PAWL_INLINE Cx<T> deinterleave(Reg<T> low, Reg<T> high) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4) {
    const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
    return {_mm512_permutex2var_ps(low, even, high), _mm512_permutex2var_ps(low, odd, high)};
  } else {
    const __m512i even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
    return {_mm512_permutex2var_pd(low, even, high), _mm512_permutex2var_pd(low, odd, high)};
  }
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4) {
    const __m256 a = _mm256_permute2f128_ps(low, high, 0x20), b = _mm256_permute2f128_ps(low, high, 0x31);
    return {_mm256_shuffle_ps(a, b, 0x88), _mm256_shuffle_ps(a, b, 0xDD)};
  } else {
    const __m256d a = _mm256_permute2f128_pd(low, high, 0x20), b = _mm256_permute2f128_pd(low, high, 0x31);
    return {_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)};
  }
#elif defined(PAWL_ISA_IS_sse2)
  if constexpr (sizeof(T) == 4)
    return {_mm_shuffle_ps(low, high, 0x88), _mm_shuffle_ps(low, high, 0xDD)};
  else
    return {_mm_unpacklo_pd(low, high), _mm_unpackhi_pd(low, high)};
#elif defined(PAWL_ISA_IS_neon)
  if constexpr (sizeof(T) == 4)
    return {vuzp1q_f32(low, high), vuzp2q_f32(low, high)};
  else
    return {vuzp1q_f64(low, high), vuzp2q_f64(low, high)};
#else
  return {low, high};
#endif
}

/// The first and the second half of the pairs of a complex vector.
template <class T>
struct Pairs {
  Reg<T> low, high;
};
template <class T>
PAWL_INLINE Pairs<T> interleave(Cx<T> x) {
#if defined(PAWL_ISA_IS_avx512)
  if constexpr (sizeof(T) == 4) {
    const __m512i low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m512i high = _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8);
    return {_mm512_permutex2var_ps(x.re, low, x.im), _mm512_permutex2var_ps(x.re, high, x.im)};
  } else {
    const __m512i low = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    const __m512i high = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    return {_mm512_permutex2var_pd(x.re, low, x.im), _mm512_permutex2var_pd(x.re, high, x.im)};
  }
#elif defined(PAWL_ISA_IS_avx2)
  if constexpr (sizeof(T) == 4) {
    const __m256 a = _mm256_unpacklo_ps(x.re, x.im), b = _mm256_unpackhi_ps(x.re, x.im);
    return {_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31)};
  } else {
    const __m256d a = _mm256_unpacklo_pd(x.re, x.im), b = _mm256_unpackhi_pd(x.re, x.im);
    return {_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31)};
  }
#elif defined(PAWL_ISA_IS_sse2)
  if constexpr (sizeof(T) == 4)
    return {_mm_unpacklo_ps(x.re, x.im), _mm_unpackhi_ps(x.re, x.im)};
  else
    return {_mm_unpacklo_pd(x.re, x.im), _mm_unpackhi_pd(x.re, x.im)};
#elif defined(PAWL_ISA_IS_neon)
  if constexpr (sizeof(T) == 4)
    return {vzip1q_f32(x.re, x.im), vzip2q_f32(x.re, x.im)};
  else
    return {vzip1q_f64(x.re, x.im), vzip2q_f64(x.re, x.im)};
#else
  return {x.re, x.im};
#endif
}

template <class T>
PAWL_INLINE Cx<T> exchanged(Cx<T> x, bool swapped) {
  return swapped ? Cx<T>{x.im, x.re} : x;
}

/// lanes pairs at p, or the first `count` of them, the others 0.
template <class T>
PAWL_INLINE Cx<T> load_pairs(const T* p, bool swapped) {
  return exchanged<T>(deinterleave<T>(load_once<T>(p), load_once<T>(p + lanes<T>)), swapped);
}
template <class T>
PAWL_INLINE Cx<T> load_pairs_first(const T* p, std::size_t count, bool swapped) {
  constexpr std::size_t W = lanes<T>;
  const std::size_t low = 2 * count < W ? 2 * count : W;
  return exchanged<T>(deinterleave<T>(load_reg_first<T>(p, low), load_reg_first<T>(p + low, 2 * count - low)), swapped);
}

template <class T>
PAWL_INLINE void store_pairs(T* p, Cx<T> x, bool swapped) {
  const Pairs<T> pairs = interleave<T>(exchanged<T>(x, swapped));
  store_reg<T>(p, pairs.low);
  store_reg<T>(p + lanes<T>, pairs.high);
}
template <class T>
PAWL_INLINE void store_pairs_first(T* p, Cx<T> x, std::size_t count, bool swapped) {
  constexpr std::size_t W = lanes<T>;
  const std::size_t low = 2 * count < W ? 2 * count : W;
  const Pairs<T> pairs = interleave<T>(exchanged<T>(x, swapped));
  store_reg_first<T>(p, pairs.low, low);
  store_reg_first<T>(p + low, pairs.high, 2 * count - low);
}

template <class T>
static void load_rows(const T* user, std::ptrdiff_t user_row, std::size_t rows, std::size_t columns, T* out,
                      std::size_t out_row, bool swapped) noexcept {
  constexpr std::size_t W = lanes<T>;
  for (std::size_t r = 0; r < rows; ++r, user += user_row, out += out_row) {
    std::size_t c = 0;
    for (; c + W <= columns; c += W) store_cx<T>(out + 2 * c, load_pairs<T>(user + 2 * c, swapped));
    if (c < columns) store_cx<T>(out + 2 * c, load_pairs_first<T>(user + 2 * c, columns - c, swapped));
  }
}

template <class T>
static void store_rows(const T* in, std::size_t in_row, std::size_t rows, std::size_t columns, T* user,
                       std::ptrdiff_t user_row, bool swapped, T scale, bool past_caches) noexcept {
  constexpr std::size_t W = lanes<T>;
  const Reg<T> s = broadcast<T>(scale);
  const auto scaled = [&](const T* p) PAWL_INLINE_LAMBDA {
    const Cx<T> x = load_cx<T>(p);
    return Cx<T>{x.re * s, x.im * s};
  };
  for (std::size_t r = 0; r < rows; ++r, user += user_row, in += in_row) {
    std::size_t c = 0;
    if (past_caches)
      for (; c + W <= columns; c += W) {
        const Pairs<T> pairs = interleave<T>(exchanged<T>(scaled(in + 2 * c), swapped));
        stream_reg<T>(user + 2 * c, pairs.low);
        stream_reg<T>(user + 2 * c + W, pairs.high);
      }
    for (; c + W <= columns; c += W) store_pairs<T>(user + 2 * c, scaled(in + 2 * c), swapped);
    if (c < columns) store_pairs_first<T>(user + 2 * c, scaled(in + 2 * c), columns - c, swapped);
  }
  if (past_caches) stream_end();
}

}  // namespace pawl::PAWL_ISA_NS
