// half_matmul_test.cpp -- products of bf16 and f16 on every variant, within their bound.
#include "pawl/quant/half_matmul.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <vector>

#include "isa/datapath.hpp"
#include "kernels/quant/framed.hpp"
#include "kernels/quant/half_table.hpp"
#include "pawl/isa.hpp"
#include "pawl/packed_matrix.hpp"
#include "pawl/parallel.hpp"
#include "pawl/tensor.hpp"
#include "reference/quant_ref.hpp"

namespace pawl {
namespace {

using testing::Framed;

double value(bf16 x) { return reference::bf16_value(x.bits); }
double value(f16 x) { return reference::f16_value(x.bits); }

template <class Half>
std::vector<Half> random_halves(std::size_t n, std::uint64_t seed) {
  std::vector<float> x(n);
  testing::fill_uniform(x, seed, -2, 3);
  std::vector<Half> halves(n);
  convert(std::span<const float>(x), std::span<Half>(halves));
  return halves;
}

// Every runnable variant, and the widest once more with dot products of bf16 for few rows alone, and without.
template <class Check>
void on_every_half_variant(Check check) {
  enum class Dots { all, few_rows, none };
  const bool two_turns = detail::bf16_dots_take_two_turns;
  for (const Isa isa : runnable_isas())
    for (const Dots dots : {Dots::all, Dots::few_rows, Dots::none}) {
      if (dots != Dots::all && isa != Isa::avx512) continue;
      const ScopedIsa scope(isa);
      bf16_dots_allowed() = dots != Dots::none;
      detail::bf16_dots_take_two_turns = dots == Dots::few_rows;
      SCOPED_TRACE(::testing::Message() << name(isa)
                                        << (dots == Dots::all        ? ""
                                            : dots == Dots::few_rows ? ", dot products for few rows"
                                                                     : " without dot products"));
      check(isa);
      bf16_dots_allowed() = true;
      detail::bf16_dots_take_two_turns = two_turns;
      if (::testing::Test::HasFatalFailure()) return;
    }
}

template <class Half>
class HalfMatmulTest : public ::testing::Test {};
using Types = ::testing::Types<bf16, f16>;
TYPED_TEST_SUITE(HalfMatmulTest, Types);

TYPED_TEST(HalfMatmulTest, KeepsItsBound) {
  using Half = TypeParam;
  struct Extents {
    std::size_t m, n, k;
  };
  std::vector<Extents> all = {{0, 3, 4}, {3, 0, 4}, {2, 5, 0}, {9, 33, 2048}, {30, 64, 127}, {1, 100, 300}};
  for (const std::size_t m : {1u, 2u, 3u, 4u, 5u, 13u, 14u, 15u, 17u})
    for (const std::size_t n : {1u, 16u, 31u, 32u, 33u}) all.push_back({m, n, 1 + (7 * m + n) % 40});
  // Few columns: whole and cut tiles of 16 results, whole and cut vectors in depth.
  for (std::size_t n = 1; n < 14; ++n)
    for (const std::size_t m : {1u, 2u, 7u, 8u, 9u, 17u}) all.push_back({m, n, 1 + (m * 29 + n * 17) % 150});
  for (const std::size_t k : {0u, 1u, 15u, 16u, 31u, 32u, 33u, 64u, 100u, 250u, 289u})
    for (const std::size_t n : {1u, 2u, 5u, 6u, 9u, 11u, 12u}) all.push_back({5, n, k});
  on_every_half_variant([&](Isa isa) {
    for (const auto& [m, n, k] : all)
      for (const bool transposed : {false, true}) {
        const std::vector<Half> a = random_halves<Half>(m * k, m), b = random_halves<Half>(k * n, n + 7);
        std::vector<float> bias(n);
        testing::fill_uniform(bias, 3);
        Framed<float> c(m * n, 1), finished(m * n, 1);
        const PackedHalf packed(b, k, n, transposed);
        matmul(std::span<const Half>(a), packed, c.span());
        matmul(std::span<const Half>(a), packed, finished.span(), bias, Activation::relu);
        ASSERT_TRUE(c.untouched() && finished.untouched());
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < n; ++j) {
            double want = 0, size = 0;
            for (std::size_t p = 0; p < k; ++p) {
              const double product = value(a[i * k + p]) * value(b[transposed ? j * k + p : p * n + j]);
              want += product;
              size += std::fabs(product);
            }
            const double unit = double(k + 3) * 0x1p-23;
            ASSERT_LE(std::fabs(double(c[i * n + j]) - want), unit * size)
                << name(isa) << " " << m << " x " << n << " x " << k << " at " << i << ", " << j;
            ASSERT_LE(std::fabs(double(finished[i * n + j]) - std::max(want + double(bias[j]), 0.0)),
                      unit * (size + std::fabs(double(bias[j]))));
          }
      }
  });
}

// Where the variant has kernels for them, weights take 16 bits each (up to whole panels); else they are an f32 matrix.
TYPED_TEST(HalfMatmulTest, WeightsStaySmall) {
  using Half = TypeParam;
  on_every_half_variant([](Isa isa) {
    const PackedHalf packed(random_halves<Half>(64 * 128, 1), 64, 128);
    const bool small = isa == Isa::avx2 || isa == Isa::avx512;
    const Tensor<float> wide = Tensor<float>::uninitialized({64, 128});
    EXPECT_EQ(packed.size_bytes(), small ? std::size_t{64} * 128 * 2 : PackedMatrix<float>(wide.view()).size_bytes())
        << name(isa);
  });
}

TYPED_TEST(HalfMatmulTest, InfinityAndNaNComeThrough) {
  using Half = TypeParam;
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x = {1, inf, 2, 1, 2, 3, nan, 1, 1}, w = {1, 1, 1};
  std::vector<Half> a(9), b(3);
  convert(std::span<const float>(x), std::span<Half>(a));
  convert(std::span<const float>(w), std::span<Half>(b));
  on_every_half_variant([&](Isa isa) {
    std::vector<float> c(3);
    matmul(std::span<const Half>(a), PackedHalf(b, 3, 1), c);
    EXPECT_EQ(c[0], inf) << name(isa);
    EXPECT_EQ(c[1], 6);
    EXPECT_TRUE(std::isnan(c[2]));
  });
}

// The pair that a row of odd depth ends with has no second value: what follows in memory must not be it.
TYPED_TEST(HalfMatmulTest, ARowOfOddDepthEndsBeforeTheNext) {
  using Half = TypeParam;
  for (const std::size_t m : {1u, 2u, 4u, 13u})
    for (const std::size_t k : {1u, 5u, 63u, 1023u}) {
      const std::size_t n = 40;
      std::vector<float> x(m * k, 1), w(k * n, 2);
      for (std::size_t i = 1; i < m; i += 2) x[i * k] = std::numeric_limits<float>::quiet_NaN();
      std::vector<Half> a(m * k), b(k * n);
      convert(std::span<const float>(x), std::span<Half>(a));
      convert(std::span<const float>(w), std::span<Half>(b));
      on_every_half_variant([&](Isa isa) {
        std::vector<float> c(m * n);
        // Twice, so that what is left in a copy of A would be seen too.
        matmul(std::span<const Half>(a), PackedHalf(b, k, n), c);
        matmul(std::span<const Half>(a), PackedHalf(b, k, n), c);
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < n; ++j)
            if (i % 2 == 1)
              ASSERT_TRUE(std::isnan(c[i * n + j])) << name(isa);
            else
              ASSERT_EQ(c[i * n + j], 2 * static_cast<float>(k)) << name(isa) << ' ' << m << ' ' << k;
      });
    }
}

