// low_bits_matmul_test.cpp -- products with weights of 8 bits and fewer on every variant: bits of the reference.
#include "pawl/quant/low_bits_matmul.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <vector>

#include "kernels/quant/framed.hpp"
#include "kernels/quant/variants.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"
#include "reference/quant_ref.hpp"

namespace pawl {
namespace {

using testing::Framed;
using testing::on_every_variant;

// Weights [n, k] as codes less their zero points, and the values of their scales [n, k / group].
struct Weights {
  std::size_t n, k, group;
  std::vector<int> codes;
  std::vector<float> scales;
};

// Activations as linear() quantizes them, by the same public functions.
struct Activations {
  std::vector<std::int8_t> codes;
  std::vector<float> scales;
};
Activations quantized(std::span<const float> x, std::size_t group) {
  Activations a{std::vector<std::int8_t>(x.size()), std::vector<float>(x.size() / group)};
  std::vector<std::int32_t> zeros(a.scales.size());
  quantize_dynamic_rows(x, QuantScheme::symmetric, std::span<std::int8_t>(a.codes), a.scales, zeros);
  return a;
}

void expect_product(const PackedLowBits& packed, const Weights& w, std::size_t m) {
  Framed<float> x(m * w.k, 1), c(m * w.n, 1);
  testing::fill_uniform(x.span(), m + w.n, -2, 3);
  std::vector<float> bias(w.n);
  testing::fill_uniform(bias, 5);
  const Activations a = quantized(x.view(), w.group);
  const std::size_t groups = w.k / w.group;
  for (const bool finished : {false, true}) {
    if (finished) {
      linear(x.view(), packed, c.span(), bias, Activation::relu);
    } else {
      linear(x.view(), packed, c.span());
    }
    ASSERT_TRUE(c.untouched());
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < w.n; ++j) {
        float want = reference::group_product(a.codes.data() + i * w.k, a.scales.data() + i * groups,
                                              w.codes.data() + j * w.k, w.scales.data() + j * groups, w.k, w.group);
        if (finished) want = std::max(want + bias[j], 0.0f);
        ASSERT_EQ(c[i * w.n + j], want) << m << " x " << w.n << " x " << w.k << " at " << i << ", " << j;
      }
  }
}

struct Extents {
  std::size_t m, n, k;
};

TEST(LowBitsLinear, Q8AndQ4BlocksHaveTheBitsOfTheReference) {
  on_every_variant([] {
    for (const auto& [m, n, k] : std::vector<Extents>{
             {1, 1, 32}, {1, 100, 96}, {2, 7, 64}, {2, 130, 64}, {3, 33, 96}, {5, 64, 320}, {9, 40, 4096}}) {
      std::vector<float> dense(n * k);
      testing::fill_uniform(dense, n, -1, 1.2f);
      std::vector<Q8_0> q8(n * k / 32);
      std::vector<Q4_0> q4(n * k / 32);
      quantize(dense, std::span<Q8_0>(q8));
      quantize(dense, std::span<Q4_0>(q4));
      Weights w8{n, k, 32, std::vector<int>(n * k), std::vector<float>(n * k / 32)}, w4 = w8;
      for (std::size_t b = 0; b < q8.size(); ++b) {
        w8.scales[b] = static_cast<float>(reference::f16_value(q8[b].scale.bits));
        w4.scales[b] = static_cast<float>(reference::f16_value(q4[b].scale.bits));
        for (std::size_t i = 0; i < 32; ++i) {
          w8.codes[32 * b + i] = q8[b].codes[i];
          w4.codes[32 * b + i] = (q4[b].codes[i % 16] >> (i < 16 ? 0 : 4) & 15) - 8;
        }
      }
      expect_product(PackedLowBits(q8, n, k), w8, m);
      expect_product(PackedLowBits(q4, n, k), w4, m);
    }
  });
}

TEST(LowBitsLinear, Int4GroupsHaveTheBitsOfTheReference) {
  on_every_variant([] {
    for (const std::size_t group : {32u, 64u, 128u})
      for (const bool affine : {false, true})
        for (const auto& [m, n, k] :
             std::vector<Extents>{{1, 5, 128}, {1, 130, 256}, {2, 96, 256}, {4, 32, 256}, {6, 70, 384}}) {
          std::vector<float> dense(n * k);
          testing::fill_uniform(dense, n, -0.5f, 1);
          std::vector<std::uint8_t> codes(n * k / 2), zeros(affine ? n * k / group : 0);
          std::vector<f16> scales(n * k / group);
          quantize_int4(dense, group, codes, scales, zeros);
          Weights w{n, k, group, std::vector<int>(n * k), std::vector<float>(scales.size())};
          for (std::size_t g = 0; g < scales.size(); ++g)
            w.scales[g] = static_cast<float>(reference::f16_value(scales[g].bits));
          for (std::size_t i = 0; i < n * k; ++i)
            w.codes[i] = (codes[i / 32 * 16 + i % 16] >> (i % 32 < 16 ? 0 : 4) & 15) - (affine ? zeros[i / group] : 8);
          expect_product(PackedLowBits(codes, group, scales, zeros, n, k), w, m);
        }
  });
}

TEST(LowBitsLinear, TernaryWeightsHaveTheBitsOfTheReference) {
  on_every_variant([] {
    for (const TernaryPacking packing : {TernaryPacking::two_bits, TernaryPacking::five_in_one})
      for (const auto& [m, n, k] : std::vector<Extents>{{1, 1, 1},
                                                        {1, 33, 4},
                                                        {1, 64, 40},
                                                        {1, 235, 100},
                                                        {2, 8, 15},
                                                        {3, 64, 16},
                                                        {4, 5, 19},
                                                        {5, 33, 20},
                                                        {7, 40, 21},
                                                        {3, 32, 1000},
                                                        {1, 3, 32767}}) {
        std::vector<float> dense(n * k);
        testing::fill_uniform(dense, n + k, -1, 1);
        std::vector<std::uint8_t> packed(ternary_bytes(n * k, packing));
        const float scale = quantize_ternary(dense, packing, packed);
        std::vector<float> signs(n * k);
        dequantize_ternary(packed, packing, 1, signs);
        Framed<float> x(m * k), c(m * n, 1);
        testing::fill_uniform(x.span(), m, -2, 2);
        const Activations a = quantized(x.view(), k);
        std::vector<float> bias(n);
        testing::fill_uniform(bias, 4, -9, 9);
        linear(x.view(), PackedLowBits(dense, packing, n, k), c.span(), bias, Activation::none);
        ASSERT_TRUE(c.untouched());
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < n; ++j) {
            std::vector<std::int8_t> column(k);
            for (std::size_t p = 0; p < k; ++p) column[p] = static_cast<std::int8_t>(signs[j * k + p]);
            const std::int64_t sum = reference::int8_product(a.codes.data() + i * k, 0, column.data(), 1, 0, k);
            ASSERT_EQ(c[i * n + j], reference::int8_finish(sum, a.scales[i], scale, &bias[j], false))
                << m << " x " << n << " x " << k << " at " << i << ", " << j;
          }
      }
  });
}

