// factors.hpp -- a length -> the radices of its passes, or the next length that has some.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pawl::fft {

/// Largest prime that a butterfly exists for.
inline constexpr std::size_t kLargestRadix = 13;

/// The largest prime factor of n, 1 of 1.
std::size_t largest_factor(std::size_t n) noexcept;

/// True if passes exist for all factors of n and are faster than a convolution. n >= 1.
bool is_smooth(std::size_t n) noexcept;

/// Radices whose product is n, in the order of the passes; empty for 1. n must be smooth.
///
/// Few passes mean few trips through the cache: eights and sixteens before fours, and twos only alone. They come first,
/// since the first pass can read user data if its radix is a power of two. Primes above kLargestRadix come last.
std::vector<std::size_t> radices(std::size_t n);

/// The divisors of n, ascending.
std::vector<std::size_t> divisors(std::size_t n);

/// The smallest g whose powers modulo the prime p are all numbers from 1 to p - 1; 2 < p < 2^32.
std::size_t primitive_root(std::size_t p);

/// g^q modulo p for q < count; g < p < 2^32.
std::vector<std::uint32_t> powers(std::size_t g, std::size_t p, std::size_t count);

}  // namespace pawl::fft
