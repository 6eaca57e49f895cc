// narrow.kernel.hpp -- a matrix of two to seven columns (or rows) -> its transpose, by shuffles of whole vectors.
//
// Its rows are shorter than a good tile. W of them fill N vectors, and each lane of a vector of the result is taken
// from these: one shuffle of two vectors, and another for each further one. Other ISAs than AVX-512 have no such
// shuffle; AVX2 takes tiles that are wider than the columns.
#pragma once
#include "kernels/layout/tile.kernel.hpp"
#include "kernels/vec_bits.hpp"

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx512)
// Which number each lane of vector K of the result is: of the first two vectors, counted on from one to the other, or
// of vector s where its bit of from[s] is set. kGroup numbers are an element that stays together.
template <class T, std::size_t N, std::size_t K, bool kJoin, std::size_t kGroup>
struct NarrowPlaces {
  alignas(64) typename Format<T>::Integer place[lanes<T>];
  std::uint32_t from[N];
  constexpr NarrowPlaces() : place{}, from{} {
    constexpr std::size_t W = lanes<T> / kGroup;
    for (std::size_t lane = 0; lane < lanes<T>; ++lane) {
      const std::size_t at = kJoin ? K * W + lane / kGroup : lane / kGroup * N + K;
      const std::size_t vector = kJoin ? at % N : at / W, element = kJoin ? at / N : at % W;
      place[lane] = static_cast<typename Format<T>::Integer>((vector < 2 ? vector * W + element : element) * kGroup +
                                                             lane % kGroup);
      from[vector] |= 1u << lane;
    }
  }
};
template <class T, std::size_t N, std::size_t K, bool kJoin, std::size_t kGroup>
inline constexpr NarrowPlaces<T, N, K, kJoin, kGroup> kNarrowPlaces;

// Vector K of the result of N vectors.
template <std::size_t K, bool kJoin, std::size_t kGroup = 1, class T, std::size_t N>
PAWL_INLINE Vec<T> shuffle_narrow(const Vec<T> (&v)[N]) {
  constexpr auto& places = kNarrowPlaces<T, N, K, kJoin, kGroup>;
  const __m512i place = _mm512_load_si512(places.place);
  [[maybe_unused]] const auto other = [&](Vec<T> result, auto s) PAWL_INLINE_LAMBDA {
    if constexpr (places.from[s] == 0)
      return result;
    else if constexpr (sizeof(T) == 4)
      return Vec<T>(_mm512_mask_permutexvar_ps(result, static_cast<__mmask16>(places.from[s]), place, v[s]));
    else
      return Vec<T>(_mm512_mask_permutexvar_pd(result, static_cast<__mmask8>(places.from[s]), place, v[s]));
  };
  Vec<T> result;
  if constexpr (sizeof(T) == 4)
    result = Vec<T>(_mm512_permutex2var_ps(v[0], place, v[1]));
  else
    result = Vec<T>(_mm512_permutex2var_pd(v[0], place, v[1]));
  if constexpr (N > 2)
    unroll<N - 2>([&](auto s)
                      PAWL_INLINE_LAMBDA { result = other(result, std::integral_constant<std::size_t, s + 2>{}); });
  return result;
}

// How many of `count` elements vector K of several holds.
template <class T>
PAWL_INLINE std::size_t in_vector(std::size_t k, std::size_t count) {
  constexpr std::size_t W = lanes<T>;
  return count <= k * W ? 0 : count - k * W < W ? count - k * W : W;
}

// N columns of m contiguous rows of N elements, W rows at a time.
template <class T, std::size_t N>
PAWL_INLINE void part_columns(const T* x, std::size_t m, T* out, std::ptrdiff_t out_stride) {
  constexpr std::size_t W = lanes<T>;
  Vec<T> v[N];
  std::size_t i = 0;
  for (; i + W <= m; i += W) {
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = load<T>(x + i * N + k * W); });
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA {
      store<T>(out + static_cast<std::ptrdiff_t>(k) * out_stride + static_cast<std::ptrdiff_t>(i),
               shuffle_narrow<k, false>(v));
    });
  }
  if (const std::size_t left = m - i; left != 0) {
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = load_first<T>(x + i * N + k * W, in_vector<T>(k, left * N)); });
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA {
      store_first<T>(out + static_cast<std::ptrdiff_t>(k) * out_stride + static_cast<std::ptrdiff_t>(i),
                     shuffle_narrow<k, false>(v), left);
    });
  }
}

