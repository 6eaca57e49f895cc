// normalization.hpp -- what a transform of n points multiplies its results by.
#pragma once
#include <cstddef>
#include <cstdint>

namespace pawl::fft {

enum class Normalization : std::uint8_t {
  none,        ///< 1: forward and inverse one after the other multiply by n
  by_n,        ///< 1 / n
  orthonormal  ///< 1 / sqrt(n), both ways: lengths of vectors stay what they are
};

/// The factor. n >= 1.
double factor(Normalization normalization, std::size_t n) noexcept;

}  // namespace pawl::fft
