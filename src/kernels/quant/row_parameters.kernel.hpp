// row_parameters.kernel.hpp -- the ranges of many rows -> their scales, zero points and reciprocals, as choose_params()
// has them.
#pragma once
#include "kernels/quant/part.hpp"

namespace pawl::PAWL_ISA_NS {

// Half as many lanes: as f64 they fill a vector.
#if defined(PAWL_ONE_LANE)
inline constexpr std::size_t kHalfLanes = 1;
typedef float F32Half;
typedef std::int32_t I32Half;
typedef double F64;
#else
inline constexpr std::size_t kHalfLanes = kLanes / 2;
typedef float F32Half __attribute__((vector_size(4 * kHalfLanes)));
typedef std::int32_t I32Half __attribute__((vector_size(4 * kHalfLanes)));
typedef double F64 __attribute__((vector_size(8 * kHalfLanes)));
#endif

PAWL_INLINE F64 splat64(double x) { return x - F64{}; }

// step(at) for each whole vector of `kWidth` of n elements; the rest is copied into and out of arrays of that width.
template <std::size_t kWidth, class Step, class Rest>
PAWL_INLINE void for_whole_and_rest(std::size_t n, Step step, Rest rest) {
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) step(i);
  if (i < n) rest(i, n - i);
}

// Symmetric: divided as f32, which rounds as f64 does that is rounded to f32 (its mantissa is more than twice as long).
// False where a magnitude is not finite, whose results are not to be used.
static bool symmetric_parameters(const float* magnitudes, std::size_t n, float* scales, float* reciprocals) noexcept {
  unsigned odd = 0;
  const auto step = [&](const float* from, float* scale_to, float* reciprocal_to) PAWL_INLINE_LAMBDA {
    const auto most = get<F32>(from);
    F32 scale = greatest(most / 127.0f, splat(0x1p-126f));
    scale = most == F32{} ? splat(1.0f) : scale;
    odd |= nan_in(most - most, most - most);
    put(scale_to, scale);
    put(reciprocal_to, splat(1.0f) / scale);
  };
  for_whole_and_rest<kLanes>(
      n, [&](std::size_t i) PAWL_INLINE_LAMBDA { step(magnitudes + i, scales + i, reciprocals + i); },
      [&](std::size_t i, std::size_t count) PAWL_INLINE_LAMBDA {
        float from[kLanes] = {}, scale[kLanes], reciprocal[kLanes];
        __builtin_memcpy(from, magnitudes + i, count * sizeof(float));
        step(from, scale, reciprocal);
        __builtin_memcpy(scales + i, scale, count * sizeof(float));
        __builtin_memcpy(reciprocals + i, reciprocal, count * sizeof(float));
      });
  return odd == 0;
}

// Affine, ranges that hold 0; codes from `lowest` on. Likewise.
static bool affine_parameters(const float* lows, const float* highs, std::size_t n, std::int32_t lowest, float* scales,
                              std::int32_t* zero_points, float* reciprocals) noexcept {
  const F64 magic = splat64(6755399441055744), low_code = splat64(lowest), high_code = splat64(lowest + 255);
  const F32Half one = 1.0f - F32Half{};
  const I32Half middle = (lowest + 128) - I32Half{};
  F32Half odd{};
  const auto step = [&](const float* low_at, const float* high_at, float* scale_to, std::int32_t* zero_to,
                        float* reciprocal_to) PAWL_INLINE_LAMBDA {
    const auto low = get<F32Half>(low_at), high = get<F32Half>(high_at);
    odd += (low - low) + (high - high);
    const auto low64 = convert_lanes<F64>(low);
    const F64 width = (convert_lanes<F64>(high) - low64) / splat64(255), smallest = splat64(0x1p-126);
    auto scale = convert_lanes<F32Half>(width < smallest ? smallest : width);
    // Rounded by an addition, ties to even.
    F64 zero = (low_code - low64 / convert_lanes<F64>(scale)) + magic - magic;
    zero = zero < low_code ? low_code : zero;
    zero = zero > high_code ? high_code : zero;
    auto zero_point = convert_lanes<I32Half>(zero);
    scale = low == high ? one : scale;
    zero_point = low == high ? middle : zero_point;
    put(scale_to, scale);
    put(zero_to, zero_point);
    put(reciprocal_to, one / scale);
  };
  for_whole_and_rest<kHalfLanes>(
      n,
      [&](std::size_t i)
          PAWL_INLINE_LAMBDA { step(lows + i, highs + i, scales + i, zero_points + i, reciprocals + i); },
      [&](std::size_t i, std::size_t count) PAWL_INLINE_LAMBDA {
        float low[kHalfLanes] = {}, high[kHalfLanes] = {}, scale[kHalfLanes], reciprocal[kHalfLanes];
        std::int32_t zero[kHalfLanes];
        __builtin_memcpy(low, lows + i, count * sizeof(float));
        __builtin_memcpy(high, highs + i, count * sizeof(float));
        step(low, high, scale, zero, reciprocal);
        __builtin_memcpy(scales + i, scale, count * sizeof(float));
        __builtin_memcpy(zero_points + i, zero, count * sizeof(std::int32_t));
        __builtin_memcpy(reciprocals + i, reciprocal, count * sizeof(float));
      });
  float lanes[kHalfLanes];
  put(lanes, odd);
  bool finite = true;
  for (const float lane : lanes) finite = finite && lane == 0;
  return finite;
}

}  // namespace pawl::PAWL_ISA_NS
