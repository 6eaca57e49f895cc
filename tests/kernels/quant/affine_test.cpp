// affine_test.cpp -- 8-bit quantization on every variant: bits of the reference, saturation, ties, zero ranges, NaN.
#include "pawl/quant/affine.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "isa/streaming.hpp"
#include "kernels/quant/affine_cases.hpp"
#include "kernels/quant/framed.hpp"
#include "pawl/isa.hpp"
#include "reference/quant_ref.hpp"

namespace pawl {
namespace {

using testing::for_each_size;
using testing::Framed;
using testing::kInf;
using testing::kNaN;

template <class Q>
class AffineTest : public testing::AffineCases<Q> {};
TYPED_TEST_SUITE(AffineTest, testing::CodeTypes);

// Values of every kind among ordinary ones: ties, beyond the range, not finite, denormal.
void fill_hard(std::span<float> x, float scale, std::uint64_t seed) {
  testing::fill_uniform(x, seed, -150 * scale, 150 * scale);
  const float hard[] = {kNaN,
                        -kNaN,
                        kInf,
                        -kInf,
                        0.5f * scale,
                        -0.5f * scale,
                        1.5f * scale,
                        2.5f * scale,
                        -126.5f * scale,
                        -127.5f * scale,
                        126.5f * scale,
                        127.5f * scale,
                        1e30f,
                        -1e30f,
                        1e-40f,
                        -0.0f,
                        std::numeric_limits<float>::max(),
                        std::numeric_limits<float>::lowest()};
  for (std::size_t i = 0, k = seed; i < x.size(); i += 3, ++k) x[i] = hard[k % std::size(hard)];
}

TYPED_TEST(AffineTest, QuantizeHasTheBitsOfTheReference) {
  using Q = TypeParam;
  for (const float scale : {1.0f, 0.5f, 0.0123f, 37.0f, 0x1p-126f})
    for (const std::int32_t zero :
         {TestFixture::kMiddle, TestFixture::kLow, TestFixture::kHigh, TestFixture::kMiddle + 5})
      for_each_size([&](std::size_t n, std::size_t offset) {
        Framed<float> x(n, offset);
        Framed<Q> q(n, offset + 1);
        fill_hard(x.span(), scale, n);
        quantize(x.view(), {scale, zero}, q.span());
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_EQ(+q[i], +reference::quantize<Q>(x[i], scale, zero)) << x[i] << " zero " << zero << " at " << i;
        ASSERT_TRUE(q.untouched());
      });
}

TYPED_TEST(AffineTest, DequantizeHasTheBitsOfTheReference) {
  using Q = TypeParam;
  for (const std::int32_t zero : {TestFixture::kMiddle, TestFixture::kLow, TestFixture::kHigh - 3})
    for_each_size([&](std::size_t n, std::size_t offset) {
      Framed<Q> q(n, offset);
      Framed<float> x(n, offset + 1);
      testing::fill_codes(q.span(), n);
      if (n > 2) q[1] = std::numeric_limits<Q>::min(), q[2] = std::numeric_limits<Q>::max();
      dequantize(q.view(), {0.0371f, zero}, x.span());
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(x[i], reference::dequantize<Q>(q[i], 0.0371f, zero)) << "at " << i;
      ASSERT_TRUE(x.untouched());
    });
}

TYPED_TEST(AffineTest, RequantizeHasTheBitsOfTheReference) {
  using Q = TypeParam;
  for (const std::int32_t zero : {TestFixture::kMiddle, TestFixture::kHigh})
    for_each_size([&](std::size_t n, std::size_t offset) {
      Framed<std::int32_t> sums(n, offset);
      Framed<Q> q(n, offset);
      for (std::size_t i = 0; i < n; ++i)
        sums[i] = static_cast<std::int32_t>(i * 2654435761u) / 4000000 * (i % 2 ? 1 : -1);
      if (n > 4) {
        sums[0] = std::numeric_limits<std::int32_t>::min();
        sums[1] = std::numeric_limits<std::int32_t>::max();
        sums[2] = 16777217;
        sums[3] = -2;  // times a quarter: a tie
      }
      for (const float multiplier : {0.25f, 0.0031f, -0.7f, 3e38f}) {
        requantize(sums.view(), multiplier, zero, q.span());
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_EQ(+q[i], +reference::requantize<Q>(sums[i], multiplier, zero)) << sums[i] << " times " << multiplier;
      }
      ASSERT_TRUE(q.untouched());
    });
}

TYPED_TEST(AffineTest, AddAndReluHaveTheBitsOfTheReference) {
  using Q = TypeParam;
  const std::int32_t low = TestFixture::kLow, high = TestFixture::kHigh, middle = TestFixture::kMiddle;
  for (const auto& params :
       std::vector<std::array<QuantParams, 3>>{{{{0.1f, middle}, {0.1f, middle}, {0.1f, middle}}},
                                               {{{0.07f, low}, {0.2f, high}, {0.11f, middle + 9}}},
                                               {{{1.5f, middle}, {0.25f, middle - 3}, {0.5f, high}}},
                                               {{{1e30f, low}, {1e-30f, middle}, {1e-3f, low}}}}) {
    const QuantParams pa = params[0], pb = params[1], pq = params[2];  // clang 14 captures no bindings
    for_each_size([&](std::size_t n, std::size_t offset) {
      Framed<Q> a(n, offset), b(n, offset + 1), q(n, offset);
      testing::fill_codes(a.span(), n);
      testing::fill_codes(b.span(), n + 1);
      quantized_add(a.view(), pa, b.view(), pb, q.span(), pq);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(+q[i], +reference::add_codes<Q>(a[i], pa.zero_point, pa.scale / pq.scale, b[i], pb.zero_point,
                                                  pb.scale / pq.scale, pq.zero_point));
      quantized_relu(a.view(), pa.zero_point, q.span());
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(+q[i], std::max<int>(a[i], pa.zero_point));
      ASSERT_TRUE(q.untouched());
    });
  }
  std::vector<Q> a(5), b(4);
  const QuantParams good{1, middle}, bad{0, middle}, huge{3e38f, middle}, tiny{1e-30f, middle};
  const std::span<const Q> x(a);
  EXPECT_THROW(quantized_add(x, good, std::span<const Q>(b), good, std::span<Q>(a), good), std::invalid_argument);
  EXPECT_THROW(quantized_add(x, good, x, bad, std::span<Q>(a), good), std::invalid_argument);
  EXPECT_THROW(quantized_add(x, huge, x, good, std::span<Q>(a), tiny), std::invalid_argument);
  EXPECT_THROW(quantized_relu(x, high + 1, std::span<Q>(a)), std::invalid_argument);
  EXPECT_THROW(quantized_relu(x, middle, std::span<Q>(b)), std::invalid_argument);
}

TYPED_TEST(AffineTest, SpecialValuesAreDefined) {
  using Q = TypeParam;
  const std::vector<float> x = {kNaN, kInf, -kInf, 0.5f, 1.5f, -0.5f, -1.5f, 2.5f, 1e-42f, 1000.0f};
  std::vector<Q> q(x.size());
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    const std::int32_t z = TestFixture::kMiddle + 3;
    quantize(std::span<const float>(x), {1.0f, z}, std::span<Q>(q));
    const std::int32_t want[] = {z, TestFixture::kHigh, TestFixture::kLow, z, z + 2, z, z - 2, z + 2,
                                 z, TestFixture::kHigh};
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(+q[i], want[i]) << name(isa) << " " << x[i];
  }
}

TYPED_TEST(AffineTest, RowsAndColumnsUseTheirOwnParameters) {
  using Q = TypeParam;
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    std::vector<std::size_t> widths(70);  // every row shorter than a block, then longer ones
    std::iota(widths.begin(), widths.end(), std::size_t{1});
    widths.insert(widths.end(), {129, 512, 5001});
    for (const std::size_t rows : {1U, 2U, 5U, 131U})
      for (const std::size_t cols : widths) {
        if (rows * cols > 30000) continue;
        Framed<float> x(rows * cols, 1), back(rows * cols, 1);
        Framed<Q> q(rows * cols, 3);
        fill_hard(x.span(), 0.1f, rows + cols);
        for (const bool by_row : {true, false})
          for (const int zeros_are : {0, 1, 2}) {  // none, the same, one each
            const bool with_zeros = zeros_are > 0;
            const std::size_t count = by_row ? rows : cols;
            std::vector<float> scales(count);
            std::vector<std::int32_t> zeros(with_zeros ? count : 0);
            testing::fill_uniform(scales, 3, 0.01f, 0.2f);
            for (std::size_t i = 0; i < zeros.size(); ++i)
              zeros[i] = TestFixture::kLow + static_cast<std::int32_t>((zeros_are == 1 ? 5 : i) * 37 % 256);
            if (zeros_are == 2 && count > 1 && cols % 2 == 0) {  // the last alone is another
              std::fill(zeros.begin(), zeros.end(), TestFixture::kHigh);
              zeros.back() = TestFixture::kLow;
            }
            if (by_row) {
              quantize_rows(x.view(), scales, zeros, q.span());
              dequantize_rows(q.view(), scales, zeros, back.span());
            } else {
              quantize_columns(x.view(), scales, zeros, q.span());
              dequantize_columns(q.view(), scales, zeros, back.span());
            }
            for (std::size_t i = 0; i < rows; ++i)
              for (std::size_t j = 0; j < cols; ++j) {
                const std::size_t c = by_row ? i : j, at = i * cols + j;
                const std::int32_t z = with_zeros ? zeros[c] : TestFixture::kMiddle;
                ASSERT_EQ(+q[at], +reference::quantize<Q>(x[at], scales[c], z))
                    << name(isa) << " " << rows << " x " << cols << " by_row " << by_row << " at " << at;
                ASSERT_EQ(back[at], reference::dequantize<Q>(q[at], scales[c], z));
              }
            ASSERT_TRUE(q.untouched() && back.untouched());
          }
      }
  }
}

