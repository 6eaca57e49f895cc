// columns.kernel.hpp -- rows x columns, row-major -> one result per column; vectors run along the rows.
//
// Rows are taken kGroup at a time: a strip of eight vectors stays in registers over a group, and meets the results of
// the earlier groups in L1 once per group. More rows at a time would be more streams than the prefetchers follow and
// more pages than the first-level TLB holds.
#pragma once
#include <type_traits>

#include "kernels/reduce/reduce_table.hpp"
#include "kernels/simd/reduce.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

inline constexpr std::size_t kGroup = 32;

// Columns worked on at a time: each array of results takes 4 KiB (f32) or 8 KiB.
inline constexpr std::size_t kChunk = 1024;

// body(j, strip, count): at column j, strip (a constant) vectors of `count` lanes, a constant if they are all. Half and
// quarter strips: one vector's additions wait for each other. kMost: 8 or 4 vectors.
template <class T, std::size_t kMost = 8, class Body>
PAWL_INLINE void for_strips(std::size_t columns, Body body) {
  constexpr std::size_t W = lanes<T>;
  using std::integral_constant;
  constexpr integral_constant<std::size_t, W> whole;
  std::size_t j = 0;
  if constexpr (kMost == 8)
    for (; j + 8 * W <= columns; j += 8 * W) body(j, integral_constant<std::size_t, 8>{}, whole);
  for (; j + 4 * W <= columns; j += 4 * W) body(j, integral_constant<std::size_t, 4>{}, whole);
  for (; j + 2 * W <= columns; j += 2 * W) body(j, integral_constant<std::size_t, 2>{}, whole);
  if (j + W <= columns) {
    body(j, integral_constant<std::size_t, 1>{}, whole);
    j += W;
  }
  if (j < columns) body(j, integral_constant<std::size_t, 1>{}, columns - j);
}

template <class T>
PAWL_INLINE const T* row_of(const T* x, std::ptrdiff_t stride, std::size_t row) {
  return x + static_cast<std::ptrdiff_t>(row) * stride;
}

// A constant count is that of a whole vector.
template <class T, class Count>
PAWL_INLINE Vec<T> load_lanes(const T* p, Count count) {
  if constexpr (std::is_same_v<Count, std::size_t>)
    return load_first<T>(p, count);
  else
    return load<T>(p);
}

// body(x, out): for each block, its elements and its results.
template <class T, class Result, class Body>
PAWL_INLINE void for_blocks(const T* x, Blocks blocks, std::size_t columns, Result* out, Body body) {
  for (std::size_t b = 0; b < blocks.count; ++b, x += blocks.step, out += columns) body(x, out);
}

// Whether blocks are so small that one vector holds the results of one, and one chain takes its rows.
template <class T>
PAWL_INLINE bool fits_a_vector(std::size_t rows, std::size_t columns) {
  return columns <= lanes<T> && rows <= kGroup;
}

// The first `count` lanes to `to`, of results that end at `end`: those of later blocks are written over again. No
// masked store, which takes some 350 ns where its other lanes reach into an absent page (Zen 4).
template <class T>
PAWL_INLINE void put_block(T* to, const T* end, Vec<T> v, std::size_t count) {
  if (end - to >= static_cast<std::ptrdiff_t>(lanes<T>)) return store<T>(to, v);
  alignas(64) T results[lanes<T>];
  store<T>(results, v);
  for (std::size_t j = 0; j < count; ++j) to[j] = results[j];
}

