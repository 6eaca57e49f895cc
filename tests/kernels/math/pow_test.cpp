// pow_test.cpp -- every runnable variant of pow keeps its bound over bases and exponents of every size, and has C's
// special values.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/guarded_array.hpp"
#include "kernels/math/ulp_error.hpp"
#include "pawl/isa.hpp"
#include "pawl/math.hpp"
#include "reference/math_ref.hpp"

namespace pawl {
namespace {

template <class T>
class PowTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PowTest, Types);

template <class T>
std::vector<T> bases() {
  using L = std::numeric_limits<T>;
  std::vector<T> x{T(0),
                   T(-0.0),
                   T(1),
                   T(-1),
                   L::infinity(),
                   -L::infinity(),
                   L::quiet_NaN(),
                   T(2),
                   T(-2),
                   T(0.5),
                   L::min(),
                   L::denorm_min(),
                   -L::denorm_min(),
                   L::max(),
                   -L::max(),
                   T(-3.5),
                   T(1) + L::epsilon(),
                   T(1) - L::epsilon() / 2};
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    if constexpr (sizeof(T) == 4)
      x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    else
      x.push_back(std::bit_cast<double>(random()));
    x.push_back(static_cast<T>(0.5 + static_cast<double>(random() >> 11) * 0x1p-53));
    x.push_back(static_cast<T>(100 * static_cast<double>(random() >> 11) * 0x1p-53));
  }
  // C leaves open what becomes of signaling NaNs.
  for (T& v : x)
    if (std::isnan(v)) v = L::quiet_NaN();
  return x;
}

TYPED_TEST(PowTest, KeepsItsBoundAndSpecialValues) {
  using T = TypeParam;
  using L = std::numeric_limits<T>;
  const std::vector<T> x = bases<T>();
  std::vector<T> out(x.size());
  for (const T y : {T(2),    T(-1),    T(3),          T(0.5),         T(-0.5),        T(1) / T(3),     T(17.25),
                    T(-40),  T(0),     T(-0.0),       T(1e-3),        T(500),         T(-501),         T(16777217),
                    T(1e20), T(-1e20), L::infinity(), -L::infinity(), L::quiet_NaN(), L::denorm_min(), L::max()})
    for (Isa isa : runnable_isas()) {
      double worst = 0;
      const ScopedIsa scope(isa);
      pow(std::span<const T>(x), y, std::span<T>(out));
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto want = reference::pow(x[i], y);
        ASSERT_LE(testing::ulp_error(out[i], want), sizeof(T) == 4 ? 1 : 2)
            << name(isa) << " " << x[i] << " ^ " << y << " = " << out[i];
        worst = std::max(worst, testing::ulp_error(out[i], want));
        ASSERT_TRUE(std::isnan(want) || std::signbit(out[i]) == std::signbit(want)) << x[i] << " ^ " << y;
      }
      this->RecordProperty("pow_" + std::string(name(isa)), std::to_string(worst));
    }
}

// Powers as large as the type has: what is missing of log x is magnified by y log x.
TEST(PowOfF64, KeepsItsBoundWherePowersAreLarge) {
  std::mt19937_64 random(5);
  std::vector<double> x(40'000), out(x.size());
  for (const double y : {20340.035123450398, -22019.135613475904, 700.25, -3333.7, 1e6, 23.5}) {
    for (double& v : x) v = std::exp2(1020 / y * (static_cast<double>(random() >> 11) * 0x1p-52 - 1));
    for (Isa isa : runnable_isas()) {
      const ScopedIsa scope(isa);
      pow(std::span<const double>(x), y, std::span<double>(out));
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_LE(testing::ulp_error(out[i], reference::pow(x[i], y)), 2)
            << name(isa) << " " << x[i] << " ^ " << y << " = " << out[i];
    }
  }
}

TYPED_TEST(PowTest, ThePowerOfZeroIsOneEvenOfASignallingNaN) {
  using T = TypeParam;
  using L = std::numeric_limits<T>;
  const std::vector<T> x = {L::signaling_NaN(), L::quiet_NaN(), L::infinity(), T(0), T(2)};
  for (Isa isa : runnable_isas())
    for (const T y : {T(0), -T(0)}) {
      const ScopedIsa scope(isa);
      std::vector<T> out(x.size());
      pow(std::span<const T>(x), y, std::span<T>(out));
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(out[i], T(1)) << name(isa) << " element " << i;
    }
}

TYPED_TEST(PowTest, AnElementDoesNotDependOnItsNeighbours) {
  using T = TypeParam;
  using L = std::numeric_limits<T>;
  std::mt19937_64 random(7);
  std::vector<T> x(4000), all(x.size()), among(x.size());
  for (T& v : x) v = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53);
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    pow(std::span<const T>(x), T(-2.75), std::span<T>(all));
    std::vector<T> changed = x;
    constexpr T kOthers[] = {T(0), L::denorm_min(), L::infinity(), L::quiet_NaN()};
    for (std::size_t i = 3; i < x.size(); i += 7) changed[i] = kOthers[i % 4];
    pow(std::span<const T>(changed), T(-2.75), std::span<T>(among));
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_TRUE(i % 7 == 3 || among[i] == all[i]) << name(isa) << " element " << i;
    pow(std::span<const T>(changed), T(-2.75), std::span<T>(changed));
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_TRUE(changed[i] == among[i] || (std::isnan(changed[i]) && std::isnan(among[i]))) << "in place, " << i;
  }
}

TYPED_TEST(PowTest, EveryLengthAndNothingBeyond) {
  using T = TypeParam;
  for (Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (std::size_t n = 0; n < 40; ++n) {
      testing::GuardedArray<T> x(n, 1), out(n, 3);
      x.fill(n + 1);
      pow(std::span<const T>(x.data(), n), T(3), std::span<T>(out.data(), n));
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_LE(testing::ulp_error(out[i], reference::pow(x[i], T(3))), sizeof(T) == 4 ? 1 : 2)
            << name(isa) << " " << i << " of " << n;
      EXPECT_TRUE(out.untouched());
      pow(std::span<const T>(x.data(), n), T(3), std::span<T>(x.data(), n));
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(x[i], out[i]);
    }
  }
  std::vector<T> three(3);
  EXPECT_THROW(pow(std::span<const T>(three), T(2), std::span<T>(three).first(2)), std::invalid_argument);
}

}  // namespace
}  // namespace pawl
