// half_test.cpp -- conversions of 16-bit floats on every variant: all 2^16 values, every rounding boundary, tails.
#include "pawl/quant/half.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "isa/streaming.hpp"
#include "kernels/quant/framed.hpp"
#include "pawl/isa.hpp"
#include "reference/quant_ref.hpp"

namespace pawl {
namespace {

using testing::Framed;

template <class Half>
struct Format;
template <>
struct Format<bf16> {
  static std::uint16_t bits(float x) { return reference::bf16_bits(x); }
  static double value(std::uint16_t h) { return reference::bf16_value(h); }
  static constexpr int kFractionBits = 7;
};
template <>
struct Format<f16> {
  static std::uint16_t bits(float x) { return reference::f16_bits(x); }
  static double value(std::uint16_t h) { return reference::f16_value(h); }
  static constexpr int kFractionBits = 10;
};

template <class Half>
class HalfTest : public ::testing::Test {};
using Types = ::testing::Types<bf16, f16>;
TYPED_TEST_SUITE(HalfTest, Types);

float from_bits(std::uint32_t u) { return std::bit_cast<float>(u); }

template <class Half>
std::vector<Half> all_values() {
  std::vector<Half> values(65536);
  for (std::size_t i = 0; i < values.size(); ++i) values[i].bits = static_cast<std::uint16_t>(i);
  return values;
}

TYPED_TEST(HalfTest, All65536ValuesGoToF32AndBack) {
  using Half = TypeParam;
  const std::vector<Half> halves = all_values<Half>();
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    std::vector<float> wide(halves.size());
    std::vector<Half> back(halves.size());
    convert(std::span<const Half>(halves), std::span<float>(wide));
    convert(std::span<const float>(wide), std::span<Half>(back));
    for (std::size_t i = 0; i < halves.size(); ++i) {
      const double want = Format<Half>::value(halves[i].bits);
      if (std::isnan(want)) {
        ASSERT_TRUE(std::isnan(wide[i])) << name(isa) << " " << i;
        ASSERT_EQ(std::signbit(wide[i]), i >= 0x8000) << name(isa) << " " << i;
        const auto quiet = static_cast<std::uint16_t>(i | (1u << (Format<Half>::kFractionBits - 1)));
        ASSERT_EQ(back[i].bits, quiet) << name(isa) << " " << i;
      } else {
        ASSERT_EQ(static_cast<double>(wide[i]), want) << name(isa) << " " << i;
        ASSERT_EQ(std::signbit(wide[i]), i >= 0x8000) << name(isa) << " " << i;
        ASSERT_EQ(back[i].bits, i) << name(isa) << " " << i;
      }
    }
  }
}

// All values, the midpoints to their neighbours, one f32 beside each, and the same for denormals of f32.
template <class Half>
std::vector<float> boundaries() {
  std::vector<float> x;
  for (std::uint32_t h = 0; h < 65536; ++h) {
    const double value = Format<Half>::value(static_cast<std::uint16_t>(h));
    if (std::isnan(value)) continue;
    const double next = Format<Half>::value(static_cast<std::uint16_t>(h + 1));
    const double middle = std::isinf(next) || std::isnan(next) ? value : (value + next) / 2;
    for (const double centre : {value, middle}) {
      const auto f = static_cast<float>(centre);
      for (const float toward : {0.0f, f, std::numeric_limits<float>::infinity()})
        x.push_back(std::nextafter(f, toward));
    }
  }
  for (const std::uint32_t u :
       {0x477fe000u, 0x477fefffu, 0x477ff000u, 0x477ff001u, 0x7f7f7fffu, 0x7f7f8000u, 0x7f7fffffu, 0x7f800000u,
        0x00000001u, 0x00008000u, 0x00018000u, 0x007fffffu, 0x7f800001u, 0x7fc00001u, 0x7fffffffu, 0x7fa00000u,
        0x33000000u, 0x33000001u, 0x32ffffffu})
    for (const std::uint32_t sign : {0u, 0x80000000u}) x.push_back(from_bits(u | sign));
  std::mt19937 random(11);
  for (int i = 0; i < 200000; ++i) x.push_back(from_bits(static_cast<std::uint32_t>(random())));
  return x;
}

TYPED_TEST(HalfTest, EveryRoundingBoundaryIsThatOfTheReference) {
  using Half = TypeParam;
  const std::vector<float> x = boundaries<Half>();
  std::vector<std::uint16_t> want(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) want[i] = Format<Half>::bits(x[i]);
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    std::vector<Half> out(x.size());
    convert(std::span<const float>(x), std::span<Half>(out));
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(out[i].bits, want[i]) << name(isa) << " of " << std::hexfloat << x[i];
  }
}