// The reverse: n columns of N rows into n contiguous rows of N elements.
template <class T, std::size_t N>
PAWL_INLINE void join_rows(const T* x, std::ptrdiff_t x_stride, std::size_t n, T* out) {
  constexpr std::size_t W = lanes<T>;
  const auto row = [&](std::size_t k, std::size_t j) PAWL_INLINE_LAMBDA {
    return x + static_cast<std::ptrdiff_t>(k) * x_stride + static_cast<std::ptrdiff_t>(j);
  };
  Vec<T> v[N];
  std::size_t j = 0;
  for (; j + W <= n; j += W) {
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = load<T>(row(k, j)); });
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA { store<T>(out + j * N + k * W, shuffle_narrow<k, true>(v)); });
  }
  if (const std::size_t left = n - j; left != 0) {
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = load_first<T>(row(k, j), left); });
    unroll<N>([&](auto k) PAWL_INLINE_LAMBDA {
      store_first<T>(out + j * N + k * W, shuffle_narrow<k, true>(v), in_vector<T>(k, left * N));
    });
  }
}

// Up to so many columns or rows; what follows are tiles of 8 x 8 (f32). Time of the smallest tiles over time so on a
// Zen 5: f32 4 x 165 3.3, 5 x 325 4.3, 6 x 117 1.9, 395 x 6 1.9, 7 x 323 2.1; f64 2 x 1842 4.2, 3 x 492 4.3, 97 x
// 5 1.9.
inline constexpr std::size_t kNarrowest = 7;

// Contiguous rows of `narrow` elements, or into such rows; false, and nothing is done, if `narrow` is not 2 .. N.
template <class T, std::size_t N = kNarrowest>
PAWL_INLINE bool part_narrow(std::size_t narrow, const T* x, std::size_t m, T* out, std::ptrdiff_t out_stride) {
  if (narrow == N) return part_columns<T, N>(x, m, out, out_stride), true;
  if constexpr (N > 2) return part_narrow<T, N - 1>(narrow, x, m, out, out_stride);
  return false;
}
template <class T, std::size_t N = kNarrowest>
PAWL_INLINE bool join_narrow(std::size_t narrow, const T* x, std::ptrdiff_t x_stride, std::size_t n, T* out) {
  if (narrow == N) return join_rows<T, N>(x, x_stride, n, out), true;
  if constexpr (N > 2) return join_narrow<T, N - 1>(narrow, x, x_stride, n, out);
  return false;
}
#elif defined(PAWL_ISA_IS_avx2)
// N columns of contiguous rows by tiles that are wider than these: what they read beyond a row is the next one's, and
// the rows that come of it are not written. Returns how many of the m rows were done; none after which too little is
// there.
template <class T, std::size_t N>
PAWL_INLINE std::size_t part_columns(const T* x, std::size_t m, T* out, std::ptrdiff_t out_stride) {
  constexpr std::size_t W = lanes<T>, kAcross = (N + kLane<T> - 1) / kLane<T>, kBeyond = kAcross * kLane<T> - N;
  constexpr std::size_t kRowsBeyond = (kBeyond + N - 1) / N;
  std::size_t i = 0;
  for (; i + W + kRowsBeyond <= m; i += W) {
    std::size_t row = 0;
    transpose_tile<T, W / kLane<T>, false, kAcross>(x + i * N, static_cast<std::ptrdiff_t>(N), out + i, out_stride,
                                                    [&](T* p, auto v) PAWL_INLINE_LAMBDA {
                                                      if (row++ < N) __builtin_memcpy(p, &v, sizeof(v));
                                                    });
  }
  return i;
}

// Up to so many columns of f32; from a whole tile's width on tiles need nothing else. Time of the smallest tiles and of
// going element by element over time so on an Emerald Rapids, f32: 1000 x 2 4.5, 1000 x 3 6.3, 1000 x 5
// 2.7, 100 x 6 2.5, 1000 x 7 1.7, 100000 x 3 1.6 to 2.8; f64 1000 x 2 1.8, 1000 x 3 2.2.
template <class T>
inline constexpr std::size_t kNarrowest = lanes<T> - 1;

// As part_columns, if there are 2 .. N columns.
template <class T, std::size_t N = kNarrowest<T> >
PAWL_INLINE std::size_t part_narrow(std::size_t narrow, const T* x, std::size_t m, T* out, std::ptrdiff_t out_stride) {
  if (narrow == N) return part_columns<T, N>(x, m, out, out_stride);
  if constexpr (N > 2) return part_narrow<T, N - 1>(narrow, x, m, out, out_stride);
  return 0;
}
#endif

}  // namespace pawl::PAWL_ISA_NS