TYPED_TEST(AffineTest, ParametersCoverTheRangeAndRepresentZero) {
  using Q = TypeParam;
  for (const auto& [low, high] : std::vector<std::pair<float, float>>{
           {-1, 1}, {0, 6}, {-3, 0}, {2, 5}, {-7, -1}, {-0.001f, 1000}, {-3e38f, 3e38f}, {1e-44f, 1e-44f}})
    for (const auto scheme : {QuantScheme::symmetric, QuantScheme::affine}) {
      const QuantParams p = TestFixture::choose(low, high, scheme);
      ASSERT_GE(p.scale, 0x1p-126f);
      const float zero = 0;
      Q code{};
      quantize(std::span<const float>(&zero, 1), p, std::span<Q>(&code, 1));
      EXPECT_EQ(+code, p.zero_point);
      for (const float edge : {low, high}) {
        quantize(std::span<const float>(&edge, 1), p, std::span<Q>(&code, 1));
        float back = 0;
        dequantize(std::span<const Q>(&code, 1), p, std::span<float>(&back, 1));
        EXPECT_LE(std::fabs(static_cast<double>(back) - static_cast<double>(edge)),
                  1.001 * static_cast<double>(p.scale))
            << low << " " << high;
      }
    }
  EXPECT_EQ(TestFixture::choose(0, 0, QuantScheme::affine), (QuantParams{1, TestFixture::kMiddle}));
  EXPECT_EQ(TestFixture::choose(0, 0, QuantScheme::symmetric), (QuantParams{1, TestFixture::kMiddle}));
  EXPECT_EQ(TestFixture::choose(-127, 3, QuantScheme::symmetric), (QuantParams{1, TestFixture::kMiddle}));
  EXPECT_EQ(TestFixture::choose(0, 255, QuantScheme::affine), (QuantParams{1, TestFixture::kLow}));
  EXPECT_EQ(TestFixture::choose(-255, 0, QuantScheme::affine), (QuantParams{1, TestFixture::kHigh}));
  EXPECT_THROW(TestFixture::choose(1, 0, QuantScheme::affine), std::invalid_argument);
  EXPECT_THROW(TestFixture::choose(kNaN, 0, QuantScheme::affine), std::invalid_argument);
  EXPECT_THROW(TestFixture::choose(0, kInf, QuantScheme::symmetric), std::invalid_argument);
}

