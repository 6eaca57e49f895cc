// int8_matmul_test.cpp -- integer products on every variant: exact sums, bits of the scaled ones, odd sizes, extremes.
#include "pawl/quant/int8_matmul.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
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

struct Shape3 {
  std::size_t m, n, k;
};

std::vector<Shape3> shapes() {
  std::vector<Shape3> result;
  for (const std::size_t m : {1U, 2U, 3U, 4U, 5U, 8U, 13U, 14U, 15U, 29U})
    for (const std::size_t n : {1U, 7U, 8U, 16U, 31U, 32U, 33U, 70U}) result.push_back({m, n, 5 + (m * 7 + n) % 90});
  for (std::size_t k = 0; k < 20; ++k) result.push_back({3, 34, k});
  // Few columns: whole and cut tiles of 16 results, whole and cut vectors in depth.
  for (std::size_t n = 1; n < 14; ++n)
    for (const std::size_t m : {1U, 2U, 4U, 7U, 8U, 9U, 17U}) result.push_back({m, n, 1 + (m * 29 + n * 17) % 150});
  for (std::size_t k = 0; k < 10; ++k) result.push_back({9, 3, k});
  for (const std::size_t k : {31U, 32U, 33U, 63U, 64U, 65U, 128U, 200U, 500U, 577U})
    for (const std::size_t n : {1U, 2U, 5U, 6U, 9U, 11U, 12U}) result.push_back({5, n, k});
  result.insert(result.end(), {{3, 13, 799}, {3, 13, 801}, {2, 14, 1200}});
  result.insert(result.end(), {{0, 5, 7}, {5, 0, 7}, {2, 3, 1000}, {30, 65, 128}, {9, 33, 4096}});
  return result;
}

template <class Q>
class Int8MatmulTest : public ::testing::Test {};
using Types = ::testing::Types<std::int8_t, std::uint8_t>;
TYPED_TEST_SUITE(Int8MatmulTest, Types);

template <class Q>
constexpr std::int32_t kMiddle = std::numeric_limits<Q>::is_signed ? 0 : 128;

TYPED_TEST(Int8MatmulTest, SumsAreExact) {
  using Q = TypeParam;
  on_every_variant([] {
    for (const auto& [m, n, k] : shapes())
      for (const bool transposed : {false, true})
        for (const int zeros : {0, 1, 2}) {  // how many zero points: none, one, one each
          Framed<Q> a(m * k, 1);
          Framed<std::int8_t> b(k * n, 3);
          Framed<std::int32_t> c(m * n, 1);
          testing::fill_codes(a.span(), m + n);
          testing::fill_codes(b.span(), k);
          std::vector<std::int32_t> za(zeros == 0 ? 0 : zeros == 1 ? 1 : m), zb(zeros == 0 ? 0 : zeros == 1 ? 1 : n);
          for (std::size_t i = 0; i < za.size(); ++i) za[i] = std::numeric_limits<Q>::min() + int(i * 89 % 256);
          for (std::size_t j = 0; j < zb.size(); ++j) zb[j] = int(j * 53 % 256) - 128;
          const PackedInt8 packed(b.view(), k, n, transposed, {}, zb);
          matmul(QuantizedRows<Q>{a.view(), {}, za}, packed, c.span());
          for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j) {
              const std::int32_t zero_a = za.empty() ? kMiddle<Q> : za[za.size() == 1 ? 0 : i];
              const std::int32_t zero_b = zb.empty() ? 0 : zb[zb.size() == 1 ? 0 : j];
              const std::int8_t* const column = b.data() + (transposed ? j * k : j);
              ASSERT_EQ(c[i * n + j],
                        reference::int8_product(a.data() + i * k, zero_a, column, transposed ? 1 : n, zero_b, k))
                  << m << " x " << n << " x " << k << " transposed " << transposed << " zeros " << zeros << " at " << i
                  << ", " << j;
            }
          ASSERT_TRUE(c.untouched());
        }
  });
}

