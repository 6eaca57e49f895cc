// columns.kernel.hpp -- rows x columns, row-major -> one result per column; vectors run along the rows.
//
// Rows are taken kGroup at a time: a strip of eight vectors stays in registers over a group, and meets the results of
// the earlier groups in L1 once per group. Of matrices beyond the caches eight rows at a time, four vectors of each: as
// many streams as the hardware follows, and rows whole pages apart leave each other's lines in L1.
#pragma once
#include <type_traits>

#include "kernels/kept.hpp"
#include "kernels/reduce/reduce_table.hpp"
#include "kernels/simd/boundary.kernel.hpp"
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

// body(j, strip, count): at column j, strip (a constant) vectors, of which the last has `count` lanes, a constant if it
// has all. Half and quarter strips: one vector's additions wait for each other. kMost: 8 or 4 vectors.
//
// With AVX-512, whose masks cost little, what is left of a vector goes with the whole one before it: a pass for one
// column takes as long as that of two vectors (21 x 17 f32 0.9 of the time so; Zen 5).
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
#if defined(PAWL_ISA_IS_avx512)
  if (j + W < columns) return body(j, integral_constant<std::size_t, 2>{}, columns - j - W);
#endif
  if (j + W <= columns) {
    body(j, integral_constant<std::size_t, 1>{}, whole);
    j += W;
  }
  if (j < columns) body(j, integral_constant<std::size_t, 1>{}, columns - j);
}

// Elements from the last boundary to each row, if it is the same for all of them and vectors had better begin at
// boundaries, and 0 else. Then for_strips() takes so many columns more: its column j is column j - before, but for its
// first vector, which begins with column 0. What that one shares with the next is worked on twice, to the same bits.
template <class T>
PAWL_INLINE std::size_t before_rows(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t columns) {
  constexpr std::size_t kLeastRows = 16, kLeastVectors = 5;
  if (rows < kLeastRows || columns < kLeastVectors * lanes<T> ||
      static_cast<std::size_t>(stride) * sizeof(T) % boundary_distance() != 0)
    return 0;
  return beyond_boundary<T>(x, rows * columns);
}

// Distance of vector c of a strip from its column; `early`: by how much those after the first are nearer, a constant if
// they are not.
template <std::size_t kWidth, class Vector, class Early>
PAWL_INLINE std::size_t place_of(Vector, Early early) {
  if constexpr (Vector::value == 0)
    return 0;
  else
    return Vector::value * kWidth - early;
}

// A constant stays one.
template <class Elements>
PAWL_INLINE auto only_if([[maybe_unused]] bool holds, Elements elements) {
  if constexpr (std::is_same_v<Elements, std::size_t>)
    return holds ? elements : 0;
  else
    return elements;
}

