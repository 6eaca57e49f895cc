// quantize_matrix.kernel.hpp -- rows of f32 <-> 8-bit codes, many rows in one call: with a scale for each row, and with
// a scale for each column.
#pragma once
#include "kernels/quant/parameters.kernel.hpp"
#include "kernels/quant/quantize.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// Calls step(from, factors, to) for each block of a row, `factors` being pointers into the arrays for its elements. A
// last part is done with elements before it, or in copies, as for_blocks() does.
template <std::size_t kArrays, class In, class Out, class Step>
PAWL_INLINE void for_blocks_by(const In* in, const float* const (&factors)[kArrays], std::size_t n, Out* out,
                               Step step) {
  const auto whole = [&](std::size_t i) PAWL_INLINE_LAMBDA {
    const float* at[kArrays];
    for (std::size_t a = 0; a < kArrays; ++a) at[a] = factors[a] + i;
    step(in + i, at, out + i);
  };
  std::size_t i = 0;
  for (; i + kBlock <= n; i += kBlock) whole(i);
  if (i == n) return;
  if (n >= kBlock) return whole(n - kBlock);
  In from[kBlock];
  Out to[kBlock];
  float part[kArrays][kBlock];
  const float* at[kArrays];
  load_part(from, in, n);
  for (std::size_t a = 0; a < kArrays; ++a) {
    load_part(part[a], factors[a], n);
    at[a] = part[a];
  }
  step(from, at, to);
  store_part(out, to, n);
}

// One zero point for all: it is added where the codes are packed, as for one scale.
template <class Q>
static void quantize_columns(const float* x, std::size_t rows, std::size_t cols, std::size_t stride,
                             const float* reciprocals, std::int32_t zero_point, Q* q) noexcept {
  for (std::size_t i = 0; i < rows; ++i)
    for_blocks_by(x + i * stride, {reciprocals}, cols, q + i * stride,
                  [=](const float* from, const float* const* r, Q* to) PAWL_INLINE_LAMBDA {
                    quantize_block_by(
                        from, [=](std::size_t v) PAWL_INLINE_LAMBDA { return get<F32>(r[0] + v * kLanes); }, zero_point,
                        to);
                  });
}

// The zero point is a whole f32 below 256, so that adding it rounds nothing.
template <class Q>
static void quantize_each(const float* x, std::size_t rows, std::size_t cols, std::size_t stride,
                          const float* reciprocals, const float* zero_points, Q* q) noexcept {
  const auto step = [](const float* from, const float* const* by, Q* to) PAWL_INLINE_LAMBDA {
    const auto at = [&](std::size_t v) PAWL_INLINE_LAMBDA {
      const std::size_t i = v * kLanes;
      // Rounded before the zero point is added: a tie is broken by x alone. Not below -2^30, so that the sum fits.
      const F32 value = greatest(times_or_zero(get<F32>(from + i), get<F32>(by[0] + i)), splat(-0x1p30f));
      return round_lanes(value) + round_lanes(get<F32>(by[1] + i));
    };
    put_codes(to, at(0), at(1), at(2), at(3), 0);
  };
  for (std::size_t i = 0; i < rows; ++i)
    for_blocks_by(x + i * stride, {reciprocals, zero_points}, cols, q + i * stride, step);
}

template <class Q>
static void dequantize_columns(const Q* q, std::size_t rows, std::size_t cols, std::size_t stride, const float* scales,
                               std::int32_t zero_point, float* x) noexcept {
  for (std::size_t i = 0; i < rows; ++i)
    for_blocks_by(q + i * stride, {scales}, cols, x + i * stride,
                  [=](const Q* from, const float* const* s, float* to) PAWL_INLINE_LAMBDA {
#pragma GCC unroll 4
                    for (std::size_t v = 0; v < kBlock; v += kLanes)
                      put(to + v, convert_lanes<F32>(wide_codes(from + v) - zero_point) * get<F32>(s[0] + v));
                  });
}

template <class Q>
static void dequantize_each(const Q* q, std::size_t rows, std::size_t cols, std::size_t stride, const float* scales,
                            const float* zero_points, float* x) noexcept {
  for (std::size_t i = 0; i < rows; ++i)
    for_blocks_by(q + i * stride, {scales, zero_points}, cols, x + i * stride,
                  [](const Q* from, const float* const* by, float* to) PAWL_INLINE_LAMBDA {
#pragma GCC unroll 4
                    for (std::size_t v = 0; v < kBlock; v += kLanes)
                      put(to + v,
                          (convert_lanes<F32>(wide_codes(from + v)) - get<F32>(by[1] + v)) * get<F32>(by[0] + v));
                  });
}

