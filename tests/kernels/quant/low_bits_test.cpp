// low_bits_test.cpp -- codes in groups and ternary codes on every variant: hand-made blocks, bits of the reference,
// bounds.
#include "pawl/quant/low_bits.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/quant/framed.hpp"
#include "pawl/isa.hpp"
#include "reference/quant_ref.hpp"

namespace pawl {
namespace {

using testing::Framed;

constexpr float kInf = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();

// Groups of very different sizes, with zeros, equal extremes of both signs, and values that are not finite.
void fill_groups(std::span<float> x, std::uint64_t seed) {
  testing::fill_uniform(x, seed, -1, 1.3f);
  for (std::size_t g = 0; g * 32 < x.size(); ++g) {
    const std::size_t end = std::min(x.size(), 32 * g + 32);
    const float factor[] = {1, 1e-3f, 3e4f, 0, 1e-6f, 1e-9f, 1e12f, -1};
    for (std::size_t i = 32 * g; i < end; ++i) x[i] *= factor[(g + seed) % 8];
    if (g % 5 == 1) x[32 * g] = 2, x[end - 1] = -2;
    if (g % 7 == 3) x[32 * g + 1] = kNaN;
    if (g % 11 == 6) x[32 * g + 2] = g % 2 ? kInf : -kInf;
    if (g % 13 == 9)
      std::fill(x.begin() + static_cast<std::ptrdiff_t>(32 * g), x.begin() + static_cast<std::ptrdiff_t>(end), kNaN);
  }
}

template <class Check>
void on_every_variant(Check check) {
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    SCOPED_TRACE(name(isa));
    check();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Q4_0, HandMadeBlockHasTheKnownLayout) {
  Q4_0 block{};
  block.scale.bits = 0x3800;  // 0.5
  for (std::size_t i = 0; i < 16; ++i) block.codes[i] = static_cast<std::uint8_t>(i | (15 - i) << 4);
  std::vector<float> x(32);
  dequantize(std::span<const Q4_0>(&block, 1), x);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(x[i], 0.5f * (float(i) - 8));
    EXPECT_EQ(x[i + 16], 0.5f * (7 - float(i)));
  }
  const unsigned char* const bytes = reinterpret_cast<const unsigned char*>(&block);
  EXPECT_EQ(bytes[0], 0x00);  // little-endian f16, then the codes
  EXPECT_EQ(bytes[1], 0x38);
  EXPECT_EQ(bytes[2], 0xf0);
  EXPECT_EQ(bytes[17], 0x0f);
  on_every_variant([&] {
    Q4_0 again{};
    quantize(x, std::span<Q4_0>(&again, 1));  // the extreme is -4 = 0.5 * -8
    EXPECT_EQ(std::memcmp(&again, &block, sizeof block), 0);
  });
}

TEST(Q8_0, HandMadeBlockHasTheKnownLayout) {
  Q8_0 block{};
  block.scale.bits = 0xc000;  // -2: never made here, but read
  for (int i = 0; i < 32; ++i) block.codes[i] = static_cast<std::int8_t>(8 * i - 128);
  std::vector<float> x(32);
  dequantize(std::span<const Q8_0>(&block, 1), x);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(x[static_cast<std::size_t>(i)], -2.0f * float(8 * i - 128));
  EXPECT_EQ(reinterpret_cast<const unsigned char*>(&block)[2], 0x80);
  on_every_variant([&] {
    std::vector<float> y(32, 3.0f);
    y[5] = -127;
    Q8_0 made{};
    quantize(y, std::span<Q8_0>(&made, 1));
    EXPECT_EQ(made.scale.bits, 0x3c00);
    EXPECT_EQ(made.codes[5], -127);
    EXPECT_EQ(made.codes[6], 3);
  });
}

TEST(Blocks, HaveTheBitsOfTheReferenceAndKeepTheirBounds) {
  on_every_variant([] {
    for (const std::size_t blocks : {0u, 1u, 2u, 3u, 4u, 5u, 63u, 64u, 65u, 130u}) {
      Framed<float> x(32 * blocks, 1);
      std::vector<float> back(32 * blocks);
      fill_groups(x.span(), blocks);
      Framed<Q8_0> q8(blocks);
      Framed<Q4_0> q4(blocks);
      quantize(x.view(), q8.span());
      quantize(x.view(), q4.span());
      ASSERT_TRUE(q8.untouched() && q4.untouched());
      for (std::size_t b = 0; b < blocks; ++b) {
        const float* const from = x.data() + 32 * b;
        float low = 0, high = 0;
        const bool any = reference::group_range(from, 32, low, high);
        const std::uint16_t s8 = reference::group_scale_bits(any ? std::max(-low, high) / 127 : 0);
        std::uint16_t s4 = reference::group_scale_bits(!any ? 0 : -low >= high ? low / -8 : high / 8);
        if (any && -low < high) s4 |= 0x8000;
        ASSERT_EQ(q8[b].scale.bits, s8) << blocks << " " << b;
        ASSERT_EQ(q4[b].scale.bits, s4) << blocks << " " << b;
        for (std::size_t i = 0; i < 32; ++i) {
          ASSERT_EQ(q8[b].codes[i], reference::group_code(from[i], s8, 0, -128, 127)) << from[i];
          const int code = q4[b].codes[i % 16] >> (i < 16 ? 0 : 4) & 15;
          ASSERT_EQ(code, reference::group_code(from[i], s4, 8, 0, 15))
              << from[i] << " scale " << reference::f16_value(s4);
        }
        if (!any || std::isinf(low) || std::isinf(high) || std::max(-low, high) > 65504.0f * 7) continue;
        for (const bool eight : {true, false}) {
          std::vector<float> w(32);
          if (eight) {
            dequantize(std::span<const Q8_0>(&q8[b], 1), w);
          } else {
            dequantize(std::span<const Q4_0>(&q4[b], 1), w);
          }
          const double s = std::fabs(reference::f16_value(eight ? s8 : s4));
          const double bound = s * (eight ? 0.5 + 0x1p-4 : 1 + 0x1p-7) + 0x1p-18;
          for (std::size_t i = 0; i < 32; ++i) {
            if (std::isnan(from[i])) {
              ASSERT_EQ(w[i], 0);
            } else {
              ASSERT_LE(std::fabs(double(w[i]) - double(from[i])), bound) << eight;
            }
          }
        }
      }
    }
  });
}

// Values are scale * (code - zero), rounded once, for arrays longer than what is converted at a time; every code
// occurs.
TEST(Blocks, ArraysComeBackWithTheBitsOfTheFormula) {
  on_every_variant([] {
    for (const std::size_t blocks : {1u, 127u, 128u, 129u, 300u}) {
      std::vector<Q8_0> q8(blocks);
      std::vector<Q4_0> q4(blocks);
      std::vector<std::uint8_t> codes(16 * blocks), zeros((blocks + 1) / 2);
      std::vector<f16> scales(zeros.size());
      for (std::size_t b = 0; b < blocks; ++b) {
        q8[b].scale.bits = q4[b].scale.bits = static_cast<std::uint16_t>((b * 211 + 1) % 0x7c00 + (b % 2 << 15));
        scales[b / 2].bits = static_cast<std::uint16_t>(b / 2 * 97 % 0x7c00);
        zeros[b / 2] = static_cast<std::uint8_t>(b / 2 % 16);
        for (std::size_t i = 0; i < 32; ++i) q8[b].codes[i] = static_cast<std::int8_t>(32 * b + i);
        for (std::size_t i = 0; i < 16; ++i) codes[16 * b + i] = q4[b].codes[i] = static_cast<std::uint8_t>(16 * b + i);
      }
      Framed<float> x8(32 * blocks, 1), x4(32 * blocks, 2);
      dequantize(std::span<const Q8_0>(q8), x8.span());
      dequantize(std::span<const Q4_0>(q4), x4.span());
      ASSERT_TRUE(x8.untouched() && x4.untouched());
      const auto value = [](std::uint16_t bits, int code) {
        return static_cast<float>(reference::f16_value(bits)) * static_cast<float>(code);
      };
      for (std::size_t b = 0; b < blocks; ++b)
        for (std::size_t i = 0; i < 32; ++i) {
          const int code = q4[b].codes[i % 16] >> (i < 16 ? 0 : 4) & 15;
          ASSERT_EQ(x8[32 * b + i], value(q8[b].scale.bits, q8[b].codes[i])) << b << " " << i;
          ASSERT_EQ(x4[32 * b + i], value(q4[b].scale.bits, code - 8)) << b << " " << i;
        }
      if (blocks % 2 != 0) continue;  // groups of 64
      for (const bool affine : {false, true}) {
        Framed<float> x(32 * blocks, 3);
        dequantize_int4(codes, 64, scales,
                        affine ? std::span<const std::uint8_t>(zeros) : std::span<const std::uint8_t>(), x.span());
        ASSERT_TRUE(x.untouched());
        for (std::size_t b = 0; b < blocks; ++b)
          for (std::size_t i = 0; i < 32; ++i) {
            const int code = codes[16 * b + i % 16] >> (i < 16 ? 0 : 4) & 15;
            ASSERT_EQ(x[32 * b + i], value(scales[b / 2].bits, code - (affine ? zeros[b / 2] : 8))) << b << " " << i;
          }
      }
    }
  });
}

TEST(Int4, HasTheBitsOfTheReferenceAndKeepsItsBounds) {
  on_every_variant([] {
    for (const std::size_t group : {32u, 64u, 128u})
      for (const std::size_t groups : {0u, 1u, 2u, 3u, 4u, 5u, 17u, 20u, 70u})
        for (const bool affine : {false, true}) {
          const std::size_t n = group * groups;
          Framed<float> x(n, 1);
          fill_groups(x.span(), groups + group);
          Framed<std::uint8_t> codes(n / 2, 1), zeros(affine ? groups : 0, 1);
          Framed<f16> scales(groups, 1);
          quantize_int4(x.view(), group, codes.span(), scales.span(), zeros.span());
          ASSERT_TRUE(codes.untouched() && zeros.untouched() && scales.untouched());
          std::vector<float> back(n);
          dequantize_int4(codes.view(), group, scales.view(), zeros.view(), back);
          for (std::size_t g = 0; g < groups; ++g) {
            const float* const from = x.data() + g * group;
            float low = 0, high = 0;
            const bool any = reference::group_range(from, group, low, high);
            const float wanted =
                affine ? std::max(high, 0.0f) / 15 - std::min(low, 0.0f) / 15 : std::max(-low, high) / 7;
            const std::uint16_t bits = reference::group_scale_bits(any ? wanted : 0);
            const auto s = static_cast<float>(reference::f16_value(bits));
            ASSERT_EQ(scales[g].bits, bits);
            const int zero = !affine || s == 0 ? 8 : static_cast<int>(reference::round_within(-low / s, 0, 15));
            if (affine) {
              ASSERT_EQ(int{zeros[g]}, zero) << low << " " << high;
            }
            for (std::size_t i = 0; i < group; ++i) {
              const std::size_t at = g * group + i;
              const int code = codes[at / 32 * 16 + at % 16] >> (at % 32 < 16 ? 0 : 4) & 15;
              ASSERT_EQ(code, reference::group_code(from[i], bits, zero, 0, 15)) << from[i] << " zero " << zero;
              ASSERT_EQ(back[at], s * static_cast<float>(code - zero));
              if (std::isfinite(from[i]) && std::max(-low, high) < 65504.0f * 7) {
                const double bound = double(s) * (affine ? 1 + 0x1p-6 : 0.5 + 0x1p-7) + 0x1p-18;
                ASSERT_LE(std::fabs(double(back[at]) - double(from[i])), bound);
              }
            }
          }
        }
  });
}

TEST(Ternary, HasTheBitsOfTheReference) {
  for (const TernaryPacking packing : {TernaryPacking::two_bits, TernaryPacking::five_in_one})
    on_every_variant([packing] {
      for (const std::size_t n :
           {0u, 1u, 15u, 16u, 17u, 63u, 64u, 65u, 79u, 80u, 81u, 160u, 255u, 256u, 257u, 319u, 321u, 1921u, 4000u}) {
        Framed<float> x(n, 1);
        testing::fill_uniform(x.span(), n, -1, 1);
        if (n > 3) x[1] = kNaN, x[2] = 0;
        Framed<std::uint8_t> packed(ternary_bytes(n, packing), 3);
        const float scale = quantize_ternary(x.view(), packing, packed.span());
        ASSERT_TRUE(packed.untouched());
        double sum = 0;
        for (const float value : x.view()) sum += std::isnan(value) ? 0 : std::fabs(double(value));
        ASSERT_NEAR(scale, n ? sum / double(n) : 0, 1e-6);
        std::vector<float> back(n);
        dequantize_ternary(packed.view(), packing, scale, back);
        for (std::size_t i = 0; i < n; ++i) {
          const float product = x[i] * (scale == 0 ? 0 : 1 / scale);
          const auto code = static_cast<int>(reference::round_within(product, -1, 1));
          ASSERT_EQ(back[i], scale * static_cast<float>(code)) << n << " at " << i;
          const std::size_t block = packing == TernaryPacking::two_bits ? 64 : 80, t = i % block / 16;
          unsigned byte = packed[i / block * 16 + i % 16];
          // By the definition of the layout: a fraction in base 3, digit t.
          const unsigned digit = packing == TernaryPacking::two_bits
                                     ? byte >> (2 * t) & 3
                                     : unsigned(double(byte) * std::pow(3.0, double(t) + 1) / 256) % 3;
          ASSERT_EQ(static_cast<int>(digit), code + 1) << n << " at " << i;
          if (!std::isnan(x[i])) {
            const double error = std::fabs(double(back[i]) - double(x[i]));
            ASSERT_LE(error, std::max(double(scale) / 2, std::fabs(double(x[i])) - double(scale)) * (1 + 0x1p-20));
          }
        }
      }
    });
}

TEST(Ternary, AllFiveDigitsComeBack) {
  on_every_variant([] {
    std::vector<float> x(243 * 80), back(x.size());
    std::vector<std::uint8_t> packed(243 * 16);
    for (std::size_t v = 0; v < 243; ++v)
      for (std::size_t t = 0, rest = v; t < 5; ++t, rest /= 3)
        for (std::size_t i = 0; i < 16; ++i) x[80 * v + 16 * t + i] = float(rest % 3) - 1;
    const float scale = quantize_ternary(x, TernaryPacking::five_in_one, packed);
    dequantize_ternary(packed, TernaryPacking::five_in_one, 1, back);
    EXPECT_NEAR(scale, 2.0 / 3, 1e-6);
    EXPECT_EQ(back, x);
    EXPECT_EQ(packed.front(), 0);
  });
}

TEST(Ternary, ScaleDoesNotDependOnTheVariant) {
  std::vector<float> x(12345), scales;
  testing::fill_uniform(x, 3, -1e3f, 7);
  std::vector<std::uint8_t> packed(ternary_bytes(x.size(), TernaryPacking::two_bits));
  on_every_variant([&] { scales.push_back(quantize_ternary(x, TernaryPacking::two_bits, packed)); });
  for (const float scale : scales) EXPECT_EQ(scale, scales[0]);
}

TEST(Ternary, HalfTheScaleIsRoundedToZero) {
  for (const TernaryPacking packing : {TernaryPacking::two_bits, TernaryPacking::five_in_one})
    on_every_variant([packing] {
      std::vector<float> x(960), back(x.size());
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = (i % 3 ? 1.0f : -1.0f) * std::array{1.0f, 1.0f, 0.5f, 1.5f}[i % 4];
      std::vector<std::uint8_t> packed(ternary_bytes(x.size(), packing));
      ASSERT_EQ(quantize_ternary(x, packing, packed), 1);
      dequantize_ternary(packed, packing, 1, back);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(back[i], i % 4 == 2 ? 0 : std::copysign(1.0f, x[i])) << i;
    });
}

TEST(Ternary, ScaleIsTheMeanWhereF32CannotAddTheElements) {
  on_every_variant([] {
    std::vector<float> x(300, 3e38f);
    x[7] = kNaN;
    std::vector<std::uint8_t> packed(ternary_bytes(x.size(), TernaryPacking::two_bits));
    const double mean = double(3e38f) * 299 / 300;
    EXPECT_NEAR(quantize_ternary(x, TernaryPacking::two_bits, packed), mean, mean * 1e-6);
    x[8] = std::numeric_limits<float>::infinity();
    EXPECT_EQ(quantize_ternary(x, TernaryPacking::two_bits, packed), std::numeric_limits<float>::max());
  });
}

TEST(LowBits, BadArgumentsAreRefused) {
  std::vector<float> x(64);
  std::vector<Q8_0> q8(3);
  std::vector<Q4_0> q4(1);
  std::vector<std::uint8_t> codes(32), zeros(3);
  std::vector<f16> scales(2);
  EXPECT_THROW(quantize(x, std::span<Q8_0>(q8)), std::invalid_argument);
  EXPECT_THROW(quantize(std::span(x).first(33), std::span<Q4_0>(q4)), std::invalid_argument);
  EXPECT_THROW(dequantize(std::span<const Q8_0>(q8), x), std::invalid_argument);
  EXPECT_THROW(dequantize(std::span<const Q4_0>(q4), x), std::invalid_argument);
  quantize_int4(x, 32, codes, scales);
  EXPECT_THROW(quantize_int4(x, 16, codes, scales), std::invalid_argument);
  EXPECT_THROW(quantize_int4(x, 64, codes, scales), std::invalid_argument);
  EXPECT_THROW(quantize_int4(x, 32, codes, scales, zeros), std::invalid_argument);
  EXPECT_THROW(quantize_int4(x, 32, std::span(codes).first(31), scales), std::invalid_argument);
  EXPECT_THROW(dequantize_int4(codes, 32, scales, zeros, x), std::invalid_argument);
  EXPECT_THROW(quantize_ternary(x, TernaryPacking::two_bits, codes), std::invalid_argument);
  EXPECT_THROW(dequantize_ternary(codes, TernaryPacking::two_bits, 1, x), std::invalid_argument);
}

}  // namespace
}  // namespace pawl
