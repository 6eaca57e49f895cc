// pairs_line.kernel.hpp -- the two halves of a short transform of rows x columns points, and transforms of a few
// points.
//
// The same decomposition as turn.kernel.hpp on vectors of pairs: first transforms of the columns and the twiddles, then
// a transposition and the transforms of the rows. Both lengths have a butterfly, so that each half is one.
#pragma once
#include "kernels/fft/butterfly.kernel.hpp"
#include "kernels/fft/pairs.kernel.hpp"
#include "kernels/fft/stores_ahead.kernel.hpp"
#include "kernels/layout/narrow.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

#if !defined(PAWL_ISA_IS_scalar)
template <class T, std::size_t R>
static void pairs_rows(const T* in, std::size_t columns, T* out, const T* twiddles, bool inverse) noexcept {
  constexpr std::size_t P = pair_lanes<T>, kVector = lanes<T>;
  const std::size_t vectors = (columns + P - 1) / P, out_row = vectors * kVector;
  const Direction<Px<T>> d = direction<T>(inverse);
  const auto column_vector = [&](std::size_t count) PAWL_INLINE_LAMBDA {
    Px<T> x[R];
    unroll<R>([&](auto j) PAWL_INLINE_LAMBDA { x[j] = load_px<T>(in + 2 * j * columns, count); });
    Butterfly<Px<T>, R>::run(x, d);
    store_reg<T>(out, x[0].v);
    unroll<R - 1>([&](auto j) PAWL_INLINE_LAMBDA {
      store_reg<T>(out + (j + 1) * out_row, times_table<T>(x[j + 1], twiddles + j * 2 * kVector).v);
    });
  };
  std::size_t c = 0;
  for (; c + P <= columns; c += P, in += kVector, out += kVector, twiddles += (R - 1) * 2 * kVector) column_vector(P);
  if (c < columns) column_vector(columns - c);
}

template <class T, std::size_t C>
static void pairs_columns(const T* in, std::size_t rows, T* out, bool inverse, T scale) noexcept {
  constexpr std::size_t P = pair_lanes<T>, kVector = lanes<T>, kTiles = (C + P - 1) / P, kRow = kTiles * kVector;
  const Direction<Px<T>> d = direction<T>(inverse);
  const Reg<T> s = broadcast<T>(scale);
  const auto row_vector = [&](std::size_t count) PAWL_INLINE_LAMBDA {
    Px<T> x[C];
    unroll<kTiles>([&](auto tile) PAWL_INLINE_LAMBDA {
      Px<T> y[P];
      unroll<P>([&](auto r) PAWL_INLINE_LAMBDA {  // rows that are not there: the last one once more
        y[r] = {load_reg<T>(in + (r < count ? r : count - 1) * kRow + tile * kVector)};
      });
      transpose_px<T>(y);
      unroll<P>([&](auto r) PAWL_INLINE_LAMBDA {
        if constexpr (tile * P + r < C) x[tile * P + r] = y[r];
      });
    });
    Butterfly<Px<T>, C>::run(x, d);
    unroll<C>([&](auto j) PAWL_INLINE_LAMBDA { store_px<T>(out + 2 * j * rows, Px<T>{x[j].v * s}, count); });
  };
  std::size_t k = 0;
  for (; k + P <= rows; k += P, in += P * kRow, out += kVector) row_vector(P);
  if (k < rows) row_vector(rows - k);
}

// cos, cos and sin, sin of 2 pi j k / 16, j = 0 .. 3, for k = 1 .. 3.
template <class T>
alignas(64) static constexpr T kTurns16[3][16] = {
    {1, 1, T(kCos16), T(kCos16), T(kSqrtHalf), T(kSqrtHalf), T(kSin16), T(kSin16),  //
     0, 0, T(kSin16), T(kSin16), T(kSqrtHalf), T(kSqrtHalf), T(kCos16Above<T>), T(kCos16Above<T>)},
    {1, 1, T(kSqrtHalf), T(kSqrtHalf), 0, 0, T(-kSqrtHalf), T(-kSqrtHalf),  //
     0, 0, T(kSqrtHalf), T(kSqrtHalf), 1, 1, T(kSqrtHalf), T(kSqrtHalf)},
    {1, 1, T(kSin16), T(kSin16), T(-kSqrtHalf), T(-kSqrtHalf), T(-kCos16), T(-kCos16),  //
     0, 0, T(kCos16Above<T>), T(kCos16Above<T>), T(kSqrtHalf), T(kSqrtHalf), T(-kSin16), T(-kSin16)}};