TYPED_TEST(Int8MatmulTest, ScaledResultsHaveTheBitsOfTheReference) {
  using Q = TypeParam;
  on_every_variant([] {
    for (const auto& [m, n, k] : shapes())
      for (const int form : {0, 1, 2, 3}) {  // bit 0: bias; bit 1: relu and scales per row
        const bool with_bias = form & 1, relu = form & 2;
        Framed<Q> a(m * k);
        std::vector<std::int8_t> b(k * n);
        Framed<float> c(m * n, 1);
        testing::fill_codes(a.span(), m);
        testing::fill_codes(std::span<std::int8_t>(b), k + n);
        std::vector<float> row_scales(relu ? m : 1), col_scales(relu ? n : 1);
        Framed<float> bias(with_bias ? n : 0, 3);
        testing::fill_uniform(row_scales, 1, 0.001f, 0.1f);
        testing::fill_uniform(col_scales, 2, 0.001f, 0.1f);
        testing::fill_uniform(bias.span(), 3);
        const PackedInt8 packed(b, k, n, false, col_scales);
        if (row_scales.empty()) row_scales = {1};
        matmul(QuantizedRows<Q>{a.view(), row_scales, {}}, packed, c.span(), bias.view(),
               relu ? Activation::relu : Activation::none);
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < n; ++j) {
            const std::int64_t sum = reference::int8_product(a.data() + i * k, kMiddle<Q>, b.data() + j, n, 0, k);
            const float want = reference::int8_finish(sum, row_scales[row_scales.size() == 1 ? 0 : i],
                                                      col_scales[col_scales.size() == 1 ? 0 : j],
                                                      with_bias ? &bias[j] : nullptr, relu);
            ASSERT_EQ(c[i * n + j], want)
                << m << " x " << n << " x " << k << " form " << form << " at " << i << ", " << j;
          }
        ASSERT_TRUE(c.untouched());
      }
  });
}

// 127 * 127, 255 * 127 and -128 * -128 in every place: pairs of products that do not fit into 16 bits.
TYPED_TEST(Int8MatmulTest, ExtremesDoNotSaturate) {
  using Q = TypeParam;
  on_every_variant([] {
    const std::size_t m = 5, n = 40, k = kMaxInt8Depth;
    for (const Q code : {std::numeric_limits<Q>::min(), std::numeric_limits<Q>::max()})
      for (const std::int8_t weight : {std::int8_t{-128}, std::int8_t{127}})
        for (const bool far : {false, true}) {
          const std::vector<Q> a(m * k, code);
          const std::vector<std::int8_t> b(k * n, weight);
          std::vector<std::int32_t> c(m * n);
          const std::int32_t za =
              code == std::numeric_limits<Q>::min() ? std::numeric_limits<Q>::max() : std::numeric_limits<Q>::min();
          const std::int32_t zb = weight < 0 ? 127 : -128;
          const std::vector<std::int32_t> zas = {far ? za : kMiddle<Q>}, zbs = {far ? zb : 0};
          matmul(QuantizedRows<Q>{a, {}, zas}, PackedInt8(b, k, n, false, {}, zbs), std::span<std::int32_t>(c));
          const std::int64_t want = (std::int64_t{code} - zas[0]) * (std::int64_t{weight} - zbs[0]) * std::int64_t{k};
          ASSERT_LE(std::abs(want), std::numeric_limits<std::int32_t>::max());
          for (const std::int32_t value : c) ASSERT_EQ(value, want);
        }
  });
}

TEST(Int8Matmul, UnpackedWeightsGiveTheSame) {
  on_every_variant([] {
    for (const auto& [m, n, k] : shapes()) {
      std::vector<std::int8_t> a(m * k), b(k * n);
      std::vector<std::int32_t> c(m * n), want(m * n), zeros(m);
      testing::fill_codes(std::span<std::int8_t>(a), m);
      testing::fill_codes(std::span<std::int8_t>(b), n);
      for (std::size_t i = 0; i < m; ++i) zeros[i] = int(i * 89 % 256) - 128;
      for (const bool with_zeros : {false, true}) {
        const QuantizedRows<std::int8_t> rows{
            a, {}, with_zeros ? std::span<const std::int32_t>(zeros) : std::span<const std::int32_t>()};
        matmul(rows, PackedInt8(b, k, n), std::span<std::int32_t>(want));
        matmul(rows, b, k, n, c);
        ASSERT_EQ(c, want) << m << " x " << n << " x " << k;
      }
    }
  });
}