// out[j] = sum over r of term(x[r][j], ., j), each chain cut after kGroup terms; sums of groups are added with
// compensation.
template <class T, class Term>
PAWL_INLINE void sum_columns_of(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t columns, T* out,
                                Term term) {
  constexpr std::size_t W = lanes<T>;
  alignas(64) T sums[kChunk + 64], errors[kChunk + 64];
  for (std::size_t begin = 0; begin < columns; begin += kChunk) {
    const std::size_t width = columns - begin < kChunk ? columns - begin : kChunk;
    for (std::size_t top = 0; top < rows; top += kGroup) {
      const std::size_t group = rows - top < kGroup ? rows - top : kGroup;
      const bool last = top + kGroup >= rows;
      for_strips<T>(width, [&](std::size_t j, auto strip, auto count) PAWL_INLINE_LAMBDA {
        Vec<T> s[strip];
        unroll<strip>([&](auto c) PAWL_INLINE_LAMBDA { s[c] = Vec<T>(T(0)); });
        const T* row = row_of(x, stride, top) + begin + j;
        for (std::size_t r = 0; r < group; ++r, row += stride)
          unroll<strip>([&](auto c) PAWL_INLINE_LAMBDA {
            s[c] = term(load_lanes<T>(row + c * W, count), s[c], begin + j + c * W, count);
          });
        unroll<strip>([&](auto c) PAWL_INLINE_LAMBDA {
          T *sum_at = sums + j + c * W, *error_at = errors + j + c * W;
          if (top > 0) {
            Vec<T> sum = load<T>(sum_at), error = load<T>(error_at);
            add_compensated<T>(sum, error, s[c]);
            if (last) {
              s[c] = compensated<T>(sum, error);
            } else {
              store<T>(sum_at, sum);
              store<T>(error_at, error);
            }
          } else if (!last) {
            store<T>(sum_at, s[c]);
            store<T>(error_at, Vec<T>(T(0)));
          }
          if (last) store_first<T>(out + begin + j + c * W, s[c], count);
        });
      });
    }
  }
}

template <class T>
static void sum_columns(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows, std::size_t columns,
                        T* out) noexcept {
  if (fits_a_vector<T>(rows, columns))
    return for_blocks(x, blocks, columns, out,
                      [=, end = out + blocks.count * columns](const T* p, T* to) PAWL_INLINE_LAMBDA {
                        Vec<T> s(T(0));
                        for (std::size_t r = 0; r < rows; ++r, p += stride) s = s + load_first<T>(p, columns);
                        put_block<T>(to, end, s, columns);
                      });
  for_blocks(x, blocks, columns, out, [=](const T* p, T* to) PAWL_INLINE_LAMBDA {
    sum_columns_of<T>(p, stride, rows, columns, to,
                      [](Vec<T> v, Vec<T> s, std::size_t, auto) PAWL_INLINE_LAMBDA { return s + v; });
  });
}

template <class T>
static void squares_columns(const T* x, Blocks blocks, std::ptrdiff_t stride, const T* centre, std::size_t rows,
                            std::size_t columns, T* out) noexcept {
  if (fits_a_vector<T>(rows, columns))
    return for_blocks(x, blocks, columns, out,
                      [=, end = out + blocks.count * columns](const T* p, T* to) PAWL_INLINE_LAMBDA {
                        const Vec<T> c = load_first<T>(centre + (to - out), columns);
                        Vec<T> s(T(0));
                        for (std::size_t r = 0; r < rows; ++r, p += stride) {
                          const Vec<T> d = load_first<T>(p, columns) - c;
                          s = fma<T>(d, d, s);
                        }
                        put_block<T>(to, end, s, columns);
                      });
  for_blocks(x, blocks, columns, out, [=](const T* p, T* to) PAWL_INLINE_LAMBDA {
    sum_columns_of<T>(p, stride, rows, columns, to,
                      [=, c = centre + (to - out)](Vec<T> v, Vec<T> s, std::size_t j, auto count) PAWL_INLINE_LAMBDA {
                        const Vec<T> d = v - load_lanes<T>(c + j, count);
                        return fma<T>(d, d, s);
                      });
  });
}

// Row numbers travel as the bits of lanes.
template <class T>
PAWL_INLINE Vec<T> row_number(std::size_t row) {
  return Vec<T>(__builtin_bit_cast(T, static_cast<typename Format<T>::Integer>(row)));
}