TYPED_TEST(HalfTest, EverySizeAndOffsetStaysInside) {
  using Half = TypeParam;
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::size_t n = 0; n < 2081; n += n < 150 ? 1 : 643)
      for (const std::size_t offset : {0u, 1u, 3u}) {
        Framed<float> x(n, offset), back(n, offset + 1);
        Framed<Half> half(n, offset);
        testing::fill_uniform(x.span(), n + 1);
        convert(x.view(), half.span());
        convert(half.view(), back.span());
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(half[i].bits, Format<Half>::bits(x[i])) << name(isa) << " n=" << n << " at " << i;
          ASSERT_EQ(static_cast<double>(back[i]), Format<Half>::value(half[i].bits)) << name(isa) << " n=" << n;
        }
        ASSERT_TRUE(half.untouched() && back.untouched()) << name(isa) << " n=" << n;
      }
  }
}

TYPED_TEST(HalfTest, ErrorKeepsItsBound) {
  using Half = TypeParam;
  Framed<float> x(10000), back(10000);
  Framed<Half> half(10000);
  testing::fill_uniform(x.span(), 5, -100, 100);
  convert(x.view(), half.span());
  convert(half.view(), back.span());
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_LE(std::fabs(back[i] - x[i]),
              std::max(std::ldexp(std::fabs(x[i]), -Format<Half>::kFractionBits - 1), 0x1p-25f));
}

// Larger than any cache that would keep it: the stores bypass the caches, and their head and tail are odd.
TYPED_TEST(HalfTest, StreamedArraysAreTheSame) {
  using Half = TypeParam;
  const std::size_t n = 2 * std::max(kept_in_l3(), std::size_t{4} << 20) / 6 + 12345;
  std::vector<float> x(n + 1), back(n + 1);
  std::vector<Half> half(n + 1);
  testing::fill_uniform(std::span(x).first(4099), 7);
  for (std::size_t i = 4099; i < x.size(); ++i) x[i] = x[i - 4099];
  convert(std::span<const float>(x).subspan(1), std::span(half).subspan(1));
  convert(std::span<const Half>(half).subspan(1), std::span(back).subspan(1));
  std::size_t wrong = 0;
  for (std::size_t i = 1; i <= 4099; ++i) wrong += half[i].bits != Format<Half>::bits(x[i]);
  for (std::size_t i = 4100; i < x.size(); ++i) wrong += half[i] != half[i - 4099] || back[i] != back[i - 4099];
  EXPECT_EQ(wrong, 0u);
}

TEST(HalfArguments, LengthsMustAgree) {
  std::vector<float> x(3);
  std::vector<bf16> b(2);
  std::vector<f16> h(4);
  EXPECT_THROW(convert(std::span<const float>(x), std::span<bf16>(b)), std::invalid_argument);
  EXPECT_THROW(convert(std::span<const f16>(h), std::span<float>(x)), std::invalid_argument);
}

TEST(HalfScalars, AreThoseOfTheArrays) {
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const float value = to_f32(bf16{static_cast<std::uint16_t>(i)});
    if (!std::isnan(value)) {
      ASSERT_EQ(to_bf16(value).bits, i);
    }
  }
  EXPECT_EQ(to_bf16(1.00390625f).bits, 0x3f80);  // a tie goes to the even fraction
  EXPECT_EQ(to_bf16(std::nextafter(1.00390625f, 2.0f)).bits, 0x3f81);
}

}  // namespace
}  // namespace pawl
