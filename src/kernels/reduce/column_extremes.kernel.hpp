// column_extremes.kernel.hpp -- rows x columns, row-major -> the extreme of each column, or the row where it stands.
#pragma once
#include "kernels/reduce/columns.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// Row numbers travel as the bits of lanes.
template <class T>
PAWL_INLINE Vec<T> row_number(std::size_t row) {
  return Vec<T>(__builtin_bit_cast(T, static_cast<typename Format<T>::Integer>(row)));
}

// The first row of each column that holds NaN into place, `rows` if there is none: from the last row up, so that the
// first one is written last.
template <class T>
PAWL_INLINE void first_nan_of_chunk(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t width, T* place) {
  for_strips<T>(width, [&](std::size_t j, auto strip, auto end) PAWL_INLINE_LAMBDA {
    Vec<T> at[strip];
    unroll<strip>([&](auto c) PAWL_INLINE_LAMBDA { at[c] = row_number<T>(rows); });
    for (std::size_t r = rows; r-- > 0;)
      unroll<strip>([&](auto c) PAWL_INLINE_LAMBDA {
        const auto count = lanes_of<T, strip>(c, end);
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

// Vectors of a strip: two registers each, and two more.
#if defined(PAWL_ISA_IS_avx512)
inline constexpr std::size_t kExtremeVectors = 8;
#else
inline constexpr std::size_t kExtremeVectors = 4;
#endif

// The extremes of `rows` >= 1 rows of kStrip vectors at x, and of those in `out` if there are earlier ones, to `out`;
// the vectors after the first are `early` elements nearer. Returns what is known of NaNs, which may have been passed
// over.
template <class T, bool kSmallest, std::size_t kStrip, class Early>
PAWL_INLINE Ordered<T> extremes_of_strip(const T* x, std::ptrdiff_t stride, std::size_t rows, Early early, bool earlier,
                                         T* out) {
  constexpr std::size_t W = lanes<T>;
  // Two rows a turn where a strip has too few sums to hide the latency of an FMA.
  constexpr std::size_t kTurn = kStrip >= 4 ? 1 : 2;
  Vec<T> best[kStrip];
  const auto place = [=](auto c) PAWL_INLINE_LAMBDA { return place_of<W>(c, early); };
  unroll<kStrip>([&](auto c) PAWL_INLINE_LAMBDA { best[c] = load<T>((earlier ? out : x) + place(c)); });
  NanLook<T, kStrip> look[kTurn];
  const auto take = [&](auto t) PAWL_INLINE_LAMBDA {
    if constexpr (kStrip == 1) {
      const Vec<T> v = kept<T>(load<T>(x));
      look[t].at(std::size_t{0}, v);
      best[0] = pick<T, kSmallest>(v, best[0]);
    } else {
      unroll<kStrip / 2>([&](auto pair) PAWL_INLINE_LAMBDA {
        constexpr std::integral_constant<std::size_t, 2 * pair> c{};
        constexpr std::integral_constant<std::size_t, 2 * pair + 1> after{};
        const Vec<T> v = kept<T>(load<T>(x + place(c))), next = kept<T>(load<T>(x + place(after)));
        look[t].at_two(c, v, next);
        best[c] = pick<T, kSmallest>(v, best[c]);
        best[after] = pick<T, kSmallest>(next, best[after]);
      });
    }
    x += stride;
  };
  if (kStrip == kStreamVectors && rows == kStreamRows) {
    unroll<kStreamRows>([&](auto) PAWL_INLINE_LAMBDA { take(std::integral_constant<std::size_t, 0>{}); });
  } else {
    std::size_t r = 0;
    for (; r + kTurn <= rows; r += kTurn) unroll<kTurn>(take);
    if (r < rows) take(std::integral_constant<std::size_t, 0>{});
  }
  unroll<kStrip>([&](auto c) PAWL_INLINE_LAMBDA { store<T>(out + place(c), best[c]); });
  Ordered<T> ordered = look[0].result();
  if constexpr (kTurn == 2) ordered = both_ordered<T>(ordered, look[1].result());
  return ordered;
}

// The extremes of one block of at least a vector of columns to `out`. Returns false if an element may have been NaN.
template <class T, bool kSmallest>
static bool extremes_of_block(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t columns, T* out) {
  constexpr std::size_t W = lanes<T>, kMost = kExtremeVectors;
  // Rows that a strip holds are read as they lie; of few rows all are read, strip by strip. Of more rows some go by
  // streams, as beyond the caches, since extremes meet those of the earlier rows at no cost. Time of groups of 32 rows
  // over time so, f64 on a Zen 4: 256 x 256 1.05, 1000 x 1000 1.04 to 1.12, 2000 x 1024 1.31, 4096 x 512 1.37, 4000 x
  // 2048 1.6; f32 1.01, 1.04, 1.09, 1.02, 1.46.
  const bool at_once = columns <= kMost * W || rows <= kGroup;
  const std::size_t before = before_rows<T>(x, stride, rows, columns);
  Ordered<T> ordered = all_ordered<T>();
  for (std::size_t top = 0, count; top < rows; top += count) {
    count = at_once ? rows : rows - top < kStreamRows ? rows - top : kStreamRows;
    const T* row = row_of(x, stride, top);
    std::size_t j = 0;
    if (before > 0) {
      const auto strip = [&](auto vectors) PAWL_INLINE_LAMBDA {
        ordered = both_ordered<T>(ordered,
                                  extremes_of_strip<T, kSmallest, vectors>(row, stride, count, before, top > 0, out));
        j = vectors * W - before;
      };
      if (at_once && columns >= kMost * W)
        strip(std::integral_constant<std::size_t, kMost>{});
      else
        strip(std::integral_constant<std::size_t, 4>{});
    }
    while (j < columns) {
      const std::size_t left = columns - j;
      // The widest strip of which the columns that are left need more than half; it ends with them at the latest, since
      // an element that is seen twice changes nothing.
      const auto strip = [&](auto vectors) PAWL_INLINE_LAMBDA {
        constexpr std::size_t kWidth = vectors * W;
        const std::size_t at = left < kWidth ? columns - kWidth : j;
        constexpr std::integral_constant<std::size_t, 0> none{};
        ordered = both_ordered<T>(
            ordered, extremes_of_strip<T, kSmallest, vectors>(row + at, stride, count, none, top > 0, out + at));
        j = at + kWidth;
      };
      if (at_once && kMost == 8 && left > 4 * W && columns >= 8 * W)
        strip(std::integral_constant<std::size_t, kMost>{});
      else if (left > 2 * W && columns >= 4 * W)
        strip(std::integral_constant<std::size_t, 4>{});
      else if (left > W && columns >= 2 * W)
        strip(std::integral_constant<std::size_t, 2>{});
      else
        strip(std::integral_constant<std::size_t, 1>{});
    }
  }
  return none_is_nan<T>(ordered);
}

// The same of less than a vector of columns, the last of which is at end[-1].
template <class T, bool kSmallest>
static bool extremes_of_narrow_block(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t columns, T* out,
                                     const T* end) {
  const Vec<T> zero(T(0));
  Vec<T> best = load_first<T>(x, columns), odd = best * zero, odd_too = zero;
  const auto take = [&](Vec<T>& to) PAWL_INLINE_LAMBDA {
    x += stride;
    const Vec<T> v = kept<T>(load_first<T>(x, columns));
    to = fma<T>(v, zero, to);
    best = pick<T, kSmallest>(v, best);
  };
  std::size_t r = 1;
  for (; r + 2 <= rows; r += 2) {
    take(odd_too);
    take(odd);
  }
  if (r < rows) take(odd_too);
  put_block<T>(out, end, best, columns);
  return reduce_add<T>(odd + odd_too) == T(0);
}

template <class T, bool kSmallest>
static void extreme_columns(const T* x, Blocks blocks, std::ptrdiff_t stride, std::size_t rows, std::size_t columns,
                            T* out) noexcept {
  const T* end = out + blocks.count * columns;
  const bool narrow = columns < lanes<T>;
  if (fits_a_vector<T>(rows, columns) &&
      extremes_of_blocks<T, kSmallest, false>(x, blocks, stride, rows, columns, out,
                                              [=](T* to, Vec<T> m, Vec<T>)
                                                  PAWL_INLINE_LAMBDA { put_block<T>(to, end, m, columns); }))
    return;
  for_blocks(x, blocks, columns, out, [=](const T* p, T* to) PAWL_INLINE_LAMBDA {
    if (narrow ? extremes_of_narrow_block<T, kSmallest>(p, stride, rows, columns, to, end)
               : extremes_of_block<T, kSmallest>(p, stride, rows, columns, to))
      return;
    alignas(64) T place[kChunk + 64];
    for (std::size_t begin = 0; begin < columns; begin += kChunk) {
      const std::size_t width = columns - begin < kChunk ? columns - begin : kChunk;
      first_nan_of_chunk<T>(p + begin, stride, rows, width, place);
      for (std::size_t j = 0; j < width; ++j)
        if (const std::size_t row = row_at<T>(place, j); row < rows) to[begin + j] = row_of(p, stride, row)[begin + j];
    }
  });
}

// Extremes of one chunk of columns into best, and their rows into place. Returns false if an element was NaN or
// infinite: then NaNs may have been passed over.
template <class T, bool kSmallest, bool kStreams>
PAWL_INLINE bool places_of_chunk(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t width, T* best,
                                 T* place) {
  constexpr std::size_t W = lanes<T>, kRows = kStreams ? kStreamRows : kGroup;
  const Vec<T> zero(T(0));
  Vec<T> odd = zero;
  for (std::size_t top = 0; top < rows; top += kRows) {
    const std::size_t group = rows - top < kRows ? rows - top : kRows;
    for_strips<T, kStreams ? kStreamVectors : 8>(width, [&](std::size_t j, auto strip, auto end) PAWL_INLINE_LAMBDA {
      const auto count = [=](auto c) PAWL_INLINE_LAMBDA { return lanes_of<T, strip>(c, end); };
      Vec<T> m[strip], at[strip], odd_here[strip];
      const T* row = row_of(x, stride, top) + j;
      unroll<strip>([&](auto c) PAWL_INLINE_LAMBDA {
        m[c] = top > 0 ? load<T>(best + j + c * W) : load_lanes<T>(row + c * W, count(c));
        at[c] = top > 0 ? load<T>(place + j + c * W) : zero;
        odd_here[c] = zero;
      });
      for (std::size_t r = 0; r < group; ++r, row += stride)
        unroll<strip>([&](auto c) PAWL_INLINE_LAMBDA {
          const Vec<T> v = kept<T>(load_lanes<T>(row + c * W, count(c)));
          odd_here[c] = fma<T>(v, zero, odd_here[c]);
          at[c] = kSmallest ? select_less<T>(v, m[c], row_number<T>(top + r), at[c])
                            : select_less<T>(m[c], v, row_number<T>(top + r), at[c]);
          m[c] = pick<T, kSmallest>(v, m[c]);
        });
      unroll<strip>([&](auto c) PAWL_INLINE_LAMBDA {
        store<T>(best + j + c * W, m[c]);
        store<T>(place + j + c * W, at[c]);
        odd = odd + odd_here[c];
      });
    });
  }
  return reduce_add<T>(odd) == T(0);
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
      const bool plain = by_streams<T>(rows, stride, width)
                             ? places_of_chunk<T, kSmallest, true>(p + begin, stride, rows, width, best, place)
                             : places_of_chunk<T, kSmallest, false>(p + begin, stride, rows, width, best, place);
      for (std::size_t j = 0; j < width; ++j) to[begin + j] = row_at<T>(place, j);
      if (plain) continue;
      first_nan_of_chunk<T>(p + begin, stride, rows, width, place);
      for (std::size_t j = 0; j < width; ++j)
        if (const std::size_t row = row_at<T>(place, j); row < rows) to[begin + j] = row;
    }
  });
}

}  // namespace pawl::PAWL_ISA_NS
