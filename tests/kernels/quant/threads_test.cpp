// threads_test.cpp -- long arrays of codes and conversions on one thread and on three: the same bits.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/quant/framed.hpp"
#include "pawl/parallel.hpp"
#include "pawl/quant.hpp"

namespace pawl {
namespace {

class QuantThreadsTest : public ::testing::Test {
 protected:
  // Long enough for threads, in parts that are cut.
  static constexpr std::size_t kCols = 321, kRows = 4099, kCount = kCols * kRows, kBlocked = kCount / 1920 * 1920 + 32;

  QuantThreadsTest() {
    testing::fill_uniform(x_, 1, -2, 3);
    testing::fill_codes(std::span<std::int8_t>(codes_), 2);
    x_[kCount - 5] = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t i = 0; i < kRows; ++i) {
      scales_[i] = 0.01f + 0.0001f * static_cast<float>(i % 100);
      zeros_[i] = static_cast<std::int32_t>(i % 7) - 3;
    }
  }
  ~QuantThreadsTest() override { set_num_threads(before_); }

  // run(out) for `count` elements of T.
  template <class T, class Run>
  static void expect_same(std::size_t count, Run run) {
    testing::Framed<T> one(count), three(count, 1);
    set_num_threads(1);
    run(one.span());
    set_num_threads(3);
    run(three.span());
    EXPECT_TRUE(one.untouched() && three.untouched());
    EXPECT_EQ(std::memcmp(one.data(), three.data(), count * sizeof(T)), 0);
  }

  std::vector<float> x_ = std::vector<float>(kCount);
  std::vector<std::int8_t> codes_ = std::vector<std::int8_t>(kCount);
  std::vector<float> scales_ = std::vector<float>(kRows);
  std::vector<std::int32_t> zeros_ = std::vector<std::int32_t>(kRows);

 private:
  int before_ = num_threads();
};

TEST_F(QuantThreadsTest, CodesOfWholeArrays) {
  const QuantParams p{0.02f, -3}, other{0.03f, 5};
  expect_same<std::int8_t>(kCount, [&](std::span<std::int8_t> q) { quantize(x_, p, q); });
  expect_same<float>(kCount, [&](std::span<float> x) { dequantize(codes_, p, x); });
  std::vector<std::int32_t> sums(kCount);
  for (std::size_t i = 0; i < kCount; ++i) sums[i] = static_cast<std::int32_t>(i % 30011) - 15000;
  expect_same<std::int8_t>(kCount, [&](std::span<std::int8_t> q) { requantize(sums, 0.01f, 2, q); });
  std::vector<std::int8_t> reversed(codes_.rbegin(), codes_.rend());
  expect_same<std::int8_t>(kCount, [&](std::span<std::int8_t> q) { quantized_add(codes_, p, reversed, other, q, p); });
  expect_same<std::int8_t>(kCount, [&](std::span<std::int8_t> q) { quantized_relu(codes_, 3, q); });
}

TEST_F(QuantThreadsTest, RangesFoundOnTheWay) {
  for (const QuantScheme scheme : {QuantScheme::symmetric, QuantScheme::affine})
    for (const float largest : {1.0f, 100.0f, -100.0f, std::numeric_limits<float>::infinity()})
      for (const std::size_t at : {std::size_t{0}, kCount / 2, kCount - 1}) {
        std::vector<float> x = x_;
        x[at] = largest;
        FiniteRange range{0, 0};
        for (const float value : x)
          if (std::isfinite(value)) range = {std::min(range.low, value), std::max(range.high, value)};
        expect_same<std::int8_t>(kCount, [&](std::span<std::int8_t> q) {
          EXPECT_EQ(quantize_dynamic(x, scheme, q), choose_params_s8(range.low, range.high, scheme));
        });
      }
}

TEST_F(QuantThreadsTest, CodesOfRowsAndColumns) {
  const auto cols = std::span(scales_).first(kCols);
  const auto col_zeros = std::span(zeros_).first(kCols);
  expect_same<std::int8_t>(kCount, [&](std::span<std::int8_t> q) { quantize_rows(x_, scales_, zeros_, q); });
  expect_same<float>(kCount, [&](std::span<float> x) { dequantize_rows(codes_, scales_, zeros_, x); });
  expect_same<std::int8_t>(kCount, [&](std::span<std::int8_t> q) { quantize_columns(x_, cols, col_zeros, q); });
  expect_same<float>(kCount, [&](std::span<float> x) { dequantize_columns(codes_, cols, col_zeros, x); });
  for (const QuantScheme scheme : {QuantScheme::symmetric, QuantScheme::affine}) {
    expect_same<float>(kRows, [&](std::span<float> scales) {
      std::vector<std::int8_t> q(kCount);
      std::vector<std::int32_t> zeros(kRows);
      quantize_dynamic_rows(x_, scheme, std::span(q), scales, zeros);
    });
    expect_same<std::int8_t>(kCount, [&](std::span<std::int8_t> q) {
      std::vector<float> scales(kRows);
      std::vector<std::int32_t> zeros(kRows);
      quantize_dynamic_rows(x_, scheme, q, scales, zeros);
    });
  }
}

TEST_F(QuantThreadsTest, HalvesAndBlocks) {
  const auto x = std::span(x_).first(kBlocked);
  expect_same<bf16>(kCount, [&](std::span<bf16> out) { convert(x_, out); });
  expect_same<f16>(kCount, [&](std::span<f16> out) { convert(x_, out); });
  std::vector<bf16> halves(kCount);
  convert(x_, halves);
  expect_same<float>(kCount, [&](std::span<float> out) { convert(std::span<const bf16>(halves), out); });
  expect_same<Q8_0>(kBlocked / 32, [&](std::span<Q8_0> blocks) { quantize(x, blocks); });
  expect_same<Q4_0>(kBlocked / 32, [&](std::span<Q4_0> blocks) { quantize(x, blocks); });
  std::vector<Q8_0> q8(kBlocked / 32);
  std::vector<Q4_0> q4(kBlocked / 32);
  quantize(x, std::span<Q8_0>(q8));
  quantize(x, std::span<Q4_0>(q4));
  expect_same<float>(kBlocked, [&](std::span<float> out) { dequantize(std::span<const Q8_0>(q8), out); });
  expect_same<float>(kBlocked, [&](std::span<float> out) { dequantize(std::span<const Q4_0>(q4), out); });
  std::vector<f16> scales(kBlocked / 32);
  std::vector<std::uint8_t> zeros(kBlocked / 32), packed(kBlocked / 2);
  expect_same<std::uint8_t>(kBlocked / 2,
                            [&](std::span<std::uint8_t> codes) { quantize_int4(x, 32, codes, scales, zeros); });
  quantize_int4(x, 32, packed, scales, zeros);
  expect_same<float>(kBlocked, [&](std::span<float> out) { dequantize_int4(packed, 32, scales, zeros, out); });
  for (const TernaryPacking packing : {TernaryPacking::two_bits, TernaryPacking::five_in_one}) {
    std::vector<std::uint8_t> codes(ternary_bytes(kCount, packing));
    expect_same<std::uint8_t>(codes.size(), [&](std::span<std::uint8_t> q) { quantize_ternary(x_, packing, q); });
    quantize_ternary(x_, packing, codes);
    expect_same<float>(kCount, [&](std::span<float> out) { dequantize_ternary(codes, packing, 0.5f, out); });
  }
}

}  // namespace
}  // namespace pawl