// So many columns and so deep that they are packed in several parts, on one thread and on three.
TEST(Int8Matmul, PartsOfUnpackedWeightsJoin) {
  const int before = num_threads();
  on_every_variant([] {
    for (const auto& [m, n, k] : std::vector<Shape3>{{13, 300, 4101},
                                                     {12, 129, 8197},
                                                     {3, 700, 1501},
                                                     {15, 257, 4096},
                                                     {40, 192, 77},
                                                     {6, 64, 64},
                                                     {1, 1100, 71},
                                                     {3, 2048, 13},
                                                     {8, 2048, 66},
                                                     {9, 257, 8195},
                                                     {900, 321, 41}})
      for (const bool with_zeros : {false, true})
        for (const int threads : {1, 3}) {
          std::vector<std::int8_t> a(m * k), b(k * n);
          testing::fill_codes(std::span<std::int8_t>(a), 3);
          testing::fill_codes(std::span<std::int8_t>(b), 4);
          const std::vector<std::int32_t> zeros(with_zeros ? m : 0, -7);
          std::vector<std::int32_t> want(m * n), c(m * n);
          set_num_threads(1);
          matmul(QuantizedRows<std::int8_t>{a, {}, zeros}, PackedInt8(b, k, n), std::span<std::int32_t>(want));
          set_num_threads(threads);
          matmul(QuantizedRows<std::int8_t>{a, {}, zeros}, b, k, n, c);
          ASSERT_EQ(c, want) << m << " x " << n << " x " << k << " threads " << threads;
        }
  });
  set_num_threads(before);
}

TEST(Int8Matmul, ThreadsChangeNothing) {
  const int before = num_threads();
  for (const auto& [m, n, k] :
       std::vector<Shape3>{{64, 300, 300}, {2000, 20, 300}, {1, 4096, 1024}, {30001, 3, 100}, {9001, 7, 200}}) {
    std::vector<std::int8_t> a(m * k), b(k * n);
    testing::fill_codes(std::span<std::int8_t>(a), 1);
    testing::fill_codes(std::span<std::int8_t>(b), 2);
    const std::vector<std::int32_t> zeros(m, 3);
    const PackedInt8 packed(b, k, n);
    std::vector<std::int32_t> want(m * n), c(m * n);
    set_num_threads(1);
    matmul(QuantizedRows<std::int8_t>{a, {}, zeros}, packed, std::span<std::int32_t>(want));
    for (const int threads : {2, 3}) {
      set_num_threads(threads);
      std::ranges::fill(c, 0);
      matmul(QuantizedRows<std::int8_t>{a, {}, zeros}, packed, std::span<std::int32_t>(c));
      EXPECT_EQ(c, want) << m << " x " << n << " x " << k << " threads " << threads;
    }
  }
  set_num_threads(before);
}

TEST(Linear, KeepsItsBoundAndIsQuantizeThenMatmul) {
  const std::size_t m = 5, n = 50, k = 200;
  std::vector<float> x(m * k), w(k * n), bias(n), c(m * n), want(m * n), scales(m);
  testing::fill_uniform(x, 1, -3, 3);
  testing::fill_uniform(w, 2, -0.2f, 0.2f);
  testing::fill_uniform(bias, 3);
  std::vector<float> transposed(w.size());
  for (std::size_t p = 0; p < k; ++p)
    for (std::size_t j = 0; j < n; ++j) transposed[j * k + p] = w[p * n + j];
  on_every_variant([&] {
    const PackedInt8 packed = quantize_weights(w, k, n);
    linear(x, packed, c, bias, Activation::relu);
    std::vector<std::int8_t> codes(x.size());
    std::vector<std::int32_t> zeros(m);
    quantize_dynamic_rows(x, QuantScheme::symmetric, std::span<std::int8_t>(codes), scales, zeros);
    matmul(QuantizedRows<std::int8_t>{codes, scales, zeros}, packed, std::span<float>(want), bias, Activation::relu);
    ASSERT_EQ(c, want);
    linear(x, quantize_weights(transposed, k, n, true), c, bias, Activation::relu);
    ASSERT_EQ(c, want);
    linear(x, packed, c);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double exact = 0, x_most = 0, w_most = 0;
        for (std::size_t p = 0; p < k; ++p) {
          exact += double(x[i * k + p]) * double(w[p * n + j]);
          x_most = std::max(x_most, std::fabs(double(x[i * k + p])));
          w_most = std::max(w_most, std::fabs(double(w[p * n + j])));
        }
        const double bound = double(k) * (x_most / 254 * w_most + x_most * w_most / 254 + x_most * w_most / 254 / 254);
        ASSERT_LE(std::fabs(double(c[i * n + j]) - exact), 1.001 * bound);
        ASSERT_LE(std::fabs(double(c[i * n + j]) - exact), 0.2);  // some 30 times below the bound, as random errors are
      }
  });
}

