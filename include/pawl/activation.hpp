// activation.hpp -- the functions that can be fused with the operation before them.
#pragma once
#include <cstdint>

namespace pawl {

/// What is done to each element of a result; simd.hpp and math.hpp have the same functions on their own, with their
/// accuracy.
enum class Activation : std::uint8_t {
  none,
  relu,       ///< max(0, x); NaN stays NaN
  gelu,       ///< x Phi(x)
  gelu_tanh,  ///< its approximation by tanh
};

}  // namespace pawl
