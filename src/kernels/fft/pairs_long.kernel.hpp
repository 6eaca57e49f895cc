// pairs_long.kernel.hpp -- a line of rows x columns points, 160 to 1920 of them: both halves in one function.
//
// The halves of pairs_line.kernel.hpp with both lengths known to the compiler, so that no address is computed, and with
// what lies between them on the stack.
#pragma once
#include <iterator>
#include <type_traits>
#include <utility>

#include "kernels/fft/fft_long.hpp"
#include "kernels/fft/long_butterfly.kernel.hpp"
#include "kernels/fft/pairs.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if !defined(PAWL_ISA_IS_scalar)
template <class T, std::size_t R, std::size_t C>
static void pairs_long(const T* in, T* out, const T* twiddles, bool inverse, T scale) noexcept {
  constexpr std::size_t P = pair_lanes<T>, kVector = lanes<T>, kTiles = (C + P - 1) / P, kRow = kTiles * kVector;
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
#endif

struct LongHalves {
  std::size_t rows, columns;
};
// With avx2, whose 16 registers make passes over columns slow: those of each length that took least on a Zen 3, of up
// to three, 0.55 to 0.95 of the time of the ways of line.cpp. Lengths that gained less (800) or nothing (2000, 2048 and
// 4096, whose halves leave L1) are left out.
template <class T>
inline constexpr LongHalves kLong[] = {{0, 0}};
#if defined(PAWL_ISA_IS_avx2)
template <>
inline constexpr LongHalves kLong<float>[] = {
    {8, 20},  {12, 15}, {16, 12}, {10, 20}, {12, 20}, {10, 25}, {16, 16}, {12, 24}, {15, 20}, {16, 20}, {18, 20}, {24, 16},
    {20, 20}, {24, 20}, {20, 25}, {16, 32}, {24, 24}, {24, 25}, {25, 25}, {20, 32}, {24, 30}, {24, 32}, {30, 30}, {30, 32},
    {25, 40}, {32, 32}, {32, 36}, {30, 40}, {32, 40}, {36, 36}, {30, 50}, {32, 48}, {40, 40}, {40, 48}};
template <>
inline constexpr LongHalves kLong<double>[] = {
    {16, 10}, {12, 15}, {16, 12}, {20, 10}, {12, 20}, {25, 10}, {16, 16}, {12, 24}, {15, 20}, {16, 20}, {18, 20}, {16, 24},
    {20, 20}, {20, 24}, {20, 25}, {16, 32}, {24, 24}, {25, 24}, {25, 25}, {20, 32}, {24, 30}, {24, 32}, {30, 30}, {32, 30},
    {25, 40}, {32, 32}, {32, 36}, {30, 40}, {32, 40}, {36, 36}, {30, 50}, {48, 32}, {40, 40}, {40, 48}};
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
