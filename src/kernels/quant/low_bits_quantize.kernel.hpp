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

// Of each 64 codes byte i gets codes i, i + 16, i + 32 and i + 48, the first in its lowest bits.
static void pack2(const std::uint8_t* codes, std::size_t blocks, std::uint8_t* out) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, codes += 64, out += 16)
    put(out, bytes_at(codes) | shifted_left(bytes_at(codes + 16), 2) | shifted_left(bytes_at(codes + 32), 4) |
                 shifted_left(bytes_at(codes + 48), 6));
}

// Of each 80 codes byte i gets codes i + 16 t, t = 0 .. 4, as the digits of a fraction in base 3, in 256ths, rounded
// up.
static void pack3(const std::uint8_t* codes, std::size_t blocks, std::uint8_t* out) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, codes += 80, out += 16) {
    Bytes16 value = bytes_at(codes);
#pragma GCC unroll 4
    for (std::size_t t = 1; t < 5; ++t) value = value + value + value + bytes_at(codes + 16 * t);
#if defined(__x86_64__)
    // ceil(256 v / 243) = v + (13 v + 242) / 243, and that quotient is 270 (13 v + 242) / 2^16 for all v <= 242
    // (tested).
    const __m128i v = as<__m128i>(value), none = _mm_setzero_si128();
    const auto rest = [&](__m128i wide) PAWL_INLINE_LAMBDA {
      const __m128i z = _mm_add_epi16(_mm_mullo_epi16(wide, _mm_set1_epi16(13)), _mm_set1_epi16(242));
      return _mm_mulhi_epu16(z, _mm_set1_epi16(270));
    };
    const __m128i more = _mm_packus_epi16(rest(_mm_unpacklo_epi8(v, none)), rest(_mm_unpackhi_epi8(v, none)));
    put(out, _mm_add_epi8(v, more));
#else
    for (std::size_t i = 0; i < 16; ++i) out[i] = static_cast<std::uint8_t>((256u * value[i] + 242) / 243);
#endif
  }
}

// NaN is counted as 0. The same order on every ISA.
static void add_magnitudes(const float* x, std::size_t n, double* parts) noexcept {
#if defined(PAWL_ISA_IS_avx512)
  __m512d sums[8];
#pragma GCC unroll 8
  for (std::size_t v = 0; v < 8; ++v) sums[v] = get<__m512d>(parts + 8 * v);
  for (std::size_t i = 0; i < n; i += 64) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < 4; ++v) {
      const F32 a = as<F32>(as<U32>(get<F32>(x + i + 16 * v)) & 0x7fffffffu);
      const F32 value = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(a, a, _CMP_ORD_Q), a);
      sums[2 * v] = _mm512_add_pd(sums[2 * v], _mm512_cvtps_pd(_mm512_castps512_ps256(value)));
      sums[2 * v + 1] = _mm512_add_pd(sums[2 * v + 1], _mm512_cvtps_pd(_mm512_extractf32x8_ps(value, 1)));
    }
  }
#pragma GCC unroll 8
  for (std::size_t v = 0; v < 8; ++v) put(parts + 8 * v, sums[v]);
#else
  for (std::size_t i = 0; i < n; i += 64)
    for (std::size_t l = 0; l < 64; ++l) {
      const float a = __builtin_fabsf(x[i + l]);
      parts[l] += a == a ? static_cast<double>(a) : 0.0;
    }
#endif
}

static constexpr LowBitsFormats kLowBitsFormats{
    .params = {group_params<GroupRule::q8_0>, group_params<GroupRule::q4_0>, group_params<GroupRule::int4>,
               group_params<GroupRule::uint4>},
    .codes = group_codes,
    .pack8 = pack8,
    .pack4 = pack4,
    .pack2 = pack2,
    .pack3 = pack3,
    .unpack8 = unpack8,
    .unpack4 = unpack4,
    .unpack2 = unpack2,
    .unpack3 = unpack3,
    .add_magnitudes = add_magnitudes};

}  // namespace pawl::PAWL_ISA_NS