// 4 x 4 points in four vectors.
template <class T>
PAWL_INLINE void square_16(const T* in, T* out, Direction<Px<T>> d, Reg<T> s) {
  Px<T> x[4];
  unroll<4>([&](auto j) PAWL_INLINE_LAMBDA { x[j] = {load_reg<T>(in + 8 * j)}; });
  Butterfly<Px<T>, 4>::run(x, d);
  unroll<3>([&](auto j) PAWL_INLINE_LAMBDA {
    const Reg<T> sine = load_reg<T>(kTurns16<T>[j] + 8) * d.sign;
    x[j + 1] = {mul_add<T>(parts_exchanged(x[j + 1]).v, sine, x[j + 1].v * load_reg<T>(kTurns16<T>[j]))};
  });
  transpose_px<T>(x);
  Butterfly<Px<T>, 4>::run(x, d);
  unroll<4>([&](auto j) PAWL_INLINE_LAMBDA { store_reg<T>(out + 8 * j, x[j].v * s); });
}

template <class T, std::size_t R>
static void pairs_single(const T* in, T* out, bool inverse, T scale) noexcept {
  const Direction<Px<T>> d = direction<T>(inverse);
  const Reg<T> s = broadcast<T>(scale);
  if constexpr (R == 16 && pair_lanes<T> == 4) return square_16<T>(in, out, d, s);
  Px<T> x[R];
  unroll<R>([&](auto j) PAWL_INLINE_LAMBDA { x[j] = load_one<T>(in + 2 * j); });
  Butterfly<Px<T>, R>::run(x, d);
  unroll<R>([&](auto j) PAWL_INLINE_LAMBDA { store_one<T>(out + 2 * j, Px<T>{x[j].v * s}); });
}

// Two lines of 2 x 4 points in two vectors each: halves, twiddles, then transforms of four rows at once. Half as many
// shuffles as by tiles.
template <class T>
PAWL_INLINE void two_of_8(Px<T> (&x)[4], Direction<Px<T>> d) {
  alignas(64) static constexpr T kTurns[2][8] = {
      {1, 1, T(kSqrtHalf), T(kSqrtHalf), 0, 0, T(-kSqrtHalf), T(-kSqrtHalf)},
      {0, 0, T(kSqrtHalf), T(kSqrtHalf), 1, 1, T(kSqrtHalf), T(kSqrtHalf)}};  // cos and sin of 2 pi j / 8
  const Reg<T> cosine = load_reg<T>(kTurns[0]), sine = load_reg<T>(kTurns[1]) * d.sign;
  unroll<2>([&](auto line) PAWL_INLINE_LAMBDA {
    const Px<T> a = x[2 * line], b = x[2 * line + 1], difference = a - b;
    x[2 * line] = a + b;
    x[2 * line + 1] = {mul_add<T>(parts_exchanged(difference).v, sine, difference.v * cosine)};
  });
  transpose_px<T>(x);
  Butterfly<Px<T>, 4>::run(x, d);
  unroll<2>([&]([[maybe_unused]] auto half) PAWL_INLINE_LAMBDA {
#if defined(PAWL_ISA_IS_avx512)
    exchange_256<T>(x[2 * half].v, x[2 * half + 1].v);
#elif defined(PAWL_ISA_IS_avx2)
    exchange_128<T>(x[2 * half].v, x[2 * half + 1].v);
#endif
  });
  const Px<T> t = x[1];
  x[1] = x[2];
  x[2] = t;
}

// Where the lines come from the cache behind, hardware alone is late: 1.3 MB of lines of 16 took 3 % longer.
constexpr std::size_t kAheadBytes = 1024;

// One by one or by twos: lines that fill whole vectors.
template <class T, std::size_t R>
PAWL_INLINE void whole_lines(const T* in, std::ptrdiff_t in_distance, T* out, std::ptrdiff_t out_distance,
                             std::size_t count, Direction<Px<T>> d, Reg<T> s) {
  const auto fetch = [](const T* line) PAWL_INLINE_LAMBDA {
    unroll<2 * R * sizeof(T) / 64>([&](auto i) PAWL_INLINE_LAMBDA {
      __builtin_prefetch(reinterpret_cast<const char*>(line) + kAheadBytes + 64 * i);
    });
  };
  for (; count >= 16 / R; count -= 16 / R) {
    const T* const second = in + in_distance;
    T* const out_second = out + out_distance;
    fetch(in);
    if constexpr (R == 16) {
      square_16<T>(in, out, d, s);
      in = second;
      out = out_second;
    } else {
      fetch(second);
      Px<T> x[4] = {{load_reg<T>(in)}, {load_reg<T>(in + 8)}, {load_reg<T>(second)}, {load_reg<T>(second + 8)}};
      two_of_8<T>(x, d);
      store_reg<T>(out, x[0].v * s);
      store_reg<T>(out + 8, x[1].v * s);
      store_reg<T>(out_second, x[2].v * s);
      store_reg<T>(out_second + 8, x[3].v * s);
      in = second + in_distance;
      out = out_second + out_distance;
    }
  }
  if (count == 0) return;
  Px<T> x[4] = {{load_reg<T>(in)}, {load_reg<T>(in + 8)}, {load_reg<T>(in)}, {load_reg<T>(in + 8)}};
  two_of_8<T>(x, d);
  store_reg<T>(out, x[0].v * s);
  store_reg<T>(out + 8, x[1].v * s);
}

