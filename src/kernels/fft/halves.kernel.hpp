// halves.kernel.hpp -- the two halves of a line of rows x columns points, 145 to 4096 of them.
//
// The first half leaves the results of each column side by side where all results will be, and the second works in
// place, its twiddles multiplied while numbers are loaded: each half touches two arrays of n pairs, and no third one
// lies between them (as FFTW's plans of two codelets do: Frigo and Johnson, "The design and implementation of FFTW3",
// Proc. IEEE 93, 2005).
#pragma once
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/fft/fft_halves.hpp"
#if defined(PAWL_ISA_IS_avx2) || defined(PAWL_ISA_IS_avx512)
#include "kernels/fft/long_butterfly.kernel.hpp"
#include "kernels/fft/pairs.kernel.hpp"
#endif

namespace pawl::PAWL_ISA_NS {

#if defined(PAWL_ISA_IS_avx2) || defined(PAWL_ISA_IS_avx512)
template <std::size_t value>
using Known = std::integral_constant<std::size_t, value>;

/// Rows of pairs, `pairs` of them apart, if that is known only when it runs. x86 adds a register, times 1, 2, 4 or 8,
/// to an address at no cost: with four of them eight rows are in reach of one pointer. Left alone, g++ 12 keeps the
/// distance to every row on the stack.
template <class T, class Length>
class RowPointers {
 public:
  PAWL_INLINE explicit RowPointers(std::size_t pairs)
      : one_(static_cast<std::ptrdiff_t>(2 * pairs * sizeof(T))), three_(3 * one_), five_(5 * one_), seven_(7 * one_) {
    __asm__("" : "+r"(one_), "+r"(three_), "+r"(five_), "+r"(seven_));
  }
  /// f(j, row j) for j < N.
  template <std::size_t N, class P, class F>
  PAWL_INLINE void each(P* first, F f) const {
    using Byte = std::conditional_t<std::is_const_v<P>, const char, char>;
    Byte* base = reinterpret_cast<Byte*>(first);
    unroll<(N + 7) / 8>([&](auto group) PAWL_INLINE_LAMBDA {
      unroll<(N - group * 8 < 8 ? N - group * 8 : 8)>([&](auto j) PAWL_INLINE_LAMBDA {
        const std::ptrdiff_t distances[] = {0, one_, 2 * one_, three_, 4 * one_, five_, 2 * three_, seven_};
        f(Known<group * 8 + j>{}, reinterpret_cast<P*>(base + distances[j]));
      });
      base += 8 * one_;
      __asm__("" : "+r"(base));
    });
  }