TYPED_TEST(AffineTest, StreamedArraysAreTheSame) {
  using Q = TypeParam;
  const std::size_t n = 2 * std::max(kept_in_l3(), std::size_t{4} << 20) / 5 + 4321;
  std::vector<float> x(n + 1), back(n + 1);
  std::vector<Q> q(n + 3);
  testing::fill_uniform(std::span(x).first(4099), 7);
  for (std::size_t i = 4099; i < x.size(); ++i) x[i] = x[i - 4099];
  const QuantParams p = {0.01f, TestFixture::kMiddle + 1};
  quantize(std::span<const float>(x).subspan(1), p, std::span(q).subspan(3));
  dequantize(std::span<const Q>(q).subspan(3), p, std::span(back).subspan(1));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i < 4099) wrong += q[i + 3] != reference::quantize<Q>(x[i + 1], p.scale, p.zero_point);
    if (i >= 4099) wrong += q[i + 3] != q[i + 3 - 4099];
    wrong += back[i + 1] != reference::dequantize<Q>(q[i + 3], p.scale, p.zero_point);
  }
  EXPECT_EQ(wrong, 0u);
}

TYPED_TEST(AffineTest, BadArgumentsAreRefused) {
  using Q = TypeParam;
  std::vector<float> x(6);
  std::vector<Q> q(6), fewer(5);
  const std::vector<float> two = {1, 1}, four = {1, 1, 1, 1}, bad = {1, 0};
  const std::vector<std::int32_t> three = {0, 0, 0}, none;
  const std::span<const float> in(x);
  EXPECT_THROW(quantize(in, QuantParams{}, std::span<Q>(fewer)), std::invalid_argument);
  for (const float scale : {0.0f, -1.0f, kNaN, kInf, 1e-40f})
    EXPECT_THROW(quantize(in, {scale, TestFixture::kMiddle}, std::span<Q>(q)), std::invalid_argument) << scale;
  EXPECT_THROW(quantize(in, {1, TestFixture::kHigh + 1}, std::span<Q>(q)), std::invalid_argument);
  EXPECT_THROW(quantize(in, {1, TestFixture::kLow - 1}, std::span<Q>(q)), std::invalid_argument);
  EXPECT_THROW(quantize_rows(in, four, none, std::span<Q>(q)), std::invalid_argument);
  EXPECT_THROW(quantize_rows(in, two, three, std::span<Q>(q)), std::invalid_argument);
  EXPECT_THROW(quantize_columns(in, bad, none, std::span<Q>(q)), std::invalid_argument);
  // One bad parameter among many, at each place.
  std::vector<float> many(37), scales37(37, 0.5f);
  std::vector<Q> codes(37);
  std::vector<std::int32_t> zeros37(37, TestFixture::kHigh);
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    EXPECT_NO_THROW(quantize_columns(std::span<const float>(many), scales37, zeros37, std::span<Q>(codes)));
    for (std::size_t i = 0; i < many.size(); ++i) {
      for (const float scale : {0.0f, -0.0f, -1.0f, kNaN, -kNaN, kInf, -kInf, 1e-40f, -1e-40f}) {
        scales37[i] = scale;
        EXPECT_THROW(quantize_rows(std::span<const float>(many), scales37, none, std::span<Q>(codes)),
                     std::invalid_argument)
            << name(isa) << " " << i << " " << scale;
        EXPECT_THROW(dequantize_columns(std::span<const Q>(codes), scales37, zeros37, std::span<float>(many)),
                     std::invalid_argument);
      }
      for (const float scale : {0x1p-126f, std::numeric_limits<float>::max()}) {
        scales37[i] = scale;
        EXPECT_NO_THROW(quantize_rows(std::span<const float>(many), scales37, none, std::span<Q>(codes)));
      }
      scales37[i] = 0.5f;
      for (const std::int32_t zero : {TestFixture::kHigh + 1, TestFixture::kLow - 1, 1 << 30, -(1 << 30)}) {
        zeros37[i] = zero;
        EXPECT_THROW(quantize_columns(std::span<const float>(many), scales37, zeros37, std::span<Q>(codes)),
                     std::invalid_argument)
            << name(isa) << " " << i << " " << zero;
      }
      zeros37[i] = TestFixture::kHigh;
    }
  }
  EXPECT_THROW(requantize(std::vector<std::int32_t>(6), kNaN, TestFixture::kMiddle, std::span<Q>(q)),
               std::invalid_argument);
  std::vector<float> scales(4);
  std::vector<std::int32_t> zeros(4);
  EXPECT_THROW(quantize_dynamic_rows(in, QuantScheme::affine, std::span<Q>(q), scales, zeros), std::invalid_argument);
}

}  // namespace
}  // namespace pawl