// Columns side by side, as they are in memory.
template <class T, std::size_t R>
static void pairs_across(const T* in, std::ptrdiff_t in_row, T* out, std::ptrdiff_t out_row, std::size_t columns,
                         bool inverse, T scale) noexcept {
  constexpr std::size_t P = pair_lanes<T>;
  const Direction<Px<T>> d = direction<T>(inverse);
  const Reg<T> s = broadcast<T>(scale);
  const bool asks = asks_for_stores<T>(out_row, static_cast<std::ptrdiff_t>(R) * out_row);
  const auto column_vector = [&](std::size_t count) PAWL_INLINE_LAMBDA {
    Px<T> x[R];
    if (asks)
      unroll<R>([&](auto j)
                    PAWL_INLINE_LAMBDA { ask_for_store<2 * P>(out + static_cast<std::ptrdiff_t>(j) * out_row); });
    unroll<R>([&](auto j)
                  PAWL_INLINE_LAMBDA { x[j] = load_px<T>(in + static_cast<std::ptrdiff_t>(j) * in_row, count); });
    Butterfly<Px<T>, R>::run(x, d);
    unroll<R>([&](auto j) PAWL_INLINE_LAMBDA {
      store_px<T>(out + static_cast<std::ptrdiff_t>(j) * out_row, Px<T>{x[j].v * s}, count);
    });
  };
  for (; columns >= P; columns -= P, in += 2 * P, out += 2 * P) column_vector(P);
  if (columns > 0) column_vector(columns);
}

#if defined(PAWL_ISA_IS_avx512) || defined(PAWL_ISA_IS_avx2)
// Two blocks are one vector.
template <class T, std::size_t R>
static void pairs_across_halves(const T* in, std::ptrdiff_t in_row, std::ptrdiff_t block, T* out,
                                std::ptrdiff_t out_row, std::size_t blocks, bool inverse, T scale) noexcept {
  constexpr std::size_t P = pair_lanes<T>;
  const Direction<Px<T>> d = direction<T>(inverse);
  const Reg<T> s = broadcast<T>(scale);
  const bool asks = asks_for_stores<T>(out_row, static_cast<std::ptrdiff_t>(R) * out_row);
  for (; blocks >= 2; blocks -= 2, in += 2 * block, out += 2 * P) {
    Px<T> x[R];
    if (asks)
      unroll<R>([&](auto j)
                    PAWL_INLINE_LAMBDA { ask_for_store<2 * P>(out + static_cast<std::ptrdiff_t>(j) * out_row); });
    unroll<R>([&](auto j) PAWL_INLINE_LAMBDA {
      const T* const row = in + static_cast<std::ptrdiff_t>(j) * in_row;
      x[j] = load_halves<T>(row, row + block);
    });
    Butterfly<Px<T>, R>::run(x, d);
    unroll<R>([&](auto j)
                  PAWL_INLINE_LAMBDA { store_reg<T>(out + static_cast<std::ptrdiff_t>(j) * out_row, x[j].v * s); });
  }
  if (blocks > 0) pairs_across<T, R>(in, in_row, out, out_row, P / 2, inverse, scale);
}
#endif

#if defined(PAWL_ISA_IS_avx512)
// Lines of so few points that their tiles would be mostly empty, one after another: P of them are R whole vectors,
// which shuffles part into one for each point, and join again. Time of tiles over time so, 100 lines on an Emerald
// Rapids, f32 of 2 to 5 points 4.8, 2.7, 1.6 and 1.35, of 6 0.95; f64 of 2 and 3 points 3.0 and 1.5, of 4 0.7.
template <class T>
inline constexpr std::size_t kFewPoints = sizeof(T) == 4 ? 5 : 3;

