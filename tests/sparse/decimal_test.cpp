// decimal_test.cpp -- digits of a text are the numbers that std::from_chars makes of them, to the last bit.
#include "sparse/decimal.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <random>
#include <string>

namespace pawl::sparse {
namespace {

TEST(Decimal, DigitsEndWhereTheyEnd) {
  const std::string digits = "9876543210123456789";
  for (const char* after : {"\n", " ", ".", "/", ":", "-", "e", "\x80", "\xff", "\xba", "\x01"})
    for (std::size_t n = 0; n <= digits.size(); ++n) {
      const std::string text = digits.substr(0, n) + after + "99999999";
      const Digits found = digits_from(text.data());
      ASSERT_EQ(found.count, n) << text;
      ASSERT_EQ(found.value, n == 0 ? 0 : std::stoull(digits.substr(0, n)));
      const Digits more = digits_from(text.data(), {12, 2});
      ASSERT_EQ(more.count, n + 2);
      ASSERT_EQ(more.value, n < 18 ? std::stoull("12" + digits.substr(0, n)) : more.value);
    }
}

template <class T>
void expect_nearest(std::uint64_t significand, int exponent10) {
  const std::string text = std::to_string(significand) + "e" + std::to_string(exponent10);
  T expected{}, got{};
  const bool in_range =
      std::from_chars(text.data(), text.data() + text.size(), expected).ec != std::errc::result_out_of_range;
  const bool could = decimal_to(significand, exponent10, got);
  if (could) {
    ASSERT_TRUE(in_range) << text;
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    ASSERT_EQ(std::bit_cast<Bits>(got), std::bit_cast<Bits>(expected)) << text;
  }
  // What it may leave to others: large powers, and for float what is near its limits.
  const bool must = significand == 0 || (exponent10 >= -27 && exponent10 <= 27 && sizeof(T) == 8);
  ASSERT_TRUE(could || !must) << text;
}

template <class T>
void expect_nearest_everywhere() {
  std::mt19937_64 random(7);
  for (int exponent10 = -30; exponent10 <= 30; ++exponent10) {
    for (const std::uint64_t s :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}, ~std::uint64_t{0}, std::uint64_t{1} << 63,
          (std::uint64_t{1} << 53) + 1, (std::uint64_t{1} << 24) + 1, std::uint64_t{9999999999999999999u}})
      expect_nearest<T>(s, exponent10);
    for (int k = 0; k < 3000; ++k) expect_nearest<T>(random() >> (random() % 64), exponent10);
  }
  // Halves of a last place, and what lies next to them: m 2^e with one more bit than T has, as decimal digits.
  constexpr int kDigits = std::numeric_limits<T>::digits;
  for (int k = 0; k < 20'000; ++k) {
    const std::uint64_t odd = ((random() >> (64 - kDigits)) | std::uint64_t{1} << (kDigits - 1)) * 2 + 1;
    for (int d = -1; d <= 1; ++d) {
      const auto near = odd + static_cast<std::uint64_t>(d);
      expect_nearest<T>(near << (k % 9), 0);
      // near / 2^i is near 5^i / 10^i, as long as that fits.
      std::uint64_t times5 = near;
      for (int i = 1; times5 <= ~std::uint64_t{0} / 5; ++i) {
        times5 *= 5;
        expect_nearest<T>(times5, -i);
      }
    }
  }
}

TEST(Decimal, IsRoundedToTheNearestDouble) { expect_nearest_everywhere<double>(); }
TEST(Decimal, IsRoundedToTheNearestFloat) { expect_nearest_everywhere<float>(); }

}  // namespace
}  // namespace pawl::sparse
