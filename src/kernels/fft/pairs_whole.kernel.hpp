// pairs_whole.kernel.hpp -- a short transform of rows x columns points: both halves in registers.
//
// What lies between the halves of pairs_line.kernel.hpp goes through memory, and a vector waits for its way through the
// store buffer; here tiles of it are transposed where they are.
#pragma once
#include <iterator>
#include <utility>

#include "kernels/fft/butterfly.kernel.hpp"
#include "kernels/fft/fft_whole.hpp"
#include "kernels/fft/pairs.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if !defined(PAWL_ISA_IS_scalar)
template <class T, std::size_t R, std::size_t C>
static void pairs_whole(const T* in, T* out, const T* twiddles, bool inverse, T scale) noexcept {
  constexpr std::size_t P = pair_lanes<T>, kVector = lanes<T>, kTiles = (C + P - 1) / P, kGroups = (R + P - 1) / P;
  const Direction<Px<T>> d = direction<T>(inverse);
  const Reg<T> s = broadcast<T>(scale);
  Px<T> rows[kTiles][R];
  unroll<kTiles>([&](auto tile) PAWL_INLINE_LAMBDA {
    constexpr std::size_t width = C - tile * P < P ? C - tile * P : P;
    Px<T>(&x)[R] = rows[tile];
    unroll<R>([&](auto j) PAWL_INLINE_LAMBDA { x[j] = load_px<T>(in + 2 * (j * C + tile * P), width); });
    Butterfly<Px<T>, R>::run(x, d);
    const T* const factors = twiddles + tile * (R - 1) * 2 * kVector;
    unroll<R - 1>([&](auto j) PAWL_INLINE_LAMBDA { x[j + 1] = times_table<T>(x[j + 1], factors + j * 2 * kVector); });
  });
  unroll<kGroups>([&](auto group) PAWL_INLINE_LAMBDA {
    constexpr std::size_t height = R - group * P < P ? R - group * P : P;
    Px<T> x[C];
    unroll<kTiles>([&](auto tile) PAWL_INLINE_LAMBDA {
      Px<T> y[P];
      unroll<P>([&](auto i) PAWL_INLINE_LAMBDA {  // rows that are not there: the last one once more
        y[i] = rows[tile][group * P + (i < height ? std::size_t{i} : height - 1)];
      });
      transpose_px<T>(y);
      unroll<P>([&](auto i) PAWL_INLINE_LAMBDA {
        if constexpr (tile * P + i < C) x[tile * P + i] = y[i];
      });
    });
    Butterfly<Px<T>, C>::run(x, d);
    unroll<C>([&](auto j)
                  PAWL_INLINE_LAMBDA { store_px<T>(out + 2 * (j * R + group * P), Px<T>{x[j].v * s}, height); });
  });
}
#endif

struct Halves {
  std::size_t rows, columns;
};
// With avx512 those of each length that took least on a Zen 5, all to 144 without factors 11 and 13 timed, 0.6 to 0.9
// of the time of two functions. Without 15 points of f32, 9 of f64 and 20, whose errors would be 1.01 to 1.08 times
// those of FFTW, and 48 of f32 as 12 x 4 since 8 x 6 and 6 x 8 have 1.01 and 1.02. With avx2 and factors 11 and 13
// those that two functions are best with (pairs_line.cpp), where on that CPU one took 0.7 to 0.99 of their time; from
// 60 points on loops are faster (pairs_long.kernel.hpp).
template <class T>
inline constexpr Halves kWhole[] = {{0, 0}};
#if defined(PAWL_ISA_IS_avx512)
template <>
inline constexpr Halves kWhole<float>[] = {
    {3, 3},  {6, 3},  {7, 3},  {4, 6},   {5, 5},  {3, 9},  {7, 4},   {5, 6},   {8, 4},  {3, 11},  {7, 5},   {6, 6},
    {3, 13}, {8, 5},  {7, 6},  {4, 11},  {5, 9},  {12, 4}, {7, 7},   {5, 10},  {4, 13}, {6, 9},   {5, 11},  {7, 8},
    {6, 10}, {7, 9},  {8, 8},  {5, 13},  {6, 11}, {7, 10}, {12, 6},  {15, 5},  {7, 11}, {6, 13},  {8, 10},  {9, 9},
    {7, 12}, {8, 11}, {15, 6}, {7, 13},  {12, 8}, {14, 7}, {9, 11},  {10, 10}, {8, 13}, {15, 7},  {12, 9},  {10, 11},
    {14, 8}, {9, 13}, {15, 8}, {11, 11}, {14, 9}, {16, 8}, {10, 13}, {12, 11}, {15, 9}, {14, 10}, {11, 13}, {12, 12}};
template <>
inline constexpr Halves kWhole<double>[] = {
    {4, 3},   {3, 5},   {3, 6},  {3, 7},   {4, 6},   {5, 5},  {3, 9},  {7, 4},  {6, 5},   {8, 4},  {3, 11},
    {7, 5},   {4, 9},   {3, 13}, {4, 10},  {6, 7},   {4, 11}, {15, 3}, {12, 4}, {7, 7},   {10, 5}, {4, 13},
    {9, 6},   {5, 11},  {4, 14}, {15, 4},  {9, 7},   {16, 4}, {5, 13}, {6, 11}, {10, 7},  {12, 6}, {15, 5},
    {7, 11},  {6, 13},  {8, 10}, {9, 9},   {12, 7},  {11, 8}, {15, 6}, {7, 13}, {12, 8},  {14, 7}, {9, 11},
    {10, 10}, {8, 13},  {15, 7}, {12, 9},  {11, 10}, {14, 8}, {9, 13}, {15, 8}, {11, 11}, {9, 14}, {16, 8},
    {10, 13}, {11, 12}, {9, 15}, {10, 14}, {11, 13}, {12, 12}};
#elif defined(PAWL_ISA_IS_avx2)
template <>
inline constexpr Halves kWhole<float>[] = {
    {3, 6},  {3, 7},  {2, 11}, {4, 6},  {5, 5},  {2, 13}, {3, 9}, {4, 7},  {3, 10}, {4, 8}, {3, 11}, {7, 5}, {6, 6},
    {3, 13}, {4, 10}, {7, 6},  {4, 11}, {3, 15}, {4, 12}, {7, 7}, {5, 10}, {4, 13}, {9, 6}, {11, 5}, {8, 7}};
template <>
inline constexpr Halves kWhole<double>[] = {{3, 6}, {3, 7},  {2, 11}, {4, 6},  {5, 5},  {2, 13}, {3, 9}, {5, 6},
                                            {4, 8}, {11, 3}, {5, 7},  {6, 6},  {3, 13}, {4, 10}, {7, 6}, {9, 5},
                                            {6, 8}, {7, 7},  {5, 10}, {13, 4}, {6, 9},  {5, 11}, {14, 4}};
#endif

template <class T>
static constexpr FftWhole<T> fft_whole() {
  FftWhole<T> whole{};
#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
  const auto set = [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((whole.of[kWhole<T>[I].rows * kWhole<T>[I].columns] = {kWhole<T>[I].rows,
                                                            pairs_whole<T, kWhole<T>[I].rows, kWhole<T>[I].columns>}),
     ...);
  };
  set(std::make_index_sequence<std::size(kWhole<T>)>());
#endif
  return whole;
}

}  // namespace pawl::PAWL_ISA_NS
