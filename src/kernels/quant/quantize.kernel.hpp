// quantize.kernel.hpp -- f32 or i32 -> 8-bit codes and back, and the range of an array, written once for every ISA.
#pragma once
#include "kernels/quant/blocks.hpp"
#include "kernels/quant/half_lanes.hpp"

namespace pawl::PAWL_ISA_NS {

// Codes of one block, the elements of vector v times factor(v). What an integer does not hold, and NaN, is rare: it is
// looked for in all of the block at once, and only where there is such each element is.
template <class Q, class Factor>
PAWL_INLINE void quantize_block_by(const float* from, Factor factor, std::int32_t zero_point, Q* to) {
  const F32 x[] = {get<F32>(from), get<F32>(from + kLanes), get<F32>(from + 2 * kLanes), get<F32>(from + 3 * kLanes)};
  const auto each = [&](std::size_t v) PAWL_INLINE_LAMBDA { return round_lanes(times_or_zero(x[v], factor(v))); };
#if defined(PAWL_ISA_IS_avx512)
  // The conversion makes -2^31 of it, and packing the least that 16 bits hold.
  const auto rounded = [&](std::size_t v) PAWL_INLINE_LAMBDA { return _mm512_cvtps_epi32(x[v] * factor(v)); };
  const __m512i ab = _mm512_packs_epi32(rounded(0), rounded(1)), cd = _mm512_packs_epi32(rounded(2), rounded(3));
  if (_mm512_cmpeq_epi16_mask(_mm512_min_epi16(ab, cd), _mm512_set1_epi16(-32768)) != 0) [[unlikely]] {
    put_codes(to, each(0), each(1), each(2), each(3), zero_point);
  } else {
    put_packed(to, ab, cd, zero_point);
  }
#else
  if ((nan_in(x[0], x[1]) | nan_in(x[2], x[3])) != 0) [[unlikely]] {
    put_codes(to, each(0), each(1), each(2), each(3), zero_point);
  } else {
    const auto at = [&](std::size_t v) PAWL_INLINE_LAMBDA { return round_lanes(x[v] * factor(v)); };
    put_codes(to, at(0), at(1), at(2), at(3), zero_point);
  }
#endif
}
template <class Q>
PAWL_INLINE void quantize_block(const float* from, F32 reciprocal, std::int32_t zero_point, Q* to) {
  quantize_block_by(
      from, [=](std::size_t) PAWL_INLINE_LAMBDA { return reciprocal; }, zero_point, to);
}

template <class Q>
static void quantize(const float* x, std::size_t n, float reciprocal, std::int32_t zero_point, Q* q,
                     bool streaming) noexcept {
  const F32 factor = splat(reciprocal);
  for_blocks(x, n, q, streaming,
             [=](const float* from, Q* to) PAWL_INLINE_LAMBDA { quantize_block(from, factor, zero_point, to); });
}

// The range of elements, widened to hold 0. With AVX-512 in integers, of which the CPU compares more at once: positive
// floats are ordered as signed integers, negative ones by their magnitude as unsigned ones. NaN ends up as NaN there
// and is left out elsewhere.
struct WidenedRange {
#if defined(PAWL_ISA_IS_avx512)
  __m512i high = _mm512_setzero_si512(), low = _mm512_setzero_si512();
  PAWL_INLINE void add(F32 x) {
    high = _mm512_max_epi32(high, as<__m512i>(x));
    low = _mm512_max_epu32(low, as<__m512i>(x));
  }
  PAWL_INLINE void add(const WidenedRange& other) {
    high = _mm512_max_epi32(high, other.high);
    low = _mm512_max_epu32(low, other.low);
  }
  PAWL_INLINE void store(float* out) const {
    const auto most = static_cast<std::uint32_t>(_mm512_reduce_max_epi32(high));
    const std::uint32_t least = _mm512_reduce_max_epu32(low);
    out[0] = as<float>(least >> 31 ? least : 0u);
    out[1] = as<float>(most);
  }
#else
  F32 high{}, low{};
  PAWL_INLINE void add(F32 x) {
    high = greatest(x, high);
    low = least(x, low);
  }
  PAWL_INLINE void add(const WidenedRange& other) {
    high = greatest(other.high, high);
    low = least(other.low, low);
  }
  PAWL_INLINE void store(float* out) const {
    out[0] = least_lane(low);
    out[1] = greatest_lane(high);
  }
#endif
};

// One row's codes and, in the same loop, the range of another of the same length: memory brings the one while the other
// is computed. next = null: the codes alone; x = null: the range alone.
template <class Q>
static void quantize_and_range(const float* x, std::size_t n, float reciprocal, std::int32_t zero_point, Q* q,
                               const float* next, float* range) noexcept {
  if (!next) return quantize(x, n, reciprocal, zero_point, q, false);
  const F32 factor = splat(reciprocal);
  // Four names and no array, which g++ 12 would clear in memory first, at the cost of half a row.
  WidenedRange first, second, third, fourth;
  std::size_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    if (x) quantize_block(x + i, factor, zero_point, q + i);
    first.add(get<F32>(next + i));
    second.add(get<F32>(next + i + kLanes));
    third.add(get<F32>(next + i + 2 * kLanes));
    fourth.add(get<F32>(next + i + 3 * kLanes));
  }
  if (i < n) {
    if (x) quantize(x + i, n - i, reciprocal, zero_point, q + i, false);
    for (; i + kLanes <= n; i += kLanes) first.add(get<F32>(next + i));
    if (i < n) {
      float rest[kLanes];
      load_part(rest, next + i, n - i);
      second.add(get<F32>(rest));
    }
  }
  first.add(second);
  third.add(fourth);
  first.add(third);
  first.store(range);
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
PAWL_INLINE void dequantize_block(const Q* from, float scale, std::int32_t zero_point, float* to) {
#pragma GCC unroll 4
  for (std::size_t v = 0; v < kBlock; v += kLanes)
    put(to + v, convert_lanes<F32>(wide_codes(from + v) - zero_point) * scale);
}

template <class Q>
static void dequantize(const Q* q, std::size_t n, float scale, std::int32_t zero_point, float* x,
                       bool streaming) noexcept {
  for_blocks(q, n, x, streaming,
             [=](const Q* from, float* to) PAWL_INLINE_LAMBDA { dequantize_block(from, scale, zero_point, to); });
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
    Q x[kBlock], y[kBlock], to[kBlock];
    load_part(x, a + i, n - i);
    load_part(y, b + i, n - i);
    step(x, y, to);
    store_part(out + i, to, n - i);
  }
}

