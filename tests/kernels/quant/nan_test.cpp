// nan_test.cpp -- a NaN among weights, activations or biases stays one through relu, and hides no largest element.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "kernels/quant/variants.hpp"
#include "pawl/isa.hpp"
#include "pawl/quant.hpp"

namespace pawl {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kDepth = 64;

// body(m, n) by every variant for shapes that take different kernels.
template <class Body>
void on_all(Body body) {
  testing::on_every_variant([&] {
    for (const std::size_t m : {1, 4, 20})
      for (const std::size_t n : {1, 8, 40}) {
        SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n));
        body(m, n);
      }
  });
}

template <class Half>
void expect_half_keeps_nan(Half one, Half nan) {
  on_all([&](std::size_t m, std::size_t n) {
    const std::vector<Half> a(m * kDepth, one);
    std::vector<Half> w(kDepth * n, one);
    w[n - 1] = nan;
    std::vector<float> c(m * n, 7);
    matmul(a, PackedHalf(std::span<const Half>(w), kDepth, n), std::span<float>(c), {}, Activation::relu);
    for (std::size_t i = 0; i < m * n; ++i) EXPECT_EQ(std::isnan(c[i]), i % n == n - 1) << i;
  });
}

TEST(QuantNaN, ReluOfHalfProductsKeepsIt) {
  expect_half_keeps_nan(to_bf16(1), to_bf16(kNaN));
  expect_half_keeps_nan(f16{0x3c00}, f16{0x7e00});
}

TEST(QuantNaN, ReluOfInt8ProductsKeepsIt) {
  on_all([](std::size_t m, std::size_t n) {
    const std::vector<std::int8_t> a(m * kDepth, 1), w(kDepth * n, -1);
    const std::vector<float> x(m * kDepth, 1), scales(1, 1);
    std::vector<float> bias(n, 1), c(m * n, 7), d(m * n, 7);
    bias[n - 1] = kNaN;
    const PackedInt8 packed(w, kDepth, n);
    matmul(QuantizedRows<std::int8_t>{a, scales, {}}, packed, std::span<float>(c), bias, Activation::relu);
    linear(x, packed, d, bias, Activation::relu);
    for (std::size_t i = 0; i < m * n; ++i) {
      EXPECT_EQ(std::isnan(c[i]), i % n == n - 1) << i;
      EXPECT_EQ(std::isnan(d[i]), i % n == n - 1) << i;
      EXPECT_TRUE(i % n == n - 1 || c[i] == 0) << i;
    }
  });
}

TEST(QuantNaN, ReluOfLowBitsProductsKeepsIt) {
  on_all([](std::size_t m, std::size_t n) {
    for (const std::size_t depth : {std::size_t{0}, kDepth}) {
      const std::vector<float> w(n * depth, -1), x(m * depth, 1);
      std::vector<float> bias(n, 1), c(m * n, 7), d(m * n, 7);
      bias[n - 1] = kNaN;
      std::vector<Q4_0> blocks(n * depth / 32);
      quantize(w, blocks);
      linear(x, PackedLowBits(std::span<const Q4_0>(blocks), n, depth), c, bias, Activation::relu);
      linear(x, PackedLowBits(std::span<const float>(w), TernaryPacking::two_bits, n, depth), d, bias,
             Activation::relu);
      for (std::size_t i = 0; i < m * n; ++i) {
        EXPECT_EQ(std::isnan(c[i]), i % n == n - 1) << i;
        EXPECT_EQ(std::isnan(d[i]), i % n == n - 1) << i;
      }
    }
  });
}

// Signalling ones too: they come from reinterpreted memory.
TEST(QuantNaN, HidesNoLargestElement) {
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const std::uint32_t nan : {0x7fc00000U, 0x7f800001U, 0xff800001U})
      for (const std::size_t n : {5, 16, 33, 100, 300})
        for (std::size_t i = 0; i < n; ++i) {
          std::vector<float> x(n, 0.5F);
          x[i] = 36.5F;
          const std::size_t behind = (i + 16 < n ? i + 16 : i + 1) % n;
          if (behind != i) x[behind] = std::bit_cast<float>(nan);
          std::vector<std::int8_t> q(n);
          EXPECT_EQ(quantize_dynamic(x, QuantScheme::symmetric, q).scale, 36.5F / 127) << name(isa) << " " << n;
          float scale = 0;
          std::int32_t zero = 0;
          quantize_dynamic_rows(x, QuantScheme::symmetric, q, {&scale, 1}, {&zero, 1});
          EXPECT_EQ(scale, 36.5F / 127) << name(isa) << " rows, " << n;
        }
  }
}

}  // namespace
}  // namespace pawl
