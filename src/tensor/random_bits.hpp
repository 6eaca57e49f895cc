// random_bits.hpp -- (seed, counter) -> 64 random bits, so that element i never depends on how many threads fill.
#pragma once
#include <cstdint>

namespace pawl {

/// The i-th output of SplitMix64 started at `seed` (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014): a Weyl sequence through a 64-bit finaliser, so any i can be had directly.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t i) noexcept {
  std::uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio, made odd
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace pawl
