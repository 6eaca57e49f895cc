// pairs_long.kernel.hpp -- a line of rows x columns points, 60 to 640 of them: both halves in one function.
//
// The halves of pairs_line.kernel.hpp with both lengths known to the compiler, so that no address is computed, and with
// what lies between them on the stack.
#pragma once
#include <iterator>
#include <type_traits>
#include <utility>

#include "kernels/fft/fft_long.hpp"
#if defined(PAWL_ISA_IS_avx2)
#include "kernels/fft/long_butterfly.kernel.hpp"
#include "kernels/fft/pairs.kernel.hpp"
#endif

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx2)
template <class T, std::size_t R, std::size_t C>
static void pairs_long(const T* in, T* out, const T* twiddles, bool inverse, T scale) noexcept {
  constexpr std::size_t P = pair_lanes<T>, kVector = lanes<T>, kTiles = (C + P - 1) / P;
  // Rows whose distance is a multiple of 512 bytes share few places of L1: 1024 points of f64 took 1.1 times as long.
  constexpr bool is_shared = kTiles * kVector * sizeof(T) % 512 == 0;
  constexpr std::size_t kRow = (kTiles + (is_shared ? 1 : 0)) * kVector;
  const Direction<Px<T>> d = direction<T>(inverse);
  const Reg<T> s = broadcast<T>(scale);
  alignas(64) T block[R * kRow];
  T* to = block;
  const auto column_vector = [&](auto count) PAWL_INLINE_LAMBDA {
    Px<T> x[R];
    unroll<R>([&](auto j) PAWL_INLINE_LAMBDA { x[j] = load_px<T>(in + 2 * j * C, count); });
    Butterfly<Px<T>, R>::run(x, d);
    store_reg<T>(to, x[0].v);
    unroll<R - 1>([&](auto j) PAWL_INLINE_LAMBDA {
      store_reg<T>(to + (j + 1) * kRow, times_table<T>(x[j + 1], twiddles + j * 2 * kVector).v);
    });
  };
  for (std::size_t c = 0; c + P <= C; c += P, in += kVector, to += kVector, twiddles += (R - 1) * 2 * kVector)
    column_vector(std::integral_constant<std::size_t, P>{});
  if constexpr (C % P != 0) column_vector(std::integral_constant<std::size_t, C % P>{});
  const T* from = block;
  const auto row_vector = [&](auto count) PAWL_INLINE_LAMBDA {
    Px<T> x[C];
    unroll<kTiles>([&](auto tile) PAWL_INLINE_LAMBDA {
      Px<T> y[P];
      unroll<P>([&](auto r) PAWL_INLINE_LAMBDA {  // rows that are not there: the last one once more
        y[r] = {load_reg<T>(from + (r < count ? r : count - 1) * kRow + tile * kVector)};
      });
      transpose_px<T>(y);
      unroll<P>([&](auto r) PAWL_INLINE_LAMBDA {
        if constexpr (tile * P + r < C) x[tile * P + r] = y[r];
      });
    });
    Butterfly<Px<T>, C>::run(x, d);
    unroll<C>([&](auto j) PAWL_INLINE_LAMBDA { store_px<T>(out + 2 * j * R, Px<T>{x[j].v * s}, count); });
  };
  for (std::size_t k = 0; k + P <= R; k += P, from += P * kRow, out += kVector)
    row_vector(std::integral_constant<std::size_t, P>{});
  if constexpr (R % P != 0) row_vector(std::integral_constant<std::size_t, R % P>{});
}

struct LongHalves {
  std::size_t rows, columns;
};
// With avx2, whose 16 registers make passes over columns slow: those of each length that took least on a Zen 3, of two
// or three. Beside the ways of line.cpp 160 to 640 points took 0.55 to 0.95 of the time, and 60 to 144, beside a
// function without loops (pairs_whole.kernel.hpp), 0.7 to 0.95. Longer ones go by halves.kernel.hpp.
template <class T>
inline constexpr LongHalves kLong[] = {{0, 0}};
template <>
inline constexpr LongHalves kLong<float>[] = {
    {6, 10},  {9, 7},   {16, 4},  {13, 5},  {6, 11},  {10, 7},  {12, 6},  {5, 15},  {7, 11},  {6, 13},  {4, 20},
    {9, 9},   {7, 12},  {8, 11},  {9, 10},  {7, 13},  {12, 8},  {7, 14},  {9, 11},  {10, 10}, {8, 13},  {7, 15},
    {12, 9},  {10, 11}, {8, 14},  {9, 13},  {12, 10}, {11, 11}, {5, 25},  {9, 14},  {8, 16},  {13, 10}, {12, 11},
    {9, 15},  {10, 14}, {13, 11}, {12, 12}, {10, 15}, {8, 20},  {12, 15}, {16, 12}, {10, 20}, {12, 18}, {16, 14},
    {15, 15}, {12, 20}, {10, 25}, {16, 16}, {20, 13}, {12, 24}, {15, 20}, {16, 20}, {18, 20}, {15, 25}, {24, 16},
    {20, 20}, {18, 24}, {18, 25}, {24, 20}, {20, 25}, {16, 32}, {24, 24}, {24, 25}, {25, 25}, {20, 32}};
template <>
inline constexpr LongHalves kLong<double>[] = {
    {10, 6},  {7, 9},   {8, 8},   {5, 13},  {6, 11},  {7, 10},  {6, 12},  {15, 5},  {7, 11},  {6, 13},  {10, 8},
    {9, 9},   {6, 14},  {8, 11},  {6, 15},  {7, 13},  {12, 8},  {14, 7},  {9, 11},  {10, 10}, {8, 13},  {15, 7},
    {9, 12},  {10, 11}, {14, 8},  {9, 13},  {10, 12}, {11, 11}, {5, 25},  {9, 14},  {16, 8},  {10, 13}, {12, 11},
    {15, 9},  {10, 14}, {11, 13}, {12, 12}, {15, 10}, {16, 10}, {12, 15}, {16, 12}, {20, 10}, {12, 18}, {16, 14},
    {15, 15}, {12, 20}, {25, 10}, {16, 16}, {20, 13}, {12, 24}, {15, 20}, {16, 20}, {18, 20}, {15, 25}, {16, 24},
    {20, 20}, {24, 18}, {25, 18}, {20, 24}, {20, 25}, {16, 32}, {24, 24}, {25, 24}, {25, 25}, {20, 32}};
#endif

template <class T>
static constexpr FftLong<T> fft_long() {
  FftLong<T> table{};
#if defined(PAWL_ISA_IS_avx2)
  const auto set = [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((table.lines[I] = {static_cast<std::uint16_t>(kLong<T>[I].rows * kLong<T>[I].columns),
                        static_cast<std::uint16_t>(kLong<T>[I].rows),
                        pairs_long<T, kLong<T>[I].rows, kLong<T>[I].columns>}),
     ...);
  };
  table.count = std::size(kLong<T>);
  set(std::make_index_sequence<std::size(kLong<T>)>());
#endif
  return table;
}

}  // namespace pawl::PAWL_ISA_NS
