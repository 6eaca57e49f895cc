// columns.kernel.hpp -- rows x columns, row-major -> one result per column; vectors run along the rows.
//
// Rows are taken kGroup at a time: a strip of eight vectors stays in registers over a group, and meets the results of
// the earlier groups in L1 once per group. Of matrices beyond the caches eight rows at a time, four vectors of each: as
// many streams as the hardware follows, and rows whole pages apart leave each other's lines in L1.
#pragma once
#include <type_traits>

#include "kernels/kept.hpp"
#include "kernels/reduce/reduce_table.hpp"
#include "kernels/simd/reduce.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

inline constexpr std::size_t kGroup = 32;

// Columns worked on at a time: each array of results takes 4 KiB (f32) or 8 KiB.
inline constexpr std::size_t kChunk = 1024;

// Rows at a time of large matrices, and vectors of each.
inline constexpr std::size_t kStreamRows = 8, kStreamVectors = 4;

// Whether sums, and places of extremes, go that way. Time of groups of 32 rows over time so, f32 and f64 of 4096 x 4096
// on a Zen 4: sum 1.7 and 1.6, variance 1.6 and 1.5, argmax 1.6; of 3333 x 5000 1.4 to 1.7; f64 of 26 MB 1.14 to
// 1.5; sums from L2 and of up to 8 MB, were they to go so, 0.9 to 1.0.
template <class T>
PAWL_INLINE bool by_streams(std::size_t rows, std::ptrdiff_t stride, std::size_t columns) {
  constexpr std::size_t kBytes = std::size_t{16} << 20;
  const std::size_t apart = static_cast<std::size_t>(stride < 0 ? -stride : stride);
  return rows > kGroup && columns >= 2 * kStreamVectors * lanes<T> && rows * apart > kBytes / sizeof(T);
}

// body(j, strip, count): at column j, strip (a constant) vectors of `count` lanes, a constant if they are all. Half and
// quarter strips: one vector's additions wait for each other. kMost: 8 or 4 vectors.
template <class T, std::size_t kMost = 8, class Body>
PAWL_INLINE void for_strips(std::size_t columns, Body body) {
  constexpr std::size_t W = lanes<T>;
  using std::integral_constant;
  constexpr integral_constant<std::size_t, W> whole;
  std::size_t j = 0;
  for (; j + kMost * W <= columns; j += kMost * W) body(j, integral_constant<std::size_t, kMost>{}, whole);
  if constexpr (kMost > 4)
    if (j + 4 * W <= columns) {
      body(j, integral_constant<std::size_t, 4>{}, whole);
      j += 4 * W;
    }
  if (j + 2 * W <= columns) {
    body(j, integral_constant<std::size_t, 2>{}, whole);
    j += 2 * W;
  }
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
// compensation. By streams what a part of a group adds up to waits in out: the same additions.
template <class T, bool kStreams, class Term>
PAWL_INLINE void sum_columns_by(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t columns, T* out,
                                Term term) {
  constexpr std::size_t W = lanes<T>, kRows = kStreams ? kStreamRows : kGroup, kMost = kStreams ? kStreamVectors : 8;
  alignas(64) T sums[kChunk + 64], errors[kChunk + 64];
  for (std::size_t begin = 0; begin < columns; begin += kChunk) {
    const std::size_t width = columns - begin < kChunk ? columns - begin : kChunk;
    for (std::size_t top = 0; top < rows; top += kRows) {
      const std::size_t some = rows - top < kRows ? rows - top : kRows;
      const bool last = top + kRows >= rows, first = top < kGroup;
      const bool starts = !kStreams || top % kGroup == 0, ends = !kStreams || last || (top + kRows) % kGroup == 0;
      for_strips<T, kMost>(width, [&](std::size_t j, auto strip, auto count) PAWL_INLINE_LAMBDA {
        Vec<T> s[strip];
        T* const to = out + begin + j;
        unroll<strip>([&](auto c)
                          PAWL_INLINE_LAMBDA { s[c] = starts ? Vec<T>(T(0)) : load_lanes<T>(to + c * W, count); });
        const T* row = row_of(x, stride, top) + begin + j;
        for (std::size_t r = 0; r < some; ++r, row += stride)
          unroll<strip>([&](auto c) PAWL_INLINE_LAMBDA {
            s[c] = term(load_lanes<T>(row + c * W, count), s[c], begin + j + c * W, count);
          });
        unroll<strip>([&](auto c) PAWL_INLINE_LAMBDA {
          T *sum_at = sums + j + c * W, *error_at = errors + j + c * W;
          if (!ends) return store_first<T>(to + c * W, s[c], count);
          if (!first) {
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
          if (last) store_first<T>(to + c * W, s[c], count);
        });
      });
    }
  }
}

template <class T, class Term>
PAWL_INLINE void sum_columns_of(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t columns, T* out,
                                Term term) {
  if (by_streams<T>(rows, stride, columns))
    sum_columns_by<T, true>(x, stride, rows, columns, out, term);
  else
    sum_columns_by<T, false>(x, stride, rows, columns, out, term);
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

}  // namespace pawl::PAWL_ISA_NS