// As quantize_dynamic_rows gives them: no rows have no scales.
TEST(Int8Matmul, NoRowsAreNothingToDo) {
  const std::vector<std::int8_t> weights(12);
  const PackedInt8 packed(weights, 3, 4);
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    EXPECT_NO_THROW(matmul(QuantizedRows<std::int8_t>{}, packed, std::span<float>()));
    EXPECT_NO_THROW(matmul(QuantizedRows<std::uint8_t>{}, packed, std::span<float>()));
    EXPECT_NO_THROW(matmul(QuantizedRows<std::int8_t>{}, packed, std::span<std::int32_t>()));
  }
}

TEST(Int8Matmul, BadArgumentsAreRefused) {
  const std::vector<std::int8_t> a(12), b(20);
  const std::vector<float> one = {1}, two = {1, 1}, bad = {0}, nan = {std::numeric_limits<float>::quiet_NaN()};
  const std::vector<std::int32_t> far = {200}, two_zeros = {0, 0};
  std::vector<std::int32_t> c(15), wrong(14);
  std::vector<float> f(15);
  using Rows = QuantizedRows<std::int8_t>;
  EXPECT_THROW(PackedInt8(b, 4, 6), std::invalid_argument);
  EXPECT_THROW(PackedInt8(b, 4, 5, false, two), std::invalid_argument);
  EXPECT_THROW(PackedInt8(b, 4, 5, false, bad), std::invalid_argument);
  EXPECT_THROW(PackedInt8(b, 4, 5, false, nan), std::invalid_argument);
  EXPECT_THROW(PackedInt8(b, 4, 5, false, {}, far), std::invalid_argument);
  EXPECT_THROW(PackedInt8(std::vector<std::int8_t>(kMaxInt8Depth + 1), kMaxInt8Depth + 1, 1), std::invalid_argument);
  EXPECT_THROW(PackedInt8({}, std::size_t{1} << 63, 2), std::invalid_argument);
  const PackedInt8 packed(b, 4, 5);
  EXPECT_EQ(packed.rows(), 4u);
  EXPECT_EQ(packed.cols(), 5u);
  matmul(Rows{a, {}, {}}, packed, std::span<std::int32_t>(c));
  EXPECT_THROW(matmul(Rows{a, {}, {}}, packed, std::span<std::int32_t>(wrong)), std::invalid_argument);
  EXPECT_THROW(matmul(Rows{b, {}, {}}, packed, std::span<std::int32_t>(c)), std::invalid_argument);
  EXPECT_THROW(matmul(Rows{a, {}, far}, packed, std::span<std::int32_t>(c)), std::invalid_argument);
  EXPECT_THROW(matmul(Rows{a, {}, two_zeros}, packed, std::span<std::int32_t>(c)), std::invalid_argument);
  EXPECT_THROW(matmul(Rows{a, {}, {}}, packed, std::span<float>(f)), std::invalid_argument);
  EXPECT_THROW(matmul(Rows{a, two, {}}, packed, std::span<float>(f)), std::invalid_argument);
  EXPECT_THROW(matmul(Rows{a, one, {}}, packed, std::span<float>(f), two), std::invalid_argument);
  EXPECT_THROW(matmul(Rows{a, one, {}}, packed, std::span<float>(f), {}, Activation::gelu), std::invalid_argument);
  EXPECT_THROW(linear(two, packed, f), std::invalid_argument);
  EXPECT_THROW(matmul(Rows{a, {}, {}}, b, 4, 6, c), std::invalid_argument);
  EXPECT_THROW(quantize_weights(two, 2, 2), std::invalid_argument);
}

}  // namespace
}  // namespace pawl
