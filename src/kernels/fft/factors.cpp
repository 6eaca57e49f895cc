// factors.cpp -- see factors.hpp.
#include "kernels/fft/factors.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "kernels/fft/fft_table.hpp"

namespace pawl::fft {
namespace {

constexpr std::size_t kOddRadices[] = {3, 5, 7, 11, 13};

std::size_t power(std::size_t base, std::size_t exponent, std::size_t modulus) {
  std::size_t result = 1;
  for (; exponent > 0; exponent /= 2, base = base * base % modulus)
    if (exponent % 2 != 0) result = result * base % modulus;
  return result;
}

}  // namespace

std::size_t largest_factor(std::size_t n) noexcept {
  std::size_t largest = 1;
  for (; n > 1 && n % 2 == 0; n /= 2) largest = 2;
  // Of 32 bits a division takes half as long.
  const auto odd = [&](auto rest) {
    for (decltype(rest) p = 3; rest > 1; p = p * p <= rest ? p + 2 : rest)
      for (; rest % p == 0; rest /= p) largest = p;
  };
  if (n < (std::size_t{1} << 31))
    odd(static_cast<std::uint32_t>(n));
  else
    odd(n);
  return largest;
}

bool is_smooth(std::size_t n) noexcept {
  // A pass over a prime p has p multiply-adds per element, a convolution some 60 operations whatever p is.
  return largest_factor(n) <= kLargestPrimePass;
}

std::vector<std::size_t> radices(std::size_t n) {
  unsigned twos = 0, count[std::size(kOddRadices)] = {};
  for (; n % 2 == 0; n /= 2) ++twos;
  for (std::size_t i = 0; i < std::size(kOddRadices); ++i)
    for (; n % kOddRadices[i] == 0; n /= kOddRadices[i]) ++count[i];
  unsigned &threes = count[0], &fives = count[1];
  std::vector<std::size_t> odd;
  // Twos that eights leave over go along with a three or a five, which saves a pass.
  if (twos % 3 == 2 && threes > 0) {
    odd.push_back(12);
    twos -= 2;
    --threes;
  }
  // 4 10 10 rather than 8 10 5: 0.95 of the time of 3200 points of f64 and 0.97 of the error.
  if (twos == 4 && fives >= 2) {
    odd.insert(odd.end(), {10, 10});
    twos -= 2;
    fives -= 2;
  }
  for (; (twos % 3 == 1 && fives + threes > 0) || (twos % 3 == 2 && fives + threes > 1); --twos) {
    odd.push_back(fives > 0 ? 10 : 6);
    --(fives > 0 ? fives : threes);
  }
  for (; threes > 0 && fives > 0; --threes, --fives) odd.push_back(15);
  for (; threes > 1; threes -= 2) odd.push_back(9);
  for (std::size_t i = 0; i < std::size(kOddRadices); ++i) odd.insert(odd.end(), count[i], kOddRadices[i]);
  for (std::size_t p = 17; n > 1; p += 2)
    for (; n % p == 0; n /= p) odd.push_back(p);
  std::vector<std::size_t> result;
  // Sixteens for what eights leave over.
  while (twos % 3 == 1 && twos >= 4) {
    result.push_back(16);
    twos -= 4;
  }
  if (twos % 3 == 2 && twos >= 8) {
    result.insert(result.end(), {16, 16});
    twos -= 8;
  }
  for (; twos >= 3; twos -= 3) result.push_back(8);
  if (twos > 0) result.push_back(std::size_t{1} << twos);
  // Of two the smaller first: it has registers to spare for taking pairs apart. On a Zen 4 512 points of f32 (4 8) took
  // 0.97 to 0.99 of the time of 8 4, 2048 points (8 16) 0.98.
  if (result.size() == 2 && odd.empty() && result[0] > result[1]) std::swap(result[0], result[1]);
  result.insert(result.end(), odd.begin(), odd.end());
  return result;
}

std::size_t primitive_root(std::size_t p) {
  std::vector<std::size_t> exponents;  // (p - 1) / q for the prime factors q
  for (std::size_t rest = p - 1; rest > 1;) {
    const std::size_t q = largest_factor(rest);
    exponents.push_back((p - 1) / q);
    while (rest % q == 0) rest /= q;
  }
  for (std::size_t g = 1;; ++g) {
    bool generates = true;
    for (std::size_t e : exponents) generates = generates && power(g, e, p) != 1;
    if (generates) return g;
  }
}

std::vector<std::uint32_t> powers(std::size_t g, std::size_t p, std::size_t count) {
  // Each from the one a few places before it: a remainder waits 20 cycles for the one before it.
  constexpr std::size_t kChains = 16;
  std::vector<std::uint32_t> result(count);
  for (std::size_t q = 0; q < std::min(count, kChains); ++q)
    result[q] = static_cast<std::uint32_t>(q == 0 ? 1 : result[q - 1] * g % p);
  const std::size_t step = power(g, kChains, p);
  // Products below p^2 < 2^52 are whole numbers of double, and times the rounded 1 / p they are off by less than
  // p 2^-52 < 1 / p, which is how far those that are no multiples of p are from whole numbers.
  if (p < (std::size_t{1} << 26)) {
    const double inverse = 1 / static_cast<double>(p);
    for (std::size_t q = kChains; q < count; ++q) {
      const auto product = static_cast<std::int64_t>(result[q - kChains] * step);
      const auto quotient = static_cast<std::int64_t>(static_cast<double>(product) * inverse);
      result[q] = static_cast<std::uint32_t>(product - quotient * static_cast<std::int64_t>(p));
    }
  } else {
    for (std::size_t q = kChains; q < count; ++q)
      result[q] = static_cast<std::uint32_t>(result[q - kChains] * step % p);
  }
  return result;
}

std::vector<std::size_t> divisors(std::size_t n) {
  std::vector<std::size_t> result;
  for (std::size_t d = 1; d * d <= n; ++d)
    if (n % d == 0) {
      result.push_back(d);
      if (d * d != n) result.push_back(n / d);
    }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace pawl::fft
