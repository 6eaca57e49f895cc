// short_rows.kernel.hpp -- rows of few elements, each with another row or a value -> the same rows, gapless: three
// loops in one call.
//
// A call for each matrix of a few short rows, or a loop that asks for each row how it begins and ends, takes longer
// than their elements do (208 x 3 x 5 f64 times 208 x 1 x 5: 11 ns a row; Zen 4).
#pragma once
#include "kernels/vec.hpp"

namespace pawl::PAWL_ISA_NS {

// The longest row that is short: vectors across rows, each within a line, are faster from there on (135 x 23 f64, a
// value for each row: 1.6 times as fast as this; 127 x 30 f32: a third; Zen 4). All of a row's vectors are loaded
// before the first is stored, so that out may be x.
template <class T>
inline constexpr std::size_t kShortRow = (sizeof(T) == 4 ? 4 : 2) * lanes<T>;

/// out[o][r] = op(x[o][r], y[o][r]) for rows of n elements; of n = lanes or more by `V` vectors, of which the last ends
/// with the row, of fewer by a part of one. kValues: y is one value for each
/// row. out may be x, if that has no gaps.
template <std::size_t V, bool kValues, class Op, class T, class Steps>
PAWL_INLINE void rows_of_vectors(const T* x, Steps x_steps, const T* y, Steps y_steps, T* out, std::size_t outer,
                                 std::size_t rows, std::size_t n) {
  constexpr std::size_t W = lanes<T>;
  for (std::size_t o = 0; o < outer; ++o, x += x_steps.outer, y += y_steps.outer) {
    const T *a = x, *b = y;
    std::size_t r = 0;
    const auto of_part = [&]() PAWL_INLINE_LAMBDA {
      const Vec<T> other = kValues ? Vec<T>(*b) : load_first<T>(b, n);
      const Vec<T> result = Op{}.template operator()<T>(load_first<T>(a, n), other);
      a += x_steps.row;
      b += y_steps.row;
      return result;
    };
    if constexpr (V == 0) {
      // Several before one is stored: where out is x, a load waits for the masked store of a row before it, which its
      // vector overlaps. Rows of 3 f32, 9.3 ns each one by one, 2.4 so (Emerald Rapids).
      constexpr std::size_t kTogether = 8;
      for (; r + kTogether <= rows; r += kTogether) {
        Vec<T> result[kTogether];
        unroll<kTogether>([&](auto k) PAWL_INLINE_LAMBDA { result[k] = of_part(); });
        unroll<kTogether>([&](auto k) PAWL_INLINE_LAMBDA { store_first<T>(out + k * n, result[k], n); });
        out += kTogether * n;
      }
    }
    for (; r < rows; ++r, out += n) {
      if constexpr (V == 0) {
        store_first<T>(out, of_part(), n);
      } else {
        Vec<T> result[V];
        const auto at = [n](std::size_t v) PAWL_INLINE_LAMBDA { return v + 1 < V ? v * W : n - W; };
        unroll<V>([&](auto v) PAWL_INLINE_LAMBDA {
          const Vec<T> other = kValues ? Vec<T>(*b) : load<T>(b + at(v));
          result[v] = Op{}.template operator()<T>(load<T>(a + at(v)), other);
        });
        unroll<V>([&](auto v) PAWL_INLINE_LAMBDA { store<T>(out + at(v), result[v]); });
        a += x_steps.row;
        b += y_steps.row;
      }
    }
  }
}

/// The same of any n up to four vectors.
template <bool kValues, class Op, class T, class Steps>
PAWL_INLINE void short_rows(const T* x, Steps x_steps, const T* y, Steps y_steps, T* out, std::size_t outer,
                            std::size_t rows, std::size_t n) {
  constexpr std::size_t W = lanes<T>;
  if (n < W) return rows_of_vectors<0, kValues, Op>(x, x_steps, y, y_steps, out, outer, rows, n);
  if (n <= W) return rows_of_vectors<1, kValues, Op>(x, x_steps, y, y_steps, out, outer, rows, n);
  if (n <= 2 * W) return rows_of_vectors<2, kValues, Op>(x, x_steps, y, y_steps, out, outer, rows, n);
  if (n <= 3 * W) return rows_of_vectors<3, kValues, Op>(x, x_steps, y, y_steps, out, outer, rows, n);
  return rows_of_vectors<4, kValues, Op>(x, x_steps, y, y_steps, out, outer, rows, n);
}

#if defined(PAWL_ISA_IS_avx512)
// Lanes that are repeated: lane k of the result is lane place[k].
template <class T>
PAWL_INLINE Vec<T> spread(Vec<T> v, __m512i place) {
  if constexpr (sizeof(T) == 4)
    return Vec<T>(_mm512_permutexvar_ps(place, v));
  else
    return Vec<T>(_mm512_permutexvar_pd(place, v));
}

// For rows of n lanes, n up to half a vector, at [n - 1]: how many a vector has, and each lane's row and column.
// Written lane by lane in the call, they were as many stores that the load of a vector waited for (4 x 6 f32: 0.6 of
// the time without; Zen 5).
template <class T>
struct NarrowLanes {
  using Integer = typename Format<T>::Integer;
  alignas(64) Integer row[lanes<T> / 2][lanes<T>], column[lanes<T> / 2][lanes<T>];
  std::size_t each[lanes<T> / 2];
  constexpr NarrowLanes() : row{}, column{}, each{} {
    for (std::size_t n = 1; n <= lanes<T> / 2; ++n) {
      each[n - 1] = lanes<T> / n;
      for (std::size_t k = 0; k < lanes<T>; ++k) {
        row[n - 1][k] = static_cast<Integer>(k / n);
        column[n - 1][k] = static_cast<Integer>(k % n);
      }
    }
  }
};

template <class T>
inline constexpr NarrowLanes<T> kNarrowLanes;

/// Rows of at most half a vector, each with a value: a vector has several rows, and their values spread over its lanes.
/// x has no gaps within `rows` rows, or is one row for all of them (kOneRow). Whole vectors are stored where only the
/// first lanes are rows of theirs; what comes next overwrites the others, whose x was loaded before.
template <class Op, bool kOneRow, class T>
PAWL_INLINE void narrow_rows_and_values(const T* x, std::ptrdiff_t x_outer, const T* y, std::ptrdiff_t y_outer, T* out,
                                        std::size_t outer, std::size_t rows, std::size_t n) {
  constexpr std::size_t W = lanes<T>;
  constexpr auto& places = kNarrowLanes<T>;
  const std::size_t each = places.each[n - 1], used = each * n, total = rows * n;
  const __m512i row_places = _mm512_load_si512(places.row[n - 1]),
                column_places = _mm512_load_si512(places.column[n - 1]);
  for (std::size_t o = 0; o < outer; ++o, x += x_outer, y += y_outer, out += total) {
    const auto part = [=](std::size_t i)
                          PAWL_INLINE_LAMBDA { return load_first<T>(x + i, total - i < W ? total - i : W); };
    Vec<T> here = kOneRow ? spread<T>(load_first<T>(x, n), column_places) : part(0);
    std::size_t i = 0, r = 0;
    for (; i + W <= total; i += used, r += each) {
      Vec<T> next = here;
      if constexpr (!kOneRow) next = i + used + W <= total ? load<T>(x + i + used) : part(i + used);
      const Vec<T> values = spread<T>(load_first<T>(y + r, rows - r < each ? rows - r : each), row_places);
      store<T>(out + i, Op{}.template operator()<T>(here, values));
      here = next;
    }
    for (; i < total; i += used, r += each) {
      Vec<T> next = here;
      if constexpr (!kOneRow) next = i + used < total ? part(i + used) : here;
      const std::size_t left = rows - r < each ? rows - r : each;
      const Vec<T> values = spread<T>(load_first<T>(y + r, left), row_places);
      store_first<T>(out + i, Op{}.template operator()<T>(here, values), left * n);
      here = next;
    }
  }
}
#endif

}  // namespace pawl::PAWL_ISA_NS
