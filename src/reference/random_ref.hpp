// random_ref.hpp -- the specification of include/pawl/random.hpp: word by word, with the C library in long double.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include "tensor/random_bits.hpp"

namespace pawl::reference {

/// Element i of the normal sequence of `seed` in T.
template <class T>
long double normal(std::uint64_t seed, std::size_t i) {
  constexpr bool kHalves = std::is_same_v<T, float>;
  const std::size_t pair = i / 2;
  long double u = 0, v = 0;
  if constexpr (kHalves) {
    const std::uint64_t word = random_bits(seed, pair);
    u = (static_cast<long double>(word >> 32) + 0.5L) * 0x1p-32L;
    v = static_cast<long double>(word & 0xffffffffu) * 0x1p-32L;
  } else {
    u = (static_cast<long double>(random_bits(seed, 2 * pair) >> 11) + 0.5L) * 0x1p-53L;
    v = static_cast<long double>(random_bits(seed, 2 * pair + 1) >> 10) * 0x1p-54L;
  }
  // Less than an eighth of a turn is left for the library: near a zero of the cosine, 2 pi v has lost the digits.
  const long double quarters = std::round(4 * v), angle = (4 * v - quarters) * std::numbers::pi_v<long double> / 2;
  const long double cosine = std::cos(angle), sine = std::sin(angle), radius = std::sqrt(-2 * std::log(u));
  const long double along[] = {cosine, -sine, -cosine, sine};  // the cosine after 0, 1, 2, 3 quarters
  const auto turned = static_cast<std::size_t>(quarters) + (i % 2 == 0 ? 0 : 3);
  return radius * along[turned % 4];
}

/// Element i of the uniform sequence of `seed` in T, for [0, 1).
template <class T>
T unit_interval(std::uint64_t seed, std::size_t i) {
  if constexpr (std::is_same_v<T, float>) {
    const std::uint64_t word = random_bits(seed, i / 2);
    return static_cast<float>((i % 2 == 0 ? word & 0xffffffffu : word >> 32) >> 8) * 0x1p-24f;
  } else {
    return static_cast<double>(random_bits(seed, i) >> 11) * 0x1p-53;
  }
}

}  // namespace pawl::reference
