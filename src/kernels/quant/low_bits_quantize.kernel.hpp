// low_bits_quantize.kernel.hpp -- f32 -> scales per group and codes of 8, 4, 2 or 1.6 bits, written once for every ISA.
#pragma once
#include "kernels/quant/fold_each.hpp"
#include "kernels/quant/half_lanes.hpp"
#include "kernels/quant/low_bits_dequantize.kernel.hpp"
#include "kernels/quant/low_bits_formats.hpp"

namespace pawl::PAWL_ISA_NS {

typedef std::uint8_t Bytes16 __attribute__((vector_size(16)));

/// All bits set in lanes where a >= b.
PAWL_INLINE U32 at_least_mask(F32 a, F32 b) {
#if defined(PAWL_ONE_LANE)
  return a >= b ? ~0u : 0u;
#else
  return as<U32>(a >= b);
#endif
}
PAWL_INLINE F32 choose_lanes(U32 mask, F32 a, F32 b) { return as<F32>(choose(mask, as<U32>(a), as<U32>(b))); }

// A scale within f16; 0 where there is none (the range of nothing but NaN is negative).
PAWL_INLINE F32 limited(F32 scale) { return greatest(least(scale, splat(65504.0f)), F32{}); }

// NaN is left out: the comparisons hand their second operand through where the first is NaN.
template <GroupRule rule>
static void group_params(const float* x, std::size_t groups, std::size_t group, std::uint16_t* scales,
                         float* reciprocals, std::int32_t* zeros) noexcept {
  constexpr bool kMagnitudes = rule == GroupRule::q8_0 || rule == GroupRule::int4;
  const auto larger = [](F32 a, F32 b) PAWL_INLINE_LAMBDA { return greatest(a, b); };
  const auto smaller = [](F32 a, F32 b) PAWL_INLINE_LAMBDA { return least(a, b); };
  const F32 infinity = splat(__builtin_inff());
  for (std::size_t first = 0; first < groups; first += kLanes) {
    F32 least_parts[kLanes], most_parts[kLanes];
    const auto find = [&](std::size_t g) PAWL_INLINE_LAMBDA {
      F32 low = infinity, high = -infinity;
      if (first + g < groups) {
        const float* const from = x + (first + g) * group;
        for (std::size_t i = 0; i < group; i += kLanes) {
          const F32 value = get<F32>(from + i);
          if constexpr (kMagnitudes) {
            high = greatest(as<F32>(as<U32>(value) & 0x7fffffffu), high);
          } else {
            low = least(value, low);
            high = greatest(value, high);
          }
        }
      }
      least_parts[g] = low;
      most_parts[g] = high;
    };
    F32 high = -infinity, low = infinity;
#if defined(PAWL_ISA_IS_avx512)
    // Few groups are folded one by one: all 16 at once would take 30 ns for any number of them (Zen 4).
    constexpr std::size_t kFew = 4;
    const bool few = groups - first <= kFew;
    for (std::size_t g = 0; few && g < groups - first; ++g) {
      find(g);
      const auto lane = static_cast<__mmask16>(1u << g);
      high = _mm512_mask_mov_ps(high, lane, splat(greatest_lane(most_parts[g])));
      if constexpr (!kMagnitudes) low = _mm512_mask_mov_ps(low, lane, splat(least_lane(least_parts[g])));
    }
#else
    constexpr bool few = false;
#endif
    if (!few) {
      for (std::size_t g = 0; g < kLanes; ++g) find(g);
      high = fold_each(most_parts, larger);
      if constexpr (!kMagnitudes) low = fold_each(least_parts, smaller);
    }
    if constexpr (kMagnitudes) low = -high;
    F32 scale;
    if constexpr (rule == GroupRule::q8_0) {
      scale = limited(high / 127.0f);
    } else if constexpr (rule == GroupRule::int4) {
      scale = limited(high / 7.0f);
    } else if constexpr (rule == GroupRule::q4_0) {
      // Of equal magnitudes the negative.
      scale = choose_lanes(at_least_mask(-low, high), limited(low / -8.0f), -limited(high / 8.0f));
    } else {
      scale = limited(greatest(high, F32{}) / 15.0f - least(low, F32{}) / 15.0f);
    }
    put_f16(scales + first, scale);
    scale = load_f16(scales + first);
    const U32 none = at_least_mask(F32{}, as<F32>(as<U32>(scale) & 0x7fffffffu));
    put(reciprocals + first, as<F32>(as<U32>(splat(1.0f) / scale) & ~none));
    constexpr std::int32_t kZero = rule == GroupRule::q8_0 ? 128 : 8;
    I32 zero = I32{} + kZero;
    if constexpr (rule == GroupRule::uint4) {
      const I32 nearest = round_lanes(greatest(least(-low / scale, splat(15.0f)), F32{}));
      zero = as<I32>(choose(none, as<U32>(zero), as<U32>(nearest)));
    }
    put(zeros + first, zero);
  }
}

static void group_codes(const float* x, std::size_t n, std::size_t group, const float* reciprocals,
                        const std::int32_t* zeros, std::uint8_t highest, std::uint8_t* out) noexcept {
  const int shift = __builtin_ctzll(group);
  for (std::size_t i = 0; i < n; i += 4 * kLanes) {
    const auto at = [&](std::size_t v) PAWL_INLINE_LAMBDA {
      const std::size_t g = (i + v * kLanes) >> shift;
      const F32 value = get<F32>(x + i + v * kLanes);
      return round_lanes(times_or_zero(value, splat(reciprocals[g]))) + zeros[g];
    };
    put_low_codes(out + i, at(0), at(1), at(2), at(3), highest);
  }
}

// 16 bytes shifted left by bits that do not leave their byte.
PAWL_INLINE Bytes16 shifted_left(Bytes16 v, int bits) {
  typedef std::uint16_t Words8 __attribute__((vector_size(16)));
  return as<Bytes16>(as<Words8>(v) << bits);
}

PAWL_INLINE Bytes16 bytes_at(const std::uint8_t* p) { return get<Bytes16>(p); }

static void pack8(const std::uint8_t* codes, std::size_t blocks, std::size_t stride_bytes, std::int8_t* out) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, codes += 32, out += stride_bytes) {
    put(out, bytes_at(codes) ^ 0x80);
    put(out + 16, bytes_at(codes + 16) ^ 0x80);
  }
}