// With a power of 2 as the one scale of all rows, activations that are codes already are those of linear() but for the
// scale.
TEST(LowBitsMatmul, CodesOfActivationsHaveTheBitsOfTheReference) {
  on_every_variant([] {
    const std::size_t m = 5, n = 40, k = 192;
    std::vector<float> dense(n * k), bias(n);
    testing::fill_uniform(dense, 3);
    testing::fill_uniform(bias, 4, -9, 9);
    std::vector<std::int8_t> a(m * k);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::int8_t>(i * 2654435761u >> 11);
    const std::vector<float> row_scales = {0.5f, 3, 0.01f, 1, 7};
    const std::size_t group = 64;
    for (const bool affine : {false, true}) {
      std::vector<std::uint8_t> codes(n * k / 2), zeros(affine ? n * k / group : 0);
      std::vector<f16> scales(n * k / group);
      quantize_int4(dense, group, codes, scales, zeros);
      std::vector<int> w(n * k);
      std::vector<float> values(scales.size());
      for (std::size_t g = 0; g < scales.size(); ++g)
        values[g] = static_cast<float>(reference::f16_value(scales[g].bits));
      for (std::size_t i = 0; i < n * k; ++i)
        w[i] = (codes[i / 32 * 16 + i % 16] >> (i % 32 < 16 ? 0 : 4) & 15) - (affine ? zeros[i / group] : 8);
      const PackedLowBits packed(codes, group, scales, zeros, n, k);
      for (const bool per_row : {false, true}) {
        Framed<float> c(m * n, 1);
        const std::span<const float> given = per_row ? std::span(row_scales) : std::span(row_scales).first(1);
        matmul({a, given, {}}, packed, c.span(), bias, Activation::relu);
        ASSERT_TRUE(c.untouched());
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < n; ++j) {
            const std::vector<float> x_scales(k / group, given[per_row ? i : 0]);
            const float want = reference::group_product(a.data() + i * k, x_scales.data(), w.data() + j * k,
                                                        values.data() + j * (k / group), k, group);
            ASSERT_EQ(c[i * n + j], std::max(want + bias[j], 0.0f)) << i << ", " << j;
          }
      }
    }
    const PackedLowBits ternary(dense, TernaryPacking::five_in_one, n, k);
    std::vector<std::uint8_t> bytes(ternary_bytes(n * k, TernaryPacking::two_bits));
    const float scale = quantize_ternary(dense, TernaryPacking::two_bits, bytes);
    std::vector<float> signs(n * k), c(m * n);
    dequantize_ternary(bytes, TernaryPacking::two_bits, 1, signs);
    matmul({a, row_scales, {}}, ternary, c);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        std::int64_t sum = 0;
        for (std::size_t p = 0; p < k; ++p) sum += a[i * k + p] * static_cast<int>(signs[j * k + p]);
        ASSERT_EQ(c[i * n + j], reference::int8_finish(sum, row_scales[i], scale, nullptr, false));
      }
  });
}

