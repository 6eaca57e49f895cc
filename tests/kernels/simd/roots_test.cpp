// roots_test.cpp -- sqrt is correctly rounded: f32 for each mantissa, f64 where the root is nearest to halfway between
// two numbers.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

#include "isa/data_path.hpp"
#include "pawl/isa.hpp"
#include "pawl/memory/aligned_buffer.hpp"
#include "pawl/simd.hpp"

namespace pawl {
namespace {

__extension__ typedef unsigned __int128 Wide;

template <class T>
std::size_t wrong_roots(std::span<const T> x) {
  memory::AlignedBuffer<T> buffer(x.size());  // the vectors of a result count from a boundary
  const std::span<T> out(buffer.data(), x.size());
  sqrt(x, out);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) wrong += out[i] != std::sqrt(x[i]);
  return wrong;
}

// Every variant, on both kinds of data paths, finds std::sqrt (which the CPU rounds correctly) of each value, at each
// of `places`: the first and the last of four vectors next to each other go different ways.
template <class T>
void expect_roots(const std::vector<T>& values, const std::vector<std::size_t>& places) {
  for (const bool splits : {false, true})
    for (const Isa isa : runnable_isas()) {
      const DataPath path(splits);
      const ScopedIsa scope(isa);
      for (const std::size_t place : places) {
        std::vector<T> x(place, T(1));
        x.insert(x.end(), values.begin(), values.end());
        EXPECT_EQ(wrong_roots<T>(x), 0U) << name(isa) << " place " << place << (splits ? ", split" : "");
      }
    }
}

// A root's mantissa depends on the mantissa and on whether the exponent is even.
TEST(RootsTest, F32OfEachMantissa) {
  constexpr std::uint32_t kOne = 0x3f800000, kBlock = 1U << 20;
  for (std::uint32_t begin = 0; begin < 2U << 23; begin += kBlock) {
    std::vector<float> x(kBlock);
    for (std::uint32_t i = 0; i < kBlock; ++i) x[i] = std::bit_cast<float>(kOne + begin + i);
    expect_roots(x, {0, 32});
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
  expect_roots(x, {0, 16});
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

// Fewer than four vectors, whose roots are found one vector at a time: of all of one size, and of mixed ones.
TYPED_TEST(RootsOfAnySizeTest, FewVectors) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const T sizes[] = {Limits::denorm_min(), Limits::min(), T(0), T(1.7), T(3), Limits::max(), Limits::infinity()};
  for (const bool splits : {false, true})
    for (const Isa isa : runnable_isas()) {
      const DataPath path(splits);
      const ScopedIsa scope(isa);
      for (std::size_t n = 1; n <= 70; ++n)
        for (std::size_t s = 0; s <= std::size(sizes); ++s) {
          std::vector<T> x(n);
          for (std::size_t i = 0; i < n; ++i) x[i] = sizes[s < std::size(sizes) ? s : i % s];
          EXPECT_EQ(wrong_roots<T>(x), 0U) << name(isa) << " n " << n << " size " << s << (splits ? ", split" : "");
        }
    }
}

}  // namespace
}  // namespace pawl
