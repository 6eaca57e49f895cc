// decimal.hpp -- decimal digits of a text to integers and to the nearest floating-point numbers, eight digits at a
// time.
//
// Numbers of up to 19 digits that are at most 10^27 times too large or too small as integers are rounded exactly, by
// one product or one quotient of 128 bits; what is beyond is left to std::from_chars, which takes twice as long (Zen
// 4).
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace pawl::sparse {

__extension__ using Wide = unsigned __int128;

/// A run of decimal digits: their value, if there are at most 19 of them, and where they end.
struct Digits {
  std::uint64_t value;
  std::size_t count;
};

/// Eight characters, the first one lowest.
inline std::uint64_t eight_characters(const char* p) noexcept {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  if constexpr (std::endian::native == std::endian::big) {
    std::uint64_t turned = 0;
    for (int i = 0; i < 8; ++i) turned |= (word >> (8 * i) & 0xFF) << (8 * (7 - i));
    word = turned;
  }
  return word;
}

constexpr std::array<std::uint64_t, 20> kPowersOf10 = [] {
  std::array<std::uint64_t, 20> powers{};
  std::uint64_t power = 1;
  for (auto& p : powers) p = std::exchange(power, power * 10);
  return powers;
}();

/// The digits from p on, after a number's first digits `before`. Eight characters from each digit and from the first
/// that is none can be read.
inline Digits digits_from(const char* p, Digits before = {0, 0}) noexcept {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  for (;;) {
    const std::uint64_t text = eight_characters(p);
    // The lowest byte that is none of '0' to '9' has its highest bit set in one of these; below it nothing is carried.
    const std::uint64_t others = ((text + kEach * 0x46) | (text - kEach * 0x30)) & kEach * 0x80;
    const auto n = static_cast<std::size_t>(std::countr_zero(others)) / 8;
    // The digits move to the upper bytes, zeros come below, and neighbours are joined: 8 x 1, 4 x 2, 2 x 4, 1 x 8
    // digits.
    // Twice by half, since a shift by 64 is none.
    std::uint64_t v = (text - kEach * 0x30) << (4 * (8 - n)) << (4 * (8 - n));
    v = v * 10 + (v >> 8);
    v = ((v & 0x000000FF000000FF) * (100 + (std::uint64_t{1000000} << 32)) +
         (v >> 16 & 0x000000FF000000FF) * (1 + (std::uint64_t{10000} << 32))) >>
        32;
    before = {before.value * kPowersOf10[n] + v, before.count + n};
    if (n < 8) return before;
    p += 8;
  }
}

/// A power of 5 and what divides by it: the power shifted until its highest bit is set, and its reciprocal
/// (2^128 - 1) / shifted - 2^64 (Moeller and Granlund, "Improved division by invariant integers", IEEE Transactions on
/// Computers 60, 2011).
struct PowerOf5 {
  std::uint64_t value, shifted, reciprocal;
  int shift;
};
constexpr std::size_t kExactPowers = 28;  // 5^27 is the last below 2^64
constexpr std::array<PowerOf5, kExactPowers> kPowersOf5 = [] {
  std::array<PowerOf5, kExactPowers> powers{};
  std::uint64_t power = 1;
  for (auto& p : powers) {
    const int shift = std::countl_zero(power);
    const std::uint64_t shifted = power << shift;
    p = {power, shifted, static_cast<std::uint64_t>(~Wide{0} / shifted - (Wide{1} << 64)), shift};
    power *= 5;
  }
  return powers;
}();

/// The number `significand` 2^exponent nearest in T, ties to even; `more` says that a little is to be added that is
/// less than the significand's last place. The significand has its highest bit or the one below set; the result is a
/// normal number of T or infinite.
template <class T>
T rounded(std::uint64_t significand, int exponent, bool more) noexcept {
  constexpr int kDigits = std::numeric_limits<T>::digits;
  const int shift = std::countl_zero(significand);
  significand <<= shift;  // by 0 or 1
  exponent -= shift;
  constexpr int kDropped = 64 - kDigits;
  // Below a half's bit `dropped` has room for what tips the balance at just a half: more, or an odd last place.
  const std::uint64_t kept = significand >> kDropped, dropped = significand << kDigits;
  const std::uint64_t up = (dropped | (kept & 1) | (more ? 1 : 0)) > std::uint64_t{1} << 63 ? 1 : 0;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const int biased = exponent + kDropped + kDigits - 1 + std::numeric_limits<T>::max_exponent - 1;
  // The hidden bit adds one to the exponent, and so does a carry out of the digits.
  const auto bits = static_cast<Bits>((static_cast<std::uint64_t>(biased - 1) << (kDigits - 1)) + kept + up);
  return std::bit_cast<T>(bits);
}

/// significand 10^exponent10 rounded to the nearest T, ties to even. Returns whether it could: |exponent10| is at most
/// 27 and the result neither too large for T nor so small that it loses digits.
template <class T>
bool decimal_to(std::uint64_t significand, int exponent10, T& result) noexcept {
  if (significand == 0 || (exponent10 == 0 && significand >> 63 == 0)) {
    result = static_cast<T>(static_cast<std::int64_t>(significand));
    return true;
  }
  const auto k = static_cast<std::size_t>(exponent10 < 0 ? -exponent10 : exponent10);
  if (k >= kExactPowers) return false;
  const PowerOf5& power = kPowersOf5[k];
  const int shift = std::countl_zero(significand);
  std::uint64_t high = significand << shift;
  int exponent = exponent10 - shift;
  bool more = false;
  if (exponent10 >= 0) {
    const Wide product = Wide{high} * power.shifted;
    exponent += 64 - power.shift;
    high = static_cast<std::uint64_t>(product >> 64);
    more = static_cast<std::uint64_t>(product) != 0;
  } else {
    // (high, low) / power.shifted, of which high must be the smaller. No branch depends on the digits here: each would
    // go either way.
    exponent += power.shift - 63;
    const std::uint64_t low = high << 63;
    high >>= 1;
    const Wide guess = Wide{high} * power.reciprocal + (Wide{high} << 64 | low);
    high = static_cast<std::uint64_t>(guess >> 64) + 1;
    std::uint64_t rest = low - high * power.shifted;
    const std::uint64_t over = rest > static_cast<std::uint64_t>(guess) ? 1 : 0;
    high -= over;
    rest += power.shifted & (0 - over);
    const std::uint64_t under = rest >= power.shifted ? 1 : 0;
    high += under;
    rest -= power.shifted & (0 - under);
    more = rest != 0;
  }
  // What has 64 digits before the point and this exponent is between 2^(exponent + 62) and 2^(exponent + 64).
  if (exponent + 65 >= std::numeric_limits<T>::max_exponent || exponent + 61 <= std::numeric_limits<T>::min_exponent)
    return false;
  result = rounded<T>(high, exponent, more);
  return true;
}

}  // namespace pawl::sparse