// Of bf16, whose denormals times its largest numbers are far from 0. Dot products take them as 0, and say so.
TEST(HalfMatmul, DenormalsKeepTheirBound) {
  const std::size_t k = 40;
  std::vector<float> x(k), w(k);
  testing::fill_uniform(x, 1, -0x1p-126f, 0x1p-126f);
  testing::fill_uniform(w, 2, 0x1p126f, 0x1p127f);
  std::vector<bf16> small(k), large(k);
  convert(std::span<const float>(x), std::span<bf16>(small));
  convert(std::span<const float>(w), std::span<bf16>(large));
  double want = 0, size = 0;
  for (std::size_t p = 0; p < k; ++p) {
    const double product = value(small[p]) * value(large[p]);
    want += product;
    size += std::fabs(product);
  }
  on_every_half_variant([&](Isa) {
    for (const bool large_weights : {true, false}) {
      const std::vector<bf16>&a = large_weights ? small : large, &b = large_weights ? large : small;
      const PackedHalf packed(b, k, 1);
      std::vector<float> c(1);
      matmul(std::span<const bf16>(a), packed, c);
      const double lost = double(k) * 0x1p-124 * (packed.uses_dot_products() ? 0x1p127 : 1.0);
      EXPECT_LE(std::fabs(double(c[0]) - want), double(k + 3) * 0x1p-23 * size + lost);
    }
    const std::vector<bf16> denormal{{0x0001}}, infinity{{0x7f80}};
    const PackedHalf packed(infinity, 1, 1);
    std::vector<float> c(1);
    matmul(std::span<const bf16>(denormal), packed, c);
    EXPECT_TRUE(packed.uses_dot_products() ? std::isnan(c[0]) : std::isinf(c[0])) << c[0];
  });
}

TYPED_TEST(HalfMatmulTest, ThreadsChangeNothing) {
  using Half = TypeParam;
  const int before = num_threads();
  for (const std::size_t m : {1u, 40u, 3000u, 30001u, 30002u}) {
    const std::size_t n = m == 30001 ? 1 : m == 30002 ? 5 : m == 3000 ? 20 : 4100, k = 60;
    const std::vector<Half> a = random_halves<Half>(m * k, 1), b = random_halves<Half>(k * n, 2);
    const PackedHalf packed(b, k, n);
    std::vector<float> one(m * n), three(m * n);
    set_num_threads(1);
    matmul(std::span<const Half>(a), packed, one);
    set_num_threads(3);
    matmul(std::span<const Half>(a), packed, three);
    EXPECT_EQ(one, three) << m;
  }
  set_num_threads(before);
}

TEST(HalfMatmul, BadArgumentsAreRefused) {
  const std::vector<bf16> a(12), b(20);
  std::vector<float> c(15), two(2);
  EXPECT_THROW(PackedHalf(b, 4, 6), std::invalid_argument);
  const PackedHalf packed(b, 4, 5);
  EXPECT_EQ(packed.uses_dot_products(), active_isa() == Isa::avx512 && cpu_features().avx512bf16);
  matmul(std::span<const bf16>(a), packed, c);
  const std::vector<f16> other(12);
  if (packed.uses_dot_products()) {
    EXPECT_THROW(matmul(std::span<const f16>(other), packed, c), std::invalid_argument);
  }
  EXPECT_THROW(matmul(std::span<const bf16>(b), packed, c), std::invalid_argument);
  EXPECT_THROW(matmul(std::span<const bf16>(a), packed, two), std::invalid_argument);
  EXPECT_THROW(matmul(std::span<const bf16>(a), packed, c, two), std::invalid_argument);
  EXPECT_THROW(matmul(std::span<const bf16>(a), packed, c, {}, Activation::gelu), std::invalid_argument);
}

}  // namespace
}  // namespace pawl
