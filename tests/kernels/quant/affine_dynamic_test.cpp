// affine_dynamic_test.cpp -- 8-bit quantization by the range of what is quantized: that range, its codes, rows apart.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/quant/affine_cases.hpp"
#include "kernels/quant/framed.hpp"
#include "pawl/isa.hpp"
#include "pawl/quant/affine.hpp"
#include "reference/quant_ref.hpp"

namespace pawl {
namespace {

using testing::for_each_size;
using testing::Framed;
using testing::kInf;
using testing::kNaN;

template <class Q>
class AffineDynamicTest : public testing::AffineCases<Q> {};
TYPED_TEST_SUITE(AffineDynamicTest, testing::CodeTypes);

TYPED_TEST(AffineDynamicTest, IsRangeThenQuantize) {
  using Q = TypeParam;
  for (const auto scheme : {QuantScheme::symmetric, QuantScheme::affine})
    for_each_size([&](std::size_t n, std::size_t offset) {
      Framed<float> x(n, offset);
      Framed<Q> q(n, offset);
      testing::fill_uniform(x.span(), n, -2, 3);
      float low = 0, high = 0;
      if (n > 0) {
        low = *std::min_element(x.data(), x.data() + n);
        high = *std::max_element(x.data(), x.data() + n);
      }
      const QuantParams p = quantize_dynamic(x.view(), scheme, q.span());
      ASSERT_EQ(p, TestFixture::choose(low, high, scheme));
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(+q[i], +reference::quantize<Q>(x[i], p.scale, p.zero_point));
        const double error = std::fabs(static_cast<double>(reference::dequantize<Q>(q[i], p.scale, p.zero_point)) -
                                       static_cast<double>(x[i]));
        ASSERT_LE(error,
                  static_cast<double>(p.scale) * (scheme == QuantScheme::symmetric ? 0.5 + 0x1p-14 : 1.0 + 0x1p-14));
      }
      ASSERT_TRUE(q.untouched());
    });
}

// Long arrays are searched from the first boundary of a vector on, and what lies before it apart.
TYPED_TEST(AffineDynamicTest, ExtremesAreFoundWhereverTheyLie) {
  using Q = TypeParam;
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const std::size_t n : {100u, 2048u, 2100u})
      for (std::size_t offset = 0; offset < 17; ++offset) {
        Framed<float> x(n, offset);
        std::vector<Q> q(n);
        testing::fill_uniform(x.span(), n);
        for (std::size_t at = 0; at < 40; ++at)
          for (const std::size_t i : {at, n - 1 - at})
            for (const float extreme : {3.0f, -3.0f}) {
              const float before = std::exchange(x[i], extreme);
              ASSERT_EQ(quantize_dynamic(x.view(), QuantScheme::symmetric, std::span<Q>(q)).scale, 3.0f / 127)
                  << name(isa) << " n=" << n << " offset=" << offset << " at " << i;
              const FiniteRange range = finite_range(x.view());
              ASSERT_EQ(extreme > 0 ? range.high : range.low, extreme)
                  << name(isa) << " n=" << n << " offset=" << offset << " at " << i;
              x[i] = before;
            }
      }
  }
}

TYPED_TEST(AffineDynamicTest, RangeLeavesOutWhatIsNotFinite) {
  using Q = TypeParam;
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::size_t n = 1; n < 140; ++n)
      for (const float odd : {kNaN, kInf, -kInf}) {
        std::vector<float> x(n);
        testing::fill_uniform(x, n);
        x[n / 2] = odd;
        float low = n > 1 ? kInf : 0, high = n > 1 ? -kInf : 0;
        for (std::size_t i = 0; i < n; ++i)
          if (i != n / 2) low = std::min(low, x[i]), high = std::max(high, x[i]);
        const FiniteRange range = finite_range(x);
        ASSERT_EQ(range.low, low) << name(isa) << " n=" << n << " " << odd;
        ASSERT_EQ(range.high, high) << name(isa) << " n=" << n << " " << odd;
        std::vector<Q> q(n);
        const QuantParams p = quantize_dynamic(x, QuantScheme::affine, std::span<Q>(q));
        ASSERT_EQ(+q[n / 2], std::isnan(odd) ? p.zero_point : odd > 0 ? TestFixture::kHigh : TestFixture::kLow);
        ASSERT_EQ(quantize_dynamic(x, QuantScheme::symmetric, std::span<Q>(q)),
                  TestFixture::choose(low, high, QuantScheme::symmetric));
      }
  }
}

// While the codes of some rows are made the ranges of the next are found: few and many rows, short and long ones, those
// of one sign, without a range, and with elements that are not finite.
TYPED_TEST(AffineDynamicTest, RowsHaveTheirOwnRanges) {
  using Q = TypeParam;
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const auto& [rows, cols] : std::vector<std::pair<std::size_t, std::size_t>>{
             {7, 83}, {150, 32}, {9, 1024},  {70, 100}, {4, 4096}, {3, 5001}, {130, 1},
             {70, 3}, {21, 17},  {5, 63},    {80, 15},  {40, 16},  {37, 32},  {19, 48},
             {6, 64}, {7, 64},   {100, 100}, {23, 127}, {16, 2},   {1, 20},   {3, 100}}) {
      std::vector<float> x(rows * cols), scales(rows);
      std::vector<std::int32_t> zeros(rows);
      Framed<Q> q(x.size(), 1);
      std::vector<Q> row(cols);
      testing::fill_uniform(x, rows);
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] *= static_cast<float>(i / cols % 11);  // row 0 has no range
        if (i / cols % 13 == 6) x[i] *= 1e-40f;     // a scale below 2^-126
        if (i / cols % 5 == 2) x[i] = std::fabs(x[i]) + 0.5f;
        if (i / cols % 5 == 3) x[i] = -std::fabs(x[i]) - 0.25f;
      }
      for (std::size_t r = 4; r < rows; r += 6) x[r * cols + cols / 2] = r % 3 == 0 ? kNaN : r % 3 == 1 ? kInf : -kInf;
      for (const auto scheme : {QuantScheme::symmetric, QuantScheme::affine}) {
        quantize_dynamic_rows(x, scheme, q.span(), scales, zeros);
        ASSERT_TRUE(q.untouched());
        for (std::size_t i = 0; i < rows; ++i) {
          const auto p = quantize_dynamic(std::span<const float>(x).subspan(i * cols, cols), scheme, std::span<Q>(row));
          ASSERT_EQ(p, (QuantParams{scales[i], zeros[i]})) << name(isa) << " row " << i << " of " << cols;
          for (std::size_t j = 0; j < cols; ++j) ASSERT_EQ(+row[j], +q[i * cols + j]) << name(isa) << " row " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace pawl