// What is done a second time, where vectors overlap, stays as it is: also in place.
template <class Q>
static void relu_codes(const Q* a, std::size_t n, Q zero_point, Q* out) noexcept {
  const auto step = [=](std::size_t i, auto zero) PAWL_INLINE_LAMBDA {
    const auto x = get<decltype(zero)>(a + i);
    put(out + i, x > zero ? x : zero);
  };
  typedef Q Codes __attribute__((vector_size(kBlock)));
  typedef Q Codes16 __attribute__((vector_size(16)));
  if (n >= kBlock && kBlock >= 16) {
    const Codes zero = Codes{} + zero_point;
    std::size_t i = 0;
#pragma GCC unroll 4
    for (; i + kBlock <= n; i += kBlock) step(i, zero);
    if (i < n) step(n - kBlock, zero);
  } else if (n >= 16) {
    const Codes16 zero = Codes16{} + zero_point;
    for (std::size_t i = 0; i + 16 < n; i += 16) step(i, zero);
    step(n - 16, zero);
  } else {
    for (std::size_t i = 0; i < n; ++i) out[i] = a[i] > zero_point ? a[i] : zero_point;
  }
}

// The comparison hands its second operand through where the first is NaN, so that NaNs never enter.
static void range(const float* x, std::size_t n, float* out) noexcept {
  F32 low = splat(__builtin_inff()), high = -low;
  const auto add = [&](F32 value) PAWL_INLINE_LAMBDA {
    low = least(value, low);
    high = greatest(value, high);
  };
  // 8 chains each, or 4 where there are 16 registers: a chain of comparisons waits 3 cycles for each, and two of them
  // can start in one.
#if defined(PAWL_ISA_IS_avx512)
  constexpr std::size_t kChains = 8;
#else
  constexpr std::size_t kChains = 4;
#endif
  constexpr std::size_t kStep = kChains * kLanes;
  std::size_t i = 0;
  if (n >= kStep) {
    F32 lows[kChains], highs[kChains];
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kChains; ++v) {
      lows[v] = low;
      highs[v] = high;
    }
    if (n >= kWorthAligning) {
      i = elements_to_boundary(x);
      if (i != 0) add(get<F32>(x));
    }
    for (; i + kStep <= n; i += kStep) {
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kChains; ++v) {
        const F32 value = get<F32>(x + i + v * kLanes);
        lows[v] = least(value, lows[v]);
        highs[v] = greatest(value, highs[v]);
      }
    }
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kChains; ++v) {
      low = least(lows[v], low);
      high = greatest(highs[v], high);
    }
  }
  for (; i + kLanes <= n; i += kLanes) add(get<F32>(x + i));
  if (i < n && n >= kLanes) {
    add(get<F32>(x + n - kLanes));  // some of them a second time
  } else if (i < n) {
#if defined(PAWL_ISA_IS_avx512)
    const auto exist = static_cast<__mmask16>((1u << n) - 1);
    add(_mm512_mask_loadu_ps(splat(__builtin_nanf("")), exist, x));
#else
    float part[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l) part[l] = l < n ? x[l] : __builtin_nanf("");
    add(get<F32>(part));
#endif
  }
  out[0] = least_lane(low);
  out[1] = greatest_lane(high);
}

}  // namespace pawl::PAWL_ISA_NS
