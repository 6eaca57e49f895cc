// quotients_test.cpp -- division is correctly rounded: where quotients are nearest to halfway between two numbers, for
// divisors whose mantissa is all ones, and for operands of any size.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "isa/data_path.hpp"
#include "isa/datapath.hpp"
#include "pawl/isa.hpp"
#include "pawl/memory/aligned_buffer.hpp"
#include "pawl/simd.hpp"

namespace pawl {
namespace {

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 Signed;

template <class T>
bool same(T a, T b) {
  return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
}

// Calls body() for every variant, on each kind of data path.
template <class Body>
void on_all(Body body) {
  struct Kind {
    const char* name;
    bool splits, divides_fast;
  };
  for (const Kind kind : {Kind{"", false, false}, Kind{", split", true, true}, Kind{", fast divider", false, true}})
    for (const Isa isa : runnable_isas()) {
      if (kind.divides_fast && !kind.splits && isa != Isa::avx512) continue;  // what others do doesn't depend on it
      const DataPath path(kind.splits, kind.divides_fast);
      const ScopedIsa scope(isa);
      SCOPED_TRACE(std::string(name(isa)) + kind.name);
      body();
    }
}

// Each quotient is what the CPU's own division gives. Of four vectors next to each other one or two go another way than
// the others: the last does on each kind of data path, so each value is divided there too.
template <class T>
void expect_quotients(const std::vector<T>& a, const std::vector<T>& b) {
  on_all([&] {
    for (std::size_t place = 0; place < 256 / sizeof(T); place += 64 / sizeof(T)) {
      std::vector<T> x(place, T(1)), y(place, T(1));
      x.insert(x.end(), a.begin(), a.end());
      y.insert(y.end(), b.begin(), b.end());
      memory::AlignedBuffer<T> buffer(x.size());  // the vectors of a result count from a boundary
      const std::span<T> out(buffer.data(), x.size());
      const std::span<const T> left(x), right(y);
      const std::size_t piece = detail::splits_512_bits ? 1024 : x.size();  // products take part only in L1 there
      for (std::size_t i = 0; i < x.size(); i += piece) {
        const std::size_t n = std::min(piece, x.size() - i);
        div(left.subspan(i, n), right.subspan(i, n), out.subspan(i, n));
      }
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < x.size(); ++i) wrong += !same(out[i], x[i] / y[i]);
      EXPECT_EQ(wrong, 0U) << "place " << place;
    }
  });
}

template <class T>
void expect_quotients_by_value(const std::vector<T>& a, T b) {
  on_all([&] {
    memory::AlignedBuffer<T> buffer(a.size());
    const std::span<T> out(buffer.data(), a.size());
    div(std::span<const T>(a), b, out);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < a.size(); ++i) wrong += !same(out[i], a[i] / b);
    EXPECT_EQ(wrong, 0U) << "divisor " << b;
    div(b, std::span<const T>(a), out);
    wrong = 0;
    for (std::size_t i = 0; i < a.size(); ++i) wrong += !same(out[i], b / a[i]);
    EXPECT_EQ(wrong, 0U) << "dividend " << b;
  });
}

// The dividends below 2^p whose quotients by b, an odd number of p bits, miss the middle between two numbers of p bits
// by `miss` / b units of 2^-p of the last place, an odd number: middles are m / 2^p for m from 2^p to 2^(p + 1) where
// the quotient is 1 and more, m / 2^(p + 1) below, m odd, so a 2^p - b m = miss, which has one m modulo 2^p.
template <class T>
void add_near_halfway(std::uint64_t b, int miss, std::vector<T>& a) {
  constexpr int p = std::numeric_limits<T>::digits;
  std::uint64_t inverse = b;  // of b modulo 2^64, by Newton's steps: three bits are right, then twice as many
  for (int i = 0; i < 5; ++i) inverse *= 2 - b * inverse;
  for (const int shift : {p, p + 1}) {
    const std::uint64_t modulus = std::uint64_t{1} << shift;
    std::uint64_t m = (0 - static_cast<std::uint64_t>(static_cast<std::int64_t>(miss)) * inverse) & (modulus - 1);
    if (shift == p) m += modulus;
    const auto sum = static_cast<Wide>(static_cast<Signed>(static_cast<Wide>(b) * m) + miss);
    if ((sum & (modulus - 1)) != 0) continue;
    const auto dividend = static_cast<std::uint64_t>(sum >> shift);
    if (dividend == 0 || dividend >= std::uint64_t{1} << p) continue;
    a.push_back(static_cast<T>(dividend));
  }
}

template <class T>
std::vector<T> near_halfway(std::uint64_t b, int most) {
  std::vector<T> a;
  for (int miss = 1; miss <= most; miss += 2) {
    add_near_halfway<T>(b, miss, a);
    add_near_halfway<T>(b, -miss, a);
  }
  return a;
}

template <class T>
class QuotientsTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(QuotientsTest, Types);