template <class T, std::size_t R>
PAWL_INLINE void lines_of_few(const T*& in, T*& out, std::size_t& count, Direction<Px<T>> d, Reg<T> s) {
  constexpr std::size_t P = pair_lanes<T>, kGroup = sizeof(T) / 4, kVector = 2 * P;
  const auto as_doubles = [](Reg<T> v) PAWL_INLINE_LAMBDA {
    if constexpr (sizeof(T) == 4)
      return Vec<double>(_mm512_castps_pd(v));
    else
      return Vec<double>(v);
  };
  const auto as_reg = [](Vec<double> v) PAWL_INLINE_LAMBDA {
    const auto bits = static_cast<__m512d>(v);
    if constexpr (sizeof(T) == 4)
      return _mm512_castpd_ps(bits);
    else
      return bits;
  };
  for (; count >= P; count -= P, in += R * kVector, out += R * kVector) {
    Vec<double> v[R];
    Px<T> x[R];
    unroll<R>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = as_doubles(load_reg<T>(in + k * kVector)); });
    unroll<R>([&](auto k) PAWL_INLINE_LAMBDA { x[k] = {as_reg(shuffle_narrow<k, false, kGroup>(v))}; });
    Butterfly<Px<T>, R>::run(x, d);
    unroll<R>([&](auto k) PAWL_INLINE_LAMBDA { v[k] = as_doubles(x[k].v * s); });
    unroll<R>([&](auto k)
                  PAWL_INLINE_LAMBDA { store_reg<T>(out + k * kVector, as_reg(shuffle_narrow<k, true, kGroup>(v))); });
  }
}
#endif

// P lines at once: their tiles transposed, one butterfly, and back.
template <class T, std::size_t R>
static void pairs_lines(const T* in, std::ptrdiff_t in_distance, T* out, std::ptrdiff_t out_distance, std::size_t count,
                        bool inverse, T scale) noexcept {
  constexpr std::size_t P = pair_lanes<T>, kTiles = (R + P - 1) / P;
  const Direction<Px<T>> d = direction<T>(inverse);
  const Reg<T> s = broadcast<T>(scale);
  if constexpr (P == 4 && (R == 8 || R == 16))
    return whole_lines<T, R>(in, in_distance, out, out_distance, count, d, s);
#if defined(PAWL_ISA_IS_avx512)
  constexpr std::ptrdiff_t kLine = 2 * R;
  if constexpr (R <= kFewPoints<T>)
    if (in_distance == kLine && out_distance == kLine) lines_of_few<T, R>(in, out, count, d, s);
#endif
  const auto some = [&](std::size_t lines) PAWL_INLINE_LAMBDA {
    Px<T> x[R];
    unroll<kTiles>([&](auto tile) PAWL_INLINE_LAMBDA {
      Px<T> y[P];
      constexpr std::size_t width = R - tile * P < P ? R - tile * P : P;
      unroll<P>([&](auto i) PAWL_INLINE_LAMBDA {  // lines that are not there: the last one once more
        const auto line = static_cast<std::ptrdiff_t>(i < lines ? i : lines - 1);
        y[i] = load_px<T>(in + line * in_distance + 2 * tile * P, width);
      });
      transpose_px<T>(y);
      unroll<width>([&](auto i) PAWL_INLINE_LAMBDA { x[tile * P + i] = y[i]; });
    });
    Butterfly<Px<T>, R>::run(x, d);
    unroll<kTiles>([&](auto tile) PAWL_INLINE_LAMBDA {
      Px<T> y[P];
      constexpr std::size_t width = R - tile * P < P ? R - tile * P : P;
      // Columns beyond the last are never stored; they only have to be numbers.
      unroll<P>([&](auto i) PAWL_INLINE_LAMBDA { y[i] = x[tile * P + (i < width ? std::size_t{i} : 0)]; });
      transpose_px<T>(y);
      unroll<P>([&](auto i) PAWL_INLINE_LAMBDA {
        if (i < lines)
          store_px<T>(out + static_cast<std::ptrdiff_t>(i) * out_distance + 2 * tile * P, Px<T>{y[i].v * s}, width);
      });
    });
  };
  std::size_t c = 0;
  for (; c + P <= count; c += P) {
    some(P);
    in += static_cast<std::ptrdiff_t>(P) * in_distance;
    out += static_cast<std::ptrdiff_t>(P) * out_distance;
  }
  if (c < count) some(count - c);
}
#endif

}  // namespace pawl::PAWL_ISA_NS