// The lanes of vector c of a strip, a constant if they are all.
template <class T, std::size_t kStrip, class Vector, class Count>
PAWL_INLINE auto lanes_of(Vector, [[maybe_unused]] Count last) {
  if constexpr (std::is_same_v<Count, std::size_t> && Vector::value + 1 == kStrip)
    return last;
  else
    return std::integral_constant<std::size_t, lanes<T>>{};
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
// masked store across the end of a page, which takes some 350 ns where its other lanes reach into an absent page (Zen
// 4).
template <class T>
PAWL_INLINE void put_block(T* to, const T* end, Vec<T> v, std::size_t count) {
  if (end - to >= static_cast<std::ptrdiff_t>(lanes<T>)) return store<T>(to, v);
  constexpr std::uintptr_t kPage = 4096;
  if (reinterpret_cast<std::uintptr_t>(to) % kPage <= kPage - sizeof(Vec<T>)) return store_first<T>(to, v, count);
  alignas(64) T results[lanes<T>];
  store<T>(results, v);
  for (std::size_t j = 0; j < count; ++j) to[j] = results[j];
}

// Writes the first `count` lanes, a constant if they are all.
template <class T, class Count>
PAWL_INLINE void store_lanes(T* p, Vec<T> v, Count count) {
  if (count == lanes<T>)
    store<T>(p, v);
  else
    store_first<T>(p, v, count);
}

// What becomes of a sum while it is in registers: a pass of its own over a few of them waits until their masked stores
// have reached L1. Division by 1 is none.
template <class T>
struct Finish {
  T divisor = T(1);
  bool root = false;
  PAWL_INLINE Vec<T> operator()(Vec<T> s) const {
    if (divisor != T(1)) s = s / Vec<T>(divisor);
    return root ? square_root<T>(s) : s;
  }
};

// out[j] = finish(sum over r of the terms of x[r][j]), each chain cut after kGroup terms; sums of groups are added with
// compensation. By streams what a part of a group adds up to waits in out: the same additions. padded: out has room for
// whole vectors, which are read again at once, as those of a masked store cannot be.
template <class T, bool kStreams, class Before, class TermAt>
PAWL_INLINE void sum_columns_by(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t columns, Before before,
                                T* out, bool padded, TermAt term_at, Finish<T> finish) {
  constexpr std::size_t W = lanes<T>, kRows = kStreams ? kStreamRows : kGroup, kMost = kStreams ? kStreamVectors : 8;
  alignas(64) T sums[kChunk + 64], errors[kChunk + 64];
  const std::size_t all = columns + before;
  for (std::size_t begin = 0; begin < all; begin += kChunk) {
    const std::size_t width = all - begin < kChunk ? all - begin : kChunk;
    for (std::size_t top = 0; top < rows; top += kRows) {
      const std::size_t some = rows - top < kRows ? rows - top : kRows;
      const bool last = top + kRows >= rows, first = top < kGroup;
      const bool starts = !kStreams || top % kGroup == 0, ends = !kStreams || last || (top + kRows) % kGroup == 0;
      for_strips<T, kMost>(width, [&](std::size_t j, auto strip, auto end) PAWL_INLINE_LAMBDA {
        constexpr std::size_t N = strip;
        Vec<T> s[N];
        const bool leads = begin + j == 0;
        const std::size_t column = leads ? 0 : begin + j - before;
        const auto early = only_if(leads, before);
        T* const to = out + column;
        const auto place = [=](auto c) PAWL_INLINE_LAMBDA { return place_of<W>(c, early); };
        const auto count = [=](auto c) PAWL_INLINE_LAMBDA { return lanes_of<T, N>(c, end); };
        const auto put = [=](auto c, Vec<T> v) PAWL_INLINE_LAMBDA {
          if (padded)
            store<T>(to + place(c), v);
          else
            store_lanes<T>(to + place(c), v, count(c));
        };
        unroll<N>([&](auto c)
                      PAWL_INLINE_LAMBDA { s[c] = starts ? Vec<T>(T(0)) : load_lanes<T>(to + place(c), count(c)); });
        const T* row = row_of(x, stride, top) + column;
        for (std::size_t r = 0; r < some; ++r, row += stride)
          unroll<N>([&](auto c) PAWL_INLINE_LAMBDA {
            s[c] = term_at(column + place(c)).plus(load_lanes<T>(row + place(c), count(c)), s[c]);
          });
        unroll<N>([&](auto c) PAWL_INLINE_LAMBDA {
          T *sum_at = sums + j + c * W, *error_at = errors + j + c * W;
          if (!ends) return put(c, s[c]);
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
          if (last) put(c, finish(s[c]));
        });
      });
    }
  }
}

template <class T, class TermAt>
PAWL_INLINE void sum_columns_of(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t columns, T* out,
                                bool padded, TermAt term_at, Finish<T> finish) {
  const auto sum = [=](auto streams, auto before) PAWL_INLINE_LAMBDA {
    sum_columns_by<T, streams>(x, stride, rows, columns, before, out, padded, term_at, finish);
  };
  constexpr std::integral_constant<std::size_t, 0> none{};
  if (by_streams<T>(rows, stride, columns))
    sum(std::true_type{}, none);
  else if (const std::size_t before = before_rows<T>(x, stride, rows, columns); before > 0)
    sum(std::false_type{}, before);
  else
    sum(std::false_type{}, none);
}

// The same of at most kGroup rows of at most a vector: the same additions.
template <class T, class Term>
PAWL_INLINE Vec<T> sum_of_block(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t columns, Term term) {
  Vec<T> s(T(0));
  for (std::size_t r = 0; r < rows; ++r, x += stride) s = term.plus(load_first<T>(x, columns), s);
  return s;
}

// What a sum has of each element.
template <class T>
struct Itself {
  PAWL_INLINE Vec<T> plus(Vec<T> v, Vec<T> s) const { return s + v; }
};
template <class T>
struct Square {
  PAWL_INLINE Vec<T> plus(Vec<T> v, Vec<T> s) const { return fma<T>(v, v, s); }
};
template <class T>
struct SquaredDistance {
  Vec<T> centre;
  PAWL_INLINE Vec<T> plus(Vec<T> v, Vec<T> s) const { return Square<T>{}.plus(v - centre, s); }
};

// The same of columns of a block, of which a vector may hold all.
template <class T, class Term>
PAWL_INLINE void sum_blocks_of_a_vector(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows,
                                        std::size_t columns, T* out, Term term, Finish<T> finish) {
  for_blocks(x, blocks, columns, out, [=, end = out + blocks.count * columns](const T* p, T* to) PAWL_INLINE_LAMBDA {
    put_block<T>(to, end, finish(sum_of_block<T>(p, stride, rows, columns, term)), columns);
  });
}

// Out of line: sums, means, and what variances take the distances from are one function.
template <class T>
[[gnu::noinline]] static void sum_columns(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t columns,
                                          T* out, bool padded, T divisor) noexcept {
  sum_columns_of<T>(
      x, stride, rows, columns, out, padded, [](std::size_t) PAWL_INLINE_LAMBDA { return Itself<T>{}; },
      Finish<T>{divisor});
}

/// out[j] = the sum of column j, or its mean.
template <class T, bool kMean>
static void sum_blocks(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows, std::size_t columns,
                       T* out) noexcept {
  const T divisor = kMean ? static_cast<T>(rows) : T(1);
  if (fits_a_vector<T>(rows, columns))
    return sum_blocks_of_a_vector<T>(x, blocks, stride, rows, columns, out, Itself<T>{}, Finish<T>{divisor});
  for_blocks(x, blocks, columns, out, [=](const T* p, T* to) PAWL_INLINE_LAMBDA {
    sum_columns<T>(p, stride, rows, columns, to, false, divisor);
  });
}

// Columns whose means are kept beside their sums of squares: 2 KiB of f32.
inline constexpr std::size_t kMeans = 512;

// out[j] = finish(sum of (x - centre)^2); there is room for whole vectors of centres. Norms are those about 0.
template <class T>
[[gnu::noinline]] static void squares_columns(const T* x, std::ptrdiff_t stride, const T* centre, std::size_t rows,
                                              std::size_t columns, T* out, Finish<T> finish) noexcept {
  sum_columns_of<T>(
      x, stride, rows, columns, out, false,
      [=](std::size_t j) PAWL_INLINE_LAMBDA { return SquaredDistance<T>{load<T>(centre + j)}; }, finish);
}

/// out[j] = the root of the sum of squares of column j.
template <class T>
static void norm_columns(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows, std::size_t columns,
                         T* out) noexcept {
  const Finish<T> finish{T(1), true};
  if (fits_a_vector<T>(rows, columns))
    return sum_blocks_of_a_vector<T>(x, blocks, stride, rows, columns, out, Square<T>{}, finish);
  alignas(64) static constexpr T kZeros[kMeans + lanes<T>]{};
  for_blocks(x, blocks, columns, out, [=](const T* p, T* to) PAWL_INLINE_LAMBDA {
    for (std::size_t begin = 0; begin < columns; begin += kMeans)
      squares_columns<T>(p + begin, stride, kZeros, rows, columns - begin < kMeans ? columns - begin : kMeans,
                         to + begin, finish);
  });
}

/// out[j] = the sum of (x - mean)^2 of column j over divisor, or the root of that.
template <class T>
static void spread_columns(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows, std::size_t columns,
                           T divisor, bool root, T* out) noexcept {
  const Finish<T> finish{divisor, root}, mean{static_cast<T>(rows)};
  if (fits_a_vector<T>(rows, columns))
    return for_blocks(x, blocks, columns, out,
                      [=, end = out + blocks.count * columns](const T* p, T* to) PAWL_INLINE_LAMBDA {
                        const Vec<T> centre = mean(sum_of_block<T>(p, stride, rows, columns, Itself<T>{}));
                        const Vec<T> s = sum_of_block<T>(p, stride, rows, columns, SquaredDistance<T>{centre});
                        put_block<T>(to, end, finish(s), columns);
                      });
  for_blocks(x, blocks, columns, out, [=](const T* p, T* to) PAWL_INLINE_LAMBDA {
    alignas(64) T means[kMeans + lanes<T>];
    for (std::size_t begin = 0; begin < columns; begin += kMeans) {
      const std::size_t width = columns - begin < kMeans ? columns - begin : kMeans;
      sum_columns<T>(p + begin, stride, rows, width, means, true, mean.divisor);
      squares_columns<T>(p + begin, stride, means, rows, width, to + begin, finish);
    }
  });
}

}  // namespace pawl::PAWL_ISA_NS
