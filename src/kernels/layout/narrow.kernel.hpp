// narrow.kernel.hpp -- a matrix of two or three columns (or rows) -> its transpose, by shuffles of whole vectors.
//
// Its rows are shorter than the smallest tile. W of them fill N vectors, and each lane of a vector of the result is
// taken from these: one shuffle of two vectors, and another for the third. Other ISAs than AVX-512 have no such
// shuffle.
#pragma once
#include "kernels/vec_bits.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
// Which element each lane of vector K of the result is: of the first two vectors, counted on from one to the other, or
// of the third one where its bit is set.
template <class T, std::size_t N, std::size_t K, bool kJoin>
struct NarrowPlaces {
  alignas(64) typename Format<T>::Integer place[lanes<T>];
  std::uint32_t third;
  constexpr NarrowPlaces() : place{}, third(0) {
    constexpr std::size_t W = lanes<T>;
    for (std::size_t lane = 0; lane < W; ++lane) {
      const std::size_t at = kJoin ? K * W + lane : lane * N + K;
      const std::size_t vector = kJoin ? at % N : at / W, element = kJoin ? at / N : at % W;
      place[lane] = static_cast<typename Format<T>::Integer>(vector < 2 ? vector * W + element : element);
      third |= static_cast<std::uint32_t>(vector == 2) << lane;
    }
  }
};
template <class T, std::size_t N, std::size_t K, bool kJoin>
inline constexpr NarrowPlaces<T, N, K, kJoin> kNarrowPlaces;

// Vector K of the result of N vectors.
template <std::size_t K, bool kJoin, class T, std::size_t N>
PAWL_INLINE Vec<T> shuffle_narrow(const Vec<T> (&v)[N]) {
  static_assert(N == 2 || N == 3);
  constexpr auto& places = kNarrowPlaces<T, N, K, kJoin>;
  const __m512i place = _mm512_load_si512(places.place);
  if constexpr (sizeof(T) == 4) {
    const __m512 two = _mm512_permutex2var_ps(v[0], place, v[1]);
    return Vec<T>(N == 2 ? two
                         : _mm512_mask_permutexvar_ps(two, static_cast<__mmask16>(places.third), place, v[N - 1]));
  } else {
    const __m512d two = _mm512_permutex2var_pd(v[0], place, v[1]);
    return Vec<T>(N == 2 ? two : _mm512_mask_permutexvar_pd(two, static_cast<__mmask8>(places.third), place, v[N - 1]));
  }
}

// N columns of m contiguous rows of N elements, W rows at a time; returns how many rows were done.
template <class T, std::size_t N>
PAWL_INLINE std::size_t part_columns(const T* x, std::size_t m, T* out, std::ptrdiff_t out_stride) {
  constexpr std::size_t W = lanes<T>;
  std::size_t i = 0;
  for (; i + W <= m; i += W) {
    Vec<T> v[N];
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = load<T>(x + i * N + k * W); });
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA {
      store<T>(out + static_cast<std::ptrdiff_t>(k) * out_stride + static_cast<std::ptrdiff_t>(i),
               shuffle_narrow<k, false>(v));
    });
  }
  return i;
}

// The reverse: n columns of N rows into n contiguous rows of N elements; returns how many columns were done.
template <class T, std::size_t N>
PAWL_INLINE std::size_t join_rows(const T* x, std::ptrdiff_t x_stride, std::size_t n, T* out) {
  constexpr std::size_t W = lanes<T>;
  std::size_t j = 0;
  for (; j + W <= n; j += W) {
    Vec<T> v[N];
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA {
      v[k] = load<T>(x + static_cast<std::ptrdiff_t>(k) * x_stride + static_cast<std::ptrdiff_t>(j));
    });
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA { store<T>(out + j * N + k * W, shuffle_narrow<k, true>(v)); });
  }
  return j;
}
#endif

}  // namespace pawl::PAWL_ISA_NS