// Rows shorter than a block are taken as one stretch, with the factor of each element: 3 to 40 times as fast with 1 to
// 31 columns as row by row (Zen 4). So many elements at a time, so that factors and zero points stay in L1.
inline constexpr std::size_t kStretch = 1024;

// Each value `cols` times, one after another; up to a vector more is written.
template <class T>
PAWL_INLINE void repeat_each(const T* values, std::size_t count, std::size_t cols, float* to) {
  for (std::size_t i = 0; i < count; ++i, to += cols)
    for (std::size_t j = 0; j < cols; j += kLanes) put(to + j, splat(static_cast<float>(values[i])));
}

// use(first row, rows, factor of each element) for some short rows after the other.
template <class Use>
PAWL_INLINE void for_short_rows(std::size_t rows, std::size_t cols, const float* factors, Use use) {
  float factor_of[kStretch + kLanes];
  const std::size_t step = kStretch / cols;
  for (std::size_t first = 0; first < rows; first += step) {
    const std::size_t count = rows - first < step ? rows - first : step;
    repeat_each(factors + first, count, cols, factor_of);
    use(first, count, factor_of);
  }
}

// The same with zero points: one_zero(first row, rows, factors, zero point) or, where they differ, each(first row,
// rows, factors, zero point of each element).
template <class OneZero, class Each>
PAWL_INLINE void for_short_rows(std::size_t rows, std::size_t cols, const float* factors,
                                const std::int32_t* zero_points, std::int32_t middle, OneZero one_zero, Each each) {
  for_short_rows(rows, cols, factors,
                 [=](std::size_t first, std::size_t count, const float* factor_of) PAWL_INLINE_LAMBDA {
                   if (!zero_points) return one_zero(first, count, factor_of, middle);
                   if (!zeros_differ(zero_points + first, count))
                     return one_zero(first, count, factor_of, zero_points[first]);
                   float zero_of[kStretch + kLanes];
                   repeat_each(zero_points + first, count, cols, zero_of);
                   each(first, count, factor_of, zero_of);
                 });
}

// zero_points = null: `middle` for all.
template <class Q>
static void quantize_rows(const float* x, std::size_t rows, std::size_t cols, const float* reciprocals,
                          const std::int32_t* zero_points, std::int32_t middle, Q* q) noexcept {
  if (cols >= kBlock || rows == 1 || cols == 0) {
    for (std::size_t i = 0; i < rows; ++i) {
      const F32 factor = splat(reciprocals[i]);
      const std::int32_t zero = zero_points ? zero_points[i] : middle;
      for_blocks(x + i * cols, cols, q + i * cols, false,
                 [=](const float* from, Q* to) PAWL_INLINE_LAMBDA { quantize_block(from, factor, zero, to); });
    }
    return;
  }
  for_short_rows(
      rows, cols, reciprocals, zero_points, middle,
      [=](std::size_t first, std::size_t count, const float* r, std::int32_t zero)
          PAWL_INLINE_LAMBDA { quantize_columns(x + first * cols, 1, count * cols, 0, r, zero, q + first * cols); },
      [=](std::size_t first, std::size_t count, const float* r, const float* zeros)
          PAWL_INLINE_LAMBDA { quantize_each(x + first * cols, 1, count * cols, 0, r, zeros, q + first * cols); });
}

template <class Q>
static void dequantize_rows(const Q* q, std::size_t rows, std::size_t cols, const float* scales,
                            const std::int32_t* zero_points, std::int32_t middle, float* x, bool streaming) noexcept {
  if (cols >= kBlock || rows == 1 || cols == 0) {
    for (std::size_t i = 0; i < rows; ++i) {
      const std::int32_t zero = zero_points ? zero_points[i] : middle;
      if (streaming) {
        dequantize(q + i * cols, cols, scales[i], zero, x + i * cols, true);
        continue;
      }
      for_blocks(q + i * cols, cols, x + i * cols, false,
                 [=, scale = scales[i]](const Q* from, float* to)
                     PAWL_INLINE_LAMBDA { dequantize_block(from, scale, zero, to); });
    }
    return;
  }
  for_short_rows(
      rows, cols, scales, zero_points, middle,
      [=](std::size_t first, std::size_t count, const float* s, std::int32_t zero)
          PAWL_INLINE_LAMBDA { dequantize_columns(q + first * cols, 1, count * cols, 0, s, zero, x + first * cols); },
      [=](std::size_t first, std::size_t count, const float* s, const float* zeros)
          PAWL_INLINE_LAMBDA { dequantize_each(q + first * cols, 1, count * cols, 0, s, zeros, x + first * cols); });
}

}  // namespace pawl::PAWL_ISA_NS
