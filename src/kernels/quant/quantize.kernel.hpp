// quantize.kernel.hpp -- f32 or i32 -> 8-bit codes and back, and the range of an array, written once for every ISA.
#pragma once
#include "kernels/quant/blocks.hpp"

namespace pawl::PAWL_ISA_NS {

template <class Q>
inline constexpr std::int32_t kLowest = Q(-1) < Q(0) ? -128 : 0;

// Limits of the rounded value before the zero point is added, so that the sum is a code.
template <class Q>
struct CodeRange {
  F32 low, high;
  PAWL_INLINE explicit CodeRange(std::int32_t zero_point)
      : low(splat(static_cast<float>(kLowest<Q> - zero_point))),
        high(splat(static_cast<float>(kLowest<Q> + 255 - zero_point))) {}
  PAWL_INLINE I32 round(F32 v) const { return round_lanes(least(greatest(zero_if_nan(v), low), high)); }
};

template <class Q>
static void quantize(const float* x, std::size_t n, float reciprocal, std::int32_t zero_point, Q* q,
                     bool streaming) noexcept {
  const CodeRange<Q> codes(zero_point);
  for_blocks(x, n, q, streaming, [=](const float* from, Q* to) PAWL_INLINE_LAMBDA {
    const auto at = [&](std::size_t v) PAWL_INLINE_LAMBDA {
      return codes.round(get<F32>(from + v * kLanes) * reciprocal) + zero_point;
    };
    put_narrow(to, at(0), at(1), at(2), at(3));
  });
}

template <class Q>
static void requantize(const std::int32_t* sums, std::size_t n, float multiplier, std::int32_t zero_point, Q* q,
                       bool streaming) noexcept {
  const CodeRange<Q> codes(zero_point);
  for_blocks(sums, n, q, streaming, [=](const std::int32_t* from, Q* to) PAWL_INLINE_LAMBDA {
    const auto at = [&](std::size_t v) PAWL_INLINE_LAMBDA {
      return codes.round(convert_lanes<F32>(get<I32>(from + v * kLanes)) * multiplier) + zero_point;
    };
    put_narrow(to, at(0), at(1), at(2), at(3));
  });
}

PAWL_INLINE I32 wide_codes(const std::int8_t* q) { return convert_lanes<I32>(get<S8>(q)); }
PAWL_INLINE I32 wide_codes(const std::uint8_t* q) { return convert_lanes<I32>(get<U8>(q)); }

template <class Q>
static void dequantize(const Q* q, std::size_t n, float scale, std::int32_t zero_point, float* x,
                       bool streaming) noexcept {
  for_blocks(q, n, x, streaming, [=](const Q* from, float* to) PAWL_INLINE_LAMBDA {
    for (std::size_t v = 0; v < 4; ++v)
      put(to + v * kLanes, convert_lanes<F32>(wide_codes(from + v * kLanes) - zero_point) * scale);
  });
}

// Parameters per element. The zero point is a whole f32 below 256, so that adding it rounds nothing.
template <class Q>
static void quantize_each(const float* x, std::size_t n, const float* reciprocals, const float* zero_points,
                          Q* q) noexcept {
  const F32 low = splat(static_cast<float>(kLowest<Q>)), high = splat(static_cast<float>(kLowest<Q> + 255));
  const auto step = [=](const float* from, const float* r, const float* z, Q* to) PAWL_INLINE_LAMBDA {
    const auto at = [&](std::size_t v) PAWL_INLINE_LAMBDA {
      const std::size_t i = v * kLanes;
      const F32 zero = get<F32>(z + i);
      const F32 value = zero_if_nan(get<F32>(from + i) * get<F32>(r + i));
      // Rounded before the zero point is added: a tie is broken by x alone.
      const F32 inside = least(greatest(value, low - zero), high - zero);
      return round_lanes(inside) + round_lanes(zero);
    };
    put_narrow(to, at(0), at(1), at(2), at(3));
  };
  std::size_t i = 0;
  for (; i + kBlock <= n; i += kBlock) step(x + i, reciprocals + i, zero_points + i, q + i);
  if (i < n) {
    const std::size_t count = n - i;
    float from[kBlock] = {}, r[kBlock] = {}, z[kBlock] = {};
    Q to[kBlock];
    __builtin_memcpy(from, x + i, count * sizeof(float));
    __builtin_memcpy(r, reciprocals + i, count * sizeof(float));
    __builtin_memcpy(z, zero_points + i, count * sizeof(float));
    step(from, r, z, to);
    __builtin_memcpy(q + i, to, count * sizeof(Q));
  }
}

template <class Q>
static void dequantize_each(const Q* q, std::size_t n, const float* scales, const float* zero_points,
                            float* x) noexcept {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    put(x + i, (convert_lanes<F32>(wide_codes(q + i)) - get<F32>(zero_points + i)) * get<F32>(scales + i));
  for (; i < n; ++i) x[i] = (static_cast<float>(q[i]) - zero_points[i]) * scales[i];
}

// The comparison hands its second operand through where the first is NaN, so that NaNs never enter.
static void range(const float* x, std::size_t n, float* out) noexcept {
  const float infinity = __builtin_inff();
  F32 low[4], high[4];
  for (std::size_t v = 0; v < 4; ++v) {
    low[v] = splat(infinity);
    high[v] = splat(-infinity);
  }
  std::size_t i = 0;
  for (; i + kBlock <= n; i += kBlock)
    for (std::size_t v = 0; v < 4; ++v) {
      const F32 value = get<F32>(x + i + v * kLanes);
      low[v] = least(value, low[v]);
      high[v] = greatest(value, high[v]);
    }
  float lows[kLanes], highs[kLanes];
  put(lows, least(least(low[0], low[1]), least(low[2], low[3])));
  put(highs, greatest(greatest(high[0], high[1]), greatest(high[2], high[3])));
  float smallest = infinity, largest = -infinity;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    smallest = lows[lane] < smallest ? lows[lane] : smallest;
    largest = highs[lane] > largest ? highs[lane] : largest;
  }
  for (; i < n; ++i) {
    smallest = x[i] < smallest ? x[i] : smallest;
    largest = x[i] > largest ? x[i] : largest;
  }
  out[0] = smallest;
  out[1] = largest;
}

}  // namespace pawl::PAWL_ISA_NS
