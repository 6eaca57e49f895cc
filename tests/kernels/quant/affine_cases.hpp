// affine_cases.hpp -- a type of code -> its limits, and sizes around every block of the kernels, on every variant.
#pragma once
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "pawl/isa.hpp"
#include "pawl/quant/affine.hpp"

namespace pawl::testing {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

template <class Q>
class AffineCases : public ::testing::Test {
 public:
  static constexpr std::int32_t kLow = std::numeric_limits<Q>::min(), kHigh = std::numeric_limits<Q>::max();
  static constexpr std::int32_t kMiddle = kLow == 0 ? 128 : 0;
  static QuantParams choose(float low, float high, QuantScheme scheme) {
    if constexpr (std::numeric_limits<Q>::is_signed) {
      return choose_params_s8(low, high, scheme);
    } else {
      return choose_params_u8(low, high, scheme);
    }
  }
};
/// The types of code: signed and unsigned.
using CodeTypes = ::testing::Types<std::int8_t, std::uint8_t>;

// Calls check(n, offset) for sizes around every block, on every variant.
template <class Check>
void for_each_size(Check check) {
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const std::size_t n : {0U,  1U,  2U,  3U,  4U,  5U,   7U,   15U,  16U,  17U,   31U,  32U,
                                33U, 47U, 63U, 64U, 65U, 127U, 128U, 129U, 200U, 1000U, 2081U})
      for (const std::size_t offset : {0u, 1u, 3u}) {
        SCOPED_TRACE(::testing::Message() << name(isa) << " n=" << n << " offset=" << offset);
        check(n, offset);
        if (::testing::Test::HasFatalFailure()) return;
      }
  }
}

}  // namespace pawl::testing