TEST(LowBitsMatmul, BadArgumentsAreRefused) {
  const PackedLowBits packed(std::vector<Q4_0>(6), 3, 64);
  const std::vector<std::int8_t> a(128);
  const std::vector<std::int32_t> zero = {0}, one = {1};
  const std::vector<float> scales = {1, 2}, three = {1, 2, 3}, none = {0};
  std::vector<float> c(6);
  matmul({a, scales, zero}, packed, c);
  EXPECT_THROW(matmul({a, three, {}}, packed, c), std::invalid_argument);
  EXPECT_THROW(matmul({a, {}, {}}, packed, c), std::invalid_argument);
  EXPECT_THROW(matmul({a, none, {}}, packed, c), std::invalid_argument);
  EXPECT_THROW(matmul({a, scales, one}, packed, c), std::invalid_argument);
  EXPECT_THROW(matmul({std::span(a).first(127), scales, {}}, packed, c), std::invalid_argument);
}

// Copies share what was packed and outlive what they were made from.
TEST(LowBitsMatmul, CopiesMultiplyAsTheirOriginal) {
  std::vector<float> dense(3 * 64), x(64), c(3), again(3);
  testing::fill_uniform(dense, 1);
  testing::fill_uniform(x, 2);
  std::vector<Q4_0> q4(6);
  quantize(dense, std::span<Q4_0>(q4));
  auto original = std::make_unique<PackedLowBits>(q4, 3, 64);
  linear(x, *original, c);
  const PackedLowBits copy = *original;
  original.reset();
  linear(x, copy, again);
  EXPECT_EQ(c, again);
}

