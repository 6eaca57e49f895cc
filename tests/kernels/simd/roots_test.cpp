// roots_test.cpp -- sqrt is correctly rounded: f32 for each mantissa, f64 where the root is nearest to halfway between
// two numbers.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "pawl/isa.hpp"
#include "pawl/simd.hpp"

namespace pawl {
namespace {

__extension__ typedef unsigned __int128 Wide;

// Every variant finds std::sqrt (which the CPU rounds correctly) of each value, at each of `places`: vectors next to
// each other may go different ways.
template <class T>
void expect_roots(const std::vector<T>& values, const std::vector<std::size_t>& places) {
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const std::size_t place : places) {
      std::vector<T> x(values.size() + place, T(1)), out(x.size());
      for (std::size_t i = 0; i < values.size(); ++i) x[place + i] = values[i];
      sqrt(std::span<const T>(x), std::span<T>(out));
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < x.size(); ++i) wrong += out[i] != std::sqrt(x[i]);
      EXPECT_EQ(wrong, 0U) << name(isa) << " place " << place;
    }
  }
}

// A root's mantissa depends on the mantissa and on whether the exponent is even.
TEST(RootsTest, F32OfEachMantissa) {
  constexpr std::uint32_t kOne = 0x3f800000, kBlock = 1U << 20;
  for (std::uint32_t begin = 0; begin < 2U << 23; begin += kBlock) {
    std::vector<float> x(kBlock);
    for (std::uint32_t i = 0; i < kBlock; ++i) x[i] = std::bit_cast<float>(kOne + begin + i);
    expect_roots(x, {0, 16});
  }
}

// Halfway between two numbers from 1 to 2 is k 2^-53, k odd. Its square k^2 2^-106 is next to a number (a multiple of
// 2^-52 below 2, of 2^-51 from there on) where k^2 is small modulo 2^54 (2^55), or small and negative. Those k are
// found as square roots modulo a power of two.
TEST(RootsTest, F64NearestToHalfway) {
  std::vector<double> x;
  for (const int bits : {54, 55})
    for (std::int64_t miss = -4095; miss <= 4097; miss += 8) {  // 1 modulo 8: others have no root
      std::uint64_t root = 1;
      for (int bit = 3; bit < bits; ++bit)  // root^2 = miss modulo 2^bit: one more bit (Hensel)
        if (((root * root - static_cast<std::uint64_t>(miss)) >> bit & 1) != 0) root += std::uint64_t{1} << (bit - 1);
      const std::uint64_t modulus = std::uint64_t{1} << bits, half = modulus / 2;
      for (const std::uint64_t k : {root, modulus - root, root + half, modulus + half - root})
        for (const std::uint64_t candidate : {k % modulus, k % half}) {
          if (candidate < std::uint64_t{1} << 53 || candidate >= std::uint64_t{1} << 54) continue;
          const auto square = static_cast<Wide>(candidate) * candidate;
          if (((static_cast<std::uint64_t>(square) - static_cast<std::uint64_t>(miss)) & (modulus - 1)) != 0) continue;
          const auto quotient = static_cast<std::uint64_t>((square - static_cast<Wide>(miss)) >> bits);
          if (quotient < std::uint64_t{1} << 52 || quotient >= std::uint64_t{1} << 53) continue;
          x.push_back(std::ldexp(static_cast<double>(quotient), bits - 106));
        }
    }
  ASSERT_GE(x.size(), 2000U);
  expect_roots(x, {0, 8});
}

// Beyond the range in which roots are found by multiply-adds, and at its ends.
template <class T>
class RootsOfAnySizeTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RootsOfAnySizeTest, Types);

TYPED_TEST(RootsOfAnySizeTest, EachPowerOfTwo) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  std::vector<T> x;
  for (int e = Limits::min_exponent - Limits::digits; e < Limits::max_exponent; ++e)
    for (const T mantissa : {T(1), T(1) + Limits::epsilon(), T(1.7), T(2) - Limits::epsilon()})
      // A block of vectors of nothing else, so that one value's size does not send the others another way.
      x.insert(x.end(), 64, std::ldexp(mantissa, e));
  expect_roots(x, {0});
}

}  // namespace
}  // namespace pawl