TYPED_TEST(QuotientsTest, NearestToHalfway) {
  using T = TypeParam;
  constexpr int p = std::numeric_limits<T>::digits;
  std::mt19937_64 random(1);
  std::vector<T> a, b;
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t divisor = (random() >> (64 - p)) | std::uint64_t{1} << (p - 1) | 1;
    const std::vector<T> dividends = near_halfway<T>(divisor, 3);
    a.insert(a.end(), dividends.begin(), dividends.end());
    b.insert(b.end(), dividends.size(), static_cast<T>(divisor));
  }
  ASSERT_GE(a.size(), 100'000U);
  expect_quotients(a, b);
}

TYPED_TEST(QuotientsTest, ByValueNearestToHalfway) {
  using T = TypeParam;
  constexpr int p = std::numeric_limits<T>::digits;
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> divisors = {1, 3, 7, 10, (std::uint64_t{1} << p) - 1, (std::uint64_t{1} << (p - 1)) + 1};
  for (int i = 0; i < 300; ++i) divisors.push_back((random() >> (64 - p)) | std::uint64_t{1} << (p - 1) | 1);
  for (const std::uint64_t divisor : divisors) {
    std::vector<T> a = divisor % 2 == 1 ? near_halfway<T>(divisor, 199) : std::vector<T>{};
    for (int i = 0; i < 200; ++i) a.push_back(static_cast<T>((random() >> (64 - p)) | 1));
    expect_quotients_by_value(a, static_cast<T>(divisor));
    expect_quotients_by_value(a, -static_cast<T>(divisor));
  }
}

// The reciprocal of such a divisor is next to halfway, and Newton's step may miss it.
TYPED_TEST(QuotientsTest, DivisorsOfAllOnes) {
  using T = TypeParam;
  constexpr int p = std::numeric_limits<T>::digits;
  std::mt19937_64 random(3);
  for (const std::uint64_t less : {1U, 2U, 3U, 5U}) {
    const std::uint64_t divisor = (std::uint64_t{1} << p) - less;
    std::vector<T> a;
    for (std::uint64_t i = 0; i < 1 << 20; ++i) {
      // Every eighth mantissa of f32; from both ends, and random ones.
      const std::uint64_t low = std::uint64_t{1} << (p - 1);
      const std::uint64_t mantissa = p < 30       ? low + 8 * i + less
                                     : i % 3 == 0 ? low + i
                                     : i % 3 == 1 ? 2 * low - 1 - i
                                                  : low | random() >> (64 - p);
      a.push_back(static_cast<T>(mantissa));
    }
    expect_quotients(a, std::vector<T>(a.size(), static_cast<T>(divisor)));
    expect_quotients(a, std::vector<T>(a.size(), -static_cast<T>(divisor)));
  }
}

// F32 divisors of each mantissa, with dividends of their own.
TEST(QuotientsOfFloatsTest, EachDivisor) {
  constexpr std::uint32_t kOne = 0x3f800000, kBlock = 1U << 20;
  std::mt19937 random(4);
  for (std::uint32_t begin = 0; begin < 1U << 23; begin += kBlock) {
    std::vector<float> a(kBlock), b(kBlock);
    for (std::uint32_t i = 0; i < kBlock; ++i) {
      a[i] = std::bit_cast<float>(kOne + static_cast<std::uint32_t>(random() >> 9));
      b[i] = std::bit_cast<float>(kOne + begin + i);
    }
    expect_quotients(a, b);
  }
}

// Beyond the range in which quotients are found by multiply-adds, and at its ends.
TYPED_TEST(QuotientsTest, OperandsOfAnySize) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  std::vector<T> sizes = {T(0), -T(0), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()};
  constexpr int kStep = sizeof(T) == 4 ? 5 : 41;
  for (int e = Limits::min_exponent - Limits::digits; e < Limits::max_exponent; e += kStep)
    for (const T mantissa : {T(1), T(1.7), T(-2) + Limits::epsilon()}) sizes.push_back(std::ldexp(mantissa, e));
  for (const int half : {60, 61, 400, 401})
    for (const int e : {-half, half})
      if (half < Limits::max_exponent)
        for (const T mantissa : {T(1), T(-1.3), T(2) - Limits::epsilon()}) sizes.push_back(std::ldexp(mantissa, e));
  std::vector<T> a, b;
  for (const T x : sizes)
    for (const T y : sizes) {
      // Whole turns of nothing else, so that one value's size does not send the others another way.
      a.insert(a.end(), 64, x);
      b.insert(b.end(), 64, y);
    }
  expect_quotients(a, b);
  for (const T x : sizes) {
    expect_quotients_by_value(sizes, x);
    expect_quotients_by_value(std::vector<T>(64, T(3)), x);
    expect_quotients_by_value(std::vector<T>(64, x), T(3));
  }
}

// Fewer than four vectors.
TYPED_TEST(QuotientsTest, FewElements) {
  using T = TypeParam;
  std::mt19937_64 random(5);
  for (std::size_t n = 1; n <= 70; ++n) {
    std::vector<T> a(n), b(n);
    for (T& x : a) x = static_cast<T>(static_cast<std::int64_t>(random() >> 40) - (1 << 23));
    for (T& x : b) x = static_cast<T>(random() >> 40);
    expect_quotients(a, b);
    expect_quotients_by_value(a, b[0]);
  }
}

}  // namespace
}  // namespace pawl