TEST(LowBitsLinear, ActivationsKeepTheirBound) {
  const std::size_t m = 3, n = 20, k = 256;
  std::vector<float> dense(n * k), w(n * k), x(m * k), c(m * n);
  testing::fill_uniform(dense, 1);
  testing::fill_uniform(x, 2, -5, 5);
  std::vector<Q4_0> q4(n * k / 32);
  quantize(dense, std::span<Q4_0>(q4));
  dequantize(std::span<const Q4_0>(q4), w);
  linear(x, PackedLowBits(q4, n, k), c);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double exact = 0, bound = 0;
      for (std::size_t p = 0; p < k; ++p) {
        double most = 0;
        for (std::size_t q = p / 32 * 32; q < p / 32 * 32 + 32; ++q)
          most = std::max(most, std::fabs(double(x[i * k + q])));
        exact += double(x[i * k + p]) * double(w[j * k + p]);
        bound += std::fabs(double(w[j * k + p])) * most / 254 * (1 + 0x1p-10);
      }
      ASSERT_LE(std::fabs(double(c[i * n + j]) - exact), bound);
    }
}

TEST(LowBitsLinear, ThreadsChangeNothing) {
  const int before = num_threads();
  const std::size_t n = 1000, k = 2048;
  std::vector<float> dense(n * k), x(2 * k), one(2 * n), two(2 * n);
  testing::fill_uniform(dense, 1);
  testing::fill_uniform(x, 2);
  std::vector<Q4_0> q4(n * k / 32);
  quantize(dense, std::span<Q4_0>(q4));
  for (const PackedLowBits& packed :
       std::array<PackedLowBits, 2>{PackedLowBits(q4, n, k), PackedLowBits(dense, TernaryPacking::five_in_one, n, k)}) {
    set_num_threads(1);
    linear(x, packed, one);
    set_num_threads(2);
    linear(x, packed, two);
    EXPECT_EQ(one, two);
  }
  set_num_threads(before);
}

TEST(LowBitsLinear, NothingInDepthIsTheBias) {
  const std::vector<float> bias = {1, -2, 3};
  std::vector<float> c(6, 9);
  for (const PackedLowBits& packed :
       std::array<PackedLowBits, 2>{PackedLowBits(std::span<const float>(), TernaryPacking::two_bits, 3, 0),
                                    PackedLowBits(std::span<const Q8_0>(), 3, 0)}) {
    linear({}, packed, c, bias, Activation::relu);
    EXPECT_THAT(c, ::testing::ElementsAre(1, 0, 3, 1, 0, 3));
  }
}

TEST(LowBitsLinear, BadArgumentsAreRefused) {
  const std::vector<Q4_0> q4(6);
  const std::vector<std::uint8_t> codes(96), bad_zeros(6, 16);
  const std::vector<f16> scales(6);
  const std::vector<float> x(64);
  std::vector<float> c(3);
  EXPECT_THROW(PackedLowBits(q4, 3, 65), std::invalid_argument);
  EXPECT_THROW(PackedLowBits(q4, 4, 64), std::invalid_argument);
  EXPECT_THROW(PackedLowBits(codes, 64, scales, {}, 3, 64), std::invalid_argument);
  EXPECT_THROW(PackedLowBits(codes, 32, scales, bad_zeros, 3, 64), std::invalid_argument);
  EXPECT_THROW(PackedLowBits(x, TernaryPacking::two_bits, 3, 20), std::invalid_argument);
  EXPECT_THROW(
      PackedLowBits(std::vector<float>(kMaxTernaryDepth + 1), TernaryPacking::two_bits, 1, kMaxTernaryDepth + 1),
      std::invalid_argument);
  const PackedLowBits packed(q4, 3, 64);
  linear(x, packed, c);
  EXPECT_THROW(linear(std::span(x).first(63), packed, c), std::invalid_argument);
  EXPECT_THROW(linear(x, packed, std::span(c).first(2)), std::invalid_argument);
  EXPECT_THROW(linear(x, packed, c, std::span(x).first(2)), std::invalid_argument);
  EXPECT_THROW(linear(x, packed, c, {}, Activation::gelu), std::invalid_argument);
}

}  // namespace
}  // namespace pawl
