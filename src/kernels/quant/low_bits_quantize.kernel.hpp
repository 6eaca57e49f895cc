// low_bits_quantize.kernel.hpp -- f32 -> scales per group and codes of 8, 4, 2 or 1.6 bits, written once for every ISA.
#pragma once
#include "kernels/quant/half_lanes.hpp"
#include "kernels/quant/low_bits_formats.hpp"

namespace pawl::PAWL_ISA_NS {

typedef std::uint8_t Bytes16 __attribute__((vector_size(16)));

// Smallest and largest element of each group, NaN left out; +inf and -inf if there is nothing else.
static void group_ranges(const float* x, std::size_t groups, std::size_t group, float* low, float* high) noexcept {
  for (std::size_t g = 0; g < groups; ++g, x += group) {
    // Two chains of each.
    F32 least0 = splat(__builtin_inff()), least1 = least0, most0 = -least0, most1 = most0;
    for (std::size_t i = 0; i < group; i += 2 * kLanes) {
      const F32 a = get<F32>(x + i), b = get<F32>(x + i + kLanes);
      least0 = least(a, least0);
      most0 = greatest(a, most0);
      least1 = least(b, least1);
      most1 = greatest(b, most1);
    }
    low[g] = least_lane(least(least0, least1));
    high[g] = greatest_lane(greatest(most0, most1));
  }
}

// Group: a power of 2. Codes of n elements, each clamp(round(x * reciprocal of its group) + zero point of its group) in
// 0 .. highest; as bytes.
static void group_codes(const float* x, std::size_t n, std::size_t group, const float* reciprocals, const float* zeros,
                        float highest, std::uint8_t* out) noexcept {
  const F32 most = splat(highest), nothing{};
  const int shift = __builtin_ctzll(group);
  for (std::size_t i = 0; i < n; i += 4 * kLanes) {
    const auto at = [&](std::size_t v) PAWL_INLINE_LAMBDA {
      const std::size_t g = (i + v * kLanes) >> shift;
      const F32 zero = splat(zeros[g]);
      const F32 value = times_or_zero(get<F32>(x + i + v * kLanes), splat(reciprocals[g]));
      // Rounded before the zero point is added, and clamped after it: both are whole numbers there.
      const F32 rounded = convert_lanes<F32>(round_lanes(greatest(value, splat(-0x1p20f))));
      return round_lanes(least(greatest(rounded + zero, nothing), most));
    };
    put_codes(out + i, at(0), at(1), at(2), at(3), 0);
  }
}

PAWL_INLINE Bytes16 bytes_at(const std::uint8_t* p) { return get<Bytes16>(p); }

// Of each 32 codes byte i gets code i and, above it, code i + 16.
static void pack4(const std::uint8_t* codes, std::size_t blocks, std::size_t stride_bytes, std::uint8_t* out) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, codes += 32, out += stride_bytes)
    put(out, bytes_at(codes) | (bytes_at(codes + 16) << 4));
}

// Of each 64 codes byte i gets codes i, i + 16, i + 32 and i + 48, the first in its lowest bits.
static void pack2(const std::uint8_t* codes, std::size_t blocks, std::uint8_t* out) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, codes += 64, out += 16)
    put(out, bytes_at(codes) | (bytes_at(codes + 16) << 2) | (bytes_at(codes + 32) << 4) | (bytes_at(codes + 48) << 6));
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

// Sums of |x| in 16 interleaved parts (part l: elements l, l + 16, ...), NaN counted as 0: the same order on every ISA.
static void add_magnitudes(const float* x, std::size_t n, double* parts) noexcept {
#if defined(PAWL_ISA_IS_avx512)
  __m512d low = get<__m512d>(parts), high = get<__m512d>(parts + 8);
  for (std::size_t i = 0; i < n; i += 16) {
    const F32 a = as<F32>(as<U32>(get<F32>(x + i)) & 0x7fffffffu);
    const F32 v = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(a, a, _CMP_ORD_Q), a);
    low = _mm512_add_pd(low, _mm512_cvtps_pd(_mm512_castps512_ps256(v)));
    high = _mm512_add_pd(high, _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1)));
  }
  put(parts, low);
  put(parts + 8, high);
#else
  for (std::size_t i = 0; i < n; i += 16)
    for (std::size_t l = 0; l < 16; ++l) {
      const float a = __builtin_fabsf(x[i + l]);
      parts[l] += a == a ? static_cast<double>(a) : 0.0;
    }
#endif
}

static constexpr LowBitsFormats kLowBitsFormats{.ranges = group_ranges,
                                                .codes = group_codes,
                                                .pack4 = pack4,
                                                .pack2 = pack2,
                                                .pack3 = pack3,
                                                .add_magnitudes = add_magnitudes};

}  // namespace pawl::PAWL_ISA_NS