// Of each 32 codes byte i gets code i and, above it, code i + 16.
static void pack4(const std::uint8_t* codes, std::size_t blocks, std::size_t stride_bytes, std::uint8_t* out) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, codes += 32, out += stride_bytes)
    put(out, bytes_at(codes) | shifted_left(bytes_at(codes + 16), 4));
}

/// v + step where y > 1/2, v - step where y < -1/2: a ternary digit at its place, counted from the middle one. NaN is
/// 0.
PAWL_INLINE I32 add_digit(I32 v, F32 y, std::int32_t step) {
#if defined(PAWL_ISA_IS_avx512)
  const __m512i by = _mm512_set1_epi32(step);
  const __mmask16 above = _mm512_cmp_ps_mask(y, splat(0.5f), _CMP_GT_OQ);
  const __mmask16 below = _mm512_cmp_ps_mask(y, splat(-0.5f), _CMP_LT_OQ);
  const __m512i up = _mm512_mask_add_epi32(as<__m512i>(v), above, as<__m512i>(v), by);
  return as<I32>(_mm512_mask_sub_epi32(up, below, up, by));
#elif defined(PAWL_ONE_LANE)
  return v + (y > 0.5f ? step : y < -0.5f ? -step : 0);
#else
  return v + ((y < -0.5f) & -step) + ((y > 0.5f) & step);
#endif
}

PAWL_INLINE void put_low_bytes(std::uint8_t* to, I32 v) {
#if defined(PAWL_ISA_IS_avx512)
  put(to, _mm512_cvtepi32_epi8(as<__m512i>(v)));
#else
  put(to, convert_lanes<U8>(v));
#endif
}

// Byte i of a block gets the digits of elements i, i + 16, i + 32 and i + 48, the first in its lowest bits.
static void ternary2(const float* x, std::size_t blocks, float reciprocal, std::uint8_t* out) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, x += 64, out += 16)
    for (std::size_t i = 0; i < 16; i += kLanes) {
      I32 v = I32{} + 0x55;
#pragma GCC unroll 4
      for (std::size_t t = 0; t < 4; ++t) v = add_digit(v, get<F32>(x + i + 16 * t) * reciprocal, 1 << (2 * t));
      put_low_bytes(out + i, v);
    }
}

