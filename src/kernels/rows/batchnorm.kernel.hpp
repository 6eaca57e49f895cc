// batchnorm.kernel.hpp -- statistics of channels -> a factor and an offset each; rows -> x factor + offset.
#pragma once
#include "kernels/simd/elementwise.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// factor = gain / sqrt(variance + epsilon), offset = shift - mean factor; gain and shift may be null.
template <class T>
static void fold_channels(const T* mean, const T* variance, const T* gain, const T* shift, T epsilon, T* factor,
                          T* offset, std::size_t n) noexcept {
  constexpr std::size_t W = lanes<T>;
  const Vec<T> one(T(1)), zero(T(0)), e(epsilon);
  const auto finish = [&](std::size_t i, Vec<T> root, auto read, auto write) PAWL_INLINE_LAMBDA {
    const Vec<T> f = (gain ? read(gain + i) : one) / root;
    write(factor + i, f);
    write(offset + i, fma<T>(negate<T>(read(mean + i)), f, shift ? read(shift + i) : zero));
  };
  std::size_t i = 0;
#if defined(PAWL_ISA_IS_avx512)
  // All roots by multiply-adds: the divider is busy with the quotients.
  for (; i + 2 * W <= n; i += 2 * W) {
    const Vec<T> a = load<T>(variance + i) + e, b = load<T>(variance + i + W) + e;
    if (!roots_by_products<T>(a, b)) [[unlikely]]
      break;
    finish(i, root_by_products<T>(a), load<T>, store<T>);
    finish(i + W, root_by_products<T>(b), load<T>, store<T>);
  }
#endif
  for (; i < n; i += W) {
    const std::size_t count = n - i < W ? n - i : W;
    // Lanes beyond the end have the root of 0 + epsilon, and a quotient that nobody reads.
    finish(
        i, square_root<T>(load_first<T>(variance + i, count) + e),
        [=](const T* p) PAWL_INLINE_LAMBDA { return load_first<T>(p, count); },
        [=](T* p, Vec<T> v) PAWL_INLINE_LAMBDA { store_first<T>(p, v, count); });
  }
}

// kRows rows of x, `columns` apart: factors and offsets are loaded once for all of them. kPast: past the caches, where
// rows are whole lines.
template <class T, std::size_t kRows, bool kPast>
PAWL_INLINE void scale_some(const T* x, const T* factor, const T* offset, T* out, std::size_t columns) {
  constexpr std::size_t W = lanes<T>;
  std::size_t j = 0;
  const auto at = [&](std::size_t j0) PAWL_INLINE_LAMBDA {
    const Vec<T> f = load<T>(factor + j0), o = load<T>(offset + j0);
    unroll<kRows>([&](auto r) PAWL_INLINE_LAMBDA {
      const Vec<T> y = fma<T>(load<T>(x + r * columns + j0), f, o);
      if constexpr (kPast)
        stream<T>(out + r * columns + j0, y);
      else
        store<T>(out + r * columns + j0, y);
    });
  };
  for (; j + 2 * W <= columns; j += 2 * W) {
    at(j);
    at(j + W);
  }
  for (; j < columns; j += W) {
    const std::size_t count = columns - j < W ? columns - j : W;
    if (kPast && count == W) {
      at(j);
      continue;
    }
    const Vec<T> f = load_first<T>(factor + j, count), o = load_first<T>(offset + j, count);
    unroll<kRows>([&](auto r) PAWL_INLINE_LAMBDA {
      store_first<T>(out + r * columns + j, fma<T>(load_first<T>(x + r * columns + j, count), f, o), count);
    });
  }
}

// One row of at least two vectors through the caches. Stores that cross lines, and masked ones, each cost as much as
// some whole ones: both ends are whole vectors that the others overlap, computed before anything is written, since out
// may be x.
template <class T>
PAWL_INLINE void scale_one(const T* x, const T* factor, const T* offset, T* out, std::size_t columns) {
  constexpr std::size_t W = lanes<T>;
  const auto at = [&](std::size_t j)
                      PAWL_INLINE_LAMBDA { return fma<T>(load<T>(x + j), load<T>(factor + j), load<T>(offset + j)); };
  const Vec<T> first = at(0), last = at(columns - W);
  std::size_t j = (0 - reinterpret_cast<std::uintptr_t>(out)) % (W * sizeof(T)) / sizeof(T);
  for (; j + 2 * W <= columns; j += 2 * W) {
    store<T>(out + j, at(j));
    store<T>(out + j + W, at(j + W));
  }
  if (j + W <= columns) store<T>(out + j, at(j));
  store<T>(out, first);
  store<T>(out + columns - W, last);
}