 private:
  std::ptrdiff_t one_, three_, five_, seven_;  // bytes
};
template <class T, std::size_t pairs>
class RowPointers<T, Known<pairs>> {
 public:
  PAWL_INLINE explicit RowPointers(std::size_t) {}
  template <std::size_t N, class P, class F>
  PAWL_INLINE void each(P* first, F f) const {
    unroll<N>([&](auto j) PAWL_INLINE_LAMBDA { f(Known<j>{}, first + 2 * pairs * j); });
  }
};

/// Whole vectors of columns.
template <class T, std::size_t R, class Columns>
PAWL_INLINE void down_half(const T* in, Columns columns, std::size_t vectors, T* out, Direction<Px<T>> d) {
  constexpr std::size_t P = pair_lanes<T>;
  const RowPointers<T, Columns> rows(columns);
  for (; vectors > 0; --vectors, in += 2 * P, out += 2 * R * P) {
    Px<T> x[R];
    rows.template each<R>(in, [&](auto j, const T* row) PAWL_INLINE_LAMBDA { x[j] = load_px<T>(row, P); });
    Butterfly<Px<T>, R>::run(x, d);
    unroll<(R + P - 1) / P>([&](auto tile) PAWL_INLINE_LAMBDA {
      Px<T> y[P];
      constexpr std::size_t height = R - tile * P < P ? R - tile * P : P;
      // Rows that are not there are never stored; they only have to be numbers.
      unroll<P>([&](auto i) PAWL_INLINE_LAMBDA { y[i] = x[tile * P + (i < height ? std::size_t{i} : 0)]; });
      transpose_px<T>(y);
      unroll<P>([&](auto i) PAWL_INLINE_LAMBDA { store_px<T>(out + 2 * (i * R + tile * P), y[i], height); });
    });
  }
}

/// Whole vectors of rows.
template <class T, std::size_t C, class Rows>
PAWL_INLINE void across_half(const T* in, Rows rows, std::size_t vectors, T* out, const T* twiddles,
                             Direction<Px<T>> d) {
  constexpr std::size_t P = pair_lanes<T>;
  const RowPointers<T, Rows> pointers(rows);
  for (; vectors > 0; --vectors, in += 2 * P, out += 2 * P, twiddles += (C - 1) * 2 * P) {
    Px<T> x[C];
    pointers.template each<C>(in, [&](auto j, const T* row) PAWL_INLINE_LAMBDA {
      x[j] = load_px<T>(row, P);
      if constexpr (j > 0) x[j] = times_pairs<T>(x[j], twiddles + (j - 1) * 2 * P);
    });
    Butterfly<Px<T>, C>::run(x, d);
    pointers.template each<C>(out, [&](auto j, T* row) PAWL_INLINE_LAMBDA { store_px<T>(row, x[j], P); });
  }
}

/// Columns of `rows` rows that fill less than a vector -> rows of a vector each, and back.
template <class T>
PAWL_INLINE void load_rest(const T* in, std::size_t distance, std::size_t rows, std::size_t count, T* out) {
  for (std::size_t j = 0; j < rows; ++j, in += 2 * distance, out += lanes<T>)
    store_reg<T>(out, load_reg_first<T>(in, 2 * count));
}
template <class T>
PAWL_INLINE void store_rest(const T* in, std::size_t distance, std::size_t rows, std::size_t count, T* out) {
  for (std::size_t j = 0; j < rows; ++j, in += lanes<T>, out += 2 * distance)
    store_px<T>(out, {load_reg<T>(in)}, count);
}

// Columns or rows left over go through the same loop, once, as vectors of their own: one for them would be as much code
// again.
template <class T, std::size_t R>
[[gnu::noinline]] static void down_half_vectors(const T* in, std::size_t columns, std::size_t vectors, T* out,
                                                bool inverse) noexcept {
  down_half<T, R>(in, columns, vectors, out, direction<T>(inverse));
}
template <class T, std::size_t R>
static void down_half_of(const T* in, std::size_t columns, T* out, bool inverse) noexcept {
  constexpr std::size_t P = pair_lanes<T>;
  const std::size_t whole = columns / P, rest = columns % P;
  down_half_vectors<T, R>(in, columns, whole, out, inverse);
  if (rest == 0) return;
  alignas(64) T vectors[2 * R * P], results[2 * R * P];
  load_rest<T>(in + 2 * P * whole, columns, R, rest, vectors);
  down_half_vectors<T, R>(vectors, P, 1, results, inverse);
  std::memcpy(out + 2 * R * P * whole, results, 2 * R * rest * sizeof(T));
}

template <class T, std::size_t C>
[[gnu::noinline]] static void across_half_vectors(const T* in, std::size_t rows, std::size_t vectors, T* out,
                                                  const T* twiddles, bool inverse) noexcept {
  across_half<T, C>(in, rows, vectors, out, twiddles, direction<T>(inverse));
}
template <class T, std::size_t C>
static void across_half_of(const T* in, std::size_t rows, std::size_t count, T* out, const T* twiddles,
                           bool inverse) noexcept {
  constexpr std::size_t P = pair_lanes<T>;
  const std::size_t whole = count / P, rest = count % P, first = 2 * P * whole;
  across_half_vectors<T, C>(in, rows, whole, out, twiddles, inverse);
  if (rest == 0) return;
  alignas(64) T vectors[2 * C * P];
  load_rest<T>(in + first, rows, C, rest, vectors);
  across_half_vectors<T, C>(vectors, P, 1, vectors, twiddles + (C - 1) * first, inverse);
  store_rest<T>(vectors, rows, C, rest, out + first);
}

template <class T>
static void scale_all(T* p, std::size_t n, T scale) noexcept {
  const Reg<T> s = broadcast<T>(scale);
  std::size_t i = 0;
  for (; i + lanes<T> <= n; i += lanes<T>) store_reg<T>(p + i, load_reg<T>(p + i) * s);
  if (i < n) store_reg_first<T>(p + i, load_reg_first<T>(p + i, n - i) * s, n - i);
}

template <class T, std::size_t R, std::size_t C>
static void whole_of_halves(const T* in, T* out, const T* twiddles, bool inverse, T scale) noexcept {
  const Direction<Px<T>> d = direction<T>(inverse);
  alignas(64) T apart[2 * R * C];
  T* const middle = in == out ? apart : out;
  constexpr std::size_t P = pair_lanes<T>;
  static_assert(R % P == 0 && C % P == 0);
  down_half<T, R>(in, Known<C>{}, C / P, middle, d);
  across_half<T, C>(static_cast<const T*>(middle), Known<R>{}, R / P, out, twiddles, d);
  if (scale != T(1)) scale_all<T>(out, 2 * R * C, scale);
}
#endif

template <class T>
static constexpr FftHalves<T> fft_halves() {
  FftHalves<T> table{};
#if defined(PAWL_ISA_IS_avx2) || defined(PAWL_ISA_IS_avx512)
  table.scale = scale_all<T>;
  const auto set_halves = [&]<std::size_t... R>(std::index_sequence<R...>) {
    ((table.down[R] = down_half_of<T, R>, table.across[R] = across_half_of<T, R>), ...);
  };
  set_halves(std::index_sequence<7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 21, 22, 24, 25, 26, 27, 28, 30, 32, 35,
                                 36, 40, 42, 45, 48, 50, 54, 56, 60, 64>());
#endif
#if defined(PAWL_ISA_IS_avx2)
  // With 16 registers lengths that are known save 3 to 8 % (on an Emerald Rapids).
  table.whole[0] = {1024, 32, whole_of_halves<T, 32, 32>};
  table.whole[1] = {2048, 32, whole_of_halves<T, 32, 64>};
  if constexpr (sizeof(T) == 4) table.whole[2] = {4096, 64, whole_of_halves<T, 64, 64>};
#endif
  return table;
}

}  // namespace pawl::PAWL_ISA_NS