// Byte i of a block gets the digits of elements i + 16 t, t = 0 .. 4, as a fraction in base 3, in 256ths, rounded up.
static void ternary3(const float* x, std::size_t blocks, float reciprocal, std::uint8_t* out) noexcept {
  constexpr std::int32_t kPlaces[] = {81, 27, 9, 3, 1};
  for (std::size_t b = 0; b < blocks; ++b, x += 80, out += 16)
    for (std::size_t i = 0; i < 16; i += kLanes) {
      I32 v = I32{} + 121;
#pragma GCC unroll 5
      for (std::size_t t = 0; t < 5; ++t) v = add_digit(v, get<F32>(x + i + 16 * t) * reciprocal, kPlaces[t]);
      // ceil(256 v / 243), by 69042 / 2^16 = 256 / 243 (1 + 2^-17.8): exact for all v <= 242 (tested).
      put_low_bytes(out + i, (v * 69042 + 65535) >> 16);
    }
}

// NaN is counted as 0. The same order on every ISA: four elements are added in f32 and these sums in f64, since to
// widen each element takes longer than to read it. n is a multiple of 64.
static void add_magnitudes(const float* x, std::size_t n, double* parts) noexcept {
#if defined(PAWL_ISA_IS_avx512)
  const auto magnitude = [](const float* from) PAWL_INLINE_LAMBDA {
    const F32 value = get<F32>(from);
    return _mm512_maskz_and_ps(_mm512_cmp_ps_mask(value, value, _CMP_ORD_Q), value,
                               _mm512_castsi512_ps(_mm512_set1_epi32(0x7fffffff)));
  };
  __m512d sums[8];
#pragma GCC unroll 8
  for (std::size_t v = 0; v < 8; ++v) sums[v] = get<__m512d>(parts + 8 * v);
  const auto add = [&](const float* from, std::size_t at) PAWL_INLINE_LAMBDA {
    const F32 four = (magnitude(from) + magnitude(from + 16)) + (magnitude(from + 32) + magnitude(from + 48));
    sums[at] = _mm512_add_pd(sums[at], _mm512_cvtps_pd(_mm512_castps512_ps256(four)));
    sums[at + 1] = _mm512_add_pd(sums[at + 1], _mm512_cvtps_pd(_mm512_extractf32x8_ps(four, 1)));
  };
  std::size_t i = 0;
  for (; i + 256 <= n; i += 256) {
#pragma GCC unroll 4
    for (std::size_t b = 0; b < 4; ++b) add(x + i + 64 * b, 2 * b);
  }
#pragma GCC unroll 3
  for (std::size_t b = 0; b < 3; ++b)
    if (i + 64 * b < n) add(x + i + 64 * b, 2 * b);
#pragma GCC unroll 8
  for (std::size_t v = 0; v < 8; ++v) put(parts + 8 * v, sums[v]);
#else
  const auto magnitude = [](float value) PAWL_INLINE_LAMBDA {
    const float a = __builtin_fabsf(value);
    return a == a ? a : 0.0f;
  };
  for (std::size_t i = 0; i < n; i += 64)
    for (std::size_t l = 0; l < 16; ++l) {
      const float* const y = x + i + l;
      parts[i / 64 % 4 * 16 + l] +=
          static_cast<double>((magnitude(y[0]) + magnitude(y[16])) + (magnitude(y[32]) + magnitude(y[48])));
    }
#endif
}

static constexpr LowBitsFormats kLowBitsFormats{
    .params = {group_params<GroupRule::q8_0>, group_params<GroupRule::q4_0>, group_params<GroupRule::int4>,
               group_params<GroupRule::uint4>},
    .codes = group_codes,
    .pack8 = pack8,
    .pack4 = pack4,
    .ternary2 = ternary2,
    .ternary3 = ternary3,
    .unpack8 = unpack8,
    .unpack4 = unpack4,
    .unpack2 = unpack2,
    .unpack3 = unpack3,
    .add_magnitudes = add_magnitudes};

}  // namespace pawl::PAWL_ISA_NS