// Extremes meet those of the earlier rows at no cost in accuracy, so that fewer rows at a time do: eight, four vectors
// of each, are streams that the hardware follows, and rows whole pages apart leave each other's lines in L1. Time of
// groups of 32 rows and strips of eight over time so, f64 on a Zen 4: 256 x 256 1.05, 1000 x 1000 1.04
// to 1.12, 2000 x 1024 1.31, 4096 x 512 1.37, 4000 x 2048 1.6; f32 1.01, 1.04, 1.09, 1.02, 1.46.
inline constexpr std::size_t kExtremeRows = 8, kExtremeVectors = 4;

// Extremes of one chunk of columns into best, and their rows into place. Returns false if an element was NaN or
// infinite: then NaNs may have been passed over.
template <class T, bool kSmallest, bool kPlaces>
PAWL_INLINE bool extremes_of_chunk(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t width, T* best,
                                   T* place) {
  constexpr std::size_t W = lanes<T>, kMost = kPlaces ? 8 : kExtremeVectors;
  // Not where one group has all rows, nor where strips of fewer vectors take much of the width.
  const std::size_t rows_each = kPlaces || rows <= kGroup || width < 2 * kMost * W ? kGroup : kExtremeRows;
  const Vec<T> zero(T(0));
  Vec<T> odd = zero;
  for (std::size_t top = 0; top < rows; top += rows_each) {
    const std::size_t group = rows - top < rows_each ? rows - top : rows_each;
    for_strips<T, kMost>(width, [&](std::size_t j, auto strip, auto count) PAWL_INLINE_LAMBDA {
      Vec<T> m[strip], at[strip], odd_here[strip];
      const T* row = row_of(x, stride, top) + j;
      unroll<strip>([&](auto c) PAWL_INLINE_LAMBDA {
        m[c] = top > 0 ? load<T>(best + j + c * W) : load_lanes<T>(row + c * W, count);
        if constexpr (kPlaces) at[c] = top > 0 ? load<T>(place + j + c * W) : zero;
        odd_here[c] = zero;
      });
      const auto take = [&](std::size_t r) PAWL_INLINE_LAMBDA {
        unroll<strip>([&](auto c) PAWL_INLINE_LAMBDA {
          const Vec<T> v = load_lanes<T>(row + c * W, count);
          odd_here[c] = fma<T>(v, zero, odd_here[c]);
          if constexpr (kPlaces)
            at[c] = kSmallest ? select_less<T>(v, m[c], row_number<T>(top + r), at[c])
                              : select_less<T>(m[c], v, row_number<T>(top + r), at[c]);
          m[c] = kSmallest ? min<T>(v, m[c]) : max<T>(v, m[c]);
        });
        row += stride;
      };
      if (strip == kExtremeVectors && !kPlaces && group == kExtremeRows)
        unroll<kExtremeRows>([&](auto r) PAWL_INLINE_LAMBDA { take(r); });
      else
        for (std::size_t r = 0; r < group; ++r) take(r);
      unroll<strip>([&](auto c) PAWL_INLINE_LAMBDA {
        store<T>(best + j + c * W, m[c]);
        if constexpr (kPlaces) store<T>(place + j + c * W, at[c]);
        odd = odd + odd_here[c];
      });
    });
  }
  return reduce_add<T>(odd) == T(0);
}

// The first row of each column that holds NaN into place, `rows` if there is none: from the last row up, so that the
// first one is written last.
template <class T>
PAWL_INLINE void first_nan_of_chunk(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t width, T* place) {
  for_strips<T>(width, [&](std::size_t j, auto strip, auto count) PAWL_INLINE_LAMBDA {
    Vec<T> at[strip];
    unroll<strip>([&](auto c) PAWL_INLINE_LAMBDA { at[c] = row_number<T>(rows); });
    for (std::size_t r = rows; r-- > 0;)
      unroll<strip>([&](auto c) PAWL_INLINE_LAMBDA {
        at[c] = select_nan<T>(load_lanes<T>(row_of(x, stride, r) + j + c * lanes<T>, count), row_number<T>(r), at[c]);
      });
    unroll<strip>([&](auto c) PAWL_INLINE_LAMBDA { store<T>(place + j + c * lanes<T>, at[c]); });
  });
}

template <class T>
PAWL_INLINE std::size_t row_at(const T* place, std::size_t j) {
  return static_cast<std::size_t>(__builtin_bit_cast(typename Format<T>::Integer, place[j]));
}