#if defined(PAWL_ISA_IS_avx512)
// Rows of up to 1 KiB where vectors are worked on whole. Two at a time share loads, which bound them in L1;
// beyond it L2's prefetcher follows one row better. us on an Emerald Rapids: 50 x 64 f32 one row at a time 0.17, two
// 0.09, four 0.10; 2000 x 64 12.3, 13.1, 13.5 (f64 37.8, 38.1, 39.9); ends that overlap as in scale_one() 17.1, and 8.3
// instead of 6.5 for 800 x 33 f64.
template <class T>
PAWL_INLINE void scale_short(const T* x, const T* factor, const T* offset, T* out, std::size_t rows,
                             std::size_t columns) {
  constexpr std::size_t kFitsL1 = std::size_t{32} << 10;
  std::size_t r = 0;
  if (2 * rows * columns * sizeof(T) <= kFitsL1)
    for (; r + 2 <= rows; r += 2) scale_some<T, 2, false>(x + r * columns, factor, offset, out + r * columns, columns);
  for (; r < rows; ++r) {
    const T* const from = x + r * columns;
    fill_short<T>(
        out + r * columns, columns,
        [=](std::size_t j)
            PAWL_INLINE_LAMBDA { return fma<T>(load<T>(from + j), load<T>(factor + j), load<T>(offset + j)); },
        [=](std::size_t j, std::size_t count) PAWL_INLINE_LAMBDA {
          return fma<T>(load_first<T>(from + j, count), load_first<T>(factor + j, count),
                        load_first<T>(offset + j, count));
        });
  }
}
#endif

template <class T, bool kPast>
PAWL_INLINE void scale_each(const T* x, const T* factor, const T* offset, T* out, std::size_t rows,
                            std::size_t columns) {
  // Short rows four at a time, since a row alone needs three loads for each store (64 columns f32: x1.3); long ones are
  // bound by L2, whose prefetcher follows one row better than four (1000 columns f32: x0.83).
  constexpr std::size_t kAtOnce = 4, kShortBytes = 1024;
#if defined(PAWL_ISA_IS_avx512)
  if (!kPast && !detail::splits_512_bits && columns * sizeof(T) <= kShortBytes)
    return scale_short<T>(x, factor, offset, out, rows, columns);
#endif
  std::size_t r = 0;
  if (columns * sizeof(T) <= kShortBytes)
    for (; r + kAtOnce <= rows; r += kAtOnce)
      scale_some<T, kAtOnce, kPast>(x + r * columns, factor, offset, out + r * columns, columns);
  if (!kPast && columns >= 2 * lanes<T>)
    for (; r < rows; ++r) scale_one<T>(x + r * columns, factor, offset, out + r * columns, columns);
  for (; r < rows; ++r) scale_some<T, 1, kPast>(x + r * columns, factor, offset, out + r * columns, columns);
  if constexpr (kPast) stream_end();
}

template <class T>
static void scale_columns(const T* x, const T* factor, const T* offset, T* out, std::size_t rows,
                          std::size_t columns) noexcept {
  if (!rows_go_past<T>(x, out, rows, columns)) return scale_each<T, false>(x, factor, offset, out, rows, columns);
  if ((columns * sizeof(T) | reinterpret_cast<std::uintptr_t>(out)) % 64 == 0)
    return scale_each<T, true>(x, factor, offset, out, rows, columns);
  for (std::size_t r = 0; r < rows; ++r, x += columns, out += columns) {
    prefetch_shared_line<T>(out + columns);
    fill<T, false>(
        out, columns, true,
        [=](std::size_t j)
            PAWL_INLINE_LAMBDA { return fma<T>(load<T>(x + j), load<T>(factor + j), load<T>(offset + j)); },
        [=](std::size_t j, std::size_t count) PAWL_INLINE_LAMBDA {
          return fma<T>(load_first<T>(x + j, count), load_first<T>(factor + j, count),
                        load_first<T>(offset + j, count));
        });
  }
  stream_end();
}

template <class T>
static void scale_rows(const T* x, const T* factor, const T* offset, T* out, std::size_t rows, std::size_t columns,
                       bool past) noexcept {
  for (std::size_t r = 0; r < rows; ++r, x += columns, out += columns) {
    if (past) prefetch_shared_line<T>(out + columns);
    const Vec<T> f(factor[r]), o(offset[r]);
    fill<T, false>(
        out, columns, past, [=](std::size_t i) PAWL_INLINE_LAMBDA { return fma<T>(load<T>(x + i), f, o); },
        [=](std::size_t i, std::size_t count) PAWL_INLINE_LAMBDA { return fma<T>(load_first<T>(x + i, count), f, o); });
  }
  if (past) stream_end();
}

}  // namespace pawl::PAWL_ISA_NS
