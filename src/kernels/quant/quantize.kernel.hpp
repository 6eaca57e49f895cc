// quantize.kernel.hpp -- f32 or i32 -> 8-bit codes and back, and the range of an array, written once for every ISA.
#pragma once
#include "kernels/quant/blocks.hpp"
#include "kernels/quant/half_lanes.hpp"

namespace pawl::PAWL_ISA_NS {

template <class Q>
static void quantize(const float* x, std::size_t n, float reciprocal, std::int32_t zero_point, Q* q,
                     bool streaming) noexcept {
  for_blocks(x, n, q, streaming, [=](const float* from, Q* to) PAWL_INLINE_LAMBDA {
    const auto at = [&](std::size_t v) PAWL_INLINE_LAMBDA {
      return round_lanes(times_or_zero(get<F32>(from + v * kLanes), splat(reciprocal)));
    };
    put_codes(to, at(0), at(1), at(2), at(3), zero_point);
  });
}

template <class Q>
static void requantize(const std::int32_t* sums, std::size_t n, float multiplier, std::int32_t zero_point, Q* q,
                       bool streaming) noexcept {
  for_blocks(sums, n, q, streaming, [=](const std::int32_t* from, Q* to) PAWL_INLINE_LAMBDA {
    const auto at = [&](std::size_t v) PAWL_INLINE_LAMBDA {
      return round_lanes(convert_lanes<F32>(get<I32>(from + v * kLanes)) * multiplier);
    };
    put_codes(to, at(0), at(1), at(2), at(3), zero_point);
  });
}

template <class Q>
static void dequantize(const Q* q, std::size_t n, float scale, std::int32_t zero_point, float* x,
                       bool streaming) noexcept {
  for_blocks(q, n, x, streaming, [=](const Q* from, float* to) PAWL_INLINE_LAMBDA {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v)
      put(to + v * kLanes, convert_lanes<F32>(wide_codes(from + v * kLanes) - zero_point) * scale);
  });
}

template <class Q>
static void add_codes(const Q* a, const Q* b, std::size_t n, std::int32_t zero_a, std::int32_t zero_b, float factor_a,
                      float factor_b, std::int32_t zero_out, Q* out) noexcept {
  const auto step = [=](const Q* x, const Q* y, Q* to) PAWL_INLINE_LAMBDA {
    const auto at = [&](std::size_t v) PAWL_INLINE_LAMBDA {
      const F32 left = convert_lanes<F32>(wide_codes(x + v * kLanes) - zero_a) * factor_a;
      const F32 right = convert_lanes<F32>(wide_codes(y + v * kLanes) - zero_b) * factor_b;
      return round_lanes(left + right);
    };
    put_codes(to, at(0), at(1), at(2), at(3), zero_out);
  };
  std::size_t i = 0;
  for (; i + kBlock <= n; i += kBlock) step(a + i, b + i, out + i);
  if (i < n) {
    Q x[kBlock] = {}, y[kBlock] = {}, to[kBlock];
    __builtin_memcpy(x, a + i, n - i);
    __builtin_memcpy(y, b + i, n - i);
    step(x, y, to);
    __builtin_memcpy(out + i, to, n - i);
  }
}

template <class Q>
static void relu_codes(const Q* a, std::size_t n, Q zero_point, Q* out) noexcept {
  typedef Q Codes __attribute__((vector_size(16)));
  const Codes zero = Codes{} + zero_point;
  std::size_t i = 0;
#pragma GCC unroll 4
  for (; i + 16 <= n; i += 16) {
    const Codes x = get<Codes>(a + i);
    put(out + i, x > zero ? x : zero);
  }
  for (; i < n; ++i) out[i] = a[i] > zero_point ? a[i] : zero_point;
}

// Parameters per element. The zero point is a whole f32 below 256, so that adding it rounds nothing.
template <class Q>
static void quantize_each(const float* x, std::size_t n, const float* reciprocals, const float* zero_points,
                          Q* q) noexcept {
  const auto step = [=](const float* from, const float* r, const float* z, Q* to) PAWL_INLINE_LAMBDA {
    const auto at = [&](std::size_t v) PAWL_INLINE_LAMBDA {
      const std::size_t i = v * kLanes;
      // Rounded before the zero point is added: a tie is broken by x alone. Not below -2^30, so that the sum fits.
      const F32 value = greatest(times_or_zero(get<F32>(from + i), get<F32>(r + i)), splat(-0x1p30f));
      return round_lanes(value) + round_lanes(get<F32>(z + i));
    };
    put_codes(to, at(0), at(1), at(2), at(3), 0);
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
#pragma GCC unroll 4
  for (; i + kLanes <= n; i += kLanes)
    put(x + i, (convert_lanes<F32>(wide_codes(q + i)) - get<F32>(zero_points + i)) * get<F32>(scales + i));
  for (; i < n; ++i) x[i] = (static_cast<float>(q[i]) - zero_points[i]) * scales[i];
}

// The comparison hands its second operand through where the first is NaN, so that NaNs never enter.
static void range(const float* x, std::size_t n, float* out) noexcept {
  const float infinity = __builtin_inff();
  // 8 chains each: a chain of comparisons waits 3 cycles for each, and two of them can start in one.
  constexpr std::size_t kChains = 8, kStep = kChains * kLanes;
  F32 low[kChains], high[kChains];
#pragma GCC unroll 8
  for (std::size_t v = 0; v < kChains; ++v) {
    low[v] = splat(infinity);
    high[v] = splat(-infinity);
  }
  std::size_t i = 0;
  for (; i + kStep <= n; i += kStep)
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kChains; ++v) {
      const F32 value = get<F32>(x + i + v * kLanes);
      low[v] = least(value, low[v]);
      high[v] = greatest(value, high[v]);
    }
#pragma GCC unroll 8
  for (std::size_t v = 1; v < kChains; ++v) {
    low[0] = least(low[v], low[0]);
    high[0] = greatest(high[v], high[0]);
  }
  float smallest = least_lane(low[0]), largest = greatest_lane(high[0]);
  for (; i < n; ++i) {
    smallest = x[i] < smallest ? x[i] : smallest;
    largest = x[i] > largest ? x[i] : largest;
  }
  out[0] = smallest;
  out[1] = largest;
}

}  // namespace pawl::PAWL_ISA_NS