// Extremes of blocks that fit a vector each into put(block's results, extremes, rows of the extremes). Returns false if
// an element was NaN or infinite, as above.
template <class T, bool kSmallest, bool kPlaces, class Result, class Put>
PAWL_INLINE bool extremes_of_blocks(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows,
                                    std::size_t columns, Result* out, Put put) {
  const Vec<T> zero(T(0));
  Vec<T> odd = zero;
  for_blocks(x, blocks, columns, out, [&](const T* p, Result* to) PAWL_INLINE_LAMBDA {
    Vec<T> m = load_first<T>(p, columns), at = zero;
    odd = fma<T>(m, zero, odd);
    for (std::size_t r = 1; r < rows; ++r) {
      const Vec<T> v = load_first<T>(row_of(p, stride, r), columns);
      odd = fma<T>(v, zero, odd);
      if constexpr (kPlaces)
        at = kSmallest ? select_less<T>(v, m, row_number<T>(r), at) : select_less<T>(m, v, row_number<T>(r), at);
      m = pick<T, kSmallest>(v, m);
    }
    put(to, m, at);
  });
  return reduce_add<T>(odd) == T(0);
}

template <class T, bool kSmallest>
static void extreme_columns(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows, std::size_t columns,
                            T* out) noexcept {
  if (fits_a_vector<T>(rows, columns) &&
      extremes_of_blocks<T, kSmallest, false>(x, blocks, stride, rows, columns, out,
                                              [=, end = out + blocks.count * columns](T* to, Vec<T> m, Vec<T>)
                                                  PAWL_INLINE_LAMBDA { put_block<T>(to, end, m, columns); }))
    return;
  alignas(64) T best[kChunk + 64], place[kChunk + 64];
  for_blocks(x, blocks, columns, out, [&](const T* p, T* to) PAWL_INLINE_LAMBDA {
    for (std::size_t begin = 0; begin < columns; begin += kChunk) {
      const std::size_t width = columns - begin < kChunk ? columns - begin : kChunk;
      if (!extremes_of_chunk<T, kSmallest, false>(p + begin, stride, rows, width, best, place)) {
        first_nan_of_chunk<T>(p + begin, stride, rows, width, place);
        for (std::size_t j = 0; j < width; ++j)
          if (const std::size_t row = row_at<T>(place, j); row < rows) best[j] = row_of(p, stride, row)[begin + j];
      }
      for (std::size_t j = 0; j < width; ++j) to[begin + j] = best[j];
    }
  });
}

template <class T, bool kSmallest>
static void arg_columns(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows, std::size_t columns,
                        std::size_t* out) noexcept {
  alignas(64) T best[kChunk + 64], place[kChunk + 64];
  if (fits_a_vector<T>(rows, columns) &&
      extremes_of_blocks<T, kSmallest, true>(x, blocks, stride, rows, columns, out,
                                             [&](std::size_t* to, Vec<T>, Vec<T> at) PAWL_INLINE_LAMBDA {
                                               store<T>(place, at);
                                               for (std::size_t j = 0; j < columns; ++j) to[j] = row_at<T>(place, j);
                                             }))
    return;
  for_blocks(x, blocks, columns, out, [&](const T* p, std::size_t* to) PAWL_INLINE_LAMBDA {
    for (std::size_t begin = 0; begin < columns; begin += kChunk) {
      const std::size_t width = columns - begin < kChunk ? columns - begin : kChunk;
      const bool plain = extremes_of_chunk<T, kSmallest, true>(p + begin, stride, rows, width, best, place);
      for (std::size_t j = 0; j < width; ++j) to[begin + j] = row_at<T>(place, j);
      if (plain) continue;
      first_nan_of_chunk<T>(p + begin, stride, rows, width, place);
      for (std::size_t j = 0; j < width; ++j)
        if (const std::size_t row = row_at<T>(place, j); row < rows) to[begin + j] = row;
    }
  });
}

}  // namespace pawl::PAWL_ISA_NS
